// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/run/simulate.hpp>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

// The way back from the length alone gives the magnetisation it was made of.
TEST(magnetostrictive_actuator, ReadsItsLengthBack) {
  const std::string text = R"(
[system]
kind = "magnetostrictive_actuator"
[hysteresis]
model = "stop"
[current]
kind = "sine"
amplitude = 0.5
frequency = 1
[run]
duration = 2
sample = 0.01
[integrator]
method = "advance"
step = 1e-3
)";
  const run_data data = simulate(read(text));
  const double one_step = 0.5 * 1.54e4 * 2 * 3.1416 * 1e-3;  // of the field, in A/m; M's slope is 1
  for (std::size_t i = 0; i < data["M"].size(); ++i)
    EXPECT_NEAR(data["M_one"][i], data["M"][i], one_step) << i;
  EXPECT_THROW(read(text + "[fit]\nuntil = 2\n"), error);
}

}  // namespace
}  // namespace asperity
