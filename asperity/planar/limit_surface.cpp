// SPDX-License-Identifier: Apache-2.0
#include <asperity/planar/limit_surface.hpp>
#include <cmath>

namespace asperity {

contact_patch::integral coulomb_about_centre(const contact_patch& patch, const twist<double>& t,
                                             double relative_tolerance) {
  const auto [x, y] = patch.centre();
  // The same motion seen from the origin, and its torque moved back.
  auto result = patch.coulomb({{t[0] + t[2] * y, t[1] - t[2] * x, t[2]}}, relative_tolerance);
  result.value[2] -= x * result.value[1] - y * result.value[0];
  return result;
}

limit_surface sample_limit_surface(const contact_patch& patch, int around, int up,
                                   double relative_tolerance) {
  constexpr double pi = 3.14159265358979323846;
  limit_surface surface;
  surface.around = around;
  surface.up = up;
  surface.arm = coulomb_about_centre(patch, {{0, 0, 1}}, relative_tolerance).value[2];
  for (int j = 0; j < up; ++j)
    for (int i = 0; i < around; ++i) {
      const double longitude = 2 * pi * i / around, latitude = pi * (j / (up - 1.0) - 0.5);
      const bool at_pole = j == 0 || j == up - 1;
      const double level = at_pole ? 0 : std::cos(latitude);
      const auto exact =
          coulomb_about_centre(patch,
                               {{level * std::cos(longitude), level * std::sin(longitude),
                                 std::sin(latitude) / surface.arm}},
                               relative_tolerance);
      surface.points.push_back({longitude, latitude, exact.value});
      surface.error = std::max(surface.error, exact.error);
    }
  return surface;
}

ellipsoid_error compare_with_ellipsoid(const limit_surface& surface, double a_R) {
  const limit_surface_ellipsoid<double> ellipsoid{
      .F_c = 1, .R = a_R > 0 ? a_R : surface.arm, .a = 1};
  ellipsoid_error result;
  for (const auto& point : surface.points) {
    const double miss = std::abs(ellipsoid.gauge(point.value) - 1);
    if (miss > result.worst) result = {miss, point};
  }
  return result;
}

}  // namespace asperity
