// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random numbers and vectors for property tests. They are spread log-uniformly over decades, since
// most laws break at the ends of a range. On failure RapidCheck prints the RC_PARAMS that repeat
// it.

#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <asperity/model.hpp>
#include <cmath>

namespace asperity::testing {

// Uniform from the first case on; RapidCheck would begin with small ranges.
inline rc::Gen<int> uniform(int first, int last) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(first, last + 1));
}

// Positive, from 10^-decades to 10^decades.
inline rc::Gen<double> magnitude(int decades = 6) {
  return rc::gen::map(uniform(-1000 * decades, 1000 * decades),
                      [](int thousandths) { return std::pow(10.0, thousandths / 1000.0); });
}

// Of either sign, sometimes zero.
inline rc::Gen<double> number(int decades = 6) {
  return rc::gen::map(rc::gen::pair(uniform(-8, 8), magnitude(decades)),
                      [](const std::pair<int, double>& p) { return p.first / 8.0 * p.second; });
}

// Between 0 and 1, both possible.
inline rc::Gen<double> fraction() {
  return rc::gen::map(uniform(0, 10000), [](int n) { return n / 1e4; });
}

// Components of one common magnitude, so that none is lost beside another.
template <int N>
vec<double, N> any_vector(int decades = 6) {
  const double scale = *magnitude(decades);
  vec<double, N> result;
  for (int i = 0; i < N; ++i) result[i] = scale * (2 * *fraction() - 1);
  return result;
}

}  // namespace asperity::testing
