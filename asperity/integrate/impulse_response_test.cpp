// SPDX-License-Identifier: Apache-2.0
// The motion of an oscillator against its closed forms.

#include <gtest/gtest.h>

#include <asperity/integrate/impulse_response.hpp>
#include <cmath>
#include <initializer_list>

namespace asperity {
namespace {

// Relative errors, but for those of s_0 and s_1, which may pass 0.
void expect(const impulse_response& r, const impulse_response& exact, double size_0, double size_1,
            double tolerance) {
  EXPECT_NEAR(r.s0, exact.s0, tolerance * size_0);
  EXPECT_NEAR(r.s1, exact.s1, tolerance * size_1);
  EXPECT_NEAR(r.s2, exact.s2, tolerance * std::abs(exact.s2));
  EXPECT_NEAR(r.s3, exact.s3, tolerance * std::abs(exact.s3));
  EXPECT_NEAR(r.s4, exact.s4, tolerance * std::abs(exact.s4));
}

TEST(impulse_response, FreeMassGoesByPowersOfTime) {
  for (const double t : {1e-12, 0.3, 1e5}) {
    SCOPED_TRACE(t);
    expect(impulse_response::after(t, 0, 0), {1, t, t * t / 2, t * t * t / 6, t * t * t * t / 24},
           1, t, 1e-15);
  }
}

// Phases are known to the rounding of omega t.
TEST(impulse_response, UndampedOscillatorGoesBySines) {
  for (const double omega : {1e-3, 1.0, 1e6})
    for (const double phase : {1e-4, 0.1, 3.0, 47.0, 1e5}) {
      SCOPED_TRACE(::testing::Message() << omega << " " << phase);
      const double t = phase / omega, k = omega * omega, half = std::sin(phase / 2);
      const double s1 = std::sin(phase) / omega, s2 = 2 * half * half / k;
      const auto r = impulse_response::after(t, 0, k);
      const double tolerance = 4e-16 * std::max(10.0, phase);
      EXPECT_NEAR(r.s0, std::cos(phase), tolerance);
      EXPECT_NEAR(r.s1, s1, tolerance / omega);
      EXPECT_NEAR(r.s2, s2, 2 * tolerance / k);
      if (phase < 1) continue;  // the closed forms of the others cancel
      EXPECT_NEAR(r.s3, (t - s1) / k, tolerance * t / k);
      EXPECT_NEAR(r.s4, (t * t / 2 - s2) / k, tolerance * t * t / k);
    }
}

// Roots -1 and -1e6: what is fast is over, and what is slow is not lost in it.
TEST(impulse_response, FastAndSlowDecayDoNotDisturbEachOther) {
  const double fast = 1e6, slow = 1;
  for (const double t : {0.01, 1.0, 7.0}) {
    SCOPED_TRACE(t);
    const double e = std::exp(-slow * t), d = fast - slow;
    const double s1 = e / d, s2 = (-std::expm1(-t) / slow - 1 / fast) / d;
    const double s3 = ((t + std::expm1(-t)) / slow - (t - 1 / fast) / fast) / d;
    const double s4 =
        ((t * t / 2 - t - std::expm1(-t)) - (t * t / 2 - t / fast + 1 / fast / fast) / fast) / d;
    expect(impulse_response::after(t, fast + slow, fast * slow), {-s1, s1, s2, s3, s4}, s1, s1,
           1e-9);
  }
}

TEST(impulse_response, WithoutAStiffnessItGrowsAsItsEnergyDoes) {
  const double grows = 3;
  for (const double t : {0.1, 2.0, 40.0}) {
    SCOPED_TRACE(t);
    const double e = std::exp(grows * t), s1 = std::sinh(grows * t) / grows;
    const auto r = impulse_response::after(t, 0, -grows * grows);
    EXPECT_NEAR(r.s0, (e + 1 / e) / 2, 1e-13 * e);
    EXPECT_NEAR(r.s1, s1, 1e-13 * s1);
    EXPECT_NEAR(r.s2, (std::cosh(grows * t) - 1) / 9, 1e-13 * e);
    EXPECT_NEAR(r.s3, (s1 - t) / 9, 1e-13 * e);
  }
}

// A mass in honey, a thousand years on: it has gone as far as a step of the force says.
TEST(impulse_response, LongTimesEndWhereTheSpringHolds) {
  const double k = 1e7, t = 3e10;
  const auto r = impulse_response::after(t, 1e4, k);
  EXPECT_NEAR(r.s2, 1 / k, 1e-15 / k);
  EXPECT_NEAR(r.s3, t / k, 1e-13 * t / k);  // 50 doublings of a short time
  EXPECT_LT(std::abs(r.s1), 1e-300);
}

}  // namespace
}  // namespace asperity
