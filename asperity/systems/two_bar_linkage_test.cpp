// SPDX-License-Identifier: Apache-2.0
#include <asperity/systems/two_bar_linkage.hpp>
//
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/testing.hpp>
#include <numbers>

namespace asperity {
namespace {

// (5.12): rates vanish where the force is the one that holds; several angles for |F| below 0.375.
TEST(two_bar_linkage, RestsWhereTheForceHoldsIt) {
  two_bar_linkage linkage;
  double most = 0;
  for (const double theta : testing::lin_space(-1.4, 1.4, 57)) {
    linkage.force = signal::constant(linkage.holding_force(theta));
    const double y[2] = {theta, 0};
    double rate[2];
    workspace work;
    linkage.rates(0, y, rate, work);
    EXPECT_NEAR(rate[1], 0, 1e-12);
    if (theta > 0 && theta < std::numbers::pi / 4)
      most = std::max(most, linkage.holding_force(theta));
  }
  EXPECT_NEAR(most, 0.375, 0.01);
}

// Energy: without damper and force the sum of kinetic and spring energy stays, with the inertia
// that is right; kinetic energy is I omega^2/2, and the spring's k (q - q_0)^2/2.
TEST(two_bar_linkage, KeepsItsEnergyWithTheRightInertia) {
  const auto drift = [](bool as_printed) {
    two_bar_linkage linkage;
    linkage.c = 0;
    linkage.as_printed = as_printed;
    const auto energy = [&](const vec<double, 2>& y) {
      const double l = linkage.l, sine = std::sin(y[0]);
      // Both bars turn about their middles, which move; pin and end masses as in the text.
      const double I =
          (2 * linkage.m + linkage.m_bar) * l * l * sine * sine + linkage.m_bar * l * l / 3;
      const double stretch = 2 * l * (std::cos(y[0]) - std::cos(linkage.theta_0));
      return I * y[1] * y[1] / 2 + linkage.k * stretch * stretch / 4;
    };
    workspace work;
    vec<double, 2> y{{1.2, 0}};
    const double start = energy(y);
    double farthest = 0;
    for (int i = 0; i < 20000; ++i) {
      y = testing::runge_kutta_step(
          [&](double t, const vec<double, 2>& at) {
            vec<double, 2> rate;
            linkage.rates(t, at.element, rate.element, work);
            return rate;
          },
          0.0, y, 1e-3);
      farthest = std::max(farthest, std::abs(energy(y) / start - 1));
    }
    return farthest;
  };
  EXPECT_LT(drift(false), 1e-9);
  EXPECT_GT(drift(true), 1e-3);
}

}  // namespace
}  // namespace asperity
