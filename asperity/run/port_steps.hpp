// SPDX-License-Identifier: Apache-2.0
#pragma once

// The states of a model of any port along given inputs, by Dormand and Prince's pair. Other steppers
// hold their states in arrays of fixed length; a patch has thousands. Memory is taken once.

#include <algorithm>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/integrate/dopri5.hpp>
#include <asperity/integrate/outcome.hpp>
#include <cmath>
#include <vector>

namespace asperity {

class port_steps {
 public:
  port_steps(const any_model& model, double relative_tolerance)
      : tolerance_(relative_tolerance),
        n_(static_cast<std::size_t>(model.states())),
        // An anchor is a place on the surface, however far that is: its error counts beside the
        // deflection, which is the scale.
        is_cell_(model.functions().at_port.cells != nullptr),
        in_(model.at().inputs.size()),
        out_(model.at().outputs.size()),
        next_(n_),
        stage_(n_),
        scale_(n_, 1.0) {
    for (auto& each : k_) each.resize(n_);
    model.state_scale(scale_.data());
  }

  // The length to begin with; later ones are those that went well.
  void begin_with(double h) { h_ = h; }
  long steps() const { return steps_; }

  // Takes the state from t to the end. inputs(t, in) writes the inputs; `goes_on` is asked before
  // each step and answers with `completed` where it may be taken.
  template <class Inputs, class GoesOn>
  outcome follow(const any_model& model, const Inputs& inputs, const GoesOn& goes_on, double t,
                 double end, double* state) {
    if (n_ == 0) return outcome::completed;
    const double start = t;
    const auto rates = [&](double at, const double* y, std::vector<double>& rate) {
      inputs(at, in_.data());
      model.respond(in_.data(), y, out_.data(), rate.data());
    };
    rates(t, state, k_[0]);
    while (t < end) {
      if (const outcome how = goes_on(steps_); how != outcome::completed) return how;
      const bool is_last = h_ >= (end - t) * (1 - 1e-9);
      const double h = is_last ? end - t : std::min(h_, 0.5 * (end - t));
      const double worst = attempt(rates, t, h, state);
      const double factor = std::isfinite(worst)
                                ? std::clamp(0.9 * std::pow(std::max(worst, 1e-10), -0.2), 0.2, 5.0)
                                : 0.1;
      ++steps_;
      if (worst <= 1) {
        t = is_last ? end : t + h;
        std::copy(next_.begin(), next_.end(), state);
        std::swap(k_[0], k_[6]);
        if (model.functions().at_port.remember != nullptr) {
          inputs(t, in_.data());
          model.remember(in_.data(), state);
          rates(t, state, k_[0]);
        }
        if (!is_last || factor < 1) h_ = h * factor;
      } else {
        if (h <= 1e-15 * (std::abs(t) + end - start))
          return std::isfinite(worst) ? outcome::step_too_small : outcome::not_finite;
        h_ = h * std::min(factor, 0.9);
      }
    }
    return outcome::completed;
  }

 private:
  // Error over what is allowed.
  template <class Rates>
  double attempt(const Rates& rates, double t, double h, const double* state) {
    using method = detail::dormand_prince;
    for (std::size_t s = 0; s < 5; ++s) {
      for (std::size_t i = 0; i < n_; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j <= s; ++j) sum += method::a[s][j] * k_[j][i];
        stage_[i] = state[i] + h * sum;
      }
      rates(t + h * method::c[s], stage_.data(), k_[s + 1]);
    }
    constexpr std::size_t of[6] = {0, 2, 3, 4, 5, 6};
    for (std::size_t i = 0; i < n_; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < 5; ++j) sum += method::b[j] * k_[of[j]][i];
      next_[i] = state[i] + h * sum;
    }
    rates(t + h, next_.data(), k_[6]);
    double worst = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      double error = 0;
      for (std::size_t j = 0; j < 6; ++j) error += h * method::e[j] * k_[of[j]][i];
      const double size = std::max(std::abs(state[i]), std::abs(next_[i]));
      const double allowed = tolerance_ * (is_cell_ ? scale_[i] : 1e-3 * scale_[i] + size);
      const double share = std::abs(error) / allowed;
      if (!(share <= worst)) worst = share;  // a NaN is the worst of all
    }
    return worst;
  }

  double tolerance_;
  std::size_t n_;
  bool is_cell_;
  double h_ = 1;
  long steps_ = 0;
  std::vector<double> in_, out_, next_, stage_, scale_, k_[7];
};

}  // namespace asperity
