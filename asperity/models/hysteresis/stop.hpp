// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stop: what play leaves over. Elastic with slope 1 until it reaches r, then constant.
//
//   w = clamp(x - r, x + r, w)                                                              [1]
//   f = x - w,   |f| <= r                                                                   [1]

#include <asperity/models/hysteresis/detail/play.hpp>

namespace asperity {

template <scalar S>
struct stop {
  S r = lit<S>(1.0);

  static constexpr int states = 1;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Stop operator",
               "Prandtl 1928; Krasnoselskii and Pokrovskii 1989, Systems with Hysteresis",
               odd | passive | bounded | rate_independent | continuous);
    card.parameter("r", r, one, positive, "threshold at which the output stops");
    card.state("w", one, "input at which the output would be 0");
  }

  ASPERITY_FN S advance(vec<S, 1>& state, const drive<S>&, const drive<S>& to, const S&) const {
    state[0] = detail::play_step(r, to.x, state[0]);
    return math::sat<S>(r, to.x - state[0]);  // no further than rounding lets w lag behind
  }

  ASPERITY_FN vec<S, 1> state_scale() const { return {{r}}; }
  ASPERITY_FN S stored_energy(const vec<S, 1>& state, const drive<S>& in) const {
    return math::square<S>(in.x - state[0]) * lit<S>(0.5);
  }
  ASPERITY_FN S force_bound(const drive<S>&) const { return r; }
};

}  // namespace asperity
