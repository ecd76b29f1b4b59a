// SPDX-License-Identifier: Apache-2.0
// What Lampaert, Swevers and Al-Bender (2002) claim for their modification.

#include <gtest/gtest.h>

#include <asperity/models/friction/leuven_modified.hpp>
#include <asperity/models/friction/maxwell_slip.hpp>
#include <asperity/testing.hpp>
#include <random>

#include "tests/leuven_testing.hpp"

namespace asperity {
namespace {

using model_type = leuven_modified<double>;
const model_type usual{};
constexpr double um = 1e-6;

drive<double> motion(double t) {
  return {3e-5 * std::sin(10 * t) + 1.3e-5 * std::sin(31 * t),
          3e-4 * std::cos(10 * t) + 4.03e-4 * std::cos(31 * t), 1};
}

// Far below the limit the deflection is the displacement, and the model is Maxwell slip.
TEST(leuven_modified, FarBelowTheLimitItIsMaxwellSlip) {
  model_type strong = usual;
  strong.g.F_c = strong.g.F_s = 1e6;
  strong.g.sigma_2 = strong.sigma_1 = 0;
  maxwell_slip<double> same{.elements = strong.elements};
  for (int i = 0; i < strong.elements; ++i) {
    same.k[i] = strong.k[i];
    same.Delta[i] = strong.Delta[i];
  }
  testing::companion a{strong};
  testing::companion b{same};
  for (const double x : {30., -20., 10., -5., 8., 25., -60., 60.}) {
    a.to(x * um, 1e-4, 1e-2);
    b.go({x * um, 0, 1}, 1);
    EXPECT_NEAR(a.f, b.f, 1e-9);
  }
}

// Without deflection every element is slack, z follows the body, and only dampers are left.
TEST(leuven_modified, FromRestOnlyDampersPush) {
  model_type damped = usual;
  damped.sigma_1 = 700;
  for (const double v : {1e-4, -2e-3})
    EXPECT_DOUBLE_EQ(damped({}, {0, v, 0.7}).f, 700 * v + damped.g.viscous(v));
}

// Steady sliding follows the Stribeck curve, at any load.
TEST(leuven_modified, SteadySlidingFollowsTheCurve) {
  for (const double v : {1e-5, -1e-3, 0.1}) {
    testing::companion body{usual};
    body.at = {0, v, 0.7};
    for (int i = 0; i < 200; ++i) body.go({0, v, 0.7}, 1e-5 / std::abs(v));
    const double expected = std::copysign(0.7 * usual.g.level(v), v) + usual.g.viscous(v);
    EXPECT_NEAR(body.f, expected, 1e-9);
  }
}

// The implicit advance and the ODE are two ways to the same force; the first has an error of the
// order of its step.
TEST(leuven_modified, AdvanceTendsToTheOde) {
  const auto state = testing::follow(usual, {}, motion, 1.3, 1e-5);
  const double exact = usual(state, motion(1.3)).f;
  const auto error = [&](int steps) {
    testing::companion body{usual};
    body.at = motion(0);
    for (int i = 1; i <= steps; ++i) body.go(motion(1.3 * i / steps), 1.3 / steps);
    return std::abs(body.f - exact);
  };
  EXPECT_LT(error(2000), 0.01);
  EXPECT_LT(error(16000), error(2000) / 4);
}

// Any step is stable, also one that is longer than all of presliding.
TEST(leuven_modified, LongStepsLandOnTheCurve) {
  testing::companion body{usual};
  body.at.v = 0.05;
  body.go({0, 0.05, 1}, 1.0);
  EXPECT_NEAR(body.f, usual.g.level(0.05) + usual.g.viscous(0.05), 1e-6);
}

// Without micro-damping no energy is created: the work covers what the springs store.
TEST(leuven_modified, WithoutDampingItIsPassive) {
  model_type model = usual;
  model.sigma_1 = 0;
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> decades(-5, -3), share(0, 1);
  auto state = testing::initial_state(model);
  double work = 0;
  for (int n = 0; n < 200; ++n) {
    const double v = (share(random) < 0.5 ? -1 : 1) * std::pow(10, decades(random));
    const int steps = 200;
    const double h = 2e-5 * share(random) / std::abs(v) / steps;
    for (int i = 0; i < steps; ++i) {
      const auto [f, rate] = model(state, {0, v, 1});
      // At this instant: power taken, less the rate at which the springs are loaded.
      double stored = 0;
      for (int k = 0; k < model.elements; ++k)
        stored += model.k[k] * (state[0] - state[k + 1]) * (rate[0] - rate[k + 1]);
      ASSERT_GE(f * v - stored, -1e-9 * std::abs(f * v));
      work += f * v * h;
      for (int k = 0; k <= model.elements; ++k) state[k] += h * rate[k];
      ASSERT_GT(work, -1e-7);
    }
  }
  EXPECT_GT(work, 1e-4);
}

// Elements that cannot carry the stiction force would never slide along the curve: refused.
TEST(leuven_modified, ElementsMustCarryTheStictionForce) {
  EXPECT_EQ(usual.valid().verdict, validity::fine);
  auto weak = usual;
  weak.elements = 4;
  EXPECT_EQ(weak.valid().verdict, validity::refused);
}

// At rest and below their limits the elements are springs side by side, which store the work of
// the force that they hold, counted from where each of them begins to pull.
TEST(leuven_modified, ElementsStoreTheWorkOfHoldingForces) {
  for (const double z : {-3 * um, 4 * um}) {
    auto state = testing::initial_state(usual);
    for (int i = 0; i <= usual.elements; ++i) state[i] = 7 * um;
    state[0] += z;
    const double f = usual(state, {0, 0, 1}).f;
    EXPECT_NEAR(usual.stored_energy(state, {}), f * z / 2, 1e-12 * f * z);
  }
}

TEST(leuven_modified, AStepOfChangingSpeedGoesTheWholeWay) {
  testing::a_step_of_changing_speed_goes_the_whole_way(usual);
}

// The states that a motion changes, z and one for each element that slides, are those that count.
TEST(leuven_modified, ActiveStatesAreThoseThatChange) {
  auto few = usual;
  few.elements = 7;
  few.g.F_c = few.g.F_s = 1e6;  // all of them slide before the body does
  testing::companion body{few};
  body.to(500 * um, 1e-3, 1e-2);
  int changed = 0;
  for (int i = 0; i < model_type::states; ++i) changed += body.state[i] != 0 ? 1 : 0;
  EXPECT_EQ(few.active_states(), changed);
}

TEST(leuven_modified, AStepIsItsParts) {
  testing::a_step_is_its_parts(usual, usual.g.F_s / lists::sum(usual.k, usual.elements));
}

}  // namespace
}  // namespace asperity
