// SPDX-License-Identifier: Apache-2.0
#include <asperity/analysis/limit_surface_study.hpp>
//
#include <fmt/format.h>

#include <asperity/integrate/watch.hpp>
#include <cmath>
#include <numbers>

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

figure figure_of(const limit_surface_study& study, const contact_patch& patch) {
  figure result{fmt::format("Limit surface of a {}", patch.description()),
                fmt::format("the ellipsoid is off by {:.1f} % at most", 100 * study.asked.worst)};
  result.panel_height = 810;
  const limit_surface& surface = study.surface;
  figure_panel panel{
      "", {"f_x / mu f_n"}, {"f_y / mu f_n"}, {"torque / (mu f_n)", units::metre, "mm"}};
  panel.equal_scales = true;
  for (figure_axis* each : {&panel.x, &panel.y}) {
    each->from = -1.2;
    each->to = 1.2;
  }
  figure_net exact{"exact", static_cast<std::size_t>(surface.around) + 1, {}};
  for (int j = 0; j < surface.up; ++j)
    for (int i = 0; i <= surface.around; ++i) {
      const auto& f =
          surface.points[static_cast<std::size_t>(i % surface.around + surface.around * j)].value;
      exact.points.push_back({f[0], f[1], f[2]});
    }
  constexpr int around = 48, up = 13;
  constexpr double pi = std::numbers::pi;
  figure_net ellipsoid{"ellipsoid", around + 1, {}, false};
  for (int j = 0; j < up; ++j)
    for (int i = 0; i <= around; ++i) {
      const double u = 2 * pi * i / around, v = pi * j / (up - 1) - pi / 2;
      ellipsoid.points.push_back(
          {std::cos(v) * std::cos(u), std::cos(v) * std::sin(u), study.asked_arm * std::sin(v)});
    }
  panel.nets = {std::move(exact), std::move(ellipsoid)};
  result.panels = {std::move(panel)};
  return result;
}

}  // namespace asperity
