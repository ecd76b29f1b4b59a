// SPDX-License-Identifier: Apache-2.0
#pragma once

// Machines that a scenario can name: [system] kind = "...". A new one is a function that reads its
// tables, and a line in machine_kinds.cpp.

#include <asperity/scenario/input.hpp>
#include <asperity/systems/machine.hpp>

namespace asperity {

struct machine_context {
  reader& root;    // the document: inputs and models in tables of their own
  reader& system;  // [system]
  input_files files;
  std::vector<std::string>& warnings;
};

struct machine_kind {
  const char* name;
  const char* what;  // one line for people
  std::shared_ptr<machine> (*read)(const machine_context&);
};

const std::vector<machine_kind>& machine_kinds();
const machine_kind* find_machine_kind(const std::string& name);  // nullptr where there is none

// The model in `table`, which must be of `family` ("friction" also allows curves).
any_model read_model(reader& table, const std::string& family, std::vector<std::string>& warnings);

}  // namespace asperity
