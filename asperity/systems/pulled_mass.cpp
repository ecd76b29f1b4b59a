// SPDX-License-Identifier: Apache-2.0
#include <asperity/systems/pulled_mass.hpp>

namespace asperity {

namespace {

std::shared_ptr<system> build(system_builder& b) {
  named_sliding_mass mass = read_what_slides(b);
  read_sliding_mass(b, mass, true);
  const bool by_anchor = b.root.has("anchor");
  if (by_anchor) {
    if (b.has("speed")) b.refuse("speed", "[anchor] is given as well: give only one of them");
    b.root.optional("anchor", mass.inputs.end_of_spring, units::metre,
                    "free end of the spring, instead of speed");
  }
  if (!by_anchor || b.lists()) {
    double speed = 0;
    b.required("speed", speed, units::metre / units::second, any_value,
               "speed of the free end of the spring, unless [anchor] is given");
    mass.inputs.end_of_spring = signal::ramp(speed);
  }
  b.root.optional("force", mass.inputs.push, units::newton, "force on the mass");
  b.load(mass.inputs.relative_load);
  return make_sliding_system("pulled_mass", std::move(mass));
}

}  // namespace

namespace detail {

extern const system_row pulled_mass{
    .name = "pulled_mass", .what = "a mass pulled by a spring whose end moves", .build = build};

}  // namespace detail

}  // namespace asperity
