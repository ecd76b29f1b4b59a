// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/run/simulate.hpp>
#include <numbers>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

// Each half swing takes pi/omega and ends 2 F_c/k short of where the last one ended.
TEST(wall_spring_mass, SwingsShrinkByTwiceTheReachOfFriction) {
  const double half = std::numbers::pi / 10;
  const auto data = simulate(
      read(fmt::format("system = {{ kind = 'wall_spring_mass', mass = 1, stiffness = 100 }}\n"
                       "friction = {{ model = 'coulomb', F_c = 5 }}\ninitial = {{ x = 1 }}\n"
                       "integrator = {{ method = 'switch', relative_tolerance = 1e-10 }}\n"
                       "run = {{ duration = {:.17g}, sample = {:.17g} }}\n",
                       4 * half, half)));
  ASSERT_GE(data["x"].size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    const double left = 1 - 0.1 * static_cast<double>(i);
    EXPECT_NEAR(data["x"][i], i % 2 == 0 ? left : -left, 1e-6) << i;
  }
}

}  // namespace
}  // namespace asperity
