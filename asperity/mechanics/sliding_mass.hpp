// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mass that slides on a surface with friction, pushed by a force and held by a spring and a
// damper:
//
//   m v' = force(t) - k (x - anchor(t)) - c v - f,   x' = v
//
// With k = 0 it is a mass under a force; with a resting anchor a mass on a wall spring; with an
// anchor that moves at constant speed a mass pulled by a spring. y = (x, v, states of the model).

#include <asperity/mechanics/respond.hpp>

namespace asperity {

// Inputs that are not there cost nothing. Derive from it and hide what your system has.
template <class S>
struct no_inputs {
  ASPERITY_FN S force(const S&) const { return lit<S>(0.0); }
  ASPERITY_FN S anchor(const S&) const { return lit<S>(0.0); }
  ASPERITY_FN S load(const S&) const { return lit<S>(1.0); }
};

template <class S, class Model, class Inputs = no_inputs<S>>
struct sliding_mass {
  Model friction;
  S m = lit<S>(1.0), k = lit<S>(0.0), c = lit<S>(0.0);
  Inputs inputs = {};

  static constexpr int capacity = 2 + state_capacity<Model>;
  ASPERITY_FN int size() const { return 2 + state_count(friction); }

  ASPERITY_FN drive<S> drive_at(const S& t, const S* y) const {
    return {y[0], y[1], inputs.load(t)};
  }

  ASPERITY_FN void rates(const S& t, const S* y, S* rate) const {
    balance(t, y, respond(friction, y + 2, drive_at(t, y), rate + 2), rate);
  }

  // What friction sees, and the body without it.
  static constexpr int friction_states() { return 2; }
  ASPERITY_FN drive<S> rub_at(const S& t, const S* y) const { return drive_at(t, y); }
  loose_body loose(double t, const double* y) const requires std::same_as<S, double> {
    return {(inputs.force(t) - k * (y[0] - inputs.anchor(t)) - c * y[1]) / m, 1 / m};
  }

  // Zero where the rates have a kink: between stick and slip.
  ASPERITY_FN S kink(const S& t, const S* y) const requires(has_slip_margin<Model, S>) {
    return friction.slip_margin(gather(friction, y + 2), drive_at(t, y));
  }
  double kink(double t, const double* y) const requires std::same_as<Model, any_model> {
    if (!friction.has_slip_margin()) return 1;
    return friction.slip_margin(y + 2, y[0], y[1], inputs.load(t));
  }

  // The rates of a body that moves towards `direction`, where friction jumps at v = 0.
  ASPERITY_FN void side_rates(const S& t, const S* y, const S& direction, S* rate) const
      requires(may_jump<Model>) {
    balance(t, y, side(friction, y + 2, drive_at(t, y), direction, rate + 2), rate);
  }

  static ASPERITY_FN S slip(const S* y) { return y[1]; }
  static ASPERITY_FN S slip_rate(const S* rate) { return rate[1]; }
  static ASPERITY_FN void add_slip(S* y, const S& more) { y[1] = y[1] + more; }
  ASPERITY_FN S slip_grip(const S& t, const S* y) const requires(may_jump<Model>) {
    return grip_of(friction, y + 2, inputs.load(t)) / m;
  }

  // Without friction the step would end at v_free; each newton of friction takes `mobility` of it.
  ASPERITY_FN void solve_stage(const S& t, const S& h, const S* start, S* y) const
      requires(may_react<Model, S>) {
    const free_step<S> body = stage_from(t, h, start);
    y[1] = implicit_step(friction, start + 2, inputs.load(t), h, body, y + 2).u;
    y[0] = start[0] + h * y[1];
  }

  // One step of a model that can only be advanced, by the velocity Verlet method: the position
  // first, then the force there, then the velocity from the mean of both accelerations. Order 2.
  void advance(double t, double h, double* y) const requires std::same_as<Model, any_model> {
    const auto acceleration = [&](double at, double x, double v, double f) {
      return (inputs.force(at) - k * (x - inputs.anchor(at)) - c * v - f) / m;
    };
    const auto from = drive_at(t, y);
    const double a = acceleration(t, y[0], y[1], friction.force(y + 2, from));
    const drive<double> to{y[0] + h * (y[1] + 0.5 * h * a), y[1] + h * a, inputs.load(t + h)};
    const double f = friction.advance(y + 2, from, to, h);
    y[0] = to.x;
    y[1] += 0.5 * h * (a + acceleration(t + h, to.x, to.v, f));
  }

  ASPERITY_FN free_step<S> stage_from(const S& t, const S& h, const S* start) const {
    const S x = start[0], v = start[1];
    const S inertia = m + h * (c + h * k);
    return {v, (m * v + h * (inputs.force(t) - k * (x - inputs.anchor(t)))) / inertia, h / inertia};
  }

 private:
  ASPERITY_FN void balance(const S& t, const S* y, const S& f, S* rate) const {
    rate[0] = y[1];
    rate[1] = (inputs.force(t) - k * (y[0] - inputs.anchor(t)) - c * y[1] - f) / m;
  }
};

}  // namespace asperity
