// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/run/simulate.hpp>
#include <cmath>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

TEST(two_bodies_wall_conveyor, AMissingStepNamesTheMethodAndWhyItIsThatOne) {
  try {
    read(
        "system = { kind = 'two_bodies_wall_conveyor', mass_1 = 1, mass_2 = 1, stiffness = 10, "
        "speed = 0.1 }\ncontact = { model = 'hunt_crossley' }\nfriction = { model = 'coulomb' }\n"
        "run = { duration = 1 }\n");
    FAIL();
  } catch (const error& e) {
    const std::string message = e.what();
    for (const char* part : {"integrator.step is missing", "method rk4", "'coulomb' is set-valued"})
      EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

// Away from wall, body and conveyor the first body swings on its spring.
TEST(two_bodies_wall_conveyor, FreeBodiesSwingAndFall) {
  const auto data = simulate(read(
      "system = { kind = 'two_bodies_wall_conveyor', mass_1 = 0.5, mass_2 = 1, stiffness = 100, "
      "speed = 1, gravity = 2 }\ncontact = { model = 'dai_contact' }\nfriction = { model = 'dai' "
      "}\n"
      "initial = { p_1x = 1, p_2x = 2, p_2y = 10, p_1y = 0.1 }\n"
      "integrator = { method = 'dopri5', relative_tolerance = 1e-10 }\nrun = { duration = 1 }\n"));
  for (std::size_t i = 0; i < data["t"].size(); ++i) {
    const double t = data["t"][i];
    EXPECT_NEAR(data["p_1y"][i], 0.1 * std::cos(std::sqrt(200.0) * t), 1e-7);
    EXPECT_NEAR(data["p_2y"][i], 10 - t * t, 1e-8);
  }
}

}  // namespace
}  // namespace asperity
