// SPDX-License-Identifier: Apache-2.0
#pragma once

// Systems that a scenario can name: [system] kind = "...". A new one is a function that reads its
// tables, and a line in system_kinds.cpp.

#include <asperity/integrate/system.hpp>
#include <asperity/run/input.hpp>

namespace asperity {

struct system_context {
  reader& root;    // the document: inputs and models in tables of their own
  reader& system;  // [system]
  input_files files;
  std::vector<std::string>& warnings;
};

struct system_kind {
  const char* name;
  const char* what;  // one line for people
  std::shared_ptr<system> (*read)(const system_context&);
};

const std::vector<system_kind>& system_kinds();
const system_kind* find_system_kind(const std::string& name);  // nullptr where there is none

// The model in `table`, which must be of `family` ("friction" also allows curves).
any_model read_model(reader& table, const std::string& family, std::vector<std::string>& warnings);

}  // namespace asperity
