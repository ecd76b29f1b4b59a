// SPDX-License-Identifier: Apache-2.0
#pragma once

// Discontinuous rotating bristle model: a body tilts the bristles before its leading corner; they
// resist, slip below it one after another, and at a reversal all of them change sides at once.
//
//   f = s load (phi(u_0) + phi(u_1) + ...),  s = sgn(v)                                  [N]
//   u_j   = mod(s x + d/2, Delta) + j Delta        while below d_0 = sqrt(l_b^2 - h^2)   [m]
//   phi(u) = (kappa/h) theta cos(theta)^2,  theta = atan(u/h)                            [N]
//
// The force jumps at v = 0, where this function says 0 and `side` gives both limits, and drops
// whenever a bristle slips below the body.

#include <asperity/models/friction/detail/bristle_row.hpp>

namespace asperity {

template <scalar S>
struct drbm {
  detail::bristle_row<S> row = {};

  static constexpr int states = 0;

  template <class Card>
  void describe(Card& card) {
    card.about("Discontinuous rotating bristle model", "Drincic 2012 (3.13)-(3.16)",
               odd | passive | bounded | rate_independent);
    card.part(row);
    card.output("theta", units::radian, "mean pivot angle of the bristles that resist");
  }

  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>& state, const drive<S>& in) const {
    return side(state, in, in.v);
  }

  ASPERITY_FN response<S, 0> side(const vec<S, 0>&, const drive<S>& in, const S& direction) const {
    const S s = math::sgn(direction);
    return {s * in.load * row.touching(s * in.x + row.d * lit<S>(0.5)).force, {}};
  }

  ASPERITY_FN vec<S, 1> observe(const vec<S, 0>&, const drive<S>& in) const {
    const S s = math::sgn(in.v), one = lit<S>(1.0);
    const S front = s * in.x + row.d * lit<S>(0.5);
    const auto met = row.touching(front);
    return {{s * met.angle / math::max<S>(one, math::floor<S>(front / row.Delta) - met.below)}};
  }

  // What sliding on in that direction has put into the bristles it touches.
  ASPERITY_FN S bristle_energy(const drive<S>& in, const S& direction) const {
    const S s = math::sgn(direction);
    return in.load * row.touching(s * in.x + row.d * lit<S>(0.5)).energy;
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const { return row.largest_force() * in.load; }

  ASPERITY_FN S slip_margin(const vec<S, 0>&, const drive<S>& in) const { return math::abs(in.v); }

  ASPERITY_FN validity valid() const requires std::floating_point<S> { return row.valid(); }
};

}  // namespace asperity
