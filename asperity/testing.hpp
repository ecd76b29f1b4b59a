// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small helpers for tests of models, ours and our users'. They integrate by plain classical
// Runge-Kutta steps and know nothing of the library's integrators.

#include <asperity/model.hpp>
#include <cmath>
#include <vector>

namespace asperity::testing {

inline std::vector<double> log_space(double first, double last, int count) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    values.push_back(first * std::pow(last / first, static_cast<double>(i) / (count - 1)));
  return values;
}

inline std::vector<double> lin_space(double first, double last, int count) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) values.push_back(first + (last - first) * i / (count - 1));
  return values;
}

template <class Model>
auto initial_state(const Model& model) {
  if constexpr (requires { model.initial(); }) {
    return model.initial();
  } else {
    return vec<double, Model::states>{};
  }
}

// One step of y' = slope(t, y).
template <int N, class Slope>
vec<double, N> runge_kutta_step(const Slope& slope, double t, const vec<double, N>& y, double h) {
  const auto shifted = [&y](double c, const vec<double, N>& k) {
    vec<double, N> result;
    for (int i = 0; i < N; ++i) result[i] = y[i] + c * k[i];
    return result;
  };
  const vec<double, N> k1 = slope(t, y), k2 = slope(t + h / 2, shifted(h / 2, k1)),
                       k3 = slope(t + h / 2, shifted(h / 2, k2)), k4 = slope(t + h, shifted(h, k3));
  vec<double, N> result;
  for (int i = 0; i < N; ++i) result[i] = y[i] + h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
  return result;
}

// The state after a motion t -> drive, from the state `y` at t = 0.
template <class Model, class Motion>
vec<double, Model::states> follow(const Model& model, vec<double, Model::states> y,
                                  const Motion& motion, double duration, double h) {
  const auto slope = [&](double t, const auto& state) { return model(state, motion(t)).rate; };
  const auto steps = static_cast<int>(std::ceil(duration / h));
  for (int n = 0; n < steps; ++n)
    y = runge_kutta_step(slope, duration * n / steps, y, duration / steps);
  return y;
}

// The force after the state has settled at constant drive.
template <class Model>
double steady_force(const Model& model, const drive<double>& in, double h, int steps) {
  const auto held = [&in](double) { return in; };
  return model(follow(model, initial_state(model), held, h * steps, h), in).f;
}

// A model that is taken along by its own advance, or else by Runge-Kutta steps, and remembers where
// it is.
template <class Model>
struct companion {
  explicit companion(const Model& the_model) : model(the_model) {}

  const Model& model;
  drive<double> at = {};
  vec<double, Model::states> state = initial_state(model);
  double f = 0;

  // To the next point of a motion, h later.
  double go(const drive<double>& to, double h) {
    if constexpr (requires { model.advance(state, at, to, h); }) {
      f = model.advance(state, at, to, h);
    } else {
      const auto slope = [&](double t, const auto& y) {
        const double share = t / h;
        return model(y, drive<double>{at.x + share * (to.x - at.x), at.v + share * (to.v - at.v),
                                      at.load + share * (to.load - at.load)})
            .rate;
      };
      state = runge_kutta_step(slope, 0.0, state, h);
      f = model(state, to).f;
    }
    at = to;
    return f;
  }
  // At constant speed to x, in steps of at most h; the force there.
  double to(double x, double speed, double h) {
    const double way = std::abs(x - at.x), start = at.x, v = x > start ? speed : -speed;
    const auto steps = static_cast<int>(std::ceil(way / (speed * h)));
    at.v = v;
    for (int i = 1; i <= steps; ++i)
      go({i == steps ? x : start + (x - start) * i / steps, v, at.load}, way / speed / steps);
    return f;
  }
};

// The path of a mass on a frictional contact, pushed by push(t) and sampled after every step.
template <class Model, class Push>
std::vector<double> pushed_mass(const Model& model, double mass, const Push& push, double duration,
                                double h) {
  constexpr int N = Model::states;
  vec<double, N + 2> y;  // x, v, states
  const auto start = initial_state(model);
  for (int i = 0; i < N; ++i) y[i + 2] = start[i];
  const auto slope = [&](double t, const vec<double, N + 2>& at) {
    vec<double, N> state;
    for (int i = 0; i < N; ++i) state[i] = at[i + 2];
    const auto answer = model(state, {at[0], at[1], 1.0});
    vec<double, N + 2> rate;
    rate[0] = at[1];
    rate[1] = (push(t) - answer.f) / mass;
    for (int i = 0; i < N; ++i) rate[i + 2] = answer.rate[i];
    return rate;
  };
  std::vector<double> path{0.0};
  path.reserve(static_cast<std::size_t>(duration / h) + 2);
  for (double t = 0; t < duration; t += h) {
    y = runge_kutta_step(slope, t, y, h);
    path.push_back(y[0]);
  }
  return path;
}

// A mass that meets a contact at a given speed, free of other forces.
struct impact {
  double restitution = 0;  // speed after over speed before
  double deepest = 0;      // indentation
  double residual = 0;     // indentation when the force is lost
};

template <class Model>
impact impact_of(const Model& model, double mass, double speed, double h) {
  constexpr int N = Model::states;
  vec<double, N + 2> y;  // gap, its rate, states
  y[1] = -speed;
  const auto state_of = [](const vec<double, N + 2>& at) {
    vec<double, N> state;
    for (int i = 0; i < N; ++i) state[i] = at[i + 2];
    return state;
  };
  const auto slope = [&](double, const vec<double, N + 2>& at) {
    const auto answer = model(state_of(at), {at[0], at[1], 1.0});
    vec<double, N + 2> rate;
    rate[0] = at[1];
    rate[1] = answer.f / mass;
    for (int i = 0; i < N; ++i) rate[i + 2] = answer.rate[i];
    return rate;
  };
  impact result;
  bool is_touching = false;
  for (int n = 0; n < 10000000; ++n) {
    y = runge_kutta_step(slope, 0.0, y, h);
    result.deepest = std::max(result.deepest, -y[0]);
    const bool pushes = model(state_of(y), {y[0], y[1], 1.0}).f > 0;
    if (is_touching && !pushes) result.residual = std::max(0.0, -y[0]);
    is_touching = pushes;
    if (!pushes && y[0] >= 0 && y[1] > 0) break;
  }
  result.restitution = y[1] / speed;
  return result;
}

}  // namespace asperity::testing
