// SPDX-License-Identifier: Apache-2.0
#pragma once

// The mechanics inside the systems with one model, for analyses that know them.

#include <asperity/integrate/system.hpp>
#include <asperity/systems/prescribed_motion.hpp>
#include <asperity/systems/signal_inputs.hpp>
#include <asperity/systems/sliding_mass.hpp>

namespace asperity {

// Null where the system is another one.
const sliding_mass<double, any_model, signal_inputs>* sliding_mass_in(const system&);
const prescribed_motion* prescribed_motion_in(const system&);

// A mass under a force, with a law that need not be in the catalogue.
std::shared_ptr<system> make_mass_under_force(sliding_mass<double, any_model, signal_inputs>);

}  // namespace asperity
