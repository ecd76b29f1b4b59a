// SPDX-License-Identifier: Apache-2.0
#pragma once

// A rigid body on a plane with friction, pushed by a force and a torque:
//
//   M u' = push(t) - G' f(G u),   q' = u,   q = (x, y, theta) of its centre of mass
//
// G and the frictions are in planar_friction.hpp. y = (q, u, states of the friction).

#include <asperity/mechanics/planar_keys.hpp>

namespace asperity {

// Inputs that are not there cost nothing. Derive from it and hide what your system has.
template <class S>
struct no_planar_inputs {
  ASPERITY_FN vec<S, 3> push(const S&) const { return {}; }  // force [N], torque [N m]
  ASPERITY_FN S load(const S&) const { return lit<S>(1.0); }
};

template <class S, class Friction, class Inputs = no_planar_inputs<S>>
struct planar_body {
  Friction friction;
  S m = lit<S>(1.0), I = lit<S>(1.0);
  Inputs inputs = {};
  static constexpr int capacity = 9;  // of bodies with bristle states; distributed laws have more
  int size() const { return 6 + friction.states(); }
  vec<S, 3> inertia() const { return {{m, m, I}}; }

  void rates(const S& t, const S* y, S* rate) const {
    const vec<S, 3> q{{y[0], y[1], y[2]}}, u{{y[3], y[4], y[5]}};
    const vec<S, 3> f = respond_under_load<S>(friction, q, u, y + 6, inputs.load(t), rate + 6),
                    push = inputs.push(t), M = inertia();
    for (int i = 0; i < 3; ++i) {
      rate[i] = u[i];
      rate[3 + i] = (push[i] - f[i]) / M[i];
    }
  }

  void solve_stage(const S& t, const S& h, const S* start, S* y) const requires
      requires(vec<S, 3>& u) {
    friction.stage(planar_stage<S>{}, start, y, u);
  }
  {
    planar_stage<S> s{h,
                      {{start[0], start[1], start[2]}},
                      {{start[3], start[4], start[5]}},
                      {},
                      inertia(),
                      inputs.load(t)};
    const vec<S, 3> push = inputs.push(t);
    for (int i = 0; i < 3; ++i) s.u_free[i] = s.u[i] + h * push[i] / s.inertia[i];
    vec<S, 3> u;
    const bool solved = stage_under_load(friction, s, start + 6, y + 6, u);
    for (int i = 0; i < 3; ++i) {
      y[3 + i] = solved ? u[i] : lit<S>(__builtin_nan(""));
      y[i] = start[i] + h * y[3 + i];
    }
  }
};

}  // namespace asperity
