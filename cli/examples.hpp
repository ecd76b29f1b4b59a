// SPDX-License-Identifier: Apache-2.0
#pragma once

// The examples that come with the tool, found by name wherever it is installed.

#include <optional>
#include <string>
#include <vector>

namespace asperity::cli {

// Installed: share/asperity/examples beside the folder of the program. In a build tree: those of the
// sources. ASPERITY_EXAMPLES in the environment names another folder. Throws asperity::error where
// there is none.
std::string examples_folder();

struct example {
  std::string name;  // stick_slip, inclusions/two_bodies, python/butterflies.py
  std::string file;
  bool is_scenario = false;  // a TOML file, whose name is written without .toml
};
std::vector<example> list_examples();
// By its name, with or without its folder and examples/ in front of it; nothing where there is none.
std::optional<example> find_example(const std::string& name);
// The example, or an error that knows the others.
example get_example(const std::string& name);

// What it shows, in one line: its title, or the first sentence of the text at its top.
std::string what_it_shows(const example& which);

// The file that is meant by SCENARIO on the command line: the file itself where there is one,
// otherwise the example of that name. Names that end with .toml and are not in examples/ are files
// only: an example never stands in for a file of one's own that is missing.
std::string scenario_file(const std::string& given);

}  // namespace asperity::cli
