// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/hysteresis/nonlinear_feedback.hpp>
#include <asperity/models/hysteresis/play.hpp>
#include <asperity/testing.hpp>
#include <numbers>

namespace asperity {
namespace {

// The cubic example (1.5): a slow input jumps from one branch of -f^3 + f + x = 0 to the other at
// 2/(3 sqrt(3)), where the branch ends; between the jumps it stays on the equilibria.
TEST(nonlinear_feedback, TheCubicJumpsWhereItsBranchEnds) {
  const nonlinear_feedback<double> cubic{};
  const double rate = 2e-5, h = 0.2;
  vec<double, 1> y{{-1.3}};
  double jump = 0, furthest = 0;
  for (double x = -0.9; x < 0.9; x += rate * h) {
    y = testing::runge_kutta_step(
        [&](double, const auto& s) {
          return cubic(s, {x, rate, 1}).rate;
        },
        0.0, y, h);
    if (jump == 0 && y[0] > 0) jump = x;
    if (-0.8 < x && x < 0.38)
      furthest = std::max(furthest, std::abs(-std::pow(y[0], 3) + y[0] + x));
  }
  EXPECT_NEAR(jump, 2 / (3 * std::sqrt(3.0)), 3e-3);
  EXPECT_LT(furthest, 2e-3);
}

// With a dead zone around the distance to the input it is backlash: play, as the input slows down.
TEST(nonlinear_feedback, TheDeadZoneTendsToPlay) {
  const nonlinear_feedback<double> loose{
      .a = 0, .d = 0, .e_1 = 1, .e_0 = -1, .b_deadzone = -10, .Delta = 0.3, .b_cubic = 0};
  const play<double> limit{.r = 0.3};
  const auto error = [&](double omega) {
    testing::companion exact{limit};
    vec<double, 1> y{};
    double largest = 0;
    const double h = 0.01 * std::min(1.0, 1 / omega);
    for (double t = 0; t < 15 / omega; t += h) {
      const auto motion = [&](double s) {
        return drive<double>{std::sin(omega * (t + s)), omega * std::cos(omega * (t + s)), 1};
      };
      y = testing::runge_kutta_step(
          [&](double s, const auto& state) { return loose(state, motion(s)).rate; }, 0.0, y, h);
      largest = std::max(largest, std::abs(y[0] - exact.go(motion(h), 1)));
    }
    return largest;
  };
  // Dragged at speed v it lags behind by v/b.
  EXPECT_NEAR(error(0.1), 0.1 / 10, 2e-3);
  EXPECT_NEAR(error(0.01), 0.01 / 10, 2e-4);
}

// With a sine there is one equilibrium for every whole turn: the output stays in the well it is in.
TEST(nonlinear_feedback, TheSineHasManyRestingPlaces) {
  const nonlinear_feedback<double> wells{.a = 0, .b_cubic = 0, .b_sine = -1};
  const auto rest = [&](double start, double x) {
    return testing::follow(
        wells, vec<double, 1>{{start}},
        [&](double) {
          return drive<double>{x, 0, 1};
        },
        60, 0.01)[0];
  };
  for (const int turn : {-2, 0, 1})
    EXPECT_NEAR(rest(2 * std::numbers::pi * turn + 0.5, 0.3),
                2 * std::numbers::pi * turn + std::asin(0.3), 1e-9);
}

// Another unit of the output changes nothing else: what sees it has its share e_1 changed.
TEST(nonlinear_feedback, TheUnitOfTheOutputDoesNotMatter) {
  const nonlinear_feedback<double> model{.a = 0.3,
                                         .d = -0.8,
                                         .e_1 = 1,
                                         .e_0 = 0.6,
                                         .b_deadzone = 2,
                                         .Delta = 0.5,
                                         .b_cubic = -1.1,
                                         .b_sine = 0.7};
  for (const double unit : {0.25, 3.0}) {
    auto other = model;
    other.e_1 /= unit;
    for (double* each : {&other.d, &other.b_deadzone, &other.b_cubic, &other.b_sine}) *each *= unit;
    for (const double f : {-1.3, 0.2, 0.9})
      for (const double x : {-0.7, 0.0, 1.2})
        EXPECT_NEAR(other({{unit * f}}, {x, 0, 1}).rate[0], unit * model({{f}}, {x, 0, 1}).rate[0],
                    1e-13);
  }
}

}  // namespace
}  // namespace asperity
