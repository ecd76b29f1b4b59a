// SPDX-License-Identifier: Apache-2.0
#pragma once

// Systems about hysteresis that a scenario can name.

#include <asperity/run/system_kinds.hpp>

namespace asperity {

// [system] kind = "two_bar_linkage": mass, bar_mass, stiffness, damping, length, angle, inertia;
// [force].
std::shared_ptr<system> read_two_bar_linkage(const system_context&);

// [system] kind = "multiplay_and_inverse": a multiplay in [friction], driven by [motion], and its
// inverse (2.32), (2.33), driven by the output of the first. Columns x, f, x_inverse.
std::shared_ptr<system> read_multiplay_and_inverse(const system_context&);

// [system] kind = "magnetostrictive_actuator": [current] to field, field to magnetisation by the
// operator in [hysteresis], magnetisation to elongation (5.18) to (5.20), (5.22); and back. With
// [fit] the operator is fitted to what the elongation tells. Columns current, H, M, elongation;
// M_one and M_both, unfolded with one law and with that of each branch; M_fit, elongation_fit and
// fit_c_1 ...
std::shared_ptr<system> read_magnetostrictive_actuator(const system_context&);

}  // namespace asperity
