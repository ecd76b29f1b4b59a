// SPDX-License-Identifier: Apache-2.0
#pragma once

// A ZIP archive of files as they are, without compression: what an FMU is.

#include <string>
#include <vector>

namespace asperity::fmi {

struct zip_entry {
  std::string name;  // with / between folders
  std::string bytes;
};

// The bytes of the archive; the same entries give the same bytes. Throws asperity::error where it
// would be larger than the format holds (4 GB, 65535 entries).
std::string zip(const std::vector<zip_entry>& entries);

}  // namespace asperity::fmi
