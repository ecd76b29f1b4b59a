// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/curve/stribeck_linear.hpp>
#include <asperity/models/curve/stribeck_polynomial.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const stribeck_linear<double> curve{.F_c = 2, .F_s = 5, .v_s = 1e-3};
static_assert(stribeck_curve<stribeck_linear<double>, double>);

// Straight from F_s at rest to F_c at v_s, constant beyond.
TEST(stribeck_linear, FallsAtAConstantSlopeAndStays) {
  EXPECT_EQ(curve.level(0), curve.F_s);
  for (const double share : {0.1, 0.25, 0.5, 0.9})
    EXPECT_NEAR((curve.F_s - curve.level(-share * curve.v_s)) / (curve.F_s - curve.F_c), share,
                1e-14);
  for (const double v : testing::log_space(1e-3, 1e3, 50)) EXPECT_EQ(curve.level(v), curve.F_c);
}

// The chord of the parabola with the same ends lies above it.
TEST(stribeck_linear, LiesAboveThePolynomialWithTheSameEnds) {
  const stribeck_polynomial<double> parabola{.F_c = 2, .F_s = 5, .v_s = 1e-3};
  for (const double v : testing::lin_space(1e-4, 9e-4, 9))
    EXPECT_GT(curve.level(v), parabola.level(v) + 0.1);
}

TEST(stribeck_linear, RefusesStictionBelowCoulomb) {
  EXPECT_EQ(curve.valid().verdict, validity::fine);
  auto rising = curve;
  rising.F_s = 0.5 * curve.F_c;
  EXPECT_EQ(rising.valid().verdict, validity::refused);
}

// What oil adds: sigma_2 for each metre per second, against the motion either way.
TEST(stribeck_linear, ViscousPartIsProportionalToTheSpeed) {
  stribeck_linear<double> oiled;
  oiled.sigma_2 = 0.4;
  EXPECT_DOUBLE_EQ(oiled.viscous(0.5), 0.2);
  EXPECT_DOUBLE_EQ(oiled.viscous(-3.0), -1.2);
}

}  // namespace
}  // namespace asperity
