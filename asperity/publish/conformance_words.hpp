// SPDX-License-Identifier: Apache-2.0
#pragma once

// Why there may be no result on a conformance card.

#include <asperity/error.hpp>

namespace asperity {

// Thrown by a run that would take a long time: nothing is said of the model then.
struct too_many_steps : error {
  using error::error;
};
inline constexpr long most_steps = 1'000'000;

}  // namespace asperity
