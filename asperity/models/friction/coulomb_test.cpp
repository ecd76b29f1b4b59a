// SPDX-License-Identifier: Apache-2.0
// What a set-valued law gives to implicit steps; as a function of v there is little to say of it.

#include <gtest/gtest.h>

#include <asperity/models/friction/coulomb.hpp>

namespace asperity {
namespace {

const coulomb<double> model{.F_c = 3.0};

struct body {
  double mass = 2.0, v = 0.0, f = 0.0;
  void step(double push, double h, double load = 1.0) {
    f = model.react({}, load, h).solve(v + h * push / mass, h / mass);
    v += h * (push - f) / mass;
  }
};

// Sliding costs the same at every speed, and grows with the load.
TEST(coulomb, SpeedDoesNotMatter) {
  EXPECT_EQ(model({}, {0, 1e-9, 1}).f, model({}, {0, 1e3, 1}).f);
  EXPECT_EQ(model({}, {0, -1, 2}).f, -2 * model.F_c);
  EXPECT_EQ(model({}, {0, 0, 2}).f, 0);  // as a function of v
}

// Held below the limit, the force is the push, and the velocity is zero.
TEST(coulomb, HoldsWhatItCan) {
  for (const double push : {-2.9, -1.0, 0.0, 2.999}) {
    body held;
    held.step(push, 0.01);
    EXPECT_NEAR(held.f, push, 1e-14);
    EXPECT_NEAR(held.v, 0, 1e-16);
  }
}

// A body left to itself stops after m v / F, and stays: no chatter about rest.
TEST(coulomb, BodiesComeToAnExactStop) {
  body sliding{.v = 1.5};
  const double h = 0.013, stop = sliding.mass * sliding.v / model.F_c;
  for (double t = 0; t < 0.98 * stop; t += h) {
    EXPECT_GT(sliding.v, 0);
    sliding.step(0, h);
  }
  for (int n = 0; n < 5; ++n) sliding.step(0, h);
  EXPECT_NEAR(sliding.v, 0, 1e-15);
  EXPECT_NEAR(sliding.f, 0, 1e-12);
}

// What the limit, which grows with the load, cannot hold accelerates the body.
TEST(coulomb, RestOfThePushAccelerates) {
  for (const double load : {0.5, 1.0, 1.5}) {
    body pushed;
    pushed.step(5.0, 0.1, load);
    EXPECT_NEAR(pushed.v, 0.1 * (5.0 - model.F_c * load) / pushed.mass, 1e-15);
  }
}

// Nothing gives way before it slides: every motion is slip, either way.
TEST(coulomb, EveryMotionIsSlip) {
  const auto margin = [](double v) { return coulomb<double>{}.slip_margin({}, {0, v, 1}); };
  for (const double v : {1e-9, 0.3}) {
    EXPECT_GT(margin(v), 0);
    EXPECT_EQ(margin(-v), margin(v));
  }
  EXPECT_EQ(margin(0), 0);
}

}  // namespace
}  // namespace asperity
