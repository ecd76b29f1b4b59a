// SPDX-License-Identifier: Apache-2.0
// The compressed bristle model of Drincic (2012), chapter 4, with the force law that energy demands
// (E-32).

#include <gtest/gtest.h>

#include <asperity/integrate/switch_model.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/models/friction/compressed_bristle.hpp>
#include <asperity/testing.hpp>
#include <random>

#include "tests/counted.hpp"

namespace asperity {
namespace {

const compressed_bristle<double> fig_4_4{};  // the defaults are its parameters
const compressed_bristle<double> coarse{.k = 3.0, .h_0 = 1.4, .w = 0.8, .Delta = 0.037, .m = 1.7};

// Energy of the springs on the slope, found by searching a list of bristles.
double energy_on_the_slope(const compressed_bristle<double>& model, double x, double y, double s) {
  const double d_1 = model.w * std::tan(model.alpha), edge = x + s * model.d / 2;
  double sum = 0;
  for (int i = -500; i <= 500; ++i) {
    const double behind = s * (edge - i * model.Delta);
    if (behind < 0 || behind >= d_1) continue;
    const double height = y - model.w / 2 + model.w / d_1 * (d_1 - behind);
    sum += 0.5 * model.k * std::pow(std::max(0.0, model.h_0 - height), 2);
  }
  return sum;
}

// Both components of the force are the derivatives of one energy: no friction on the slope.
TEST(compressed_bristle, ForcesAreDerivativesOfTheEnergy) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> anywhere(-2, 2), height(0.2, 2.2);
  const double e = 1e-6;
  for (int n = 0; n < 300; ++n) {
    const double x = anywhere(random), y = height(random), v = anywhere(random);
    const double s = v > 0 ? 1 : -1;
    const auto E = [&](double dx, double dy) {
      return energy_on_the_slope(coarse, x + dx, y + dy, s);
    };
    const auto out = coarse({{y, 0.3}}, {x, v});
    const double across = (E(e, 0) - E(-e, 0)) / (2 * e), down = -(E(0, e) - E(0, -e)) / (2 * e);
    if (std::abs(across) > 1e3) continue;  // a bristle came or went
    EXPECT_NEAR(out.f, across, 1e-4);
    const double bottom = coarse.below() * coarse.k * std::max(0.0, coarse.h_0 - y + coarse.w / 2);
    EXPECT_NEAR(coarse.m * (out.rate[1] + coarse.g), down + bottom, 1e-4);
    EXPECT_EQ(out.rate[0], 0.3);
    EXPECT_GE(out.f * v, 0);
  }
}

// The printed pair: N for the weight, and Delta for the slope.
TEST(compressed_bristle, TakesThePrintedNumberBesideThePrintedSpacing) {
  const compressed_bristle<double> by_rule{.Delta = 0.0035}, printed{.Delta = 0.0035, .N = 500};
  EXPECT_NEAR(by_rule.below(), 495.87, 5e-3);
  EXPECT_EQ(printed.below(), 500);
  EXPECT_EQ(by_rule.valid().verdict, validity::fine);
  EXPECT_EQ(printed.valid().verdict, validity::doubtful);
  // m g = N k (h_0 - y + w/2) at rest.
  EXPECT_NEAR(printed.initial()[0], 2.69 + 0.5 - 10 / (500 * 0.01), 1e-14);
  const vec<double, 2> state{{1.3, 0}};
  EXPECT_EQ(printed(state, {0.2, 1}).f, by_rule(state, {0.2, 1}).f);
  EXPECT_NEAR(printed(state, {0.2, 1}).rate[1] - by_rule(state, {0.2, 1}).rate[1],
              (500 - by_rule.below()) * 0.01 * (2.69 - 1.3 + 0.5), 1e-12);
  for (const double N : {1.0, 400.0, 600.0}) {
    const compressed_bristle<double> contradicts{.Delta = 0.0035, .N = N};
    EXPECT_EQ(contradicts.valid().verdict, validity::refused) << N;
  }
}

// At a fixed height, each spacing costs what one bristle gains from the upper edge of the slope to
// the lower one.
TEST(compressed_bristle, SlidingCostsTheEnergyOfOneBristlePerSpacing) {
  for (const double y : {0.3, 1.1, 1.7}) {  // compressed at the edge; touched on the way; below it
    double work = 0;
    constexpr int pieces = 20000;
    for (int i = 0; i < pieces; ++i)
      work +=
          coarse({{y, 0.0}}, {coarse.Delta * (i + 0.5) / pieces, 1.0}).f * coarse.Delta / pieces;
    const double at_edge = std::max(0.0, coarse.h_0 - (y + coarse.w / 2));
    const double at_end = std::max(0.0, coarse.h_0 - (y - coarse.w / 2));
    EXPECT_NEAR(work, coarse.k / 2 * (at_end * at_end - at_edge * at_edge), 1e-3 * work + 1e-12);
  }
}

TEST(compressed_bristle, PeriodicMirroredAndAsCheapFarAway) {
  for (const double x : testing::lin_space(0.001, 0.9, 40)) {
    const auto here = coarse({{0.8, 0.0}}, {x, 1.0}), mirrored = coarse({{0.8, 0.0}}, {-x, -1.0});
    EXPECT_EQ(mirrored.f, -here.f);
    EXPECT_EQ(mirrored.rate[1], here.rate[1]);
    EXPECT_NEAR(coarse({{0.8, 0.0}}, {x - 1e5 * coarse.Delta, 1.0}).f, here.f, 1e-6);
  }
  using testing::counted;
  const auto cost = [](double x, double Delta) {
    compressed_bristle<counted> model{};
    model.Delta = counted(Delta);
    return testing::operations_of([&] {
      model({{counted(1.0), counted(0.0)}}, {counted(x), counted(1.0), counted(1.0)});
    });
  };
  EXPECT_EQ(cost(0.1, 0.003), cost(1e9, 0.003));
  EXPECT_EQ(cost(0.1, 0.003), cost(0.1, 0.000003)) << "nor do more bristles cost more";
}

// At rest the two sides lift the body by different forces; the function takes their mean.
TEST(compressed_bristle, AtRestBetweenBothSides) {
  const vec<double, 2> state{{0.8, 0.0}};
  const auto rest = coarse(state, {0.01, 0.0});
  const auto ahead = coarse.side(state, {0.01, 0.0}, 1.0),
             back = coarse.side(state, {0.01, 0.0}, -1.0);
  EXPECT_EQ(rest.f, 0.0);
  EXPECT_GT(ahead.f, 0);
  EXPECT_LT(back.f, 0);
  EXPECT_NE(ahead.rate[1], back.rate[1]);
  EXPECT_NEAR(rest.rate[1], (ahead.rate[1] + back.rate[1]) / 2, 1e-12);
  EXPECT_EQ(coarse(state, {0.01, 1e-300}).f, ahead.f);
  EXPECT_EQ(coarse(state, {0.01, -1e-300}).f, back.f);
}

// Pulled slowly, the body falls into stick-slip; friction is less where the body is higher.
TEST(compressed_bristle, PulledBodySticksSlipsAndPlanes) {
  struct pulled : no_inputs<double> {
    double anchor(double t) const { return 0.1 * t; }
  };
  using system_t = sliding_mass<double, compressed_bristle<double>, pulled>;
  const system_t system{fig_4_4, 1.0, 5.0, 0.0, {}};
  switch_stepper<system_t> stepper(system, {}, 1e-4, 0.1);
  std::vector<event_record> none;
  run_options options;
  options.to = 120;
  const auto initial = fig_4_4.initial();
  const double start[4] = {0, 0, initial[0] - 0.2, 0};
  double stuck = 0, t_before = 0, y_mean = 0, f_mean = 0, yf = 0, n = 0;
  const auto result = run(stepper, start, 4, options, {}, none, [&](double t, const double* y) {
    if (stepper.mode() == sliding_mode::stuck && y[1] == 0) stuck += t - t_before;
    t_before = t;
    if (y[1] <= 0) return;
    const double f = fig_4_4({{y[2], y[3]}}, {y[0], y[1]}).f;
    n += 1;
    y_mean += y[2];
    f_mean += f;
    yf += y[2] * f;
  });
  ASSERT_EQ(result.how, outcome::completed);
  EXPECT_GT(stuck, 30);
  EXPECT_LT(stuck, 119.9);
  ASSERT_GT(n, 100);
  EXPECT_LT(yf / n, y_mean / n * f_mean / n);
}

TEST(compressed_bristle, RefusesASlopeLongerThanTheBody) {
  EXPECT_EQ((compressed_bristle<double>{.alpha = 1.4}.valid().verdict), validity::refused);
  EXPECT_EQ(fig_4_4.valid().verdict, validity::fine);
}

// What is stored is the energy of the springs that a search finds, in the mean over all places,
// with that of the bristles below, of the weight and of the rise.
TEST(compressed_bristle, StoresTheMeanEnergyOfItsBristles) {
  constexpr int places = 4000;
  const auto counted_one_by_one = [](double y, double y_dot) {
    double sum = 0;
    for (int i = 0; i < places; ++i)
      sum += energy_on_the_slope(coarse, coarse.Delta * (i + 0.5) / places, y, 1) / places;
    const double below = std::max(0.0, coarse.h_0 - y + coarse.w / 2);
    return sum + coarse.below() * coarse.k * below * below / 2 + coarse.m * coarse.g * y +
           coarse.m * y_dot * y_dot / 2;
  };
  const auto stored = [](double y, double y_dot) { return coarse.stored_energy({{y, y_dot}}, {}); };
  const double lifted = coarse.h_0 + coarse.w;  // touches no bristle
  const double there = counted_one_by_one(lifted, 0);
  const double one = coarse.k / 2 * coarse.h_0 * coarse.h_0;  // it jumps within one place of these
  for (const double y : {0.3, 0.8, 1.1, 1.7, 2.5})
    EXPECT_NEAR(stored(y, 0.7) - stored(lifted, 0), counted_one_by_one(y, 0.7) - there,
                one / places)
        << y;
  for (const double y : testing::lin_space(-3, 5, 100)) EXPECT_GE(stored(y, 0), 0);
  // Without a slope that touches, 0 at rest on the bristles below.
  compressed_bristle<double> light = coarse;
  light.g = 1e-3;
  EXPECT_NEAR(light.stored_energy(light.initial(), {}), 0, 1e-9);
  EXPECT_NEAR(light(light.initial(), {0.01, 0}).rate[1], 0, 1e-12);
}

// At a given height, in the mean over one spacing: one bristle is lost with what it holds, and what
// is left unbalanced is that of a bristle that jumps into contact already compressed; otherwise
// nothing, also while the body rises or sinks.
void only_bristles_met_compressed_are_unbalanced(double y_dot) {
  for (const double y : {0.3, 1.1, 1.7}) {
    double lost = 0, unbalanced = 0, v = -1.3;
    constexpr int pieces = 20000;
    for (int i = 0; i < pieces; ++i) {
      const drive<double> in{coarse.Delta * (i + 0.5) / pieces, v};
      const vec<double, 2> state{{y, y_dot}};
      const auto power = coarse.lost(state, in, coarse(state, in));
      lost += power.dissipated * coarse.Delta / std::abs(v) / pieces;
      unbalanced += power.unbalanced * coarse.Delta / std::abs(v) / pieces;
    }
    const double at_edge = std::max(0.0, coarse.h_0 - (y + coarse.w / 2));
    const double at_end = std::max(0.0, coarse.h_0 - (y - coarse.w / 2));
    EXPECT_NEAR(lost, coarse.k / 2 * at_end * at_end, 1e-9);
    EXPECT_NEAR(unbalanced, -coarse.k / 2 * at_edge * at_edge, 1e-3 * lost + 1e-9) << y;
  }
}
TEST(compressed_bristle, OnlyBristlesMetCompressedAreUnbalanced) {
  for (const double y_dot : {0.0, 0.3, -0.2}) only_bristles_met_compressed_are_unbalanced(y_dot);
}

// The load is the weight in units of m g: it presses the body down, and changes no other force.
TEST(compressed_bristle, TheLoadIsTheWeight) {
  const auto start = fig_4_4.initial();
  for (const double v : {-0.3, 0.0, 0.2}) {
    const auto once = fig_4_4(start, {0.1, v, 1}), thrice = fig_4_4(start, {0.1, v, 3});
    EXPECT_EQ(thrice.f, once.f);
    EXPECT_NEAR(thrice.rate[1] - once.rate[1], -2 * fig_4_4.g, 1e-12);
    const double direction = v < 0 ? -1 : 1;
    const auto side = fig_4_4.side(start, {0.1, 0, 3}, direction);
    EXPECT_NEAR(side.rate[1] - fig_4_4.side(start, {0.1, 0, 1}, direction).rate[1], -2 * fig_4_4.g,
                1e-12);
  }
}

// Nothing gives way before it slides: every motion is slip, either way.
TEST(compressed_bristle, EveryMotionIsSlip) {
  const auto margin = [](double v) { return fig_4_4.slip_margin({}, {0, v, 1}); };
  for (const double v : {1e-9, 0.3}) {
    EXPECT_GT(margin(v), 0);
    EXPECT_EQ(margin(-v), margin(v));
  }
  EXPECT_EQ(margin(0), 0);
}

}  // namespace
}  // namespace asperity
