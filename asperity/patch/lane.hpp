// SPDX-License-Identifier: Apache-2.0
#pragma once

// A double whose functions are plain arithmetic without a branch or a call, so that a compiler
// turns a loop over cells into SIMD of whatever width the machine has, with the same bits for every
// width. It is a scalar like any other: the equations of cells are written once, for every number
// type.

#include <asperity/portable.hpp>
#include <asperity/scalar/math.hpp>
#include <cstdint>

namespace asperity {

struct lane {
  double x = 0;

  constexpr lane() = default;
  constexpr lane(double value)
      : x(value) {}  // NOLINT(google-explicit-constructor): a number is one

  friend constexpr lane operator+(lane a, lane b) { return a.x + b.x; }
  friend constexpr lane operator-(lane a, lane b) { return a.x - b.x; }
  friend constexpr lane operator*(lane a, lane b) { return a.x * b.x; }
  friend constexpr lane operator/(lane a, lane b) { return a.x / b.x; }
  friend constexpr lane operator-(lane a) { return -a.x; }
  // Selected by value: a choice between references would be a choice between addresses.
  struct mask {
    bool is;
  };
  friend constexpr mask operator<(lane a, lane b) { return {a.x < b.x}; }
  friend constexpr lane select(mask m, lane a, lane b) { return m.is ? a.x : b.x; }

  friend constexpr lane abs(lane a) { return __builtin_fabs(a.x); }
  friend lane sqrt(lane a) { return __builtin_sqrt(a.x); }

  // 2^n e^r with |r| <= ln(2)/2. Below -690 it is 2e-300 instead of less: no
  // subnormal numbers, which are slow. Above 709 it is 8e307.
  friend constexpr lane exp(lane a) {
    const double low = a.x < -690.0 ? -690.0 : a.x, limited = 709.0 < low ? 709.0 : low;
    constexpr double shifter = 6755399441055744.0;  // 1.5 * 2^52: its last bits are the integer
    const double shifted = limited * 1.4426950408889634074 + shifter;
    const double n = shifted - shifter;
    const double r = (limited - n * 0.69314718036912381649) - n * 1.9082149292705877e-10;
    // Interpolates e^r at Chebyshev's points: 4e-18 off. In pairs, whose chain is short.
    const double r2 = r * r, r4 = r2 * r2;
    const double lowest = (1.0 + r) + r2 * (0.50000000000000189 + r * 0.1666666666666668);
    const double middle = (0.041666666666487953 + r * 0.008333333333319589) +
                          r2 * (0.0013888888952352863 + r * 0.00019841269890076403);
    const double highest = (2.4801485441561313e-05 + r * 2.7557240887229869e-06) +
                           r2 * (2.763265472252779e-07 + r * 2.5110049204818658e-08);
    const double series = lowest + r4 * (middle + r4 * highest);
    const std::uint64_t bits = detail::bit_cast<std::uint64_t>(shifted) << 52;
    return series * detail::bit_cast<double>(bits + 0x3ff0000000000000U);
  }

  // Of a normal number above 0; below 1e-300 it is log(1e-300).
  friend constexpr lane log(lane a) {
    const std::uint64_t bits = detail::bit_cast<std::uint64_t>(a.x < 1e-300 ? 1e-300 : a.x);
    // The exponent such that the rest lies in [1/sqrt(2), sqrt(2)).
    const std::uint64_t above = bits - 0x3fe6a09e667f3bcdU;
    const double exponent = detail::bit_cast<double>((above >> 52) + 0x4330000000000000U) -
                            (above >> 63 != 0 ? 4503599627370496.0 + 4096.0 : 4503599627370496.0);
    const double rest = detail::bit_cast<double>(bits - (above & 0xfff0000000000000U));
    const double s = (rest - 1.0) / (rest + 1.0), q = s * s;
    double series = 1.0 / 21.0;
    series = series * q + 1.0 / 19.0;
    series = series * q + 1.0 / 17.0;
    series = series * q + 1.0 / 15.0;
    series = series * q + 1.0 / 13.0;
    series = series * q + 1.0 / 11.0;
    series = series * q + 1.0 / 9.0;
    series = series * q + 1.0 / 7.0;
    series = series * q + 1.0 / 5.0;
    series = series * q + 1.0 / 3.0;
    series = series * q + 1.0 / 1.0;
    return exponent * 0.69314718055994530942 + 2.0 * s * series;
  }

  friend constexpr lane pow(lane base, lane exponent) {
    if (exponent.x == 2.0) return base * base;  // the same for all cells
    if (exponent.x == 1.0) return base;
    return exp(exponent * log(base));
  }
};

}  // namespace asperity
