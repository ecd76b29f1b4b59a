// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dormand-Prince 5(4) with dense output of order 4 (Hairer, Norsett and Wanner, Solving Ordinary
// Differential Equations I, II.5 and II.6). Every state has its own absolute tolerance, since a
// bristle deflects by micrometres where the body moves by metres; failure is an outcome.

#include <asperity/integrate/stepper.hpp>

namespace asperity {

namespace detail {

// Coefficients; stages from 1, and those that are 0 left out.
struct dormand_prince {
  static constexpr double c[5] = {1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1};
  static constexpr double a[5][5] = {
      {1.0 / 5},
      {3.0 / 40, 9.0 / 40},
      {44.0 / 45, -56.0 / 15, 32.0 / 9},
      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}};
  // Of stages 1, 3, 4, 5, 6; the estimate of the error also of 7.
  static constexpr double b[5] = {35.0 / 384, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84};
  static constexpr double e[6] = {b[0] - 5179.0 / 57600, b[1] - 7571.0 / 16695,
                                  b[2] - 393.0 / 640,    b[3] - -92097.0 / 339200,
                                  b[4] - 187.0 / 2100,   -1.0 / 40};
};

// One step and what is left of it.
template <int N>
struct dopri5_step {
  double y0[N], y1[N], error[N];
  double k[7][N];  // rates at the stages; the first is given, the last is that of the end

  // rates(t, y, rate) at most at times t ... t + h.
  template <class Rates>
  void take(const Rates& rates, int n, double t, double h) {
    using method = dormand_prince;
    double stage[N];
    for (int s = 0; s < 5; ++s) {
      double weight[5];
      for (int j = 0; j <= s; ++j) weight[j] = h * method::a[s][j];
      for (int i = 0; i < n; ++i) {
        double sum = y0[i];
        for (int j = 0; j <= s; ++j) sum += weight[j] * k[j][i];
        stage[i] = sum;
      }
      rates(t + h * method::c[s], stage, k[s + 1]);
    }
    double weight[5];
    for (int j = 0; j < 5; ++j) weight[j] = h * method::b[j];
    for (int i = 0; i < n; ++i)
      y1[i] = y0[i] + weight[0] * k[0][i] + weight[1] * k[2][i] + weight[2] * k[3][i] +
              weight[3] * k[4][i] + weight[4] * k[5][i];
    rates(t + h, y1, k[6]);
    for (int i = 0; i < n; ++i)
      error[i] = h * method::e[0] * k[0][i] + h * method::e[1] * k[2][i] +
                 h * method::e[2] * k[3][i] + h * method::e[3] * k[4][i] +
                 h * method::e[4] * k[5][i] + h * method::e[5] * k[6][i];
  }

  // Of the states from one to before another, in units of what is allowed.
  double worst_error(int from, int to, const tolerances& wanted) const {
    double worst = 0;
    for (int i = from; i < to; ++i) {
      const double e =
          std::abs(error[i]) / allowed_error(wanted, static_cast<std::size_t>(i), y0[i], y1[i]);
      if (!(e <= worst)) worst = e;  // a NaN is the worst of all
    }
    return worst;
  }

  // The state at the share s of a step of length h.
  void interpolate(int n, double h, double s, double* out) const {
    using method = dormand_prince;
    const double rest = s - 1, square = s * s;
    const double A = square * (3 - 2 * s), B = square * rest, C = square * rest * rest,
                 D = s * rest * rest;
    const double x[6] = {5 * (2558722523.0 - 31403016 * s) / 11282082432.0,
                         100 * (882725551.0 - 15701508 * s) / 32700410799.0,
                         25 * (443332067.0 - 31403016 * s) / 1880347072.0,
                         32805 * (23143187.0 - 3489224 * s) / 199316789632.0,
                         55 * (29972135.0 - 7076736 * s) / 822651844.0,
                         10 * (7414447.0 - 829305 * s) / 29380423.0};
    const double weight[6] = {
        h * (A * method::b[0] - C * x[0] + D), h * (A * method::b[1] + C * x[1]),
        h * (A * method::b[2] - C * x[2]),     h * (A * method::b[3] + C * x[3]),
        h * (A * method::b[4] - C * x[4]),     h * (B + C * x[5])};
    for (int i = 0; i < n; ++i)
      out[i] = y0[i] + weight[0] * k[0][i] + weight[1] * k[2][i] + weight[2] * k[3][i] +
               weight[3] * k[4][i] + weight[4] * k[5][i] + weight[5] * k[6][i];
  }
};

}  // namespace detail

template <ode_system System>
class dopri5_stepper {
 public:
  static constexpr int N = System::capacity;

  dopri5_stepper(const System& system, const tolerances& wanted, double first_step,
                 double longest_step)
      : system_(system), wanted_(wanted), control_(rule, first_step, longest_step) {}

  void start(double t, const double* y) {
    t0_ = t1_ = t;
    std::copy_n(y, system_.size(), last_.y1);
    fresh_ = true;
  }

