// SPDX-License-Identifier: Apache-2.0
#pragma once

// The Switch Model (Drincic 2012 (3.27)-(3.37) after Leine and Nijmeijer): integrates a body whose
// friction jumps at v = 0. Let a_+ and a_- be its accelerations on either side of v = 0:
//
//   a_+ <= 0 <= a_-   attractive: it sticks; v_dot = -v/tau, so that v = 0 stays exactly 0, and the
//                     other rates are alpha f_+ + (1 - alpha) f_-,
//                     alpha = (a_- + v/tau)/(a_- - a_+)
//   of one sign       transversal: it goes through v = 0
//   a_- < 0 < a_+     repulsive: it leaves forwards, by the source's choice (3.36)
//
// Friction that holds more at rest than it resists in motion has a grip g on top, as an
// acceleration (`slip_grip`): it sticks while a_+ - g <= 0 <= a_- + g.
//
// Velocities within eta count as v = 0 when the mode is chosen. But v = 0 is not approached through
// that band: the instant at which v crosses it is located inside the step, the step is cut there
// and v set to 0, so that nothing chatters, however small eta is. The instant at which a stuck body
// breaks away is located likewise. Between these instants each side is smooth in v and is given to
// a method for smooth systems, Dormand-Prince if none else is wanted, which finds jumps in x by
// itself.

#include <asperity/integrate/dopri5.hpp>
#include <asperity/integrate/run.hpp>
#include <memory>

namespace asperity {

// A system whose rates jump where a body slips neither way. v above is `slip(y)`: the velocity of a
// mass, of a rolling disc's lowest point, of a mass against its belt.
template <class System>
concept switched_system = ode_system<System> &&
    requires(const System& system, double t, const double* y, double* rate) {
  system.side_rates(t, y, t, rate);  // towards one direction
  { system.slip(y) } -> std::convertible_to<double>;
  { system.slip_rate(y) } -> std::convertible_to<double>;  // of it, among the rates
  system.add_slip(rate, t);  // makes the slip of a state, or its rate among rates, greater by t
};

// What rest holds beyond motion; most systems have no such friction.
template <switched_system System>
double grip_of_slip(const System& system, double t, const double* y) {
  if constexpr (requires { system.slip_grip(t, y); }) {
    return system.slip_grip(t, y);
  } else {
    return 0;
  }
}

struct switch_parameters {
  double eta = 1e-8;  // velocities below it count as rest when a mode is chosen [m/s]
  double tau = 1e-2;  // with which a velocity within eta decays while stuck [s]
};

enum class sliding_mode { forwards, backwards, stuck };

namespace detail {

// The smooth system of one mode.
template <switched_system System>
struct mode_field {
  const System& system;
  switch_parameters parameters;
  sliding_mode mode = sliding_mode::stuck;

  static constexpr int capacity = System::capacity;
  int size() const { return system.size(); }
  int compared() const { return compared_states(system); }

  void rates(double t, const double* y, double* rate) const {
    if (mode == sliding_mode::forwards) return system.side_rates(t, y, 1.0, rate);
    if (mode == sliding_mode::backwards) return system.side_rates(t, y, -1.0, rate);
    double ahead[capacity], back[capacity];
    system.side_rates(t, y, 1.0, ahead);
    system.side_rates(t, y, -1.0, back);
    const double decay = system.slip(y) / parameters.tau;
    const double a_back = system.slip_rate(back), jump = a_back - system.slip_rate(ahead);
    // A grip holds beyond both sides; rates are linear in the force, there as between them.
    const double beyond = jump > 0 ? grip_of_slip(system, t, y) / jump : 0;
    const double alpha = jump > 0 ? std::clamp((a_back + decay) / jump, -beyond, 1 + beyond) : 0.5;
    for (int i = 0; i < size(); ++i) rate[i] = alpha * ahead[i] + (1 - alpha) * back[i];
    system.add_slip(rate, -decay - system.slip_rate(rate));
  }
};

}  // namespace detail

template <switched_system System, class Inner = dopri5_stepper<detail::mode_field<System>>>
class switch_stepper {
 public:
  using field = detail::mode_field<System>;

