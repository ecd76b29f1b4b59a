// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model taken along a motion at the rate of a controller: bounded time, no allocation, no exception.
// A model of known type is inlined and needs no library; one that was chosen by name (any_model) costs
// one indirect call.

#include <algorithm>
#include <asperity/model.hpp>
#include <cmath>
#include <utility>

namespace asperity {

template <class Model>
inline constexpr int follow_capacity = [] {
  if constexpr (requires { Model::max_states; }) {
    return Model::max_states;
  } else {
    return Model::states > 0 ? Model::states : 1;
  }
}();

// The state of a model before any motion.
template <class Model>
struct followed_state {
  double values[follow_capacity<Model>] = {};
  followed_state() = default;
  explicit followed_state(const Model& model) noexcept {
    if constexpr (requires { model.initial(values); }) {
      model.initial(values);
    } else if constexpr (requires { model.initial(); }) {
      const auto start = model.initial();
      for (int i = 0; i < Model::states; ++i) values[i] = start[i];
    }
  }
};

namespace detail {

// Solves matrix x = right in place, by elimination with pivots.
template <int capacity>
void eliminate(double (&matrix)[capacity][capacity], double (&right)[capacity], int n) noexcept {
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    for (int r = c + 1; r < n; ++r)
      if (std::abs(matrix[r][c]) > std::abs(matrix[pivot][c])) pivot = r;
    for (int k = 0; k < n; ++k) std::swap(matrix[c][k], matrix[pivot][k]);
    std::swap(right[c], right[pivot]);
    for (int r = c + 1; r < n; ++r) {
      const double share = matrix[r][c] / matrix[c][c];
      for (int k = c; k < n; ++k) matrix[r][k] -= share * matrix[c][k];
      right[r] -= share * right[c];
    }
  }
  for (int r = n - 1; r >= 0; --r) {
    for (int k = r + 1; k < n; ++k) right[r] -= matrix[r][k] * right[k];
    right[r] /= matrix[r][r];
  }
}

// One step of z' = rate, where rate(share of the step, z, result): of Runge and Kutta where that is slow
// beside the step; otherwise, as where bristles slide fast, of backward Euler, which is stable however long
// the step is. Newton's method takes a fixed number of trials.
template <int capacity, class Rate>
void ode_step(const Rate& rate, int n, double* z, double h) noexcept {
  constexpr int trials = 30;
  double matrix[capacity][capacity], rates[capacity], moved[capacity], there[capacity];
  // d rate/d z at `at`, and its norm; the rate is in `rates`.
  const auto slopes = [&](double share, const double* at) {
    rate(share, at, rates);
    double norm = 0;
    for (int r = 0; r < n; ++r) there[r] = 0;
    for (int c = 0; c < n; ++c) {
      std::copy_n(at, n, moved);
      const double size = std::max({std::abs(at[c]), std::abs(h * rates[c]), 1e-6});
      moved[c] += 1e-6 * size;
      double beside[capacity];
      rate(share, moved, beside);
      for (int r = 0; r < n; ++r) {
        matrix[r][c] = (beside[r] - rates[r]) / (moved[c] - at[c]);
        there[r] += std::abs(matrix[r][c]);
        norm = std::max(norm, there[r]);
      }
    }
    return norm;
  };
  double ahead[capacity];
  double fastest = slopes(0, z);
  fastest = std::max(fastest, slopes(1, z));
  double before[capacity], most = 0, change = 0, size = 0;
  std::copy_n(rates, n, before);
  for (int i = 0; i < n; ++i) ahead[i] = z[i] + h * rates[i];
  fastest = std::max(fastest, slopes(1, ahead));
  for (int i = 0; i < n; ++i) {
    most = std::max(most, std::abs(before[i]));
    change = std::max(change, std::abs(rates[i] - before[i]));
    size = std::max(size, std::abs(z[i]));
  }
  // Rates that nearly jump between the two have no slope at either.
  const bool jumps = change > std::max(0.9, 2 * fastest * h) * most && h * change > 1e-2 * size;
  if (fastest * h <= 2 && !jumps) {
    double k1[capacity], k2[capacity], k3[capacity], k4[capacity];
    const auto shifted = [&](double length, const double* by) {
      for (int i = 0; i < n; ++i) moved[i] = z[i] + length * by[i];
      return moved;
    };
    rate(0.0, z, k1);
    rate(0.5, shifted(h / 2, k1), k2);
    rate(0.5, shifted(h / 2, k2), k3);
    rate(1.0, shifted(h, k3), k4);
    for (int i = 0; i < n; ++i) z[i] += h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
    return;
  }
  // From `good`, by steps that are halved where they miss by more.
  double good[capacity] = {}, off[capacity] = {};
  std::copy_n(z, n, ahead);
  double least = -1;
  for (int trial = 0; trial < trials; ++trial) {
    slopes(1, ahead);
    double miss = 0, size = 0;
    for (int r = 0; r < n; ++r) {
      moved[r] = z[r] + h * rates[r] - ahead[r];
      miss = std::max(miss, std::abs(moved[r]));
      size = std::max(size, std::abs(ahead[r]));
    }
    if (miss <= 1e-9 * size) {
      std::copy_n(ahead, n, z);
      return;
    }
    if (least >= 0 && !(miss < least)) {
      for (int i = 0; i < n; ++i) ahead[i] = good[i] + (off[i] *= 0.5);
      continue;
    }
    least = miss;
    std::copy_n(ahead, n, good);
    std::copy_n(moved, n, off);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) matrix[r][c] = (r == c ? 1 : 0) - h * matrix[r][c];
    eliminate(matrix, off, n);
    for (int i = 0; i < n; ++i) ahead[i] += off[i];
  }
  // Where rates nearly jump, as where an element breaks away, each state by itself, between where it is and
  // where its rate there would take it.
  std::copy_n(z, n, ahead);
  for (int i = 0; i < n; ++i) {
    rate(1, ahead, rates);
    double near = z[i], far = z[i] + h * rates[i];
    const bool grows = far > near;
    for (int trial = 0; trial < trials; ++trial) {
      ahead[i] = 0.5 * (near + far);
      rate(1, ahead, rates);
      (grows == (z[i] + h * rates[i] > ahead[i]) ? near : far) = ahead[i];
    }
  }
  std::copy_n(ahead, n, z);
}

