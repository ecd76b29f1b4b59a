// SPDX-License-Identifier: Apache-2.0
#pragma once

// Semilinear Duhem model with one state: one linear equation while the input rises, another while
// it falls.
//
//   f_dot = max(0, v) (A_p f + B_p x + E_p) + min(0, v) (A_m f + B_m x + E_m)               [1/s]

#include <asperity/model.hpp>

namespace asperity {

template <scalar S>
struct duhem {
  S A_p = lit<S>(-1.0), B_p = lit<S>(0.0), E_p = lit<S>(1.0);
  S A_m = lit<S>(1.0), B_m = lit<S>(0.0), E_m = lit<S>(1.0);

  static constexpr int states = 1;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Duhem operator",
               "Duhem 1897; Oh and Bernstein 2005, IEEE Trans. Automatic Control 50:631; "
               "Drincic 2012 (1.10)",
               rate_independent | continuous);
    card.parameter("A_p", A_p, one, {-unbounded, 0.0}, "slope by f while the input rises");
    card.parameter("B_p", B_p, one, any_value, "slope by x while the input rises");
    card.parameter("E_p", E_p, one, any_value, "slope at x = f = 0 while the input rises");
    card.parameter("A_m", A_m, one, non_negative, "slope by f while the input falls");
    card.parameter("B_m", B_m, one, any_value, "slope by x while the input falls");
    card.parameter("E_m", E_m, one, any_value, "slope at x = f = 0 while the input falls");
    card.state("f", one, "output");
  }

  ASPERITY_FN response<S, 1> operator()(const vec<S, 1>& state, const drive<S>& in) const {
    const S f = state[0], zero = lit<S>(0.0);
    const S rising = A_p * f + B_p * in.x + E_p, falling = A_m * f + B_m * in.x + E_m;
    return {f, {{math::max<S>(zero, in.v) * rising + math::min<S>(zero, in.v) * falling}}};
  }

  // Exact: along the way d the equation df/dx = A f + B x + E has the solution
  // f = f_0 + d e_1(A d) (A f_0 + B x_0 + E) + B d^2 e_2(A d), e_1(z) = (e^z - 1)/z,
  // e_2(z) = (e_1(z) - 1)/z. Only the two inputs count, not the time between them.
  ASPERITY_FN S advance(vec<S, 1>& state, const drive<S>& from, const drive<S>& to,
                        const S&) const {
    const S d = to.x - from.x, zero = lit<S>(0.0), one = lit<S>(1.0);
    const S A = math::select(d < zero, A_m, A_p), B = math::select(d < zero, B_m, B_p),
            E = math::select(d < zero, E_m, E_p), z = A * d;
    // Near z = 0 the quotients cancel; there their series are exact to rounding.
    const S small = lit<S>(1.0 / 64), is_small = math::select(math::abs(z) < small, one, zero);
    const S y = z + is_small;  // never 0 where it divides
    S series = one;
    for (int k = 8; k >= 3; --k) series = one + z * series / lit<S>(k);
    const S series_2 = series * lit<S>(0.5), series_1 = one + z * series_2;
    const S e_1 = math::select(zero < is_small, series_1, S((math::exp(z) - one) / y));
    const S e_2 = math::select(zero < is_small, series_2, S((e_1 - one) / y));
    state[0] = state[0] + d * (e_1 * (A * state[0] + B * from.x + E) + B * d * e_2);
    return state[0];
  }
};

}  // namespace asperity
