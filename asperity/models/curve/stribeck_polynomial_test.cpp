// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/curve/stribeck_polynomial.hpp>
#include <asperity/scalar/dual.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const stribeck_polynomial<double> curve{.F_c = 2, .F_s = 5, .v_s = 1e-3};
static_assert(stribeck_curve<stribeck_polynomial<double>, double>);

// Xia 2012 (3.1) to (3.3): value F_s and slope -gamma (F_s - F_k)/x_s at rest, where our v_s is
// 2 x_s/gamma; and the lowest value is F_k itself, which (3.4) as printed misses by half of the
// drop.
TEST(stribeck_polynomial, StartsAsPrintedAndReachesItsMinimum) {
  using number = dual<double, 1>;
  const double gamma = 0.7, x_s = gamma * curve.v_s / 2;
  const stribeck_polynomial<number> same{number(2.0), number(5.0), number(1e-3)};
  const auto at_rest = same.level(number::variable(0.0, 0));
  EXPECT_DOUBLE_EQ(at_rest.value, curve.F_s);
  EXPECT_NEAR(at_rest.derivative[0] * x_s, -gamma * (curve.F_s - curve.F_c), 1e-12);
  EXPECT_DOUBLE_EQ(curve.level(curve.v_s), curve.F_c);
}

// Second order: three speeds an equal distance apart have the same second difference anywhere on
// the falling branch.
TEST(stribeck_polynomial, IsAParabola) {
  const double step = 1e-4;
  const auto bend = [&](double v) {
    return curve.level(v - step) - 2 * curve.level(v) + curve.level(v + step);
  };
  EXPECT_GT(bend(2e-4), 0);
  for (const double v : testing::lin_space(1e-4, 9e-4, 9)) EXPECT_NEAR(bend(v), bend(2e-4), 1e-14);
}

// Beyond its lowest point it stays there: friction cannot be above `highest` at any speed.
TEST(stribeck_polynomial, StaysAtTheMinimum) {
  for (const double v : testing::log_space(1e-3, 1e3, 50)) {
    EXPECT_EQ(curve.level(v), curve.F_c);
    EXPECT_EQ(curve.level(-v), curve.F_c);
  }
}

// It arrives without a kink.
TEST(stribeck_polynomial, HasNoKinkAtTheMinimum) {
  const double d = 1e-6 * curve.v_s;
  EXPECT_LT(curve.level(curve.v_s - d) - curve.F_c, 1e-11 * (curve.F_s - curve.F_c));
}

TEST(stribeck_polynomial, RefusesStictionBelowCoulomb) {
  EXPECT_EQ(curve.valid().verdict, validity::fine);
  auto rising = curve;
  rising.F_s = 0.5 * curve.F_c;
  EXPECT_EQ(rising.valid().verdict, validity::refused);
}

// What oil adds: sigma_2 for each metre per second, against the motion either way.
TEST(stribeck_polynomial, ViscousPartIsProportionalToTheSpeed) {
  stribeck_polynomial<double> oiled;
  oiled.sigma_2 = 0.4;
  EXPECT_DOUBLE_EQ(oiled.viscous(0.5), 0.2);
  EXPECT_DOUBLE_EQ(oiled.viscous(-3.0), -1.2);
}

}  // namespace
}  // namespace asperity
