// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/integrate/fixed_step.hpp>
#include <asperity/models/contact/rigid.hpp>
#include <asperity/systems/bouncing_mass.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const rigid<double> model{};

struct weight : no_inputs<double> {
  double force(double) const { return -9.8; }
};
using ball = bouncing_mass<double, rigid<double>, weight>;

// A step ends with f >= 0, p >= 0, and one of them 0.
TEST(rigid, ImplicitStepSolvesTheInclusion) {
  for (const double h : {1e-6, 1e-3, 1.0})
    for (const double gap : testing::lin_space(-1, 1, 41))
      for (const double mobility : {1e-6, 1.0, 1e6}) {
        const double f = model.react({}, 1.0, h).solve(gap, -mobility);
        const double p = gap + mobility * f, rounding = 1e-14 * std::abs(gap);
        EXPECT_GE(f, 0);
        EXPECT_GE(p, -rounding);
        EXPECT_LE(std::min(f * mobility, p), rounding);
      }
}

// No force apart or touching, and none that would let bodies overlap.
TEST(rigid, NothingOverlaps) {
  EXPECT_EQ(model({}, {1e-300, -5, 1}).f, 0);
  EXPECT_EQ(model({}, {0, -5, 1}).f, 0);
  EXPECT_EQ(model({}, {-1e-300, 5, 1}).f, unbounded);
}

// A falling body stays where it lands, to rounding, and is carried by its weight.
TEST(rigid, LandsOnceAndRests) {
  const ball system{.contact = {}, .m = 2};
  double y[2] = {0.1, 0}, rate[2], lowest = 1;
  int moved_after_landing = 0;
  bool has_landed = false;
  for (int n = 0; n < 1000; ++n) {
    const double v = y[1];
    backward_euler_step(system, n * 1e-3, 1e-3, y, rate);
    lowest = std::min(lowest, y[0]);
    if (has_landed && y[0] > 1e-17) ++moved_after_landing;
    has_landed = has_landed || y[0] < 1e-17;
    if (n == 999) {
      EXPECT_EQ(y[1], 0);
      EXPECT_EQ(v, 0);
    }
  }
  EXPECT_TRUE(has_landed);
  EXPECT_EQ(moved_after_landing, 0);
  EXPECT_GE(lowest, -1e-18);
  EXPECT_NEAR(model.react({}, 1.0, 1e-3).solve(-1e-6 * 9.8 / 2, -1e-6 / 2), 9.8, 1e-12);
}

// Lifted, it leaves at once: nothing holds it back.
TEST(rigid, LetsGoFreely) {
  struct lift : no_inputs<double> {
    double force(double) const { return 3.0; }
  };
  const bouncing_mass<double, rigid<double>, lift> system{.contact = {}, .m = 1};
  double y[2] = {0, 0}, rate[2];
  backward_euler_step(system, 0.0, 1e-3, y, rate);
  EXPECT_NEAR(y[1], 3e-3, 1e-15);
}

}  // namespace
}  // namespace asperity
