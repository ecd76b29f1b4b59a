// SPDX-License-Identifier: Apache-2.0
#include <asperity/run/planar_keys.hpp>
#include <asperity/run/read_planar.hpp>

namespace asperity {

namespace {

std::shared_ptr<system> build(system_builder& b) {
  if (!b.lists()) return read_planar_motion(context_of(b));
  list_planar_keys(b, planar_kind::moved);
  return nullptr;
}

}  // namespace

namespace detail {

extern const system_row planar_motion{.name = "planar_motion",
                                      .what = "a contact that is moved, sliding and spinning",
                                      .build = build};

}  // namespace detail

}  // namespace asperity
