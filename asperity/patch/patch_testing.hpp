// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: Coulomb friction of a patch by a method of its own. Chords at x = const between rims
// that are given by formulas, with Takahasi and Mori's rule (x = tanh(sinh)) across them and along
// them, split where the centre of rotation is level with either: its points crowd at the ends,
// where all that is sudden happens. In long double, from the centre of rotation.

#include <algorithm>
#include <array>
#include <asperity/planar.hpp>
#include <cmath>
#include <functional>
#include <vector>

namespace asperity {

struct patch_reference {
  using real = long double;
  struct point {
    real x, y;
  };
  std::vector<std::vector<point>> polygons;   // even-odd
  std::vector<std::array<real, 2>> ellipses;  // semi-axes, about the origin; even-odd
  std::function<real(real x, real y)> pressure = [](real, real) { return real{1}; };
  std::vector<real> lines_x, lines_y;  // kinks of the pressure
  real steps_per_unit = 16;            // right to about 1e-13

  wrench<double> operator()(const twist<double>& t) const {
    const point c = centre_of_rotation(t);
    std::vector<real> ends = lines_x;
    ends.push_back(c.x);
    // Rims end, and cross what chords are split at.
    std::vector<real> levels = lines_y;
    levels.push_back(c.y);
    for (const auto& corners : polygons)
      for (std::size_t i = 0; i < corners.size(); ++i) {
        const point p = corners[i], q = corners[(i + 1) % corners.size()];
        ends.push_back(p.x);
        for (const real y : levels)
          if ((p.y > y) != (q.y > y)) ends.push_back(p.x + (y - p.y) / (q.y - p.y) * (q.x - p.x));
      }
    for (const auto& [a, b] : ellipses)
      for (const real sign : {-1, 1}) {
        ends.push_back(sign * a);
        for (const real y : levels)
          if (std::abs(y) < b) ends.push_back(sign * a * std::sqrt((1 - y / b) * (1 + y / b)));
      }
    const auto rule = nodes();
    return as_wrench(between(ends, rule, [&](real x) { return over_chords(x, c, t, rule); }));
  }

  // Of the chord at x alone, as a line that carries all load.
  wrench<double> of_chord(real x, const twist<double>& t) const {
    return as_wrench(over_chords(x, centre_of_rotation(t), t, nodes()));
  }

 private:
  using sums = std::array<real, 4>;  // force, torque, load

  static wrench<double> as_wrench(const sums& sum) {
    return {{static_cast<double>(sum[0] / sum[3]), static_cast<double>(sum[1] / sum[3]),
             static_cast<double>(sum[2] / sum[3])}};
  }
  static point centre_of_rotation(const twist<double>& t) {
    if (t[2] == 0) return {0, 0};
    return {-static_cast<real>(t[1]) / t[2], static_cast<real>(t[0]) / t[2]};
  }

  // Distance of each point from the nearer end as a share of the length, so that nothing cancels.
  struct node {
    real share, weight;
    bool is_left;
  };
  std::vector<node> nodes() const {
    std::vector<node> all;
    const real half_pi = std::acos(real{0}), h = 1 / steps_per_unit;
    const int most = static_cast<int>(3.4L * steps_per_unit);
    for (int k = -most; k <= most; ++k) {
      const real w = std::abs(k * h), share = 1 / (1 + std::exp(2 * half_pi * std::sinh(w)));
      all.push_back({share, 2 * half_pi * std::cosh(w) * share * (1 - share) * h, k < 0});
    }
    return all;
  }

  template <class F>
  static sums between(std::vector<real> ends, const std::vector<node>& rule, const F& f) {
    std::sort(ends.begin(), ends.end());
    sums total{};
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      const real length = ends[i + 1] - ends[i];
      if (!(length > 0)) continue;
      for (const auto& [share, weight, is_left] : rule) {
        const auto value = f(is_left ? ends[i] + share * length : ends[i + 1] - share * length);
        for (std::size_t n = 0; n < 4; ++n) total[n] += weight * length * value[n];
      }
    }
    return total;
  }

  sums over_chords(real x, point c, const twist<double>& t, const std::vector<node>& rule) const {
    std::vector<real> rims;
    for (const auto& corners : polygons)
      for (std::size_t i = 0; i < corners.size(); ++i) {
        const point p = corners[i], q = corners[(i + 1) % corners.size()];
        if ((p.x > x) != (q.x > x)) rims.push_back(p.y + (x - p.x) / (q.x - p.x) * (q.y - p.y));
      }
    for (const auto& [a, b] : ellipses) {
      const real rest = (a - x) * (a + x);
      if (rest > 0)
        for (const real sign : {-1, 1}) rims.push_back(sign * b / a * std::sqrt(rest));
    }
    std::sort(rims.begin(), rims.end());
    sums total{};
    for (std::size_t i = 0; i + 1 < rims.size(); i += 2) {
      std::vector<real> ends{rims[i], rims[i + 1]};
      const auto add = [&](real y) {
        if (y > rims[i] && y < rims[i + 1]) ends.push_back(y);
      };
      add(c.y);
      for (const real y : lines_y) add(y);
      const auto part = between(ends, rule, [&](real y) {
        // From the centre of rotation, the velocity without cancellation.
        real v_x = t[0], v_y = t[1];
        if (t[2] != 0) {
          v_x = -t[2] * (y - c.y);
          v_y = t[2] * (x - c.x);
        }
        const real p = pressure(x, y), v = std::sqrt(v_x * v_x + v_y * v_y);
        if (v == 0) return sums{0, 0, 0, p};
        return sums{p * v_x / v, p * v_y / v, p * (x * v_y - y * v_x) / v, p};
      });
      for (std::size_t n = 0; n < 4; ++n) total[n] += part[n];
    }
    return total;
  }
};

}  // namespace asperity
