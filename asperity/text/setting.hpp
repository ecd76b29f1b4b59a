// SPDX-License-Identifier: Apache-2.0
#pragma once

// Changes of a document by callers who do not write --set: messages begin with their own words.

#include <asperity/text/toml.hpp>

namespace asperity {

// Applies "friction.F_s=2" as apply_override does. The place of the new value is `called` and the text.
void apply_override(toml_value& root, std::string_view setting, std::string_view called);
// The same with path and value apart, at a place of the caller's.
void apply_override(toml_value& root, std::string_view path, std::string_view given,
                    const std::string& place);

}  // namespace asperity
