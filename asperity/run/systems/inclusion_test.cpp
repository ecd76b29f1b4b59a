// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/run/simulate.hpp>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

// Friction as sgn stops a body of 2 kg after m v/F seconds, and holds it there.
TEST(inclusion, SgnStopsABodyAndHoldsIt) {
  const auto data = simulate(read(R"toml(
[system]
kind = "inclusion"
[states]
x = { rate = "v", unit = "m" }
v = { rate = "-F/m*sgn(v)", unit = "m/s", initial = 1 }
[parameters]
F = "4 N"
m = "2 kg"
[run]
duration = 1
)toml"));
  ASSERT_EQ(data.result.how, outcome::completed);
  EXPECT_NEAR(data["v"].back(), 0, 1e-6);
  EXPECT_NEAR(data["x"].back(), 2.0 / (2 * 4), 1e-3);
}

}  // namespace
}  // namespace asperity
