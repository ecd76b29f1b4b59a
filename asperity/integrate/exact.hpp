// SPDX-License-Identifier: Apache-2.0
#pragma once

// A closed-form flow as a stepper (stepper.hpp): its steps end at the events of the friction or of the
// contact and where the velocity passes 0, and `at` is exact everywhere in between.
//
// y = (x, v, states of the law). A step from one event to the next would begin and end with guards that
// are 0 but for rounding, so that nobody could tell from its ends what happened: each phase is taken in
// halves, and in shorter steps still where `longest` says so.

#include <algorithm>
#include <array>
#include <asperity/integrate/contact_flow.hpp>
#include <asperity/integrate/exact_flow.hpp>
#include <asperity/integrate/stepper.hpp>

namespace asperity {

// The states of a mass that slides.
class sliding_flow : public exact_flow<double> {
 public:
  using system_type = linear_mass;
  static constexpr int most_states = 2 + 1 + element_list::most;

  explicit sliding_flow(const linear_mass& mass) : exact_flow(mass), mass_(mass) {}

  void start_at(double t, const double* y) {
    double a[element_list::most];
    const element_list& f = mass_.friction;
    for (int i = 0; i < f.count; ++i) {
      const double state = y[2 + f.first_state + i];
      a[i] = f.are_positions ? (y[0] - mass_.belt * t) - state : state;
    }
    start(t, y[0] - mass_.belt * t, y[1] - mass_.belt, a);
  }
  // At t, which is tau after the start of the phase; states that belong to no element stay.
  void states_at(double tau, double t, double* out) const {
    double a[element_list::most];
    const element_list& f = mass_.friction;
    state(tau, out[0], out[1], a);
    for (int i = 0; i < f.count; ++i)
      out[2 + f.first_state + i] = f.are_positions ? out[0] - a[i] : a[i];
    out[0] += mass_.belt * t;
    out[1] += mass_.belt;
  }
  double force(double tau) const { return friction(tau); }

 private:
  const linear_mass& mass_;
};

// Those of a mass that bounces: with the deflection of a filtered contact, or the side of one that
// jumps, -1 inside.
class bouncing_flow : public contact_flow<double> {
 public:
  using system_type = linear_contact;
  static constexpr int most_states = 3;

  explicit bouncing_flow(const linear_contact& system)
      : contact_flow(system), is_filtered_(system.contact.kind == contact_element::law::filtered) {}

  void start_at(double t, const double* y) { start(t, y[0], y[1], is_filtered_ ? y[2] : 0); }
  void states_at(double tau, double, double* out) const {
    double e = 0;
    state(tau, out[0], out[1], e);
    if (is_filtered_) {
      out[2] = e;
      return;
    }
    // Rounding does not put it on the other side.
    const bool flies = now() == mode::flies;
    out[0] = flies ? std::max(0.0, out[0]) : std::min(0.0, out[0]);
    out[2] = flies ? 1 : -1;
  }

 private:
  bool is_filtered_;
};

template <class Flow>
class flow_stepper {
 public:
  static constexpr int most_states = Flow::most_states;

  // With so many states.
  flow_stepper(const typename Flow::system_type& system, int states, double longest_step = HUGE_VAL,
               bool ends_at_turns = true)
      : flow_(system), n_(states), longest_(longest_step), turns_(ends_at_turns) {}

  void start(double t, const double* y) {
    // From where the last step ended it goes on with all digits that it has.
    const bool goes_on = is_open_ && is_at_end_ && t == t1_ && std::equal(y, y + n_, y1_.begin());
    t0_ = t1_ = t;
    if (goes_on) return;
    std::copy_n(y, n_, y1_.begin());
    flow_.start_at(t, y);
    is_open_ = is_at_end_ = false;
    stuck_for_ = 0;
  }

  outcome step(double limit, double /*latest*/) {
    t0_ = t1_;
    if (is_open_ && is_at_end_) {
      flow_.take_end(how_);
      flow_.go_on();
      is_open_ = false;
    }
    // Phases that take no time are not shown.
    while (!is_open_) {
      how_ = flow_.find_end(limit, turns_);
      if (how_ == phase_ending::stalled) return outcome::step_too_small;
      end_ = std::min(limit, std::max(flow_.end_time(), t0_));
      is_open_ = true;
      if (end_ > t0_ || how_ == phase_ending::at_limit) break;
      if (++stuck_for_ > most_at_once) return outcome::step_too_small;
      flow_.take_end(how_);
      flow_.go_on();
      is_open_ = false;
    }
    stuck_for_ = 0;
    const double middle = t0_ + 0.5 * (end_ - t0_);
    const bool is_half = t0_ <= flow_.phase_start() && middle > t0_ && middle < end_;
    t1_ = std::min(is_half ? middle : end_, t0_ + longest_);
    if (!(t1_ > t0_)) t1_ = end_;
    is_at_end_ = t1_ == end_;
    inside(t1_, y1_.data());
    return detail::all_finite(y1_.data(), n_) ? outcome::completed : outcome::not_finite;
  }

  double t() const { return t1_; }
  double before() const { return t0_; }
  const double* y() const { return y1_.data(); }
  void at(double t, double* out) const {
    if (t >= t1_) {
      std::copy_n(y1_.begin(), n_, out);
    } else {
      inside(t, out);
    }
  }
  // Of the friction or of the contact.
  double force(double t) const { return flow_.force(since_start(t)); }
  long evaluations() const { return flow_.looks(); }
  long rejected() const { return 0; }
  long switches() const { return flow_.switches(); }

 private:
  static constexpr int most_at_once = 1000;

  Flow flow_;
  int n_;
  double longest_;
  bool turns_;
  double t0_ = 0, t1_ = 0, end_ = 0;
  // A phase whose end was found, and whether the last step ended there.
  bool is_open_ = false, is_at_end_ = false;
  phase_ending how_ = phase_ending::at_limit;
  int stuck_for_ = 0;
  std::array<double, most_states> y1_{};

  double since_start(double t) const {
    return t >= end_ ? flow_.end() : std::clamp(flow_.since_start(t), 0.0, flow_.end());
  }
  void inside(double t, double* out) const {
    std::copy_n(y1_.begin(), n_, out);  // states that stay
    flow_.states_at(since_start(t), t, out);
  }
};

using exact_stepper = flow_stepper<sliding_flow>;
using contact_stepper = flow_stepper<bouncing_flow>;

}  // namespace asperity
