// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/run/simulate.hpp>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

// Coulomb friction takes F_c times the way: 4 A F_c in each cycle.
TEST(prescribed_motion, CoulombFrictionTakesForceTimesWay) {
  const auto data = simulate(
      read("system = { kind = 'prescribed_motion' }\nfriction = { model = 'coulomb', F_c = 2 }\n"
           "motion = { of = 'position', kind = 'sine', amplitude = 0.1, frequency = 1 }\n"
           "run = { duration = 3, sample = 1e-3, audit = true }\n"));
  double taken = 0;
  for (std::size_t i = 1; i < data["t"].size(); ++i)
    taken += 0.5 * (data["f"][i] + data["f"][i - 1]) * (data["x"][i] - data["x"][i - 1]);
  EXPECT_NEAR(taken, 3 * 4 * 0.1 * 2, 1e-3);
}

// Given as a velocity the motion is its integral.
TEST(prescribed_motion, AVelocityIsIntegrated) {
  const auto data = simulate(
      read("system = { kind = 'prescribed_motion' }\nfriction = { model = 'dai' }\n"
           "motion = { of = 'velocity', kind = 'ramp', slope = 0.2 }\nrun = { duration = 2 }\n"));
  EXPECT_NEAR(data["x"].back(), 0.4, 1e-9);
  EXPECT_NEAR(data["v"].back(), 0.4, 1e-12);
}

}  // namespace
}  // namespace asperity
