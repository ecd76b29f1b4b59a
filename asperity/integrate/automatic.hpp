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
// A system that is seldom stiff, and may have unstable branches that long implicit steps would stay
// on, begins with the explicit method (`begin_explicit`). The choice is then open only from where
// millions of its steps are ahead: what it can do by itself it does to the same bits.
//
// Neither can step over a swing that nothing damps: a mass on a spring of 1e12 N/m swings for ever,
// a tenth of a micrometre wide, and its velocity with it. Where a run would take millions of steps
// only because of a swing that no state shows but the velocities that `may_damp` names, the swing
// is damped by a few long steps of the stiff method, and `damped` says what was lost. To be sure,
// the long steps go beside the run first, until it has come as far and can be compared with them.
//
// Beside those of stepper.hpp both methods have
//
//   double planned() const, void plan(double h)       the length of the next step
//   const double* trial(double h, double latest)      where a step or more of that length would
//                                                     lead from where the method is, or null where
//                                                     one does not meet the tolerances; the method
//                                                     stays where it is
//
// and the stiff one
//
//   bool leap(double h, double latest)                a step of that length whatever its error;
//                                                     false where it leads to no number

#include <algorithm>
#include <asperity/integrate/stepper.hpp>
#include <cmath>
#include <utility>
#include <vector>

namespace asperity {

// A swing that was damped instead of followed: how often, since when, and how wide it was in each
// state.
struct damped_swing {
  long times = 0;
  double since = 0;
  std::vector<double> width;
};

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

  void begin_explicit() {
    explicit_first_ = true;
    is_stiff_ = false;
  }

  // States that are velocities: of a swing that is seen in them alone they may show the mean. The
  // first `bodies` states are those of bodies.
  void may_damp(std::vector<int> velocities, int bodies, int states) {
    velocities_ = std::move(velocities);
    bodies_ = static_cast<std::size_t>(bodies);
    states_ = static_cast<std::size_t>(states);
  }
  const damped_swing& damped() const { return damped_; }

