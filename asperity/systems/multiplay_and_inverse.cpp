// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/integrate/method.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/systems/multiplay_and_inverse.hpp>

namespace asperity {

namespace {

std::shared_ptr<system> build(system_builder& b) {
  any_model model = b.root.model("friction", "a multiplay: only that has this inverse");
  if (b.lists()) model = any_model(find_model("multiplay"));
  if (model.key() != "multiplay")
    b.root.refuse("friction", "only model = \"multiplay\" has this inverse");
  signal motion;
  b.root.required("motion", motion, units::metre, "input of the multiplay");
  auto chain = std::make_shared<multiplay_and_inverse>(std::move(model), std::move(motion));
  if (chain->stiffness == 0) b.root.refuse("friction", "the sum of k is 0, so there is no inverse");
  if (4 * chain->elements > most_states_of_adaptive_steps)
    b.root.refuse("friction", fmt::format("at most {} elements are possible here",
                                          most_states_of_adaptive_steps / 4));
  return chain;
}

}  // namespace

namespace detail {

extern const system_row multiplay_and_inverse{
    .name = "multiplay_and_inverse",
    .what = "a multiplay, and its inverse driven by its output",
    .build = build};

}  // namespace detail

}  // namespace asperity
