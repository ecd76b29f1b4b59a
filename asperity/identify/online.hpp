// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parameters at control rate: recursive least squares with forgetting, in memory of fixed size, without
// allocation or exceptions. `recursive_least_squares` takes any regressor; `online_fit` takes a model of
// friction in dual numbers, moves it by one sample and corrects the chosen parameters.
//
//   online_fit<lugre, 2> found;                        LuGre with two unknowns
//   found.model.sigma_0 = 1e5; ...                     what is known
//   found.choose(0, found.model.g.F_c, 1.0);           unknowns, from a first guess above 0
//   found.choose(1, found.model.g.sigma_2, 0.4);
//   loop: found.update({x, v, 1}, h, measured_force);  found.value(0) is F_c so far

#include <algorithm>
#include <asperity/model.hpp>
#include <asperity/scalar/dual.hpp>
#include <cmath>

namespace asperity {

// Minimises the sum of forgetting^(age) (measured - regressor . theta)^2. Unknowns that the regressor
// does not excite keep their value: their variance is bounded, so that it cannot wind up.
template <int N>
class recursive_least_squares {
 public:
  // `variance` is that of the first guess; `forgetting` is 1 for none, 0.999 for a memory of a
  // thousand samples; `noise` is the variance of a measurement.
  explicit recursive_least_squares(double variance = 1, double forgetting = 1,
                                   double noise = 1) noexcept
      : forgetting_(forgetting), grows_(1 / std::sqrt(forgetting)), noise_(noise), most_(variance) {
    for (int i = 0; i < N; ++i) p_[i][i] = variance;
  }

  double theta[N] = {};
  // No sample moves an unknown by more than this; one that would is taken for a noisier one.
  // Where the regressor is a linearisation, that is how far it is believed.
  double longest_step = unbounded;

  // `error` is measured minus predicted at the present theta.
  void update(const double (&regressor)[N], double error) noexcept {
    double gain[N] = {}, along[N] = {};
    double size = forgetting_ * noise_;
    for (int i = 0; i < N; ++i) {
      for (int k = 0; k < N; ++k) along[i] += p_[i][k] * regressor[k];
      size += regressor[i] * along[i];
    }
    for (int i = 0; i < N; ++i) size = std::max(size, std::abs(along[i] * error) / longest_step);
    if (!(size > 0) || !(size < 1e300) || !(error < 1e300 && error > -1e300)) return;
    for (int i = 0; i < N; ++i) gain[i] = along[i] / size;
    for (int i = 0; i < N; ++i) theta[i] += gain[i] * error;
    // What is not excited is not forgotten: each unknown forgets by itself, up to the variance of the
    // first guess. A congruence with the diagonal, so that the matrix stays definite and symmetric.
    double share[N];
    for (int i = 0; i < N; ++i) {
      const double left = p_[i][i] - gain[i] * along[i];
      share[i] = left < most_ * forgetting_ ? grows_ : 1;
    }
    for (int i = 0; i < N; ++i)
      for (int k = 0; k <= i; ++k)
        p_[i][k] = p_[k][i] = (p_[i][k] - gain[i] * along[k]) * share[i] * share[k];
  }
  double variance(int i) const noexcept { return p_[i][i]; }

 private:
  double p_[N][N] = {};
  double forgetting_, grows_, noise_, most_;
};

// `Model` is one with a closed-form implicit step, no state, or one state. Unknowns move in their
// logarithm: they stay above 0.
template <template <class> class Model, int N>
class online_fit {
 public:
  using number = dual<double, N>;
  Model<number> model{};

  // `deviation` is how far off the first guesses may be, as a logarithm; `noise` the standard
  // deviation of the measured force.
  explicit online_fit(double deviation = 0.5, double forgetting = 1, double noise = 0.01) noexcept
      : filter_(deviation * deviation, forgetting, noise * noise) {
    filter_.longest_step = 0.2;
  }

  // Unknown number i is this parameter of `model`; `guess` is above 0.
  void choose(int i, number& parameter, double guess) noexcept {
    chosen_[i] = &parameter;
    filter_.theta[i] = std::log(guess);
    put(i);
  }
  double value(int i) const noexcept { return std::exp(filter_.theta[i]); }
  // Standard error over the value.
  double relative_error(int i) const noexcept { return std::sqrt(filter_.variance(i)); }

  // The motion h later, and the force measured there. Returns the force predicted. A sample that makes it no
  // number, as a load of 0 does with bristles, is passed over.
  double update(const drive<double>& to, double h, double measured) noexcept {
    const drive<number> in{number(to.x), number(to.v), number(to.load)};
    const state_t known = state_;
    const number f = step(in, number(h));
    bool is_number = is_finite(f);
    for (int s = 0; s < states; ++s) is_number = is_number && is_finite(state_[s]);
    if (!is_number) {
      state_ = known;
      return f.value;
    }
    double regressor[N];
    for (int i = 0; i < N; ++i) regressor[i] = f.derivative[i];
    double before[N];
    for (int i = 0; i < N; ++i) before[i] = filter_.theta[i];
    filter_.update(regressor, measured - f.value);
    for (int i = 0; i < N; ++i) {
      put(i);
      // The state that the new value would have led to.
      for (int s = 0; s < states; ++s)
        state_[s].value += state_[s].derivative[i] * (filter_.theta[i] - before[i]);
    }
    return f.value;
  }

 private:
  static constexpr int states = Model<number>::states;
  using state_t = vec<number, states>;

  static bool is_finite(const number& x) noexcept {
    bool result = std::isfinite(x.value);
    for (int i = 0; i < N; ++i) result = result && std::isfinite(x.derivative[i]);
    return result;
  }

  // The derivative of a parameter by its logarithm is the parameter.
  void put(int i) noexcept {
    const double p = value(i);
    *chosen_[i] = number(p);
    chosen_[i]->derivative[i] = p;
  }

  number step(const drive<number>& in, const number& h) noexcept {
    if constexpr (states == 0) {
      return model(state_, in).f;
    } else if constexpr (requires(Model<number> m, state_t s) { m.react(s, in.load, h); }) {
      const number f = model.react(state_, in.load, h).solve(in.v, number(0.0));
      state_ = model.settle(state_, f, h);
      return f;
    } else {
      static_assert(states == 1,
                    "an online fit needs a model with a closed-form step or with one state");
      // Linearly implicit Euler: stable however stiff the bristles are.
      const double z = state_[0].value, size = std::abs(z) > 1e-9 ? 1e-6 * std::abs(z) : 1e-12;
      state_t moved = state_;
      moved[0] = moved[0] + number(size);
      const auto here = model(state_, in), there = model(moved, in);
      const number slope = (there.rate[0] - here.rate[0]) / number(size);
      state_[0] = state_[0] + h * here.rate[0] / (number(1.0) - h * slope);
      return model(state_, in).f;
    }
  }

  recursive_least_squares<N> filter_;
  number* chosen_[N] = {};
  state_t state_{};
};

}  // namespace asperity
