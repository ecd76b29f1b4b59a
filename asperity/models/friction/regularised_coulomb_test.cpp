// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/friction/coulomb.hpp>
#include <asperity/models/friction/regularised_coulomb.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const regularised_coulomb<double> model{.F = 2.0, .V = 1e-2};

// Beyond the threshold it is Coulomb friction; below, a damper F/V, as Xiong 2013 says of (1.4).
TEST(regularised_coulomb, IsADamperBelowTheThresholdAndCoulombBeyond) {
  const coulomb<double> limit{.F_c = 2.0};
  for (const double v : {-7.0, -0.011, 0.0101, 3.0})
    EXPECT_EQ(model({}, {0, v, 1.3}).f, limit({}, {0, v, 1.3}).f);
  for (const double v : testing::lin_space(-0.0099, 0.0099, 11))
    EXPECT_NEAR(model({}, {0, v, 1}).f, 200.0 * v, 1e-13);
}

// It never holds: under any push below the limit the body creeps at the speed V push/F.
TEST(regularised_coulomb, CreepsUnderEveryPush) {
  const auto push = [](double) { return 0.3 * model.F; };
  const auto x = testing::pushed_mass(model, 1.0, push, 2.0, 1e-3);
  EXPECT_NEAR((x[2000] - x[1000]) / 1.0, 0.3 * model.V, 1e-8);
}

// The implicit step solves the law at the velocity after it, for every step and mass.
TEST(regularised_coulomb, ImplicitStepSolvesTheLaw) {
  for (const double mobility : testing::log_space(1e-6, 1e3, 10))
    for (const double free : testing::lin_space(-5, 5, 41)) {
      const double f = model.react({}, 0.8, 1e-3).solve(free, mobility), u = free - mobility * f;
      const double rounding = 1e-15 * (std::abs(free) + mobility) * model.F / model.V;
      EXPECT_NEAR(f, model({}, {0, u, 0.8}).f, 1e-13 + 10 * rounding);
    }
}

// The margin tells where the limit is reached.
TEST(regularised_coulomb, MarginIsPositiveBeyondTheThreshold) {
  for (const double v : {-3.0, -0.0101, -0.0099, 0.0, 0.0099, 0.0101, 3.0}) {
    const bool at_limit = std::abs(model({}, {0, v, 1.3}).f) == model.F * 1.3;
    EXPECT_EQ(model.slip_margin({}, {0, v, 1.3}) > 0, at_limit) << v;
  }
}

}  // namespace
}  // namespace asperity
