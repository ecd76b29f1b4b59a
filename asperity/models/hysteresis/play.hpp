// SPDX-License-Identifier: Apache-2.0
#pragma once

// Play (backlash): the output rests until the input has taken up the play, then follows it.
//
//   w = clamp(x - r, x + r, w),   f = w                                                     [1]

#include <asperity/models/hysteresis/detail/play.hpp>

namespace asperity {

template <scalar S>
struct play {
  S r = lit<S>(1.0);

  static constexpr int states = 1;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Play operator",
               "Krasnoselskii and Pokrovskii 1989, Systems with Hysteresis; Drincic 2012 (5.23)",
               odd | rate_independent | continuous);
    card.parameter("r", r, one, non_negative, "half of the play");
    card.state("w", one, "output");
  }

  ASPERITY_FN S advance(vec<S, 1>& state, const drive<S>&, const drive<S>& to, const S&) const {
    state[0] = detail::play_step(r, to.x, state[0]);
    return state[0];
  }

  ASPERITY_FN vec<S, 1> state_scale() const { return {{r}}; }
};

}  // namespace asperity
