// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model under a motion given as a function of time: only the model's own states evolve. Where the
// velocity is given, the position is its integral. y = (x, states of the model).

#include <asperity/integrate/system.hpp>
#include <asperity/mechanics/friction_step.hpp>
#include <asperity/mechanics/mass_energy.hpp>

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

// Steps by memory_stepper: they end where the motion or the load turns. Between, models that are rate independent are
// exact.
class prescribed_steps {
 public:
  explicit prescribed_steps(const prescribed_motion& system, int flows = 0)
      : system_(system), flows_(flows), by_velocity_(reads_velocity(system.model)) {}

  static constexpr int capacity = prescribed_motion::capacity + energy_terms::most_flows;
  int size() const { return system_.size() + flows_; }
  int flows() const { return flows_; }
  static int bodies() { return 1; }
  static bool is_prescribed() { return true; }
  double force(double t, const double* y) const {
    return system_.model.force(y + 1, system_.drive_at(t, y));
  }

  double move(double t, double h, double* y, bool to_turn) const {
    if (to_turn) {
      const double end = system_.motion_is_velocity ? system_.motion.first_zero(t, t + h)
                                                    : system_.motion.first_turn(t, t + h);
      const double turn = std::min(end, system_.load.first_turn(t, t + h));
      if (turn < t + h) h = turn - t;
    }
    const drive<double> from = system_.drive_at(t, y);
    drive<double> to = system_.drive_at(t + h, y);
    if (system_.motion_is_velocity)  // by Simpson's rule
      to.x = from.x + h / 6 * (from.v + 4 * system_.motion.value(t + 0.5 * h) + to.v);
    double* state = y + 1;
    const double f = flows_ > 0 ? system_.model.force(state, from) : 0;
    const losses_at start(system_.model, state, from);
    const double f_end =
        take_along({system_.model}, by_velocity_, state, from, to, to.x - from.x, h);
    y[0] = to.x;
    if (flows_ == 0) return h;
    const losses_at end(system_.model, state, to);
    const double sign = system_.model.at().is_contact() ? -1 : 1;
    double* work = y + system_.size();
    work[0] += sign * 0.5 * (f + f_end) * (to.x - from.x);
    work[1] += sign * 0.5 * (f + f_end) * (to.x - from.x);
    for (int i = 2; i < flows_; ++i) work[i] += 0.5 * h * (start.power[i - 2] + end.power[i - 2]);
    return h;
  }

 private:
  const prescribed_motion& system_;
  int flows_;
  bool by_velocity_;
};

// The mechanics inside a system, for analyses that know it; null where it is another one.
const prescribed_motion* prescribed_motion_in(const system&);

}  // namespace asperity
