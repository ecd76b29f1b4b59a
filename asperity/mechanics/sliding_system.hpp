// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the systems with one mass that slides share: mass_under_force, pulled_mass and
// wall_spring_mass are sliding_mass with other keys.

#include <asperity/mechanics/signal.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/mechanics/system_row.hpp>

namespace asperity {

using named_sliding_mass = sliding_mass<double, any_model, signal_inputs>;

std::shared_ptr<system> make_sliding_system(const char* kind, named_sliding_mass);
// The mechanics inside, for analyses that know them; null where the system is another one.
const named_sliding_mass* sliding_mass_in(const system&);

// Its keys: the axis, [friction] or [hysteresis]; mass, stiffness and damping.
named_sliding_mass read_what_slides(system_builder&);
void read_sliding_mass(system_builder&, named_sliding_mass&, bool has_spring);

}  // namespace asperity
