// SPDX-License-Identifier: Apache-2.0
#include <asperity/systems/wall_spring_mass.hpp>

namespace asperity {

namespace {

std::shared_ptr<system> build(system_builder& b) {
  named_sliding_mass mass = read_what_slides(b);
  read_sliding_mass(b, mass, true);
  b.root.optional("force", mass.inputs.push, units::newton, "force on the mass");
  b.load(mass.inputs.relative_load);
  return make_sliding_system("wall_spring_mass", std::move(mass));
}

}  // namespace

namespace detail {

extern const system_row wall_spring_mass{.name = "wall_spring_mass",
                                         .what = "a mass on a spring that is fixed to a wall",
                                         .build = build};

}  // namespace detail

}  // namespace asperity
