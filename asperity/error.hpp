// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace asperity {

// The one exception of the boundary: bad parameters, files and names. Its text names the symbol,
// the value, what is allowed, and the place.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace asperity
