// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/run/simulate.hpp>
#include <cmath>
#include <numbers>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

TEST(mass_on_belt, IsCarriedUntilTheSpringHoldsIt) {
  // A linear spring (k_1 < 0) and DAI friction: stuck mass moves with the belt to F/k, then slips.
  const auto data = simulate(read(
      "system = { kind = 'mass_on_belt', mass = 1, k_1 = -2, k_2 = 0, speed = 0.1 }\n"
      "friction = { model = 'dai', F = 1, K = 1e5, beta = 1e-3 }\ninitial = { v = 0.1 }\n"
      "integrator = { method = 'dopri5', relative_tolerance = 1e-8 }\nrun = { duration = 30 }\n"));
  EXPECT_NEAR(data.times_of("slip")[0], 5.0, 0.05);
  EXPECT_NEAR(data["p"].back(), 0.5, 0.08);
}

// The belt carries the mass until the spring pulls with F_s; then it swings about F_c/k until it
// has the speed of the belt again, as far behind F_c/k as it began before it.
TEST(mass_on_belt, StictionSticksAndSlipsAsTheClosedFormSays) {
  const double k = 10, u = 0.1, F_c = 1, F_s = 1.5, omega = std::sqrt(k);
  const double ahead = (F_s - F_c) / k, phase = std::atan(ahead * omega / u);
  const double amplitude = std::hypot(ahead, u / omega);
  const double slipping = 2 * (std::numbers::pi - phase) / omega, sticking = 2 * ahead / u;
  ASSERT_NEAR(amplitude, 0.0592, 5e-5);
  ASSERT_NEAR(slipping + sticking, 2.350, 5e-4);
  const auto data = simulate(
      read("system = { kind = 'mass_on_belt', mass = 1, k_1 = -10, k_2 = 0, speed = 0.1 }\n"
           "friction = { model = 'stiction', F_c = 1, F_s = 1.5 }\ninitial = { v = 0.1 }\n"
           "integrator = { method = 'switch', relative_tolerance = 1e-9 }\n"
           "run = { duration = 20, sample = 1e-3, audit = true, audit_tolerance = 1e-6 }\n"));
  ASSERT_EQ(data.result.how, outcome::completed);
  EXPECT_LT(data.audit->relative_residual(), 1e-6);
  const auto slips = data.times_of("slip"), sticks = data.times_of("stick");
  ASSERT_EQ(slips.size(), 8U);
  ASSERT_EQ(sticks.size(), 8U);
  for (std::size_t i = 0; i < slips.size(); ++i) {
    const double begin = F_s / k / u + static_cast<double>(i) * (slipping + sticking);
    EXPECT_NEAR(slips[i], begin, 1e-6) << i;
    EXPECT_NEAR(sticks[i], begin + slipping, 1e-6) << i;
  }
  const auto [low, high] = std::minmax_element(data["p"].begin() + 2000, data["p"].end());
  EXPECT_NEAR(*high, F_c / k + amplitude, 1e-6);
  EXPECT_NEAR(*low, F_c / k - amplitude, 1e-6);
  const auto [weakest, strongest] = std::minmax_element(data["f"].begin(), data["f"].end());
  EXPECT_NEAR(*weakest, -F_s, 1e-3);
  EXPECT_LT(*strongest, 1e-9);
}

// Stick-slip with the drop from F_s: carried to F_s/k, and not an instant longer.
TEST(mass_on_belt, IsCarriedToTheStictionOfItsCurve) {
  const auto data = simulate(read(
      "system = { kind = 'mass_on_belt', mass = 1, k_1 = -100, k_2 = 0, speed = 0.01 }\n"
      "friction = { model = 'stribeck_exponential', F_c = 1, F_s = 1.5 }\n"
      "initial = { v = 0.01 }\nintegrator = { method = 'switch', relative_tolerance = 1e-10 }\n"
      "run = { duration = 5 }\n"));
  ASSERT_EQ(data.result.how, outcome::completed);
  double carried = 0, stuck = 0;
  for (std::size_t i = 1; i < data["t"].size(); ++i) {
    if (std::abs(data["w"][i]) > 1e-12) continue;
    carried = std::max(carried, data["p"][i]);
    ++stuck;
    EXPECT_NEAR(data["f"][i], -100 * data["p"][i], 1e-9);
  }
  EXPECT_GT(stuck, 10);
  EXPECT_NEAR(carried, 1.5 / 100, 1e-6);
  EXPECT_LT(*std::min_element(data["p"].begin(), data["p"].end()), 0.01);
}

}  // namespace
}  // namespace asperity
