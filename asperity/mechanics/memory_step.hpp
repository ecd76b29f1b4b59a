// SPDX-License-Identifier: Apache-2.0
#pragma once

// One step of a system around friction whose memory is not an ODE, order 2. The force at the start
// of the step takes the bodies to a first guess of its end; friction is advanced along the way
// there; then the bodies do the step again under the force that runs straight from the one to the
// other. Bodies and contacts are integrated by Runge and Kutta's method, the work of all forces
// with them: their energy balance closes at its order. A system has
//
//   friction, friction_states()                where its states begin; they are the last ones
//   drive<double> rub_at(t, y)                 what friction sees
//   rates_under(t, y, f, rate)                 of all other states, under friction f
//   powers_under(t, y, f, out)                 energy_terms.hpp, `powers`

#include <algorithm>
#include <asperity/integrate/energy_terms.hpp>
#include <asperity/integrate/fixed_step.hpp>
#include <asperity/mechanics/friction_step.hpp>
#include <asperity/mechanics/respond.hpp>

namespace asperity {

// The friction of a system; where its contact may open, one that knows its least load.
template <class System>
friction_in_touch friction_touching(const System& system) {
  if constexpr (requires { system.least_load; })
    return {system.friction, system.least_load};
  else
    return {system.friction};
}

namespace detail {

// The bodies under friction that is a function of time, place and velocity.
template <class System, class Force>
struct under_friction {
  const System& system;
  int flows;
  const Force& force;

  static constexpr int capacity = System::capacity + energy_terms::most_flows;
  int size() const { return system.friction_states() + flows; }
  void rates(double at, const double* y, double* rate) const {
    const double now = force(at, y);
    system.rates_under(at, y, now, rate);
    if (flows > 0) system.powers_under(at, y, now, rate + system.friction_states());
  }
};

// Moves the bodies from `y` to `end`, which has room for the flows; `work` is where these begin.
template <class System, class Force>
void move_bodies(const System& system, double t, double h, const double* y, int flows,
                 const double* work, const Force& force, double* end) {
  const int n = system.friction_states();
  std::copy_n(y, n, end);
  std::copy_n(work, flows, end + n);
  const under_friction<System, Force> bodies{system, flows, force};
  rk4_step(bodies, t, h, end, bodies.size());
}

}  // namespace detail

// `work` has a place for each of `flows`, which the work done in the step is added to.
template <class System>
void memory_step(const System& system, double t, double h, double* y, int flows, double* work) {
  if (!(h > 0)) return;
  const int n = system.friction_states();
  const drive<double> from = system.rub_at(t, y);
  const double f = from.load > 0 ? friction_touching(system).force(y + n, from) : 0;

  double end[System::capacity + energy_terms::most_flows];
  detail::move_bodies(
      system, t, h, y, 0, work, [&](double, const double*) { return f; }, end);
  // Without load there is no friction, and its memory waits for the next touch.
  const drive<double> to = system.rub_at(t + h, end);
  const double f_end = to.load > 0 ? friction_touching(system).advance(y + n, from, to, h) : 0;

  const auto ramp = [&](double at, const double*) { return f + (f_end - f) * (at - t) / h; };
  detail::move_bodies(system, t, h, y, flows, work, ramp, end);
  std::copy_n(end, n, y);
  std::copy_n(end + n, flows, work);
}

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
                             const drive<double>& in, const loose_body& body, double instant) {
  if (!friction.has_side()) return friction.slip_margin(state, in.x, in.v, in.load);
  const auto holding = holding_of(friction, state, in);
  const auto excess = [&](double f) { return std::max(f - holding.highest, holding.lowest - f); };
  const double to_hold = body.acceleration / body.mobility;
  const double to_stop = in.v / (instant * body.mobility) + to_hold;
  return std::max(excess(to_hold), excess(to_stop));
}

// Friction as it is shown, once for every system: where a law is set-valued or jumps, and the body
// does not slip, it is the force that holds it, if there is one.
inline double friction_shown(const any_model& friction, bool set_valued, const double* state,
                             const drive<double>& in, const loose_body& body, double instant,
                             double least_load = 0) {
  constexpr double rest = 1e-14;  // [m/s] what rounding leaves of a slip
  if (!(in.load > 0) && !friction.load_is_weight()) return 0;
  if (set_valued)
    return react(friction, state, in.load, instant)
        .solve(in.v + instant * body.acceleration, instant * body.mobility);
  if (friction.has_side() && std::abs(in.v) <= rest)
    return between_sides(friction, state, in, body.acceleration / body.mobility);
  return friction_in_touch{friction, least_load}.force(state, in);
}

}  // namespace asperity
