// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where results go: never over earlier ones, unless --force says so.

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace asperity::cli {

// NAME, or NAME.2, NAME.3 ... where there are results already; NAME with `replaces`. The number is
// before the ending of a file, by which others know what it is. Throws asperity::error where it is a
// link, as default_output does.
std::string free_output(const std::string& name, bool replaces, const std::string& ending = "");
// To standard output as they are; `print` is for text. Throws what that throws.
void print_bytes(std::string_view bytes);
// --force, of a command that has such a NAME.
void add_force(CLI::App& command, bool& replaces, const std::string& name,
               const std::string& ending = "");

// --quiet for every command, and --force for those that write what --out names. To be called after
// all have been added.
void add_everywhere(CLI::App& app);
// Does what they say, for the command that was chosen. Throws asperity::error where --out names what
// exists, and --force was not given.
void heed_everywhere(const CLI::App& command);

}  // namespace asperity::cli
