// SPDX-License-Identifier: Apache-2.0
#pragma once

// Prandtl-Ishlinskii operator: play operators side by side, weighted and added up.
//
//   w_i = clamp(x - r_i, x + r_i, w_i)        i = 1 ... N                                   [1]
//   f   = q x + sum p_i w_i                                                                 [1]

#include <asperity/lists.hpp>
#include <asperity/models/hysteresis/detail/play.hpp>

namespace asperity {

template <scalar S, int Capacity = 32>
struct prandtl_ishlinskii {
  int elements = 10;
  S q = lit<S>(0.5);
  vec<S, Capacity> r = lists::ladder<S, Capacity>(0.1, 0.1), p = lists::all<S, Capacity>(0.1);

  static constexpr int states = Capacity;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Prandtl-Ishlinskii operator",
               "Prandtl 1928; Ishlinskii 1944; Kuhnen 2003, European J. Control 9:407",
               odd | rate_independent | continuous);
    card.elements("elements", elements, Capacity, "number of play operators");
    card.parameter("q", q, one, any_value, "weight of the input itself");
    card.list("r", r, one, non_negative, "half of the play of each operator");
    card.list("p", p, one, any_value, "weight of each operator");
    card.state_list("w", one, "output of the play operator");
  }

  ASPERITY_FN int active_states() const { return elements; }

  ASPERITY_FN S advance(vec<S, states>& state, const drive<S>&, const drive<S>& to,
                        const S&) const {
    vec<S, Capacity> part;
    for (int i = 0; i < elements; ++i) {
      state[i] = detail::play_step(r[i], to.x, state[i]);
      part[i] = p[i] * state[i];
    }
    return q * to.x + lists::sum(part, elements);
  }

  ASPERITY_FN vec<S, states> state_scale() const {
    vec<S, states> scale;
    for (int i = 0; i < elements; ++i) scale[i] = math::max<S>(r[0], r[i]);
    return scale;
  }
};

}  // namespace asperity
