// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/analysis/equilibria.hpp>
#include <asperity/error.hpp>
#include <asperity/integrate/fixed_step.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/models/friction/coulomb.hpp>
#include <asperity/models/friction/dai.hpp>
#include <cmath>

namespace asperity {
namespace {

any_model named(const char* key) { return any_model(find_model(key)); }

any_model with(any_model model, const char* parameter, double value) {
  model.set(parameter, value);
  return model;
}

// One band of half width F/k around u/k for every input.
void expect_band(const any_model& model, double force, double k = 2.0) {
  const auto map = find_equilibria(model, {.stiffness = k, .from = -3, .to = 3, .points = 7});
  EXPECT_EQ(map.failure, "") << model.key();
  EXPECT_FALSE(map.depends_on_position) << model.key();
  ASSERT_EQ(map.intervals.size(), 7U) << model.key();
  for (int i = 0; i < 7; ++i) {
    const auto& at = map.intervals[static_cast<std::size_t>(i)];
    EXPECT_DOUBLE_EQ(at.u, -3.0 + i);
    EXPECT_NEAR(at.x_low, (at.u - force) / k, 1e-6 * force / k) << model.key();
    EXPECT_NEAR(at.x_high, (at.u + force) / k, 1e-6 * force / k) << model.key();
  }
}

// Limits are those of the defaults: F, F_c, or F_s where static friction is higher.
TEST(equilibria, BandIsTwiceTheStaticLimitOverTheStiffness) {
  expect_band(named("coulomb"), 1.0);
  expect_band(named("coulomb_viscous"), 1.0);
  expect_band(named("dai"), 1.0);
  expect_band(named("dahl"), 1.0);
  for (const char* key : {"stiction", "stribeck_exponential", "lugre", "elastoplastic",
                          "dai_stribeck", "leuven", "scbm"})
    expect_band(named(key), 1.5);
  expect_band(named("gms"), 2.5);
  expect_band(named("dai_multistate"), 2.5);
}

TEST(equilibria, SlowSlidingCountsWhateverTheStribeckCurve) {
  for (const auto& variant : find_model("lugre").variants)
    expect_band(any_model(find_model("lugre"), variant.curve), 1.5);
}

// Drincic 2012, Fig. 1.5: K = 1, F_C = 2.
TEST(equilibria, PublishedMapOfCoulombFriction) {
  expect_band(with(named("coulomb"), "F_c", 2.0), 2.0, 1.0);
}

// Any exponent: below 1 the limit is reached after a finite path, above 1 ever more slowly.
TEST(equilibria, DahlHoldsItsLimitForEveryExponent) {
  for (const double i : {0.0, 0.5, 1.0, 1.5, 2.0}) expect_band(with(named("dahl"), "i", i), 1.0);
}

// Springs in parallel all slide in the end: the limits k_i Delta_i add up.
TEST(equilibria, MaxwellSlipHoldsTheSumOfItsElements) {
  any_model model = with(named("maxwell_slip"), "elements", 3);
  model.set("k", std::vector<double>{1.0, 2.0, 3.0});
  model.set("Delta", std::vector<double>{0.5, 0.25, 0.1});
  expect_band(model, 0.5 + 0.5 + 0.3);
}

TEST(equilibria, WhatHoldsNothingHasASinglePoint) {
  for (const char* key : {"regularised_coulomb", "smoothed_rational"}) {
    const auto map = find_equilibria(named(key), {.stiffness = 4, .from = -1, .to = 1});
    ASSERT_EQ(map.intervals.size(), 13U);
    for (const auto& at : map.intervals) {
      EXPECT_EQ(at.x_low, at.u / 4) << key;
      EXPECT_EQ(at.x_high, at.u / 4) << key;
    }
  }
}

// All of the band of F_min is inside, nothing outside that of F_max, and ends are ends.
TEST(equilibria, SawtoothLeavesGapsBetweenItsLeastAndLargestForce) {
  const any_model model = named("drbm_sawtooth");  // 0.5 N to 1 N, teeth of 0.1 m
  const auto map = find_equilibria(model, {.stiffness = 1, .from = 0.03, .to = 0.03, .points = 1});
  EXPECT_TRUE(map.depends_on_position);
  ASSERT_GT(map.intervals.size(), 1U);
  bool middle_is_whole = false;
  for (const auto& at : map.intervals) {
    EXPECT_GE(at.x_low, 0.03 - 1.0);
    EXPECT_LE(at.x_high, 0.03 + 1.0);
    EXPECT_LE(at.x_low, at.x_high);
    middle_is_whole |= at.x_low <= 0.03 - 0.4999 && at.x_high >= 0.03 + 0.4999;
    const auto rests = [&](double x) {
      const auto held = force_at_rest(model, x);
      return held.lower <= 0.03 - x && 0.03 - x <= held.upper;
    };
    EXPECT_FALSE(rests(at.x_low - 1e-9));
    EXPECT_TRUE(rests(at.x_low));
    EXPECT_TRUE(rests(at.x_high));
    EXPECT_FALSE(rests(at.x_high + 1e-9));
  }
  EXPECT_TRUE(middle_is_whole);
}

// One bristle that follows a sawtooth: the same, with a state.
TEST(equilibria, SawtoothLevelOfABristleIsFoundAtEveryPosition) {
  const any_model model = named("ffbm");  // 1 N to 1.5 N
  const auto map =
      find_equilibria(model, {.stiffness = 2, .from = 0, .to = 1, .points = 2, .samples = 501});
  EXPECT_EQ(map.failure, "");
  EXPECT_TRUE(map.depends_on_position);
  ASSERT_GE(map.intervals.size(), 2U);
  for (const auto& at : map.intervals) {
    EXPECT_GE(at.x_low, (at.u - 1.5) / 2);
    EXPECT_LE(at.x_high, (at.u + 1.5) / 2);
  }
}

// Every model of the catalogue comes to an answer, and none holds more than it claims.
TEST(equilibria, EveryFrictionModelHasAForceAtRestWithinItsBound) {
  for (const catalogue_entry* entry : catalogue()) {
    if (!entry->at->is_sliding()) continue;
    const any_model model(*entry);
    const auto held = force_at_rest(model, 0.0123);
    EXPECT_TRUE(held.found) << entry->key;
    EXPECT_LE(held.lower, 0) << entry->key;
    EXPECT_GE(held.upper, 0) << entry->key;
    if (!model.has_bound()) continue;
    const double bound = model.force_bound(0.0123, 0, 1) * (1 + 1e-6);
    EXPECT_LE(held.upper, bound) << entry->key;
    EXPECT_GE(held.lower, -bound) << entry->key;
  }
}

// How far a mass goes that is left at rest at x with the input u, friction pulling all it can.
template <class Model>
double travel(const Model& friction, double k, double u, double x) {
  struct push : no_inputs<double> {
    double u = 0;
    double force(double) const { return u; }
  };
  sliding_mass<double, Model, push> system{.friction = friction, .k = k};
  system.inputs.u = u;
  double y[decltype(system)::capacity] = {x}, rate[decltype(system)::capacity];
  if constexpr (requires { friction.K; }) y[2] = math::sat(friction.F, u - k * x) / friction.K;
  double furthest = 0;
  for (int n = 0; n < 20'000; ++n) {
    backward_euler_step(system, n * 1e-3, 1e-3, y, rate);
    furthest = std::max(furthest, std::abs(y[0] - x));
  }
  return furthest;
}

template <class Model>
void expect_true_map(const Model& friction, const char* key) {
  const double k = 2, u = 0.7;
  const auto map = find_equilibria(named(key), {.stiffness = k, .from = u, .to = u, .points = 1});
  ASSERT_EQ(map.intervals.size(), 1U);
  const double low = map.intervals[0].x_low, high = map.intervals[0].x_high;
  const double width = high - low;
  for (const double share : {0.001, 0.3, 0.5, 0.999})
    EXPECT_LT(travel(friction, k, u, low + share * width), 1e-12) << key << " " << share;
  EXPECT_GT(travel(friction, k, u, low - 0.001 * width), 1e-3) << key;
  EXPECT_GT(travel(friction, k, u, high + 0.001 * width), 1e-3) << key;
}

TEST(equilibria, SimulatedMassStaysInsideAndLeavesOutside) {
  expect_true_map(coulomb<double>{}, "coulomb");
  expect_true_map(dai<double>{}, "dai");
}

TEST(equilibria, RefusesWhatMakesNoSense) {
  const any_model model = named("coulomb");
  EXPECT_THROW(find_equilibria(named("hunt_crossley")), error);
  EXPECT_THROW(find_equilibria(model, {.stiffness = 0}), error);
  EXPECT_THROW(find_equilibria(model, {.stiffness = -1}), error);
  EXPECT_THROW(find_equilibria(model, {.from = 1, .to = 0}), error);
  EXPECT_THROW(find_equilibria(model, {.from = std::nan("")}), error);
  EXPECT_THROW(find_equilibria(model, {.points = 0}), error);
}

TEST(equilibria, StopsWhenAsked) {
  const std::atomic<bool> stop{true};
  equilibria_options options;
  options.interrupt = &stop;
  EXPECT_TRUE(find_equilibria(named("drbm"), options).interrupted);
}

}  // namespace
}  // namespace asperity
