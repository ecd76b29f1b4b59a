// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/models/hysteresis/play.hpp>
#include <asperity/models/hysteresis/stop.hpp>
#include <asperity/testing.hpp>
#include <numbers>

namespace asperity {
namespace {

const play<double> quarter{.r = 0.25};

// After a turn the output rests for twice r, then follows at the distance r.
TEST(play, TakesUpThePlayThenFollows) {
  testing::companion body{quarter};
  EXPECT_EQ(body.go({0.2, 0, 1}, 1), 0);
  EXPECT_EQ(body.go({1, 0, 1}, 1), 0.75);
  EXPECT_EQ(body.go({0.5, 0, 1}, 1), 0.75);
  EXPECT_EQ(body.go({0.25, 0, 1}, 1), 0.5);
  EXPECT_EQ(body.go({-1, 0, 1}, 1), -0.75);
}

// Under A sin the loop is a parallelogram of area 4 r (A - r), run counterclockwise: the output
// comes late, and its rise over the input is enclosed with a minus sign.
TEST(play, LoopOfASineHasTheAreaOfItsParallelogram) {
  testing::companion body{quarter};
  double area = 0;
  const int steps = 100000;
  for (int i = 1; i <= 2 * steps; ++i) {
    const double x = std::sin(2 * std::numbers::pi * i / steps), before = body.f, from = body.at.x;
    body.go({x, 0, 1}, 1);
    if (i > steps) area += (before + body.f) / 2 * (x - from);
  }
  EXPECT_NEAR(area, -4 * 0.25 * (1 - 0.25), 1e-6);
}

TEST(play, WithoutPlayItIsItsInput) {
  const play<double> none{.r = 0};
  testing::companion body{none};
  for (const double x : {0.3, -2.0, 5.0}) EXPECT_EQ(body.go({x, 0, 1}, 1), x);
}

// Play within play is play: their widths add up.
TEST(play, OneAfterAnotherIsOneWithBothPlays) {
  const play<double> half{.r = 0.5}, both{.r = 0.75};
  testing::companion first{quarter};
  testing::companion second{half};
  testing::companion whole{both};
  for (int i = 0; i < 500; ++i) {
    const double x = 2 * std::sin(0.1 * i) + std::sin(0.37 * i);
    second.go({first.go({x, 0, 1}, 1), 0, 1}, 1);
    EXPECT_NEAR(second.f, whole.go({x, 0, 1}, 1), 1e-14);
  }
}

// What is not a number is no place to rest at: the output says so, and stays unknown.
TEST(play, AnInputThatIsNotANumberComesOut) {
  const stop<double> stopped{.r = 0.25};
  testing::companion a{quarter};
  testing::companion b{stopped};
  for (const double x : {0.4, std::nan(""), 0.3}) {
    EXPECT_EQ(std::isnan(a.go({x, 0, 1}, 1)), x != 0.4);
    EXPECT_EQ(std::isnan(b.go({x, 0, 1}, 1)), x != 0.4);
  }
}

}  // namespace
}  // namespace asperity
