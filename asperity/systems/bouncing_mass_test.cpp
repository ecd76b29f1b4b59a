// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/run/simulate.hpp>
#include <cmath>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

// On a contact that is a spring of stiffness K: the fall, the deepest point by energy, and back up.
TEST(bouncing_mass, ComesBackFromASpring) {
  const double K = 1e4, m = 2, g = 9.81, x = 0.3;
  const auto data = simulate(
      read("system = { kind = 'bouncing_mass', mass = 2 }\nforce = -19.62\ninitial = { x = 0.3 }\n"
           "contact = { model = 'dai_contact', K = 1e4, alpha = 0.01, beta = 0.01 }\n"
           "integrator = { method = 'dopri5', relative_tolerance = 1e-10 }\n"
           "run = { duration = 0.8, sample = 1e-4 }\n"));
  ASSERT_FALSE(data.times_of("touchdown").empty());
  EXPECT_NEAR(data.times_of("touchdown")[0], std::sqrt(2 * x / g), 1e-8);
  const double rest = m * g / K, deepest = -rest - std::sqrt(rest * rest + 2 * rest * x);
  EXPECT_NEAR(*std::min_element(data["x"].begin(), data["x"].end()), deepest, 1e-5);
  ASSERT_FALSE(data.times_of("apex").empty());
  const double apex = data.times_of("apex")[0];
  EXPECT_NEAR(apex, data.times_of("liftoff")[0] + std::sqrt(2 * x / g), 1e-6);
}

}  // namespace
}  // namespace asperity
