// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/run/simulate.hpp>
#include <cmath>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

// Coulomb friction lets go at F_c/(k u); from there v = u (1 - cos(omega t)).
TEST(pulled_mass, SwingsAboutTheSpeedOfItsSpring) {
  const double k = 20, u = 0.1, F_c = 1, begins = F_c / (k * u), omega = std::sqrt(k / 2);
  const auto data =
      simulate(read("system = { kind = 'pulled_mass', mass = 2, stiffness = 20, speed = 0.1 }\n"
                    "friction = { model = 'coulomb', F_c = 1 }\n"
                    "integrator = { method = 'switch', relative_tolerance = 1e-10 }\n"
                    "run = { duration = 2 }\n"));
  ASSERT_FALSE(data.times_of("slip").empty());
  EXPECT_NEAR(data.times_of("slip")[0], begins, 1e-8);
  for (std::size_t i = 0; i < data["t"].size(); ++i) {
    const double since = data["t"][i] - begins;
    EXPECT_NEAR(data["v"][i], since > 0 ? u * (1 - std::cos(omega * since)) : 0, 1e-7);
  }
}

TEST(pulled_mass, AnAnchorAtThatSpeedIsTheSame) {
  const std::string with = "friction = { model = 'lugre' }\nrun = { duration = 3 }\n";
  const auto by_speed = simulate(
      read("system = { kind = 'pulled_mass', mass = 1, stiffness = 2, speed = 0.1 }\n" + with));
  const auto by_anchor =
      simulate(read("system = { kind = 'pulled_mass', mass = 1, stiffness = 2 }\n"
                    "anchor = { kind = 'ramp', slope = 0.1 }\n" +
                    with));
  EXPECT_EQ(by_speed["x"], by_anchor["x"]);
}

}  // namespace
}  // namespace asperity
