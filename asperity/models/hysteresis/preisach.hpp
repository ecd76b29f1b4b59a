// SPDX-License-Identifier: Apache-2.0
#pragma once

// Preisach operator: relays that switch up at a and down at b <= a, spread over a mesh.
//
//   f = sum over relays of weight(a, b) times +1 or -1                                      [1]
//     = -E(x_high, x_low) + 2 sum (+-) E(branch k)        by the Everett function
//
// E(a, b) is the weight of the relays between b and a. It stands on the card for the nodes
// x_i = x_low + i (x_high - x_low)/n of a mesh with n cells a side: E_10, E_20, E_21, E_30 ...
// E_n(n-1), so n (n + 1)/2 values. Relays are spread evenly within a cell. The state is the number
// of extrema in memory, the last being the input itself, and these, counted in cells from x_low; their
// number is not a number once there were more than fit, and f with it. In the beginning the input
// has come up from far below.

#include <asperity/lists.hpp>
#include <asperity/models/hysteresis/detail/everett.hpp>
#include <concepts>
#include <limits>

namespace asperity {

template <std::floating_point S, int Side = 20, int Memory = 39>
struct preisach {
  int cells = 10;
  S x_low = S(-1), x_high = S(1);
  vec<S, Side*(Side + 1) / 2> E = spread_evenly();

  static constexpr int states = 1 + Memory;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about(
        "Preisach operator",
        "Preisach 1935; Mayergoyz 1991, Mathematical Models of Hysteresis; Drincic 2012 (1.9)",
        rate_independent | continuous);
    card.elements("cells", cells, Side * (Side + 1) / 2,
                  "number of cells: n (n + 1)/2 for n a side");
    card.parameter("x_low", x_low, one, any_value, "below it no relay switches");
    card.parameter("x_high", x_high, one, any_value, "above it no relay switches");
    card.list("E", E, one, any_value, "Everett function at the nodes: E_10, E_20, E_21 ...");
    card.even_state("depth", one, "number of extrema in memory", whole(0, Memory));
    for (const state_name& name : names.element)
      card.state(name.element, one, "extremum, in cells from x_low",
                 {0.0, static_cast<double>(side())});
  }

  ASPERITY_FN int side() const {
    int n = 1;
    while (n * (n + 1) / 2 < cells) ++n;
    return n;
  }

  ASPERITY_FN S advance(vec<S, states>& state, const drive<S>&, const drive<S>& to,
                        const S&) const {
    const int n = side();
    S* const list = state.element + 1;
    int depth = lists::index(state[0], Memory);
    S doubt = to.x * S(0) + state[0] * S(0);  // what is not a number stays so
    for (int k = 0; k < depth; ++k) doubt += list[k] * S(0);
    depth = detail::remember(list, depth, Memory, position(to.x));
    if (depth < 0) doubt = lit<S>(__builtin_nan(""));
    state[0] = S(depth) + doubt;
    const auto node = [this](int i, int j) {
      return i > j ? E[detail::everett_index(i, j)] : S(0);
    };
    return detail::preisach_output<S>(node, n, list, depth) + doubt;
  }

  ASPERITY_FN vec<S, states> initial() const {
    vec<S, states> state;
    state[0] = S(detail::remember(state.element + 1, 0, Memory, position(S(0))));
    return state;
  }

  ASPERITY_FN validity valid() const {
    if (!(x_low < x_high)) return {validity::refused, "x_high must be above x_low"};
    if (side() * (side() + 1) / 2 != cells)
      return {validity::refused, "cells must be n (n + 1)/2: 1, 3, 6, 10, 15, 21 ..."};
    return {};
  }

 private:
  struct state_name {
    char element[6];
  };
  // s_1, s_2 ...
  static constexpr vec<state_name, Memory> names = [] {
    static_assert(Memory < 1000);
    vec<state_name, Memory> result{};
    for (int k = 0; k < Memory; ++k) {
      char* end = result[k].element;
      *end++ = 's';
      *end++ = '_';
      for (int unit = k < 9 ? 1 : k < 99 ? 10 : 100; unit > 0; unit /= 10)
        *end++ = static_cast<char>('0' + (k + 1) / unit % 10);
    }
    return result;
  }();
  // In cells from x_low.
  ASPERITY_FN S position(const S& x) const {
    const S n = S(side());
    return math::clamp(S(0), n, (x - x_low) / (x_high - x_low) * n);
  }
  // Weight 1 in all on a mesh of four cells a side.
  static ASPERITY_FN vec<S, Side*(Side + 1) / 2> spread_evenly() {
    vec<S, Side*(Side + 1) / 2> result;
    for (int i = 1; i <= Side; ++i)
      for (int j = 0; j < i; ++j)
        result[detail::everett_index(i, j)] = S((i - j) * (i - j)) / S(16);
    return result;
  }
};

}  // namespace asperity
