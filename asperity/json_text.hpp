// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace asperity {

// JSON as it is written to files and terminals: indented, and valid whatever bytes the names in it
// hold (text.hpp).
std::string json_text(const nlohmann::ordered_json&);

}  // namespace asperity
