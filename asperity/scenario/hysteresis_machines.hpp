// SPDX-License-Identifier: Apache-2.0
#pragma once

// Machines about hysteresis that a scenario can name.

#include <asperity/scenario/machine_kinds.hpp>

namespace asperity {

// [system] kind = "two_bar_linkage": mass, bar_mass, stiffness, damping, length, angle, inertia;
// [force].
std::shared_ptr<machine> read_two_bar_linkage(const machine_context&);

// [system] kind = "multiplay_and_inverse": a multiplay in [friction], driven by [motion], and its
// inverse (2.32), (2.33), driven by the output of the first. Columns x, f, x_inverse.
std::shared_ptr<machine> read_multiplay_and_inverse(const machine_context&);

// [system] kind = "mapped_curve": a closed curve of chapter 5, run round once a second, and its
// image under a map of two lines or a parabola. Columns x, y, q.
std::shared_ptr<machine> read_mapped_curve(const machine_context&);

}  // namespace asperity
