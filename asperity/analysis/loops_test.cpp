// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/analysis/loops.hpp>
#include <asperity/error.hpp>
#include <asperity/models/friction/maxwell_slip.hpp>
#include <asperity/models/hysteresis/play.hpp>
#include <asperity/testing.hpp>
#include <numbers>
#include <random>

namespace asperity {
namespace {

constexpr double pi = std::numbers::pi;

struct record {
  std::vector<double> u, y;
};

// Inputs through nodes, sampled finely, and what a model makes of them.
template <class Model>
record follow(const Model& model, const std::vector<double>& nodes, int steps = 500) {
  record r;
  testing::companion body{model};
  double from = nodes.front();
  body.go({from, 0, 1}, 1);
  r.u.push_back(from);
  r.y.push_back(body.f);
  for (std::size_t k = 1; k < nodes.size(); ++k) {
    for (int i = 1; i <= steps; ++i) {
      r.u.push_back(from + (nodes[k] - from) * i / steps);
      r.y.push_back(body.go({r.u.back(), 0, 1}, 1));
    }
    from = nodes[k];
  }
  return r;
}

// An ellipse u = sin, y = b sin(t + phase): area pi b sin(phase), clockwise where y leads.
TEST(loops, AreaAndOrientationOfAnEllipse) {
  for (const double phase : {0.5, -0.5}) {
    record r;
    for (int i = 0; i <= 5000; ++i) {
      const double t = 2 * pi * i / 1000;
      r.u.push_back(std::sin(t));
      r.y.push_back(2 * std::sin(t + phase));
    }
    const auto found = analyse_loops(r.u, r.y);
    EXPECT_EQ(found.noise, 0);
    EXPECT_EQ(found.reversals.size(), 10U);
    ASSERT_EQ(found.loops.size(), 4U);  // of five periods the first and last quarter are open
    for (const auto& each : found.loops) {
      EXPECT_NEAR(each.area, 2 * pi * std::sin(phase), 1e-3);
      EXPECT_STREQ(each.orientation(), phase > 0 ? "clockwise" : "counterclockwise");
      EXPECT_FALSE(each.is_minor);
      EXPECT_TRUE(each.crossings.empty());
      EXPECT_NEAR(each.gap, 0, 1e-3);
    }
  }
}

// Friction dissipates what the loop encloses: for Maxwell slip k 4 Delta (A - Delta) a cycle for
// each element that slides.
TEST(loops, MinorLoopsAreFoundInsideTheirMajor) {
  maxwell_slip<double> slip{.elements = 1};
  slip.k[0] = 3;
  slip.Delta[0] = 0.1;
  // A minor loop from 0.2 to -0.4 within the rising branch, and one in it from -0.1 to 0.15.
  const record r = follow(slip, {0, 1, -1, 0.2, -0.4, 0.15, -0.1, 1, -1, 1});
  const auto found = analyse_loops(r.u, r.y);
  const auto energy = [](double half) { return 3 * 4 * 0.1 * (half - 0.1); };
  ASSERT_EQ(found.loops.size(), 4U);
  EXPECT_NEAR(found.loops[0].area, energy(0.125), 1e-3);
  EXPECT_TRUE(found.loops[0].is_minor);
  EXPECT_NEAR(found.loops[0].u_low, -0.1, 1e-12);
  EXPECT_NEAR(found.loops[0].u_high, 0.15, 1e-12);
  EXPECT_NEAR(found.loops[1].area, energy(0.3) + energy(0.125), 1e-2);
  EXPECT_TRUE(found.loops[1].is_minor);
  EXPECT_NEAR(found.loops[2].area, energy(1) + energy(0.3) + energy(0.125), 2e-2);
  EXPECT_FALSE(found.loops[2].is_minor);
  EXPECT_NEAR(found.loops[3].area, energy(1), 1e-2);
  EXPECT_NEAR(found.area, found.loops[2].area + found.loops[3].area, 1e-12);
}

// Strokes of one length, whatever rows the record has of them: every cycle is one loop of its own.
TEST(loops, EqualStrokesAreCyclesOfTheirOwn) {
  for (const double step : {0.05, 0.0501, 0.0314159, 0.1, 0.17}) {
    for (const double growth : {0.0, 1e-4, -1e-4, 1e-3, -1e-3}) {
      std::vector<double> u, y;
      for (int i = 0; i * step < 50; ++i) {
        const double t = i * step, size = std::exp(growth * t);
        u.push_back(size * std::sin(t));
        y.push_back(size * std::sin(t - 0.5));
      }
      const auto found = analyse_loops(u, y);
      const double exact = -pi * std::sin(0.5);
      // Of eight periods one is spent on where the record begins and ends; strokes that shrink leave
      // their last ones open.
      if (growth >= 0) {
        EXPECT_GE(found.loops.size(), 5U) << step << " " << growth;
      }
      // A polygon of n sides has 1 - (2 pi/n)^2/6 of the area of its ellipse.
      for (const auto& each : found.loops) {
        EXPECT_NEAR(each.area, exact, std::abs(exact) * (step * step / 5 + 0.13 * (growth != 0)))
            << step << " " << growth;
        EXPECT_FALSE(each.is_minor);
      }
    }
  }
}

// Noise makes no reversals as long as it is smaller than what is given, or guessed.
TEST(loops, NoiseMakesNoReversals) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> noise(0, 0.01);
  record r;
  for (int i = 0; i <= 4000; ++i) {
    const double t = 2 * pi * i / 1000;
    r.u.push_back(std::sin(t) + noise(random));
    r.y.push_back(std::sin(t + 0.5) + noise(random));
  }
  const double guess = guess_noise(r.u);
  EXPECT_GT(guess, 0.06);
  EXPECT_LT(guess, 0.12);
  const auto found = analyse_loops(r.u, r.y);
  EXPECT_EQ(found.reversals.size(), 8U);
  ASSERT_EQ(found.loops.size(), 3U);
  for (const auto& each : found.loops) EXPECT_NEAR(each.area, pi * std::sin(0.5), 0.05);
  loop_options naive;
  naive.noise = 0;
  naive.find_crossings = false;
  EXPECT_GT(analyse_loops(r.u, r.y, naive).reversals.size(), 1000U);
}

// A butterfly crosses itself once and its wings cancel.
TEST(loops, AButterflyCrossesItselfOnce) {
  record r;
  for (int i = 0; i <= 2000; ++i) {
    const double t = 2 * pi * i / 1000;
    r.u.push_back(std::sin(t));
    r.y.push_back(std::pow(std::sin(t - 0.4), 2));
  }
  const auto found = analyse_loops(r.u, r.y);
  ASSERT_EQ(found.loops.size(), 1U);
  ASSERT_EQ(found.loops[0].crossings.size(), 1U);
  EXPECT_NEAR(found.loops[0].crossings[0].u, 0, 1e-3);
  EXPECT_NEAR(found.loops[0].crossings[0].y, std::pow(std::sin(0.4), 2), 1e-3);
  EXPECT_NEAR(found.loops[0].area, 0, 1e-3);
}

// Few rows to a cycle, as a multisine has them: differences of order 2 alone would call them noise.
TEST(loops, GuessTellsNoiseFromFastInputs) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 1e-3);
  std::vector<double> clean, noisy;
  for (int i = 0; i < 5000; ++i) {
    const double u = std::sin(0.9 * i) + 0.5 * std::sin(1.3 * i + 1) + std::sin(0.1 * i);
    clean.push_back(u);
    noisy.push_back(u + noise(random));
  }
  EXPECT_EQ(guess_noise(clean), 0);
  EXPECT_GT(guess_noise(noisy), 7e-3);
  EXPECT_LT(guess_noise(noisy), 10e-3);
}

