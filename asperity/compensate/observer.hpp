// SPDX-License-Identifier: Apache-2.0
#pragma once

// An observer of friction: a model that goes along the measured motion, and an observer of what the
// model leaves. With v_hat the velocity that force, model and rest d explain,
//
//   m v_hat' = u - f_model - d + 2 w m e,   d' = -w^2 m e,   e = v - v_hat
//
// whose error has two poles at -w. One backward Euler step per period in closed form,
//
//   e = (v - v_hat - h (u - f_model - d)/m)/(1 + w h)^2
//
// is stable for every bandwidth and period. Without a model (no_friction) it is the plain disturbance
// observer, and does what integral action does.
//
//   friction_observer friction(lugre<double>{...}, mass, bandwidth);
//   every h seconds:  u = controller(...) + friction(u, {x, v}, h);

#include <asperity/compensate/follow.hpp>
#include <utility>

namespace asperity {

template <class Model>
class friction_observer {
 public:
  friction_observer(Model model, double mass, double bandwidth)
      : model_(std::move(model)), state_(model_), mass_(mass), bandwidth_(bandwidth) {}

  // `force` is what the drive gave in the period of length h that ends now, with this motion. What is not a
  // number keeps the last estimate.
  double operator()(double force, const drive<double>& measured, double h) noexcept {
    followed_state<Model> moved = state_;
    const double f = follow(model_, moved, has_begun_ ? last_ : measured, measured, h);
    if (!std::isfinite(f + force + measured.v)) return f_ + rest_;
    if (!has_begun_) v_hat_ = measured.v;
    has_begun_ = true;
    f_ = f;
    state_ = moved;
    last_ = measured;
    const double damped = 1 + bandwidth_ * h;
    const double e = (measured.v - v_hat_ - h * (force - f - rest_) / mass_) / (damped * damped);
    v_hat_ = measured.v - e;
    rest_ -= h * bandwidth_ * bandwidth_ * mass_ * e;
    return f + rest_;
  }
  // What the model leaves: a large one says that it is wrong.
  double rest() const noexcept { return rest_; }
  void reset() noexcept {
    state_ = followed_state<Model>(model_);
    rest_ = f_ = 0;
    has_begun_ = false;
  }

 private:
  Model model_;
  followed_state<Model> state_;
  double mass_, bandwidth_;
  drive<double> last_;
  double v_hat_ = 0, rest_ = 0, f_ = 0;
  bool has_begun_ = false;
};

}  // namespace asperity
