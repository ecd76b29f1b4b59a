// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every method behind one face, so that output, events, interruption and failure are written once
// (see run.hpp). A stepper advances one step at a time and can look back into its last step:
//
//   void start(double t, const double* y);
//   outcome step(double limit, double latest);   one step, not beyond limit
//   double t() const, before() const;            it ran from before() to t()
//   const double* y() const;
//   void at(double t, double* out) const;        the state inside it
//   void again(double t, double* out);           where `at` interpolates: by a shorter step
//   long evaluations() const, rejected() const;
//
// `latest` is the last instant before a jump of the inputs at `limit`: rates are never asked for
// later than that, so a step that ends at a jump sees only what precedes it.

#include <algorithm>
#include <array>
#include <asperity/integrate/fixed_step.hpp>
#include <asperity/integrate/outcome.hpp>
#include <asperity/integrate/step_control.hpp>
#include <asperity/integrate/step_grid.hpp>
#include <cmath>

namespace asperity {

// Relative tolerance for all states and absolute tolerance for each.
struct tolerances {
  double relative = 1e-6;
  static constexpr int most_states = 128;
  std::array<double, most_states> absolute = [] {
    std::array<double, most_states> all{};
    all.fill(1e-9);
    return all;
  }();
};

namespace detail {

inline bool all_finite(const double* y, int n) {
  for (int i = 0; i < n; ++i)
    if (!std::isfinite(y[i])) return false;
  return true;
}

// The error allowed in a state between `from` and `to`: by its tolerances, and its rounding.
inline double allowed_error(const tolerances& wanted, std::size_t i, double from, double to) {
  constexpr double rounding = 1e-15;
  return wanted.absolute[i] +
         std::max(wanted.relative, rounding) * std::max(std::abs(from), std::abs(to));
}

// States whose error is compared with the tolerances: not the flows of an audit, so that looking at
// the energy never changes a run.
template <class System>
int compared_states(const System& system) {
  if constexpr (requires { system.compared(); }) {
    return system.compared();
  } else {
    return system.size();
  }
}

// A system asked for nothing later than `latest`.
template <class System>
struct until {
  const System& system;
  double latest;
  static constexpr int capacity = System::capacity;
  int size() const { return system.size(); }
  void rates(double t, const double* y, double* rate) const {
    system.rates(std::min(t, latest), y, rate);
  }
  void solve_stage(double t, double h, const double* start,
                   double* y) const requires closed_form_system<System> {
    system.solve_stage(std::min(t, latest), h, start, y);
  }
};

// What fixed-step methods share: the grid t = start + n h (step_grid.hpp), and the way to look inside
// a step: a shorter step of the same method from the same start. So an event inside a step never sees
// what the rest of the step did.
// Take(system, t, h, y) is a step, which asks for rates so many times.
template <class System, auto Take, int Evaluations>
class grid_stepper {
 public:
  static constexpr int N = System::capacity;

  grid_stepper(const System& system, double h) : system_(system), h_(h) {}

  void start(double t, const double* y) {
    origin_ = t1_ = t;
    count_ = 0;
    std::copy_n(y, system_.size(), y1_.begin());
  }

  outcome step(double limit, double latest) {
    t0_ = t1_;
    std::copy_n(y1_.begin(), system_.size(), y0_.begin());
    latest_ = latest;
    ++count_;
    const grid_step next = step_on_grid(t0_, origin_ + static_cast<double>(count_) * h_, limit, h_);
    t1_ = next.to;
    move(t0_, next.length, latest, y1_.data());
    return all_finite(y(), system_.size()) ? outcome::completed : outcome::not_finite;
  }

  double t() const { return t1_; }
  double before() const { return t0_; }
  const double* y() const { return y1_.data(); }
  void at(double t, double* out) const {
    const bool at_end = t >= t1_;
    std::copy_n((at_end ? y1_ : y0_).begin(), system_.size(), out);
    if (!at_end && t > t0_) move(t0_, t - t0_, latest_, out);
  }
  long evaluations() const { return count_ * Evaluations; }
  long rejected() const { return 0; }

