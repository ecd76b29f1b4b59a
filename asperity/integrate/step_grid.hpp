// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a step of fixed length ends, once for runs alone, in packs and on a device. Steps lie on the
// grid t = start + n h, kept by counting, never by adding up.

#include <asperity/scalar/math.hpp>

namespace asperity::detail {

struct grid_step {
  double to, length;
};

// The step from `from` to `planned`, the next place of the grid, but not beyond `limit`. Where the two
// meet but for rounding, less than a millionth of a step, it ends at the limit with its whole length:
// neither a step nor a row of rounding is left over.
ASPERITY_FN grid_step step_on_grid(double from, double planned, double limit, double h) {
  const double slack = 1e-6 * h, beyond = planned - limit;
  if (beyond > slack) return {limit, limit - from};
  return {beyond < -slack ? planned : limit, h};
}

}  // namespace asperity::detail