  outcome step(double limit, double latest) {
    const int n = detail::size_of(system_);
    const auto rates = rates_until(latest);
    latest_ = latest;
    t0_ = t1_;
    // The end of the last step is the start of this one, its rates too.
    know_rates(rates);
    std::copy_n(last_.y1, n, last_.y0);
    std::copy_n(last_.k[6], n, last_.k[0]);
    for (int attempt = 0; attempt < 60; ++attempt) {
      const auto [h, last] = control_.next(t0_, limit);
      last_.take(rates, n, t0_, h);
      if (control_.take(t0_, h, last_.worst_error(0, compared(), wanted_), last)) {
        t1_ = last ? limit : t0_ + h;
        rough_flows_ = compared() < n && !(last_.worst_error(compared(), n, wanted_) <= 1);
        if (rough_flows_) follow_flows(t1_, last_.y1);
        return outcome::completed;
      }
      if (detail::step_control::is_shortest(t0_, h)) break;
    }
    return detail::all_finite(last_.y1, n) ? outcome::step_too_small : outcome::not_finite;
  }

  double t() const { return t1_; }
  double before() const { return t0_; }
  const double* y() const { return last_.y1; }
  void at(double t, double* out) const {
    if (t <= t0_) {
      std::copy_n(last_.y0, system_.size(), out);
    } else {
      last_.interpolate(system_.size(), t1_ - t0_, (t - t0_) / (t1_ - t0_), out);
      if (rough_flows_) follow_flows(std::min(t, t1_), out);
    }
  }
  // Interpolation between the ends of a step sees a kink inside it from both sides.
  void again(double t, double* out) {
    if (t <= t0_ || t >= t1_) return at(t, out);
    const int n = system_.size();
    copy_start(n, last_.y0, last_.k[0]);
    other_.take(rates_until(latest_), n, t0_, t - t0_);
    std::copy_n(other_.y1, n, out);
  }
  long evaluations() const { return evaluations_; }
  long rejected() const { return control_.rejected(); }

  double planned() const { return control_.planned(); }
  void plan(double h) { control_.plan(h); }
  // Three steps in a row: what one step too long for its stability does not show, they do.
  const double* trial(double h, double latest) {
    const int n = system_.size();
    const auto rates = rates_until(latest);
    know_rates(rates);
    copy_start(n, last_.y1, last_.k[6]);
    for (int i = 0; i < 3; ++i) {
      if (i > 0) copy_start(n, other_.y1, other_.k[6]);
      other_.take(rates, n, t1_ + i * h, h);
      if (!(other_.worst_error(0, compared(), wanted_) <= 1)) return nullptr;
    }
    return other_.y1;
  }

 private:
  static constexpr detail::step_rule rule{5, 5, 0.9, 0.1};

  const System& system_;
  tolerances wanted_;
  double t0_ = 0, t1_ = 0, latest_ = 0;
  detail::step_control control_;
  bool fresh_ = true, rough_flows_ = false;
  long evaluations_ = 0;
  detail::dopri5_step<N> last_, other_;  // the latter for steps that are only looked at

  int compared() const { return detail::compared_states(system_); }

  // Flows of an audit do not steer the steps, or looking would change the run. Where powers jump and
  // rates do not, as at the change from one loss to another, they are followed in shorter steps.
  void follow_flows(double until, double* out) const {
    const int n = system_.size();
    const auto rates = [this](double t, const double* y, double* rate) {
      system_.rates(std::min(t, latest_), y, rate);
    };
    detail::dopri5_step<N> piece;
    std::copy_n(last_.y0, n, piece.y0);
    std::copy_n(last_.k[0], n, piece.k[0]);
    std::copy_n(last_.y0, n, piece.y1);
    double t = t0_, h = until - t0_;
    constexpr int most_pieces = 1000;  // more only follow what chatters
    for (int count = 0; t < until; ++count) {
      const bool last = h >= (until - t) * (1 - 1e-9) || count == most_pieces;
      if (last) h = until - t;
      piece.take(rates, n, t, h);
      const double worst = piece.worst_error(compared(), n, wanted_);
      if (worst <= 1 || h <= detail::shortest_steps::length(t) || count == most_pieces) {
        t = last ? until : t + h;
        std::copy_n(piece.y1, n, piece.y0);
        std::copy_n(piece.k[6], n, piece.k[0]);
      }
      h *= rule.factor(worst);
    }
    for (int i = compared(); i < n; ++i) out[i] = piece.y1[i];
  }

  auto rates_until(double latest) {
    return [this, latest](double t, const double* y, double* rate) {
      ++evaluations_;
      system_.rates(std::min(t, latest), y, rate);
    };
  }

  void copy_start(int n, const double* y, const double* rate) {
    std::copy_n(y, n, other_.y0);
    std::copy_n(rate, n, other_.k[0]);
  }

  template <class Rates>
  void know_rates(const Rates& rates) {
    if (fresh_) rates(t1_, last_.y1, last_.k[6]);
    fresh_ = false;
  }
};

}  // namespace asperity
