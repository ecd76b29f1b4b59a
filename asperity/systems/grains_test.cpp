// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/systems/grains.hpp>
#include <random>

namespace asperity {
namespace {

grains::grain disc(double x, double z, double vx = 0, double vz = 0) {
  const double R = 0.05, m = 0.2;
  return {{{x, 0, z}}, {{vx, 0, vz}}, {}, R, m, 0.4 * m * R * R};
}

TEST(grains, TwoThatMeetHeadOnExchangeTheirVelocities) {
  grains system;
  system.gravity = {};
  system.law = {.K_1 = 1e4, .beta_1 = 1e-3, .alpha = 1e-3, .mu = 0.5};  // elastic
  system.bodies = {disc(0, 0, 1), disc(0.2, 0, -0.5)};
  for (int i = 0; i < 40000; ++i) system.step(1e-5);
  EXPECT_NEAR(system.bodies[0].v[0], -0.5, 2e-3);
  EXPECT_NEAR(system.bodies[1].v[0], 1.0, 2e-3);
}

TEST(grains, MomentumStaysInAnyCollision) {
  grains system;
  system.gravity = {};
  system.law = {.K_1 = 1e4, .mu = 0.5};
  std::mt19937 random(1);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 4; ++k) {
      system.bodies.push_back(disc(0.12 * i, 0.12 * k, any(random), any(random)));
      system.bodies.back().x[1] = 0.02 * any(random);
    }
  const auto before = system.momentum();
  std::size_t most = 0;
  for (int i = 0; i < 20000; ++i) {
    system.step(1e-5);
    most = std::max(most, system.touching());
  }
  EXPECT_GT(most, 2U);
  EXPECT_LE(norm(system.momentum() - before), 1e-12);
}

// Discs dropped into a box.
grains box_of_discs(int columns, int rows) {
  grains system;
  system.flat = true;
  system.law = {.K_1 = 2e4, .beta_1 = 4e-3, .alpha = 1e-3, .K_2 = 2e4, .beta_2 = 1e-3, .mu = 0.4};
  std::mt19937 random(2);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  for (int i = 0; i < columns; ++i)
    for (int k = 0; k < rows; ++k)
      system.bodies.push_back(
          disc(0.06 + 0.105 * i + 0.002 * any(random), 0.06 + 0.105 * k, 0.1 * any(random)));
  system.planes = {
      {{}, {{0, 0, 1}}}, {{}, {{1, 0, 0}}}, {{{0.105 * columns + 0.015, 0, 0}}, {{-1, 0, 0}}}};
  return system;
}

TEST(grains, DroppedIntoABoxTheyComeToRestInsideIt) {
  grains system = box_of_discs(5, 6);
  for (int i = 0; i < 20000; ++i) system.step(1e-4);
  EXPECT_LT(system.fastest(), 1e-3);
  EXPECT_LT(system.deepest(), 2e-3);
  // The floor and walls carry all of the weight: nothing accelerates.
  const double weight = 9.81 * 0.2 * 30;
  EXPECT_LE(std::abs(system.momentum()[2]), 1e-4 * weight);
  for (const auto& b : system.bodies) {
    EXPECT_GT(b.x[2], b.R - 2e-3);
    EXPECT_GT(b.x[0], b.R - 2e-3);
    EXPECT_EQ(b.x[1], 0);
  }
}

TEST(grains, BooksCloseAtTheOrderOfTheMethod) {
  const auto gap = [](double h) {
    grains system = box_of_discs(3, 3);
    const auto start = system.energy();
    const int steps = static_cast<int>(std::lround(0.3 / h));
    for (int i = 0; i < steps; ++i) system.step(h);
    const auto end = system.energy();
    const double bodies = end.kinetic + end.potential - start.kinetic - start.potential + end.taken;
    const double contacts = end.taken - end.stored - end.dissipated;
    EXPECT_GT(end.dissipated, 0.1);
    EXPECT_LT(std::abs(bodies), 40 * h * end.taken);
    return std::abs(contacts) / end.taken;
  };
  const double coarse = gap(4e-5), fine = gap(1e-5);
  EXPECT_LT(coarse, 0.1);
  EXPECT_LT(fine, 0.4 * coarse);
}

TEST(grains, GridFindsThePairsThatASearchOverAllFinds) {
  grains system;
  system.gravity = {};
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-0.5, 0.5);
  for (int i = 0; i < 300; ++i) {
    system.bodies.push_back(disc(any(random), any(random)));
    system.bodies.back().x[1] = any(random);
    system.bodies.back().R = 0.03 + 0.04 * (any(random) + 0.5);
  }
  std::size_t expected = 0;
  for (std::size_t i = 0; i < 300; ++i)
    for (std::size_t j = i + 1; j < 300; ++j) {
      const auto &a = system.bodies[i], &b = system.bodies[j];
      if (norm(b.x - a.x) < a.R + b.R + 0.1 * std::min(a.R, b.R)) ++expected;
    }
  system.step(1e-9);
  EXPECT_GT(expected, 100U);
  EXPECT_EQ(system.near_pairs(), expected);
}

}  // namespace
}  // namespace asperity
