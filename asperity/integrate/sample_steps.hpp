// SPDX-License-Identifier: Apache-2.0
#pragma once

// Steps of Dormand and Prince's pair from one sample to the next, for any number of states: in plain
// numbers for one model (port_steps.hpp), in wide ones for many side by side (stepped_models.hpp).

#include <algorithm>
#include <asperity/integrate/dopri5.hpp>
#include <asperity/integrate/outcome.hpp>
#include <cmath>
#include <vector>

namespace asperity {

// One attempt. The first rates are given, the last ones are those of the end.
template <class S>
class pair_attempt {
 public:
  explicit pair_attempt(std::size_t states) : next(states), stage_(states) {
    for (auto& each : k_) each.resize(states);
  }

  std::vector<S> next;
  std::vector<S>& first_rates() { return k_[0]; }
  std::vector<S>& last_rates() { return k_[6]; }

  // The largest error over what is allowed for it, allowed(i, size of the state); not finite where
  // one of them is not. rates(t, y, rate) writes into a vector.
  template <class Rates, class Allowed>
  S take(const Rates& rates, const Allowed& allowed, const S& t, const S& h, const S* state) {
    using method = detail::dormand_prince;
    const std::size_t n = next.size();
    for (std::size_t s = 0; s < 5; ++s) {
      for (std::size_t i = 0; i < n; ++i) {
        S sum = lit<S>(0.0);
        for (std::size_t j = 0; j <= s; ++j) sum += lit<S>(method::a[s][j]) * k_[j][i];
        stage_[i] = state[i] + h * sum;
      }
      rates(t + h * lit<S>(method::c[s]), stage_.data(), k_[s + 1]);
    }
    constexpr std::size_t of[6] = {0, 2, 3, 4, 5, 6};
    for (std::size_t i = 0; i < n; ++i) {
      S sum = lit<S>(0.0);
      for (std::size_t j = 0; j < 5; ++j) sum += lit<S>(method::b[j]) * k_[of[j]][i];
      next[i] = state[i] + h * sum;
    }
    rates(t + h, next.data(), k_[6]);
    S worst = lit<S>(0.0), nothing = lit<S>(0.0);
    for (std::size_t i = 0; i < n; ++i) {
      S error = lit<S>(0.0);
      for (std::size_t j = 0; j < 6; ++j) error += h * lit<S>(method::e[j]) * k_[of[j]][i];
      const S size = math::max<S>(math::abs(state[i]), math::abs(next[i]));
      const S share = math::abs(error) / allowed(i, size);
      worst = math::select(share < worst, worst, share);
      nothing += lit<S>(0.0) * share;  // 0, or NaN once and for all
    }
    return worst + nothing;
  }

 private:
  std::vector<S> stage_, k_[7];
};

// Lengths of the steps of one model, of which the last ends at the next sample.
class sample_step {
 public:
  void begin_with(double h) { h_ = h; }
  double begins_with() const { return h_; }

  double length(double left) {
    is_last_ = h_ >= left * (1 - 1e-9);
    return is_last_ ? left : std::min(h_, 0.5 * left);
  }
  bool is_last() const { return is_last_; }

  // Whether a step of length h is taken, given its error over what is allowed.
  bool takes(double worst, double h) {
    // Then the length that went well before stays, and it need not be computed.
    if (is_last_ && worst <= 0.59) return true;
    const double factor = std::isfinite(worst)
                              ? std::clamp(0.9 * std::pow(std::max(worst, 1e-10), -0.2), 0.2, 5.0)
                              : 0.1;
    if (worst <= 1) {
      if (!is_last_ || factor < 1) h_ = h * factor;
      return true;
    }
    h_ = h * std::min(factor, 0.9);
    return false;
  }
  // After a step that was not taken: why no shorter one is tried, or `completed`. `span` is a time
  // beside which it would be lost.
  static outcome gives_up(double worst, double h, double span) {
    if (h > 1e-15 * span) return outcome::completed;
    return std::isfinite(worst) ? outcome::step_too_small : outcome::not_finite;
  }

 private:
  double h_ = 1;
  bool is_last_ = false;
};

}  // namespace asperity