// An encoder that rests most of the time and flickers by a count: only the strokes are turns.
TEST(loops, FlickeringCountsAreNoTurns) {
  std::mt19937_64 random(4);
  std::uniform_int_distribution<int> flicker(-1, 1);
  record r;
  for (int stroke = 0; stroke < 6; ++stroke)
    for (int i = 0; i < 100; ++i) {
      const int there = std::min(12 * i, 600), counts = stroke % 2 == 0 ? there : 600 - there;
      r.u.push_back(1e-7 * (counts + (i > 50 ? flicker(random) : 0)));
      r.y.push_back(stroke % 2 == 0 ? 1 : -1);
    }
  EXPECT_NEAR(guess_noise(r.u), 2e-7, 1e-9);
  EXPECT_EQ(analyse_loops(r.u, r.y).reversals.size(), 5U);
  EXPECT_EQ(guess_noise({0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0}), 0);  // even steps
}

// sin(3 t) over sin(2 t) crosses itself 7 times, however many rows there are: cutting boxes finds
// the same places as comparing every piece with every other.
TEST(loops, CrossingsAreFoundInLongRecords) {
  for (const int rows : {500, 200'000}) {
    record r;
    for (int i = 0; i <= rows; ++i) {
      const double t = 2 * pi * i / rows + 0.1;
      r.u.push_back(std::sin(2 * t));
      r.y.push_back(std::sin(3 * t));
    }
    const auto found = self_crossings(r.u, r.y, 0, r.u.size() - 1);
    EXPECT_EQ(found.size(), 7U) << rows;
    // They lie where two times give one point: u = 0 or +-sqrt(3)/2 with y = 0, or u = +-1/2.
    for (const auto& each : found) {
      const double size = std::abs(each.u);
      EXPECT_LT(std::min({size, std::abs(size - std::sqrt(0.75)), std::abs(size - 0.5)}), 1e-3);
    }
  }
}

// Lines that lie on each other do not cross, and take no longer: a record of many equal periods.
TEST(loops, EqualPeriodsDoNotCross) {
  record r;
  for (int i = 0; i <= 100 * 400; ++i) {
    const double t = 2 * pi * (i % 400) / 400;
    r.u.push_back(std::sin(t));
    r.y.push_back(std::cos(t));
  }
  EXPECT_TRUE(self_crossings(r.u, r.y, 0, r.u.size() - 1).empty());
}

TEST(loops, RefusesWhatIsNoRecord) {
  EXPECT_THROW(analyse_loops({1, 2}, {1, 2}), error);
  EXPECT_THROW(analyse_loops({1, 2, 3}, {1, 2}), error);
  EXPECT_TRUE(analyse_loops({1, 2, 3}, {1, 2, 3}).loops.empty());
}

TEST(loops, LargestFirstAndCyclesOnAverage) {
  loop_analysis found;
  found.loops = {{.area = 1, .is_minor = true}, {.area = -4}, {.area = 2}, {.area = -4}};
  found.area = -6;
  EXPECT_EQ(found.majors(), 3U);
  EXPECT_EQ(found.area_per_cycle(), -2);
  EXPECT_EQ(found.largest(3), (std::vector<std::size_t>{1, 3, 2}));
  EXPECT_EQ(found.largest(100).size(), 4U);
  EXPECT_EQ(loop_analysis{}.area_per_cycle(), 0);
}

// Cycles of one motion have equal areas wherever the rows lie: they are listed as they come. Two that
// are larger come first, whenever that was.
TEST(loop_analysis, EqualLoopsAreListedInTheOrderOfTime) {
  for (const double step : {0.05, 0.0501, 0.07, 0.0311, 0.013}) {
    std::vector<double> u, y;
    for (double t = 0; t < 60; t += step) {
      const double size = t > 26 && t < 38 ? 1.2 : 1;
      u.push_back(size * std::sin(t));
      y.push_back(size * std::sin(t - 0.5));
    }
    const loop_analysis found = analyse_loops(u, y);
    const auto order = found.largest(100);
    ASSERT_GT(order.size(), 6U) << step;
    double before = HUGE_VAL;
    std::size_t row = 0;
    for (const std::size_t i : order) {
      const loop& each = found.loops[i];
      const double area = std::abs(each.area);
      const bool is_smaller = area < 0.99 * before;
      if (!is_smaller) {
        EXPECT_GT(each.first, row) << step;
      }
      EXPECT_LT(area, 1.002 * before) << step;
      before = area;
      row = each.first;
    }
    EXPECT_GT(static_cast<double>(found.loops[order[0]].first) * step, 20) << step;
  }
}

}  // namespace
}  // namespace asperity
