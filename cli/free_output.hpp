// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where results go that the user named no place for: never over earlier ones.

#include <CLI/CLI.hpp>
#include <string>

namespace asperity::cli {

// NAME, or NAME.2, NAME.3 ... where there are results already; NAME with `replaces`. Throws
// asperity::error where it is a link, as default_output does.
std::string free_output(const std::string& name, bool replaces);
// --force.
void add_force(CLI::App& command, bool& replaces, const std::string& name);

}  // namespace asperity::cli
