// SPDX-License-Identifier: Apache-2.0
#pragma once

// The speed at the end of an implicit step whose friction limit depends on that speed. With the
// limit of a guess v the step has a solution in closed form, next(v); wanted is v = next(v).
//
// Where the limit falls with the speed, next rises with v, and there may be several solutions: a
// long step from rest below the limit ends at rest, or in a slide that the step itself would have
// brought about. Iterating from the speed at the start finds the first one on its way. Secants
// through the last two guesses hasten it, and seldom leap over two that lie close together. Where
// the limit rises, next falls, and the guesses enclose the only solution.

#include <asperity/model.hpp>
#include <asperity/scalar/root.hpp>

namespace asperity::detail {

template <class S, class Next>
ASPERITY_FN S first_speed(const S& start, const Next& next) {
  const S one = lit<S>(1.0), zero = lit<S>(0.0), half = lit<S>(0.5);
  S near = start, near_next = next(near);
  const S way = math::sgn<S>(near_next - near);
  S far = way * lit<S>(unbounded);  // the first guess known to be beyond the solution
  S guess = near_next, found = near_next;
  // A dozen secants are enough for every lane of a pack; a plain number stops when it is there.
  constexpr int most = std::floating_point<S> ? 200 : 12;
  for (int i = 0; i < most; ++i) {
    found = next(guess);
    const S left = way * (found - guess);  // above 0 on the near side
    if constexpr (std::floating_point<S>)
      if (!(math::abs<S>(left) > rounding<S> * math::abs<S>(guess))) break;
    const S slope = (found - near_next) / (guess - near);
    const S secant = guess + (found - guess) / (one - slope);
    const auto is_near = zero < left;
    near = math::select(is_near, guess, near);
    near_next = math::select(is_near, found, near_next);
    far = math::select(is_near, far, guess);
    // Between near and far; while nothing is known to be beyond, the next of the nearest.
    const S middle = near + half * (far - near);
    const S safe = math::select(way * far < lit<S>(unbounded), middle, near_next);
    const auto is_ahead = zero < way * (secant - near);
    const auto is_before = zero < way * (far - secant);
    guess = math::select(is_ahead, math::select(is_before, secant, safe), safe);
  }
  return found;
}

}  // namespace asperity::detail
