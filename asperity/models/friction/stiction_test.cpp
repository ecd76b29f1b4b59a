// SPDX-License-Identifier: Apache-2.0
// Rogner 2017 (2.4): at rest the force is the push itself, up to the static limit.

#include <gtest/gtest.h>

#include <asperity/integrate/fixed_step.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/models/friction/coulomb_viscous.hpp>
#include <asperity/models/friction/stiction.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const stiction<double> model{.F_c = 2.0, .F_s = 3.0, .sigma_2 = 0.5};

struct pushed : no_inputs<double> {
  double push = 0;
  double force(double) const { return push; }
};

// x and v after backward-Euler steps of a mass of 2 kg.
struct body {
  double y[2] = {0, 0};
  void move(double push, double h, int steps) {
    sliding_mass<double, stiction<double>, pushed> system{.friction = model, .m = 2.0};
    system.inputs.push = push;
    double rate[2];
    for (int n = 0; n < steps; ++n) backward_euler_step(system, 0.0, h, y, rate);
  }
};

// Up to F_s the body does not move but for rounding, however many steps it is pushed.
TEST(stiction, HoldsExactlyUpToTheStaticLimit) {
  body at_rest;
  for (const double push : {0.1, 1.9, 2.1, 2.999, -2.999}) at_rest.move(push, 1e-3, 1000);
  EXPECT_NEAR(at_rest.y[0], 0, 1e-17);
  EXPECT_NEAR(at_rest.y[1], 0, 1e-17);
  at_rest.move(3.001, 1e-3, 100);
  EXPECT_GT(at_rest.y[1], 0);
}

// Once it moves, F_c is what resists: a push between the limits speeds it up, and does not hold it.
TEST(stiction, SlidingNeedsLessThanBreakingAway) {
  body moving;
  moving.move(3.1, 1e-3, 10);
  for (int n = 0; n < 100; ++n) {
    const double before = moving.y[1];
    moving.move(2.5, 1e-3, 1);
    EXPECT_GT(moving.y[1], before);
  }
  moving.move(2.5, 1e-2, 10000);
  EXPECT_NEAR(moving.y[1], (2.5 - model.F_c) / model.sigma_2, 1e-9);
  // It stops under a push below F_c, and then holds the push that moved it before.
  moving.move(1.0, 1e-3, 10000);
  const double place = moving.y[0];
  moving.move(2.5, 1e-3, 1000);
  EXPECT_NEAR(moving.y[0], place, 1e-15);
}

// At rest the answer of an implicit step is the holding force itself; otherwise it is that of
// motion, with the sign of the velocity after the step.
TEST(stiction, ImplicitStepHoldsOrSlides) {
  for (const double load : {0.5, 2.0})
    for (const double mobility : testing::log_space(1e-4, 1e2, 7))
      for (const double free : testing::lin_space(-30, 30, 121)) {
        const double f = model.react({}, load, 1e-3).solve(free, mobility), u = free - mobility * f;
        if (std::abs(free) <= mobility * model.F_s * load) {
          EXPECT_NEAR(u, 0, 1e-13 * std::abs(free));
        } else {
          EXPECT_GT(u * free, 0);
          EXPECT_NEAR(f, model({}, {0, u, load}).f, 1e-12 * std::abs(f) * (1 + 1 / mobility));
        }
      }
}

// With the static limit at F_c it is coulomb_viscous.
TEST(stiction, ReducesToCoulombWithViscousFriction) {
  const stiction<double> level{.F_c = 2.0, .F_s = 2.0, .sigma_2 = 0.5};
  const coulomb_viscous<double> plain{.F_c = 2.0, .sigma_2 = 0.5};
  for (const double v : testing::lin_space(-5, 5, 41)) {
    EXPECT_EQ(level({}, {0, v, 0.7}).f, plain({}, {0, v, 0.7}).f);
    EXPECT_EQ(level.react({}, 0.7, 1e-3).solve(v, 0.9), plain.react({}, 0.7, 1e-3).solve(v, 0.9));
  }
}

TEST(stiction, RefusesAStaticLimitBelowFriction) {
  EXPECT_EQ(model.valid().verdict, validity::fine);
  EXPECT_EQ((stiction<double>{.F_c = 2.0, .F_s = 1.0}.valid().verdict), validity::refused);
}

// Nothing gives way before it slides: every motion is slip, either way.
TEST(stiction, EveryMotionIsSlip) {
  const auto margin = [](double v) { return model.slip_margin({}, {0, v, 1}); };
  for (const double v : {1e-9, 0.3}) {
    EXPECT_GT(margin(v), 0);
    EXPECT_EQ(margin(-v), margin(v));
  }
  EXPECT_EQ(margin(0), 0);
}

}  // namespace
}  // namespace asperity
