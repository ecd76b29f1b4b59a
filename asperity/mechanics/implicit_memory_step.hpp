// SPDX-License-Identifier: Apache-2.0
#pragma once

// The step of memory_step.hpp, implicit in the force of friction (friction_step.hpp). Where bristles are
// too stiff for the stages of Runge and Kutta the bodies take one step of Rodas (rosenbrock.hpp):
// the former would be stable in short steps only, also where nothing moves.

#include <asperity/integrate/rosenbrock.hpp>
#include <asperity/mechanics/memory_step.hpp>

namespace asperity {

namespace detail {

// Derivatives by time are differences over a good part of the step: what rests on something that
// moves feels the rounding of its own place through its bristles, and no more than that in an instant.
template <class Bodies>
struct bodies_in_a_step {
  differenced<Bodies> by;
  double later;

  static constexpr int capacity = Bodies::capacity;
  void rates(double t, const double* y, double* rate) const { by.rates(t, y, rate); }
  void linearise(double t, double /*beside*/, const double* y, double* rate, double* rate_t,
                 double* jacobian, int stride) const {
    by.linearise(t, later, y, rate, rate_t, jacobian, stride);
  }
};

// move_bodies for bodies of any stiffness. False where there are too many of them, or no such step.
template <class System, class Force>
bool move_stiff_bodies(const System& system, double t, double h, const double* y, int flows,
                       const double* work, const Force& force, double* end) {
  constexpr int room = 16;  // bodies, their contacts, and flows
  const int n = system.friction_states();
  const under_friction<System, Force> bodies{system, flows, force};
  if (bodies.size() > room) return false;
  std::copy_n(y, n, end);
  std::copy_n(work, flows, end + n);
  bodies_in_a_step<under_friction<System, Force>> smooth{{bodies, {}, n}, t + 1e-3 * h};
  double rate[System::capacity + energy_terms::most_flows];
  bodies.rates(t, end, rate);
  for (int i = 0; i < n; ++i)  // a motion that begins at zero
    smooth.by.scale[static_cast<std::size_t>(i)] = std::max(1e-4, std::abs(h * rate[i]));
  return rodas_step<room>(smooth, bodies.size(), n, t, h, end);
}

}  // namespace detail

// Returns whether there is such a step. `work` as there.
template <class System>
bool implicit_memory_step(const System& system, bool by_velocity, double t, double h, double* y,
                          int flows, double* work) {
  const int n = system.friction_states();
  const drive<double> from = system.rub_at(t, y);
  const friction_step friction(friction_touching(system), by_velocity, true, y + n, from);
  double end[System::capacity + energy_terms::most_flows], state[any_model::max_states];
  double rate[System::capacity];
  system.rates_under(t, y, friction.force() + 1, rate);
  const double under_more = system.slip_rate(rate);
  system.rates_under(t, y, friction.force(), rate);
  const double acceleration = system.slip_rate(rate);
  const double mobility = std::abs(acceleration - under_more);
  // How fast a body on such bristles changes, times the step: explicit stages follow up to this.
  constexpr double explicit_reach = 1;
  const auto is_stiff = [&](const friction_line& line) {
    return h * (line.damping * mobility + std::sqrt(line.stiffness * mobility)) > explicit_reach;
  };
  const auto move = [&](const friction_line& line, int with) {
    const auto force = [&](double at, const double* now) {
      const drive<double> rub = system.rub_at(at, now);
      return line.at(rub.x - from.x, rub.v - from.v, (at - t) / h);
    };
    if (!is_stiff(line) || !detail::move_stiff_bodies(system, t, h, y, with, work, force, end))
      detail::move_bodies(system, t, h, y, with, work, force, end);
    const drive<double> to = system.rub_at(t + h, end);
    return slip_of_step{to.x - from.x, to.v - from.v, to};
  };
  const double direction = acceleration < 0 ? -1 : 1;
  friction_line line;
  if (!friction.solve(
          h, direction, [&](const friction_line& under) { return move(under, 0); }, line, state))
    return false;
  if (flows > 0) move(line, flows);
  std::copy_n(end, n, y);
  std::copy_n(state, system.friction.states(), y + n);
  std::copy_n(end + n, flows, work);
  return true;
}

}  // namespace asperity
