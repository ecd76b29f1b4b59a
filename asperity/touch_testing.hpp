// SPDX-License-Identifier: Apache-2.0
#pragma once

// Helpers for tests of contacts with friction.

#include <asperity/testing.hpp>
#include <asperity/touch.hpp>

namespace asperity::testing {

// The rounding left in an account that must close: power taken less stored energy less losses over
// a motion t -> touch from t = 0, and the energy that was taken in all.
struct touch_account {
  double gap = 0, taken = 0, unbalanced = 0, lowest_loss = 0;
};

template <class Contact, class Motion>
touch_account keep_account(const Contact& contact, vec<double, Contact::states> start,
                           const Motion& motion, double duration, int steps) {
  constexpr int N = Contact::states;
  vec<double, N + 3> y;  // state, work taken, its size, losses with the unbalanced part
  for (int i = 0; i < N; ++i) y[i] = start[i];
  const auto state_of = [](const vec<double, N + 3>& at) {
    vec<double, N> state;
    for (int i = 0; i < N; ++i) state[i] = at[i];
    return state;
  };
  touch_account account;
  double unbalanced = 0;
  const auto slope = [&](double t, const vec<double, N + 3>& at) {
    const touch<double> in = motion(t);
    const auto state = state_of(at);
    const auto f = contact(state, in);
    const auto e = contact.energy(state, in);
    vec<double, N + 3> rate;
    for (int i = 0; i < N; ++i) rate[i] = f.rate[i];
    const double power = -f.f_n * in.gap_rate + dot(f.f_t, in.slip);
    rate[N] = power;
    rate[N + 1] = std::abs(power);
    rate[N + 2] = e.normal_damper + e.tangential_damper + e.slider + e.viscous + e.unbalanced;
    for (const double loss : {e.normal_damper, e.tangential_damper, e.slider, e.viscous})
      account.lowest_loss = std::min(account.lowest_loss, loss);
    return rate;
  };
  const auto stored = [&](double t, const vec<double, N + 3>& at) {
    const auto e = contact.energy(state_of(at), motion(t));
    return e.stored_normal + e.stored_tangential;
  };
  const double before = stored(0.0, y), h = duration / steps;
  for (int n = 0; n < steps; ++n) {
    unbalanced += h * contact.energy(state_of(y), motion(n * h)).unbalanced;
    y = runge_kutta_step(slope, n * h, y, h);
    if constexpr (requires(vec<double, N> s) { contact.remember(s, motion(0.0)); }) {
      auto state = state_of(y);
      contact.remember(state, motion((n + 1) * h));
      for (int i = 0; i < N; ++i) y[i] = state[i];
    }
  }
  account.gap = y[N] - (stored(duration, y) - before) - y[N + 2];
  account.taken = y[N + 1];
  account.unbalanced = unbalanced;
  return account;
}

// What the account misses at one instant, in parts of what it holds: power taken less losses less
// the rate of what is stored, by differences along the motion.
template <class Contact>
double missing_power(const Contact& contact, const vec<double, Contact::states>& state,
                     const touch<double>& in) {
  const auto f = contact(state, in);
  const auto e = contact.energy(state, in);
  const auto stored = [&](double t) {
    const auto there =
        contact.energy(state + t * f.rate, {in.gap + t * in.gap_rate, in.gap_rate, in.slip});
    return there.stored_normal + there.stored_tangential;
  };
  const double h = 1e-8, rate = (stored(h) - stored(-h)) / (2 * h);
  const double power = -f.f_n * in.gap_rate + dot(f.f_t, in.slip);
  const double lost = e.normal_damper + e.tangential_damper + e.slider + e.viscous + e.unbalanced;
  const double size = std::abs(power) + std::abs(rate) + std::abs(lost);
  return size > 0 ? (power - rate - lost) / size : 0;
}

// Pressed in, dragged along an ellipse and let go.
inline touch<double> press_and_drag(double t, double depth, double speed) {
  const double w = 2 * 3.14159265358979;
  return {0.2 * depth - depth * std::sin(w * t / 2),
          -depth * w / 2 * std::cos(w * t / 2),
          {{speed * std::cos(3 * w * t), 0.6 * speed * std::sin(2 * w * t + 0.3)}}};
}

}  // namespace asperity::testing
