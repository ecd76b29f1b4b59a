// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model under a motion given as a function of time: only the model's own states evolve. Where the
// velocity is given, the position is its integral. y = (x, states of the model).

#include <asperity/systems/respond.hpp>
#include <asperity/systems/signal.hpp>

namespace asperity {

struct prescribed_motion {
  any_model model;
  signal motion;  // x(t) in m, or v(t) in m/s
  bool motion_is_velocity = false;
  signal load = signal::constant(1);

  static constexpr int capacity = 1 + any_model::max_states;
  int size() const { return 1 + model.states(); }

  drive<double> drive_at(double t, const double* y) const {
    if (motion_is_velocity) return {y[0], motion.value(t), load.value(t)};
    return {motion.value(t), motion.slope(t), load.value(t)};
  }

  void rates(double t, const double* y, double* rate) const {
    const auto in = drive_at(t, y);
    respond(model, y + 1, in, rate + 1);
    rate[0] = in.v;
  }
};

}  // namespace asperity
