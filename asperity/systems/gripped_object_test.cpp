// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/run/simulate.hpp>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

// An open gripper holds nothing.
TEST(gripped_object, FallsWhereThePadsAreOpen) {
  const auto data =
      simulate(read("load = 0\nsystem = { kind = 'gripped_object', mass = 0.1, inertia = 3e-4 }\n"
                    "friction = { model = 'disc_coulomb', F_c = 4, R = 0.01 }\n"
                    "integrator = { method = 'sdirk2', step = 1e-4 }\nrun = { duration = 0.5 }\n"));
  ASSERT_EQ(data.result.how, outcome::completed);
  EXPECT_NEAR(data["y"].back(), -0.5 * 9.81 * 0.25, 1e-3);
  EXPECT_NEAR(data["v_y"].back(), -9.81 * 0.5, 1e-9);
}

}  // namespace
}  // namespace asperity