 private:
  void move(double t, double h, double latest, double* y) const {
    Take(until<System>{system_, latest}, t, h, y);
    if constexpr (requires { system_.tidy(y); }) system_.tidy(y);
  }

  const System& system_;
  double h_;
  double origin_ = 0, t0_ = 0, t1_ = 0, latest_ = 0;
  long count_ = 0;
  std::array<double, N> y0_{}, y1_{};
};

}  // namespace detail

// ---- fixed step ---------------------------------------------------------------------------------

namespace detail {

// A step without the rates at its end.
template <class System, auto Step>
void without_rates(const until<System>& system, double t, double h, double* y) {
  double rate[System::capacity];
  Step(system, t, h, y, rate);
}

// Whether a body stops or turns in a step from y to `end` on friction that holds more at rest than
// it resists in motion. The stages of a step of order 2 see such a body beyond rest, and there the
// friction no longer holds what it would hold at rest: backward Euler stops it.
template <class System>
bool stops_on_a_grip(const System& system, double t, const double* y, const double* end) {
  if constexpr (requires { system.has_sides(); }) {
    if (!system.has_sides()) return false;
    const double before = system.slip(y), after = system.slip(end);
    return before != 0 && !(before * after > 0) && system.slip_grip(t, y) > 0;
  } else {
    return false;
  }
}

template <class System>
void sdirk2_or_stop(const until<System>& system, double t, double h, double* y) {
  std::array<double, System::capacity> start, rate;
  std::copy_n(y, system.size(), start.begin());
  sdirk2_step(system, t, h, y, rate.data());
  if (!stops_on_a_grip(system.system, t, start.data(), y)) return;
  std::copy_n(start.begin(), system.size(), y);
  backward_euler_step(system, t, h, y, rate.data());
}

template <class System>
void own_step_of(const until<System>& system, double t, double h, double* y) {
  system.system.advance(t, std::min(h, std::max(system.latest - t, 0.0)), y);
}

}  // namespace detail

template <ode_system System>
using euler_stepper = detail::grid_stepper<System, euler_step<detail::until<System>, double>, 1>;

template <ode_system System>
using rk4_stepper = detail::grid_stepper<System, rk4_step<detail::until<System>, double>, 4>;

template <closed_form_system System>
using backward_euler_stepper = detail::grid_stepper<
    System, detail::without_rates<System, backward_euler_step<detail::until<System>, double>>, 1>;

template <closed_form_system System>
using sdirk2_stepper = detail::grid_stepper<System, detail::sdirk2_or_stop<System>, 2>;

// For models whose memory is not an ODE: the system's own step.
template <advancing_system System>
using advance_stepper = detail::grid_stepper<System, detail::own_step_of<System>, 1>;

// ---- closed-form implicit, adaptive: the default for stiff friction and contact -----------------

template <closed_form_system System>
class trbdf2_stepper {
 public:
  static constexpr int N = System::capacity;

  trbdf2_stepper(const System& system, const tolerances& wanted, double first_step,
                 double longest_step)
      : system_(system), wanted_(wanted), control_({3, 4, 0.8, 0.25}, first_step, longest_step) {}

  void start(double t, const double* y) {
    t1_ = t;
    std::copy_n(y, system_.size(), y1_.begin());
    find_rates(system_);
  }

  outcome step(double limit, double latest) {
    const int n = system_.size();
    t0_ = t1_;
    copy(y1_, y0_);
    copy(f1_, f0_);
    latest_ = latest;
    const detail::until<System> system{system_, latest};
    for (int attempt = 0; attempt < 60; ++attempt) {
      const auto [h, last] = control_.next(t0_, limit);
      copy(y0_, y1_);
      copy(f0_, f1_);
      std::array<double, N> error;
      trbdf2_step(system, t0_, h, y1_.data(), f1_.data(), error.data());
      evaluations_ += 2;
      const bool is_finite = detail::all_finite(y1_.data(), n);
      // Perhaps a stage that has no solution at this length.
      if (!is_finite && (attempt == 12 || last_resort(h))) return outcome::not_finite;
      if (control_.take(t0_, h, is_finite ? worst_error(error, y0_, y1_) : HUGE_VAL, last)) {
        t1_ = last ? limit : t0_ + h;
        stops_ = detail::stops_on_a_grip(system_, t0_, y0_.data(), y1_.data());
        if (stops_) {
          copy(y0_, y1_);
          backward_euler_step(system, t0_, h, y1_.data(), f1_.data());
          find_rates(system);
          evaluations_ += 2;
        }
        return outcome::completed;
      }
      if (detail::step_control::is_shortest(t0_, h)) return outcome::step_too_small;
    }
    return outcome::step_too_small;
  }

