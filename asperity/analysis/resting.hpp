// SPDX-License-Identifier: Apache-2.0
#pragma once

// The equilibria map (Drincic 2012, Definition 1.1.4): all outputs at which a model or system can
// rest while its input stays where it is. The hysteresis map lies on it, but for its jumps.

#include <asperity/analysis/map.hpp>

namespace asperity {

// While the input is u the output can rest anywhere from y_low to y_high; a single place where both
// are equal.
struct resting_place {
  double u = 0, y_low = 0, y_high = 0;
  bool stable = true;  // it comes back after a small push; of stretches only that it stays
};

struct resting_map {
  std::vector<resting_place> places;  // by u, then y
  std::string how;                    // they were found, for people
  std::string failure;                // empty unless something could not be found
  bool interrupted = false;
};

struct resting_options {
  double low = -1, high = 1;  // inputs, both ends included
  int points = 41;
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(double fraction)> progress = {};
};

// What is done depends on what can rest:
// - states with rates of their own (an ODE that does not come to rest by holding its input): all
//   zeros of the rates that Newton's method finds from many starts around the states that `loop`
//   visits, up to 512 times as far as these reach but never beyond what the card allows, and whether
//   they are stable. `how` says between which states it looked. Zeros that are not isolated, as in a
//   dead zone, are a stretch;
// - a model that rests in any state (operators, friction): every output between the two branches of
//   `loop`, a slow loop over the inputs asked for;
// - a mass on a spring with friction: what friction holds (analysis/equilibria.hpp).
// Throws asperity::error for systems that are none of these.
resting_map find_resting(const io_system&, const periodic_loop& loop, const resting_options&);

// Places as lines to draw: each is joined to the nearest at the next input, and a branch ends where
// the next would be farther than 0.15 of the span of all outputs. A stretch has two lines, its ends.
struct resting_branch {
  std::vector<double> u, y;
};
std::vector<resting_branch> branches_of(const resting_map&, bool stable);

}  // namespace asperity
