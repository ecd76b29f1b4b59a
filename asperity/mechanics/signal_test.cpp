// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/mechanics/signal.hpp>
#include <cmath>

namespace asperity {
namespace {

constexpr double pi = 3.14159265358979323846;

// The force of Xiong 2013 (3.11): a cut ramp, then a cosine from t = 2 s on.
signal published_force() {
  return signal::pieces(
      {{2.0, signal::ramp_to(0.5, 0.55)},
       {0.0, signal::sines({{.amplitude = 0.15, .omega = 100, .phase = pi / 2}}, 0.35)}});
}

TEST(signal, PublishedForceHasItsThreeParts) {
  const signal f = published_force();
  EXPECT_DOUBLE_EQ(f.value(0.5), 0.25);
  EXPECT_DOUBLE_EQ(f.value(1.5), 0.55);
  EXPECT_DOUBLE_EQ(f.value(std::nextafter(2.0, 0.0)), 0.55);
  EXPECT_NEAR(f.value(2.0), 0.35 + 0.15 * std::cos(200.0), 1e-12);
}

// Jumps and corners are announced, so that adaptive methods can step up to them.
TEST(signal, BreakpointsAreWhereThePiecesMeet) {
  const auto at = published_force().breakpoints(0, 10);
  ASSERT_EQ(at.size(), 2U);
  EXPECT_DOUBLE_EQ(at[0], 1.1);  // 0.55/0.5
  EXPECT_DOUBLE_EQ(at[1], 2.0);
  EXPECT_TRUE(published_force().breakpoints(3, 10).empty());
}

// slope() is the derivative of value(), whatever the kind.
TEST(signal, SlopeIsTheDerivative) {
  const std::vector<double> t{0, 1, 1.5, 3}, y{0, 2, 2.5, -1};
  const signal all[] = {signal::ramp(2, 0.1, 3),
                        signal::ramp_to(-2, -1.5),
                        signal::sines({{1, 2, 0.3}, {0.2, 7, 1}}, 4),
                        signal::nodes(t, y, signal::joint::linear),
                        signal::nodes(t, y, signal::joint::half_cosine),
                        signal::nodes(t, y, signal::joint::cubic),
                        signal::nodes(t, y, signal::joint::spline),
                        published_force()};
  for (const signal& s : all)
    for (const double at : {0.2, 0.7, 1.2, 2.2, 2.9}) {
      const double d = 1e-6;
      EXPECT_NEAR(s.slope(at), (s.value(at + d) - s.value(at - d)) / (2 * d), 1e-5) << at;
    }
}

TEST(signal, TurnsOfSinesAreFound) {
  const signal one = signal::sines({{.amplitude = 2, .omega = 3, .phase = 0.4}}, 7);
  EXPECT_NEAR(one.first_turn(0, 10), (pi / 2 - 0.4) / 3, 1e-14);
  EXPECT_EQ(one.first_turn(0, 0.3), 0.3);
  // From a turn on it is the next one, however rounding leaves the slope there.
  for (int n = 0; n < 100; ++n) {
    const double at = ((n + 0.5) * pi - 0.4) / 3;
    EXPECT_NEAR(one.first_turn(at, at + 5), at + pi / 3, 1e-12) << n;
  }
  // sin t + sin 3t turns where cos t + 3 cos 3t = 0: at pi/2, and where cos^2 t = 2/3.
  const signal two = signal::sines({{1, 1, 0}, {1, 3, 0}});
  const double first = std::acos(std::sqrt(2.0 / 3));
  EXPECT_NEAR(two.first_turn(0, 4), first, 1e-14);
  EXPECT_NEAR(two.first_turn(first, 4), pi / 2, 1e-14);
  EXPECT_NEAR(two.first_turn(pi / 2, 4), pi - first, 1e-14);
  // The slow tone under the fast ones.
  const signal after = signal::pieces({{1.0, signal::ramp(1)}, {0, one}});
  EXPECT_NEAR(after.first_turn(1, 3), (1.5 * pi - 0.4) / 3, 1e-14);
  EXPECT_EQ(after.first_turn(0, 1), 1);
}

TEST(signal, ZerosOfVelocitiesAreFound) {
  EXPECT_NEAR(signal::ramp(2, 0, -3).first_zero(0, 5), 1.5, 1e-15);
  EXPECT_EQ(signal::ramp(2, 0, 3).first_zero(0, 5), 5);
  EXPECT_NEAR(signal::nodes({0, 4}, {1, -3}, signal::joint::linear).first_zero(0, 4), 1, 1e-15);
  const signal wave = signal::sines({{.amplitude = 1, .omega = 2, .phase = 0}}, 0.5);
  EXPECT_NEAR(wave.first_zero(0, 5), (pi + pi / 6) / 2, 1e-14);
}

// A monotone cubic keeps the reversals of its data: no overshoot between nodes.
TEST(signal, CubicDoesNotOvershoot) {
  const signal s = signal::nodes({0, 1, 2, 3, 4}, {0, 1, 1, -2, 0}, signal::joint::cubic);
  for (double t = 0; t <= 4; t += 0.01) {
    EXPECT_LE(s.value(t), 1.0);
    EXPECT_GE(s.value(t), -2.0);
  }
  for (double t = 1; t <= 2; t += 0.01) EXPECT_DOUBLE_EQ(s.value(t), 1.0);
}

// Refining the samples of a smooth motion refines the interpolation, at second order or better.
TEST(signal, CubicConvergesToASmoothMotion) {
  const auto worst = [](int n) {
    std::vector<double> t, y;
    for (int i = 0; i <= n; ++i) {
      t.push_back(6.0 * i / n);
      y.push_back(std::sin(t.back()));
    }
    const signal s = signal::nodes(t, y, signal::joint::cubic);
    double error = 0;
    for (double at = 0; at < 6; at += 0.001)
      error = std::max(error, std::abs(s.value(at) - std::sin(at)));
    return error;
  };
  EXPECT_LT(worst(200), worst(50) / 10);
}

signal spline(const std::vector<double>& t, const std::vector<double>& y) {
  return signal::nodes(t, y, signal::joint::spline);
}
// From the right; the slope of a cubic is a parabola, so this is exact to rounding.
double curvature(const signal& s, double t, double d) {
  return (4 * s.slope(t + d) - 3 * s.slope(t) - s.slope(t + 2 * d)) / (2 * d);
}

TEST(spline, BendsNowhereAtItsEndsAndEvenlyInside) {
  const std::vector<double> t{-1, 0.2, 0.5, 1.7, 3}, y{2, -1, 4, 3, 3.5};
  const signal s = spline(t, y);
  EXPECT_NEAR(curvature(s, t.front(), 0.01), 0, 1e-10);
  EXPECT_NEAR(curvature(s, std::nextafter(t.back(), 0), -0.01), 0, 1e-10);
  for (std::size_t i = 0; i < t.size(); ++i) {
    EXPECT_EQ(s.value(t[i]), y[i]);
    if (i > 0 && i + 1 < t.size()) {
      const double before = std::nextafter(t[i], t[0]);
      EXPECT_NEAR(s.slope(before), s.slope(t[i]), 1e-9) << i;
      EXPECT_NEAR(curvature(s, before, -0.01), curvature(s, t[i], 0.01), 1e-8) << i;
    }
  }
}

TEST(spline, OfPointsOnALineIsTheLine) {
  const signal s = spline({0, 0.1, 2, 2.5, 7}, {3, 2.8, -1, -2, -11});
  for (double t = 0; t < 7; t += 0.013) {
    EXPECT_NEAR(s.value(t), 3 - 2 * t, 1e-13);
    EXPECT_NEAR(s.slope(t), -2, 1e-13);
  }
  EXPECT_EQ(spline({1, 3}, {0, 8}).slope(1.5), 4);
  EXPECT_EQ(spline({1}, {5}).value(2), 5);
}

// Away from the ends, where the true curvature is not 0.
TEST(spline, IsOfFourthOrderInside) {
  const auto worst = [](int n) {
    std::vector<double> t, y;
    for (int i = 0; i <= n; ++i) {
      t.push_back(10.0 * i / n);
      y.push_back(std::cos(t.back()));
    }
    const signal s = spline(t, y);
    double error = 0;
    for (double at = 3; at < 7; at += 0.001)
      error = std::max(error, std::abs(s.value(at) - std::cos(at)));
    return error;
  };
  EXPECT_NEAR(worst(100) / worst(200), 16, 1);
}

TEST(spline, TurnsAndZerosBetweenNodesAreFound) {
  const std::vector<double> t{0, 1, 2, 3}, y{0, 1, -1, 0};
  const signal s = spline(t, y);
  // Slopes a, b, b, a by symmetry: 2 a + b = 3 and a + 4 b + b = -3, that is a = 2, b = -1.
  EXPECT_NEAR(s.slope(0), 2, 1e-14);
  EXPECT_NEAR(s.slope(1), -1, 1e-14);
  // Its first piece is 2 t - t^3, which turns at sqrt(2/3).
  EXPECT_NEAR(s.first_turn(0, 1), std::sqrt(2.0 / 3), 1e-14);
  EXPECT_EQ(s.first_turn(std::sqrt(2.0 / 3), 1), 1);
  EXPECT_NEAR(s.first_turn(2, 3), 3 - std::sqrt(2.0 / 3), 1e-14);
  EXPECT_EQ(s.first_turn(1, 2), 2);
  EXPECT_NEAR(s.first_zero(1, 2), 1.5, 1e-14);
  EXPECT_NEAR(s.lowest(0, 3).value, -std::sqrt(32.0 / 27), 1e-14);
  // 2 t - t^3 less 1.05 changes its sign twice, on both sides of its turn.
  const signal low = spline(t, {-1.05, -0.05, -2.05, -1.05});
  const double first = low.first_zero(0, 1), second = low.first_zero(first, 1);
  for (const double zero : {first, second}) EXPECT_NEAR(2 * zero - zero * zero * zero, 1.05, 1e-12);
  EXPECT_LT(first, std::sqrt(2.0 / 3));
  EXPECT_LT(std::sqrt(2.0 / 3), second);
  EXPECT_LT(second, 1);
}

TEST(signal, HoldsItsEndsOutsideTheNodes) {
  const signal s = signal::nodes({1, 2}, {5, 7}, signal::joint::half_cosine);
  EXPECT_EQ(s.value(0), 5);
  EXPECT_EQ(s.value(9), 7);
  EXPECT_EQ(s.slope(9), 0);
  EXPECT_NEAR(s.value(1.5), 6, 1e-15);
}

TEST(signal, RefusesWhatMakesNoSense) {
  EXPECT_THROW(signal::nodes({0, 1}, {0}, signal::joint::linear), error);
  EXPECT_THROW(signal::nodes({0, 0}, {0, 1}, signal::joint::linear), error);
  EXPECT_THROW(signal::nodes({}, {}, signal::joint::linear), error);
  EXPECT_THROW(signal::ramp_to(1, -1), error);
  EXPECT_THROW(signal::pieces({}), error);
}

// No sample lies below it, and its own time shows it.
TEST(signal, LowestIsTheLeastValueOfAnInterval) {
  using enum signal::joint;
  const std::vector<double> times{0.2, 0.7, 1.1, 1.6}, values{1, -0.4, 0.3, -0.2};
  std::vector<signal> all{signal::constant(2),
                          signal::ramp(-1, 0.3, 1),
                          signal::ramp_to(-1, 0.4, 0.3, 1),
                          signal::sines({{0.7, 9, 0.4}}, 0.1),
                          signal::sines({{-0.7, 9, 0.4}}, 0.1),
                          signal::sines({{1, -3, 2}}, 0)};
  for (const auto join : {hold, linear, half_cosine, cubic, spline})
    all.push_back(signal::nodes(times, values, join));
  all.push_back(signal::pieces({{0.6, all[3]}, {1.2, all[1]}, {0, all[0]}}));
  for (std::size_t k = 0; k < all.size(); ++k)
    for (const auto& [from, to] :
         std::vector<std::pair<double, double>>{{0, 2}, {0.5, 0.6}, {1, 1.3}}) {
      const auto least = all[k].lowest(from, to);
      EXPECT_GE(least.t, from) << k;
      EXPECT_LT(least.t, to) << k;
      EXPECT_NEAR(all[k].value(least.t), least.value, 1e-12) << k;
      for (int i = 0; i < 4000; ++i)
        EXPECT_GE(all[k].value(from + (to - from) * i / 4000), least.value - 1e-12) << k;
    }
}

// Far from 0 the time of a trough is rounded by more than the interval is long.
TEST(signal, LowestLiesInsideAlsoWhereTimesAreRoundedByPeriods) {
  for (const double from : {1e9, 1e16, 4.7e300, -3e17})
    for (int steps = 1; steps < 4; ++steps)
      for (const double phase : {0.0, 0.3, 1.0, 2.0}) {
        double to = from;
        for (int i = 0; i < steps; ++i) to = std::nextafter(to, HUGE_VAL);
        for (const auto& s :
             {signal::sines({{1, 9, phase}}), signal::sines({{1, 9, phase}, {2, 5, 0}})}) {
          const auto least = s.lowest(from, to);
          EXPECT_GE(least.t, from) << phase;
          EXPECT_LE(least.t, to) << phase;
          EXPECT_EQ(s.value(least.t), least.value) << phase;
        }
      }
}

// A time that is not a number lies between no two nodes.
TEST(signal, NotANumberInIsNotANumberOut) {
  const double nan = std::nan("");
  using enum signal::joint;
  std::vector<signal> all{signal::ramp(1), signal::ramp_to(1, 2), signal::sines({{1, 2, 3}})};
  for (const auto join : {hold, linear, half_cosine, cubic, spline})
    all.push_back(signal::nodes({0, 1, 2}, {3, 4, 6}, join));
  all.push_back(signal::pieces({{1, all.back()}, {0, all.front()}}));
  for (std::size_t k = 0; k < all.size(); ++k) {
    EXPECT_TRUE(std::isnan(all[k].value(nan))) << k;
    if (k > 1) {  // a ramp has one slope
      EXPECT_TRUE(std::isnan(all[k].slope(nan))) << k;
    }
  }
}

}  // namespace
}  // namespace asperity