  switch_stepper(const System& system, const tolerances& wanted, double first_step,
                 double longest_step, const switch_parameters& parameters = {})
      : switch_stepper(system, parameters, [&](const field& smooth) {
          return Inner(smooth, wanted, first_step, longest_step);
        }) {}
  // make(field) gives the method for the smooth system.
  template <class Make>
  switch_stepper(const System& system, const switch_parameters& parameters, const Make& make)
      : field_(std::make_unique<field>(field{system, parameters})), inner_(make(*field_)) {}

  void start(double t, const double* y) {
    t0_ = t1_ = t;
    y1_.assign(y, y + field_->size());
    fresh_ = true;
  }

  outcome step(double limit, double latest) {
    t0_ = t1_;
    latest_ = latest;
    const double v = slip(y1_);
    change_to(choose());
    outcome how = advance(limit);
    if (how != outcome::completed) return how;
    if (field_->mode != sliding_mode::stuck && finish_sliding(v)) return outcome::completed;
    if (field_->mode != sliding_mode::stuck) {  // it could not leave v = 0: it stays for this step
      std::copy(y0_.begin(), y0_.end(), y1_.begin());
      change_to(sliding_mode::stuck);
      how = advance(limit);
      if (how != outcome::completed) return how;
    }
    finish_stuck();
    return outcome::completed;
  }

  double t() const { return t1_; }
  double before() const { return t0_; }
  const double* y() const { return y1_.data(); }
  void at(double t, double* out) const {
    if (t >= t1_) {
      std::copy(y1_.begin(), y1_.end(), out);
    } else {
      inner_.at(t, out);
    }
  }
  long evaluations() const { return evaluations_ + inner_.evaluations(); }
  long rejected() const { return inner_.rejected(); }
  // In which the last step was made.
  sliding_mode mode() const { return field_->mode; }
  const Inner& inner() const { return inner_; }

  double planned() const { return inner_.planned(); }
  void plan(double h) { inner_.plan(h); }
  // Of a step that slides from its start to its end.
  const double* trial(double h, double latest) {
    latest_ = latest;
    const double v = slip(y1_);
    if (std::abs(v) <= field_->parameters.eta) return nullptr;
    change_to(v > 0 ? sliding_mode::forwards : sliding_mode::backwards);
    inner_.start(t1_, y1_.data());
    fresh_ = false;
    const double* end = inner_.trial(h, latest);
    return end != nullptr && field_->system.slip(end) * v > 0 ? end : nullptr;
  }

 private:
  static constexpr int samples = 8;  // looked at inside a step, not to miss a short event

  std::unique_ptr<field> field_;  // at a fixed place, since inner_ refers to it
  Inner inner_;
  double t0_ = 0, t1_ = 0, latest_ = 0;
  std::vector<double> y0_, y1_;
  bool fresh_ = true;
  long evaluations_ = 0;

  struct accelerations {
    double ahead, back;
  };
  accelerations both_sides(double t, const double* y) {
    double rate[System::capacity];
    evaluations_ += 2;
    field_->system.side_rates(std::min(t, latest_), y, 1.0, rate);
    const double ahead = field_->system.slip_rate(rate);
    field_->system.side_rates(std::min(t, latest_), y, -1.0, rate);
    const double grip = grip_of_slip(field_->system, std::min(t, latest_), y);
    return {ahead - grip, field_->system.slip_rate(rate) + grip};
  }
  double slip(const std::vector<double>& y) const { return field_->system.slip(y.data()); }
  // A slip that is a difference of velocities stays 0 up to their rounding.
  bool rests(const std::vector<double>& y) const {
    return std::abs(slip(y)) <= 1e-6 * field_->parameters.eta;
  }
  void stop_slip() { field_->system.add_slip(y1_.data(), -slip(y1_)); }

