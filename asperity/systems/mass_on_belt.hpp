// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mass on a belt of speed u, held by a nonlinear spring (Xiong 2013, Example III; Awrejcewicz et
// al.):
//
//   M p'' = k_1 p - k_2 p^3 - f(p' - u) (3.36)-(3.39)
//
// The source's state w is u - p'. y = (p, v, states of the friction).

#include <asperity/systems/energy_books.hpp>
#include <asperity/systems/respond.hpp>

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
    const S f = respond(friction, y + 2, drive_at(t, y), rate + 2);
    rate[0] = y[1];
    rate[1] = (spring_force(y[0]) - f) / M;
  }

  void held(const double* y, double* out) const {
    const double p2 = y[0] * y[0];
    out[0] = 0.5 * M * y[1] * y[1];
    out[1] = -0.5 * k_1 * p2 + 0.25 * k_2 * p2 * p2;
  }
  // The belt pulls at the mass with -f and runs with u.
  void powers(double t, const double* y, double* out) const {
    double rate[capacity];
    const double f = respond(friction, y + 2, drive_at(t, y), rate);
    out[0] = -f * u;
    out[1] = f * (y[1] - u);
  }
};

}  // namespace asperity
