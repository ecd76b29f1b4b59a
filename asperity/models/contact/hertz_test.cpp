// SPDX-License-Identifier: Apache-2.0
// Its contact time is tested against the closed form in analysis/restitution_test.cpp.
#include <gtest/gtest.h>

#include <asperity/models/contact/hertz.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const hertz<double> balls{};

// Two equal bodies: E is half of E_1/(1 - nu^2), r half of r_1.
TEST(hertz, EqualBallsHalveModulusAndRadius) {
  const double E = balls.E_1 / (1 - balls.nu_1 * balls.nu_1) / 2;
  EXPECT_NEAR(balls.stiffness(), 4.0 / 3 * E * std::sqrt(balls.r_1 / 2), 1e-6 * E);
}

// Erratum 48: the steel ball of 16.5 mm on cork has K = 8.5e6 N/m^1.5, so cork has a modulus near
// 5e7 Pa. With E as printed, not 1/E, K would be 20 orders of magnitude smaller.
TEST(hertz, StiffnessOfABallOnCork) {
  const hertz<double> cork{.r_1 = 0.0165, .E_2 = 5e7, .nu_2 = 0, .r_2 = 1e9};
  EXPECT_NEAR(cork.stiffness(), 8.5e6, 0.1e6);
}

// A body much stiffer than the other does not count, nor does one that is much flatter.
TEST(hertz, TheSofterAndMoreCurvedBodyCounts) {
  auto soft = balls;
  soft.E_2 = 1e6;
  auto softer = soft;
  softer.E_1 = 1e15;
  EXPECT_NEAR(softer.stiffness() / soft.stiffness(), 1, 1e-5);
  auto flat = balls;
  flat.r_2 = 1e9;
  auto plane = balls;
  plane.r_2 = unbounded;
  EXPECT_NEAR(flat.stiffness() / plane.stiffness(), 1, 1e-10);
  EXPECT_NEAR(plane.stiffness() / balls.stiffness(), std::sqrt(2.0), 1e-12);
}

// Bodies can be exchanged.
TEST(hertz, NoBodyComesFirst) {
  const hertz<double> one{.E_1 = 1e9, .nu_1 = 0.2, .r_1 = 0.3, .E_2 = 7e10, .nu_2 = 0.4, .r_2 = 2};
  const hertz<double> other{
      .E_1 = 7e10, .nu_1 = 0.4, .r_1 = 2, .E_2 = 1e9, .nu_2 = 0.2, .r_2 = 0.3};
  EXPECT_NEAR(one({}, {-1e-4, 0, 1}).f / other({}, {-1e-4, 0, 1}).f, 1, 1e-14);
}

// Four times the indentation is eight times the force, whatever the rate.
TEST(hertz, ForceGrowsWithThePowerThreeHalves) {
  EXPECT_NEAR(balls({}, {-4e-5, 3, 1}).f / balls({}, {-1e-5, -7, 1}).f, 8, 1e-12);
}

// The force of a slow indentation is the slope of what is stored, and nothing is stored apart.
TEST(hertz, ForceIsTheSlopeOfTheEnergy) {
  const auto energy = [](double x) { return balls.stored_energy({}, {x, 0, 1}); };
  for (const double depth : {1e-4, 1e-3, 5e-3}) {
    const double f = balls({}, {-depth, 0, 1}).f, h = 1e-3 * depth;
    EXPECT_NEAR((energy(-depth - h) - energy(-depth + h)) / (2 * h), f, 1e-6 * f) << depth;
  }
  EXPECT_EQ(energy(0), 0);
  EXPECT_EQ(energy(1e-3), 0);
}

}  // namespace
}  // namespace asperity