  sliding_mode choose() {
    const double v = slip(y1_);
    if (v > field_->parameters.eta) return sliding_mode::forwards;
    if (v < -field_->parameters.eta) return sliding_mode::backwards;
    const auto a = both_sides(t1_, y1_.data());
    if (a.ahead > 0) return sliding_mode::forwards;
    return a.back < 0 ? sliding_mode::backwards : sliding_mode::stuck;
  }

  void change_to(sliding_mode mode) {
    fresh_ = fresh_ || mode != field_->mode;
    field_->mode = mode;
  }

  outcome advance(double limit) {
    y0_ = y1_;
    if (fresh_) inner_.start(t0_, y0_.data());
    fresh_ = false;
    // While v decays the method must not outrun tau.
    const bool decays = field_->mode == sliding_mode::stuck && !rests(y0_);
    const double end = decays ? std::min(limit, t0_ + field_->parameters.tau) : limit;
    const outcome how = inner_.step(end, latest_);
    t1_ = inner_.t();
    y1_.assign(inner_.y(), inner_.y() + field_->size());
    return how;
  }

  // Ends the step at time t inside it.
  void cut(double t) {
    inner_.at(t, y1_.data());
    t1_ = t;
    fresh_ = true;
  }

  double sample(int i) const {
    return i == samples ? inner_.t() : t0_ + (inner_.t() - t0_) * i / samples;
  }

  // Ends a sliding step where v comes to 0. False if the body did not get away from v = 0 at all.
  bool finish_sliding(double v_start) {
    const double s = field_->mode == sliding_mode::forwards ? 1.0 : -1.0;
    std::vector<double> inside(y1_.size());
    const auto speed = [&](double t) {
      inner_.at(t, inside.data());
      return s * slip(inside);
    };
    const auto land = [&](double from, double to, double v_from, double v_to) {
      cut(detail::locate(speed, from, to, v_from, v_to, 1e-14));
      stop_slip();
    };
    double before = t0_, v_before = s * v_start;
    if (v_before < 0) return true;  // within eta, on its way through
    // Where it hardly slows down there is nothing to look for.
    const auto [lowest, highest] =
        std::minmax({v_before, speed(sample(samples / 2)), s * slip(y1_)});
    if (highest < 2 * lowest) return true;
    for (int i = 1; i <= samples; ++i) {
      const double now = sample(i), v_now = speed(now);
      if (v_now < 0 && v_before > 0) {
        land(before, now, v_before, v_now);
        return true;
      }
      if (v_now < 0 && v_before == 0) {  // away and back within this piece, or not away at all
        for (int halvings = 1; halvings < 30; ++halvings) {
          const double piece = std::ldexp(now - t0_, -halvings), v_there = speed(t0_ + piece);
          if (v_there > 0) {
            land(t0_ + piece, now, v_there, v_now);
            return true;
          }
        }
        return false;
      }
      before = now;
      v_before = v_now;
    }
    return true;
  }

  // Ends a stuck step where the body breaks away.
  void finish_stuck() {
    if (!rests(y0_) && std::abs(slip(y1_)) < 1e-3 * field_->parameters.eta) {
      stop_slip();
      fresh_ = true;
    }
    std::vector<double> inside(y1_.size());
    const auto excess = [&](double t) {
      inner_.at(t, inside.data());
      const auto a = both_sides(t, inside.data());
      return std::max(a.ahead, -a.back);
    };
    double before = t0_, e_before = excess(t0_);
    for (int i = 1; i <= samples; ++i) {
      const double now = sample(i), e_now = excess(now);
      if (e_now > 0) {
        // On the verge already, it stays for a last small while, so that time goes on.
        const double moment = std::max(1e-6 * (now - before), 1e-12 * std::abs(before));
        const double when = e_before < 0
                                ? detail::locate(excess, before, now, e_before, e_now, 1e-14)
                                : before + moment;
        if (when < t1_) cut(when);
        return;
      }
      before = now;
      e_before = e_now;
    }
  }
};

}  // namespace asperity
