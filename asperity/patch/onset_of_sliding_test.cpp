// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/patch/onset_of_sliding.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

// The equation itself, for every ratio: kappa (r F(gamma) - F(eps)) = eps (r T(gamma) - T(eps)).
TEST(onset_of_sliding, SolvesTheSourcesEquationInsideItsBracket) {
  for (const double r : {1.001, 0.38 / 0.36, 1.5, 4.0})
    for (const double kappa : {0.1, 0.5, 1.0})
      for (const double gamma : testing::log_space(1e-6, 1e6, 37)) {
        const auto at = onset_of_sliding(gamma, r, kappa);
        const double force = r * disc_force(gamma) - disc_force(at.eps);
        const double torque = r * disc_torque(gamma) - disc_torque(at.eps);
        const double scale =
            std::abs(kappa * force) + std::abs(at.eps * torque) + 1e-9 * (1 + at.eps);
        EXPECT_NEAR(kappa * force / scale, at.eps * torque / scale, 1e-6)
            << r << ' ' << kappa << ' ' << gamma;
        EXPECT_LE(at.eps_1, gamma * (1 + 1e-9));
        EXPECT_GE(at.eps_2, gamma * (1 - 1e-9));
        EXPECT_LT(at.eps_1, at.eps);
        EXPECT_LT(at.eps, at.eps_2);
      }
}

TEST(onset_of_sliding, TheBracketIsWhereOneAccelerationVanishes) {
  for (const double gamma : {0.3, 1.0, 2.0}) {
    const double r = 0.38 / 0.36;
    const auto at = onset_of_sliding(gamma, r, 0.5);
    EXPECT_NEAR(disc_torque(at.eps_1), std::min(r * disc_torque(gamma), 2.0 / 3), 1e-12);
    EXPECT_NEAR(disc_force(at.eps_2), std::min(r * disc_force(gamma), 1.0), 1e-12);
  }
  EXPECT_EQ(onset_of_sliding(0.3, 1.5, 0.5).eps_1, 0);          // r T(gamma) > T(0)
  EXPECT_EQ(onset_of_sliding(2.0, 1.5, 0.5).eps_2, unbounded);  // r F(gamma) > 1
}

TEST(onset_of_sliding, PureSlidingAndPureSpinningStayPure) {
  const auto spin = onset_of_sliding(0, 1.2, 0.5), slide = onset_of_sliding(unbounded, 1.2, 0.5);
  EXPECT_EQ(spin.eps, 0);
  EXPECT_EQ(spin.eps_1, 0);
  EXPECT_EQ(spin.eps_2, 0);
  EXPECT_EQ(slide.eps, unbounded);
  EXPECT_EQ(creep_ratio(0, 1), 0);
  EXPECT_EQ(creep_ratio(1, 0), unbounded);
}

TEST(onset_of_sliding, CreepRatioIsTheNormalOfTheLimitCurve) {
  for (const double gamma : testing::log_space(1e-5, 1e5, 21))
    EXPECT_NEAR(creep_ratio(3 * disc_force(gamma), 3 * disc_torque(gamma)) / gamma, 1, 1e-8)
        << gamma;
}

TEST(onset_of_sliding, GaugeIsOneOnTheCurveAndScalesWithTheLoad) {
  for (const double eps : testing::log_space(1e-4, 1e4, 15))
    for (const double size : {1e-3, 1.0, 7.0})
      EXPECT_NEAR(disc_gauge(size * disc_force(eps), size * disc_torque(eps)) / size, 1, 1e-9);
  EXPECT_EQ(disc_gauge(0, 0), 0);
}

// As the static limit falls to the dynamic one, nothing accelerates any more: the bracket closes on
// gamma.
TEST(onset_of_sliding, TheBracketClosesAsTheFrictionCoefficientsMeet) {
  double last = 1e9;
  for (const double r : {1.1, 1.01, 1.001, 1.0001}) {
    const auto at = onset_of_sliding(0.8, r, 0.5);
    EXPECT_LT(at.eps_2 - at.eps_1, last);
    last = at.eps_2 - at.eps_1;
  }
  EXPECT_LT(last, 1e-3);
}

// With equal coefficients the disc goes on as it crept, to the last digits at both ends.
TEST(onset_of_sliding, KeepsItsDigitsTowardsSlidingAndSpinning) {
  for (const double gamma : testing::log_space(1e-14, 1e14, 57)) {
    const auto at = onset_of_sliding(gamma, 1, 0.5);
    EXPECT_NEAR(at.eps / gamma, 1, 1e-9) << gamma;
    EXPECT_LE(at.eps_1, at.eps) << gamma;
    EXPECT_LE(at.eps, at.eps_2) << gamma;
  }
  // Nearly pure sliding has F = 1 and T = 1/(4 eps): eps r = gamma (4 kappa (r - 1) + 1).
  for (const double gamma : {1e8, 1e12, 1e15})
    for (const double r : {1.5, 4.0})
      for (const double kappa : {0.1, 0.5})
        EXPECT_NEAR(onset_of_sliding(gamma, r, kappa).eps / gamma, (4 * kappa * (r - 1) + 1) / r,
                    1e-10);
}

TEST(onset_of_sliding, WhatIsNoNumberStaysNone) {
  const double nan = std::nan("");
  for (const auto& at : {onset_of_sliding(nan, 1.2, 0.5), onset_of_sliding(1, nan, 0.5),
                         onset_of_sliding(1, 1.2, nan), onset_of_sliding(1, 0.9, 0.5),
                         onset_of_sliding(-1, 1.2, 0.5)}) {
    EXPECT_TRUE(std::isnan(at.eps_1));
    EXPECT_TRUE(std::isnan(at.eps));
    EXPECT_TRUE(std::isnan(at.eps_2));
  }
}

}  // namespace
}  // namespace asperity
