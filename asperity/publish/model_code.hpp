// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a model or a system is used, as code that can be pasted: made from its card, so that there is
// some for every one. A test compiles and runs all of it.

#include <asperity/catalogue/catalogue.hpp>
#include <string>
#include <vector>

namespace asperity {

struct code_block {
  std::string title;     // "C++"
  std::string language;  // cpp, python, sh, toml
  std::string text;
};

// `scenario` is TOML that uses the model.
std::vector<code_block> code_of(const catalogue_entry&, const std::string& scenario);

struct system_row;
std::vector<code_block> code_of(const system_row&, const std::string& scenario);

}  // namespace asperity
