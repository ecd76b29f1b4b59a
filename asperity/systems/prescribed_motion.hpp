// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model under a motion given as a function of time: only the model's own states evolve. Where the
// velocity is given, the position is its integral. y = (x, states of the model).

#include <asperity/catalogue/catalogue.hpp>
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

  // One step of a model that can only be advanced.
  void advance(double t, double h, double* y) const {
    const auto from = drive_at(t, y);
    double end[1] = {y[0] + 0.5 * h * (from.v + drive_at(t + h, y).v)};
    const auto to = drive_at(t + h, end);
    model.advance(y + 1, from, to, h);
    y[0] = end[0];
  }

  // The motion does not yield: no force changes where the step ends.
  void solve_stage(double t, double h, const double* start, double* y) const {
    const auto in = drive_at(t, start);
    y[0] = start[0] + h * in.v;
    const bool is_contact = model.at().is_contact();
    const double gap = motion_is_velocity ? y[0] : in.x;
    const double u = is_contact ? gap : in.v;
    implicit_step(model, start + 1, in.load, h, {u, u, 0}, y + 1, gap - h * in.v);
  }
};

}  // namespace asperity
