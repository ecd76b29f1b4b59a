// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/curve/stribeck_exponential.hpp>
#include <asperity/models/curve/stribeck_lorentzian.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const stribeck_lorentzian<double> curve{.F_c = 2, .F_s = 5, .v_s = 1e-3};
static_assert(stribeck_curve<stribeck_lorentzian<double>, double>);

TEST(stribeck_lorentzian, FallsFromStictionToCoulomb) {
  EXPECT_EQ(curve.level(0), curve.F_s);
  EXPECT_NEAR(curve.level(1e6 * curve.v_s), curve.F_c, 1e-11);
  double last = curve.F_s;
  for (const double v : testing::log_space(1e-8, 1.0, 200)) {
    EXPECT_LT(curve.level(v), last);
    EXPECT_EQ(curve.level(v), curve.level(-v));
    last = curve.level(v);
  }
}

// v_s is where half of the drop is gone.
TEST(stribeck_lorentzian, HalfOfTheDropIsLeftAtTheStribeckVelocity) {
  EXPECT_DOUBLE_EQ(curve.level(curve.v_s), (curve.F_c + curve.F_s) / 2);
}

// The tail is algebraic: ten times the speed leaves a hundredth of the excess.
TEST(stribeck_lorentzian, TailFallsWithTheSquareOfTheSpeed) {
  const auto excess = [](double v) { return curve.level(v) - curve.F_c; };
  EXPECT_NEAR(excess(0.1) / excess(1.0), 100, 0.02);
}

// Rogner 2017, figure 2.7 (f_max = 1.1 N, f_C = 1 N, v_s = 0.1 m/s): both forms look alike. They
// share value and curvature at rest, and nowhere differ by more than 2 % of the force.
TEST(stribeck_lorentzian, LooksLikeTheGaussianForm) {
  const stribeck_lorentzian<double> one{.F_c = 1, .F_s = 1.1, .v_s = 0.1};
  const stribeck_exponential<double> other{.F_c = 1, .F_s = 1.1, .v_s = 0.1, .delta = 2};
  for (const double v : testing::lin_space(0, 1, 1001))
    EXPECT_NEAR(one.level(v), other.level(v), 0.021);
  for (const double v : {1e-3, 2e-3}) EXPECT_NEAR(one.level(v), other.level(v), 1e-7 * v / 1e-3);
}

TEST(stribeck_lorentzian, LoadScalesTheDryPartOnly) {
  auto viscous = curve;
  viscous.sigma_2 = 7;
  const double v = 3e-4, dry = curve({}, {0, v, 1}).f;
  EXPECT_NEAR(viscous({}, {0, v, 2}).f - viscous({}, {0, v, 1}).f, dry, 1e-14);
  EXPECT_NEAR(viscous({}, {0, v, 1}).f - dry, 7 * v, 1e-14);
}

TEST(stribeck_lorentzian, RefusesStictionBelowCoulomb) {
  EXPECT_EQ(curve.valid().verdict, validity::fine);
  auto rising = curve;
  rising.F_s = 0.5 * curve.F_c;
  EXPECT_EQ(rising.valid().verdict, validity::refused);
}

}  // namespace
}  // namespace asperity
