// SPDX-License-Identifier: Apache-2.0
// The compressed bristle model with the force law as printed: Drincic (2012), chapter 4.

#include <gtest/gtest.h>

#include <asperity/integrate/switch_model.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/models/friction/compressed_bristle.hpp>
#include <asperity/models/friction/compressed_bristle_literal.hpp>
#include <random>

namespace asperity {
namespace {

constexpr double pi = 3.14159265358979323846;
const compressed_bristle_literal<double> fig_4_4{};  // the defaults are its parameters

// (4.1) to (4.17) by searching a list of bristles.
struct by_search {
  double across = 0, up = 0;
  by_search(const compressed_bristle_literal<double>& model, double x, double v, double y) {
    const auto& [k, h_0, w, d, alpha, Delta, m, g, N] = model;
    const double d_1 = w * std::tan(alpha);
    for (int i = -2000; i <= 2000; ++i) {
      const double b = i * Delta;
      if (v > 0 ? b < x + d / 2 - d_1 || b > x + d / 2 : b < x - d / 2 || b > x - d / 2 + d_1)
        continue;
      const double h_i = v > 0 ? y - w / 2 + w / d_1 * (b - (x + d / 2 - d_1))
                               : y - w / 2 + w / d_1 * (x - d / 2 + d_1 - b);
      across += (v > 0 ? 1 : -1) * k * std::cos(alpha) * (h_0 - h_i);
      up += k * std::sin(alpha) * (h_0 - h_i);
    }
    up += ((d - d_1) / Delta + 1) * k * (h_0 - y + w / 2);
  }
};

TEST(compressed_bristle_literal, ForceIsThatOfTheSetsOfTheSource) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> anywhere(-3, 3);
  const compressed_bristle_literal<double> thinner{.w = 0.8, .m = 1.7};
  for (const auto& model : {fig_4_4, thinner})
    for (int n = 0; n < 300; ++n) {
      const double x = anywhere(random), y = anywhere(random), v = anywhere(random);
      const auto out = model({{y, 0.2}}, {x, v});
      const by_search found(model, x, v, y);
      EXPECT_NEAR(out.f, found.across, 1e-9);
      EXPECT_NEAR(out.rate[1], found.up / model.m - model.g, 1e-9);
    }
}

// E-32: while all bristles are compressed, it takes sin(alpha) of what energy demands.
TEST(compressed_bristle_literal, TakesTheSineOfTheSlantOfTheConsistentForce) {
  const compressed_bristle<double> consistent{};
  for (const double x : {0.0, 0.1234, -7.3}) {
    const double ratio = fig_4_4({{1.0, 0.0}}, {x, 1.0}).f / consistent({{1.0, 0.0}}, {x, 1.0}).f;
    EXPECT_NEAR(ratio, std::sin(15 * pi / 180), 1e-12);
  }
}

// E-31: the body at rest swings on its bristles at 2.3 rad/s.
TEST(compressed_bristle_literal, VerticalFrequency) {
  using system_t = sliding_mass<double, compressed_bristle_literal<double>>;
  const system_t system{fig_4_4, 1.0, 0.0, 0.0, {}};
  switch_stepper<system_t> stepper(system, {}, 1e-4, 0.1);
  const event turns{"turns", [](double, const double* y) { return y[3]; },
                    event::direction::rising};
  std::vector<event_record> found;
  run_options options;
  options.to = 60;
  const double start[4] = {0, 0, 1.0, 0};
  const auto result =
      run(stepper, start, 4, options, std::span(&turns, 1), found, [](double, const double*) {});
  ASSERT_EQ(result.how, outcome::completed);
  ASSERT_GT(found.size(), 10U);
  const double period = (found.back().t - found[2].t) / static_cast<double>(found.size() - 3);
  EXPECT_NEAR(2 * pi / period, 2.3, 0.05);
  EXPECT_EQ(found.back().y[1], 0) << "it rests meanwhile";
}

// Fig. 4.7: a staircase whose area is the energy dissipated. E-33: about 2.1 J at most, not 2.384.
TEST(compressed_bristle_literal, LoopOfFigure4_7) {
  struct slow : no_inputs<double> {
    double force(double t) const { return 2 * std::sin(0.01 * t); }
  };
  using system_t = sliding_mass<double, compressed_bristle_literal<double>, slow>;
  system_t system{fig_4_4, 1.0, 2.0, 0.0, {}};
  system.friction.h_0 = 1.65;
  system.friction.Delta = 0.0035;
  switch_stepper<system_t> stepper(system, {}, 1e-4, 0.5);
  std::vector<event_record> none;
  run_options options;
  const double period = 2 * pi / 0.01;
  options.to = 2 * period;
  const double start[4] = {0, 0, 0, 0};
  double area = 0, work = 0, u_before = 0, x_before = 0, v_before = 0, E_before = 0;
  double stuck = 0, t_before = 0, stored = 0;
  const auto result = run(stepper, start, 4, options, {}, none, [&](double t, const double* y) {
    const double u = system.inputs.force(t);
    const double E = (2 * y[0] * y[0] + y[1] * y[1]) / 2;
    if (t_before > period) {
      area += (u + u_before) / 2 * (y[0] - x_before);
      const double v = y[0] - x_before;
      work += v == 0 ? 0 : system.friction({{y[2], y[3]}}, {(y[0] + x_before) / 2, v}).f * v;
      stored += E - E_before;
      if (stepper.mode() == sliding_mode::stuck && v_before == 0) stuck += t - t_before;
    }
    t_before = t;
    u_before = u;
    x_before = y[0];
    v_before = y[1];
    E_before = E;
  });
  ASSERT_EQ(result.how, outcome::completed);
  EXPECT_GT(area, 2.0);
  EXPECT_LT(area, 2.1);
  EXPECT_NEAR(area, work + stored, 0.01 * area) << "all of it is friction's";
  EXPECT_GT(stuck, 0.5 * period) << "a staircase: it rests most of the time";
}

// E-32: of what the springs on the slope gain, the printed force supplies the sine of the slant.
// The rest is booked as unbalanced, also while the body rises or sinks; so are bristles met
// compressed.
TEST(compressed_bristle_literal, LeavesUnbalancedWhatTheSineOfTheSlantDoesNotSupply) {
  const auto& [k, h_0, w, d, alpha, Delta, m, g, N] = fig_4_4;
  for (const double v : {0.4, -2.0})
    for (const double y_dot : {0.0, 0.3}) {
      const vec<double, 2> state{{1.0, y_dot}};
      double mean = 0;
      constexpr int pieces = 20000;
      for (int i = 0; i < pieces; ++i) {
        const drive<double> in{Delta * (i + 0.5) / pieces, v};
        mean += fig_4_4.lost(state, in, fig_4_4(state, in)).unbalanced / pieces;
      }
      // Rates of the compression of one bristle, and of bristles met.
      const double grows = std::abs(v) / std::tan(alpha) - y_dot, met = std::abs(v) / Delta;
      const double c_0 = h_0 - 1.0 - w / 2, c_1 = c_0 + w, d_1 = w * std::tan(alpha);
      const double on_slope = k * (c_0 + c_1) / 2 * d_1 / Delta;  // force of the springs
      const double wanted = -(1 - std::sin(alpha)) * on_slope * grows - met * k * c_0 * c_0 / 2;
      EXPECT_NEAR(mean, wanted, 1e-3 * std::abs(wanted));
    }
}

// The load is the weight in units of m g: it presses the body down, and changes no other force.
TEST(compressed_bristle_literal, TheLoadIsTheWeight) {
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
TEST(compressed_bristle_literal, EveryMotionIsSlip) {
  const auto margin = [](double v) { return fig_4_4.slip_margin({}, {0, v, 1}); };
  for (const double v : {1e-9, 0.3}) {
    EXPECT_GT(margin(v), 0);
    EXPECT_EQ(margin(-v), margin(v));
  }
  EXPECT_EQ(margin(0), 0);
}

}  // namespace
}  // namespace asperity
