// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model taken along a motion at the rate of a controller: bounded time, no allocation, no exception.
// A model of known type is inlined and needs no library; one that was chosen by name (any_model) costs
// one indirect call.

#include <asperity/model.hpp>

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

// From one instant to another, h > 0 apart: by the model's own advance, its implicit step in closed
// form, or one step of Runge and Kutta. Returns the force at the second.
template <class Model>
double follow(const Model& model, followed_state<Model>& state, const drive<double>& from,
              const drive<double>& to, double h) noexcept {
  if constexpr (requires { model.advance(state.values, from, to, h); }) {
    return model.advance(state.values, from, to, h);
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
      const auto rate = [&](double share, const vec<double, n>& at) {
        return model(at, drive<double>{from.x + share * (to.x - from.x),
                                       from.v + share * (to.v - from.v),
                                       from.load + share * (to.load - from.load)})
            .rate;
      };
      const auto shifted = [&](double length, const vec<double, n>& by) {
        vec<double, n> result;
        for (int i = 0; i < n; ++i) result[i] = z[i] + length * by[i];
        return result;
      };
      const auto k1 = rate(0, z), k2 = rate(0.5, shifted(h / 2, k1));
      const auto k3 = rate(0.5, shifted(h / 2, k2)), k4 = rate(1, shifted(h, k3));
      for (int i = 0; i < n; ++i) z[i] += h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
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
