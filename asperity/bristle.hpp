// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the models of one mean bristle share: a deflection z that creeps towards sgn(v) z_ss.
//
//   z_dot = v - |v| z / z_ss                                                            [m/s]
//
// It depends on the path alone: over a distance d in which z_ss stays the same,
//
//   z = z_end + (z_start - z_end) exp(-d/z_ss),   z_end = sgn(v) z_ss.

#include <asperity/model.hpp>

namespace asperity {

template <class S>
ASPERITY_FN S bristle_rate(const S& z, const S& v, const S& z_ss) {
  return v - math::abs(v) * z / z_ss;
}

// z after a displacement, exact for constant z_ss and stable for any length: the equation is so
// stiff that an explicit step may not go further than about 2 z_ss.
template <class S>
ASPERITY_FN S bristle_step(const S& z, const S& displacement, const S& z_ss) {
  const S z_end = math::sgn(displacement) * z_ss;
  return z_end + (z - z_end) * math::exp<S>(-math::abs(displacement) / z_ss);
}

}  // namespace asperity
