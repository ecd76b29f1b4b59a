// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <asperity/text/find_program.hpp>
#include <cstdlib>
#include <string_view>

namespace asperity {

bool is_program(const std::string& file) {
  struct stat is = {};
  return stat(file.c_str(), &is) == 0 && S_ISREG(is.st_mode) && access(file.c_str(), X_OK) == 0;
}

std::string find_in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string file = fmt::format("{}/{}", rest.substr(0, end), program);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (file.front() == '/' && is_program(file)) return file;
  }
  return "";
}

}  // namespace asperity
