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

// Regula falsi after Illinois, every third step a bisection, so that it always ends; as exact as S
// allows. Mirrored problems have mirrored roots to the last bit. Where the signs do not differ,
// which rounding can bring about at a root that is one of the ends, it is the end nearer to zero.
template <std::floating_point S, class Function>
ASPERITY_FN S root_between(const Function& f, S a, S b) {
  S f_a = f(a), f_b = f(b);
  if ((f_a < S(0)) == (f_b < S(0))) return math::abs(f_a) < math::abs(f_b) ? a : b;
  for (int i = 0; i < 200; ++i) {
    if (f_a == S(0)) return a;
    if (f_b == S(0)) return b;
    const S width = b - a, size = math::max<S>(math::abs(a), math::abs(b));
    if (!(math::abs(width) > S(2) * rounding<S> * size)) break;
    const S secant = b - f_b * (width / (f_b - f_a)), middle = a + width / S(2);
    const S c = i % 3 == 2 ? middle : secant;
    const S f_c = f(c);
    if ((f_c < S(0)) != (f_b < S(0))) {
      a = b;
      f_a = f_b;
    } else {
      f_a = f_a / S(2);
    }
    b = c;
    f_b = f_c;
  }
  return b;
}

}  // namespace asperity
