// SPDX-License-Identifier: Apache-2.0
#pragma once

// Input signals as the pieces of a linear_mass: constants, ramps, sines, and nodes joined by steps,
// lines or half cosines. What has no such form is refused by its name.

#include <asperity/integrate/linear_mass.hpp>
#include <asperity/mechanics/signal.hpp>
#include <string>

namespace asperity {

// What keeps one of them from having such a form; empty where all have one. Loads may only jump from
// one constant to another, and not below 0; they are not looked at where nothing depends on them.
std::string why_not_linear(const signal_inputs&, bool has_load = true);
// Their pieces: u(t) = force(t) + stiffness anchor(t).
void set_linear_inputs(const signal_inputs&, double stiffness, linear_mass& to);

}  // namespace asperity
