// SPDX-License-Identifier: Apache-2.0
#pragma once

// Coulomb friction with a viscous part: f in F_c load Sgn(v) + sigma_2 v.                  [N]
//
// As a function of v alone it is single-valued, with f = 0 at v = 0. The implicit steps solve the
// inclusion itself, so that at rest the force is whatever holds the body, up to F_c load.

#include <asperity/elements.hpp>
#include <asperity/model.hpp>

namespace asperity {

template <scalar S>
struct coulomb_viscous {
  S F_c = lit<S>(1.0), sigma_2 = lit<S>(0.4);

  static constexpr int states = 0;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Coulomb and viscous friction", "Rogner 2017 (2.5)",
               odd | passive | bounded | no_drift);
    card.parameter("F_c", F_c, newton, positive, "Coulomb friction force");
    card.parameter("sigma_2", sigma_2, newton * second / metre, non_negative, "viscous friction");
  }

  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>& state, const drive<S>& in) const {
    return side(state, in, in.v);
  }

  ASPERITY_FN response<S, 0> side(const vec<S, 0>&, const drive<S>& in, const S& direction) const {
    return {F_c * in.load * math::sgn(direction) + sigma_2 * in.v, {}};
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const {
    return F_c * in.load + sigma_2 * math::abs(in.v);
  }

  ASPERITY_FN S slip_margin(const vec<S, 0>&, const drive<S>& in) const { return math::abs(in.v); }

  // Rigid: v = 0 while |f| < F_c load.
  ASPERITY_FN reaction<S> react(const vec<S, 0>&, const S& load, const S&) const {
    const S F = F_c * load, zero = lit<S>(0.0);
    return {-F, F, zero, lit<S>(1.0), zero, sigma_2};
  }

  ASPERITY_FN vec<S, 0> settle(const vec<S, 0>& state, const S&, const S&) const { return state; }

  element_list made_of() const requires std::floating_point<S> {
    element_list list;
    list.has_slider = true;
    list.slider = F_c;
    list.viscous = sigma_2;
    return list;
  }
};

}  // namespace asperity
