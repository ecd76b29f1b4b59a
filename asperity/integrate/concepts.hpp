// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the integrators ask of a system: y' = rates(t, y).
//
//   static constexpr int capacity;                              greatest number of states
//   int size() const;                                           states in use
//   void rates(const S& t, const S* y, S* rate) const;
//
// and, for the closed-form implicit methods, the exact solution y of y = start + h rates(t, y):
//
//   void solve_stage(const S& t, const S& h, const S* start, S* y) const;
//
// and, where a model's memory is not an ODE, one step of the system's own:
//
//   void advance(double t, double h, double* y) const;
//
// and, where states are bound to each other and a step of fixed length leaves them apart by its
// error, what brings them together again:
//
//   void tidy(double* y) const;

#include <asperity/scalar/math.hpp>

namespace asperity {

template <class System, class S = double>
concept ode_system = requires(const System& system, const S& t, const S* y, S* rate) {
  { System::capacity } -> std::convertible_to<int>;
  { system.size() } -> std::convertible_to<int>;
  system.rates(t, y, rate);
};

template <class System, class S = double>
concept closed_form_system = ode_system<System, S> &&
    requires(const System& system, const S& t, const S* start, S* y) {
  system.solve_stage(t, t, start, y);
};

template <class System>
concept advancing_system = requires(const System& system, double t, double* y) {
  system.advance(t, t, y);
};

}  // namespace asperity
