// SPDX-License-Identifier: Apache-2.0
#include "cli/free_output.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/commands.hpp"

namespace asperity::cli {

std::string free_output(const std::string& name, bool replaces) {
  std::error_code ignored;
  std::string free = default_output(name);
  // What is empty holds no results.
  for (int number = 2; !replaces && std::filesystem::exists(free, ignored) &&
                       !std::filesystem::is_empty(free, ignored);
       ++number)
    free = default_output(fmt::format("{}.{}", name, number));
  return free;
}

void add_force(CLI::App& command, bool& replaces, const std::string& name) {
  command.add_flag(
      "--force", replaces,
      fmt::format("Replace {0} where it exists (default: write {0}.2, {0}.3 ...)", name));
}

}  // namespace asperity::cli
