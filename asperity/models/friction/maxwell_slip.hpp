// SPDX-License-Identifier: Apache-2.0
#pragma once

// Maxwell slip: springs in parallel, each in series with a slider that Coulomb friction holds. Rate
// independent hysteresis with nonlocal memory.
//
//   w_i = clamp(x - Delta_i load, x + Delta_i load, w_i)    slider i = 1 ... N: the play operator
//   f   = sum k_i (x - w_i)                                                              [N]
//
// Exact: w_i follows from x itself, never from increments, so that neither the speed nor the
// sampling of a motion between two turning points changes a single bit.

#include <asperity/elements.hpp>
#include <asperity/lists.hpp>

namespace asperity {

template <scalar S, int Capacity = 32>
struct maxwell_slip {
  int elements = 10;
  vec<S, Capacity> k = lists::ladder<S, Capacity>(1.0, 0.8);
  vec<S, Capacity> Delta = lists::ladder<S, Capacity>(0.15, 0.09);

  static constexpr int states = Capacity;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Maxwell-slip friction", "Rizos and Fassois 2004, Chaos 14:431; Drincic 2012 (1.20)",
               odd | passive | bounded | rate_independent | continuous | no_drift);
    card.elements("elements", elements, Capacity, "number of elements");
    card.list("k", k, newton / metre, positive, "stiffness of each element");
    card.list("Delta", Delta, metre, positive, "deflection at which each element slides");
    card.state_list("w", metre, "position of the slider");
  }

  ASPERITY_FN int active_states() const { return elements; }

  ASPERITY_FN S advance(vec<S, states>& state, const drive<S>&, const drive<S>& to,
                        const S&) const {
    for (int i = 0; i < elements; ++i) {
      const S reach = Delta[i] * to.load;
      state[i] = math::clamp<S>(to.x - reach, to.x + reach, state[i]);
    }
    vec<S, Capacity> f;
    for (int i = 0; i < elements; ++i)  // no further than rounding lets the slider lag behind
      f[i] = k[i] * math::sat<S>(Delta[i] * to.load, to.x - state[i]);
    return lists::sum(f, elements);
  }

  ASPERITY_FN vec<S, states> state_scale() const { return Delta; }

  ASPERITY_FN S stored_energy(const vec<S, states>& state, const drive<S>& in) const {
    vec<S, Capacity> twice;
    for (int i = 0; i < elements; ++i) twice[i] = k[i] * math::square<S>(in.x - state[i]);
    return lists::sum(twice, elements) * lit<S>(0.5);
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const {
    vec<S, Capacity> limit;
    for (int i = 0; i < elements; ++i) limit[i] = k[i] * Delta[i];
    return lists::sum(limit, elements) * in.load;
  }

  element_list made_of() const requires std::floating_point<S> {
    element_list list;
    list.count = elements;
    list.are_positions = true;
    for (int i = 0; i < elements; ++i) list.of[i] = {k[i], 0, k[i] * Delta[i]};
    return list;
  }
};

}  // namespace asperity
