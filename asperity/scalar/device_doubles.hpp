// SPDX-License-Identifier: Apache-2.0
#pragma once

// Doubles on a GPU without branches: the threads of a GPU wait at the end of each branch, even of one
// that none of them takes, and nothing is computed meanwhile. Comparisons of doubles share a pipe with
// multiplications, so what can be told from the upper word is told there, as an integer.
//
// Any compiler takes this text, so that tests can run it. math.hpp and prepared.hpp include it, where
// a GPU is compiled for.

#include <cmath>
#include <concepts>
#include <cstdint>
#if !defined(ASPERITY_FN) && !defined(__CUDACC__)
#define ASPERITY_FN constexpr  // as in math.hpp, which includes this file for a GPU
#endif

namespace asperity::detail {

template <std::same_as<double> T>
ASPERITY_FN std::uint64_t bits_of(T x) {
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &x, sizeof x);
  return bits;
}
template <std::same_as<double> T>
ASPERITY_FN std::uint32_t upper_word(T x) {
  return static_cast<std::uint32_t>(bits_of(x) >> 32U);
}
template <std::same_as<double> T>
ASPERITY_FN T with_upper_word(T x, std::uint32_t upper) {
  const std::uint64_t bits = static_cast<std::uint64_t>(upper) << 32U | (bits_of(x) & 0xffffffffU);
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}
constexpr std::uint32_t sign_bit = 0x80000000U, infinite = 0x7ff00000U;  // of upper words

// math::sat to the bit where Z is above -1 and not -0. The one comparison is that by which
// laws tell whether they stick, so that compilers make it once.
template <std::same_as<double> T>
ASPERITY_FN T sat_on_device(T Z, T x) {
  const std::uint32_t upper = upper_word(x);
  const T bound = with_upper_word(Z, upper_word(Z) | (upper & sign_bit));
  const bool is_nan = (upper & ~sign_bit) > infinite;
  return std::abs(x) < Z || is_nan ? x : bound;
}

// e^x to one unit in the last place. What is below 2.3e-308, the least that has all digits, is 0.
template <std::same_as<double> T>
ASPERITY_FN T exp_on_device(T x) {
  // x = k ln 2 + r, and e^r = 1 + r + r^2 q(r). Adding and taking away 1.5 2^52 rounds to a whole k,
  // which is then in the lower word.
  constexpr double whole = 6755399441055744.0;
  const T shifted = std::fma(x, 1.4426950408889634, whole), k = shifted - whole;
  const T r = std::fma(k, -2.319046813846300e-17, std::fma(k, -0.6931471805599453, x)), s = r * r;
  // Found by interpolation between Chebyshev's nodes on |r| <= ln 2/2, where e^r is right to 3e-18.
  // Even and odd powers, so that neither waits for the other.
  T even = std::fma(s, 2.7620088445409746e-07, 2.4801521295954376e-05);
  T odd = std::fma(s, 2.510038549551032e-08, 2.7557268459997064e-06);
  even = std::fma(s, even, 0.0013888888917213717);
  odd = std::fma(s, odd, 0.00019841269863053618);
  even = std::fma(s, even, 0.041666666666624129);
  odd = std::fma(s, odd, 0.0083333333333300615);
  even = std::fma(s, even, 0.50000000000000011);
  odd = std::fma(s, odd, 0.16666666666666669);
  const T power = 1.0 + std::fma(s, std::fma(r, odd, even), r);
  const auto exponent = static_cast<std::uint32_t>(bits_of(shifted));
  const T inside = with_upper_word(power, upper_word(power) + (exponent << 20U));

  const std::uint32_t upper = upper_word(x), magnitude = upper & ~sign_bit;
  const bool is_nan = magnitude > infinite, is_below = upper >= sign_bit;
  const bool is_outside = magnitude >= (is_below ? 0x40862000U : 0x40862e42U);  // -708 and 709.78
  const T outside = with_upper_word(T(0), is_nan ? upper : (is_below ? 0U : infinite));
  return is_outside ? outside : inside;
}

#if defined(__CUDA_ARCH__)
// 1/x to one unit in the last place. What is below 2.3e-308, x or the reciprocal, counts as 0.
template <std::same_as<double> T>
__device__ T reciprocal_on_device(T x) {
  T guess;  // to 20 bits, of which one step with the third power makes more than 53
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(x));
  const T off = std::fma(-x, guess, 1.0);
  const T refined = std::fma(guess, std::fma(off, off, off), guess);
  const std::uint32_t magnitude = upper_word(guess) & ~sign_bit;
  return magnitude - 1U < infinite - 1U ? refined : guess;  // 0 and infinity are not refined
}
#endif

}  // namespace asperity::detail
