// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/curve/stribeck_sech.hpp>
#include <asperity/scalar/dual.hpp>
#include <asperity/testing.hpp>
#include <numbers>

namespace asperity {
namespace {

using curve_type = stribeck_sech<double>;
static_assert(stribeck_curve<curve_type, double>);

// Drincic 2012, figure 4.10.
const curve_type fitted{
    .k_tilde = 0.75, .h_0 = 1.64, .y_1 = 0.4, .y_2 = 0.3, .v_s = 0.6 / (2 * std::numbers::pi)};

// At rest the bristles are compressed to the lowest mean height, y_1 - y_2; in fast sliding to y_1.
TEST(stribeck_sech, CompressionFollowsTheHeight) {
  EXPECT_DOUBLE_EQ(fitted.level(0), 0.75 * (1.64 - 0.1));
  EXPECT_DOUBLE_EQ(fitted.level(0), fitted.highest());
  EXPECT_DOUBLE_EQ(fitted.level(50.0), 0.75 * (1.64 - 0.4));
}

// The excess over fast sliding is the inverse of a hyperbolic cosine.
TEST(stribeck_sech, ExcessTimesCoshIsConstant) {
  const double fast = fitted.level(50.0), at_rest = fitted.level(0) - fast;
  for (const double v : testing::lin_space(-0.5, 0.5, 21))
    EXPECT_NEAR((fitted.level(v) - fast) * std::cosh(v / fitted.v_s), at_rest, 1e-11);
}

// A cosh that overflows makes neither NaN nor a wrong slope, whichever way it slides.
TEST(stribeck_sech, FastSlidingIsFinite) {
  using number = dual<float, 1>;
  for (const float v : {1e2F, 1e4F, 1e30F, -1e2F, -1e4F, -1e30F}) {
    const auto g = stribeck_sech<number>{}.level(number::variable(v, 0));
    EXPECT_EQ(g.value, 1.0F);
    EXPECT_EQ(g.derivative[0], 0.0F);
  }
}

// Inside another model it starts with that model's friction at rest and in fast sliding; from 1 N,
// 1.5 N and 0.1 m/s it gets the values of figure 4.12.
TEST(stribeck_sech, StartsFromTheValuesOfAModel) {
  const auto g = curve_from<curve_type, double>({.F_c = 1, .F_s = 1.5, .v_s = 0.1});
  EXPECT_EQ(g.k_tilde, 1);
  EXPECT_EQ(g.h_0, 2);
  EXPECT_EQ(g.y_1, 1);
  EXPECT_EQ(g.y_2, 0.5);
  EXPECT_DOUBLE_EQ(g.highest(), 1.5);
  EXPECT_DOUBLE_EQ(g.level(100), 1.0);
}

// Bristles that are not compressed in fast sliding would pull; a body below the ground is doubtful.
TEST(stribeck_sech, KnowsImpossibleHeights) {
  EXPECT_EQ(fitted.valid().verdict, validity::fine);
  auto loose = fitted, sunk = fitted;
  loose.y_1 = loose.h_0;
  EXPECT_EQ(loose.valid().verdict, validity::refused);
  sunk.y_2 = 1.5 * sunk.y_1;
  EXPECT_EQ(sunk.valid().verdict, validity::doubtful);
}

// What oil adds: sigma_2 for each metre per second, against the motion either way.
TEST(stribeck_sech, ViscousPartIsProportionalToTheSpeed) {
  stribeck_sech<double> oiled;
  oiled.sigma_2 = 0.4;
  EXPECT_DOUBLE_EQ(oiled.viscous(0.5), 0.2);
  EXPECT_DOUBLE_EQ(oiled.viscous(-3.0), -1.2);
}

}  // namespace
}  // namespace asperity
