// SPDX-License-Identifier: Apache-2.0
#include <asperity/systems/spheres.hpp>

namespace asperity::detail {

extern const system_row spheres{
    .name = "spheres", .what = "many spheres dropped into a box", .build = [](system_builder& b) {
      return build_grains(b, "spheres", false);
    }};

}  // namespace asperity::detail
