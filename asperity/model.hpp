// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a model is. Read this header first.
//
// A model is a constant aggregate of parameters, templated on the scalar S. It has no hidden state:
//
//   template <scalar S>
//   struct lugre {
//     S sigma_0{1e5}, ...;                       fields are the paper's symbols, with defaults
//     static constexpr int states = 1;           length of the internal state
//     template <class Card>
//     void describe(Card& card);                 title, source, claims, parameters, states
//     response<S, 1> operator()(const vec<S, 1>& state, const drive<S>& in) const;
//   };
//
// and, where it has them, these further members, which the library finds by itself:
//
//   vec<S, states> initial() const             state before any motion (otherwise all zero)
//   int active_states() const                  states in use, where `states` is only a capacity
//   vec<S, states> state_scale() const         typical size of each state, for tolerances
//   S stored_energy(state, drive) const        energy in its springs and masses                 [J]
//   losses<S> lost(state, drive, response)     where that energy comes and goes otherwise than by
//                  const                       f v: what it loses for good, and what the law leaves
//                                              unbalanced (`losses` below)                      [W]
//   static constexpr const char* no_energy     why the law has no energy to state
//   static constexpr bool load_is_weight       the load moves the law's own mass, and may lift it:
//                                              no other law takes loads below 0
//   S force_bound(drive) const                 |f| never exceeds it at constant load            [N]
//   S slip_margin(state, drive) const          above 0 while slipping, below 0 while sticking
//   reaction<S> react(state, load, h) const    force at the end of an implicit step of length h,
//   vec<S, states> settle(state, f, h) const   ... and the state at its end, given that force;
//                                              react(state, load, h, x) where the force depends on
//                                              the rate of the gap, which was x at the start
//   implicit_end<S, states> implicit_step(     the same at once, for a law that no single reaction
//       state, load, h, free_step) const       states: elements that share a velocity, a limit that
//                                              depends on it
//   response side(state, drive, direction)     for a law that jumps at v = 0 (contact: at x = 0):
//                  const                       its limit from that side, continued beyond it, where
//                                              direction is above or below 0
//   vec<S, N> observe(state, drive) const      what else can be seen of it: the card's outputs
//   validity valid() const                     rules that tie parameters to one another
//
// A model whose memory is not an ODE (Maxwell slip, Leuven, play, Preisach, bristles) has, instead
// of operator() or beside it,
//
//   S advance(vec<S, states>& state, const drive<S>& from, const drive<S>& to, const S& h) const
//
// which takes the state along a motion that is monotone in x between two instants h apart, and
// returns the force at the second. It is exact where the model is rate independent. Where such a
// model must branch on its memory it is restricted to plain numbers: template <std::floating_point
// S>.
//
// Families, and what `drive` and the force mean in each:
//   curve     v is the sliding speed; f is the steady friction force, sgn(v) g(v).
//   friction  v is the body's velocity relative to the surface, x its displacement. f has the sign
//             of v in steady sliding: the body feels -f, and f v is the power taken from it.
//   contact   x is the gap (negative when bodies overlap) and v its rate. f >= 0 pushes apart: the
//             body feels +f, and -f v is the power taken from it.
//   hysteresis  x is the input, v its rate, f the output: plain numbers, in the user's units.
// `load` is the normal load relative to the one the parameters are stated for.
// The same as data, for all who list and call models: asperity/port.hpp. Models that see more than
// one direction are in asperity/touch.hpp and asperity/planar.hpp.
// Equations never throw, allocate, or branch on a scalar. NaN in, NaN out.

#include <asperity/scalar/vector.hpp>
#include <asperity/units.hpp>

