// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compressed bristle model with the force law as printed: a bristle on the slope pushes with
// sin(alpha) of what its spring carries. Equations in detail/compressed_bristles.hpp.

#include <asperity/models/friction/detail/compressed_bristles.hpp>

namespace asperity {

template <scalar S>
using compressed_bristle_literal = detail::compressed_bristles<S, false>;

}  // namespace asperity
