// SPDX-License-Identifier: Apache-2.0
#include <asperity/mechanics/input_signal.hpp>
//
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/run/scenario.hpp>
#include <cmath>
#include <complex>
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

TEST(steps, AreLevelsInTurn) {
  const signal stairs =
      force("kind = 'steps', from = -1, to = 2, count = 3, hold = 0.5, start = 1, back = true");
  const double levels[] = {-1, 0, 1, 2, 1, 0, -1};
  EXPECT_EQ(stairs.value(-3), -1);
  EXPECT_EQ(stairs.value(99), -1);
  for (int k = 0; k < 7; ++k)
    for (const double share : {0.001, 0.5, 0.999})
      EXPECT_EQ(stairs.value(1 + 0.5 * (k + share)), levels[k]) << k;
  EXPECT_EQ(stairs.value(1.5), 0);  // a level begins with its jump
  // Each step is announced, and nothing moves between them.
  EXPECT_EQ(stairs.breakpoints(1.2, 4.2).size(), 6U);
  EXPECT_EQ(stairs.slope(1.7), 0);
  // The last level is the one asked for, whatever a tenth of the way is in binary.
  EXPECT_EQ(force("kind = 'steps', to = 0.3, hold = 0.1").value(5), 0.3);
}

TEST(steps, RiseAsHalfCosines) {
  const signal stairs = force("kind = 'steps', to = 6, count = 3, hold = 2, rise = 0.5");
  for (const double t : {0.0, 1.0, 2.0}) EXPECT_EQ(stairs.value(t), 0) << t;
  EXPECT_NEAR(stairs.value(2.25), 1, 1e-15);
  EXPECT_NEAR(stairs.slope(2.25), 2 * std::numbers::pi / 2 / 0.5, 1e-13);
  for (const double t : {2.5, 3.3, 4.0}) EXPECT_EQ(stairs.value(t), 2) << t;
  EXPECT_EQ(stairs.value(6.5), 6);
  EXPECT_THROW(force("kind = 'steps', to = 6, hold = 2, rise = 2"), error);
  EXPECT_THROW(force("kind = 'steps', to = 6, hold = 2, count = 0"), error);
}

const char* const some_noise =
    "kind = 'noise', rms = 2, from = 3, to = 20, period = 2, seed = 7, offset = 0.5";

// Values of another program: the generator from its publication, the phases and sums from the
// definition.
TEST(noise, IsTheSameEverywhere) {
  const signal s = force(some_noise);
  EXPECT_NEAR(s.value(0.3), -0.46780429198473694, 1e-12);
  EXPECT_NEAR(s.value(1.9), -1.9660981558798198, 1e-12);
  EXPECT_NEAR(s.value(-0.45), 0.5124932555108175, 1e-12);
  EXPECT_NEAR(s.slope(0.3), -62.90171710753328, 1e-10);
  EXPECT_NEAR(s.slope(1.9), 306.6344000913585, 1e-10);
  EXPECT_NEAR(s.value(0.3 + 8), s.value(0.3), 1e-12);
}

TEST(noise, HasItsRootMeanSquareAndItsBand) {
  const signal s = force(some_noise);
  constexpr int n = 256;
  double mean = 0, square = 0;
  std::vector<std::complex<double>> lines(n / 2);
  for (int i = 0; i < n; ++i) {
    const double value = s.value(2.0 * i / n) - 0.5;
    mean += value / n;
    square += value * value / n;
    for (int k = 0; k < n / 2; ++k)
      lines[static_cast<std::size_t>(k)] +=
          2 * value / n * std::polar(1.0, -2 * std::numbers::pi * k * i / n);
  }
  EXPECT_NEAR(mean, 0, 1e-13);
  EXPECT_NEAR(std::sqrt(square), 2, 1e-13);
  for (int k = 0; k < n / 2; ++k)
    EXPECT_NEAR(std::abs(lines[static_cast<std::size_t>(k)]),
                k >= 6 && k <= 40 ? 2 * std::sqrt(2.0 / 35) : 0, 1e-13)
        << k;
  EXPECT_NEAR(s.shortest_period(), 0.05, 1e-14);
}

TEST(noise, HasItsOwnPhasesForEachSeed) {
  const std::string keys = "kind = 'noise', rms = 1, to = 50, period = 10, seed = ";
  EXPECT_EQ(force(keys + "3").value(0.7), force(keys + "3").value(0.7));
  // Two of them have nothing in common: the mean of their product is 0 but for chance.
  const signal a = force(keys + "3"), b = force(keys + "4");
  double product = 0;
  for (int i = 0; i < 2000; ++i) product += a.value(i * 0.005) * b.value(i * 0.005) / 2000;
  EXPECT_LT(std::abs(product), 4 / std::sqrt(2 * 500.0));
  EXPECT_THROW(force("kind = 'noise', rms = 1, from = 0.6, to = 0.9, period = 1"), error);
  EXPECT_THROW(force("kind = 'noise', rms = 1, to = 1e6, period = 1"), error);
}

// One period of a sine, with and without rows that repeat it.
TEST(nodes, JoinBandLimitedRepeatsOnePeriod) {
  const auto keys = [](int count, const std::string& more) {
    std::string values;
    for (int i = 0; i < count; ++i)
      values += std::to_string(std::sin(0.5 * std::numbers::pi * i / 2)) + ", ";
    return "kind = 'nodes', join = 'band_limited', interval = 0.25, values = [" + values + "]" +
           more;
  };
  for (const auto& each : {keys(8, ""), keys(9, ", period = 2"), keys(20, ", period = '2 s'")}) {
    const signal wave = force(each);
    for (const double t : {0.1, 1.3, 7.7})
      EXPECT_NEAR(wave.value(t), std::sin(std::numbers::pi * t), 1e-6) << each;
  }
  EXPECT_THROW(force(keys(8, ", period = 2.1")), error);
  EXPECT_THROW(force(keys(7, ", period = 2")), error);
  EXPECT_THROW(
      force("kind = 'nodes', join = 'band_limited', times = [0, 1, 3], values = [0, 1, 0]"), error);
  EXPECT_THROW(force("kind = 'nodes', join = 'linear', interval = 1, period = 2, values = [0, 1]"),
               error);
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
