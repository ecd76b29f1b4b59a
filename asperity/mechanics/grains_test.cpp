// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/integrate/fixed_step.hpp>
#include <asperity/mechanics/grains.hpp>
#include <asperity/systems/sphere_on_plane.hpp>
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
  for (int i = 0; i < 8000; ++i) system.step(5e-5);
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
  for (int i = 0; i < 4000; ++i) {
    system.step(5e-5);
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
  for (int i = 0; i < 5000; ++i) system.step(4e-4);
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

struct gaps {
  double bodies, contacts;
};
// Relative to what the contacts took.
gaps gaps_of(const grains& system, const grains::energies& start) {
  const auto end = system.energy();
  const double bodies = end.kinetic + end.potential - start.kinetic - start.potential + end.taken;
  return {std::abs(bodies) / end.taken,
          std::abs(end.taken - (end.stored - start.stored) - end.dissipated()) / end.taken};
}

// Two discs that press and rub against each other, one slipping: nothing opens or closes or begins
// to stick meanwhile, so that the motion is smooth.
grains rubbing_pair() {
  grains system;
  system.gravity = {};
  system.law = {.K_1 = 1e3, .beta_1 = 0.1, .alpha = 0.05, .K_2 = 1e3, .beta_2 = 0.02, .mu = 0.2};
  system.bodies = {disc(0, 0, 0.1), disc(0.099, 0.01, -0.1)};
  system.bodies[0].omega = {{0, 40, 3}};
  return system;
}

TEST(grains, TrajectoryAndBooksHaveTheOrderOfTheMethod) {
  const auto run = [](double h) {
    grains system = rubbing_pair();
    system.find_contacts();
    const auto start = system.energy();
    EXPECT_GT(start.stored, 0);
    const int steps = static_cast<int>(std::lround(16e-3 / h));
    for (int i = 0; i < steps; ++i) system.step(h);
    EXPECT_EQ(system.touching(), 1U);
    return std::pair(system.bodies[1].v, gaps_of(system, start));
  };
  const auto [v_c, gap_c] = run(8e-4);
  const auto [v_m, gap_m] = run(4e-4);
  const auto [v_f, gap_f] = run(2e-4);
  EXPECT_NEAR(std::log2(norm(v_c - v_m) / norm(v_m - v_f)), 4, 0.5);
  // Not slower; errors of the two sides of a balance may cancel in part.
  EXPECT_GT(std::log2(gap_c.bodies / gap_m.bodies), 3.5);
  EXPECT_GT(std::log2(gap_c.contacts / gap_m.contacts), 3.5);
  EXPECT_LT(gap_f.bodies, gap_m.bodies);
}

// Hundreds of contacts open and close, each with a corner in its force: Dormand and Prince's method
// finds them by its error, and the balance closes to its tolerance.
TEST(grains, BooksCloseToTheToleranceOfAnAdaptiveMethod) {
  double before = 1;
  for (const double tolerance : {1e-5, 1e-8}) {
    grains system = box_of_discs(3, 3);
    const auto start = system.energy();
    ASSERT_EQ(system.advance(0.3, tolerance), outcome::completed);
    const gaps gap = gaps_of(system, start);
    EXPECT_GT(system.energy().dissipated(), 0.1);
    // A run of some thousand steps may add up as many errors of one step.
    EXPECT_LT(std::max(gap.bodies, gap.contacts), 1e3 * tolerance);
    EXPECT_LT(gap.bodies, before);
    before = gap.bodies;
  }
  EXPECT_LT(before, 1e-6);
}

// Both methods follow the same equations.
TEST(grains, MethodsAgreeInSpace) {
  const auto fall = [](bool adapts) {
    grains system = rubbing_pair();
    system.gravity = {{0, 0, -9.81}};
    system.planes = {{{{0, 0, -0.06}}, {{0, 0, 1}}}};
    if (adapts) {
      EXPECT_EQ(system.advance(0.05, 1e-10), outcome::completed);
    } else {
      for (int i = 0; i < 5000; ++i) system.step(1e-5);
    }
    return system.bodies;
  };
  const auto a = fall(true), b = fall(false);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LE(norm(a[i].x - b[i].x), 1e-7);
    EXPECT_LE(norm(a[i].v - b[i].v), 1e-5);
    EXPECT_GT(norm(a[i].omega), 1);
  }
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

// The deepest overlap, looked for among all pairs and planes.
double deepest_of_all(const grains& system) {
  double gap = 0;
  for (std::size_t i = 0; i < system.bodies.size(); ++i) {
    const auto& a = system.bodies[i];
    for (const auto& p : system.planes) gap = std::min(gap, dot(a.x - p.point, p.normal) - a.R);
    for (std::size_t j = i + 1; j < system.bodies.size(); ++j)
      gap = std::min(gap, norm(system.bodies[j].x - a.x) - a.R - system.bodies[j].R);
  }
  return -gap;
}

// Lists of neighbours are kept for many steps, and yet no pair is overlooked: not where some grains
// are much faster and smaller than others, and not where somebody moves a grain or a wall.
TEST(grains, NoPairIsOverlooked) {
  grains system = box_of_discs(6, 6);
  system.flat = false;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  for (auto& b : system.bodies) {
    b.R *= 0.6 + 0.4 * any(random);
    b.v = {{3 * any(random), 0.1 * any(random), 3 * any(random)}};
  }
  int met = 0;
  for (int i = 0; i < 3000; ++i) {
    system.step(1e-4);
    const double expected = deepest_of_all(system);
    met += expected > 1e-6 ? 1 : 0;
    ASSERT_NEAR(system.deepest(), expected, 1e-15) << i;
  }
  EXPECT_GT(met, 300);
  auto& moved = system.bodies[0];
  moved.x = system.bodies[35].x;
  moved.x[1] += moved.R + 0.9 * system.bodies[35].R;
  system.find_contacts();
  EXPECT_GT(system.deepest(), 0.05 * system.bodies[35].R);
  EXPECT_EQ(system.deepest(), deepest_of_all(system));
  system.planes[0].point[2] += 0.05;
  system.find_contacts();
  EXPECT_EQ(system.deepest(), deepest_of_all(system));
  moved.R *= 2;
  system.find_contacts();
  EXPECT_EQ(system.deepest(), deepest_of_all(system));
}

// The loop takes friction for vectors of space, and a quick ball; `dai_frictional_contact` itself
// takes two directions in the surface. A sphere that cannot turn bounces and slides alike in both.
TEST(grains, FollowTheModelOfContact) {
  using contact = dai_frictional_contact<double>;
  const contact law{
      .K_1 = 2e4, .beta_1 = 4e-3, .alpha = 1e-3, .K_2 = 1e4, .beta_2 = 2e-3, .mu = 0.3};
  const double heavy = 1e9, R = 0.05, m = 0.2, h = 1e-4;
  const sphere_on_plane<double, contact> one{
      .contact = law, .m = m, .R = R, .g_z = 9.81, .I = {{heavy, heavy, heavy}}};
  double y[16] = {0, 0, R + 1e-3, 1.0, 0.5, -0.3};
  y[9] = 1;
  grains many;
  many.law = law;
  many.gravity = {{0, 0, -9.81}};
  many.bodies = {{{{0, 0, R + 1e-3}}, {{1, 0.5, -0.3}}, {}, R, m, heavy}};
  many.planes = {{{}, {{0, 0, 1}}}};
  for (int i = 0; i < 8000; ++i) {
    rk4_step(one, 0.0, h, y);
    many.step(h);
    for (int k = 0; k < 3; ++k) {
      ASSERT_NEAR(many.bodies[0].x[k], y[k], 1e-12) << i;
      ASSERT_NEAR(many.bodies[0].v[k], y[3 + k], 1e-11) << i;
    }
  }
  EXPECT_LT(std::abs(y[3]), 1e-3);  // it has come to rest
}

// Whatever way two grains meet, what one of them loses of angular momentum the other gets.
TEST(grains, KeepAngularMomentum) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  int met = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    grains g;
    g.gravity = {};
    g.flat = trial % 2 == 0;
    const double K = 5e4 * std::pow(10, unit(random));
    g.law = {.K_1 = K, .beta_1 = 2e-3, .alpha = 5e-4, .K_2 = K, .beta_2 = 5e-4, .mu = 0.4};
    for (const double side : {-1.0, 1.0}) {
      grains::grain b;
      b.R = 0.01 * (1 + 0.5 * unit(random));
      b.m = 0.01 * (1 + 0.5 * unit(random));
      b.I = 0.5 * b.m * b.R * b.R;
      b.x = {{side * 0.016, g.flat ? 0 : 0.008 * unit(random), 0.008 * unit(random)}};
      b.v = {{-side, 0, 0.1 * unit(random)}};
      b.omega = {{g.flat ? 0 : 50 * unit(random), 50 * unit(random), 0}};
      g.bodies.push_back(b);
    }
    double size = 0;
    for (const auto& b : g.bodies) size += b.m * norm(b.x) * norm(b.v) + b.I * norm(b.omega);
    const auto before = g.angular_momentum(), momentum = g.momentum();
    bool touched = false;
    for (int i = 0; i < 40; ++i) {
      if (trial % 3 == 0) {
        for (int k = 0; k < 10; ++k) g.step(1e-4);
      } else {
        ASSERT_EQ(g.advance(1e-3, 1e-6), outcome::completed);
      }
      touched = touched || g.touching() > 0 || g.energy().taken != 0;
    }
    met += touched ? 1 : 0;
    EXPECT_LE(norm(g.angular_momentum() - before), 1e-12 * size) << trial;
    EXPECT_LE(norm(g.momentum() - momentum), 1e-12 * (norm(g.bodies[0].v) + 1) * 0.02) << trial;
  }
  EXPECT_GT(met, 500);
}

}  // namespace
}  // namespace asperity
