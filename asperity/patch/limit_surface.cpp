// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/patch/limit_surface.hpp>
#include <cmath>

namespace asperity {

namespace {

constexpr double pi = 3.14159265358979323846;

}  // namespace

contact_patch::integral coulomb_about_centre(const contact_patch& patch, const twist<double>& t,
                                             double relative_tolerance) {
  const auto [x, y] = patch.centre();
  // The same motion seen from the origin, and its torque moved back.
  auto result = patch.coulomb({{t[0] + t[2] * y, t[1] - t[2] * x, t[2]}}, relative_tolerance);
  result.value[2] -= x * result.value[1] - y * result.value[0];
  return result;
}

namespace {

limit_surface::point point_at(const contact_patch& patch, double arm, double longitude,
                              double latitude, double relative_tolerance, double& error) {
  const double level = std::abs(latitude) < pi / 2 ? std::cos(latitude) : 0;
  const auto exact = coulomb_about_centre(
      patch, {{level * std::cos(longitude), level * std::sin(longitude), std::sin(latitude) / arm}},
      relative_tolerance);
  error = std::max(error, exact.error);
  return {longitude, latitude, exact.value};
}

}  // namespace

limit_surface sample_limit_surface(const contact_patch& patch, int around, int up,
                                   double relative_tolerance, const go_on& told) {
  limit_surface surface;
  surface.around = around;
  surface.up = up;
  surface.arm = coulomb_about_centre(patch, {{0, 0, 1}}, relative_tolerance).value[2];
  for (int j = 0; j < up; ++j)
    for (int i = 0; i < around; ++i) {
      if (told && !told(static_cast<double>(surface.points.size()) / (around * up))) return surface;
      const double latitude = j == up - 1 ? pi / 2 : pi * (j / (up - 1.0) - 0.5);
      surface.points.push_back(point_at(patch, surface.arm, 2 * pi * i / around, latitude,
                                        relative_tolerance, surface.error));
    }
  return surface;
}

ellipsoid_error compare_with_ellipsoid(const contact_patch& patch, const limit_surface& surface,
                                       double a_R, double relative_tolerance, const go_on& told) {
  const limit_surface_ellipsoid<double> ellipsoid{
      .F_c = 1, .R = a_R > 0 ? a_R : surface.arm, .a = 1};
  const auto judged = [&](const limit_surface::point& point) {
    return ellipsoid_error{std::abs(ellipsoid.gauge(point.value) - 1), point};
  };
  std::vector<ellipsoid_error> all;
  for (const auto& point : surface.points) all.push_back(judged(point));
  std::stable_sort(all.begin(), all.end(), [](const ellipsoid_error& a, const ellipsoid_error& b) {
    return a.worst > b.worst;
  });

  // Hills of the error are about as wide as the spacing of the points or wider: a few starts that
  // are not neighbours find the highest one.
  constexpr std::size_t most_starts = 4;
  const double across = 2 * pi / surface.around, along = pi / (surface.up - 1);
  const auto is_near = [&](const limit_surface::point& a, const limit_surface::point& b) {
    const double turn = std::abs(std::remainder(a.longitude - b.longitude, 2 * pi));
    return turn < 2.5 * across && std::abs(a.latitude - b.latitude) < 2.5 * along;
  };
  std::vector<ellipsoid_error> starts;
  for (const auto& each : all) {
    if (starts.size() == most_starts) break;
    const bool is_new = std::none_of(starts.begin(), starts.end(), [&](const ellipsoid_error& s) {
      return is_near(s.at, each.at);
    });
    if (is_new) starts.push_back(each);
  }

  // Uphill in eight directions, with steps that are halved where none leads up: the error has
  // edges, where no derivative would help.
  ellipsoid_error result;
  double unused = 0;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    ellipsoid_error best = starts[k];
    for (double step = 1; step > 1e-5;) {
      const ellipsoid_error from = best;
      for (int i = -1; i <= 1; ++i)
        for (int j = -1; j <= 1; ++j) {
          if (i == 0 && j == 0) continue;
          if (told && !told(static_cast<double>(k) / starts.size())) return best;
          const double latitude = std::clamp(from.at.latitude + j * step * along, -pi / 2, pi / 2);
          const auto next =
              judged(point_at(patch, surface.arm, from.at.longitude + i * step * across, latitude,
                              relative_tolerance, unused));
          if (next.worst > best.worst) best = next;
        }
      if (best.worst <= from.worst + relative_tolerance) step /= 2;
    }
    if (best.worst > result.worst) result = best;
  }
  result.at.longitude = std::remainder(result.at.longitude, 2 * pi);
  return result;
}

}  // namespace asperity
