// SPDX-License-Identifier: Apache-2.0
#pragma once

// Friction that falls with speed, made continuous by a straight line through rest.
//
//   f = F load V/(V + max(|v|, epsilon)) sat(1, v/epsilon)                               [N]

#include <asperity/model.hpp>

namespace asperity {

template <scalar S>
struct smoothed_rational {
  S F = lit<S>(1.0), V = lit<S>(1.0), epsilon = lit<S>(1e-5);

  static constexpr int states = 0;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Smoothed rational friction",
               "Awrejcewicz, Feckan and Olejnik 2005; Xiong 2013 (3.41), corrected",
               odd | passive | bounded | continuous);
    card.parameter("F", F, newton, positive, "friction force near rest");
    card.parameter("V", V, metre / second, positive, "velocity at which half of it is left");
    card.parameter("epsilon", epsilon, metre / second, positive, "threshold, far below V");
  }

  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>&, const drive<S>& in) const {
    const S level = F * in.load * V / (V + math::max<S>(epsilon, math::abs(in.v)));
    return {math::sat<S>(level, level / epsilon * in.v), {}};
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const { return F * in.load * V / (V + epsilon); }

  ASPERITY_FN S slip_margin(const vec<S, 0>&, const drive<S>& in) const {
    return math::abs(in.v) - epsilon;
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> {
    return epsilon < V ? validity{} : validity{validity::doubtful, "epsilon should be far below V"};
  }
};

}  // namespace asperity
