// SPDX-License-Identifier: Apache-2.0
#pragma once

// Planar systems in any number type: a body that is pushed, and a contact that is moved. The frictions
// are policies (planar_friction.hpp); the one here is for laws of a few bristle states.

#include <asperity/mechanics/respond.hpp>
#include <asperity/planar.hpp>

namespace asperity {

// What an implicit step knows before friction is found.
template <class S>
struct planar_stage {
  S h;
  vec<S, 3> q, u;     // at its start
  vec<S, 3> u_free;   // at its end, without friction
  vec<S, 3> inertia;  // M
  S load;
};

// As in respond.hpp: without load there is no friction, and bristles wait in flight.
template <class S, class Friction>
ASPERITY_FN vec<S, 3> respond_under_load(const Friction& friction, const vec<S, 3>& q,
                                         const vec<S, 3>& u, const S* z, const S& load, S* rate) {
  const S least = lit<S>(friction.least_load());
  const vec<S, 3> f = friction.respond(q, u, z, math::max<S>(load, least), rate);
  return under_load(load, least, lit<S>(1.0), rate != nullptr ? friction.states() : 0, rate) * f;
}

// Under the centre of mass, for contacts that prefer no direction.
template <class S, class Law>
struct carried_bristles {
  Law law;

  static ASPERITY_FN int states() { return Law::states; }
  static ASPERITY_FN double least_load() { return least_load_of_bristles; }
  ASPERITY_FN vec<S, 3> respond(const vec<S, 3>&, const vec<S, 3>& u, const S* z, const S& load,
                                S* rate) const {
    const auto answer = law({{z[0], z[1], z[2]}}, u, load);
    for (int i = 0; i < 3; ++i) rate[i] = answer.rate[i];
    return answer.f;
  }
};

// Inputs that are not there cost nothing. Derive from it and hide what your system has.
template <class S>
struct no_planar_inputs {
  ASPERITY_FN vec<S, 3> push(const S&) const { return {}; }  // force [N], torque [N m]
  ASPERITY_FN S load(const S&) const { return lit<S>(1.0); }
};

// See systems/planar_body.hpp.
template <class S, class Friction, class Inputs = no_planar_inputs<S>>
struct planar_body {
  Friction friction;
  S m = lit<S>(1.0), I = lit<S>(1.0);
  Inputs inputs = {};
  static constexpr int capacity = 9;  // of bodies with bristle states; distributed laws have more
  ASPERITY_FN int size() const { return 6 + friction.states(); }
  ASPERITY_FN vec<S, 3> inertia() const { return {{m, m, I}}; }
  ASPERITY_FN vec<S, 3> velocities(const S&, const S* y) const { return {{y[3], y[4], y[5]}}; }

  ASPERITY_FN void rates(const S& t, const S* y, S* rate) const {
    const vec<S, 3> q{{y[0], y[1], y[2]}}, u = velocities(t, y);
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

// A contact whose velocities are given by inputs.motion(t). y = (q, states of the friction).
template <class S, class Friction, class Inputs>
struct moved_contact {
  Friction friction;
  Inputs inputs = {};
  static constexpr int capacity = 6;
  ASPERITY_FN int size() const { return 3 + friction.states(); }
  ASPERITY_FN vec<S, 3> velocities(const S& t, const S*) const { return inputs.motion(t); }

  ASPERITY_FN void rates(const S& t, const S* y, S* rate) const {
    const vec<S, 3> q{{y[0], y[1], y[2]}}, u = velocities(t, y);
    static_cast<void>(respond_under_load<S>(friction, q, u, y + 3, inputs.load(t), rate + 3));
    for (int i = 0; i < 3; ++i) rate[i] = u[i];
  }
};

}  // namespace asperity
