// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mass on a belt of speed u, held by a nonlinear spring (Xiong 2013, Example III; Awrejcewicz et
// al.):
//
//   M p'' = k_1 p - k_2 p^3 - f(p' - u) (3.36)-(3.39)
//
// The source's state w is u - p'. y = (p, v, states of the friction).

#include <asperity/integrate/system.hpp>
#include <asperity/mechanics/memory_step.hpp>
#include <limits>

namespace asperity {

template <class S, class Friction>
struct mass_on_belt {
  Friction friction;
  S M = lit<S>(1.0), k_1 = lit<S>(1.0), k_2 = lit<S>(1.0), u = lit<S>(1.0);

  static constexpr int capacity = 2 + state_capacity<Friction>;
  ASPERITY_FN int size() const { return 2 + state_count(friction); }

  ASPERITY_FN drive<S> drive_at(const S& t, const S* y) const { return {y[0] - u * t, y[1] - u}; }
  ASPERITY_FN S spring_force(const S& p) const { return k_1 * p - k_2 * p * p * p; }

  ASPERITY_FN void rates(const S& t, const S* y, S* rate) const {
    rates_under(t, y, respond(friction, y + 2, drive_at(t, y), rate + 2), rate);
  }
  ASPERITY_FN void rates_under(const S&, const S* y, const S& f, S* rate) const {
    rate[0] = y[1];
    rate[1] = (spring_force(y[0]) - f) / M;
  }

  // Friction that jumps where mass and belt move together.
  ASPERITY_FN void side_rates(const S& t, const S* y, const S& direction, S* rate) const
      requires(may_jump<Friction>) {
    rates_under(t, y, side(friction, y + 2, drive_at(t, y), direction, rate + 2), rate);
  }
  ASPERITY_FN S slip(const S* y) const { return y[1] - u; }
  static ASPERITY_FN S slip_rate(const S* rate) { return rate[1]; }
  static ASPERITY_FN void add_slip(S* y, const S& more) { y[1] = y[1] + more; }
  ASPERITY_FN S slip_grip(const S& t, const S* y) const requires(may_jump<Friction>) {
    return grip_of(friction, y + 2, drive_at(t, y).load) / M;
  }

  // Friction whose memory is not an ODE (memory_step.hpp).
  static ASPERITY_FN int friction_states() { return 2; }
  drive<double> rub_at(double t, const double* y) const { return drive_at(t, y); }
  loose_body loose(const double* y) const { return {spring_force(y[0]) / M, 1 / M}; }

  // Backward Euler: friction in closed form, under tangents of the spring that settle within a few.
  // Returns the friction force; there is no step that is far longer than the spring's own time.
  double solve_stage(double, double h, const double* start, double* y) const {
    double v = start[1];
    for (int trial = 0; trial < 50; ++trial) {
      const double p = start[0] + h * v, tangent = k_1 - 3 * k_2 * p * p;
      const double inertia = M / h - h * tangent;
      if (!(inertia > 0)) break;
      const double free = (M * start[1] / h + spring_force(p) - h * tangent * v) / inertia;
      const auto end = implicit_step(friction, start + 2, 1.0, h,
                                     free_step<double>{start[1] - u, free - u, 1 / inertia}, y + 2);
      const double next = end.u + u, change = std::abs(next - v);
      v = next;
      if (!(change <= 1e-15 * std::max(std::abs(v), std::abs(start[1])))) continue;
      y[0] = start[0] + h * v;
      y[1] = v;
      return end.f;
    }
    std::fill_n(y, size(), std::numeric_limits<double>::quiet_NaN());
    return y[0];
  }
  void stage_powers(double t, double h, const double* start, const double* y, double* out) const {
    double end[capacity];
    powers_under(t, y, solve_stage(t, h, start, end), out);
  }

  void held(const double* y, double* out) const {
    const double p2 = y[0] * y[0];
    out[0] = 0.5 * M * y[1] * y[1];
    out[1] = -0.5 * k_1 * p2 + 0.25 * k_2 * p2 * p2;
  }
  // The belt pulls at the mass with -f and runs with u.
  void powers(double t, const double* y, double* out) const {
    double rate[capacity];
    powers_under(t, y, respond(friction, y + 2, drive_at(t, y), rate), out);
  }
  void side_powers(double t, const double* y, double direction, double* out) const {
    double rate[capacity];
    powers_under(t, y, side(friction, y + 2, drive_at(t, y), direction, rate), out);
  }
  void powers_under(double, const double* y, double f, double* out) const {
    out[0] = -f * u;
    out[1] = f * slip(y);
  }
};

// The mechanics inside a system, for those who know them; null where it is another one.
using named_mass_on_belt = mass_on_belt<double, any_model>;
const named_mass_on_belt* mass_on_belt_in(const system&);

}  // namespace asperity
