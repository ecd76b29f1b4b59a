// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/run/simulate.hpp>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

// A disc that does not spin slides like a point: m v^2/(2 F_c) far.
TEST(planar_body, SlidesLikeAPointWhereItDoesNotSpin) {
  const auto data =
      simulate(read("system = { kind = 'planar_body', mass = 2, inertia = 0.01 }\n"
                    "friction = { model = 'disc_coulomb', F_c = 4, R = 0.1 }\n"
                    "initial = { v_x = 0.6, v_y = -0.8 }\nrun = { duration = 1 }\n"));
  ASSERT_EQ(data.result.how, outcome::completed);
  EXPECT_NEAR(data["x"].back(), 0.6 * 0.25, 1e-6);
  EXPECT_NEAR(data["y"].back(), -0.8 * 0.25, 1e-6);
  EXPECT_EQ(data["omega"].back(), 0);
}

}  // namespace
}  // namespace asperity
