// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a model of contact with friction is: a body touches a surface at a point, with a normal
// force and a friction force in the surface. Like the models of model.hpp it is a constant
// aggregate of parameters with `states` and `describe(card)`, and instead of a drive it sees a
// touch:
//
//   touch_response<S, states> operator()(const vec<S, states>& state, const touch<S>& in) const
//   touch_energy<S> energy(state, in) const      what is stored, and where power is lost
//   S slip_margin(state, in) const               above 0 while slipping, below 0 while sticking
//
// and, where it has them,
//
//   S cone(f_n) const                            most friction under a normal force: |f_t| <= cone
//   touch_reaction<S> react(state, touch_mechanics, h) const   both forces at the end of an implicit
//   vec<S, states> settle(state, reaction, h) const            step, and the state there
//   void remember(vec<S, states>& state, in) const             a choice between branches, kept in
//                                                              the state: made after a step, never
//                                                              inside one

#include <asperity/model.hpp>

namespace asperity {

template <class S>
struct touch {
  S gap = lit<S>(0.0);       // negative when bodies overlap                                [m]
  S gap_rate = lit<S>(0.0);  //                                                             [m/s]
  vec<S, 2> slip = {};       // velocity of the body's point over the surface               [m/s]
};

// The body feels +f_n along the normal and -f_t in the surface.
template <class S, int N>
struct touch_response {
  S f_n = lit<S>(0.0);
  vec<S, 2> f_t = {};
  vec<S, N> rate = {};
};

// Stored energy [J] and powers lost [W]. Power taken from the body is -f_n gap_rate + f_t slip; it
// is the rate of what is stored plus all the losses. Each loss but the last is never negative;
// `unbalanced` is what a printed law takes or gives beyond its own account.
template <class S>
struct touch_energy {
  S stored_normal = lit<S>(0.0), stored_tangential = lit<S>(0.0);
  S normal_damper = lit<S>(0.0), tangential_damper = lit<S>(0.0), slider = lit<S>(0.0),
    viscous = lit<S>(0.0), unbalanced = lit<S>(0.0);
};

// Where an implicit step of length h would end without contact forces, and what each newton
// changes.
template <class S>
struct touch_mechanics {
  S gap_free;
  vec<S, 2> slip_free;
  S gap_mobility;   // of the gap, per newton of f_n                                        [m/N]
  S slip_mobility;  // of the slip velocity, per newton of f_t                              [m/(s
                    // N)]
};

template <class S>
struct touch_reaction {
  S f_n;
  vec<S, 2> f_t;
};

}  // namespace asperity
