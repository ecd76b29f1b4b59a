// SPDX-License-Identifier: Apache-2.0
#include <asperity/analysis/limit_surface_study.hpp>
#include <asperity/integrate/watch.hpp>

namespace asperity {

limit_surface_study study_limit_surface(const contact_patch& patch,
                                        const limit_surface_options& options) {
  // The points are most of the work, then comes the search for the worst of each ellipsoid.
  const auto part = [&](double from, double to) -> go_on {
    return [&options, from, to](double fraction) {
      if (options.progress) options.progress(from + (to - from) * fraction);
      return !is_set(options.interrupt);
    };
  };
  const auto stop_where_asked = [&] {
    if (is_set(options.interrupt)) throw interruption();
  };
  limit_surface_study result;
  result.surface =
      sample_limit_surface(patch, options.around, options.up, options.tolerance, part(0, 0.6));
  stop_where_asked();
  result.best = result.asked =
      compare_with_ellipsoid(patch, result.surface, 0, options.tolerance, part(0.6, 0.8));
  result.asked_arm = result.surface.arm;
  stop_where_asked();
  if (options.a > 0) {
    result.asked_arm = options.a * patch.reach();
    result.asked = compare_with_ellipsoid(patch, result.surface, result.asked_arm,
                                          options.tolerance, part(0.8, 1));
    stop_where_asked();
  }
  return result;
}

}  // namespace asperity
