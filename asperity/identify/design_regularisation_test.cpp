// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/analysis/restitution.hpp>
#include <asperity/error.hpp>
#include <asperity/identify/design_regularisation.hpp>
#include <cmath>
#include <numbers>
#include <random>

namespace asperity {
namespace {

// Penetration and creep by simulation at the user's step, over random bodies.
TEST(design_regularisation, PenetrationAndCreepAreMet) {
  std::mt19937 random(3);
  const auto between = [&](double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<>()(random));
  };
  int met = 0;
  for (int i = 0; i < 30; ++i) {
    regularisation_wishes wanted;
    wanted.mass = between(1e-2, 1e2);
    wanted.load = 9.81 * wanted.mass * between(0.5, 5);
    wanted.friction_limit = 0.3 * wanted.load;
    wanted.penetration = between(1e-5, 1e-2);
    wanted.creep = between(1e-5, 1e-2);
    wanted.step = between(1e-5, 1e-3);
    wanted.restitution = std::uniform_real_distribution<>(0.1, 0.9)(random);
    const regularisation_design design = design_regularisation(wanted);
    for (const auto* part : {&design.contact, &design.friction}) {
      if (!part->is_met) {
        EXPECT_NE(part->why.find("exclude each other"), std::string::npos) << part->why;
        EXPECT_NE(part->why.find("the nearest step"), std::string::npos) << part->why;
        continue;
      }
      ++met;
      EXPECT_NEAR(part->simulated / part->wished, 1, 1e-3) << i;
      EXPECT_LT(part->drift, 1e-6 * part->wished) << i;
      for (const auto& margin : part->margins) EXPECT_LE(margin.value, margin.most) << margin.of;
    }
    if (design.contact.is_met) {
      EXPECT_NEAR(design.contact.restitution, wanted.restitution, 0.01) << i;
      any_model model(find_entry("dai_contact"));
      model.set("K", design.contact.K);
      model.set("beta", design.contact.beta);
      model.set("alpha", design.contact.alpha);
      EXPECT_NEAR(find_impact(model, 1, {.mass = wanted.mass}).restitution,
                  design.contact.restitution, 1e-6);
    }
  }
  EXPECT_GT(met, 15);
}

// The nearest step of a refusal is one that is met.
TEST(design_regularisation, TheNearestStepIsPossible) {
  regularisation_wishes wanted{.mass = 1, .load = 10, .friction_limit = 3, .step = 1e-2};
  const regularisation_design refused = design_regularisation(wanted);
  ASSERT_FALSE(refused.is_met());
  const auto nearest = [](const std::string& why) {
    const std::string words = "the nearest step ";
    return std::stod(why.substr(why.find(words) + words.size()));
  };
  wanted.step = 0.999 * std::min(nearest(refused.contact.why), nearest(refused.friction.why));
  EXPECT_TRUE(design_regularisation(wanted).is_met());
}

// Loads that swing need a stiffer friction than the creep alone.
TEST(design_regularisation, SwingsStiffenFriction) {
  regularisation_wishes wanted{.mass = 1, .load = 10, .friction_limit = 3, .creep = 1e-3};
  const double slow = design_regularisation(wanted).friction.K;
  EXPECT_NEAR(slow, 3000, 1e-9);
  wanted.frequency = 2 * std::numbers::pi * 20;
  const auto swinging = design_regularisation(wanted).friction;
  EXPECT_NEAR(swinging.K, 1000 * wanted.frequency * wanted.frequency, 1e-3);
  EXPECT_FALSE(swinging.notes.empty());
}

TEST(design_regularisation, RefusesWhatIsNoWish) {
  EXPECT_THROW(design_regularisation({.mass = 0, .load = 1}), error);
  EXPECT_THROW(design_regularisation({.mass = 1, .load = 0}), error);
  EXPECT_THROW(design_regularisation({.mass = 1, .load = 1, .penetration = -1}), error);
  EXPECT_THROW(design_regularisation({.mass = 1, .load = 1, .restitution = 2}), error);
  EXPECT_THROW(design_regularisation({.mass = 1, .load = std::nan("")}), error);
}

}  // namespace
}  // namespace asperity
