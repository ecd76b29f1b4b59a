// SPDX-License-Identifier: Apache-2.0
#pragma once

// Generalised Prandtl-Ishlinskii operator: play operators behind an envelope that saturates and
// need not be symmetric.
//
//   gamma(x) = c_0 tanh(c_1 x + c_2) + c_3             envelope                             [1]
//   r_i = i beta,  p_i = rho exp(-tau r_i)             thresholds and weights, i = 1 ... N
//   w_i = clamp(gamma(x) - r_i, gamma(x) + r_i, w_i)   generalised play                     [1]
//   f   = q gamma(x) + sum p_i w_i                                                          [1]

#include <asperity/lists.hpp>
#include <asperity/models/hysteresis/detail/play.hpp>

namespace asperity {

template <scalar S, int Capacity = 32>
struct generalised_prandtl_ishlinskii {
  int elements = 10;
  S c_0 = lit<S>(4.0904), c_1 = lit<S>(0.7774), c_2 = lit<S>(-0.0666), c_3 = lit<S>(-0.2686);
  S rho = lit<S>(4.6403), tau = lit<S>(-0.1909), q = lit<S>(11.9609), beta = lit<S>(1.1386);

  static constexpr int states = Capacity;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Generalised Prandtl-Ishlinskii operator",
               "Al Janaideh, Rakheja and Su 2009; Drincic 2012 (5.23) to (5.26)",
               rate_independent | continuous);
    card.elements("elements", elements, Capacity, "number of play operators");
    card.parameter("c_0", c_0, one, positive, "half height of the envelope");
    card.parameter("c_1", c_1, one, positive, "steepness of the envelope");
    card.parameter("c_2", c_2, one, any_value, "shift of the envelope along the input");
    card.parameter("c_3", c_3, one, any_value, "shift of the envelope along the output");
    card.parameter("rho", rho, one, positive, "weight of an operator without play");
    card.parameter("tau", tau, one, any_value, "rate at which the weights fall with the threshold");
    card.parameter("q", q, one, positive, "weight of the envelope itself");
    card.parameter("beta", beta, one, positive, "distance of the thresholds");
    card.state_list("w", one, "output of the play operator");
  }

  ASPERITY_FN int active_states() const { return elements; }

  ASPERITY_FN S envelope(const S& x) const { return c_0 * math::tanh<S>(c_1 * x + c_2) + c_3; }
  ASPERITY_FN S threshold(int i) const { return lit<S>(i + 1.0) * beta; }  // i = 0 ... N - 1
  ASPERITY_FN S weight(int i) const { return rho * math::exp<S>(-tau * threshold(i)); }

  ASPERITY_FN S advance(vec<S, states>& state, const drive<S>&, const drive<S>& to,
                        const S&) const {
    const S gamma = envelope(to.x);
    vec<S, Capacity> part;
    for (int i = 0; i < elements; ++i) {
      state[i] = detail::play_step(threshold(i), gamma, state[i]);
      part[i] = weight(i) * state[i];
    }
    return q * gamma + lists::sum(part, elements);
  }

  // At x = 0, having come there from w = 0.
  ASPERITY_FN vec<S, states> initial() const {
    vec<S, states> state;
    for (int i = 0; i < elements; ++i)
      state[i] = detail::play_step(threshold(i), envelope(lit<S>(0.0)), lit<S>(0.0));
    return state;
  }

  ASPERITY_FN vec<S, states> state_scale() const {
    vec<S, states> scale;
    for (int i = 0; i < elements; ++i) scale[i] = c_0;
    return scale;
  }
};

}  // namespace asperity
