// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/friction/maxwell_slip.hpp>
#include <asperity/models/hysteresis/play.hpp>
#include <asperity/models/hysteresis/stop.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

// Play and stop share the input out between them.
TEST(stop, ItAndPlayAddUpToTheInput) {
  const play<double> played{.r = 0.3};
  const stop<double> stopped{.r = 0.3};
  testing::companion a{played};
  testing::companion b{stopped};
  for (int i = 0; i < 1000; ++i) {
    const double x = std::sin(0.07 * i) + 0.6 * std::sin(0.23 * i);
    EXPECT_NEAR(a.go({x, 0, 1}, 1) + b.go({x, 0, 1}, 1), x, 1e-15);
  }
}

// One Maxwell-slip element of unit stiffness is a stop.
TEST(stop, IsOneMaxwellSlipElement) {
  const stop<double> stopped{.r = 0.3};
  maxwell_slip<double> element{.elements = 1};
  element.k[0] = 1;
  element.Delta[0] = 0.3;
  testing::companion a{stopped};
  testing::companion b{element};
  for (int i = 0; i < 1000; ++i) {
    const double x = std::sin(0.07 * i) + 0.6 * std::sin(0.23 * i);
    EXPECT_EQ(a.go({x, 0, 1}, 1), b.go({x, 0, 1}, 1));
  }
}

TEST(stop, SlopeIsOneAfterATurnAndNoughtAtTheStop) {
  const stop<double> stopped{.r = 1};
  testing::companion body{stopped};
  EXPECT_EQ(body.go({0.5, 0, 1}, 1), 0.5);
  EXPECT_EQ(body.go({9, 0, 1}, 1), 1);
  EXPECT_EQ(body.go({8.5, 0, 1}, 1), 0.5);
  EXPECT_EQ(body.go({7, 0, 1}, 1), -1);
  EXPECT_EQ(body.go({-7, 0, 1}, 1), -1);
}

}  // namespace
}  // namespace asperity
