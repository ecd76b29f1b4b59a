// SPDX-License-Identifier: Apache-2.0
// Results of a sweep as bytes, as one process sends them to another.

#include <asperity/sweep/work.hpp>

#include "fuzz/fuzz.hpp"

namespace asperity::fuzz {

void try_input(std::string_view input) {
  const auto results = unpacked(input);
  const std::string bytes = packed(results);
  require(bytes == input.substr(0, bytes.size()), "a message is packed as it was");
}

}  // namespace asperity::fuzz
