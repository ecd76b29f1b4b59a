// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two methods for one run: one for stiff problems, and an explicit one of high order. The stiff one
// begins, and most runs end before it has done the work of a million explicit steps. A run that has
// not is one of oscillations without end, or both stiff and long: from then on the method that
// rests is asked every few steps for steps so long that they would be worth their work. If these
// meet the tolerances, it takes over. Now and then the stiff one takes over in any case, for a few
// steps: an explicit method at the limit of its stability keeps up a noise that hides how long
// steps could be. Where one fails the other takes over, too. The state goes over as it is, and no
// step is taken twice.
//
// Beside those of stepper.hpp both methods have
//
//   double planned() const, void plan(double h)       the length of the next step
//   const double* trial(double h, double latest)      where a step or more of that length would
//                                                     lead from where the method is, or null where
//                                                     one does not meet the tolerances; the method
//                                                     stays where it is

#include <algorithm>
#include <asperity/integrate/stepper.hpp>
#include <utility>
#include <vector>

namespace asperity {

template <class Explicit, class Stiff>
class automatic_stepper {
 public:
  // `stiff_work` is the work of a step of the stiff method in steps of the explicit one, for `n`
  // states.
  automatic_stepper(Explicit explicit_one, Stiff stiff_one, int n, double stiff_work,
                    double longest_step)
      : explicit_(std::move(explicit_one)),
        stiff_(std::move(stiff_one)),
        stiff_work_(stiff_work),
        longest_(longest_step),
        state_(static_cast<std::size_t>(n)) {}

  void start(double t, const double* y) {
    with_active([&](auto& method) { method.start(t, y); });
  }

  outcome step(double limit, double latest) {
    if (--patience_ <= 0 && static_cast<double>(stiff_steps_) * stiff_work_ >= alone)
      consider(limit, latest);
    const auto go = [&](auto& method) { return method.step(limit, latest); };
    outcome how = with_active(go);
    if (how != outcome::completed) {
      const double t = before();
      at(t, state_.data());
      change();
      start(t, state_.data());
      how = with_active(go);
    }
    ++(is_stiff_ ? stiff_steps_ : explicit_steps_);
    ++stay_;
    return how;
  }

  double t() const {
    return with_active([](const auto& method) { return method.t(); });
  }
  double before() const {
    return with_active([](const auto& method) { return method.before(); });
  }
  const double* y() const {
    return with_active([](const auto& method) { return method.y(); });
  }
  void at(double t, double* out) const {
    with_active([&](const auto& method) { method.at(t, out); });
  }
  void again(double t, double* out) {
    with_active([&](auto& method) {
      if constexpr (requires { method.again(t, out); }) {
        method.again(t, out);
      } else {
        method.at(t, out);
      }
    });
  }
  long evaluations() const { return explicit_.evaluations() + stiff_.evaluations(); }
  long rejected() const { return explicit_.rejected() + stiff_.rejected(); }
  long explicit_steps() const { return explicit_steps_; }
  long stiff_steps() const { return stiff_steps_; }

 private:
  Explicit explicit_;
  Stiff stiff_;
  double stiff_work_, longest_;
  std::vector<double> state_;
  // Not the explicit one, also because a narrow feature, such as friction smoothed over 1 nm/s, is
  // beneath its notice at the usual tolerances, and not beneath that of a Jacobian.
  bool is_stiff_ = true;
  static constexpr double alone = 1e6;  // work, in explicit steps, before there is a choice
  // Steps between two trials: of the explicit method, of the stiff one, and of its probation.
  static constexpr int soon = 20, late = 640, between_stiff = 40, probation = 8;
  int wait_ = soon, patience_ = soon, refusals_ = 0;
  long stay_ = 0, explicit_steps_ = 0, stiff_steps_ = 0;

  template <class Do>
  auto with_active(const Do& act) {
    return is_stiff_ ? act(stiff_) : act(explicit_);
  }
  template <class Do>
  auto with_active(const Do& act) const {
    return is_stiff_ ? act(stiff_) : act(explicit_);
  }

  void change() {
    is_stiff_ = !is_stiff_;
    // An explicit method that does not last was asked too soon: it is asked less and less often.
    if (is_stiff_) wait_ = stay_ < 2 * between_stiff ? std::min(2 * wait_, late) : soon;
    patience_ = is_stiff_ ? wait_ : between_stiff;
    stay_ = 0;
  }

  void consider(double limit, double latest) {
    const auto takes_over = [&](auto& active, auto& other, double length, bool in_any_case) {
      // At the longest step allowed there is nothing to win.
      if (active.planned() >= longest_ || length > longest_) return false;
      if (3 * length >= limit - active.t()) return false;
      other.start(active.t(), active.y());
      if (!in_any_case && other.trial(length, latest) == nullptr) return false;
      other.plan(length);
      change();
      return true;
    };
    constexpr double gain = 2;  // where there is little to win it is not worth the change
    if (is_stiff_) {
      if (takes_over(stiff_, explicit_, gain * stiff_.planned() / stiff_work_, false)) return;
      patience_ = wait_;
    } else {
      const double h = explicit_.planned();
      if (takes_over(explicit_, stiff_, h * stiff_work_, false)) return;
      patience_ = between_stiff;
      if (++refusals_ % 8 == 0 && takes_over(explicit_, stiff_, h, true)) patience_ = probation;
    }
  }
};

}  // namespace asperity
