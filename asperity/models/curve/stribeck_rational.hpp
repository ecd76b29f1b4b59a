// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rational Stribeck curve: friction falls without end as the speed grows.
//
//   g(v) = F V / (V + |v|)                                                            [N]
//   f    = sgn(v) g(v) load + sigma_2 v                                               [N]

#include <asperity/curve.hpp>

namespace asperity {

template <scalar S>
struct stribeck_rational {
  S F = lit<S>(1.5), V = lit<S>(1e-3), sigma_2 = lit<S>(0.0);

  static constexpr int states = 0;

  // Stiction and the velocity scale; there is no F_c, friction vanishes in fast sliding.
  static ASPERITY_FN stribeck_rational from(const curve_values& values) {
    return {lit<S>(values.F_s), lit<S>(values.v_s), lit<S>(values.sigma_2)};
  }

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Rational Stribeck curve",
               "Awrejcewicz, Feckan and Olejnik 2005; Xiong 2013 (3.38), corrected",
               odd | passive | bounded);
    card.parameter("F", F, newton, positive, "friction force near rest");
    card.parameter("V", V, metre / second, positive, "velocity at which half of it is left");
    card.parameter("sigma_2", sigma_2, newton * second / metre, non_negative, "viscous friction");
  }

  ASPERITY_FN S level(const S& v) const { return F * V / (V + math::abs(v)); }

  ASPERITY_FN S viscous(const S& v) const { return sigma_2 * v; }
  ASPERITY_FN S highest() const { return F; }

  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>& state, const drive<S>& in) const {
    return side(state, in, in.v);
  }
  ASPERITY_FN response<S, 0> side(const vec<S, 0>&, const drive<S>& in, const S& direction) const {
    return {steady_friction(*this, in, direction), {}};
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const {
    return highest() * in.load + math::abs(viscous(in.v));
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> { return {}; }
};

}  // namespace asperity
