// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a mass on a spring can rest under a constant force u: all x at which friction can hold
// u - k x. What friction can hold is found by running the model, not from a formula.

#include <asperity/catalogue/catalogue.hpp>
#include <atomic>
#include <functional>

namespace asperity {

// The forces friction can hold at rest at one position, from a push back to a push on.
struct rest_force {
  double lower = 0, upper = 0;
  bool found = true;  // false where the model did not come to a lasting force
};

// A law that jumps at v = 0 holds what lies between its sides, or what its implicit step allows.
// Any other model is dragged to x from either side at a vanishing speed, from further and further
// away until that makes no difference, and left to rest until its force lasts. Load 1. Every force
// between the two ends is taken to be possible, as it is after a shorter drag.
rest_force force_at_rest(const any_model&, double x);

struct equilibria_options {
  double stiffness = 1;      // N/m, above 0
  double from = -1, to = 1;  // N
  int points = 13;           // inputs, both ends included
  int samples = 20'001;      // positions searched where the force at rest depends on x
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(double)> progress = nullptr;  // told the share that is done
};

// The mass rests anywhere between x_low and x_high while the input is u.
struct equilibrium {
  double u = 0, x_low = 0, x_high = 0;
};

struct equilibria_map {
  std::vector<equilibrium> intervals;  // by u, then x; several for a u where teeth leave gaps
  bool depends_on_position = false;
  bool interrupted = false;
  std::string failure;  // empty unless some force at rest could not be found
};

// Throws asperity::error for options out of range and for contact models. Where the force at rest
// depends on x, gaps narrower than the distance of the samples may be missed.
equilibria_map find_equilibria(const any_model&, const equilibria_options& = {});

}  // namespace asperity
