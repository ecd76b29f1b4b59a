// SPDX-License-Identifier: Apache-2.0
#include <asperity/systems/planar_body.hpp>

namespace asperity::detail {

extern const system_row planar_body{
    .name = "planar_body",
    .what = "a body that slides and spins, pushed by a force and a torque",
    .build = [](system_builder& b) {
      return build_planar(b, "planar_body", planar_mount::carried);
    }};

}  // namespace asperity::detail
