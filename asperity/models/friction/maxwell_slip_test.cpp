// SPDX-License-Identifier: Apache-2.0
// What chapter 1 of Drincic's dissertation says of Maxwell slip, and what play operators obey.

#include <gtest/gtest.h>

#include <asperity/models/friction/maxwell_slip.hpp>
#include <asperity/scalar/dual.hpp>
#include <asperity/testing.hpp>
#include <numbers>
#include <random>

namespace asperity {
namespace {

using model_type = maxwell_slip<double>;
const model_type paper{};  // the defaults are the values of figure 1.7

double force_after(const std::vector<double>& nodes) {
  testing::companion body{paper};
  for (const double x : nodes) body.go({x, 0, 1}, 1);
  return body.f;
}

// Neither the speed of a motion nor how it is sampled between its turning points changes a bit.
TEST(maxwell_slip, SpeedAndSamplingDoNotChangeABit) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> anywhere(-1.3, 1.3), share(0, 1), decades(-6, 6);
  testing::companion direct{paper}, wandering{paper};
  for (int turn = 0; turn < 500; ++turn) {
    const double target = anywhere(random), start = direct.at.x;
    std::vector<double> shares;
    for (int i = 0; i < 20; ++i) shares.push_back(share(random));
    std::sort(shares.begin(), shares.end());
    for (const double s : shares)
      wandering.go({start + s * (target - start), std::pow(10, decades(random)), 1},
                   std::pow(10, decades(random)));
    wandering.go({target, 0, 1}, 1e-3);
    direct.go({target, 0, 1}, 1);
    ASSERT_EQ(wandering.f, direct.f);
    for (int i = 0; i < paper.elements; ++i) ASSERT_EQ(wandering.state[i], direct.state[i]);
  }
}

// Figure 1.7: k = 1 ... 8.2, Delta = 0.15 ... 0.96. All sliders slide at u = 1, so the force there
// is the sum of k_i Delta_i: 10*0.15 + 45*(0.09 + 0.12) + 285*0.072 = 31.47.
TEST(maxwell_slip, MajorLoopOfTheFigureReachesItsLimit) {
  EXPECT_NEAR(force_after({1}), 31.47, 1e-12);
  EXPECT_NEAR(force_after({1, -1}), -31.47, 1e-12);
  EXPECT_NEAR(paper.force_bound({}), 31.47, 1e-12);
}

// Figure 1.7: half the amplitude after one period and after one and a half gives two loops of the
// same shape, the first above the second.
TEST(maxwell_slip, MinorLoopsOfTheFigureDependOnTheHistory) {
  const std::vector<double> after_one{1, -1, 0}, after_one_and_a_half{1, -1, 1, 0};
  const auto loop = [](std::vector<double> nodes, double x, bool is_rising) {
    for (const double turn : {.5, -.5, .5, -.5}) nodes.push_back(turn);
    if (!is_rising) nodes.push_back(.5);
    nodes.push_back(x);
    return force_after(nodes);
  };
  const double apart = loop(after_one, 0, true) - loop(after_one_and_a_half, 0, true);
  EXPECT_GT(apart, 3);
  for (const double x : testing::lin_space(-.49, .49, 41))
    for (const bool is_rising : {false, true})
      EXPECT_NEAR(loop(after_one, x, is_rising) - loop(after_one_and_a_half, x, is_rising), apart,
                  1e-12);
}

// Masing: from any turning point the force follows the virgin curve doubled in both directions.
TEST(maxwell_slip, BranchesAreTheVirginCurveDoubled) {
  for (const double turn : {0.2, 0.6, 0.9})
    for (const double way : testing::lin_space(0, 2 * turn, 30)) {
      const double expected = force_after({turn}) - 2 * force_after({way / 2});
      EXPECT_NEAR(force_after({turn, turn - way}), expected, 1e-12);
    }
}

// Nonlocal memory: an inner loop closes where it began, and what follows does not know of it.
TEST(maxwell_slip, InnerLoopsCloseAndAreForgotten) {
  EXPECT_NEAR(force_after({1, -.2, .3, -.2}), force_after({1, -.2}), 1e-13);
  EXPECT_NEAR(force_after({1, -.2, .3, -.1, .1, -.1, .3, -.2, -.7}), force_after({1, -.7}), 1e-13);
  EXPECT_GT(std::abs(force_after({1, -.2, .3}) - force_after({1, -.2})), 5);
}

// Over a cycle of amplitude A, slider i moves 4 (A - Delta_i) against k_i Delta_i, and that is the
// area of the loop.
TEST(maxwell_slip, LoopAreaIsWhatTheSlidersDissipate) {
  for (const double A : {0.1, 0.5, 1.0}) {
    double dissipated = 0;
    for (int i = 0; i < paper.elements; ++i)
      dissipated += 4 * paper.k[i] * paper.Delta[i] * std::max(0.0, A - paper.Delta[i]);
    testing::companion body{paper};
    for (const double turn : {A, -A, A}) body.go({turn, 0, 1}, 1);
    double area = 0;
    const int steps = 20000;
    for (int i = 1; i <= steps; ++i) {
      const double before = body.f, x = body.at.x;
      const double to = A * std::cos(2 * std::numbers::pi * i / steps);
      area += (before + body.go({to, 0, 1}, 1)) / 2 * (to - x);
    }
    EXPECT_NEAR(area, dissipated, 1e-5 * (dissipated + 1));
  }
}

// Work goes into springs or is dissipated: nothing comes from nowhere, also under changing load.
TEST(maxwell_slip, WorkCoversWhatIsStored) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> share(0, 1), load(0.3, 2);
  testing::companion body{paper};
  double work = 0, most = 0, direction = 1;
  for (int i = 0; i < 20000; ++i) {
    if (i % 50 == 0) body.go({body.at.x, 0, load(random)}, 1);
    if (share(random) < 0.01) direction = -direction;
    const double before = body.f, x = body.at.x, to = x + 0.02 * direction * share(random);
    const double stored = paper.stored_energy(body.state, body.at);
    body.go({to, 0, body.at.load}, 1);
    const double given = (before + body.f) / 2 * (to - x);
    work += given;
    const double gained = paper.stored_energy(body.state, body.at) - stored;
    EXPECT_GE(given - gained, -1e-9) << "step " << i;
    most = std::max(most, stored + gained);
  }
  EXPECT_GT(work, 10 * most) << "most of it must have been dissipated";
}

