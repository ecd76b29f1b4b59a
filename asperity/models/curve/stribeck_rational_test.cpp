// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/curve/stribeck_rational.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const stribeck_rational<double> curve{.F = 5, .V = 1e-3};
static_assert(stribeck_curve<stribeck_rational<double>, double>);

// Half of the friction is left at V, a third at 2 V, and in the end nothing.
TEST(stribeck_rational, FallsWithoutEnd) {
  EXPECT_EQ(curve.level(0), curve.F);
  EXPECT_DOUBLE_EQ(curve.level(curve.V), curve.F / 2);
  EXPECT_DOUBLE_EQ(curve.level(-2 * curve.V), curve.F / 3);
  EXPECT_GT(curve.level(1e6), 0);
  EXPECT_LT(curve.level(1e6), 1e-8 * curve.F);
}

// In fast sliding the power taken tends to F V, whatever the speed: the force is inverse to it.
TEST(stribeck_rational, PowerIsLimited) {
  for (const double v : {1.0, 10.0, 100.0})
    EXPECT_NEAR(curve({}, {0, v, 1}).f * v, curve.F * curve.V, 1.1e-3 / v * curve.F * curve.V);
}

// Example III of Xiong 2013 has V = 1 m/s, so that F V/(V + |v|) has the numbers of the printed
// F/(V + |v|): friction 0.5 N at rest and 0.25 N at 1 m/s for F = 0.5.
TEST(stribeck_rational, HasThePrintedNumbersWhereVIsOne) {
  const stribeck_rational<double> printed{.F = 0.5, .V = 1};
  EXPECT_DOUBLE_EQ(printed({}, {0, 1e-300, 1}).f, 0.5);
  EXPECT_DOUBLE_EQ(printed({}, {0, -1, 1}).f, -0.25);
}

TEST(stribeck_rational, StartsFromTheStictionOfAModel) {
  const auto g = curve_from<stribeck_rational<double>, double>({.F_s = 2.5, .v_s = 5e-6});
  EXPECT_EQ(g.highest(), 2.5);
  EXPECT_DOUBLE_EQ(g.level(5e-6), 1.25);
}

// What oil adds: sigma_2 for each metre per second, against the motion either way.
TEST(stribeck_rational, ViscousPartIsProportionalToTheSpeed) {
  stribeck_rational<double> oiled;
  oiled.sigma_2 = 0.4;
  EXPECT_DOUBLE_EQ(oiled.viscous(0.5), 0.2);
  EXPECT_DOUBLE_EQ(oiled.viscous(-3.0), -1.2);
}

}  // namespace
}  // namespace asperity
