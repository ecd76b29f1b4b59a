// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace asperity::cli {

// Where modules lie: beside the program, or where they are installed.
std::vector<std::filesystem::path> module_folders();

}  // namespace asperity::cli
