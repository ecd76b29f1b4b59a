// SPDX-License-Identifier: Apache-2.0
#pragma once

// A few numbers together, and the few operations that projections need.

#include <asperity/scalar/math.hpp>

namespace asperity {

template <class S, int N>
struct vec {
  S element[N > 0 ? N : 1] = {};
  ASPERITY_FN S& operator[](int i) { return element[i]; }
  ASPERITY_FN const S& operator[](int i) const { return element[i]; }
  static ASPERITY_FN int size() { return N; }
};

template <class S, int N>
ASPERITY_FN vec<S, N> operator+(const vec<S, N>& a, const vec<S, N>& b) {
  vec<S, N> result;
  for (int i = 0; i < N; ++i) result[i] = a[i] + b[i];
  return result;
}

template <class S, int N>
ASPERITY_FN vec<S, N> operator-(const vec<S, N>& a, const vec<S, N>& b) {
  vec<S, N> result;
  for (int i = 0; i < N; ++i) result[i] = a[i] - b[i];
  return result;
}

template <class S, int N>
ASPERITY_FN vec<S, N> operator*(const S& factor, const vec<S, N>& a) {
  vec<S, N> result;
  for (int i = 0; i < N; ++i) result[i] = factor * a[i];
  return result;
}

template <class S, int N>
ASPERITY_FN S dot(const vec<S, N>& a, const vec<S, N>& b) {
  S sum = a[0] * b[0];
  for (int i = 1; i < N; ++i) sum = sum + a[i] * b[i];
  return sum;
}

template <class S>
ASPERITY_FN vec<S, 3> cross(const vec<S, 3>& a, const vec<S, 3>& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}

// Length and direction together: x = length * direction. Both are right for tiny, huge and infinite
// vectors; the direction of the zero vector is zero. NaN in any component makes the length NaN.
template <class S, int N>
struct polar {
  S length;
  vec<S, N> direction;
};

template <class S, int N>
ASPERITY_FN polar<S, N> to_polar(const vec<S, N>& x) {
  const S zero = lit<S>(0.0), one = lit<S>(1.0), infinity = lit<S>(unbounded);
  S largest = math::abs(x[0]);
  for (int i = 1; i < N; ++i) largest = math::max<S>(largest, math::abs(x[i]));

  // Scaled to a largest component of 1, squares neither overflow nor vanish. Beside an infinite
  // component the finite ones do not count.
  const S divisor = math::select(zero < largest, largest, one);
  vec<S, N> scaled;
  for (int i = 0; i < N; ++i) {
    const S of_infinite = math::select(math::abs(x[i]) < infinity, zero, math::sgn(x[i]));
    scaled[i] = math::select(largest < infinity, S(x[i] / divisor), of_infinite);
  }

  const S sum = dot(scaled, scaled);
  const S root = math::sqrt<S>(math::select(zero < sum, sum, one));
  polar<S, N> result;
  result.length = math::select(zero < sum, S(largest * root), sum);  // sum: 0 or NaN
  for (int i = 0; i < N; ++i) result.direction[i] = scaled[i] / root;
  return result;
}

template <class S, int N>
ASPERITY_FN S norm(const vec<S, N>& x) {
  return to_polar(x).length;
}

// x, or NaN where `probe`, a number never below zero, is NaN.
template <class S>
ASPERITY_FN S nan_if_nan(const S& probe, const S& x) {
  return math::select(lit<S>(-1.0) < probe, x, probe);
}

}  // namespace asperity
