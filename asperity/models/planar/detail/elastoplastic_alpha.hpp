// SPDX-License-Identifier: Apache-2.0
#pragma once

// The share of plastic slip in elastoplastic friction, over the force of the bristles:
//
//   alpha = 0 for held <= elastic, 1 for held >= sliding, and between them
//           1/2 + 1/2 sin(pi b),  b = (held - (sliding + elastic)/2)/(sliding - elastic)
//
// Rogner 2017 (2.17), corrected.

#include <asperity/scalar/math.hpp>

namespace asperity {

// For elastic < sliding, or both 0.
template <class S>
ASPERITY_FN S elastoplastic_alpha(const S& held, const S& sliding, const S& elastic) {
  const S half = lit<S>(0.5),
          per_room = lit<S>(1.0) / math::max<S>(lit<S>(1e-30), sliding - elastic);
  const S b = (math::clamp<S>(elastic, sliding, held) - half * (sliding + elastic)) * per_room;
  // 1/2 sin(pi b) as b times a polynomial of b^2 that agrees at Chebyshev's points: 9e-17 off, and
  // no call of a function.
  const S q = b * b, q2 = q * q, q4 = q2 * q2;
  const S low = (lit<S>(1.5707963267948963) - q * lit<S>(2.5838563900248928)) +
                q2 * (lit<S>(1.2750820199309338) - q * lit<S>(0.29963226441261198));
  const S high = (lit<S>(0.041072939408155214) - q * lit<S>(0.0036851821632652077)) +
                 q2 * (lit<S>(0.00023299350790216889) - q * lit<S>(1.0566813676026484e-05));
  return (half + b * low) + (b * q4) * high;
}

}  // namespace asperity
