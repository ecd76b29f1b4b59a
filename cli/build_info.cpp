// SPDX-License-Identifier: Apache-2.0
#include "cli/build_info.hpp"

#include <fmt/format.h>

#include <asperity/run/output.hpp>
#include <commit.hpp>

namespace asperity::cli {

std::string build_text() {
  const std::string commit = ASPERITY_COMMIT, has = ASPERITY_HAS, lacks = ASPERITY_LACKS;
  return fmt::format("asperity {} ({}){}{}", version(),
                     commit.empty() ? "no commit: built from a tarball, not from a git checkout"
                                    : fmt::format("commit {}", commit),
                     has.empty() ? "" : fmt::format("\nwith {}", has),
                     lacks.empty() ? "" : fmt::format("\nwithout {}", lacks));
}

}  // namespace asperity::cli
