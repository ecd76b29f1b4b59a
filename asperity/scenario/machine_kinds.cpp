// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/scenario/machine_kinds.hpp>
#include <asperity/scenario/read_inclusion.hpp>
#include <asperity/scenario/read_planar.hpp>

namespace asperity {

const std::vector<machine_kind>& machine_kinds() {
  static const std::vector<machine_kind> kinds{
      {"inclusion", "a system of your own, stated with sgn and dio", read_inclusion_machine},
      {"planar_body", "a body that slides and spins, pushed by a force and a torque",
       read_planar_body},
      {"gripped_object", "an object between the pads of a gripper, under gravity",
       read_gripped_object},
      {"planar_motion", "a contact that is moved, sliding and spinning", read_planar_motion},
      {"onset_of_sliding", "a disc at break-away: eps over gamma", read_onset_of_sliding},
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
