// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bouc-Wen: a smooth hysteretic restoring force.
//
//   z_dot = alpha v - beta (gamma |v| |z|^(nu-1) z + delta v |z|^nu)                        [1/s]
//   f     = k x + z                                                                         [1]

#include <asperity/model.hpp>

namespace asperity {

template <scalar S>
struct bouc_wen {
  S k = lit<S>(0.0), alpha = lit<S>(1.0), beta = lit<S>(1.0), gamma = lit<S>(0.6),
    delta = lit<S>(0.4), nu = lit<S>(1.0);

  static constexpr int states = 1;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Bouc-Wen hysteresis",
               "Bouc 1967; Wen 1976; Noel and Schoukens 2016, symbols as there",
               odd | rate_independent | continuous);
    card.parameter("k", k, one, any_value, "stiffness of a spring beside it");
    card.parameter("alpha", alpha, one, positive, "stiffness at z = 0");
    card.parameter("beta", beta, one, positive, "strength of the saturation of z");
    card.parameter("gamma", gamma, one, any_value, "dissipative part of the saturation");
    card.parameter("delta", delta, one, any_value, "conservative part of the saturation");
    card.parameter("nu", nu, one, {1.0, 50.0}, "exponent: how abruptly z saturates");
    card.state("z", one, "hysteretic part of the force");
  }

  ASPERITY_FN response<S, 1> operator()(const vec<S, 1>& state, const drive<S>& in) const {
    const S z = state[0], size = math::power<S>(math::abs(z), nu);
    const S bend = gamma * math::abs(in.v) * math::sgn(z) + delta * in.v;
    return {k * in.x + z, {{alpha * in.v - beta * size * bend}}};
  }
};

}  // namespace asperity
