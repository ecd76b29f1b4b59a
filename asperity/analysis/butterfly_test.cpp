// SPDX-License-Identifier: Apache-2.0
// Examples and theorems of Drincic 2012, chapter 5.

#include <gtest/gtest.h>

#include <asperity/analysis/butterfly.hpp>
#include <asperity/error.hpp>
#include <asperity/systems/magnetostrictive_actuator.hpp>
#include <asperity/testing.hpp>
#include <cmath>
#include <numbers>
#include <random>

namespace asperity {
namespace {

lens curve(const std::function<double(double)>& middle, const std::function<double(double)>& half) {
  lens c;
  for (int i = 0; i <= 2000; ++i) {
    // Closer at the ends, where branches are steep.
    const double x = -std::cos(std::numbers::pi * i / 2000);
    c.x.push_back(x);
    c.lower.push_back(middle(x) - half(x));
    c.upper.push_back(middle(x) + half(x));
  }
  return c;
}
double root(double x) { return std::sqrt(std::max(0.0, 1 - x * x)); }
double nought(double) { return 0; }

const unimodal tent = unimodal::lines(0, 1, 1, -1);  // 1 - |y|

// The curves of figures 5.1 to 5.6 and what becomes of them.
TEST(butterfly, ExamplesOfTheChapter) {
  const lens circle = curve(nought, root);
  EXPECT_EQ(apply(tent, circle).kind, loop_kind::degenerate);

  const lens lifted = curve([](double x) { return 0.5 * x * x * (1 - x * x); }, root);
  const auto touching = apply(tent, lifted, 1e-6);
  EXPECT_EQ(touching.kind, loop_kind::same_orientation) << to_string(touching.kind);

  const lens skewed = curve([](double x) { return 0.356756079 * x * (1 - x * x); }, root);
  const auto two = apply(tent, skewed);
  EXPECT_EQ(two.kind, loop_kind::butterfly);
  ASSERT_EQ(two.crossings.size(), 1U);
  EXPECT_NEAR(two.crossings[0], 0, 1e-6);

  // Three loops: crossings at -0.675 and 0.
  const auto three = apply(unimodal::lines(-0.5, 0, 3, -1), skewed);
  EXPECT_EQ(three.kind, loop_kind::multibutterfly);
  ASSERT_EQ(three.crossings.size(), 2U);
  EXPECT_NEAR(three.crossings[0], -0.675, 2e-3);
  EXPECT_NEAR(three.crossings[1], 0, 2e-3);

  const lens triangle = curve(nought, [](double x) { return (1 - x) / 2; });
  EXPECT_EQ(apply(unimodal::lines(0.25, 0.25, 1, -4), triangle).kind, loop_kind::butterfly);

  const auto sides = apply(unimodal::lines(0.5, 2, 1, -4), circle);
  EXPECT_EQ(sides.kind, loop_kind::multibutterfly);
  ASSERT_EQ(sides.crossings.size(), 2U);
  EXPECT_NEAR(sides.crossings[0], -0.553, 1e-3);
  EXPECT_NEAR(sides.crossings[1], 0.553, 1e-3);
}

// Propositions 5.3.1 and 5.3.2, and the curve that escapes the second.
TEST(butterfly, SymmetricCurvesCannotBecomeOne) {
  const lens circle = curve(nought, root);
  const lens bent = curve([](double x) { return x * x; }, root);
  const lens drop = curve(nought, [](double x) { return root(x) * (1.5 + x); });
  const lens triangle = curve(nought, [](double x) { return (1 - x) / 2; });
  EXPECT_NE(why_no_butterfly(circle), "");
  EXPECT_NE(why_no_butterfly(bent).find("5.3.1"), std::string::npos);
  EXPECT_NE(why_no_butterfly(drop).find("5.3.2"), std::string::npos);
  EXPECT_EQ(why_no_butterfly(triangle), "");
  // ... and none of many maps makes one of them.
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> place(-0.9, 0.9), slope(0.1, 5);
  for (const lens* each : {&circle, &bent, &drop})
    for (int i = 0; i < 300; ++i) {
      const double sign = i % 2 == 0 ? 1 : -1;
      double y_c = place(random);
      y_c += y_c < 0 ? -0.05 : 0.05;  // crossings not closer to the ends than the grid can tell
      const auto map = unimodal::lines(y_c, 0, -sign * slope(random), sign * slope(random));
      EXPECT_NE(apply(map, *each).kind, loop_kind::butterfly);
    }
}

// Theorem 5.3.1: piecewise monotonic curves become butterflies under every map whose extremum lies
// inside; Theorem 5.3.2: with two extrema, which are equal.
TEST(butterfly, PiecewiseMonotonicCurvesAlwaysBecomeOne) {
  const auto half = [](double x) { return 0.4 * (1 - x * x); };
  const lens rising = curve([](double x) { return x; }, half);
  const lens falling = curve([](double x) { return -x; }, half);
  EXPECT_EQ(monotone_direction(rising), 1);
  EXPECT_EQ(monotone_direction(falling), -1);
  EXPECT_EQ(monotone_direction(curve(nought, root)), 0);
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> place(-0.95, 0.95), slope(0.1, 5);
  for (const lens* each : {&rising, &falling})
    for (int i = 0; i < 300; ++i) {
      const double sign = i % 2 == 0 ? 1 : -1;
      const auto map =
          unimodal::lines(place(random), 0.3, -sign * slope(random), sign * slope(random));
      ASSERT_TRUE(must_be_butterfly(map, *each));
      ASSERT_EQ(apply(map, *each).kind, loop_kind::butterfly);
      ASSERT_EQ(equal_extrema(map, *each).size(), 2U);
    }
  EXPECT_FALSE(must_be_butterfly(unimodal::lines(1.5, 0, -1, 1), rising));
}

// Theorem 5.3.3: back into a simple curve, rising and falling, and to the butterfly again.
TEST(butterfly, UnfoldsIntoASimpleCurveAndBack) {
  const auto lower = [](double x) { return x - 0.4 * (1 - x * x); };
  const auto upper = [](double x) { return x + 0.4 * (1 - x * x); };
  const auto map = unimodal::quadratic(2, 0.5);
  butterfly b;
  for (int i = 0; i <= 1000; ++i) {
    const double x = -1 + i / 500.0;
    b.x.push_back(x);
    b.rising.push_back(map.f(lower(x)));  // counterclockwise
    b.falling.push_back(map.f(upper(x)));
  }
  const auto rising = unfold(b, map), falling = unfold(b, map, false);
  EXPECT_LT(rising.jump, 1e-5);
  for (std::size_t i = 0; i < b.x.size(); ++i) {
    ASSERT_NEAR(rising.rising[i], lower(b.x[i]), 3e-3);  // at the fold to the root of the sampling
    ASSERT_NEAR(rising.falling[i], upper(b.x[i]), 3e-3);
    ASSERT_NEAR(falling.rising[i], -rising.rising[i], 1e-12);
    ASSERT_NEAR(map.f(rising.rising[i]), b.rising[i], 1e-12);
    ASSERT_NEAR(map.f(falling.falling[i]), b.falling[i], 1e-12);
  }
  EXPECT_THROW(unfold(b, map, unimodal::quadratic(-1, 0)), error);
}

// (5.22): where the two minima are not equal, one map leaves a jump, two maps do not.
TEST(butterfly, TwoMapsRemoveTheJumpOfUnequalMinima) {
  const auto first = unimodal::quadratic(1, 0), second = unimodal::quadratic(0.95, 0.04);
  butterfly b;
  for (int i = 0; i <= 1000; ++i) {
    const double x = -1 + i / 500.0;
    b.x.push_back(x);
    b.rising.push_back(first.f(x - 0.3 * (1 - x * x)));
    b.falling.push_back(second.f(x + 0.3 * (1 - x * x)));
  }
  EXPECT_GT(unfold(b, first).jump, 0.039);
  const auto both = unfold(b, first, second);
  EXPECT_LT(both.jump, 1e-5);
  for (std::size_t i = 0; i < b.x.size(); ++i)
    ASSERT_NEAR(both.falling[i], b.x[i] + 0.3 * (1 - b.x[i] * b.x[i]), 3e-3);
}

TEST(butterfly, LensOfALoopFindsItsBranches) {
  std::vector<double> x, y;
  for (int i = 0; i < 4000; ++i) {
    const double t = 2 * std::numbers::pi * i / 4000;
    x.push_back(std::sin(t));
    y.push_back(std::cos(t));
  }
  const lens c = lens_of(x, y);
  for (std::size_t i = 0; i < c.x.size(); ++i) EXPECT_NEAR(c.upper[i], root(c.x[i]), 2e-2);
  EXPECT_NEAR(c.upper[200], 1, 1e-5);
  EXPECT_THROW(lens_of({1, 2}, {1, 2}), error);
}

// ---- the actuator -------------------------------------------------------------------------------

std::vector<double> actuator_input() {
  std::vector<double> x;
  double from = 0;
  for (const double to : {3., -3., 3., .5, 2., -1., 1.}) {
    for (int i = 1; i <= 60; ++i) x.push_back(from + (to - from) * i / 60);
    from = to;
  }
  return x;
}

// The fit recovers the table from data made with it, from a start that is well off.
TEST(fit_operator, RecoversTheTable) {
  const generalised_prandtl_ishlinskii<double> table{.elements = 3};
  const auto x = actuator_input();
  auto state = table.initial();
  std::vector<double> y;
  for (const double u : x) y.push_back(table.advance(state, {}, {u, 0, 1}, 1));
  auto start = table;
  start.c_1 = 0.6;
  start.c_2 = 0;
  start.c_3 = 0;
  start.rho = 3;
  start.tau = 0;
  start.q = 9;
  start.beta = 1;
  const operator_fit found = fit_operator(x, y, start);
  EXPECT_GT(found.first_rms, 1);
  EXPECT_LT(found.rms, 1e-6);
  EXPECT_NEAR(found.model.c_1, 0.7774, 1e-4);
  EXPECT_NEAR(found.model.c_2, -0.0666, 1e-4);
  EXPECT_NEAR(found.model.c_3, -0.2686, 1e-4);
  EXPECT_NEAR(found.model.rho, 4.6403, 1e-3);
  EXPECT_NEAR(found.model.tau, -0.1909, 1e-3);
  EXPECT_NEAR(found.model.q, 11.9609, 1e-3);
  EXPECT_NEAR(found.model.beta, 1.1386, 1e-4);
  EXPECT_THROW(fit_operator({1}, {1}, start), error);
}

// The quadratic law makes a butterfly of the loop, and the sign of M a simple loop again.
TEST(magnetostrictive_actuator, ButterflyAndBack) {
  const magnetostrictive_actuator device;
  EXPECT_NEAR(device.elongation(device.M_s), device.L_rod * 1.313e-3, 1e-15);
  for (const double M : {-3e5, 1e5, 7e5})
    EXPECT_NEAR(device.magnetisation(device.elongation(M), M), M, 1e-6);
  EXPECT_EQ(device.field(0), 1.23e4);
}

// Through M = 0 several times, and with a law for each branch.
TEST(magnetostrictive_actuator, UnfoldsARecord) {
  for (const double b_2 : {0.0, 3e-5}) {
    magnetostrictive_actuator device;
    device.b_2 = b_2;
    device.M_closed = 6e5;
    std::vector<double> H, M, elongation;
    for (int i = 0; i < 1000; ++i) {
      const double t = 2 * std::numbers::pi * i / 400;
      H.push_back(1e4 * std::sin(t));
      M.push_back(6e5 * std::sin(t - 0.3 * std::cos(t)));
      const bool falling = i > 0 && H[H.size() - 1] < H[H.size() - 2];
      elongation.push_back(device.elongation(M.back(), falling));
    }
    const auto found = unfold_record(device, H, elongation);  // M turns where H does
    for (std::size_t i = 0; i < M.size(); ++i) ASSERT_NEAR(found[i], M[i], 1e-3) << i;
  }
  EXPECT_THROW(unfold_record({}, {1, 2}, {1}), error);
}

}  // namespace
}  // namespace asperity
