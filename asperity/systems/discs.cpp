// SPDX-License-Identifier: Apache-2.0
#include <asperity/systems/discs.hpp>

namespace asperity::detail {

extern const system_row discs{
    .name = "discs", .what = "many discs dropped into a box", .build = [](system_builder& b) {
      return build_grains(b, "discs", true);
    }};

}  // namespace asperity::detail
