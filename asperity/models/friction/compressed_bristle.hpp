// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compressed bristle model, energy consistent: what the bristles take from the body is what the
// slope puts into their springs. Equations in detail/compressed_bristles.hpp.

#include <asperity/models/friction/detail/compressed_bristles.hpp>

namespace asperity {

template <scalar S>
using compressed_bristle = detail::compressed_bristles<S, true>;

}  // namespace asperity
