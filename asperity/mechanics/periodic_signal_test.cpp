// SPDX-License-Identifier: Apache-2.0
#include <asperity/mechanics/periodic_signal.hpp>
//
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <cmath>
#include <numbers>

namespace asperity {
namespace {

constexpr double pi = std::numbers::pi;

// Any number of samples: powers of two, composite, prime, odd. Phases reach 8000 rad, which leave
// 1e-12 to rounding.
TEST(band_limited, ReproducesAMultisineAndItsDerivativeToRounding) {
  for (const int n : {3, 4, 7, 12, 64, 97, 1000, 1024}) {
    const double period = 2.7, start = -0.4;
    std::vector<signal::tone> tones;
    double size = 0.3, steepest = 0;
    for (int k = 1; 2 * k < n; k += 1 + n / 40) {
      const double amplitude = 1 + std::sin(k * 5.0), omega = 2 * pi * k / period;
      tones.push_back({amplitude, omega, std::fmod(0.7 * k * k, 6)});
      size += amplitude;
      steepest += amplitude * omega;
    }
    const signal truth = signal::sines(tones, 0.3);
    std::vector<double> values;
    for (int i = 0; i < n; ++i) values.push_back(truth.value(start + period * i / n));
    const signal joined = band_limited(values, period, start);
    for (double t = -3; t < 7; t += 0.0317) {
      EXPECT_NEAR(joined.value(t), truth.value(t), 1e-12 * size) << n << ' ' << t;
      EXPECT_NEAR(joined.slope(t), truth.slope(t), 1e-12 * steepest) << n << ' ' << t;
    }
  }
}

// Of a sine of half the rate of samples they show the part that is largest at them.
TEST(band_limited, AlternatingValuesAreACosine) {
  const signal joined = band_limited({1, -1, 1, -1}, 2, 0);
  for (double t = 0; t < 2; t += 0.03) EXPECT_NEAR(joined.value(t), std::cos(2 * pi * t), 1e-14);
  EXPECT_NEAR(joined.shortest_period(), 1, 1e-14);
}

TEST(band_limited, PassesThroughAnyValues) {
  for (const int n : {2, 5, 6, 200, 331}) {
    std::vector<double> values;
    for (int i = 0; i < n; ++i) values.push_back(std::sin(1e3 * i * i));
    const signal joined = band_limited(values, n * 0.25, 8);
    for (int i = -n; i < 2 * n; ++i)
      EXPECT_NEAR(joined.value(8 + 0.25 * i), values[static_cast<std::size_t>((i + n) % n)], 1e-12);
  }
}

// Steps and searches for turns go by the fastest line, not by the rounding above it.
TEST(band_limited, ItsBandEndsAtTheFastestLine) {
  std::vector<double> values;
  for (int i = 0; i < 512; ++i)
    values.push_back(std::round(1e9 * std::sin(2 * pi * 20 * i / 512)) * 1e-9);
  const signal joined = band_limited(values, 4, 0);
  EXPECT_NEAR(joined.shortest_period(), 4.0 / 20, 1e-12);
  EXPECT_NEAR(joined.first_turn(0, 1), 4.0 / 80, 1e-9);
  EXPECT_TRUE(joined.breakpoints(0, 9).empty());
}

TEST(periodic, RefusesMoreHarmonicsThanItsTableHolds) {
  EXPECT_THROW(periodic(std::vector<std::complex<double>>(most_harmonics + 2), 1, 0), error);
  EXPECT_THROW(band_limited(std::vector<double>(2 * most_harmonics + 1), 1, 0), error);
}

}  // namespace
}  // namespace asperity
