// SPDX-License-Identifier: Apache-2.0
#pragma once

// Blocks whose systems have times of their own: contacts whose force jumps (side_steps.hpp).

#include <asperity/batch/lanes.hpp>

namespace asperity {

class lane_block_of_times : public lane_block {
 public:
  // A step of each system, from its own time and of its own length.
  virtual void step_from(const double* t, const double* h, double latest, double* y) const = 0;
};

// Whether the block of such a system is one of these.
bool has_times_of_its_own(const system&);

}  // namespace asperity