  outcome step(double limit, double latest) {
    if (!velocities_.empty()) watch_swing(limit, latest);
    if (--patience_ <= 0 && may_choose(limit)) consider(limit, latest);
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
  // Of a run that begins with the explicit method: steps over which its pace is measured, and
  // whether too many of them are ahead.
  static constexpr long pace = 100'000;
  bool explicit_first_ = false, is_long_ = false;
  long pace_steps_ = 0;
  double pace_t_ = 0;
  long stay_ = 0, explicit_steps_ = 0, stiff_steps_ = 0;

  // Work, in explicit steps, before a swing is looked for, between two looks, and that must lie
  // ahead at the pace of the last ones.
  static constexpr double before_looks = 3e5, between_looks = 1e5, worth_it = 5e6;
  // Steps that are `stretch` times as long as those of the run: first some that damp, then those
  // that are compared with the run, by shares of the largest value of each state: what nobody sees
  // of a position, and little of a model's state.
  static constexpr int settling = 20, compared = 8, fewest = 4;
  static constexpr double stretch = 512, seen_in_bodies = 1e-3, seen_in_models = 0.05;
  struct instant {
    double t;
    std::vector<double> y;
  };
  std::vector<int> velocities_;
  std::size_t bodies_ = 0, states_ = 0;
  damped_swing damped_;
  double next_look_ = before_looks, look_work_ = 0, look_t_ = 0;
  long look_steps_ = 0;
  std::vector<instant> beside_;  // the run without its swing
  std::size_t passed_ = 0;
  int looked_at_ = 0;
  double leap_ = 0;
  std::vector<double> largest_, highest_off_, lowest_off_;

  template <class Do>
  auto with_active(const Do& act) {
    return is_stiff_ ? act(stiff_) : act(explicit_);
  }
  template <class Do>
  auto with_active(const Do& act) const {
    return is_stiff_ ? act(stiff_) : act(explicit_);
  }

  bool may_choose(double limit) {
    if (!explicit_first_) return static_cast<double>(stiff_steps_) * stiff_work_ >= alone;
    if (is_long_ || explicit_steps_ < pace_steps_ + pace) return is_long_;
    const double steps = static_cast<double>(explicit_steps_ - pace_steps_), gone = t() - pace_t_;
    is_long_ = (limit - t()) * steps > worth_it * gone;
    pace_steps_ = explicit_steps_;
    pace_t_ = t();
    return is_long_;
  }

  double work() const {
    return static_cast<double>(explicit_steps_) + stiff_work_ * static_cast<double>(stiff_steps_);
  }

  void watch_swing(double limit, double latest) {
    if (!beside_.empty()) return compare(latest);
    const double done = work();
    if (done < next_look_) return;
    const long steps = explicit_steps_ + stiff_steps_;
    const double gone = t() - look_t_, ahead = (limit - t()) * (done - look_work_) / gone;
    leap_ = stretch * gone / static_cast<double>(steps - look_steps_);
    next_look_ = done + between_looks;
    look_work_ = done;
    look_steps_ = steps;
    look_t_ = t();
    if (ahead > worth_it && leap_ < longest_ && 2 * (settling + compared) * leap_ < limit - t())
      go_beside(latest);
  }

  void go_beside(double latest) {
    const double t0 = t(), planned = stiff_.planned();
    state_.assign(y(), y() + state_.size());
    stiff_.start(t0, state_.data());
    for (int i = 0; i < settling + compared; ++i) {
      // Of lengths that no period of the swing can follow.
      const double longer = 0.6180339887498949 * i,
                   length = leap_ * (1 + longer - std::floor(longer));
      if (!stiff_.leap(length, latest)) {
        beside_.clear();
        break;
      }
      if (i >= settling) beside_.push_back({stiff_.t(), {stiff_.y(), stiff_.y() + state_.size()}});
    }
    passed_ = 0;
    looked_at_ = 0;
    largest_.assign(state_.size(), 0.0);
    highest_off_ = lowest_off_ = largest_;
    if (is_stiff_) stiff_.start(t0, state_.data());
    stiff_.plan(planned);
  }

  // The last step with what was done beside it.
  void compare(double latest) {
    for (std::size_t i = 0; i < state_.size(); ++i)
      largest_[i] = std::max(largest_[i], std::abs(y()[i]));
    for (; passed_ < beside_.size() && beside_[passed_].t <= t(); ++passed_) {
      const instant& now = beside_[passed_];
      if (now.t < before()) continue;  // a step that was cut short there is gone
      ++looked_at_;
      at(now.t, state_.data());
      for (std::size_t i = 0; i < state_.size(); ++i) {
        highest_off_[i] = std::max(highest_off_[i], state_[i] - now.y[i]);
        lowest_off_[i] = std::min(lowest_off_[i], state_[i] - now.y[i]);
      }
    }
    if (passed_ < beside_.size()) return;
    if (looked_at_ >= fewest && is_swing()) leave_swing(latest);
    beside_.clear();
  }

  bool is_swing() const {
    std::vector<bool> is_velocity(states_, false);
    for (const int i : velocities_) is_velocity[static_cast<std::size_t>(i)] = true;
    for (std::size_t i = 0; i < states_; ++i) {
      const double seen = (i < bodies_ ? seen_in_bodies : seen_in_models) * largest_[i];
      if (is_velocity[i] ? i < bodies_ && !(highest_off_[i] > 0 && lowest_off_[i] < 0)
                         : !(highest_off_[i] <= seen && -lowest_off_[i] <= seen))
        return false;
    }
    return true;
  }

  void leave_swing(double latest) {
    const double now = t();
    const instant& end = beside_.back();
    stiff_.start(end.t, end.y.data());
    if (now > end.t && !stiff_.leap(now - end.t, latest)) return;
    state_.assign(stiff_.y(), stiff_.y() + state_.size());
    if (!is_stiff_) change();
    stiff_.start(now, state_.data());
    stiff_.plan(leap_);
    if (damped_.times++ == 0) {
      damped_.since = now;
      damped_.width.assign(states_, 0.0);
    }
    for (std::size_t i = 0; i < states_; ++i)
      damped_.width[i] = std::max(damped_.width[i], highest_off_[i] - lowest_off_[i]);
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
