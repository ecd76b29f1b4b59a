// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/run/simulate.hpp>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

// Started alike, the inverse gives back what moved the multiplay.
TEST(multiplay_and_inverse, GivesTheMotionBack) {
  const auto data = simulate(
      read("system = { kind = 'multiplay_and_inverse' }\nfriction = { model = 'multiplay' }\n"
           "motion = { kind = 'sine', amplitude = 0.3, frequency = 0.2 }\n"
           "integrator = { relative_tolerance = 1e-9 }\nrun = { duration = 10 }\n"));
  ASSERT_EQ(data.result.how, outcome::completed);
  for (std::size_t i = 0; i < data["t"].size(); ++i)
    EXPECT_NEAR(data["x_inverse"][i], data["x"][i], 1e-6);
}

}  // namespace
}  // namespace asperity
