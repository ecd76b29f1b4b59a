// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/scenario/machine_kinds.hpp>
#include <asperity/scenario/read_inclusion.hpp>

namespace asperity {

const std::vector<machine_kind>& machine_kinds() {
  static const std::vector<machine_kind> kinds{
      {"inclusion", "a system of your own, stated with sgn and dio", read_inclusion_machine},
  };
  return kinds;
}

const machine_kind* find_machine_kind(const std::string& name) {
  const auto& kinds = machine_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const machine_kind& each) { return name == each.name; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace asperity
