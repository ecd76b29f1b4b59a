// SPDX-License-Identifier: Apache-2.0
#include <asperity/run/planar_keys.hpp>
#include <asperity/run/read_planar.hpp>

namespace asperity {

namespace {

std::shared_ptr<system> build(system_builder& b) {
  if (!b.lists()) return read_gripped_object(context_of(b));
  list_planar_keys(b, planar_kind::gripped);
  return nullptr;
}

}  // namespace

namespace detail {

extern const system_row gripped_object{
    .name = "gripped_object",
    .what = "an object between the pads of a gripper, under gravity",
    .build = build};

}  // namespace detail

}  // namespace asperity
