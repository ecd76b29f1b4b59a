// SPDX-License-Identifier: Apache-2.0
#pragma once

// Exponential Stribeck curve: steady friction falls from stiction to Coulomb friction with speed.
//
//   g(v) = F_c + (F_s - F_c) exp(-|v/v_s|^delta)                                       [N]
//   f    = sgn(v) g(v) load + sigma_2 v                                               [N]

#include <asperity/curve.hpp>

namespace asperity {

template <scalar S>
struct stribeck_exponential {
  S F_c = lit<S>(1.0), F_s = lit<S>(1.5), v_s = lit<S>(1e-3), delta = lit<S>(2.0);
  S sigma_2 = lit<S>(0.0);

  static constexpr int states = 0;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Exponential Stribeck curve", "Tustin 1947; Bo and Pavelescu 1982; Xiong 2013 (4.2)",
               odd | passive | bounded);
    card.parameter("F_c", F_c, newton, positive, "Coulomb friction force");
    card.parameter("F_s", F_s, newton, positive, "stiction force, at least F_c");
    card.parameter("v_s", v_s, metre / second, positive, "Stribeck velocity");
    card.parameter("delta", delta, one, positive, "exponent: 1 Tustin, 2 Gaussian");
    card.parameter("sigma_2", sigma_2, newton * second / metre, non_negative, "viscous friction");
  }

  ASPERITY_FN S level(const S& v) const {
    return F_c + (F_s - F_c) * math::exp<S>(-math::power<S>(math::abs<S>(v / v_s), delta));
  }

  ASPERITY_FN S viscous(const S& v) const { return sigma_2 * v; }
  ASPERITY_FN S highest() const { return F_s; }

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
    return F_s < F_c ? validity{validity::refused, "F_s must be at least F_c"} : validity{};
  }
};

}  // namespace asperity
