// SPDX-License-Identifier: Apache-2.0
#pragma once

// Coulomb friction that holds more than it resists in motion.
//
//   v != 0:  f = F_c load sgn(v) + sigma_2 v                                             [N]
//   v  = 0:  f is the tangential force on the body, up to F_s load                       [N]
//
// A function of v alone cannot know that force, and gives f = 0 at v = 0. The implicit steps and
// the Switch Model can: they hold the body at rest until F_s load is exceeded.

#include <asperity/elements.hpp>
#include <asperity/model.hpp>

namespace asperity {

template <scalar S>
struct stiction {
  S F_c = lit<S>(1.0), F_s = lit<S>(1.5), sigma_2 = lit<S>(0.0);

  static constexpr int states = 0;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Coulomb friction with stiction", "Rogner 2017 (2.4), (2.5), (2.7)",
               odd | passive | bounded | no_drift);
    card.parameter("F_c", F_c, newton, positive, "friction force in motion");
    card.parameter("F_s", F_s, newton, positive, "static limit, at least F_c");
    card.parameter("sigma_2", sigma_2, newton * second / metre, non_negative, "viscous friction");
  }

  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>& state, const drive<S>& in) const {
    return side(state, in, in.v);
  }

  // Of a body in motion; what rest holds beyond it is the grip of `react`.
  ASPERITY_FN response<S, 0> side(const vec<S, 0>&, const drive<S>& in, const S& direction) const {
    return {F_c * in.load * math::sgn(direction) + sigma_2 * in.v, {}};
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const {
    return F_s * in.load + sigma_2 * math::abs(in.v);
  }

  ASPERITY_FN S slip_margin(const vec<S, 0>&, const drive<S>& in) const { return math::abs(in.v); }

  // Rigid: v = 0 while |f| < F_s load; beyond, it slides against F_c load.
  ASPERITY_FN reaction<S> react(const vec<S, 0>&, const S& load, const S&) const {
    const S F = F_c * load, zero = lit<S>(0.0);
    return {-F, F, zero, lit<S>(1.0), zero, sigma_2, (F_s - F_c) * load};
  }

  ASPERITY_FN vec<S, 0> settle(const vec<S, 0>& state, const S&, const S&) const { return state; }

  element_list made_of() const requires std::floating_point<S> {
    element_list list;
    list.has_slider = true;
    list.slider = F_c;
    list.grip = F_s - F_c;
    list.viscous = sigma_2;
    return list;
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> {
    return F_s < F_c ? validity{validity::refused, "F_s must be at least F_c"} : validity{};
  }
};

}  // namespace asperity
