// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/curve/stribeck_rational.hpp>
#include <asperity/models/friction/regularised_coulomb.hpp>
#include <asperity/models/friction/smoothed_rational.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const smoothed_rational<double> model{.F = 0.5, .V = 2.0, .epsilon = 1e-3};

// Beyond the threshold nothing is smoothed: it is the rational curve.
TEST(smoothed_rational, IsTheRationalCurveBeyondTheThreshold) {
  const stribeck_rational<double> curve{.F = 0.5, .V = 2.0};
  for (const double v : testing::log_space(1.001e-3, 1e3, 50)) {
    EXPECT_DOUBLE_EQ(model({}, {0, v, 1.7}).f, curve({}, {0, v, 1.7}).f);
    EXPECT_DOUBLE_EQ(model({}, {0, -v, 1.7}).f, curve({}, {0, -v, 1.7}).f);
  }
}

// Below it there is a straight line through rest, which meets the curve without a jump.
TEST(smoothed_rational, IsALineThroughRest) {
  const double slope = model({}, {0, 1e-6, 1}).f / 1e-6;
  for (const double v : testing::lin_space(-1e-3, 1e-3, 11))
    EXPECT_NEAR(model({}, {0, v, 1}).f, slope * v, 1e-15);
  EXPECT_NEAR(model({}, {0, 0.999999e-3, 1}).f, model({}, {0, 1.000001e-3, 1}).f, 1e-6);
}

// For velocities that V dwarfs it is regularised Coulomb friction.
TEST(smoothed_rational, ReducesToRegularisedCoulomb) {
  const smoothed_rational<double> flat{.F = 0.5, .V = 1e12, .epsilon = 1e-3};
  const regularised_coulomb<double> plain{.F = 0.5, .V = 1e-3};
  for (const double v : testing::lin_space(-5e-3, 5e-3, 21))
    EXPECT_NEAR(flat({}, {0, v, 1}).f, plain({}, {0, v, 1}).f, 1e-13);
}

TEST(smoothed_rational, DoubtsAThresholdThatIsNotSmall) {
  EXPECT_EQ(model.valid().verdict, validity::fine);
  EXPECT_EQ((smoothed_rational<double>{.V = 1e-3, .epsilon = 1e-2}.valid().verdict),
            validity::doubtful);
}

// The margin tells where the line ends: beyond it friction falls with the speed.
TEST(smoothed_rational, MarginIsPositiveBeyondTheThreshold) {
  for (const double v : {-3.0, -1.01e-3, -0.99e-3, 0.99e-3, 1.01e-3, 3.0}) {
    const double f = std::abs(model({}, {0, v, 1.7}).f);
    const bool falls = std::abs(model({}, {0, 1.001 * v, 1.7}).f) < f;
    EXPECT_EQ(model.slip_margin({}, {0, v, 1.7}) > 0, falls) << v;
  }
  EXPECT_LT(model.slip_margin({}, {0, 0, 1.7}), 0);
}

}  // namespace
}  // namespace asperity
