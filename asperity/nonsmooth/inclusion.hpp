// SPDX-License-Identifier: Apache-2.0
#pragma once

// The set-valued laws Sgn and Dio, their solutions in closed form, and tests of membership. Numbers
// are those of Xiong 2013, chapter 2.
//
//   Sgn(x) = x/|x|, the closed unit ball at x = 0                                       (2.1)
//   sat(Z, x) = nearest point to x of the ball of radius Z                              (2.2)
//   Theorem 1    y in Z Sgn(x - y)  <=>  y = sat(Z, x)                                  (2.3)
//   Dio(x) = 0 for x > 0, [0, inf) at x = 0                                             (2.4)
//   Theorem 2    y in Dio(x + y)    <=>  y = max(0, -x)                                 (2.5)
//   N_S(y) = {w : w.(y - xi) >= 0 for all xi in S}, empty unless y in S                 (2.7)
//
// Both theorems are cases of x - y in N_S(y) <=> y = prox(S, x), with the ball and with y >= 0.
// Since N_S(y) is a cone, a feedback -c y with c > -1 only rescales:
//
//   y = prox(S, w - c y)  <=>  w - (1 + c) y in N_S(y)  <=>  y = prox(S, w / (1 + c))

#include <asperity/nonsmooth/prox.hpp>

namespace asperity {

// ---- closed forms -------------------------------------------------------------------------------

// sat in R^n; in one dimension it is math::sat.
template <class S, int N>
ASPERITY_FN vec<S, N> sat(const S& Z, const vec<S, N>& x) {
  return ball<S, N>{Z}.prox(x);
}

// The single-valued sign in R^n: x/|x|, and 0 at 0.
template <class S, int N>
ASPERITY_FN vec<S, N> sgn(const vec<S, N>& x) {
  return to_polar(x).direction;
}

// The y >= 0 with y in Dio(x + y): the force that keeps the gap x + y open.
template <class S>
ASPERITY_FN S dio_resolvent(const S& x) {
  return math::max<S>(lit<S>(0.0), -x);
}

// The y with y = prox(S, w - c y), c > -1.
template <class Set, class S, int N>
ASPERITY_FN vec<S, N> prox_with_feedback(const Set& set, const vec<S, N>& w, const S& c) {
  return set.prox((lit<S>(1.0) / (lit<S>(1.0) + c)) * w);
}

// ---- membership ---------------------------------------------------------------------------------
// With tolerance 0 these are the definitions; otherwise y and x may both be off by about as much.

// y in Z Sgn(x): |y| <= Z, and y = Z x/|x| unless x = 0. The last clause lets a short x turn.
template <std::floating_point S, int N>
ASPERITY_FN bool in_sgn(const vec<S, N>& y, S Z, const vec<S, N>& x, S tolerance = 0) {
  const auto [y_length, y_direction] = to_polar(y);
  const auto [x_length, x_direction] = to_polar(x);
  if (!(y_length <= Z + tolerance)) return false;
  return x_length <= tolerance || norm(y - Z * x_direction) <= tolerance ||
         (Z - tolerance <= y_length && norm(x - x_length * y_direction) <= tolerance);
}

template <std::floating_point S>
ASPERITY_FN bool in_sgn(S y, S Z, S x, S tolerance = 0) {
  return in_sgn(vec<S, 1>{{y}}, Z, vec<S, 1>{{x}}, tolerance);
}

// y in Dio(x): neither is negative, and one of them is zero.
template <std::floating_point S>
ASPERITY_FN bool in_dio(S y, S x, S tolerance = 0) {
  return -tolerance <= x && -tolerance <= y && (x <= tolerance || y <= tolerance);
}

// w in N_S(y), through (2.6): y is in S, and a push along w leads back to y.
template <class Set, std::floating_point S, int N>
ASPERITY_FN bool in_normal_cone(const Set& set, const vec<S, N>& y, const vec<S, N>& w,
                                S tolerance = 0) {
  return set.contains(y, tolerance) && norm(set.prox(y + w) - y) <= tolerance;
}

}  // namespace asperity
