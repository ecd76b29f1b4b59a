// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stribeck curve with two breaks: two Lorentzian drops, each at its own velocity.
//
//   g(v) = F_c + (F_s - F_c)/(1 + (v/v_s)^2) + (F_0 - F_c)/(1 + (v/v_0)^2)            [N]
//   f    = sgn(v) g(v) load + sigma_2 v                                               [N]
//
// With v_s well below v_0, friction starts at F_s + F_0 - F_c, rests at F_0 between, ends at F_c.

#include <asperity/curve.hpp>

namespace asperity {

template <scalar S>
struct stribeck_two_break {
  S F_c = lit<S>(1.0), F_s = lit<S>(1.25), F_0 = lit<S>(1.25);
  S v_s = lit<S>(1e-3), v_0 = lit<S>(1e-2), sigma_2 = lit<S>(0.0);

  static constexpr int states = 0;

  // The drop in two halves, the second ten times as late.
  static ASPERITY_FN stribeck_two_break from(const curve_values& values) {
    const S F = lit<S>((values.F_c + values.F_s) / 2);
    return {lit<S>(values.F_c),    F, F, lit<S>(values.v_s), lit<S>(10 * values.v_s),
            lit<S>(values.sigma_2)};
  }

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Stribeck curve with two breaks",
               "Hess and Soom 1990, J. Tribology 112:147; Xia 2012 (3.10), corrected",
               odd | passive | bounded);
    card.parameter("F_c", F_c, newton, positive, "Coulomb friction force");
    card.parameter("F_s", F_s, newton, positive, "F_c and the first drop, at least F_c");
    card.parameter("F_0", F_0, newton, positive, "F_c and the second drop, at least F_c");
    card.parameter("v_s", v_s, metre / second, positive, "velocity of the first break");
    card.parameter("v_0", v_0, metre / second, positive, "velocity of the second break");
    card.parameter("sigma_2", sigma_2, newton * second / metre, non_negative, "viscous friction");
  }

  ASPERITY_FN S level(const S& v) const {
    const S one = lit<S>(1.0);
    return F_c + (F_s - F_c) / (one + math::square<S>(v / v_s)) +
           (F_0 - F_c) / (one + math::square<S>(v / v_0));
  }

  ASPERITY_FN S viscous(const S& v) const { return sigma_2 * v; }
  ASPERITY_FN S highest() const { return F_s + F_0 - F_c; }

  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>& state, const drive<S>& in) const {
    return side(state, in, in.v);
  }
  ASPERITY_FN response<S, 0> side(const vec<S, 0>&, const drive<S>& in, const S& direction) const {
    return {steady_friction(*this, in, direction), {}};
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const {
    return highest() * in.load + math::abs(viscous(in.v));
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> {
    return F_s < F_c || F_0 < F_c ? validity{validity::refused, "F_s and F_0 must be at least F_c"}
                                  : validity{};
  }
};

}  // namespace asperity
