// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <asperity/integrate/method.hpp>
#include <asperity/integrate/rosenbrock.hpp>
#include <asperity/integrate/stability.hpp>

namespace asperity {

namespace {

using complex = std::complex<double>;

constexpr double undamped = 1e-6;       // real part of a mode against its size
constexpr double rounding = 1e-9;       // of |R|
constexpr double fast = 0.25;           // change of a step against the step before
constexpr double beyond_physics = 1e9;  // times the size of a state
// In twice the time a body that falls is eight times as far at most; what is unstable, far more.
constexpr double growth_of_unstable = 1e3;

// Friction that jumps at rest, as it is on the side to which it moves.
struct one_side {
  const system_view& view;
  double direction;
  static constexpr int capacity = system_view::capacity;
  int size() const { return view.size(); }
  void rates(double t, const double* y, double* rate) const {
    view.side_rates(t, y, direction, rate);
  }
};

double scale_of(const tolerances& wanted, std::size_t i) {
  return wanted.absolute[i] / wanted.relative;
}

}  // namespace

complex amplification_of_euler(complex z) { return 1.0 + z; }
complex amplification_of_rk4(complex z) {
  return 1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0)));
}

double longest_stable_step(std::span<const complex> modes, amplification of_method) {
  double limit = HUGE_VAL;
  for (const complex mode : modes) {
    if (!(mode.real() < -undamped * std::abs(mode))) continue;
    double stable = 0, unstable = 4 / std::abs(mode);
    for (int i = 0; i < 60; ++i) {
      const double h = 0.5 * (stable + unstable);
      (std::abs(of_method(h * mode)) <= 1 ? stable : unstable) = h;
    }
    limit = std::min(limit, stable);
  }
  return limit;
}

std::vector<complex> modes_of(std::span<const double> jacobian) {
  const auto n = static_cast<Eigen::Index>(std::lround(std::sqrt(jacobian.size())));
  using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const matrix> given(jacobian.data(), n, n);
  if (!given.allFinite()) return {};
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(given, false);
  if (solver.info() != Eigen::Success) return {};
  return {solver.eigenvalues().begin(), solver.eigenvalues().end()};
}

std::vector<complex> modes_of(const system_view& view, double t, const double* y) {
  const int n = view.states;
  const bool jumps = !view.of->card().chatters.empty();
  if (n > system_view::capacity || (jumps && view.both_sides == nullptr)) return {};
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> jacobian(size * size);
  std::vector<double> rate(system_view::capacity), rate_t(system_view::capacity);
  const tolerances& wanted = view.work->setting.tolerance;
  const double beside = t + 1e-6 * view.work->setting.step;
  if (view.both_sides != nullptr) {
    const one_side side{view, std::copysign(1.0, view.slip(y))};
    differenced<one_side> derived{side, {}, n};
    for (std::size_t i = 0; i < size; ++i) derived.scale[i] = scale_of(wanted, i);
    derived.linearise(t, beside, y, rate.data(), rate_t.data(), jacobian.data(), n);
  } else {
    view.linearise(t, beside, y, rate.data(), rate_t.data(), jacobian.data(), n);
  }
  // In the units of the states a metre and a micrometre may stand beside each other.
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j)
      jacobian[size * i + j] *= scale_of(wanted, j) / scale_of(wanted, i);
  return modes_of(jacobian);
}

// ---- along a run --------------------------------------------------------------------------------

stability_watch::stability_watch(const system_view& view, amplification method, double h,
                                 double steps)
    : view_(view), method_(method), h_(h), n_(static_cast<std::size_t>(view.states)) {
  // The work of a look grows with the cube of the states, and short runs must stay short.
  const double size = static_cast<double>(n_) / 8;
  const double blocks = std::clamp(std::min(500 / (size * size * size), steps / 10), 10.0, 500.0);
  block_ = std::max(1L, std::lround(steps / blocks));
}

