// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small tools for models that are made of many elements. Their loops run over plain arrays, without
// branches, so that compilers lay elements side by side.

#include <asperity/model.hpp>
#include <asperity/scalar/root.hpp>

namespace asperity::lists {

template <class S, int N>
ASPERITY_FN vec<S, N> all(double value) {
  vec<S, N> result;
  for (int i = 0; i < N; ++i) result[i] = lit<S>(value);
  return result;
}

// first, first + step, first + 2 step ...
template <class S, int N>
ASPERITY_FN vec<S, N> ladder(double first, double step) {
  vec<S, N> result;
  for (int i = 0; i < N; ++i) result[i] = lit<S>(first + step * i);
  return result;
}

// first, first/2, first/3 ...
template <class S, int N>
ASPERITY_FN vec<S, N> harmonic(double first) {
  vec<S, N> result;
  for (int i = 0; i < N; ++i) result[i] = lit<S>(first / (i + 1));
  return result;
}

// A number that counts something, from 0 to `most`: whatever bits it holds.
template <class S>
ASPERITY_FN int index(const S& x, int most) {
  if (!(S(0) < x)) return 0;
  return x < S(most) ? static_cast<int>(x) : most;
}

// The sum of the first `count` values, in four strands: additions in one strand wait for each
// other, and no compiler may reorder them by itself.
template <class S, int N>
ASPERITY_FN S sum(const vec<S, N>& values, int count) {
  S strand[4] = {lit<S>(0.0), lit<S>(0.0), lit<S>(0.0), lit<S>(0.0)};
  const int whole = count / 4 * 4;
#if defined(__CUDA_ARCH__)
  const int begun = whole > 0 ? 4 : 0;  // 0 + x is x, but for the sign of a 0: four additions less
#else
  constexpr int begun = 0;
#endif
  for (int k = 0; k < begun; ++k) strand[k] = values[k];
  for (int i = begun; i < whole; i += 4)
    for (int k = 0; k < 4; ++k) strand[k] = strand[k] + values[i + k];
  for (int k = 0; k < count - whole; ++k) strand[k] = strand[k] + values[whole + k];
  return (strand[0] + strand[1]) + (strand[2] + strand[3]);
}

// Whether the first `count` values do, but for rounding.
template <std::floating_point S, int N>
ASPERITY_FN bool sum_to_one(const vec<S, N>& values, int count) {
  return math::abs<S>(sum(values, count) - S(1)) < S(1e-9) + N * rounding<S>;
}

// A motion in which v is linear in time, in pieces in which it keeps its sign.
template <std::floating_point S, class Glide>
ASPERITY_FN void in_one_direction(const drive<S>& from, const drive<S>& to, const S& h,
                                  const Glide& glide) {
  const bool turns = (from.v < S(0) && S(0) < to.v) || (to.v < S(0) && S(0) < from.v);
  if (!turns) return glide(from, to, h);
  const S share = from.v / (from.v - to.v);
  const drive<S> rest{from.x, S(0), from.load + share * (to.load - from.load)};
  glide(from, rest, share * h);
  glide(rest, to, (S(1) - share) * h);
}

}  // namespace asperity::lists
