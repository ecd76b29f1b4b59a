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

// Up to the stop all work is stored, beyond it none, and all of it comes back.
TEST(stop, StoresTheWorkUpToTheStop) {
  const stop<double> stopped{.r = 0.3};
  testing::companion body{stopped};
  const auto stored_after = [&](double x) {
    body.go({x, 0, 1}, 1);
    return stopped.stored_energy(body.state, body.at);
  };
  EXPECT_NEAR(stored_after(0.2), 0.2 * 0.2 / 2, 1e-16);
  EXPECT_NEAR(stored_after(0.3), 0.3 * 0.3 / 2, 1e-16);
  EXPECT_NEAR(stored_after(5), 0.3 * 0.3 / 2, 1e-15);
  EXPECT_NEAR(stored_after(4.7), 0, 1e-15);
  EXPECT_NEAR(stored_after(4.6), 0.1 * 0.1 / 2, 1e-15);
}

// However far away the input is, where a distance of r cannot be written exactly.
TEST(stop, RoundingDoesNotLeadBeyondTheStop) {
  const stop<double> stopped{.r = 0.3};
  testing::companion body{stopped};
  double furthest = 0;
  for (int i = 1; i < 2000; ++i) {
    const double f = body.go({i * (i % 3 == 0 ? -1e9 : 1e9) / 7, 0, 1}, 1);
    EXPECT_LE(std::abs(f), 0.3) << i;
    furthest = std::max(furthest, std::abs(body.at.x - body.state[0]));
  }
  EXPECT_GT(furthest, 0.3) << "it would without the limit";
}

}  // namespace
}  // namespace asperity
