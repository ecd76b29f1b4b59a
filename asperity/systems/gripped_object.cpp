// SPDX-License-Identifier: Apache-2.0
#include <asperity/systems/gripped_object.hpp>

namespace asperity::detail {

extern const system_row gripped_object{
    .name = "gripped_object",
    .what = "an object between the pads of a gripper, under gravity",
    .build = [](system_builder& b) {
      return build_planar(b, "gripped_object", planar_mount::gripped);
    }};

}  // namespace asperity::detail
