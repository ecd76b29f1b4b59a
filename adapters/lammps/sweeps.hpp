// SPDX-License-Identifier: Apache-2.0
#pragma once

// Implicit steps of all contacts at once: Gauss-Seidel sweeps. Velocities v of the next half step are
// unknown, with v = v_free + h/m (sum of contact forces). In a sweep each contact in turn asks its
// laws for the forces at the end of the step, the others as they stand; both laws answer in closed
// form. Steps are then bounded by accuracy, not by the stiffness of the contacts.

#include <cstddef>
#include <vector>

#include "laws.hpp"

namespace asperity::lammps {

struct swept_contact {
  int i = 0, j = -1;
  const contact_law<dai_contact<double>>* law = nullptr;
  contact_memory* m = nullptr;
  unsigned char* touching = nullptr;
  vector n;
  double gap = 0, arm_i = 0, arm_j = 0, R = 0;
  vector other_v = {};  // of a wall
  std::size_t wall = 0;
  // What each newton changes: of the gap rate, slip, and rolling or twisting velocity.
  double normal_mobility = 0, slip_mobility = 0, spin_mobility = 0;
  // On the second body f_n n - f_t.
  double f_n = 0, f_s = 0;
  vector f_t = {}, f_r = {};
};

struct swept_grain {
  vector v, omega;
  double inverse_m = 0, inverse_I = 0;
};

// Mobilities, and a first guess of the forces: those that the deflections would have at rest.
void begin(swept_contact&, std::vector<swept_grain>&, double h);
// The forces that its laws want, given to the grains.
void solve(swept_contact&, std::vector<swept_grain>&, double h);
// Deflections at the end of the step.
void settle(const swept_contact&, double h);

}  // namespace asperity::lammps
