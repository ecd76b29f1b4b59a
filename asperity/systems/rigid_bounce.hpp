// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mass that falls on rigid ground and leaves it with `e` times the speed it came with: bounces
// follow each other ever faster and end after a finite time (Zeno). x is the gap.
//
//   x'' = -g in flight,   v+ = -e v- at x = 0
//
// After an impact at speed v all that is left takes 2 e v/(g (1 - e)) s. Where that is less than
// `rest_within` the mass is put to rest on the ground, where it stays. y = (x, v, rests): 0 or 1.
//
// An explicit Euler step of length h flies on x = v t + g t (h - t)/2: a flight that begins with v
// ends with at most v + g h. Speeds after impacts then tend to e g h/(1 - e) instead of 0; below
// twice that they are the method's own, and the mass is put to rest, too (rest_below).

#include <asperity/integrate/energy_terms.hpp>
#include <asperity/mechanics/gravity.hpp>
#include <cmath>

namespace asperity {

struct rigid_bounce {
  double m = 1, g = usual_gravity, e = 0.5, rest_within = 1e-9;

  static constexpr int capacity = 3;
  int size() const { return 3; }

  void rates(double, const double* y, double* rate) const {
    const bool rests = y[2] > 0.5;
    rate[0] = rests ? 0 : y[1];
    rate[1] = rests ? 0 : -g;
    rate[2] = 0;
  }

  void solve_stage(double, double h, const double* start, double* y) const {
    const bool rests = start[2] > 0.5;
    y[2] = start[2];
    y[1] = rests ? start[1] : start[1] - h * g;
    y[0] = rests ? start[0] : start[0] + h * y[1];
  }

  // The speed that ends the bounces; steps of explicit Euler, h long, give every flight more.
  double rest_below(double h = 0) const {
    return std::fmax(2 * e * g * h / (1 - e), 0.5 * rest_within * g * (1 - e));
  }

  // What happens at x = 0.
  void impact(double* y, double euler_step = 0) const {
    const double after = e * std::fabs(y[1]);
    const bool rests =
        2 * after <= rest_within * g * (1 - e) || after < 2 * e * g * euler_step / (1 - e);
    y[0] = 0;
    y[1] = rests ? 0 : after;
    y[2] = rests ? 1 : 0;
  }
};

}  // namespace asperity
