// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dormand and Prince's method of order 5 with dense output. The method is Boost.odeint's; the
// choice of the step is ours, because a bristle deflects by micrometres where the body moves by
// metres and so every state has its own absolute tolerance, and because failure is an outcome, not
// a throw.

#include <asperity/integrate/stepper.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <vector>

namespace asperity {

template <ode_system System>
class dopri5_stepper {
 public:
  dopri5_stepper(const System& system, const tolerances& wanted, double first_step,
                 double longest_step)
      : system_(system), wanted_(wanted), h_(first_step), longest_(longest_step) {}

  void start(double t, const double* y) {
    const auto n = static_cast<std::size_t>(system_.size());
    y1_.assign(y, y + n);
    for (auto* each : {&y0_, &f0_, &f1_, &error_}) each->assign(n, 0.0);
    method_.adjust_size(y1_);
    shorter_.adjust_size(y1_);
    t0_ = t1_ = t;
    fresh_ = true;
  }

  outcome step(double limit, double latest) {
    latest_ = latest;
    const auto rates = rates_until_latest();
    if (fresh_) rates(y1_, f1_, t1_);
    fresh_ = false;
    std::swap(y0_, y1_);
    std::swap(f0_, f1_);
    t0_ = t1_;
    for (int attempt = 0; attempt < 60; ++attempt) {
      const double remaining = limit - t0_;
      const double least = detail::shortest_steps::length(t0_), planned = std::max(h_, least);
      const bool last = planned >= remaining * (1 - 1e-9);
      const double h =
          last ? remaining : std::max(least, std::min({planned, longest_, 0.5 * remaining}));
      method_.do_step(rates, y0_, f0_, t0_, y1_, f1_, h, error_);
      const double worst = worst_error();
      // 0.9 leaves room; a state that is not finite asks for a much shorter step.
      const double factor = std::isfinite(worst)
                                ? std::clamp(0.9 * std::pow(std::max(worst, 1e-10), -0.2), 0.2, 5.0)
                                : 0.1;
      if (worst <= 1 || (std::isfinite(worst) && shortest_.may_take(t0_, h))) {
        shortest_.took(t0_, h, worst <= 1);
        t1_ = last ? limit : t0_ + h;
        if (!last || factor < 1) h_ = std::min(longest_, h * factor);
        return outcome::completed;
      }
      if (h <= least) break;
      h_ = h * std::min(factor, 0.9);
      ++rejected_;
    }
    return detail::all_finite(y1_.data(), system_.size()) ? outcome::step_too_small
                                                          : outcome::not_finite;
  }

  double t() const { return t1_; }
  double before() const { return t0_; }
  const double* y() const { return y1_.data(); }
  void at(double t, double* out) const {
    std::vector<double> shown(y1_.size());
    method_.calc_state(t, shown, y0_, f0_, t0_, y1_, f1_, t1_);
    std::copy(shown.begin(), shown.end(), out);
  }
  // Interpolation between the ends of a step sees a kink inside it from both sides.
  void again(double t, double* out) {
    if (t <= t0_ || t >= t1_) return at(t, out);
    std::vector<double> y(y0_.size()), f(y0_.size()), error(y0_.size());
    shorter_.do_step(rates_until_latest(), y0_, f0_, t0_, y, f, t - t0_, error);
    std::copy(y.begin(), y.end(), out);
  }
  long evaluations() const { return evaluations_; }
  long rejected() const { return rejected_; }

 private:
  const System& system_;
  tolerances wanted_;
  double h_, longest_;
  double t0_ = 0, t1_ = 0, latest_ = 0;
  detail::shortest_steps shortest_;
  bool fresh_ = true;
  long evaluations_ = 0, rejected_ = 0;
  // `method_` keeps the stages of the last step, which interpolation needs.
  boost::numeric::odeint::runge_kutta_dopri5<std::vector<double>> method_, shorter_;
  std::vector<double> y0_, y1_, f0_, f1_, error_;

  auto rates_until_latest() {
    return [this](const std::vector<double>& y, std::vector<double>& rate, double t) {
      ++evaluations_;
      system_.rates(std::min(t, latest_), y.data(), rate.data());
    };
  }

  double worst_error() const {
    double worst = 0;
    for (std::size_t i = 0; i < y1_.size(); ++i) {
      const double e = std::abs(error_[i]) / detail::allowed_error(wanted_, i, y0_[i], y1_[i]);
      if (!(e <= worst)) worst = e;  // a NaN is the worst of all
    }
    return worst;
  }
};

}  // namespace asperity
