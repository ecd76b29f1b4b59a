// SPDX-License-Identifier: Apache-2.0
#pragma once

// A contact patch from the keys of a table [patch] (docs/planar.md), without a scenario around it.

#include <asperity/patch/contact_patch.hpp>
#include <asperity/text/toml.hpp>

namespace asperity {

// Files that the table names are looked for in `folder`. Throws asperity::error, also for keys that
// no patch has.
contact_patch patch_of(const toml_value& table, const std::string& folder = "");

}  // namespace asperity
