// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mass that slides under a force, m v' = force(t) - c v - f: sliding_mass without its spring.

#include <asperity/mechanics/sliding_system.hpp>

namespace asperity {

// With a law that need not be in the catalogue.
std::shared_ptr<system> make_mass_under_force(named_sliding_mass);

}  // namespace asperity
