// SPDX-License-Identifier: Apache-2.0
#pragma once

// The coupling of any patch: its exact limit surface, sampled once and interpolated. Directions of
// twists are unfolded on a square (an octahedron pressed flat), which costs one division and no
// angle. Opposite twists have opposite wrenches, so one half of all directions is enough.

#include <asperity/planar/coupling.hpp>
#include <asperity/planar/limit_surface.hpp>

namespace asperity {

struct table_coupling {
  table_coupling() = default;
  explicit table_coupling(const contact_patch& patch, int intervals = 48,
                          double relative_tolerance = 1e-6);

  double rho = 1;     // arm [m]
  int intervals = 0;  // of the square, along each side
  struct entry {
    double d[3];
  };
  std::vector<entry> entries;

  template <class Card>
  void describe(Card&) {}
  double arm() const { return rho; }

  // d(w), on the limit surface for F_c = 1, about the patch's origin.
  vec<double, 3> steady(const vec<double, 3>& w) const {
    const double sum = std::abs(w[0]) + std::abs(w[1]) + std::abs(w[2]);
    if (!(sum > 0)) return {};
    const double sign = w[2] < 0 ? -1 : 1, scale = sign * 0.5 / sum;
    // p + q and p - q of the pressed octahedron |p| + |q| <= 1, from 0 to `intervals`.
    const double u = intervals * (0.5 + scale * (w[0] + w[1]));
    const double v = intervals * (0.5 + scale * (w[0] - w[1]));
    const int i = std::min(static_cast<int>(u), intervals - 1),
              j = std::min(static_cast<int>(v), intervals - 1);
    const double a = u - i, b = v - j;
    const entry* row = &entries[static_cast<std::size_t>(i + (intervals + 1) * j)];
    const entry* next = row + intervals + 1;
    vec<double, 3> d;
    for (int k = 0; k < 3; ++k)
      d[k] = sign * ((1 - b) * ((1 - a) * row[0].d[k] + a * row[1].d[k]) +
                     b * ((1 - a) * next[0].d[k] + a * next[1].d[k]));
    return d;
  }
  vec<double, 3> slip(const vec<double, 3>& w, const vec<double, 3>& zeta) const {
    const double speed = std::sqrt(dot(w, w));
    return w + speed * (zeta - steady(w));
  }
};

}  // namespace asperity
