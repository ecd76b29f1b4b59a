// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/curve/stribeck_sech.hpp>
#include <asperity/models/friction/dai.hpp>
#include <asperity/models/friction/dai_multistate.hpp>
#include <asperity/models/friction/dai_stribeck.hpp>
#include <asperity/models/friction/detail/first_speed.hpp>
#include <asperity/nonsmooth/inclusion.hpp>
#include <asperity/testing.hpp>
#include <random>

namespace asperity {
namespace {

const dai_stribeck<double> model{};

// f = kappa a + sigma a_dot lies in g(v) load Sgn(v - a_dot): Xiong 2013 (4.6).
TEST(dai_stribeck, ForceSolvesTheInclusion) {
  for (const double load : {0.0, 0.5, 3.0})
    for (const double a : testing::lin_space(-3e-5, 3e-5, 31))
      for (const double v : testing::lin_space(-2e-2, 2e-2, 41)) {
        const auto [f, rate] = model({{a}}, {0, v, load});
        const double size = std::abs(model.kappa * a) + std::abs(model.sigma * v);
        EXPECT_NEAR(f, model.kappa * a + model.sigma * rate[0], 1e-12 * size);
        EXPECT_TRUE(in_sgn(f, model.g.level(v) * load, v - rate[0], 1e-13 * (size + 1)));
      }
}

// It is multistate DAI friction with one element and no lag.
TEST(dai_stribeck, IsOneElementOfTheMultistateModel) {
  dai_multistate<double> one{.elements = 1, .tau_d = 0};
  one.kappa[0] = model.kappa;
  one.sigma[0] = model.sigma;
  one.lambda[0] = 1;
  one.g = model.g;
  one.g.sigma_2 = 0.3;
  auto viscous = model;
  viscous.g.sigma_2 = 0.3;
  ASSERT_EQ(one.valid().verdict, validity::fine);
  for (const double load : {0.5, 2.0})
    for (const double a : testing::lin_space(-3e-5, 3e-5, 31))
      for (const double v : testing::lin_space(-2e-2, 2e-2, 41)) {
        auto state = one.initial();
        state[1] = a;
        const auto ours = viscous({{a}}, {0, v, load});
        const auto theirs = one(state, {0, v, load});
        EXPECT_DOUBLE_EQ(ours.f, theirs.f);
        EXPECT_DOUBLE_EQ(ours.rate[0], theirs.rate[1]);
      }
}

// With a flat curve it is DAI friction, beta being sigma/kappa.
TEST(dai_stribeck, ReducesToDaiWithoutStribeckEffect) {
  auto flat = model;
  flat.g.F_s = flat.g.F_c;
  const dai<double> plain{.K = 1e5, .F = 1.0, .beta = 1e-3};
  for (const double a : testing::lin_space(-3e-5, 3e-5, 31))
    for (const double v : testing::lin_space(-2e-2, 2e-2, 41)) {
      const auto ours = flat({{a}}, {0, v, 1.5}), theirs = plain({{a}}, {0, v, 1.5});
      EXPECT_NEAR(ours.f, theirs.f, 1e-14);
      EXPECT_NEAR(ours.rate[0], theirs.rate[0], 1e-13);
    }
}

// Steady sliding follows the curve, whichever it is.
TEST(dai_stribeck, SteadySlidingFollowsTheCurve) {
  const auto check = [](const auto& any) {
    for (const double v : {1e-5, 1e-3, 1e-2, -1.0})
      EXPECT_NEAR(testing::steady_force(any, {0, v, 1.4}, 2e-4, 30000),
                  std::copysign(1.4 * any.g.level(v), v), 1e-9);
  };
  check(model);
  check(dai_stribeck<double, stribeck_sech<double>>{});
}

// The end of an implicit step solves the inclusion there, with the limit of the speed there.
TEST(dai_stribeck, ImplicitStepSolvesTheInclusionAtItsEnd) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> part(-1, 1);
  const auto check = [&](const auto& any) {
    for (int round = 0; round < 300; ++round) {
      const double a = 3e-5 * part(random), v = 2e-3 * part(random), load = 1 + 0.5 * part(random);
      const double h = std::pow(10, -3 + 3 * part(random)),
                   mobility = h * std::pow(10, part(random));
      const free_step<double> body{v, v + mobility * 2 * part(random), mobility};
      const auto end = any.implicit_step({{a}}, load, h, body);
      const double a_dot = (end.state[0] - a) / h, dry = end.f - any.g.viscous(end.u);
      const double rounding = 1e-12 * (std::abs(body.u_free) + mobility);
      EXPECT_NEAR(end.u, body.u_free - mobility * end.f, rounding) << round;
      EXPECT_NEAR(dry, any.kappa * end.state[0] + any.sigma * a_dot, 1e-9 + 1e-15 / h) << round;
      EXPECT_TRUE(in_sgn(vec<double, 1>{{dry}}, any.g.level(end.u) * load,
                         vec<double, 1>{{end.u - a_dot}}, 1e-8))
          << round;
    }
  };
  check(model);
  check(dai_stribeck<double, stribeck_sech<double>>{});
}

// A long step from rest below the limit ends at rest, though a slide is a solution of it, too.
TEST(dai_stribeck, LongStepsFromRestDoNotBreakAway) {
  const double force = 0.96 * model.g.F_s;
  for (const double h : {1.0, 1e3, 1e6}) {
    const auto end = model.implicit_step({{0.0}}, 1.0, h, {0, h * force, h});
    // Spring, damper and inertia of 1 kg share the force in a backward Euler step.
    const double stiffness = model.kappa + model.sigma / h + 1 / (h * h);
    EXPECT_NEAR(end.state[0], force / stiffness, 1e-9 * force / stiffness) << h;
    const double slide = h * (force - model.g.F_c);  // where friction has fallen
    EXPECT_NEAR(slide, h * force - h * model.g.level(slide), 1e-9 * slide) << h;
  }
}

// Pushed to and fro just below stiction, and above Coulomb friction, it does not move on; a little
// above stiction it leaves.
TEST(dai_stribeck, HoldsUpToStiction) {
  const double presliding = model.g.F_s / model.kappa;
  const auto drift = [&](double most) {
    const auto push = [most](double t) {
      return t < 0.5 ? 2 * t * most : most * (0.9 + 0.1 * std::cos(50 * (t - 0.5)));
    };
    const auto x = testing::pushed_mass(model, 0.1, push, 3.0, 1e-4);
    return *std::max_element(x.begin() + 20000, x.end()) -
           *std::max_element(x.begin() + 6000, x.begin() + 20000);
  };
  EXPECT_LT(std::abs(drift(0.98 * model.g.F_s)), 1e-6 * presliding);
  EXPECT_GT(drift(1.03 * model.g.F_s), 100 * presliding);
}

// Bristles store the work of the force that they hold at rest, which grows as that of a spring.
TEST(dai_stribeck, BristlesStoreTheWorkOfHoldingForces) {
  for (const double z : {-1e-7, 4e-8})
    EXPECT_DOUBLE_EQ(model.stored_energy({{z}}, {}), z * model({{z / 2}}, {0, 0, 1}).f);
}

// The margin tells where it slips: elsewhere the element moves with the body, to the last bit.
TEST(dai_stribeck, MarginIsPositiveWhereItSlips) {
  int slips = 0, sticks = 0;
  for (const double load : {0.5, 3.0})
    for (const double a : testing::lin_space(-3.1e-5, 3e-5, 31))
      for (const double v : testing::lin_space(-2.1e-2, 2e-2, 41)) {
        const bool is_slipping = model({{a}}, {0, v, load}).rate[0] != v;
        EXPECT_EQ(model.slip_margin({{a}}, {0, v, load}) > 0, is_slipping) << a << ' ' << v;
        ++(is_slipping ? slips : sticks);
      }
  EXPECT_GT(slips, 100);
  EXPECT_GT(sticks, 100);
}

// v + B (f + sigma_2 v) = u_free is v + B' f = u_free' with both divided by 1 + B sigma_2: the step
// with viscous friction is one without, of a heavier body.
TEST(dai_stribeck, ViscousFrictionMakesTheBodyHeavier) {
  auto viscous = model;
  viscous.g.sigma_2 = 50;
  std::mt19937 random(6);
  std::uniform_real_distribution<double> part(-1, 1);
  for (int round = 0; round < 100; ++round) {
    const double a = 3e-5 * part(random), v = 2e-3 * part(random), load = 1 + 0.5 * part(random);
    const double h = std::pow(10, -3 + 2 * part(random)), heavier = 1 + 50 * h;
    const free_step<double> body{v, v + h * 2 * part(random), h};
    const auto got = viscous.implicit_step({{a}}, load, h, body);
    const auto expected =
        model.implicit_step({{a}}, load, h, {v, body.u_free / heavier, h / heavier});
    EXPECT_NEAR(got.u, expected.u, 1e-11 * (std::abs(body.u_free) + h)) << round;
    EXPECT_NEAR(got.f - expected.f, 50 * got.u, 1e-8) << round;
    EXPECT_NEAR(got.state[0], expected.state[0], 1e-12) << round;
  }
}

// Where the limit rises with the speed there is one solution, and it is found where the rise
// is steep and no secant leads there, too.
TEST(dai_stribeck, TheSpeedIsFoundWhereTheLimitRisesSteeply) {
  for (const double steep : {1.0, 50.0, 1e4})
    for (const int power : {3, 9})
      for (const double way : {-1.0, 1.0}) {
        const auto next = [&](double v) { return way * (1 - steep * std::pow(way * v, power)); };
        const double v = way * detail::first_speed<double>(0.0, next);
        EXPECT_NEAR(steep * std::pow(v, power), 1 - v, 1e-9) << steep << ' ' << power;
      }
}

// A secant of a straight line is the line: the second guess is the solution, from either side, and
// a plain number stops there. A dozen guesses are as many as packs take.
TEST(dai_stribeck, OneSecantIsEnoughForAStraightLine) {
  for (const double slope : {0.9, 0.5, -0.5, -3.0})
    for (const double solution : {-4.0, 0.3, 7.0})
      for (const double start : {-20.0, 0.0, 0.1, 30.0}) {
        int guesses = 0;
        const auto next = [&](double v) {
          ++guesses;
          return solution + slope * (v - solution);
        };
        EXPECT_NEAR(detail::first_speed<double>(start, next), solution, 1e-13);
        EXPECT_LE(guesses, 8) << slope << ' ' << solution << ' ' << start;
      }
}

}  // namespace
}  // namespace asperity