// Erratum 20: a slider that lies exactly at its lower limit is dragged back, and rests when the
// motion turns.
TEST(maxwell_slip, SliderAtItsEdgeSlidesBothWays) {
  model_type one{.elements = 1};
  one.Delta[0] = 0.25;
  testing::companion body{one};
  body.go({-0.25, 0, 1}, 1);
  EXPECT_EQ(body.state[0], 0);
  body.go({-0.5, 0, 1}, 1);
  EXPECT_EQ(body.state[0], -0.25);
  body.go({-0.25, 0, 1}, 1);
  EXPECT_EQ(body.state[0], -0.25);
}

// When the load falls on a body at rest, its springs relax to the new limit.
TEST(maxwell_slip, UnloadingLetsTheSpringsGo) {
  testing::companion body{paper};
  body.go({1, 0, 1}, 1);
  body.go({1, 0, 0.25}, 1);
  EXPECT_NEAR(body.f, 31.47 / 4, 1e-12);
  body.go({1, 0, 1}, 1);
  EXPECT_NEAR(body.f, 31.47 / 4, 1e-12) << "loading again does not bring it back";
}

// Derivatives go through advance(): stiff after a turn, none in gross sliding.
TEST(maxwell_slip, StiffnessIsTheDerivativeOfAdvance) {
  using number = dual<double, 1>;
  const maxwell_slip<number> model{};
  const auto slope = [&](double turn, double x) {
    vec<number, maxwell_slip<number>::states> state;
    model.advance(state, {}, {number(turn), number(0.0), number(1.0)}, number(1.0));
    return model.advance(state, {}, {number::variable(x, 0), number(0.0), number(1.0)}, number(1.0))
        .derivative[0];
  };
  EXPECT_EQ(slope(1, 1.1), 0);
  EXPECT_NEAR(slope(1, 0.9), 46, 1e-12) << "the sum of 1 ... 8.2";
}

// However far away the body is, where a distance of Delta cannot be written exactly, no element
// pulls more than it can, to the last bit.
TEST(maxwell_slip, RoundingDoesNotLeadBeyondTheLimit) {
  model_type one{.elements = 1};
  one.k[0] = 2;
  one.Delta[0] = 0.3;
  testing::companion body{one};
  double furthest = 0;
  for (int i = 1; i < 2000; ++i) {
    EXPECT_LE(std::abs(body.go({i * (i % 3 == 0 ? -1e9 : 1e9) / 7, 0, 1}, 1)), 2 * 0.3) << i;
    furthest = std::max(furthest, std::abs(body.at.x - body.state[0]));
  }
  EXPECT_GT(furthest, 0.3) << "it would without the limit";
}

}  // namespace
}  // namespace asperity
