// SPDX-License-Identifier: Apache-2.0
#pragma once

// Models that see more than one direction, by name: contacts with friction (asperity/touch.hpp) and
// planar laws (asperity/planar). The catalogue moves its models along a line and so has no entries
// for them; systems that take them choose them by these names.

#include <asperity/card.hpp>

namespace asperity {

struct described_model {
  std::string key, family;     // frictional_contact or planar
  std::string page;            // the text of its .md file
  card<double> (*describe)();  // of the model with its defaults
};

// All of them, sorted by family and key. CMake makes the list from the files.
const std::vector<described_model>& described_models();
// The one named `key`; null otherwise.
const described_model* find_described(std::string_view key);

}  // namespace asperity
