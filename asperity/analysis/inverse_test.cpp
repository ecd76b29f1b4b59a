// SPDX-License-Identifier: Apache-2.0
// u -> y -> u: every inverse closes the circle.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/analysis/inverse.hpp>
#include <asperity/analysis/multiplay_map.hpp>
#include <asperity/analysis/preisach_operator.hpp>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/models/hysteresis/preisach.hpp>
#include <asperity/run/evaluate.hpp>
#include <asperity/run/scenario.hpp>
#include <asperity/testing.hpp>
#include <cmath>
#include <random>

#include "../../tests/generators.hpp"

namespace asperity {
namespace {

std::vector<double> outputs(const any_model& model, const std::vector<double>& x) {
  std::vector<double> state(any_model::max_states), f;
  model.initial(state.data());
  double at = 0;
  for (const double to : x) {
    f.push_back(model.advance(state.data(), {at, 0, 1}, {to, 0, 1}, 0));
    at = to;
  }
  return f;
}

std::vector<double> wave(double amplitude) {
  std::vector<double> x;
  for (int i = 1; i <= 600; ++i)
    x.push_back(amplitude * (0.6 * std::sin(0.05 * i) + 0.4 * std::sin(0.131 * i)));
  return x;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = a.size() == b.size() ? 0 : 1e300;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// Random weights and thresholds in any order, from any reachable state.
RC_GTEST_PROP(inverse_of, TheInverseOfAPrandtlIshlinskiiOperatorUndoesIt, ()) {
  const int n = *testing::uniform(1, 32);
  prandtl_ishlinskii<double> model{.elements = n, .q = 0.1 + *testing::fraction()};
  for (int i = 0; i < n; ++i) {
    model.r[i] = *testing::fraction();
    // Negative ones, too, as long as the slope stays above 0.
    model.p[i] = *testing::fraction() - 0.2 * model.q / n;
  }
  vec<double, 32> state;
  for (int i = 0; i < 5; ++i) model.advance(state, {}, {3 * *testing::fraction() - 1.5, 0, 1}, 1);
  auto inverted = inverse_of(model, state);
  for (int i = 0; i < 30; ++i) {
    const double x = 3 * *testing::fraction() - 1.5;
    const double y = model.advance(state, {}, {x, 0, 1}, 1);
    const double back = inverted.inverse.advance(inverted.state, {}, {y, 0, 1}, 1);
    RC_ASSERT(std::abs(back - x) < 1e-11);
  }
}

TEST(inverse_of, RefusesSlopesThatAreNotAboveZero) {
  prandtl_ishlinskii<double> flat{.elements = 1, .q = 0};
  EXPECT_THROW(inverse_of(flat), error);
  prandtl_ishlinskii<double> falling{.elements = 1, .q = 1};
  falling.p[0] = -2;
  EXPECT_THROW(inverse_of(falling), error);
}

TEST(invert, ClosesTheCircleForEveryOperatorThatHasAnInverse) {
  struct subject {
    const char* key;
    double amplitude, error;
    bool closed;
  };
  for (const auto& each :
       {subject{"prandtl_ishlinskii", 1.4, 1e-12, true},
        subject{"generalised_prandtl_ishlinskii", 2.5, 1e-9, true},
        subject{"preisach", 0.95, 1e-6, false}, subject{"duhem", 1.0, 1e-9, false}}) {
    SCOPED_TRACE(each.key);
    const any_model model(find_model(each.key));
    const auto x = wave(each.amplitude);
    const auto y = outputs(model, x);
    const inversion back = invert(model, y);
    EXPECT_EQ(back.found_by == inversion::way::closed_form, each.closed);
    EXPECT_EQ(back.cut, 0U);
    EXPECT_LT(back.error, 1e-10);
    // Near a turn the output of a Preisach operator rises with the square of the way: there the
    // input is known only to the root of rounding.
    EXPECT_LT(largest_difference(back.x, x), each.error);
  }
}

// Where the output is flat the input is not known, but the output still comes out right.
TEST(invert, OfPlayGivesTheWantedOutput) {
  const any_model model(find_model("play"));
  const auto y = outputs(model, wave(3));
  const inversion back = invert(model, y);
  EXPECT_LT(back.error, 1e-12);
  EXPECT_LT(largest_difference(outputs(model, back.x), y), 1e-12);
}

// What no input gives is cut, counted and told.
TEST(invert, SaysWhatCannotBeReached) {
  const any_model model(find_model("preisach"));  // saturates at 1
  const inversion far = invert(model, {0.5, 2.0, -0.5}, {.lower = -1, .upper = 1});
  EXPECT_EQ(far.cut, 1U);
  EXPECT_EQ(far.worst, 1U);
  EXPECT_NEAR(far.error, 1, 1e-9);
  const inversion bounded_input =
      invert(any_model(find_model("prandtl_ishlinskii")), {0.1, 5}, {.lower = -1, .upper = 1});
  EXPECT_EQ(bounded_input.cut, 1U);
  EXPECT_EQ(bounded_input.x[1], 1);
  EXPECT_THROW(invert(any_model(find_model("nonlinear_feedback")), {0}), error);
  EXPECT_THROW(invert(any_model(find_model("leuven")), {0}), error);
  EXPECT_THROW(invert(any_model(find_model("play")), {0}, {.lower = 1, .upper = 1}), error);
}

// Without bounds the nearest input that gives the most is taken, and what can be reached afterwards
// is reached.
TEST(invert, RowsAfterOneThatCannotBeReachedAreRight) {
  for (const auto* key :
       {"stop", "preisach", "maxwell_slip", "dahl", "duhem", "generalised_prandtl_ishlinskii"}) {
    SCOPED_TRACE(key);
    const any_model model(find_model(key));
    const double most = outputs(model, {1e-3, 1e-2, 0.1, 1, 10, 100}).back();
    std::vector<double> wanted;
    for (int i = 1; i <= 400; ++i)
      wanted.push_back(1.4 * most * std::exp(-0.01 * i) * std::sin(0.08 * i));
    const inversion back = invert(model, wanted);
    EXPECT_GT(back.cut, 0U);
    EXPECT_LT(back.cut, 100U);
    EXPECT_GE(back.first_cut, 8U);
    EXPECT_LT(back.first_cut, 30U);
    // From the first swing that stays below what the model can give.
    double largest = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_TRUE(std::isfinite(back.x[i]) && std::isfinite(back.f[i])) << i;
      if (std::abs(wanted[i]) < 0.9 * most)
        largest = std::max(largest, std::abs(back.f[i] - wanted[i]));
    }
    EXPECT_LT(largest, 1e-6 * most);
    EXPECT_LT(back.error, 0.2 * most);
    EXPECT_LT(largest_difference(outputs(model, back.x), back.f), 1e-9 * most);
  }
}

// Its force falls again after a peak: rows are missed in more ways, but with finite numbers.
TEST(invert, OfAForceThatFallsAgainStaysFinite) {
  const any_model model(find_model("rotating_bristle"));
  std::vector<double> wanted;
  for (int i = 1; i <= 100; ++i) wanted.push_back(20 * std::exp(-0.02 * i) * std::sin(0.3 * i));
  const inversion back = invert(model, wanted);
  EXPECT_GT(back.cut, 0U);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    ASSERT_TRUE(std::isfinite(back.x[i]) && std::isfinite(back.f[i])) << i;
}

// What one motion gives, one motion gives again: also at peaks, behind them, and where the output
// jumps. Those of rotating bristles and of ffbm have teeth.
TEST(invert, WhatOneMotionGivesIsReached) {
  struct subject {
    const char* key;
    double amplitude;
  };
  for (const auto& each :
       {subject{"ffbm", 0.3}, subject{"rotating_bristle", 0.4},
        subject{"rotating_bristle_literal", 0.4}, subject{"stop", 3}, subject{"play", 3},
        subject{"preisach", 1}, subject{"duhem", 3}, subject{"dahl", 1e-4},
        subject{"maxwell_slip", 1e-3}, subject{"generalised_prandtl_ishlinskii", 3}}) {
    SCOPED_TRACE(each.key);
    const any_model model(find_model(each.key));
    for (int i = -100; i <= 100; ++i) {
      const double f = outputs(model, {each.amplitude * i / 100})[0];
      const inversion found = invert(model, {f});
      EXPECT_EQ(found.cut, 0U) << i << ": " << f;
      EXPECT_LE(std::abs(outputs(model, found.x)[0] - f), 1e-9 * std::max(1.0, std::abs(f))) << i;
    }
  }
}

// The first tooth of ffbm rises to F_max sigma_0/(sigma_0 + c), with its slope c. All below is
// reached, there and back, as `eval` says that integrates the equation; what is above is not, and
// the peak is told.
TEST(invert, TeethAreReachedToTheirTips) {
  const any_model model(find_model("ffbm"));
  const double c = (1.5 - 1) / 0.05, tip = 1.5 * 1e5 / (1e5 + c);
  for (const double share : {0.5, 0.8, 0.95, 0.999, 1 - 1e-6}) {
    const std::vector<double> wanted{0, share * tip, -share * tip, 0.3, 0.99 * share * tip};
    const inversion found = invert(model, wanted);
    EXPECT_TRUE(found.reaches_all(wanted)) << share << " " << found.error;
    const auto data = evaluate(model, record{"x", {0, 1, 2, 3, 4}, {{"x", found.x}}});
    EXPECT_LT(largest_difference(data["f"], wanted), found.allowed(wanted)) << share;
  }
  const inversion beyond = invert(model, {1.4999});
  EXPECT_EQ(beyond.cut, 1U);
  EXPECT_NEAR(beyond.f[0], tip, 1e-6);
  EXPECT_NEAR(beyond.reach_high, tip, 1e-6);
  EXPECT_NEAR(beyond.reach_low, -tip, 1e-6);
}

// f = k x + 1 - exp(-x) with k = -1/2 from rest, which rises to (1 - ln 2)/2 at ln 2 and falls: what
// is just below the peak is found before it, and the peak itself to its last digits.
TEST(invert, BoucWenIsReachedToItsPeak) {
  std::vector<std::string> warnings;
  const any_model model = make_model("bouc_wen", "", {"k=-0.5"}, warnings);
  const double peak = 0.5 * (1 - std::log(2.0));
  for (const double share : {0.9, 0.999, 0.99999}) {
    const inversion found = invert(model, {share * peak});
    EXPECT_EQ(found.cut, 0U);
    const double x = found.x[0];
    EXPECT_GT(x, 0);
    EXPECT_LT(x, std::log(2.0));
    EXPECT_NEAR(-0.5 * x + 1 - std::exp(-x), share * peak, 1e-9);
  }
  const inversion bounded = invert(model, {1.1 * peak}, {.lower = -1, .upper = 5});
  EXPECT_EQ(bounded.cut, 1U);
  EXPECT_NEAR(bounded.reach_high, peak, 1e-9);
  EXPECT_NEAR(bounded.x[0], std::log(2.0), 1e-6);
}

// A bound closes one way, not the other: f = x up to 1 and falls by 2 from there: -2 is only
// behind the peak where inputs end at -1.
TEST(invert, ABoundLeavesTheOtherWay) {
  std::vector<std::string> warnings;
  const any_model falls =
      make_model("prandtl_ishlinskii", "", {"elements=1", "q=1", "r=[1]", "p=[-3]"}, warnings);
  const inversion found = invert(falls, {-2}, {.lower = -1, .upper = 10});
  EXPECT_EQ(found.cut, 0U);
  EXPECT_NEAR(found.x[0], 2.5, 1e-12);
  EXPECT_NEAR(outputs(falls, found.x)[0], -2, 1e-12);
  const inversion beyond = invert(falls, {-2}, {.lower = -1, .upper = 2});
  EXPECT_EQ(beyond.cut, 1U);
  EXPECT_NEAR(beyond.f[0], -1, 1e-12);
}

// A bound of the input must not mislead the inverse in closed form, either.
TEST(invert, RowsAfterABoundAreRight) {
  const any_model model(find_model("prandtl_ishlinskii"));
  const double most = outputs(model, {1}).back();
  const inversion back =
      invert(model, {2 * most, 0.5 * most, -2 * most, 0, 0.7 * most}, {.lower = -1, .upper = 1});
  EXPECT_EQ(back.cut, 2U);
  EXPECT_EQ(back.first_cut, 0U);
  EXPECT_NEAR(back.f[1], 0.5 * most, 1e-12);
  EXPECT_NEAR(back.f[3], 0, 1e-12);
  EXPECT_NEAR(back.f[4], 0.7 * most, 1e-12);
}

// ---- the Preisach operator of any size ----------------------------------------------------------

TEST(preisach_operator, IsTheModelOnTheSameMesh) {
  const preisach<double> model{};
  std::vector<double> everett;
  for (int i = 0; i < 10; ++i) everett.push_back(model.E[i]);
  preisach_operator same(-1, 1, everett);
  same.to(0);
  testing::companion body{model};
  for (const double x : wave(1.2)) EXPECT_EQ(same.to(x), body.go({x, 0, 1}, 1));
}

// A density that only depends on the half width of the relay is a Prandtl-Ishlinskii operator that
// is cut at the border of the mesh: inside, weights add up alike. Here an even density of 1:
// E(a, b) = (a - b)^2/2 exactly, whatever the mesh.
TEST(preisach_operator, EvenDensityHasItsEverettFunctionExactly) {
  for (const int n : {1, 7, 50}) {
    auto even = preisach_operator::with_density(-2, 2, n, [](double, double) { return 1.0; });
    EXPECT_NEAR(even.saturation(), 8, 1e-12);
    even.to(-2);
    const double up = even.to(1.3);
    EXPECT_NEAR(up, -8 + 3.3 * 3.3, 1e-11);
    EXPECT_NEAR(up - even.to(0.2), 1.1 * 1.1, 1e-11);
  }
}

TEST(preisach_operator, MemoryGrowsWithNestedTurnsAndIsWipedOut) {
  auto op = preisach_operator::with_density(-1, 1, 40,
                                            [](double a, double b) { return 1 + a * a + b * b; });
  for (int i = 0; i < 200; ++i) op.to((i % 2 == 0 ? 1 : -1) * 0.9 * (1 - i / 200.0));
  EXPECT_GT(op.depth(), 190);
  op.to(0.95);
  EXPECT_EQ(op.depth(), 1);
}

TEST(preisach_operator, InverseClosesTheCircle) {
  const auto make = [] {
    return preisach_operator::with_density(
        -1, 1, 60, [](double a, double b) { return std::exp(-3 * (a - b) * (a - b)) + 0.2; });
  };
  auto forward = make(), backward = make();
  EXPECT_TRUE(forward.is_monotone());
  for (const double x : wave(0.95)) {
    const double y = forward.to(x), back = backward.inverse(y);
    ASSERT_NEAR(back, x, 1e-6);
    ASSERT_NEAR(backward.to(back), y, 1e-11);
  }
  EXPECT_EQ(backward.inverse(1e9), 1);
  EXPECT_THROW(preisach_operator(-1, 1, {1, 2}), error);
  EXPECT_THROW(preisach_operator(1, 1, {1}), error);
}

// ---- multiplay from a map and back --------------------------------------------------------------

// Drincic 2012, Fig. 2.5: k = 2, 4 and Delta = 1, 3 on [-5, 5] has slopes 6, 4, 0.
TEST(multiplay_map, SlopesOfFigure25) {
  const branch map = map_from_elements({{2, 4}, {1, 3}}, -5, 5);
  ASSERT_EQ(map.u, (std::vector<double>{-5, -3, 1, 5}));
  EXPECT_EQ(map.y, (std::vector<double>{-14, -2, 14, 14}));
}

// map -> multiplay -> map is exact to rounding on piecewise linear maps, symmetric or with a last
// slope that is not 0 (erratum 24); and it is the map that Maxwell slip itself draws.
RC_GTEST_PROP(multiplay_map, MapToElementsToMapIsExact, ()) {
  branch map{{-1 - *testing::fraction()}, {2 * *testing::fraction() - 1}};
  const int n = *testing::uniform(1, 12);
  for (int i = 0; i < n; ++i) {
    map.u.push_back(map.u.back() + 0.1 + *testing::fraction());
    map.y.push_back(map.y.back() + 3 * (2 * *testing::fraction() - 1));
  }
  const play_elements found = elements_from_map(map);
  const branch again = map_from_elements(found, map.u.front(), map.u.back());
  double span = 0;
  for (const double y : map.y) span = std::max(span, std::abs(y - map.y.front()));
  for (const double u : map.u) {
    const auto value = [&](const branch& b) {
      std::size_t i = 1;
      while (i + 1 < b.u.size() && b.u[i] < u) ++i;
      return b.y[i - 1] + (b.y[i] - b.y[i - 1]) * (u - b.u[i - 1]) / (b.u[i] - b.u[i - 1]);
    };
    RC_ASSERT(std::abs(value(again) - value(map)) <= 1e-11 * (1 + span));
  }
  // Run: plays of these elements, swung once about the centre.
  std::vector<double> w(found.k.size(), found.u_centre);
  const auto go = [&](double u) {
    double y = found.y_centre;
    for (std::size_t i = 0; i < w.size(); ++i) {
      w[i] = std::min(u + found.Delta[i], std::max(u - found.Delta[i], w[i]));
      y += found.k[i] * (u - w[i]);
    }
    return y;
  };
  go(map.u.back());
  for (std::size_t i = 0; i < map.u.size(); ++i)
    RC_ASSERT(std::abs(go(map.u[i]) - map.y[i]) <= 1e-11 * (1 + span));
}

TEST(multiplay_map, TellsHowFarAMapIsFromTheSymmetry) {
  const branch rising{{-1, 0, 1}, {-1, -0.8, 1}}, turned{{-1, 0, 1}, {-1, 0.8, 1}};
  EXPECT_NEAR(distance_from_symmetry(rising, turned), 0, 1e-15);
  const branch other{{-1, 0, 1}, {-1, 0.6, 1}};
  EXPECT_NEAR(distance_from_symmetry(rising, other), 0.1, 1e-15);
  EXPECT_THROW(distance_from_symmetry({{0}, {0}}, turned), error);
}

play_elements figure_2_6() {
  play_elements e;
  for (int i = 0; i < 10; ++i) {
    e.k.push_back(i < 5 ? -1 : 2);
    e.Delta.push_back(1 + 2 * i);
  }
  return e;
}

// Figs 2.9 and 2.10: with amplitude 20 the last stretch has slope 0 and is lost, with 19 nothing
// is, and the inverse map is the map with its axes exchanged.
TEST(multiplay_map, InverseIsTheMapWithItsAxesExchangedButForZeroSlopes) {
  const branch whole = map_from_elements(figure_2_6(), -20, 20);
  EXPECT_NEAR(inverse_elements(whole).lost, 2, 1e-12);
  const branch map = map_from_elements(figure_2_6(), -19, 19);
  const inverse_map inverse = inverse_elements(map);
  EXPECT_EQ(inverse.lost, 0);
  const branch back = map_from_elements(inverse.elements, map.y.front(), map.y.back());
  ASSERT_EQ(back.u.size(), map.y.size());
  for (std::size_t i = 0; i < map.u.size(); ++i) {
    EXPECT_NEAR(back.u[i], map.y[i], 1e-11);
    EXPECT_NEAR(back.y[i], map.u[i], 1e-11);
  }
  EXPECT_THROW(inverse_elements({{0, 1, 2}, {0, 1, 0}}), error);
}

// The operator of Fig. 2.10 is flat above its last threshold: all that it can give has an input, and
// what it cannot give is named with what it can.
TEST(invert, FlatAndFallingStretchesAreNoObstacle) {
  const auto e = figure_2_6();
  std::vector<std::string> warnings;
  std::string r, p;
  double q = 0, most = 0;
  for (std::size_t i = 0; i < e.k.size(); ++i) {
    r += fmt::format("{}{}", i == 0 ? "" : ", ", e.Delta[i]);
    p += fmt::format("{}{}", i == 0 ? "" : ", ", -e.k[i]);
    q += e.k[i];
    most += e.k[i] * e.Delta[i];
  }
  const any_model model = make_model("prandtl_ishlinskii", "",
                                     {fmt::format("elements={}", e.k.size()),
                                      fmt::format("q={}", q), "r=[" + r + "]", "p=[" + p + "]"},
                                     warnings);
  std::vector<double> wanted;
  for (int i = 0; i < 400; ++i)
    wanted.push_back(most * std::sin(0.05 * i) * (i < 200 ? 1 : 0.6 + 0.3 * std::sin(0.017 * i)));
  const inversion found = invert(model, wanted);
  EXPECT_EQ(found.cut, 0U);
  EXPECT_LT(found.error, 1e-10 * most);
  const inversion beyond = invert(model, {0.5 * most, 1.5 * most, 0.2 * most});
  EXPECT_EQ(beyond.cut, 1U);
  EXPECT_EQ(beyond.first_cut, 1U);
  EXPECT_NEAR(beyond.reach_high, most, 1e-9 * most);
  EXPECT_NEAR(beyond.reach_low, -most, 1e-9 * most);
  EXPECT_NEAR(beyond.f[2], 0.2 * most, 1e-10 * most);
  // f = x up to 1, then falls with slope -2: more than 1 on the way up needs the way down.
  const any_model falls =
      make_model("prandtl_ishlinskii", "", {"elements=1", "q=1", "r=[1]", "p=[-3]"}, warnings);
  EXPECT_LT(invert(falls, {0.5, 0.9, -0.4, 1}).error, 1e-12);
  const inversion up = invert(falls, {5});
  EXPECT_EQ(up.cut, 0U);
  EXPECT_NEAR(up.x[0], -4, 1e-12);
}

// A rate-dependent model: the wanted output is joined by lines, and what the input found gives is
// simulated.
TEST(invert, MultiplayIsInvertedByItsDynamics) {
  std::vector<std::string> warnings;
  const any_model model = make_model("multiplay", "", {}, warnings);
  std::vector<double> wanted;
  inversion_options options;
  for (int i = 0; i <= 2000; ++i) {
    options.times.push_back(0.01 * i);
    wanted.push_back(std::sin(0.01 * i) + 0.3 * std::sin(0.031 * i));
  }
  const inversion found = invert(model, wanted, options);
  EXPECT_EQ(found.found_by, inversion::way::dynamics);
  EXPECT_TRUE(found.reaches_all(wanted));
  EXPECT_LT(found.error, 1e-8);  // what the join of the rows costs is put right
  EXPECT_LT(largest_difference(evaluate(model, record{"x", options.times, {{"x", found.x}}})["f"],
                               wanted),
            1e-8);
  options.upper = 0.5;
  const inversion bounded = invert(model, wanted, options);
  ASSERT_GT(bounded.cut, 0U);
  EXPECT_FALSE(bounded.reaches_all(wanted));
  EXPECT_GT(wanted[bounded.first_cut], bounded.reach_high);
  EXPECT_THROW(invert(model, wanted), error);  // no times
}

// Through `eval`, which integrates by a method of its own.
double round_trip(const any_model& model, std::vector<double> times, const inversion& found,
                  const std::vector<double>& wanted) {
  const auto data = evaluate(model, record{"x", std::move(times), {{"x", found.x}}});
  return largest_difference(data["f"], wanted);
}

// On a branch that rises |z| stays below (alpha/(beta (gamma + delta)))^(1/nu), its limit: all below
// can be had with k >= 0, and nothing above it without a spring.
TEST(invert, BoucWenGivesWhatIsWantedOfIt) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> share(0, 1);
  for (int trial = 0; trial < 8; ++trial) {
    const double alpha = 0.2 + 3 * share(random), beta = 0.2 + 3 * share(random);
    const double gamma = 0.5 + share(random), delta = share(random) - 0.45;
    const double nu = 1 + 4 * share(random), k = trial % 2 * share(random);
    SCOPED_TRACE(fmt::format("alpha {} beta {} gamma {} delta {} nu {} k {}", alpha, beta, gamma,
                             delta, nu, k));
    std::vector<std::string> warnings;
    const any_model model =
        make_model("bouc_wen", "",
                   {fmt::format("alpha={:.17g}", alpha), fmt::format("beta={:.17g}", beta),
                    fmt::format("gamma={:.17g}", gamma), fmt::format("delta={:.17g}", delta),
                    fmt::format("nu={:.17g}", nu), fmt::format("k={:.17g}", k)},
                   warnings);
    const double limit = std::pow(alpha / (beta * (gamma + delta)), 1 / nu);
    std::vector<double> wanted{0}, times{0};
    for (int i = 1; i <= 20; ++i) {
      wanted.push_back(0.95 * limit * (2 * share(random) - 1));
      times.push_back(i);
    }
    const inversion found = invert(model, wanted);
    EXPECT_TRUE(found.reaches_all(wanted));
    EXPECT_LE(found.error, 1e-12 * limit);
    EXPECT_LE(round_trip(model, times, found, wanted), 1e-8 * limit);
    if (k > 0) continue;
    const inversion beyond = invert(model, {0.5 * limit, 1.01 * limit});
    EXPECT_EQ(beyond.cut, 1U);
    EXPECT_NEAR(beyond.reach_high, limit, 1e-6 * limit);
    EXPECT_NEAR(beyond.reach_low, -limit, 1e-6 * limit);
  }
}

// A spring that pulls the wrong way makes the output fall with the input: it is found all the same.
TEST(invert, BoucWenThatFallsIsInverted) {
  std::vector<std::string> warnings;
  const any_model model = make_model("bouc_wen", "", {"k=-3"}, warnings);
  const std::vector<double> wanted{0, 0.5, -0.3, 2, 1};
  const inversion found = invert(model, wanted);
  EXPECT_TRUE(found.reaches_all(wanted));
  EXPECT_LT(found.x[1], 0);
  EXPECT_LT(round_trip(model, {0, 1, 2, 3, 4}, found, wanted), 1e-8);
}

// f' = a f + d x + b f^3 is solved for x: with f = 1 - cos t, x = (sin t - a f - b f^3)/d.
TEST(invert, NonlinearFeedbackIsInvertedByItsRate) {
  std::vector<std::string> warnings;
  const any_model model =
      make_model("nonlinear_feedback", "", {"a=-2", "d=4", "b_cubic=0.5"}, warnings);
  std::vector<double> wanted;
  inversion_options options;
  for (int i = 0; i <= 1500; ++i) {
    options.times.push_back(0.01 * i);
    wanted.push_back(1 - std::cos(0.01 * i));
  }
  const inversion found = invert(model, wanted, options);
  EXPECT_TRUE(found.reaches_all(wanted));
  EXPECT_LT(found.error, 1e-5);
  EXPECT_LT(round_trip(model, options.times, found, wanted), 1e-5);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double f = wanted[i];
    EXPECT_NEAR(found.x[i], (std::sin(options.times[i]) + 2 * f - 0.5 * f * f * f) / 4, 1e-3) << i;
  }
  // It cannot begin elsewhere, nor run faster than the bounds let it.
  std::vector<double> elsewhere = wanted;
  for (double& each : elsewhere) each += 1;
  const inversion apart = invert(model, elsewhere, options);
  EXPECT_FALSE(apart.reaches_all(elsewhere));
  EXPECT_EQ(apart.reach_low, 0);
  EXPECT_EQ(apart.reach_high, 0);
  options.lower = -0.01;
  options.upper = 0.01;
  const inversion bounded = invert(model, wanted, options);
  EXPECT_FALSE(bounded.reaches_all(wanted));
  EXPECT_GT(wanted[bounded.first_cut], bounded.reach_high - 1e-3);
  EXPECT_EQ(bounded.f.size(), bounded.x.size());
  EXPECT_EQ(bounded.x.size(), bounded.first_cut);
  EXPECT_THROW(invert(model, wanted), error);  // no times
}

