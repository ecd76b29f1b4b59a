// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/mechanics/coulomb_stage.hpp>
#include <cmath>

namespace asperity {

namespace {

using v3 = vec<double, 3>;

v3 unit_along(const v3& a) { return (1 / std::sqrt(dot(a, a))) * a; }

// Greatest value over directions of a function that is the same for y and 2 y. `at` answers value
// and gradient. Ends at its maximum, or as soon as `enough` likes the value.
struct valued {
  double value;
  v3 gradient;
};
template <class At, class Enough>
v3 best_direction(const At& at, v3 y, const Enough& enough) {
  valued here = at(y);
  for (int pass = 0; pass < 60 && !enough(here.value); ++pass) {
    // Two directions across y, and the slope along them.
    const int least = std::abs(y[0]) < std::abs(y[1]) ? (std::abs(y[0]) < std::abs(y[2]) ? 0 : 2)
                                                      : (std::abs(y[1]) < std::abs(y[2]) ? 1 : 2);
    v3 axis{};
    axis[least] = 1;
    const v3 e_1 = unit_along(cross(y, axis)), e_2 = cross(y, e_1);
    const double p_1 = dot(here.gradient, e_1), p_2 = dot(here.gradient, e_2);
    const double slope = std::hypot(p_1, p_2);
    if (!(slope > 1e-8 * std::abs(here.value))) break;  // c may be known no better
    constexpr double apart = 1e-5;
    const v3 g_1 = at(y + apart * e_1).gradient, g_2 = at(y + apart * e_2).gradient;
    const double h_11 = (dot(g_1, e_1) - p_1) / apart, h_22 = (dot(g_2, e_2) - p_2) / apart;
    const double h_12 = 0.5 * (dot(g_1, e_2) - p_2 + dot(g_2, e_1) - p_1) / apart;
    const double determinant = h_11 * h_22 - h_12 * h_12;
    v3 way = (1 / slope) * (p_1 * e_1 + p_2 * e_2);
    if (h_11 < 0 && determinant > 0)
      way = ((h_12 * p_2 - h_22 * p_1) / determinant) * e_1 +
            ((h_12 * p_1 - h_11 * p_2) / determinant) * e_2;
    bool higher = false;
    for (double part = 1; part > 1e-9 && !higher; part *= 0.5) {
      const v3 trial = unit_along(y + part * way);
      const valued there = at(trial);
      // At the top the value is flat to rounding; there the slope decides.
      const v3 left = there.gradient - dot(there.gradient, trial) * trial;
      higher =
          there.value > here.value || (there.value >= here.value - 1e-13 * std::abs(here.value) &&
                                       std::sqrt(dot(left, left)) < 0.5 * slope);
      if (higher) {
        y = trial;
        here = there;
      }
    }
    if (!higher) break;
  }
  return y;
}

}  // namespace

bool solve_coulomb_stage(const coulomb_stage& s, const support_function& c, v3& u) {
  // u = y/root, and a wrench f on the contact is G' f/root.
  v3 root;
  for (int i = 0; i < 3; ++i) root[i] = std::sqrt(s.inertia[i] / s.h);
  const auto velocities = [&](const v3& y) {
    return v3{{y[0] / root[0], y[1] / root[1], y[2] / root[2]}};
  };
  const auto support = [&](const v3& y) {
    const v3 at = velocities(y);
    const wrench<double> f = c({{dot(s.map[0], at), dot(s.map[1], at), dot(s.map[2], at)}});
    return velocities(f[0] * s.map[0] + f[1] * s.map[1] + f[2] * s.map[2]);
  };
  v3 free;
  for (int i = 0; i < 3; ++i) free[i] = root[i] * s.u_free[i];
  u = {};
  if (dot(free, free) == 0) return true;

  // Whether it sticks: the greatest free.y/(c(y).y), which is quasi-concave.
  const auto gauge = [&](const v3& y) {
    const v3 f = support(y);
    const double power = dot(f, y), push = dot(free, y);
    return valued{push / power, (1 / power) * (free - (push / power) * f)};
  };
  const auto slips = [&](double value) { return value > s.hold; };
  v3 y = best_direction(gauge, unit_along(free), slips);
  if (!slips(gauge(y).value)) return true;

  // The direction of sliding. The value is above 0 where it begins.
  const auto rise = [&](const v3& x) {
    const double size = std::sqrt(dot(x, x));
    const v3 along = (1 / size) * x, left = free - s.slide * support(along);
    const double value = dot(left, along);
    return valued{value, left - value * along};
  };
  y = best_direction(rise, y, [](double) { return false; });
  const v3 left = free - s.slide * support(y);
  const double size = dot(left, y);
  const v3 off = left - size * y;
  u = velocities(std::max(0.0, size) * y);
  return std::sqrt(dot(off, off)) <= 1e-6 * std::sqrt(dot(free, free));
}

}  // namespace asperity
