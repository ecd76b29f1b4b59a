// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inverse-hysteresis control: the input that makes an operator give the wanted output next, for every
// model whose output rises with its input between two bounds. A fixed number of trials of the model,
// each on a copy of its state, finds it: false position with the weight halved where one end stays
// (Illinois), cut by bisection. A wanted output out of reach gets the nearest bound. The inverse in
// closed form of a Prandtl-Ishlinskii operator is such an operator itself (inverse_of,
// analysis/inverse.hpp), to be followed by friction_feedforward.
//
//   inverse_hysteresis drive(prandtl_ishlinskii<double>{...}, -10, 10);
//   every h seconds:  input = drive(wanted, h);

#include <algorithm>
#include <asperity/compensate/follow.hpp>
#include <cmath>
#include <utility>

namespace asperity {

template <class Model>
class inverse_hysteresis {
 public:
  static constexpr int usual_trials = 60;

  inverse_hysteresis(Model model, double lower, double upper, int trials = usual_trials)
      : model_(std::move(model)),
        state_(model_),
        lower_(lower),
        upper_(upper),
        trials_(trials),
        x_(std::clamp(0.0, lower, upper)) {}

  // What is not a number keeps the last input.
  double operator()(double wanted, double h) noexcept {
    if (std::isnan(wanted)) return x_;
    const auto off = [&](double x) {
      followed_state<Model> trial = state_;
      return follow(model_, trial, {x_, v_, 1}, {x, (x - x_) / h, 1}, h) - wanted;
    };
    // Between here and the bound on the side that the wanted output lies on.
    double near = x_, far = x_, off_near = off(x_), off_far = off_near;
    if (off_near != 0) {
      far = off_near < 0 ? upper_ : lower_;
      off_far = off(far);
    }
    double x = near;
    if (off_near != 0 && off_near * off_far >= 0) {
      x = far;
    } else if (off_near != 0) {
      double weight = off_near;
      for (int trial = 0; trial < trials_; ++trial) {
        // Every third trial halves the interval, so that it surely shrinks.
        x = trial % 3 == 2 ? 0.5 * (near + far) : far - off_far * (far - near) / (off_far - weight);
        if (!(std::min(near, far) < x && x < std::max(near, far))) x = 0.5 * (near + far);
        const double now = off(x);
        if (now == 0 || near == far) break;
        if (now * off_far < 0) {
          near = far;
          weight = off_near = off_far;
        } else {
          weight *= 0.5;
        }
        far = x;
        off_far = now;
      }
    }
    x = std::isfinite(x) ? std::clamp(x, lower_, upper_) : x_;
    const double v = (x - x_) / h;
    output_ = follow(model_, state_, {x_, v_, 1}, {x, v, 1}, h);
    x_ = x;
    v_ = v;
    return x_;
  }
  // What the model gives with the last input.
  double output() const noexcept { return output_; }
  void reset() noexcept {
    state_ = followed_state<Model>(model_);
    x_ = std::clamp(0.0, lower_, upper_);
    v_ = output_ = 0;
  }

 private:
  Model model_;
  followed_state<Model> state_;
  double lower_, upper_;
  int trials_;
  double x_, v_ = 0, output_ = 0;
};

}  // namespace asperity
