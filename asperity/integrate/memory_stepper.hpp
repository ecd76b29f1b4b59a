// SPDX-License-Identifier: Apache-2.0
#pragma once

// Adaptive steps of systems around models whose memory is not an ODE. Such a memory has no error
// estimate of its own and cannot be interpolated: each step is taken as a whole and in two parts,
// and the latter are kept. Bodies and force are compared; the memory may be a list or an index,
// which differences say nothing about. `Motion` has
//
//   capacity, size()                            as a system
//   int bodies() const                          states of the bodies, which are the first ones
//   double force(t, y) const
//   double move(t, h, y, bool to_turn) const    a step to t + h or, where that is wanted and comes
//                                               before, to where the motion turns; returns its
//                                               length, or 0 where there is no such step
//   bool is_prescribed() const                  where it is true steps begin short after a turn.
//                                               They may have no error to keep them so, and friction
//                                               that sticks at a turn and slips soon after would do
//                                               both inside one of them, unseen

#include <asperity/integrate/stepper.hpp>

namespace asperity {

template <class Motion>
class memory_stepper {
 public:
  static constexpr int N = Motion::capacity;

  memory_stepper(const Motion& motion, const tolerances& wanted, double first_step,
                 double longest_step)
      : motion_(motion),
        wanted_(wanted),
        h_(first_step),
        first_(first_step),
        longest_(longest_step) {}

  void start(double t, const double* y) {
    t1_ = t;
    std::copy_n(y, motion_.size(), y1_.begin());
  }

  outcome step(double limit, double latest) {
    t0_ = t1_;
    y0_ = y1_;
    latest_ = latest;
    for (int attempt = 0; attempt < 100; ++attempt) {
      const double remaining = limit - t0_;
      const double least = detail::shortest_steps::length(t0_), planned = std::max(h_, least);
      bool last = planned >= remaining * (1 - 1e-9);
      double h = last ? remaining : std::max(least, std::min(planned, 0.5 * remaining));
      const double planned_h = h, error = attempt_step(h);
      const bool turned = h < planned_h;
      last = last && !turned;
      // The estimate is of third order; 0.9 leaves room, and the change is kept within bounds.
      const double factor = std::clamp(0.9 / std::cbrt(std::max(error, 1e-12)), 0.2, 4.0);
      if (error <= 1 || shortest_.may_take(t0_, h)) {
        shortest_.took(t0_, h, error <= 1);
        t1_ = last ? limit : t0_ + h;
        // A step that was cut short says nothing about longer ones.
        if (factor < 1 || (!last && !turned)) h_ = std::min(longest_, h * factor);
        if (turned && motion_.is_prescribed()) h_ = std::min(h_, first_);
        return detail::all_finite(y(), motion_.size()) ? outcome::completed : outcome::not_finite;
      }
      if (h <= least) return failed_ ? outcome::not_finite : outcome::step_too_small;
      h_ = h * std::min(factor, 0.8);
      ++rejected_;
    }
    return outcome::step_too_small;
  }

  double t() const { return t1_; }
  double before() const { return t0_; }
  const double* y() const { return y1_.data(); }
  void at(double t, double* out) const {
    const bool is_end = t >= t1_, is_late = t >= middle_;
    std::copy_n((is_end ? y1_ : is_late ? y_middle_ : y0_).begin(), motion_.size(), out);
    const double from = is_late ? middle_ : t0_;
    if (!is_end && t > from) move(from, t - from, out, false);
  }
  long evaluations() const { return evaluations_; }
  long rejected() const { return rejected_; }

 private:
  // Not halves: a model that takes pieces of its own inside a step might take the same ones again.
  static constexpr double first_part = 0.618;
  static constexpr double no_step = 1e9;  // error of a step that there is not

  Motion motion_;
  tolerances wanted_;
  double h_, first_, longest_;
  double t0_ = 0, t1_ = 0, middle_ = 0, latest_ = 0, largest_ = 0;
  bool failed_ = false;  // the last attempt
  detail::shortest_steps shortest_;
  long evaluations_ = 0, rejected_ = 0;
  std::array<double, N> y0_{}, y_middle_{}, y1_{};

  // Nothing is asked for later than `latest_`.
  double move(double t, double h, double* y, bool to_turn) const {
    const double length = std::min(h, latest_ - t);
    if (!(length > 0)) return h;
    const double taken = motion_.move(t, length, y, to_turn);
    return taken == length ? h : taken;
  }

  // Goes to y1_ by h, or less where the motion turns, and returns its error as a part of the
  // allowed.
  double attempt_step(double& h) {
    failed_ = true;
    std::array<double, N> whole = y0_;
    evaluations_ += 3;
    const double taken = move(t0_, h, whole.data(), true);
    if (!(taken > 0)) return no_step;
    h = std::min(h, std::max(taken, detail::shortest_steps::length(t0_)));
    // Lengths, not times: in a short step the latter are mostly rounding.
    const double part = first_part * h;
    middle_ = t0_ + part;
    y_middle_ = y0_;
    if (!(move(t0_, part, y_middle_.data(), false) > 0)) return no_step;
    y1_ = y_middle_;
    if (!(move(middle_, h - part, y1_.data(), false) > 0)) return no_step;
    const double error = difference(std::min(t0_ + h, latest_), whole.data());
    failed_ = !std::isfinite(error);
    return failed_ ? no_step : error;
  }

  double difference(double t, const double* whole) {
    double worst = 0;
    const auto compare = [&](int i) {
      worst = std::max(
          worst, std::abs(whole[i] - y1_[i]) /
                     detail::allowed_error(wanted_, static_cast<std::size_t>(i), y0_[i], y1_[i]));
    };
    for (int i = 0; i < motion_.bodies(); ++i) compare(i);
    // The force relative to the largest so far.
    const double f = motion_.force(t, y1_.data()), off = std::abs(motion_.force(t, whole) - f);
    largest_ = std::max(largest_, std::abs(f));
    return off == 0 ? worst : std::max(worst, off / (wanted_.relative * largest_));
  }
};

}  // namespace asperity
