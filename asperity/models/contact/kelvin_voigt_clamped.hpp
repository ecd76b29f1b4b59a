// SPDX-License-Identifier: Apache-2.0
#pragma once

// A linear spring and damper while bodies overlap, cut where it would pull. p is the gap:
//
//   f = max(0, -K p - B p_dot) where p <= 0, otherwise 0                                [N]
//
// The force still jumps at touchdown.

#include <asperity/model.hpp>

namespace asperity {

template <scalar S>
struct kelvin_voigt_clamped {
  S K = lit<S>(1e5), B = lit<S>(100.0);

  static constexpr int states = 0;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Kelvin-Voigt contact without pulling", "Xiong 2013 (3.7)", passive | never_pulls);
    card.parameter("K", K, newton / metre, positive, "stiffness");
    card.parameter("B", B, newton * second / metre, non_negative, "damping");
  }

  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>& state, const drive<S>& in) const {
    return side(state, in, in.x);
  }
  ASPERITY_FN response<S, 0> side(const vec<S, 0>&, const drive<S>& in, const S& direction) const {
    const S zero = lit<S>(0.0);
    return {math::select(zero < direction, zero, math::max<S>(zero, -K * in.x - B * in.v)), {}};
  }

  ASPERITY_FN S stored_energy(const vec<S, 0>&, const drive<S>& in) const {
    return K / lit<S>(2.0) * math::square<S>(math::max<S>(lit<S>(0.0), -in.x));
  }

  // The damper sees the indentation d alone: d_dot = (d - d_0)/h. So a step across touchdown has a
  // solution too, and the force does not act at a distance.
  ASPERITY_FN reaction<S> react(const vec<S, 0>&, const S&, const S& h, const S& x) const {
    const S zero = lit<S>(0.0), d_0 = math::max<S>(zero, -x);
    return {zero, lit<S>(unbounded), -B * d_0 / h, -(K + B / h), lit<S>(1.0)};
  }

  ASPERITY_FN vec<S, 0> settle(const vec<S, 0>& state, const S&, const S&) const { return state; }
};

}  // namespace asperity
