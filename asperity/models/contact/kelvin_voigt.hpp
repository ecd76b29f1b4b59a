// SPDX-License-Identifier: Apache-2.0
#pragma once

// A linear spring and damper while bodies overlap, p being the gap:
//
//   f = -K p - B p_dot where p <= 0, otherwise 0                                        [N]
//
// As printed: the force jumps at touchdown and pulls before the bodies part.

#include <asperity/model.hpp>

namespace asperity {

template <scalar S>
struct kelvin_voigt {
  S K = lit<S>(1e5), B = lit<S>(100.0);

  static constexpr int states = 0;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Kelvin-Voigt contact", "Xiong 2013 (3.6), (5.1)", passive);
    card.parameter("K", K, newton / metre, positive, "stiffness");
    card.parameter("B", B, newton * second / metre, non_negative, "damping");
  }

  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>& state, const drive<S>& in) const {
    return side(state, in, in.x);
  }
  ASPERITY_FN response<S, 0> side(const vec<S, 0>&, const drive<S>& in, const S& direction) const {
    const S zero = lit<S>(0.0);
    return {math::select(zero < direction, zero, S(-K * in.x - B * in.v)), {}};
  }

  ASPERITY_FN S stored_energy(const vec<S, 0>&, const drive<S>& in) const {
    return K / lit<S>(2.0) * math::square<S>(math::max<S>(lit<S>(0.0), -in.x));
  }
};

}  // namespace asperity
