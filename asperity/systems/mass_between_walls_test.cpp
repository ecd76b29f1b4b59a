// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/run/simulate.hpp>
#include <cmath>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

TEST(mass_between_walls, FliesToAndFroForEverOnElasticWalls) {
  const auto data = simulate(read(
      "system = { kind = 'mass_between_walls', mass = 2, left = -0.5, right = 1 }\n"
      "contact = { model = 'dai_contact', alpha = 0.01, beta = 0.01 }\ninitial = { v = 3 }\n"
      "integrator = { method = 'dopri5', relative_tolerance = 1e-10 }\nrun = { duration = 10 }\n"));
  // alpha = beta is a spring: half an oscillation takes pi sqrt(m/K), and the speed returns.
  const double contact = 3.14159265358979 * std::sqrt(2 / 1e5);
  const auto right = data.times_of("touchdown_right");
  ASSERT_GE(right.size(), 8U);
  const double period = 2 * (1.5 / 3 + contact);
  for (std::size_t i = 0; i < right.size(); ++i)
    EXPECT_NEAR(right[i], 1.0 / 3 + static_cast<double>(i) * period, 1e-6);
}

TEST(mass_between_walls, FrictionStopsIt) {
  const auto data = simulate(read(
      "system = { kind = 'mass_between_walls', mass = 1 }\n"
      "contact = { model = 'hunt_crossley', K = 1e5 }\nfriction = { model = 'dai', F = 1 }\n"
      "initial = { v = 3 }\n"
      "integrator = { method = 'dopri5', relative_tolerance = 1e-8 }\nrun = { duration = 5 }\n"));
  EXPECT_NEAR(data["v"].back(), 0, 1e-6);
  EXPECT_GE(data.times_of("touchdown_right").size(), 1U);
}

TEST(mass_between_walls, StictionHoldsUntilTheStaticLimit) {
  const auto data =
      simulate(read("system = { kind = 'mass_between_walls', mass = 2, left = -10, right = 10 }\n"
                    "contact = { model = 'hunt_crossley' }\n"
                    "friction = { model = 'stiction', F_c = 1, F_s = 1.5 }\n"
                    "force = { kind = 'ramp', slope = 0.5 }\nrun = { duration = 4 }\n"));
  ASSERT_EQ(data.result.how, outcome::completed);
  ASSERT_EQ(data.times_of("slip").size(), 1U);
  EXPECT_TRUE(data.times_of("stick").empty());
  EXPECT_NEAR(data.times_of("slip")[0], 3, 1e-9);
  // 2 v' = t/2 - 1 from t = 3 on.
  EXPECT_NEAR(data["v"].back(), 0.5 * (0.25 * (16 - 9) - 1), 1e-6);
}

}  // namespace
}  // namespace asperity
