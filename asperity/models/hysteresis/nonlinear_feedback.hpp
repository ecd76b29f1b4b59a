// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nonlinear feedback: a linear system of first order with a memoryless nonlinearity in its
// feedback. Rate dependent; hysteretic where it has several equilibria for one input.
//
//   s     = e_1 f + e_0 x                                        what the nonlinearity sees  [1]
//   phi   = b_deadzone d(s) + b_cubic s^3 + b_sine sin(s),  d(s) = s - sat(Delta, s)         [1/s]
//   f_dot = a f + d x + phi                                                                  [1/s]

#include <asperity/model.hpp>

namespace asperity {

template <scalar S>
struct nonlinear_feedback {
  S a = lit<S>(1.0), d = lit<S>(1.0), e_1 = lit<S>(1.0), e_0 = lit<S>(0.0);
  S b_deadzone = lit<S>(0.0), Delta = lit<S>(1.0), b_cubic = lit<S>(-1.0), b_sine = lit<S>(0.0);

  static constexpr int states = 1;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Nonlinear feedback", "Oh, Drincic and Bernstein 2009; Drincic 2012 (1.12), (1.5)",
               odd | continuous);
    card.parameter("a", a, one / second, any_value, "rate of the linear part");
    card.parameter("d", d, one / second, any_value, "gain of the input");
    card.parameter("e_1", e_1, one, any_value, "how the nonlinearity sees the output");
    card.parameter("e_0", e_0, one, any_value, "how the nonlinearity sees the input");
    card.parameter("b_deadzone", b_deadzone, one / second, any_value, "gain of the dead zone");
    card.parameter("Delta", Delta, one, non_negative, "half width of the dead zone");
    card.parameter("b_cubic", b_cubic, one / second, any_value, "gain of the cube");
    card.parameter("b_sine", b_sine, one / second, any_value, "gain of the sine");
    card.state("f", one, "output");
  }

  ASPERITY_FN response<S, 1> operator()(const vec<S, 1>& state, const drive<S>& in) const {
    const S s = e_1 * state[0] + e_0 * in.x;
    const S phi =
        b_deadzone * (s - math::sat(Delta, s)) + b_cubic * s * s * s + b_sine * math::sin(s);
    return {state[0], {{a * state[0] + d * in.x + phi}}};
  }
};

}  // namespace asperity
