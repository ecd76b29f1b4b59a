// SPDX-License-Identifier: Apache-2.0
// The smoothed model against what it smooths, and what smoothing was meant for.

#include <gtest/gtest.h>

#include <asperity/models/friction/gms.hpp>
#include <asperity/models/friction/gms_smoothed.hpp>
#include <asperity/scalar/dual.hpp>
#include <asperity/testing.hpp>
#include <numbers>
#include <random>

namespace asperity {
namespace {

using model_type = gms_smoothed<double>;
const model_type usual{};
constexpr double um = 1e-6, pi = std::numbers::pi;

double direction_speed(const model_type& model) {
  double sum = 0;
  for (int i = 0; i < model.elements; ++i) sum += model.kappa[i];
  return model.eta * model.C / sum;
}

// All elements loaded to the share q of their limits.
auto loaded(const model_type& model, double q, double v = 0) {
  auto state = testing::initial_state(model);
  for (int i = 0; i < model.elements; ++i)
    state[i] = q * model.lambda[i] * model.g.level(v) / model.kappa[i];
  return state;
}

// Below the blend an element is a spring, exactly, whatever the speed: nothing there can drift.
TEST(gms_smoothed, BelowTheBlendElementsAreElastic) {
  for (const double v : {1e-12, -1e-9, 1e-5, -1e-3})
    for (const double q : {-0.94, -0.3, 0.0, 0.5, 0.94}) {
      const auto rate = usual(loaded(usual, q, v), {0, v, 1}).rate;
      for (int i = 0; i < usual.elements; ++i) EXPECT_EQ(rate[i], v);
    }
}

// Steady sliding follows the Stribeck curve.
TEST(gms_smoothed, SteadySlidingFollowsTheCurve) {
  for (const double v : {1e-6, -8e-6, 3e-5}) {
    const double f = testing::steady_force(usual, {0, v, 1.3}, 1e-4, 20000);
    EXPECT_NEAR(f, std::copysign(1.3 * usual.g.level(v), v), 1e-6);
  }
}

// Mean distance from the GMS model along v = 10 sin(2 pi t) um/s.
double distance(double epsilon, double eta, double F_s, double duration) {
  gms<double> sharp{};
  model_type smooth = usual;
  smooth.epsilon = epsilon;
  smooth.eta = eta;
  smooth.g.F_s = sharp.g.F_s = F_s;
  for (int i = 0; i < smooth.elements; ++i) smooth.sigma[i] = sharp.sigma[i] = 0;
  testing::companion a{sharp};
  testing::companion b{smooth};
  double sum = 0;
  const int steps = 60000;
  for (int i = 1; i <= steps; ++i) {
    const double t = duration * i / steps;
    const drive<double> to{0, 10 * um * std::sin(2 * pi * t), 1};
    a.go(to, duration / steps);
    b.go(to, duration / steps);
    sum += std::abs(a.f - b.f) / steps;
  }
  return sum;
}

// It tends to the GMS model as its two parameters tend to 0: with a flat curve over whole cycles,
// with a Stribeck curve as long as the motion speeds up.
TEST(gms_smoothed, TendsToTheModelItSmooths) {
  for (const auto& [F_s, duration] : {std::pair{1.0, 1.5}, std::pair{2.5, 0.25}}) {
    const double first = distance(0.4, 4e-2, F_s, duration);
    const double second = distance(0.1, 1e-2, F_s, duration);
    const double third = distance(0.025, 2.5e-3, F_s, duration);
    EXPECT_LT(second, 0.4 * first);
    EXPECT_LT(third, 0.4 * second);
    EXPECT_LT(third, 0.01);
  }
}

// Where the motion slows down they part: a slipping element of the GMS model remembers that it
// slips and lags behind the rising curve; here it is loaded by the motion and keeps up.
TEST(gms_smoothed, SlowingDownDoesNotLag) {
  const gms<double> sharp{};
  testing::companion lagging{sharp};
  testing::companion prompt{usual};
  const int steps = 60000;
  for (int i = 1; i <= steps; ++i) {
    const drive<double> to{0, 10 * um * std::sin(2 * pi * 0.45 * i / steps), 1};
    lagging.go(to, 0.45 / steps);
    prompt.go(to, 0.45 / steps);
  }
  const double g = usual.g.level(prompt.at.v);
  EXPECT_NEAR(prompt.f, g, 0.02 * g);
  EXPECT_LT(lagging.f, 0.9 * g);
}

// Rates have derivatives by speed and state that do not jump: not where the direction changes, not
// where the blend begins and ends.
TEST(gms_smoothed, DerivativesDoNotJump) {
  using number = dual<double, 2>;
  const gms_smoothed<number> model{};
  const double v_0 = direction_speed(usual);
  const auto derivatives = [&](double q, double v) {
    vec<number, gms_smoothed<number>::states> state;
    const auto start = loaded(usual, q, v);
    for (int i = 0; i < usual.elements; ++i) state[i] = number(start[i]);
    state[0] = number::variable(start[0], 1);
    const auto rate = model(state, {number(0.0), number::variable(v, 0), number(1.0)}).rate[0];
    return std::pair{rate.derivative[0], rate.derivative[1] * usual.lambda[0] / usual.kappa[0]};
  };
  const double d = 1e-9;
  for (const double q : {-1.2, -0.97, 0.5, 0.97, 1.0, 1.2}) {
    EXPECT_NEAR(derivatives(q, d * v_0).first, derivatives(q, -d * v_0).first, 1e-3);
    EXPECT_NEAR(derivatives(q, d * v_0).second, derivatives(q, -d * v_0).second, 1e-3 * v_0);
  }
  for (const double edge : {-1.0, -0.95, 0.95, 1.0})
    for (const double v : {-2 * v_0, 0.3 * v_0, 2 * v_0}) {
      const auto below = derivatives(edge - d, v), above = derivatives(edge + d, v);
      EXPECT_NEAR(below.first, above.first, 1e-3);
      EXPECT_NEAR(below.second, above.second, 1e-3 * (v_0 + std::abs(above.second)));
    }
}

// At rest nothing loads itself: only an overload relaxes.
TEST(gms_smoothed, NothingLoadsItselfAtRest) {
  for (const double q : testing::lin_space(-1.5, 1.5, 61)) {
    const auto rate = usual(loaded(usual, q), {0, 0, 1}).rate;
    for (int i = 0; i < usual.elements; ++i) {
      if (std::abs(q) <= 1) {
        EXPECT_EQ(rate[i], 0) << q;
      } else {
        EXPECT_LT(rate[i] * q, 0) << q;
      }
    }
  }
}

// Creeping at speeds where the direction is unclear, elements are overloaded: within the bound, and
// only a little.
TEST(gms_smoothed, CreepingOverloadsOnlyALittle) {
  double most = 0;
  for (const double share : {0.01, 0.1, 0.3, 1.0, 3.0}) {
    const drive<double> creep{0, share * direction_speed(usual), 1};
    const auto held = [&creep](double) { return creep; };
    const auto state = testing::follow(usual, loaded(usual, 1), held, 2e-8 / creep.v, 0.02);
    const double f = usual(state, creep).f;
    EXPECT_LE(f, usual.force_bound(creep));
    most = std::max(most, f);
  }
  EXPECT_GT(most, 1.001 * usual.g.F_s);
  EXPECT_LT(most, 1.02 * usual.g.F_s);
}

// Viscous friction comes on top of all else.
TEST(gms_smoothed, ViscousFrictionIsAdded) {
  auto viscous = usual;
  viscous.g.sigma_2 = 3e4;
  for (const double v : {-2e-5, 0.0, 4e-6})
    for (const double q : {-0.97, 0.4, 1.1}) {
      const auto dry = usual(loaded(usual, q, v), {0, v, 1.3});
      const auto all = viscous(loaded(usual, q, v), {0, v, 1.3});
      EXPECT_NEAR(all.f - dry.f, 3e4 * v, 1e-12);
      for (int i = 0; i < usual.elements; ++i) EXPECT_EQ(all.rate[i], dry.rate[i]);
    }
}

// At rest and below their limits the elements are springs side by side, which store the work of
// the force that they hold.
TEST(gms_smoothed, ElementsStoreTheWorkOfHoldingForces) {
  for (const double x : {-2e-8, 3e-8}) {
    auto state = testing::initial_state(usual);
    for (int i = 0; i < usual.elements; ++i) state[i] = x;
    const double f = usual(state, {0, 0, 1}).f;
    EXPECT_NEAR(usual.stored_energy(state, {}), f * x / 2, 1e-14 * f * x);
  }
}

// On the curve, be it that of this direction or of the other, slip neither loads nor unloads an
// element: what is left is the share of the motion that still sticks.
TEST(gms_smoothed, OnTheCurveAnElementOnlyFollowsTheMotion) {
  for (const double share : {-30.0, -1.0, -0.1, 0.03, 0.3, 1.0, 3.0})
    for (const double q : {-1.0, 1.0}) {
      const double v = share * direction_speed(usual);
      const auto rate = usual(loaded(usual, q, v), {0, v, 1}).rate;
      for (int i = 0; i < usual.elements; ++i) {
        EXPECT_GE(rate[i] / v, -1e-9) << share << ' ' << q;
        EXPECT_LE(rate[i] / v, 1 + 1e-9) << share << ' ' << q;
      }
    }
}

// The definition, with its differences from 1 as they are printed, in long double: elements of all
// kinds, in every state, at rest, creeping and fast.
TEST(gms_smoothed, IsItsDefinition) {
  using real = long double;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> part(-1, 1), speed(-3, 2);
  for (int round = 0; round < 2000; ++round) {
    model_type model{.elements = 3, .C = 40};
    model.epsilon = 0.3;
    model.eta = 0.02;
    model.g.sigma_2 = 0.3;
    for (int i = 0; i < 3; ++i) {
      model.kappa[i] = 1e6 * (2 + part(random));
      model.sigma[i] = 1e3 * (2 + part(random));
      model.lambda[i] = 0.2 + 0.1 * i;
    }
    const double v =
        round % 10 == 0 ? 0 : part(random) * std::pow(10, speed(random)) * direction_speed(model);
    const drive<double> in{0, v, 1.6 + part(random)};
    const real limit = static_cast<real>(model.g.level(v)) * in.load;
    const real S = std::tanh(v / static_cast<real>(direction_speed(model)));
    const auto P = [&](int side) { return S * S * (1 + side * S) / 2; };
    const auto B = [&](real q) {
      const real t = std::clamp<real>((q - 1 + model.epsilon) / model.epsilon, 0, 1);
      return 3 * t * t - 2 * t * t * t;
    };
    const auto O = [&](real q) { return q < 1 ? 0 : (q - 1) * (q - 1) / model.epsilon; };

    auto state = testing::initial_state(model);
    for (int i = 0; i < 3; ++i)
      state[i] = 1.5 * part(random) * model.lambda[i] * static_cast<double>(limit) / model.kappa[i];
    const auto [f, rate] = model(state, in);
    real sum = 0.3 * static_cast<real>(v);
    for (int i = 0; i < 3; ++i) {
      const real kappa = model.kappa[i], a = state[i], q = kappa * a / (model.lambda[i] * limit);
      const real stick = 1 - P(1) * B(q) - P(-1) * B(-q);
      const real slip =
          P(1) * B(q) * (1 - q) - P(-1) * B(-q) * (1 + q) - (1 - S * S) * (O(q) - O(-q));
      const real fastest = 40 * model.lambda[i] / kappa, a_dot = stick * v + slip * fastest;
      EXPECT_NEAR(rate[i], static_cast<double>(a_dot),
                  1e-13 * (std::abs(v) + static_cast<double>(fastest)));
      sum += kappa * a + model.sigma[i] * a_dot;
    }
    EXPECT_NEAR(f, static_cast<double>(sum), 1e-12);
  }
}

}  // namespace
}  // namespace asperity
