// SPDX-License-Identifier: Apache-2.0
#include <asperity/systems/planar_motion.hpp>

namespace asperity::detail {

extern const system_row planar_motion{.name = "planar_motion",
                                      .what = "a contact that is moved, sliding and spinning",
                                      .build = [](system_builder& b) {
                                        return build_planar(b, "planar_motion",
                                                            planar_mount::carried, true);
                                      }};

}  // namespace asperity::detail