void stability_watch::start(double t, const double* y) {
  last_.assign(y, y + n_);
  change_.assign(n_, 0.0);
  if (count_ > 0) return;  // an event has changed the state
  const tolerances& wanted = view_.work->setting.tolerance;
  largest_.clear();
  for (std::size_t i = 0; i < n_; ++i)
    largest_.push_back(
        std::max(std::abs(y[i]), scale_of(wanted, std::min(i, wanted.absolute.size() - 1))));
  look(t, y);
}

bool stability_watch::goes_on(double t, const double* y) {
  ++count_;
  if ((count_ & (count_ - 1)) == 0) mark_.assign(y, y + n_);
  bool changes_fast = false;
  for (std::size_t i = 0; i < n_; ++i) {
    const double change = y[i] - last_[i];
    changes_fast = changes_fast || (std::abs(change - change_[i]) > fast * std::abs(change) &&
                                    std::abs(change) > 1e-9 * largest_[i]);
    change_[i] = change;
    last_[i] = y[i];
    // What an instability has made large is no measure of what is large.
    if (!amplifies_) largest_[i] = std::max(largest_[i], std::abs(y[i]));
    if (amplifies_ && std::abs(y[i]) > beyond_physics * largest_[i] &&
        std::abs(y[i]) > growth_of_unstable * std::abs(mark_[i])) {
      report_.diverges = true;
      if (!std::isfinite(report_.limit)) report_.t = t;
      return false;
    }
  }
  const bool is_due = count_ >= next_, is_fast = changes_fast && count_ >= next_fast_;
  if (!is_due && !is_fast) return true;
  (is_due ? next_ : next_fast_) = count_ + block_;
  look(t, y);
  return true;
}

void stability_watch::look(double t, const double* y) {
  const auto modes = modes_of(view_, t, y);
  for (const complex mode : modes)
    amplifies_ = amplifies_ || (mode.real() <= undamped * std::abs(mode) &&
                                std::abs(method_(h_ * mode)) > 1 + rounding);
  // Behind an instability the run is not where the system would be.
  if (report_.limit < h_) return;
  const double limit = longest_stable_step(modes, method_);
  if (!(limit < report_.limit)) return;
  report_.limit = limit;
  report_.t = t;
}

// ---- words --------------------------------------------------------------------------------------

std::string advice_on_steps(const system& which) {
  const method_row& usual = default_method(which);
  const bool adapts_memory = usual.needs == method_needs::memory && which.memory() != nullptr &&
                             which.card().chatters.empty() &&
                             which.initial().size() <= most_states_of_adaptive_steps;
  if (adapts_memory)
    return fmt::format("leave out integrator.step, so that method {} chooses its steps",
                       usual.name);
  if (!usual.is_fixed)
    return fmt::format("take method = \"{}\", which chooses its steps by its tolerances",
                       usual.name);
  return "halve integrator.step until the results no longer change";
}

std::string describe_instability(const system& which, const run_setting& s, double limit,
                                 const std::string& where) {
  return fmt::format(
      "{} at step {:g} s is unstable: it amplifies oscillations that the system damps, since {} "
      "its limit is {:.4g} s, and accuracy may need far shorter steps; {}",
      s.method->name, s.step, where, limit, advice_on_steps(which));
}

std::string describe_instability(const system& which, const run_setting& s,
                                 const stability_report& found) {
  if (found.limit < s.step)
    return describe_instability(which, s, found.limit,
                                fmt::format("with the state at t = {:.4g} s", found.t));
  return fmt::format("{} at step {:g} s is unstable: it amplifies every undamped oscillation; {}",
                     s.method->name, s.step, advice_on_steps(which));
}

std::string instability_at_start(const system& which, const run_setting& s, const double* start) {
  if (s.method->amplifies == nullptr || which.march() != nullptr) return "";
  const auto work = which.new_workspace();
  work->setting = s;
  const system_view view(which, *work, static_cast<int>(which.initial().size()), false);
  const double limit = longest_stable_step(modes_of(view, 0, start), s.method->amplifies);
  return s.step > limit ? describe_instability(which, s, limit, "with the state at the start") : "";
}

}  // namespace asperity
