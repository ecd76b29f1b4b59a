// SPDX-License-Identifier: Apache-2.0
#pragma once

// Coulomb friction made continuous: viscous below a threshold velocity, saturated beyond.
//
//   f = F load sat(1, v/V)                                                               [N]

#include <asperity/model.hpp>

namespace asperity {

template <scalar S>
struct regularised_coulomb {
  S F = lit<S>(1.0), V = lit<S>(1e-3);

  static constexpr int states = 0;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Regularised Coulomb friction", "Xiong 2013 (1.4)",
               odd | passive | bounded | continuous);
    card.parameter("F", F, newton, positive, "Coulomb friction force");
    card.parameter("V", V, metre / second, positive, "threshold velocity");
  }

  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>&, const drive<S>& in) const {
    const S limit = F * in.load;
    return {math::sat<S>(limit, limit / V * in.v), {}};
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const { return F * in.load; }

  ASPERITY_FN S slip_margin(const vec<S, 0>&, const drive<S>& in) const {
    return math::abs(in.v) - V;
  }

  ASPERITY_FN reaction<S> react(const vec<S, 0>&, const S& load, const S&) const {
    const S limit = F * load;
    return {-limit, limit, lit<S>(0.0), limit / V, lit<S>(1.0)};
  }

  ASPERITY_FN vec<S, 0> settle(const vec<S, 0>& state, const S&, const S&) const { return state; }
};

}  // namespace asperity
