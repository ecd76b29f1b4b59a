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
//   bool leap(t, h, y) const                    a step that damps a swing instead of following it;
//                                               false where there is none. Taken where millions of
//                                               turns lie ahead, of a swing that neither the place of
//                                               the bodies nor their friction shows (automatic.hpp)

#include <asperity/integrate/automatic.hpp>
#include <asperity/integrate/stepper.hpp>
#include <limits>

namespace asperity {

template <class Motion>
class memory_stepper {
 public:
  static constexpr int N = Motion::capacity;

  memory_stepper(const Motion& motion, const tolerances& wanted, double first_step,
                 double longest_step)
      : motion_(motion),
        wanted_(wanted),
        first_(first_step),
        control_({3, 4, 0.8, 0.2}, first_step, longest_step) {}

  void start(double t, const double* y) {
    t1_ = t;
    std::copy_n(y, motion_.size(), y1_.begin());
  }

  outcome step(double limit, double latest) {
    t0_ = t1_;
    y0_ = y1_;
    latest_ = latest;
    if (++steps_ % between_looks == 0) look_for_swing(limit);
    leapt_ = leaps_ahead_ > 0 && take_leap();
    if (leapt_) return outcome::completed;
    for (int attempt = 0; attempt < 100; ++attempt) {
      auto [h, last] = control_.next(t0_, limit);
      const double planned = h, error = attempt_step(h);
      const bool turned = h < planned;
      if (control_.take(t0_, h, error, last || turned)) {
        t1_ = last && !turned ? limit : t0_ + h;
        if (turned && motion_.is_prescribed()) control_.plan(std::min(control_.planned(), first_));
        return detail::all_finite(y(), motion_.size()) ? outcome::completed : outcome::not_finite;
      }
      if (detail::step_control::is_shortest(t0_, h))
        return failed_ ? outcome::not_finite : outcome::step_too_small;
    }
    return outcome::step_too_small;
  }

  double t() const { return t1_; }
  double before() const { return t0_; }
  const double* y() const { return y1_.data(); }
  void at(double t, double* out) const {
    if (leapt_) {
      const double share = (t - t0_) / (t1_ - t0_);
      std::copy_n((share < 1 ? y0_ : y1_).begin(), motion_.size(), out);
      for (int i = 0; i < motion_.bodies(); ++i)
        out[i] += share < 1 ? share * (y1_[i] - y0_[i]) : 0;
      return;
    }
    const bool is_end = t >= t1_, is_late = t >= middle_;
    std::copy_n((is_end ? y1_ : is_late ? y_middle_ : y0_).begin(), motion_.size(), out);
    const double from = is_late ? middle_ : t0_;
    if (!is_end && t > from) move(from, t - from, out, false);
  }
  long evaluations() const { return evaluations_; }
  long rejected() const { return control_.rejected(); }
  const damped_swing& damped() const { return damped_; }

 private:
  // Not halves: a model that takes pieces of its own inside a step might take the same ones again.
  static constexpr double first_part = 0.618;
  static constexpr double no_step = 1e9;  // error of a step that there is not
  // Errors above this are no rounding, whatever the last bits do: friction may turn on them.
  static constexpr double much_rounding = 1000, bits_of_rounding = 8;

  Motion motion_;
  tolerances wanted_;
  double first_;
  double t0_ = 0, t1_ = 0, middle_ = 0, latest_ = 0, largest_ = 0;
  bool failed_ = false;  // the last attempt
  detail::step_control control_;
  long evaluations_ = 0;
  std::array<double, N> y0_{}, y_middle_{}, y1_{};

  // Steps between two looks, the last of which are looked at; steps that must lie ahead; how much
  // longer than these the leaps are; and what nobody sees of a place, and little of a force.
  static constexpr long between_looks = 50'000, looked_at = 64;
  static constexpr double worth_it = 2e6, stretch = 512, seen_in_place = 1e-3, seen_in_force = 0.05;
  static constexpr int leaps = 20;
  long steps_ = 0;
  double look_t_ = 0, leap_ = 0;
  int leaps_ahead_ = 0;
  bool leapt_ = false;  // in the last step
  damped_swing damped_;

