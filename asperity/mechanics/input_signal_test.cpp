// SPDX-License-Identifier: Apache-2.0
#include <asperity/mechanics/input_signal.hpp>
//
#include <gtest/gtest.h>

#include <asperity/run/scenario.hpp>
#include <cmath>
#include <numbers>

namespace asperity {
namespace {

signal force(const std::string& keys) {
  const scenario s = read_scenario(
      parse_toml("system = { kind = 'mass_under_force', mass = 1 }\nfriction = { model = 'dai' }\n"
                 "run = { duration = 1 }\nforce = { " +
                     keys + " }\n",
                 "test"),
      "test", "");
  for (const auto& each : s.system->card().inputs)
    if (each.name == "force") return *each.shape;
  return {};
}

// Half a turn for each change of sign: over the sweep the angle grows by pi (from + to) duration.
TEST(chirp, GoesThroughAsManyPeriodsAsItsMeanFrequencySays) {
  const signal wave = force("kind = 'chirp', amplitude = 2, from = 1, to = 9, duration = 4");
  int turns = 0;
  for (double t = 0, end = 4; t < end; ++turns) t = wave.first_turn(t, end);
  EXPECT_EQ(turns - 1, 2 * (1 + 9) / 2 * 4);
  EXPECT_NEAR(wave.value(4), 0, 1e-9);
  // Before and after, plain sines of the frequencies at its ends.
  EXPECT_NEAR(wave.value(-0.1), 2 * std::sin(2 * std::numbers::pi * -0.1), 1e-12);
  EXPECT_NEAR(wave.slope(4), 2 * 2 * std::numbers::pi * 9, 1e-9);
  EXPECT_NEAR(wave.shortest_period(), 1.0 / 9, 1e-15);
  EXPECT_NEAR(wave.lowest(0, 4).value, -2, 1e-6);
}

TEST(chirp, HasTheSlopeOfItsValue) {
  const signal wave = force(
      "kind = 'chirp', amplitude = 2, from = 3, to = 1, duration = 2, start = 0.5, offset = 1");
  for (const double t : {0.2, 0.7, 1.9, 2.6}) {
    const double h = 1e-5;
    EXPECT_NEAR(wave.slope(t), (wave.value(t + h) - wave.value(t - h)) / (2 * h), 1e-6) << t;
  }
}

TEST(signals, ShortestPeriodIsThatOfTheFastestSine) {
  EXPECT_NEAR(force("kind = 'sine', amplitude = 1, frequency = 4").shortest_period(), 0.25, 1e-15);
  EXPECT_EQ(force("kind = 'ramp', slope = 1").shortest_period(), unbounded);
  const signal both = force(
      "kind = 'piecewise', piece = [{ until = 1, kind = 'cosine', amplitude = 1, frequency = 2 }, "
      "{ kind = 'multisine', tone = [{ amplitude = 1, frequency = 5 }, { amplitude = 1, frequency "
      "= 3 }] }]");
  EXPECT_NEAR(both.shortest_period(), 0.2, 1e-15);
}

}  // namespace
}  // namespace asperity
