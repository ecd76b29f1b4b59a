// SPDX-License-Identifier: Apache-2.0
#pragma once

// The play operator, on which most models of this family stand: w follows x as a piston follows the
// cylinder it has play in, by r to either side.
//
//   w = clamp(x - r, x + r, w)
//
// w is found from x itself, never from increments: neither the speed of a motion nor its sampling
// between two turning points changes a bit.

#include <asperity/model.hpp>

namespace asperity::detail {

template <class S>
ASPERITY_FN S play_step(const S& r, const S& x, const S& w) {
  return math::clamp<S>(x - r, x + r, w) + lit<S>(0.0) * x;  // a NaN in x comes out
}

}  // namespace asperity::detail
