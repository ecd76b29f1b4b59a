// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace asperity {

// The name of an axis with several columns: as many of them as an axis is long. The legend has all.
inline std::string axis_name(const std::vector<std::string>& columns) {
  constexpr std::size_t longest = 28;
  std::string name;
  for (const auto& each : columns) {
    if (!name.empty() && name.size() + 2 + each.size() > longest) return name + " ...";
    name += (name.empty() ? "" : ", ") + each;
  }
  return name;
}

}  // namespace asperity
