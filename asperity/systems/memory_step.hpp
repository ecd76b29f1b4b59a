// SPDX-License-Identifier: Apache-2.0
#pragma once

// One step of a system around friction whose memory is not an ODE, order 2. The force at the start
// of the step takes the bodies to a first guess of its end; friction is advanced along the way
// there; then the bodies do the step again under the force that runs straight from the one to the
// other. Bodies and contacts are integrated by Runge and Kutta's method, the work of all forces
// with them: their books close at its order. A system has
//
//   friction, friction_states()                where its states begin; they are the last ones
//   drive<double> rub_at(t, y)                 what friction sees
//   rates_under(t, y, f, rate)                 of all other states, under friction f
//   powers_under(t, y, f, out)                 energy_books.hpp, `powers`

#include <algorithm>
#include <asperity/integrate/fixed_step.hpp>
#include <asperity/systems/energy_books.hpp>
#include <asperity/systems/respond.hpp>

namespace asperity {

namespace detail {

template <class System>
struct under_friction {
  const System& system;
  int flows;
  double t, h, f, f_end;

  static constexpr int capacity = System::capacity + energy_books::most_flows;
  int size() const { return system.friction_states() + flows; }
  void rates(double at, const double* y, double* rate) const {
    const double now = f + (f_end - f) * (at - t) / h;
    system.rates_under(at, y, now, rate);
    if (flows > 0) system.powers_under(at, y, now, rate + system.friction_states());
  }
};

}  // namespace detail

// `work` has a place for each of `flows`, which the work done in the step is added to.
template <class System>
void memory_step(const System& system, double t, double h, double* y, int flows, double* work) {
  if (!(h > 0)) return;
  const int n = system.friction_states();
  const drive<double> from = system.rub_at(t, y);
  const double f = from.load > 0 ? system.friction.force(y + n, from) : 0;

  double guess[detail::under_friction<System>::capacity];
  std::copy_n(y, n, guess);
  rk4_step(detail::under_friction<System>{system, 0, t, h, f, f}, t, h, guess);
  // Without load there is no friction, and its memory waits for the next touch.
  const drive<double> to = system.rub_at(t + h, guess);
  const double f_end = to.load > 0 ? system.friction.advance(y + n, from, to, h) : 0;

  std::copy_n(y, n, guess);
  std::copy_n(work, flows, guess + n);
  rk4_step(detail::under_friction<System>{system, flows, t, h, f, f_end}, t, h, guess);
  std::copy_n(guess, n, y);
  std::copy_n(guess + n, flows, work);
}

// A body held by friction alone: the acceleration of its slip without friction, and what each
// newton takes from it.
struct loose_body {
  double acceleration, mobility;
};

// A law that jumps at rest holds a body there by any force between two limits.
struct holding_force {
  double lowest, highest;
};
inline holding_force holding_of(const any_model& friction, const double* state, drive<double> in) {
  in.v = 0;
  double rate[any_model::max_states];
  const double back = side(friction, state, in, -1.0, rate);
  const double ahead = side(friction, state, in, 1.0, rate);
  const double grip = grip_of(friction, state, in.load);
  return {std::min(back, ahead) - grip, std::max(back, ahead) + grip};
}

// What holds a body at rest.
inline double between_sides(const any_model& friction, const double* state, const drive<double>& in,
                            double pull) {
  const auto holding = holding_of(friction, state, in);
  return std::clamp(pull, holding.lowest, holding.highest);
}

// Above 0 while a body slips on its friction, below 0 while it sticks. On a law that jumps at
// rest it sticks where friction stops it within an instant and then holds it: where its velocity
// turns under a greater pull it does not rest, and what rounding leaves of a slip is no motion.
inline bool can_tell_slip(const any_model& friction) {
  return friction.has_slip_margin() || friction.has_side();
}
inline double slip_margin_of(const any_model& friction, const double* state,
                             const drive<double>& in, const loose_body& body,
                             double instant = 1e-9) {
  if (!friction.has_side()) return friction.slip_margin(state, in.x, in.v, in.load);
  const auto holding = holding_of(friction, state, in);
  const auto excess = [&](double f) { return std::max(f - holding.highest, holding.lowest - f); };
  const double to_hold = body.acceleration / body.mobility;
  const double to_stop = in.v / (instant * body.mobility) + to_hold;
  return std::max(excess(to_hold), excess(to_stop));
}

// Friction as it is shown: where a law is set-valued or jumps, and the body does not slip, it is
// the force that holds it, if there is one.
inline double shown_friction(const any_model& friction, bool set_valued, const double* state,
                             const drive<double>& in, const loose_body& body,
                             double least_load = 0) {
  constexpr double instant = 1e-6;  // [s] far shorter than any motion shown
  constexpr double rest = 1e-8;     // [m/s] slip that counts as none
  if (!(in.load > 0)) return 0;
  double rate[any_model::max_states];
  if (set_valued)
    return react(friction, state, in.load, instant)
        .solve(in.v + instant * body.acceleration, instant * body.mobility);
  if (friction.has_side() && std::abs(in.v) <= rest)
    return between_sides(friction, state, in, body.acceleration / body.mobility);
  return friction.is_ode() ? respond_under_load(friction, state, in, least_load, rate)
                           : friction.force(state, in);
}

}  // namespace asperity