inline drive<double> between(const drive<double>& from, const drive<double>& to, double share) {
  return {from.x + share * (to.x - from.x), from.v + share * (to.v - from.v),
          from.load + share * (to.load - from.load)};
}

}  // namespace detail

// From one instant to another, h > 0 apart: by the model's own advance, its implicit step in closed
// form, or one step of its rates. Returns the force at the second.
template <class Model>
double follow(const Model& model, followed_state<Model>& state, const drive<double>& from,
              const drive<double>& to, double h) noexcept {
  if constexpr (requires { Model::max_states; }) {  // any_model
    if (model.states() == 0 || !model.is_ode() || model.has_implicit_step() ||
        model.functions().in_double.advance != nullptr)
      return model.advance(state.values, from, to, h);
    const auto rate = [&](double share, const double* z, double* result) {
      const drive<double> at = detail::between(from, to, share);
      model.respond(z, at.x, at.v, at.load, result);
    };
    detail::ode_step<Model::max_states>(rate, model.states(), state.values, h);
    double rates[Model::max_states];
    return model.respond(state.values, to.x, to.v, to.load, rates);
  } else {
    constexpr int n = Model::states;
    vec<double, n> z;
    for (int i = 0; i < n; ++i) z[i] = state.values[i];
    double f = 0;
    if constexpr (requires { model.advance(z, from, to, h); }) {
      f = model.advance(z, from, to, h);
    } else if constexpr (n == 0) {
      return model(z, to).f;
    } else if constexpr (requires { model.implicit_step(z, h, h, free_step<double>{}); }) {
      const auto end = model.implicit_step(z, to.load, h, free_step<double>{to.v, to.v, 0.0});
      z = end.state;
      f = end.f;
    } else if constexpr (requires { model.react(z, h, h); }) {
      f = model.react(z, to.load, h).end(to.v, 0.0).f;
      z = model.settle(z, f, h);
    } else {
      const auto rate = [&](double share, const double* at, double* result) {
        vec<double, n> y;
        for (int i = 0; i < n; ++i) y[i] = at[i];
        const auto rates = model(y, detail::between(from, to, share)).rate;
        for (int i = 0; i < n; ++i) result[i] = rates[i];
      };
      detail::ode_step<n>(rate, n, &z[0], h);
      f = model(z, to).f;
    }
    for (int i = 0; i < n; ++i) state.values[i] = z[i];
    return f;
  }
}

// No model at all: what remains is a plain observer of disturbances.
struct no_friction {
  static constexpr int states = 0;
  response<double, 0> operator()(const vec<double, 0>&, const drive<double>&) const { return {}; }
};

}  // namespace asperity
