// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/curve/stribeck_lorentzian.hpp>
#include <asperity/models/curve/stribeck_two_break.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

using curve_type = stribeck_two_break<double>;
static_assert(stribeck_curve<curve_type, double>);
const curve_type curve{.F_c = 2, .F_s = 5, .F_0 = 3, .v_s = 1e-4, .v_0 = 1.0};

// Breaks far apart leave a plateau between them, at the second drop's own height.
TEST(stribeck_two_break, RestsBetweenTheBreaks) {
  EXPECT_DOUBLE_EQ(curve.level(0), curve.highest());
  EXPECT_DOUBLE_EQ(curve.highest() - curve.F_c, (curve.F_s - curve.F_c) + (curve.F_0 - curve.F_c));
  EXPECT_NEAR(curve.level(1e-2), curve.F_0, 1e-3);
  EXPECT_NEAR(curve.level(1e3), curve.F_c, 1e-5);
}

// Each break has half of its drop behind it.
TEST(stribeck_two_break, HalfOfEachDropIsGoneAtItsBreak) {
  EXPECT_NEAR(curve.level(curve.v_s), curve.F_0 + (curve.F_s - curve.F_c) / 2, 1e-7);
  EXPECT_NEAR(curve.level(curve.v_0), curve.F_c + (curve.F_0 - curve.F_c) / 2, 1e-7);
}

// Without a second drop it is the Lorentzian curve, and so it is with both breaks at one velocity.
TEST(stribeck_two_break, ReducesToOneBreak) {
  const curve_type single{.F_c = 2, .F_s = 5, .F_0 = 2, .v_s = 1e-3, .v_0 = 0.3};
  const curve_type merged{.F_c = 2, .F_s = 4, .F_0 = 3, .v_s = 1e-3, .v_0 = 1e-3};
  const stribeck_lorentzian<double> one{.F_c = 2, .F_s = 5, .v_s = 1e-3};
  for (const double v : testing::log_space(1e-6, 1.0, 100)) {
    EXPECT_DOUBLE_EQ(single.level(v), one.level(v));
    EXPECT_NEAR(merged.level(v), one.level(v), 1e-14);
  }
}

// Which break is called the first does not matter.
TEST(stribeck_two_break, BreaksCanBeExchanged) {
  const curve_type exchanged{.F_c = 2, .F_s = 3, .F_0 = 5, .v_s = 1.0, .v_0 = 1e-4};
  for (const double v : testing::log_space(1e-6, 1e2, 100))
    EXPECT_NEAR(curve.level(v), exchanged.level(-v), 1e-14);
}

// Inside another model it starts with that model's friction at rest and in fast sliding.
TEST(stribeck_two_break, StartsFromTheValuesOfAModel) {
  const auto g = curve_from<curve_type, double>({.F_c = 1, .F_s = 2.5, .v_s = 5e-6});
  EXPECT_DOUBLE_EQ(g.highest(), 2.5);
  EXPECT_NEAR(g.level(1.0), 1.0, 1e-8);
  EXPECT_NEAR(g.level(1.6e-5), 1.75, 0.15) << "there are two stages";
  EXPECT_EQ(g.v_0, 10 * g.v_s);
  EXPECT_EQ(g.valid().verdict, validity::fine);
}

TEST(stribeck_two_break, RefusesARise) {
  EXPECT_EQ(curve.valid().verdict, validity::fine);
  for (double curve_type::*part : {&curve_type::F_s, &curve_type::F_0}) {
    auto rising = curve;
    rising.*part = 0.5 * curve.F_c;
    EXPECT_EQ(rising.valid().verdict, validity::refused);
  }
}

// What oil adds: sigma_2 for each metre per second, against the motion either way.
TEST(stribeck_two_break, ViscousPartIsProportionalToTheSpeed) {
  stribeck_two_break<double> oiled;
  oiled.sigma_2 = 0.4;
  EXPECT_DOUBLE_EQ(oiled.viscous(0.5), 0.2);
  EXPECT_DOUBLE_EQ(oiled.viscous(-3.0), -1.2);
}

}  // namespace
}  // namespace asperity