  double t() const { return t1_; }
  double before() const { return t0_; }
  const double* y() const { return y1_.data(); }
  void at(double t, double* out) const {
    const bool at_end = t >= t1_;
    std::copy_n((at_end ? y1_ : y0_).begin(), system_.size(), out);
    if (at_end || t <= t0_) return;
    std::array<double, N> rate, error;
    copy(f0_, rate);
    const detail::until<System> system{system_, latest_};
    if (stops_) {
      backward_euler_step(system, t0_, t - t0_, out, rate.data());
    } else {
      trbdf2_step(system, t0_, t - t0_, out, rate.data(), error.data());
    }
  }
  long evaluations() const { return evaluations_; }
  long rejected() const { return control_.rejected(); }

  double planned() const { return control_.planned(); }
  void plan(double h) { control_.plan(h); }
  const double* trial(double h, double latest) {
    std::array<double, N> rate, error;
    copy(y1_, tried_);
    copy(f1_, rate);
    trbdf2_step(detail::until<System>{system_, latest}, t1_, h, tried_.data(), rate.data(),
                error.data());
    evaluations_ += 2;
    const bool is_fine =
        detail::all_finite(tried_.data(), system_.size()) && worst_error(error, y1_, tried_) <= 1;
    return is_fine ? tried_.data() : nullptr;
  }
  bool leap(double h, double latest) {
    t0_ = t1_;
    copy(y1_, y0_);
    copy(f1_, f0_);
    latest_ = latest;
    stops_ = false;
    std::array<double, N> error;
    trbdf2_step(detail::until<System>{system_, latest}, t0_, h, y1_.data(), f1_.data(),
                error.data());
    evaluations_ += 2;
    t1_ = t0_ + h;
    return detail::all_finite(y1_.data(), system_.size());
  }

 private:
  // A very short backward Euler step finds the selection that a set-valued law takes at rest: far
  // shorter than a step, yet long enough that rounding of the states does not show in their rates.
  template <class Asked>
  void find_rates(const Asked& system) {
    std::array<double, N> short_step;
    copy(y1_, short_step);
    const double instant = std::max(1e-9 * control_.planned(), 1e-12 * control_.longest());
    backward_euler_step(system, t1_, instant, short_step.data(), f1_.data());
  }

  double worst_error(const std::array<double, N>& error, const std::array<double, N>& from,
                     const std::array<double, N>& to) const {
    double worst = 0;
    for (int i = 0; i < detail::compared_states(system_); ++i)
      worst = std::max(
          worst, std::abs(error[i]) /
                     detail::allowed_error(wanted_, static_cast<std::size_t>(i), from[i], to[i]));
    return worst;
  }

  void copy(const std::array<double, N>& from, std::array<double, N>& to) const {
    std::copy_n(from.begin(), system_.size(), to.begin());
  }

  // Steps of the size of rounding are not worth trying.
  bool last_resort(double h) const { return h <= 1e-12 * std::max(1.0, std::abs(t0_)); }

  const System& system_;
  tolerances wanted_;
  double t0_ = 0, t1_ = 0, latest_ = 0;
  bool stops_ = false;  // in the last step
  detail::step_control control_;
  long evaluations_ = 0;
  std::array<double, N> y0_{}, y1_{}, f0_{}, f1_{}, tried_{};
};

}  // namespace asperity
