// SPDX-License-Identifier: Apache-2.0
#pragma once

// Planar friction: what a body that slides and spins on a surface feels. A planar law maps a twist
// to a wrench, both about one point of the body, in axes of the reader's choice:
//
//   twist   (v_x, v_y, omega)      velocity of that point [m/s], angular velocity [rad/s]
//   wrench  (f_x, f_y, torque)     friction [N], its torque about that point [N m]
//
// As everywhere in this library the wrench has the sense of the motion: the body feels its
// negative, and dot(wrench, twist) >= 0 is the power taken from it.
//
// Laws without memory have `wrench<S> operator()(const twist<S>&) const`. They are set-valued at
// rest, where they answer zero: what a body at rest feels is what holds it (systems/planar_body).
// Laws with memory have
//
//   planar_response<S> operator()(const vec<S, 3>& state, const twist<S>&, const S& load) const
//   S stored_energy(state) const                energy in their springs                       [J]
//
// and both, where they claim to be bounded,
//
//   vec<S, 2> wrench_bound(planar_drive) const  most force [N] and torque about the origin [N m]
//
// `load` is the normal load relative to the one that the parameters are stated for.

#include <asperity/model.hpp>

namespace asperity {

template <class S>
using twist = vec<S, 3>;
template <class S>
using wrench = vec<S, 3>;

// The port of planar friction as a law sees it: where the patch lies on the surface (x, y, theta),
// how it moves, in the axes of the surface, and under which load.
template <class S>
struct planar_drive {
  vec<S, 3> place = {};
  twist<S> moving = {};
  S load = lit<S>(1.0);
};

template <class S>
struct planar_response {
  wrench<S> f;
  vec<S, 3> rate;
};

// Velocity of the point (x, y) of a body with a twist about the origin.
template <class S>
ASPERITY_FN vec<S, 2> velocity_at(const twist<S>& t, const S& x, const S& y) {
  return {{t[0] - t[2] * y, t[1] + t[2] * x}};
}

// The same motion and the same wrench about the point (x, y).
template <class S>
ASPERITY_FN twist<S> twist_about(const twist<S>& t, const S& x, const S& y) {
  const vec<S, 2> v = velocity_at(t, x, y);
  return {{v[0], v[1], t[2]}};
}
template <class S>
ASPERITY_FN wrench<S> wrench_about(const wrench<S>& f, const S& x, const S& y) {
  return {{f[0], f[1], f[2] - (x * f[1] - y * f[0])}};
}

}  // namespace asperity
