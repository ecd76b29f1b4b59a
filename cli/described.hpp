// SPDX-License-Identifier: Apache-2.0
#pragma once

// The commands and options of the tool as data, read from the reader of the command line itself: what
// completion and manual pages are made of.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace asperity::cli {

struct described_option {
  std::string name;   // --out, or MODEL for an argument without a name
  std::string brief;  // -h, or empty
  std::string value;  // FOLDER; empty: it takes none
  std::string about;
  std::string otherwise;           // the default, where the reader knows it
  std::vector<std::string> words;  // all that are allowed, where they are listed
  bool is_required = false, is_repeated = false;
};

struct described_command {
  std::string name, about, footer;
  std::vector<described_option> options, arguments;
};

described_command describe(const CLI::App& command);
// Those that --help lists.
std::vector<described_command> describe_commands(const CLI::App& app);

}  // namespace asperity::cli
