// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/run/simulate.hpp>
#include <cmath>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

// A disc under even pressure: F_c where it only slides, 2/3 F_c R where it only spins.
TEST(planar_motion, ADiscHasItsForceAndItsTorque) {
  const std::string with =
      "system = { kind = 'planar_motion' }\n"
      "friction = { model = 'disc_coulomb', F_c = 3, R = 0.2 }\nrun = { duration = 1 }\n";
  const auto slides = simulate(read("velocity_x = 0.1\n" + with));
  EXPECT_NEAR(std::abs(slides["f_x"].back()), 3, 1e-9);
  EXPECT_NEAR(slides["x"].back(), 0.1, 1e-9);
  const auto spins = simulate(read("spin = 2\n" + with));
  EXPECT_NEAR(std::abs(spins["torque"].back()), 2.0 / 3 * 3 * 0.2, 1e-9);
}

}  // namespace
}  // namespace asperity
