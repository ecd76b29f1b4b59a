// SPDX-License-Identifier: Apache-2.0
#include <asperity/run/planar_keys.hpp>
#include <asperity/run/read_planar.hpp>

namespace asperity {

namespace {

std::shared_ptr<system> build(system_builder& b) {
  if (!b.lists()) return read_planar_body(context_of(b));
  list_planar_keys(b, planar_kind::body);
  return nullptr;
}

}  // namespace

namespace detail {

extern const system_row planar_body{
    .name = "planar_body",
    .what = "a body that slides and spins, pushed by a force and a torque",
    .build = build};

}  // namespace detail

}  // namespace asperity
