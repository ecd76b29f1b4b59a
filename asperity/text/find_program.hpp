// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace asperity {

// Whether a file is there that can be run.
bool is_program(const std::string& file);

// Where a program lies in PATH; empty where it does not. Relative folders of PATH are passed over: a
// program that lies beside somebody's scenario is not the one that is meant.
std::string find_in_path(const std::string& program);

}  // namespace asperity
