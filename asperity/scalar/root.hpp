// SPDX-License-Identifier: Apache-2.0
#pragma once

// The root of a function between two points where its signs differ, for plain numbers. Models use
// it to find an instant inside a step, or the end of an implicit one.

#include <asperity/scalar/math.hpp>
#include <limits>

namespace asperity {

// The distance from 1 to the next number; a variable, since devices may not call numeric_limits.
template <std::floating_point S>
inline constexpr S rounding = std::numeric_limits<S>::epsilon();

// Chandrupatla's method (Advances in Engineering Software 28, 145, 1997): inverse quadratic
// interpolation where it can be trusted, bisection elsewhere; as exact as S allows. Mirrored
// problems have mirrored roots to the last bit. Where the signs do not differ, which rounding can
// bring about at a root that is one of the ends, it is the end nearer to zero. `share` is where
// between a and b to look first: a good guess saves the bisections.
template <std::floating_point S, class Function>
ASPERITY_FN S root_between(const Function& f, S a, S b, S share = S(1) / S(2)) {
  S f_a = f(a), f_b = f(b);
  if ((f_a < S(0)) == (f_b < S(0))) return math::abs(f_a) < math::abs(f_b) ? a : b;
  S best = a;
  for (int i = 0; i < 200; ++i) {
    const S x = a + share * (b - a), f_x = f(x);
    const bool same = (f_x < S(0)) == (f_a < S(0));
    const S c = same ? a : b, f_c = same ? f_a : f_b;
    if (!same) {
      b = a;
      f_b = f_a;
    }
    a = x;
    f_a = f_x;

    const bool nearer = math::abs(f_a) < math::abs(f_b);
    best = nearer ? a : b;
    const S least = S(2) * rounding<S> * math::abs(best) / math::abs(b - a);
    if (!(least < S(1) / S(2)) || f_a == S(0) || f_b == S(0)) break;

    const S xi = (a - b) / (c - b), phi = (f_a - f_b) / (f_c - f_b);
    share = S(1) / S(2);
    if (phi * phi < xi && (S(1) - phi) * (S(1) - phi) < S(1) - xi)
      share = f_a / (f_b - f_a) * (f_c / (f_b - f_c)) +
              (c - a) / (b - a) * (f_a / (f_c - f_a)) * (f_b / (f_c - f_b));
    share = math::clamp<S>(least, S(1) - least, share);
  }
  return best;
}

}  // namespace asperity