// f' jumps at a corner, and so would x, which goes steadily between its rows: far from what is
// wanted, and said so. Where the output bends instead, closer rows reach it.
TEST(invert, NonlinearFeedbackFailsWhereItsRoundTripDoes) {
  std::vector<std::string> warnings;
  const any_model model =
      make_model("nonlinear_feedback", "", {"a=-2", "d=4", "b_cubic=0.5"}, warnings);
  const auto at = [&](double interval, bool has_corners, std::optional<double> tolerance = {}) {
    inversion_options options;
    options.tolerance = tolerance;
    std::vector<double> wanted;
    for (int i = 0; i * interval <= 10; ++i) {
      const double t = i * interval;
      options.times.push_back(t);
      wanted.push_back(has_corners ? std::abs(std::remainder(t, 2)) : std::pow(std::sin(t), 2));
    }
    const inversion found = invert(model, wanted, options);
    EXPECT_NEAR(round_trip(model, options.times, found, wanted), found.error, 1e-8);
    EXPECT_EQ(found.cut, 0U);
    const double greatest = *std::max_element(wanted.begin(), wanted.end());
    EXPECT_DOUBLE_EQ(found.allowed(wanted), tolerance.value_or(1e-4) * greatest);
    EXPECT_EQ(found.reaches_all(wanted), found.error <= found.allowed(wanted));
    return found.reaches_all(wanted);
  };
  EXPECT_FALSE(at(0.1, true));
  EXPECT_FALSE(at(0.01, true));
  EXPECT_FALSE(at(0.2, false));
  EXPECT_TRUE(at(0.01, false));
  EXPECT_TRUE(at(0.2, false, 0.01));
  EXPECT_FALSE(at(0.01, false, 1e-12));
}

