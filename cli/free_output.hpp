// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where results go: never over earlier ones, unless --force says so.

#include <CLI/CLI.hpp>
#include <string>

namespace asperity::cli {

// NAME, or NAME.2, NAME.3 ... where there are results already; NAME with `replaces`. Throws
// asperity::error where it is a link, as default_output does.
std::string free_output(const std::string& name, bool replaces);
// --force, of a command that has such a NAME.
void add_force(CLI::App& command, bool& replaces, const std::string& name);

// --quiet for every command, and --force for those that write what --out names. To be called after
// all have been added.
void add_everywhere(CLI::App& app);
// Does what they say, for the command that was chosen. Throws asperity::error where --out names what
// exists, and --force was not given.
void heed_everywhere(const CLI::App& command);

}  // namespace asperity::cli
