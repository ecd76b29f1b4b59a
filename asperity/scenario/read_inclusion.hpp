// SPDX-License-Identifier: Apache-2.0
#pragma once

// [system] kind = "inclusion": states, parameters, inputs, definitions and terms of a scenario file
// (docs/inclusions.md).

#include <asperity/inclusion/inclusion.hpp>
#include <asperity/scenario/machine_kinds.hpp>

namespace asperity {

inclusion read_inclusion(reader& root, const input_files& files, const std::string& name);
std::shared_ptr<machine> read_inclusion_machine(const machine_context& context);

}  // namespace asperity
