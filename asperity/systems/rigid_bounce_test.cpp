// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/run/simulate.hpp>
#include <cmath>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

TEST(rigid_bounce, EndsAtTheClosedFormOfItsSeries) {
  // Fallen from x: t_0 = sqrt(2 x/g), and then 2 e t_0 (1 + e + e^2 ...) more.
  const double x = 0.7, e = 0.6, g = 9.81, fall = std::sqrt(2 * x / g);
  const auto data = simulate(read(fmt::format(
      "system = {{ kind = 'rigid_bounce', restitution = {}, rest_within = 1e-9 }}\n"
      "initial = {{ x = {} }}\nintegrator = {{ method = 'dopri5', relative_tolerance = 1e-10 }}\n"
      "run = {{ duration = 3 }}\n",
      e, x)));
  ASSERT_EQ(data.result.how, outcome::completed);
  const auto rest = data.times_of("impact").back();
  EXPECT_NEAR(rest, fall + 2 * e * fall / (1 - e), 1e-8);
  EXPECT_EQ(data["x"].back(), 0);
  EXPECT_EQ(data["v"].back(), 0);
  EXPECT_EQ(data["rests"].back(), 1);
  const auto impacts = data.times_of("impact");
  for (std::size_t n = 2; n + 2 < std::min<std::size_t>(impacts.size(), 12); ++n)
    EXPECT_NEAR((impacts[n + 1] - impacts[n]) / (impacts[n] - impacts[n - 1]), e, 1e-6) << n;
}

TEST(rigid_bounce, StaysOnTheGroundWhereItStarts) {
  for (const char* method : {"euler", "rk4", "backward_euler", "dopri5"}) {
    const auto data = simulate(read(
        fmt::format("system = {{ kind = 'rigid_bounce' }}\nintegrator = {{ method = '{}', step "
                    "= 1e-3 }}\nrun = {{ duration = 1 }}\n",
                    method)));
    EXPECT_EQ(*std::min_element(data["x"].begin(), data["x"].end()), 0) << method;
    EXPECT_EQ(data["x"].back(), 0) << method;
    EXPECT_EQ(data["rests"].back(), 1) << method;
  }
  // Thrown at it, it bounces at once, e times as fast.
  const auto thrown =
      simulate(read("system = { kind = 'rigid_bounce', restitution = 0.7 }\ninitial = { v = -1 }\n"
                    "integrator = { method = 'dopri5' }\nrun = { duration = 2 }\n"));
  EXPECT_NEAR(*std::max_element(thrown["x"].begin(), thrown["x"].end()), 0.49 / (2 * 9.81), 1e-5);
  EXPECT_EQ(thrown["rests"].back(), 1);
}

TEST(rigid_bounce, FixedStepsEndInTheSameRest) {
  const auto data =
      simulate(read("system = { kind = 'rigid_bounce', restitution = 0.6, rest_within = 1e-6 }\n"
                    "initial = { x = 0.7 }\nintegrator = { method = 'rk4', step = 1e-3 }\nrun = { "
                    "duration = 3 }\n"));
  const double fall = std::sqrt(2 * 0.7 / 9.81);
  EXPECT_NEAR(data.times_of("impact").back(), fall + 2 * 0.6 * fall / 0.4, 1e-5);
  EXPECT_EQ(data["rests"].back(), 1);
}

}  // namespace
}  // namespace asperity
