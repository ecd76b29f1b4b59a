// SPDX-License-Identifier: Apache-2.0
#pragma once

// A count that is known when the program is compiled, where an int could stand. Loops over it
// unroll, so that arrays of states stay in registers; the text of a model is the same for both.

#include <asperity/scalar/math.hpp>

namespace asperity {

template <int N>
struct fixed_count {
  static_assert(N > 0, "a model has at least one element");
  ASPERITY_FN operator int() const { return N; }  // NOLINT(google-explicit-constructor): it is one
};

namespace detail {

// What a count starts from: `usual`, unless its type says it all.
template <class Count>
ASPERITY_FN Count count_from([[maybe_unused]] int usual) {
  if constexpr (std::is_same_v<Count, int>) {
    return usual;
  } else {
    return {};
  }
}

}  // namespace detail

// Calls f(fixed_count<N>{}) with the first N of 1, 2, 4, 8, 10, 16 and 32 that has room for
// `elements`, and tells whether there is one. Elements beyond those wanted must carry nothing: give
// them the share 0.
template <class F>
bool with_fixed_count(int elements, const F& f) {
  if (elements < 1 || elements > 32) return false;
  if (elements == 1)
    f(fixed_count<1>{});
  else if (elements == 2)
    f(fixed_count<2>{});
  else if (elements <= 4)
    f(fixed_count<4>{});
  else if (elements <= 8)
    f(fixed_count<8>{});
  else if (elements <= 10)
    f(fixed_count<10>{});
  else if (elements <= 16)
    f(fixed_count<16>{});
  else
    f(fixed_count<32>{});
  return true;
}

}  // namespace asperity
