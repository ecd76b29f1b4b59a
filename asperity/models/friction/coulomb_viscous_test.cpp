// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/friction/coulomb.hpp>
#include <asperity/models/friction/coulomb_viscous.hpp>
#include <asperity/nonsmooth/inclusion.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const coulomb_viscous<double> model{.F_c = 2.0, .sigma_2 = 3.0};

// Velocity of a mass after backward-Euler steps under a constant push.
double velocity_after(double v, double push, double mass, double h, int steps) {
  for (int n = 0; n < steps; ++n) {
    const double free = v + h * push / mass;
    v = free - h / mass * model.react({}, 1.0, h).solve(free, h / mass);
  }
  return v;
}

// The force of an implicit step lies in F_c load Sgn(u) + sigma_2 u, u being the velocity after it.
TEST(coulomb_viscous, ImplicitStepSolvesTheInclusion) {
  for (const double load : {0.3, 1.0, 4.0})
    for (const double mobility : testing::log_space(1e-6, 1e3, 10))
      for (const double free : testing::lin_space(-20, 20, 81)) {
        const double f = model.react({}, load, 1e-3).solve(free, mobility), u = free - mobility * f;
        const double dry = f - model.sigma_2 * u, rounding = 1e-12 * (1 + std::abs(free));
        EXPECT_TRUE(in_sgn(dry, model.F_c * load, u, rounding * (1 + 1 / mobility)))
            << free << " " << mobility;
      }
}

// Below F_c a body at rest stays at rest; above, it tends to the speed at which the
// viscous part carries the rest of the push.
TEST(coulomb_viscous, HoldsOrReachesItsTerminalVelocity) {
  EXPECT_NEAR(velocity_after(0, 1.999, 5, 1e-3, 1000), 0, 1e-18);
  EXPECT_NEAR(velocity_after(0, 3.5, 5, 1e-2, 10000), (3.5 - model.F_c) / model.sigma_2, 1e-12);
}

// Left alone, it stops at the time m/sigma_2 log(1 + sigma_2 v/F_c), and then stays.
TEST(coulomb_viscous, StopsInTheExactTime) {
  const double mass = 5, v = 1.5;
  const double stop = mass / model.sigma_2 * std::log(1 + model.sigma_2 * v / model.F_c);
  const double h = stop / 10000;
  EXPECT_GT(velocity_after(v, 0, mass, h, 9990), 0);
  EXPECT_NEAR(velocity_after(v, 0, mass, h, 10010), 0, 1e-18);
}

// The force jumps by 2 F_c load at rest and has the slope sigma_2 everywhere else; the load does
// not change the slope.
TEST(coulomb_viscous, JumpsAtRestAndRisesWithSpeed) {
  const auto f = [](double v, double load) { return model({}, {0, v, load}).f; };
  EXPECT_NEAR(f(1e-12, 1.5) - f(-1e-12, 1.5), 2 * 1.5 * model.F_c, 1e-10);
  EXPECT_EQ(f(0.0, 1.5), 0);
  for (const double load : {0.2, 3.0})
    for (const double v : {-4.0, 1.0}) EXPECT_NEAR(f(v + 0.5, load) - f(v, load), 1.5, 1e-14);
}

// Without the viscous part it is Coulomb friction, also in the implicit step.
TEST(coulomb_viscous, ReducesToCoulomb) {
  const coulomb_viscous<double> dry{.F_c = 2.0, .sigma_2 = 0.0};
  const coulomb<double> plain{.F_c = 2.0};
  for (const double v : testing::lin_space(-3, 3, 31)) {
    EXPECT_EQ(dry({}, {0, v, 0.7}).f, plain({}, {0, v, 0.7}).f);
    EXPECT_EQ(dry.react({}, 0.7, 1e-3).solve(v, 0.4), plain.react({}, 0.7, 1e-3).solve(v, 0.4));
  }
}

// Nothing gives way before it slides: every motion is slip, either way.
TEST(coulomb_viscous, EveryMotionIsSlip) {
  const auto margin = [](double v) { return coulomb_viscous<double>{}.slip_margin({}, {0, v, 1}); };
  for (const double v : {1e-9, 0.3}) {
    EXPECT_GT(margin(v), 0);
    EXPECT_EQ(margin(-v), margin(v));
  }
  EXPECT_EQ(margin(0), 0);
}

}  // namespace
}  // namespace asperity