  void look_for_swing(double limit) {
    const double gone = t1_ - look_t_, h = gone / between_looks;
    look_t_ = t1_;
    if ((limit - t1_) / h < worth_it || 2 * leaps * stretch * h > limit - t1_) return;
    // The swing, followed beside the run for some turns.
    std::array<double, N> y = y1_;
    const auto bodies = static_cast<std::size_t>(motion_.bodies());
    std::vector<double> low(y.begin(), y.begin() + bodies), high = low;
    double t = t1_, f_low = motion_.force(t, y.data()), f_high = f_low;
    for (long i = 0; i < looked_at; ++i) {
      const double taken = motion_.move(t, std::min(control_.planned(), 4 * h), y.data(), true);
      if (!(taken > 0)) return;
      t += taken;
      const double f = motion_.force(t, y.data());
      f_low = std::min(f_low, f);
      f_high = std::max(f_high, f);
      for (std::size_t k = 0; k < bodies; ++k) {
        low[k] = std::min(low[k], y[k]);
        high[k] = std::max(high[k], y[k]);
      }
    }
    if (high[0] - low[0] > seen_in_place * std::max(std::abs(high[0]), std::abs(low[0])) ||
        f_high - f_low > seen_in_force * std::max({largest_, std::abs(f_low), std::abs(f_high)}))
      return;
    leaps_ahead_ = leaps;
    leap_ = stretch * h;
    if (damped_.times++ == 0) damped_.since = t1_;
    damped_.width.resize(bodies);
    for (std::size_t k = 0; k < bodies; ++k)
      damped_.width[k] = std::max(damped_.width[k], high[k] - low[k]);
  }

  // Of lengths that no period of the swing can follow.
  bool take_leap() {
    const double longer = 0.6180339887498949 * leaps_ahead_--;
    const double h = leap_ * (1 + longer - std::floor(longer));
    if (t0_ + h > latest_ || !motion_.leap(t0_, h, y1_.data())) {
      leaps_ahead_ = 0;
      y1_ = y0_;
      return false;
    }
    ++evaluations_;
    t1_ = t0_ + h;
    return true;
  }

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
    const double end = std::min(t0_ + h, latest_);
    largest_ = std::max(largest_, std::abs(motion_.force(end, y1_.data())));
    const double error = difference(end, whole.data(), y1_.data());
    failed_ = !std::isfinite(error);
    if (failed_) return no_step;
    return error > 1 && error < much_rounding && error < rounding(end, h - part) ? 1 : error;
  }

  // What the last bits of the bodies make of the second part of the step, and what was added to
  // them at its end. A light mass on a stiff spring swings by them, and no step is short enough
  // to have less.
  double rounding(double end, double h) {
    std::array<double, N> other = y_middle_;
    for (int i = 0; i < motion_.bodies(); ++i)
      other[i] = std::nextafter(other[i], std::numeric_limits<double>::infinity());
    evaluations_ += 2;
    if (!(move(middle_, h, other.data(), false) > 0)) return 0;
    return bits_of_rounding * difference(end, other.data(), y1_.data());
  }

  // As a part of the allowed; of the force relative to the largest so far.
  double difference(double t, const double* one, const double* other) const {
    double worst = 0;
    for (int i = 0; i < motion_.bodies(); ++i)
      worst = std::max(
          worst, std::abs(one[i] - other[i]) /
                     detail::allowed_error(wanted_, static_cast<std::size_t>(i), y0_[i], other[i]));
    const double off = std::abs(motion_.force(t, one) - motion_.force(t, other));
    return off == 0 ? worst : std::max(worst, off / (wanted_.relative * largest_));
  }
};

}  // namespace asperity
