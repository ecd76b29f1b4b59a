// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/scenario/hysteresis_machines.hpp>
#include <asperity/scenario/machine_kinds.hpp>

namespace asperity {

const std::vector<machine_kind>& machine_kinds() {
  static const std::vector<machine_kind> kinds{
      {"two_bar_linkage", "two bars that snap through under a force", read_two_bar_linkage},
      {"multiplay_and_inverse", "a multiplay, and its inverse driven by its output",
       read_multiplay_and_inverse},
      {"mapped_curve", "a closed curve and its image under a unimodal map", read_mapped_curve},
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
