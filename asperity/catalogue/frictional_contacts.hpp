// SPDX-License-Identifier: Apache-2.0
#pragma once

// The models of contact with friction (asperity/touch.hpp) by name. They see more than one
// direction and so are no catalogue entries; systems that take them choose them by these names.

#include <asperity/card.hpp>

namespace asperity {

struct frictional_contact_entry {
  std::string key;
  std::string page;            // the text of its .md file
  card<double> (*describe)();  // of the model with its defaults
};

const std::vector<frictional_contact_entry>& frictional_contacts();

}  // namespace asperity