// What is refused, and for the right reason.
TEST(invert, SaysWhyAModelHasNoInverse) {
  std::vector<std::string> warnings;
  for (const auto& [key, why] :
       {std::pair("coulomb", "no memory"), std::pair("drbm", "no memory"),
        std::pair("lugre", "depends on time"), std::pair("gms", "depends on time"),
        std::pair("hertz", "one input and a memory")}) {
    try {
      invert(make_model(key, "", {}, warnings), {0});
      ADD_FAILURE() << key;
    } catch (const error& problem) {
      EXPECT_NE(std::string(problem.what()).find(why), std::string::npos) << problem.what();
    }
  }
}

// Fig. 2.11: driven by the model's own output, the dynamic inverse gives back the input; an offset
// of its state stays for ever (erratum 24).
TEST(multiplay_map, DynamicInverseRecoversTheInput) {
  multiplay<double> model{.elements = 10};
  const auto e = figure_2_6();
  for (int i = 0; i < 10; ++i) {
    model.k[i] = model.m[i] = model.c[i] = e.k[static_cast<std::size_t>(i)];
    model.Delta[i] = e.Delta[static_cast<std::size_t>(i)];
  }
  const double h = 0.05;
  vec<double, multiplay<double>::states> state;
  std::vector<double> times, u, y;
  for (int k = 0; k <= 20000; ++k) {
    const double t = k * h;
    times.push_back(t);
    const auto motion = [&](double s) {
      return drive<double>{20 * std::sin(0.01 * (t + s)), 0, 1};
    };
    u.push_back(motion(0).x);
    y.push_back(model(state, motion(0)).f);
    state = testing::runge_kutta_step(
        [&](double s, const auto& at) { return model(at, motion(s)).rate; }, 0.0, state, h);
  }
  const auto back = dynamic_inverse(model, times, y);
  EXPECT_LT(largest_difference(back, u), 1e-3);
  vec<double, multiplay<double>::states> shifted;
  for (int i = 0; i < 10; ++i) shifted[i] = 0.5;
  const auto off = dynamic_inverse(model, times, y, shifted);
  EXPECT_NEAR(off.back() - u.back(), 0.5, 1e-3);
}

TEST(inversion, ReachesWhatItIsCloseTo) {
  inversion found;
  found.error = 0.9e-6;
  EXPECT_TRUE(found.reaches_all({0.5, -1}));
  EXPECT_FALSE(found.reaches_all({0.5, -0.5}));
  found.error = 0;
  EXPECT_TRUE(found.reaches_all({0, 0}));
  found.cut = 1;
  EXPECT_FALSE(found.reaches_all({0, 0}));
}

}  // namespace
}  // namespace asperity
