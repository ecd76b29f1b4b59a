// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inputs as functions of time: constant, ramp, sine, multisine, nodes joined by steps, lines, half
// cosines, monotone cubics or a natural spline (also from a CSV file), pieces of these one after
// another, and forms that others write. input_signal.hpp has those that a scenario can name.

#include <cstddef>
#include <memory>
#include <vector>

namespace asperity {

class signal {
 public:
  enum class joint { hold, linear, half_cosine, cubic, spline };
  struct tone {
    double amplitude = 1, omega = 1, phase = 0;  // amplitude sin(omega t + phase)
  };
  struct piece;
  // Any other function of time.
  struct form {
    virtual ~form() = default;
    virtual double value(double t) const = 0;
    virtual double slope(double t) const = 0;  // derivative from the right
    // [rad/s]: it turns no more often than a sine of this.
    virtual double fastest() const = 0;
    // Where the value or its derivative jumps.
    virtual std::vector<double> breakpoints() const { return {}; }
  };
  enum class kind { constant, ramp, sines, nodes, pieces, other };

  signal() = default;  // zero
  static signal constant(double value);
  // offset + slope (t - start) after `start`, cut at `limit` where one is given.
  static signal ramp(double slope, double start = 0, double offset = 0);
  static signal ramp_to(double slope, double limit, double start = 0, double offset = 0);
  static signal sines(std::vector<tone> tones, double offset = 0);
  // Values at increasing times, held constant outside them. `cubic` is the monotone cubic of
  // Fritsch and Carlson, which has no overshoot: a reversal of the data is a reversal of the
  // signal. `spline` is the natural cubic spline: smoother, with turns of its own between nodes.
  static signal nodes(std::vector<double> times, std::vector<double> values, joint join);
  // Each piece holds until its time, the last one for ever.
  static signal pieces(std::vector<piece> list);
  static signal of(std::shared_ptr<const form>);

  double value(double t) const {
    if (kind_ == kind::constant) return offset_;
    if (kind_ == kind::ramp && !limited_)
      return t <= start_ ? offset_ : offset_ + slope_ * (t - start_);
    return evaluate(t);
  }
  double slope(double t) const;  // derivative from the right
  // Times strictly inside (from, to) at which the value or its derivative jumps.
  std::vector<double> breakpoints(double from, double to) const;
  // The first time in (from, to) at which it turns, or its value changes sign; `to` if there is
  // none. Both ask for an interval without breakpoints.
  double first_turn(double from, double to) const;
  double first_zero(double from, double to) const;
  // Its least value in [from, to) and a time at which it is taken. Sums of several sines are looked
  // at at some times; all others are exact.
  struct extreme {
    double t, value;
  };
  extreme lowest(double from, double to) const;
  // [s] of its sines: steps must not jump over them.
  double shortest_period() const;
  bool is_constant() const { return kind_ == kind::constant; }

  // How it is made up, for those who write it down in another language.
  kind made_of() const { return kind_; }
  joint join() const { return join_; }
  double offset() const { return offset_; }
  double ramp_slope() const { return slope_; }
  double ramp_start() const { return start_; }
  const double* ramp_limit() const { return limited_ ? &limit_ : nullptr; }
  const std::vector<tone>& tones() const { return tones_; }
  const std::vector<double>& node_times() const { return times_; }
  const std::vector<double>& node_values() const { return values_; }
  const std::vector<double>& node_slopes() const { return slopes_; }  // of cubics and splines
  const std::vector<piece>& list() const { return pieces_; }

 private:
  kind kind_ = kind::constant;
  joint join_ = joint::linear;
  double offset_ = 0, slope_ = 0, start_ = 0, limit_ = 0;
  bool limited_ = false;
  std::vector<tone> tones_;
  std::vector<double> times_, values_, slopes_;
  std::vector<piece> pieces_;
  std::shared_ptr<const form> form_;

  double evaluate(double t) const;
  double fastest() const;  // of its sines, or of its form [rad/s]; of pieces, all of them
  bool waves() const { return kind_ == kind::sines || kind_ == kind::other; }
  const signal& piece_at(double t) const;
  std::size_t interval(double t) const;
  // The first time in (from, to), which lie in one interval, at which a spline turns; `to` if none.
  double turn_of_spline(double from, double to) const;
};

struct signal::piece {
  double until;  // the last piece ignores it
  signal shape;
};

// The inputs of a one-mass system, chosen at run time.
struct signal_inputs {
  signal push, end_of_spring, relative_load = signal::constant(1);

  double force(double t) const { return push.value(t); }
  double anchor(double t) const { return end_of_spring.value(t); }
  double load(double t) const { return relative_load.value(t); }
};

}  // namespace asperity
