// SPDX-License-Identifier: Apache-2.0
#pragma once

// Feedforward of friction: a model that goes along the wanted motion says the force that this motion
// will need. It knows nothing of what is measured, so it can neither become unstable nor correct
// itself: a model that is wrong by a tenth leaves a tenth of the friction.
//
//   friction_feedforward friction(lugre<double>{...});
//   every h seconds:  u = controller(...) + friction({x_wanted, v_wanted}, h);

#include <asperity/compensate/follow.hpp>
#include <utility>

namespace asperity {

template <class Model>
class friction_feedforward {
 public:
  explicit friction_feedforward(Model model) : model_(std::move(model)), state_(model_) {}

  // The friction force at the end of a period of length h, which the wanted motion ends with. Where that is
  // no number the last force stays, and the model waits.
  double operator()(const drive<double>& wanted, double h) noexcept {
    followed_state<Model> moved = state_;
    const double f = follow(model_, moved, has_begun_ ? last_ : wanted, wanted, h);
    if (!std::isfinite(f)) return f_;
    has_begun_ = true;
    state_ = moved;
    last_ = wanted;
    return f_ = f;
  }
  void reset() noexcept {
    state_ = followed_state<Model>(model_);
    has_begun_ = false;
    f_ = 0;
  }

 private:
  Model model_;
  followed_state<Model> state_;
  drive<double> last_;
  bool has_begun_ = false;
  double f_ = 0;
};

}  // namespace asperity
