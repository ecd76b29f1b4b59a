// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asperity/mechanics/system_row.hpp>
#include <nlohmann/json.hpp>

namespace asperity::cli {

// Keys for people, in lined-up columns, and for programs. Bounds that do not exist are null.
std::string keys_text(const std::vector<key_entry>&);
nlohmann::ordered_json keys_json(const std::vector<key_entry>&);

// A system: keys, and what the scenario on its page has of states, outputs, inputs, events and
// methods.
std::string system_text(const system_row&);
nlohmann::ordered_json system_json(const system_row&);

}  // namespace asperity::cli
