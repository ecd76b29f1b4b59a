// SPDX-License-Identifier: Apache-2.0
#pragma once

// The coupling of any patch: its exact limit surface, sampled once and interpolated. Directions of
// twists are points of an octahedron, |w_1| + |w_2| + |w_3| = 1, whose faces are divided into small
// triangles: one division and no angle. Opposite twists have opposite wrenches, so four of the
// eight faces are enough.

#include <asperity/models/planar/detail/coupling.hpp>
#include <asperity/patch/limit_surface.hpp>

namespace asperity {

struct table_coupling {
  table_coupling() = default;
  explicit table_coupling(const contact_patch& patch, int intervals = 48,
                          double relative_tolerance = 1e-6);

  double rho = 1;          // arm [m]
  planar_point centre;     // of pressure [m]; twists and wrenches of the table are about it
  double spin_square = 1;  // mean square arm, weighted by the torque of cells, over rho^2
  int intervals = 0;       // along each edge of a face
  struct entry {
    double values[5];  // d, and still and moving for |w_1| + |w_2| + |w_3| = 1
  };
  std::vector<entry> entries;

  template <class Card>
  void describe(Card&) {}
  double arm() const { return rho; }

  coupled<double> at(const vec<double, 3>& w) const {
    const double sum = std::abs(w[0]) + std::abs(w[1]) + std::abs(w[2]);
    if (!(sum < unbounded)) {  // NaN in, NaN out: an index must never be made of it
      const double none = sum - sum;
      return {{{none, none, none}}, 1.0, none, none, none, none, none};
    }
    if (!(sum > 1e-37)) return {{}, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    const double sign = w[2] < 0 ? -1 : 1, scale = intervals / sum;
    const double u = scale * std::abs(w[0]), v = scale * std::abs(w[1]);
    const int i = std::min(static_cast<int>(u), intervals - 1);
    const int j = std::min(static_cast<int>(v), intervals - 1);
    double a = u - i, b = v - j;
    const int row = intervals + 2;
    const entry* low = &entries[static_cast<std::size_t>(face(sign * w[0], sign * w[1])) +
                                static_cast<std::size_t>(i + row * j)];
    // The small triangle that holds the point: its corner, and the neighbours along both edges.
    const bool is_upper = a + b > 1;
    const entry* corner = is_upper ? low + 1 + row : low;
    const entry* along_u = is_upper ? low + row : low + 1;
    const entry* along_v = is_upper ? low + 1 : low + row;
    if (is_upper) {
      a = 1 - a;
      b = 1 - b;
    }
    double found[5];  // d, to which the sign belongs, and speeds, which have none
    const double at_corner = sign * (1 - a - b), at_u = sign * a, at_v = sign * b;
    for (int k = 0; k < 5; ++k)
      found[k] =
          at_corner * corner->values[k] + at_u * along_u->values[k] + at_v * along_v->values[k];
    const vec<double, 3> d{{found[0], found[1], found[2]}};
    const double square = w[0] * w[0] + w[1] * w[1] + spin_square * w[2] * w[2];
    return {d,
            1.0,
            dot(w, d),
            std::sqrt(dot(d, d)),
            sum * std::abs(found[3]),
            sum * std::abs(found[4]),
            square};
  }
  // Where the entries of a face begin.
  int face(double w_x, double w_y) const {
    return ((w_x < 0 ? 1 : 0) + (w_y < 0 ? 2 : 0)) * (intervals + 2) * (intervals + 2);
  }
};

}  // namespace asperity
