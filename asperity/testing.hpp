// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small helpers for tests of models, ours and our users'.

#include <asperity/model.hpp>
#include <cmath>
#include <vector>

namespace asperity::testing {

inline std::vector<double> log_space(double first, double last, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i)
    values.push_back(first * std::pow(last / first, static_cast<double>(i) / (count - 1)));
  return values;
}

inline std::vector<double> lin_space(double first, double last, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(first + (last - first) * i / (count - 1));
  return values;
}

// The force after the state has settled at constant drive: RK4 with a step well inside stability.
template <class Model>
double steady_force(const Model& model, const drive<double>& in, double h, int steps) {
  constexpr int N = Model::states;
  vec<double, N> y{};
  if constexpr (requires { model.initial(); }) y = model.initial();
  const auto shifted = [](const vec<double, N>& a, double s, const vec<double, N>& b) {
    vec<double, N> r;
    for (int i = 0; i < N; ++i) r[i] = a[i] + s * b[i];
    return r;
  };
  for (int n = 0; n < steps; ++n) {
    const auto k1 = model(y, in).rate;
    const auto k2 = model(shifted(y, h / 2, k1), in).rate;
    const auto k3 = model(shifted(y, h / 2, k2), in).rate;
    const auto k4 = model(shifted(y, h, k3), in).rate;
    for (int i = 0; i < N; ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return model(y, in).f;
}

}  // namespace asperity::testing