namespace asperity {

template <class S>
struct drive {
  S x = lit<S>(0.0);
  S v = lit<S>(0.0);
  S load = lit<S>(1.0);
};

template <class S, int N>
struct response {
  S f = lit<S>(0.0);
  vec<S, N> rate = {};
};

// Power taken is the rate of what is stored, and these.
template <class S>
struct losses {
  S dissipated;  // never below 0
  S unbalanced;  // of either sign: nobody takes or gives it, but for the law as it is written
};

// An implicit step of the mechanics as friction or contact sees it: u, a velocity (friction) or gap
// (contact), at its start; at its end without the force; and what each newton takes from it there.
template <class S>
struct free_step {
  S u_start, u_free, mobility;
};

// The end of that step, where u = u_free - mobility f.
template <class S>
struct step_end {
  S f, u;
};
template <class S, int N>
struct implicit_end {
  S f, u;
  vec<S, N> state;
};

// What remains of a set-valued law after an implicit step: the force as a function of u, the
// velocity (friction) or gap (contact) at the end of the step,
//
//   f = y + viscous u,   softness y = offset + slope u,   y cut to [lower, upper].
//
// softness = 0 is the rigid law: u itself is held at zero while y is inside its bounds. A rigid law
// may hold more than it resists in motion: y is cut only when it leaves the bounds by `grip`.
template <class S>
struct reaction {
  S lower, upper, offset, slope, softness;
  S viscous = lit<S>(0.0), grip = lit<S>(0.0);

  // The mechanics say u = u_free - mobility f. What y must be if it is not cut: y = sat(Z, w - c y)
  // has the solution y = sat(Z, w/(1 + c)), so no iteration is needed.
  ASPERITY_FN S uncut(const S& u_free, const S& mobility) const {
    const S one = lit<S>(1.0), share = one / (one + mobility * viscous);
    return (offset + slope * share * u_free) / (softness + slope * share * mobility);
  }

  // Above 0 where y is cut, that is, where the contact slips or opens.
  ASPERITY_FN S excess(const S& u_free, const S& mobility) const {
    const S y = uncut(u_free, mobility);
    return math::max<S>(y - upper, lower - y) - grip;
  }

  // The force.
  ASPERITY_FN S solve(const S& u_free, const S& mobility) const { return end(u_free, mobility).f; }

  // The force, and u without the difference of two almost equal numbers: a rigid law that holds
  // leaves exactly 0.
  ASPERITY_FN step_end<S> end(const S& u_free, const S& mobility) const {
    const S zero = lit<S>(0.0), resisted = lit<S>(1.0) + mobility * viscous;
    const S held = uncut(u_free, mobility);
    const auto is_above = upper + grip < held, is_below = held < lower - grip;
    const S y = math::select(is_below, lower, math::select(is_above, upper, held));
    const S cut = (u_free - mobility * y) / resisted;
    // The 0 that is added turns the -0 of a body at rest into 0.
    const S uncut_u =
        (softness * u_free - mobility * offset) / (softness * resisted + slope * mobility) + zero;
    const S u = math::select(is_below, cut, math::select(is_above, cut, uncut_u));
    return {y + viscous * u, u};
  }
};

// Ranges of parameters and states. Ends are included unless the name says otherwise.
struct range {
  double lower, upper;
  bool open_below = false;  // lower itself is not allowed
  bool whole = false;       // whole numbers only: counts, flags, indices
};
inline constexpr range any_value{-unbounded, unbounded};
inline constexpr range positive{0.0, unbounded, true};
inline constexpr range non_negative{0.0, unbounded};
constexpr range whole(double lower, double upper) { return {lower, upper, false, true}; }

// Promises that tests/laws_test.cpp and tests/port_laws_test.cpp check for every model that makes
// them.
enum claim : unsigned {
  odd = 1U << 0,      // f(-state, -v) = -f(state, v), states marked even keeping their sign
  passive = 1U << 1,  // never gives back more energy than it stores
  bounded = 1U << 2,  // |f| <= force_bound(drive), or its like, from every reachable state
  rate_independent = 1U << 3,  // the loop in (x, f) does not depend on the speed
  continuous = 1U << 4,        // force continuous in state and drive
  no_drift = 1U << 5,          // holds a body in its place below the limit
  never_pulls = 1U << 6        // contact force never negative
};

// The answer of a model's `valid()`.
struct validity {
  enum level { fine, doubtful, refused } verdict = fine;
  const char* why = "";
};

}  // namespace asperity
