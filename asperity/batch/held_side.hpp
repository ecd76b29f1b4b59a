// SPDX-License-Identifier: Apache-2.0
#pragma once

// A contact whose force jumps, with its side as one more state, as any_model::hold_side() has it: a step
// sees the force of one side of the jump, and the side turns between steps (side_steps.hpp).

#include <asperity/model.hpp>
#include <string_view>

namespace asperity {

// Where laws are looked up by key and curve, this stands for the curve.
inline constexpr std::string_view on_its_side = "on its side";

template <scalar S, class Law>
struct held_side {
  Law law;

  static constexpr int states = Law::states + 1;

  template <class Card>
  void describe(Card& card) {
    law.describe(card);
    card.state("side", units::one, "1 above the surface, -1 below");
  }

  ASPERITY_FN response<S, states> operator()(const vec<S, states>& state,
                                             const drive<S>& in) const {
    vec<S, Law::states> own;
    for (int i = 0; i < Law::states; ++i) own[i] = state[i];
    const auto answer = law.side(own, in, state[Law::states]);
    response<S, states> result{answer.f, {}};
    for (int i = 0; i < Law::states; ++i) result.rate[i] = answer.rate[i];
    result.rate[Law::states] = lit<S>(0.0);
    return result;
  }
};

template <class Law>
inline constexpr bool holds_side = false;
template <class S, class Law>
inline constexpr bool holds_side<held_side<S, Law>> = true;

}  // namespace asperity
