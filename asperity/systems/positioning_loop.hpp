// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mass on friction that a sampled controller takes along a wanted motion, with friction compensated
// or not:
//
//   m x'' = u + force(t) - f          the plant, in implicit steps of a part of the period
//   u = K_p e + K_d e' + K_i z + c,   e = goal - x,   z = sum of h e,   cut at the limit of the drive
//
// u is held for a period h. c is what the compensation says: nothing; the friction of a model along
// the wanted motion (feedforward.hpp); or that of a model along the measured motion and the rest that
// it leaves (observer.hpp). The model of the compensation is not that of the plant. The position is
// measured in whole steps of an encoder where one is given, and the velocity is then their difference.

#include <algorithm>
#include <asperity/compensate/feedforward.hpp>
#include <asperity/compensate/observer.hpp>
#include <asperity/mechanics/signal.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <cmath>

namespace asperity {

// The force of the drive is held within a period.
struct held_inputs {
  double u = 0;
  signal push = {};
  double force(double t) const { return u + push.value(t); }
  static double anchor(double) { return 0; }
  static double load(double) { return 1; }
};

template <class Plant, class Model>
class positioning_loop {
 public:
  enum class compensation { none, feedforward, observer };
  struct setting {
    double K_p = 1, K_d = 0, K_i = 0, force_limit = unbounded;  // [N/m], [N s/m], [N/(m s)], [N]
    double encoder = 0;                                         // [m]; 0: exact
    compensation by = compensation::none;
    double share = 1;  // of what the compensation says that is used
    double bandwidth = 100, model_mass = 1;
    int plant_steps = 10;
    signal goal = {};
  };

  positioning_loop(sliding_mass<double, Plant, held_inputs> plant, Model model, setting of)
      : plant_(std::move(plant)),
        set_(std::move(of)),
        ahead_(model),
        observer_(std::move(model), set_.model_mass, set_.bandwidth) {
    x_measured_ = measured(0);
  }

  // Places the states of the plant's friction before the first step.
  double* states() { return y_; }

  // One period.
  void step(double h) {
    const double before = x_measured_, to = t_ + h;
    x_measured_ = measured(y_[0]);
    const double v = set_.encoder > 0 && steps_ > 0 ? (x_measured_ - before) / h : y_[1];
    const double goal = set_.goal.value(t_), goal_rate = set_.goal.slope(t_);
    error_ = goal - x_measured_;
    double c = 0;
    if (set_.by == compensation::feedforward) c = ahead_({goal, goal_rate, 1}, h);
    if (set_.by == compensation::observer) c = observer_(plant_.inputs.u, {x_measured_, v, 1}, h);
    compensated_ = set_.share * c;
    const double wanted = set_.K_p * error_ + set_.K_d * (goal_rate - v) +
                          set_.K_i * (sum_ + h * error_) + compensated_;
    const double u = std::clamp(wanted, -set_.force_limit, set_.force_limit);
    // At the limit of the drive the sum waits.
    if (u == wanted) sum_ += h * error_;
    plant_.inputs.u = u;
    const double part = h / set_.plant_steps;
    for (int k = 0; k < set_.plant_steps; ++k) move(t_ + k * part, part);
    t_ = to;
    ++steps_;
  }

  double t() const { return t_; }
  long steps() const { return steps_; }
  double x() const { return y_[0]; }
  double v() const { return y_[1]; }
  double goal() const { return set_.goal.value(t_); }
  double u() const { return plant_.inputs.u; }
  double friction() const { return f_; }
  double compensated() const { return compensated_; }
  int plant_steps() const { return set_.plant_steps; }

 private:
  sliding_mass<double, Plant, held_inputs> plant_;
  setting set_;
  friction_feedforward<Model> ahead_;
  friction_observer<Model> observer_;
  double y_[2 + state_capacity<Plant>] = {};
  double t_ = 0, x_measured_ = 0, error_ = 0, sum_ = 0, compensated_ = 0, f_ = 0;
  long steps_ = 0;

  double measured(double x) const {
    return set_.encoder > 0 ? set_.encoder * std::round(x / set_.encoder) : x;
  }
  // The friction is what the momentum of the step says.
  void move(double t, double h) {
    const double v = y_[1];
    bool is_implicit = true;
    if constexpr (requires { plant_.friction.has_implicit_step(); })
      is_implicit = plant_.friction.has_implicit_step();
    if (is_implicit) {
      double end[2 + state_capacity<Plant>];
      plant_.solve_stage(t + h, h, y_, end);
      std::copy_n(end, plant_.size(), y_);
    } else if constexpr (requires { plant_.advance(t, h, y_); }) {
      plant_.advance(t, h, y_);
    }
    f_ = plant_.inputs.force(t + h) - plant_.m * (y_[1] - v) / h;
  }
};

}  // namespace asperity
