// SPDX-License-Identifier: Apache-2.0
#include <asperity/systems/mass_under_force.hpp>

namespace asperity {

std::shared_ptr<system> make_mass_under_force(named_sliding_mass mass) {
  return make_sliding_system("mass_under_force", std::move(mass));
}

namespace {

std::shared_ptr<system> build(system_builder& b) {
  named_sliding_mass mass = read_what_slides(b);
  read_sliding_mass(b, mass, false);
  b.root.required("force", mass.inputs.push, units::newton, "force on the mass");
  b.load(mass.inputs.relative_load);
  return make_mass_under_force(std::move(mass));
}

}  // namespace

namespace detail {

extern const system_row mass_under_force{
    .name = "mass_under_force", .what = "a mass that slides under a force", .build = build};

}  // namespace detail

}  // namespace asperity
