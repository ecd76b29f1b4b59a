// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/contact/hunt_crossley.hpp>
#include <asperity/scalar/dual.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const hunt_crossley<double> model{};

// M v dv = -K d^lambda (1 + b v) dd separates: v/(1 + b v) integrated over an impact from v_1 to
// -v_2 is zero, whatever K, lambda and M are. Hence b v - ln(1 + b v) is the same before and after.
TEST(hunt_crossley, RestitutionObeysItsClosedForm) {
  for (const auto& contact : {hunt_crossley<double>{.K = 1e4, .lambda = 1.5, .b = 0.2},
                              hunt_crossley<double>{.K = 3e6, .lambda = 1.0, .b = 0.7},
                              hunt_crossley<double>{.K = 2e5, .lambda = 2.2, .b = 0.35}})
    for (const double v : {0.1, 1.0, 4.0}) {
      const double out = testing::impact_of(contact, 0.3, v, 2e-6).restitution * v, b = contact.b;
      EXPECT_NEAR(b * v - std::log(1 + b * v), -b * out - std::log(1 - b * out),
                  1e-5 * b * b * v * v);
    }
}

// Gentle impacts lose the share 2 b v/3 of their speed.
TEST(hunt_crossley, GentleImpactsLoseLittle) {
  const double v = 0.01;
  EXPECT_NEAR(1 - testing::impact_of(model, 1.0, v, 2e-5).restitution, 2 * model.b * v / 3, 1e-5);
}

// Without damping the deepest indentation holds the whole energy of the impact.
TEST(hunt_crossley, DeepestIndentationStoresTheImpact) {
  auto elastic = model;
  elastic.b = 0;
  const double v = 2.0, mass = 0.7;
  const auto hit = testing::impact_of(elastic, mass, v, 1e-5);
  EXPECT_NEAR(elastic.stored_energy({}, {-hit.deepest, 0, 1}), mass * v * v / 2, 1e-6);
  EXPECT_NEAR(hit.restitution, 1, 1e-6);
}

// Pressed slowly it is Hertzian: twice the indentation is 2^1.5 the force.
TEST(hunt_crossley, SlowPressingIsHertzian) {
  EXPECT_NEAR(model({}, {-2e-3, 0, 1}).f / model({}, {-1e-3, 0, 1}).f, std::pow(2.0, 1.5), 1e-12);
}

// Damping sets in with the indentation, not with touch: the force does not jump.
TEST(hunt_crossley, DampingVanishesAtTouchdown) {
  using number = dual<double, 1>;
  const hunt_crossley<number> same;
  const auto damping = [&](double gap) {
    return same({}, {number(gap), number::variable(-1, 0), number(1.0)}).f.derivative[0];
  };
  EXPECT_EQ(damping(0.0), 0);
  EXPECT_LT(damping(-1e-3), 0);
}

// Apart there is no force, at any speed.
TEST(hunt_crossley, NoForceApart) {
  for (const double v : {-100.0, 0.0, 100.0}) EXPECT_EQ(model({}, {1e-6, v, 1}).f, 0);
}

// What the dissertation holds against it: torn apart faster than 1/b, the surfaces pull.
TEST(hunt_crossley, PullsWhenTornApart) {
  EXPECT_GT(model({}, {-1e-3, 0.99 / model.b, 1}).f, 0);
  EXPECT_LT(model({}, {-1e-3, 1.01 / model.b, 1}).f, 0);
}

}  // namespace
}  // namespace asperity
