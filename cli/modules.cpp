// SPDX-License-Identifier: Apache-2.0
#include "cli/modules.hpp"

namespace asperity::cli {

std::vector<std::filesystem::path> module_folders() {
  std::error_code ignored;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  return {here, here / ASPERITY_MODULES_FROM_BIN};
}

}  // namespace asperity::cli
