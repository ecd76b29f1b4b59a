// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `asperity new` writes: small files that build and run as they are, to be changed.

#include <string>
#include <string_view>
#include <vector>

namespace asperity::cli {

struct new_file {
  std::string name, text;
};

// Families that a model of one's own can be of, the usual one first.
const std::vector<std::string>& new_families();
// What `asperity new` creates: model, scenario ...
const std::vector<std::string>& new_kinds();

std::vector<new_file> new_model(const std::string& name, const std::string& family);
std::vector<new_file> new_scenario(const std::string& name);
std::vector<new_file> new_inclusion(const std::string& name);
std::vector<new_file> new_system(const std::string& name);

}  // namespace asperity::cli
