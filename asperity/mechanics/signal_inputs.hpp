// SPDX-License-Identifier: Apache-2.0
#pragma once

// The inputs of a one-mass system, chosen at run time.

#include <asperity/mechanics/signal.hpp>

namespace asperity {

struct signal_inputs {
  signal push, end_of_spring, relative_load = signal::constant(1);

  double force(double t) const { return push.value(t); }
  double anchor(double t) const { return end_of_spring.value(t); }
  double load(double t) const { return relative_load.value(t); }
};

}  // namespace asperity
