// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rigid unilateral contact: f in Dio(p), the set-valued law, p being the gap.              [N]
//
//   p > 0: f = 0        p = 0: any f >= 0        p < 0: impossible
//
// As a function of p alone it is single-valued, with f = 0 at p = 0; where bodies would overlap it
// is infinite, the limit of ever stiffer springs, so that a method that lets them overlap fails
// instead of going on. The implicit steps solve the inclusion itself: at rest the force is whatever
// holds the body.

#include <asperity/model.hpp>

namespace asperity {

template <scalar S>
struct rigid {
  static constexpr int states = 0;

  template <class Card>
  void describe(Card& card) {
    card.about("Rigid contact", "Signorini 1933; Xiong 2013 (3.5)", never_pulls);
  }

  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>&, const drive<S>& in) const {
    const S zero = lit<S>(0.0), p = math::min<S>(zero, in.x);  // a NaN stays one
    return {math::select(p < zero, lit<S>(unbounded), p), {}};
  }

  // Rigid: p = 0 while f > 0.
  ASPERITY_FN reaction<S> react(const vec<S, 0>&, const S&, const S&) const {
    const S zero = lit<S>(0.0);
    return {zero, lit<S>(unbounded), zero, lit<S>(-1.0), zero};
  }

  ASPERITY_FN vec<S, 0> settle(const vec<S, 0>& state, const S&, const S&) const { return state; }
};

}  // namespace asperity
