// SPDX-License-Identifier: Apache-2.0
// The model is tested against the inclusion it was derived from, and against what the dissertation
// says of bouncing (figure 3.6).

#include <gtest/gtest.h>

#include <asperity/models/contact/dai_contact.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const dai_contact<double> model{.K = 1e5, .beta = 0.01, .alpha = 0.004};

// f = K (e + beta e_dot) >= 0, p + e + alpha e_dot >= 0, and one of them is 0.
void expect_inclusion(double e, double p, double f, double e_dot) {
  const double distance = p + e + model.alpha * e_dot, size = std::abs(e) + std::abs(p);
  EXPECT_NEAR(f, model.K * (e + model.beta * e_dot), 1e-11 * model.K * size);
  EXPECT_GE(f, 0);
  EXPECT_GE(distance, -1e-13 * size);
  EXPECT_NEAR(std::min(f / model.K, distance), 0, 1e-11 * size);
}

TEST(dai_contact, ForceSolvesTheInclusion) {
  for (const double e : testing::lin_space(-1e-3, 1e-2, 23))
    for (const double p : testing::lin_space(-1e-2, 1e-2, 41)) {
      const auto [f, rate] = model({{e}}, {p, 0, 1});
      expect_inclusion(e, p, f, rate[0]);
    }
}

// The implicit step solves the same inclusion with e_dot = (e - e_0)/h, for every h.
TEST(dai_contact, ImplicitStepSolvesTheDiscretisedInclusion) {
  for (const double h : {1e-6, 1e-3, 1.0})
    for (const double e : testing::lin_space(0, 1e-2, 11))
      for (const double p : testing::lin_space(-1e-2, 1e-2, 41)) {
        const double f = model.react({{e}}, 1.0, h).solve(p, 0.0);
        const double end = model.settle({{e}}, f, h)[0];
        const double size = (std::abs(e) + std::abs(p)) / h;  // of what rounding does to e_dot
        if (h > 1e-5) expect_inclusion(end, p, f, (end - e) / h);
        EXPECT_NEAR(f, model({{end}}, {p, 0, 1}).f, 1e-9 * model.K * model.beta * size);
      }
}

// It is first order: halving h halves its distance from the ODE.
TEST(dai_contact, ImplicitStepTendsToTheOde) {
  const vec<double, 1> e{{2e-3}};
  for (const double p : {-5e-3, 5e-3}) {  // in contact, apart
    const auto error = [&](double h) {
      const double f = model.react(e, 1.0, h).solve(p, 0.0);
      const double exact = testing::follow(
          model, e,
          [p](double) {
            return drive<double>{p, 0, 1};
          },
          h, h / 200)[0];
      return std::abs(model.settle(e, f, h)[0] - exact) / h;
    };
    EXPECT_NEAR(error(2e-6) / error(1e-6), 2.0, 0.02);
  }
}

// With alpha = beta the contact is a plain spring, whatever the state.
TEST(dai_contact, EqualTimesMakeASpring) {
  auto elastic = model;
  elastic.alpha = elastic.beta;
  for (const double e : {0.0, 1e-3, 5e-3})
    for (const double p : testing::lin_space(-1e-2, 1e-2, 21))
      EXPECT_NEAR(elastic({{e}}, {p, 0, 1}).f, elastic.K * std::max(0.0, -p), 1e-9);
}

// Held still, every contact ends as that spring.
TEST(dai_contact, HeldStillItIsASpring) {
  const double p = -3e-3;
  EXPECT_NEAR(testing::steady_force(model, {p, 0, 1}, 1e-3, 200), -model.K * p, 1e-9);
}

// The stored energy accounts for everything but the damper: power taken less its rate is
// K (beta - alpha) e_dot^2, in contact and apart.
TEST(dai_contact, WhatIsNotStoredIsLostInTheDamper) {
  for (const double e : {1e-3, 4e-3})
    for (const double p : {-8e-3, -2e-3, 1e-3})
      for (const double v : {-1.0, 0.0, 0.5}) {
        const auto [f, rate] = model({{e}}, {p, v, 1});
        const double dt = 1e-9;
        const auto energy = [&, e_dot = rate[0]](double t) {
          return model.stored_energy({{e + t * e_dot}}, {p + t * v, v, 1});
        };
        const double stored = (energy(dt) - energy(-dt)) / (2 * dt);
        const double lost = model.K * (model.beta - model.alpha) * rate[0] * rate[0];
        EXPECT_NEAR(-f * v - stored, lost, 1e-5 * (std::abs(f * v) + std::abs(stored) + lost));
      }
}

// Figure 3.6: the smaller alpha, the lower the rebound; alpha = beta gives all of it back.
TEST(dai_contact, ReboundShrinksWithAlpha) {
  auto contact = model;
  double last = 1 + 1e-6;
  for (const double alpha : {0.01, 0.007, 0.005, 0.001}) {
    contact.alpha = alpha;
    const double restitution = testing::impact_of(contact, 1.0, 4.4, 1e-5).restitution;
    EXPECT_LT(restitution, last);
    if (alpha == contact.beta) {
      EXPECT_NEAR(restitution, 1.0, 1e-4);
    }
    last = restitution - 0.05;
  }
}

// The force is lost before the body has come all the way back.
TEST(dai_contact, LeavesBeforeTheSurfaceHasRecovered) {
  const auto hit = testing::impact_of(model, 1.0, 4.4, 1e-5);
  EXPECT_GT(hit.residual, 0.1 * hit.deepest);
}

TEST(dai_contact, AlphaAboveBetaIsDoubtful) {
  auto active = model;
  EXPECT_EQ(active.valid().verdict, validity::fine);
  active.alpha = 1.2 * active.beta;
  EXPECT_EQ(active.valid().verdict, validity::doubtful);
  EXPECT_GT(testing::impact_of(active, 1.0, 4.4, 1e-5).restitution, 1.0);
}

}  // namespace
}  // namespace asperity
