// SPDX-License-Identifier: Apache-2.0
// What chapter 2 of Drincic's dissertation says of the multiplay model.

#include <gtest/gtest.h>

#include <asperity/models/friction/maxwell_slip.hpp>
#include <asperity/models/friction/multiplay.hpp>
#include <asperity/testing.hpp>
#include <numbers>
#include <random>

namespace asperity {
namespace {

using model_type = multiplay<double>;
constexpr double pi = std::numbers::pi;
const model_type paper{};  // the defaults are the values of figure 2.4

// Masses and dampings equal to the stiffnesses, as in figures 2.5 to 2.8.
model_type with(const std::vector<double>& k, const std::vector<double>& Delta) {
  model_type model{.elements = static_cast<int>(k.size())};
  for (int i = 0; i < model.elements; ++i) {
    const auto n = static_cast<std::size_t>(i);
    model.m[i] = model.c[i] = model.k[i] = k[n];
    model.Delta[i] = Delta[n];
  }
  return model;
}

maxwell_slip<double> slow_limit_of(const model_type& model) {
  maxwell_slip<double> limit{.elements = model.elements};
  for (int i = 0; i < model.elements; ++i) {
    limit.k[i] = model.k[i];
    limit.Delta[i] = model.Delta[i];
  }
  return limit;
}

// Largest difference from Maxwell slip over a cycle of x = amplitude sin(frequency t), in its third
// cycle.
double distance_from_limit(const model_type& model, double amplitude, double frequency) {
  const auto limit = slow_limit_of(model);
  testing::companion slow{limit};
  testing::companion body{model};
  const double period = 2 * pi / frequency;
  const auto per_cycle = static_cast<int>(std::max(4000.0, period / 0.2)) / 4 * 4;
  double largest = 0;
  body.at.v = amplitude * frequency;
  for (int i = 1; i <= 3 * per_cycle; ++i) {
    const double phase = 2 * pi * i / per_cycle;
    const drive<double> to{amplitude * std::sin(phase), amplitude * frequency * std::cos(phase), 1};
    slow.go(to, period / per_cycle);
    body.go(to, period / per_cycle);
    if (i > 2 * per_cycle) largest = std::max(largest, std::abs(body.f - slow.f));
  }
  return largest;
}

TEST(multiplay, StartsWithTheValuesOfTheFigure) {
  EXPECT_EQ(paper.elements, 2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(paper.m[i], 1);
    EXPECT_EQ(paper.c[i], 1);
    EXPECT_EQ(paper.k[i], 1);
  }
  const model_type usual{};
  EXPECT_EQ(usual.Delta[0], 0.8);
  EXPECT_EQ(usual.Delta[1], 0.2);
}

// Figure 2.4: as the frequency falls, the loops become those of Maxwell slip with the same k and
// Delta, and the distance falls with the frequency.
TEST(multiplay, SlowLoopsAreThoseOfMaxwellSlip) {
  const double first = distance_from_limit(paper, 1, 0.1);
  const double second = distance_from_limit(paper, 1, 0.01);
  const double third = distance_from_limit(paper, 1, 0.001);
  EXPECT_GT(first, 0.05) << "it is rate dependent";
  EXPECT_NEAR(second, first / 10, 0.05 * first);
  EXPECT_NEAR(third, second / 10, 0.05 * second);
}

// A dragged mass lags behind by c v/k more than Delta: the force differs from the limit by the sum
// of c_i v.
TEST(multiplay, DraggedMassesAddTheirDamping) {
  model_type model = with({2, 4}, {1, 3});
  model.c[0] = 0.5;
  const double v = 0.01;
  const double f = testing::companion(model).to(20, v, 0.1);
  EXPECT_NEAR(f, 2 * 1 + 4 * 3 + (0.5 + 4) * v, 1e-9);
}

// The load widens the dead zones: what drags a mass is Delta_i load.
TEST(multiplay, LoadWidensTheDeadZones) {
  const model_type model = with({2, 4}, {1, 3});
  for (const double load : {0.5, 2.0}) {
    testing::companion body(model);
    body.at.load = load;
    const double v = 0.01, f = body.to(40, v, 0.1);
    EXPECT_NEAR(f, load * (2 * 1 + 4 * 3) + (model.c[0] + model.c[1]) * v, 1e-9);
  }
}

// The slow loop: force after going slowly through the nodes.
double slow_force(const model_type& model, const std::vector<double>& nodes) {
  testing::companion body{model};
  for (const double x : nodes) body.to(x, 1e-2, 0.25);
  return body.f;
}
double slope(const model_type& model, std::vector<double> nodes, double x) {
  nodes.push_back(x);
  const double before = slow_force(model, nodes);
  nodes.back() = x + 0.2;
  return (slow_force(model, nodes) - before) / 0.2;
}

// Figure 2.5: k = 2, 4, Delta = 1, 3, input from -5 to 5: slope 6 up to -3, 4 up to 1, then 0; and
// the negatives of these.
TEST(multiplay, SlopesOfTheFigure) {
  for (const double sign : {1.0, -1.0}) {
    const auto model = with({sign * 2, sign * 4}, {1, 3});
    ASSERT_EQ(model.valid().verdict, validity::fine);
    const std::vector<double> history{5, -5};
    EXPECT_NEAR(slope(model, history, -4.6), sign * 6, 0.02);
    EXPECT_NEAR(slope(model, history, -3.5), sign * 6, 0.02);
    EXPECT_NEAR(slope(model, history, -2.7), sign * 4, 0.02);
    EXPECT_NEAR(slope(model, history, 0.5), sign * 4, 0.02);
    EXPECT_NEAR(slope(model, history, 1.3), 0, 0.02);
    EXPECT_NEAR(slope(model, history, 4.5), 0, 0.02);
  }
}

// Erratum 23: with positive stiffness the loop runs clockwise (the force is higher on the way up),
// with negative stiffness counterclockwise.
TEST(multiplay, PositiveStiffnessRunsClockwise) {
  for (const double sign : {1.0, -1.0}) {
    const auto model = with({sign * 2, sign * 4}, {1, 3});
    const double up = slow_force(model, {5, -5, 0}), down = slow_force(model, {5, -5, 5, 0});
    EXPECT_GT(sign * (up - down), 10);
  }
}

// Figure 2.6: five elements of stiffness -1 and five of 2 give an S: the slope rises from 5 to 10,
// then falls to 0.
TEST(multiplay, MixedSignsGiveAnSShape) {
  const auto model = with({-1, -1, -1, -1, -1, 2, 2, 2, 2, 2}, {1, 3, 5, 7, 9, 11, 13, 15, 17, 19});
  const std::vector<double> history{20, -20};
  double x = -19;  // halfway between two changes of slope, which lie 4 apart after the first 2
  for (const double expected : {5, 6, 7, 8, 9, 10, 8, 6, 4, 2}) {
    EXPECT_NEAR(slope(model, history, x), expected, 0.03) << "at " << x;
    x += x == -19 ? 3 : 4;
  }
}

// Figure 2.4: nonlocal memory. Reduced to half the amplitude after one period or after one and a
// half, it ends in two different loops.
TEST(multiplay, MinorLoopsDependOnTheHistory) {
  const auto loop = [](std::vector<double> nodes, double x) {
    nodes.insert(nodes.end(), {.5, -.5, .5, -.5, x});
    return slow_force(paper, nodes);
  };
  const double apart = loop({1, -1, 0}, 0) - loop({1, -1, 1, 0}, 0);
  EXPECT_GT(std::abs(apart), 0.2);
  for (const double x : {-.4, -.1, .3})
    EXPECT_NEAR(loop({1, -1, 0}, x) - loop({1, -1, 1, 0}, x), apart, 0.01);
}

// Negative stiffness needs negative mass and damping: otherwise the mass runs away.
TEST(multiplay, SignsMustAgree) {
  auto model = with({2, -4}, {1, 3});
  EXPECT_EQ(model.valid().verdict, validity::fine);
  model.c[1] = 4;
  EXPECT_EQ(model.valid().verdict, validity::refused);
  model.c[1] = -4;
  model.m[0] = -1;
  EXPECT_EQ(model.valid().verdict, validity::refused);
}

// f is the slope of the energy by x, and power not stored is what dampers and dead zones take.
TEST(multiplay, PowerIsStoredOrTakenByDampersAndDeadZones) {
  const auto model = with({2, 4, -3}, {1, 3, 2});
  std::mt19937 random(2);
  std::uniform_real_distribution<double> anywhere(-4, 4);
  for (int n = 0; n < 200; ++n) {
    vec<double, model_type::states> state;
    for (int i = 0; i < 6; ++i) state[i] = anywhere(random);
    const drive<double> in{anywhere(random), anywhere(random), 0.8};
    const auto out = model(state, in);
    const double h = 1e-5;
    const auto energy = [&](double t, double along_x) {
      auto there = state;
      for (int i = 0; i < 6; ++i) there[i] += t * out.rate[i];
      return model.stored_energy(there, {in.x + along_x, in.v, in.load});
    };
    EXPECT_NEAR((energy(0, h) - energy(0, -h)) / (2 * h), out.f, 1e-6);
    double lost = 0;
    for (int i = 0; i < 3; ++i) {
      const double v = state[3 + i], reach = 0.8 * model.Delta[i];
      lost += v * (model.c[i] * v + model.k[i] * std::clamp(in.x - state[i], -reach, reach));
    }
    const double rate = (energy(h, h * in.v) - energy(-h, -h * in.v)) / (2 * h);
    EXPECT_NEAR(out.f * in.v - rate, lost, 1e-5);
  }
}

// Slowly it stores what Maxwell slip stores, and a cycle that returns to its place and store costs
// the area of the loop, 4 k Delta (a - Delta) for each element.
TEST(multiplay, SlowlyItStoresAndLosesWhatMaxwellSlipDoes) {
  const auto limit = slow_limit_of(paper);
  testing::companion slow{limit};
  testing::companion body{paper};
  double work = 0, lost_before = 0, fall = 0, off = 0, area = 0, stored = 0;
  for (const double x : {1., -1., 1., -1.}) {
    area = work;
    stored = paper.stored_energy(body.state, body.at);
    const double from = body.at.x;
    for (int i = 1; i <= 4000; ++i) {
      const double f = body.f, at = body.at.x;
      body.to(from + (x - from) * i / 4000, 1e-3, 0.25);
      slow.go(body.at, 1);
      work += (f + body.f) / 2 * (body.at.x - at);
      const double energy = paper.stored_energy(body.state, body.at);
      off = std::max(off, std::abs(energy - limit.stored_energy(slow.state, slow.at)));
      fall = std::max(fall, lost_before - (work - energy));
      lost_before = work - energy;
    }
  }
  // The last branch is half of the symmetric loop.
  const double half_loop = 2 * (0.8 * (1 - 0.8) + 0.2 * (1 - 0.2));
  EXPECT_NEAR(work - area, half_loop, 0.01 * half_loop);
  EXPECT_NEAR(paper.stored_energy(body.state, body.at), stored, 0.01 * stored);
  EXPECT_LT(off, 0.01 * stored);
  EXPECT_LT(fall, 1e-4 * stored);
}

// Why nothing is claimed: a mass that coasts in its dead zone feels nothing of the k_i (x - x_i)
// that the output shows. The input rests and pays nothing, and what is stored grows.
TEST(multiplay, ACoastingMassCreatesEnergy) {
  model_type model{.elements = 1};
  model.c[0] = 0.01;
  testing::companion body{model};
  body.state[1] = 0.1;  // its velocity
  const double start = model.stored_energy(body.state, body.at);
  for (int i = 0; i < 500; ++i) body.go({0, 0, 1}, 0.01);
  EXPECT_LT(std::abs(body.state[0]), model.Delta[0]);
  EXPECT_GT(model.stored_energy(body.state, body.at), 10 * start);
}

// The states that a motion changes, a position and a velocity for each mass, are those that count.
TEST(multiplay, ActiveStatesAreThoseThatChange) {
  model_type three{.elements = 3};
  vec<double, model_type::states> state{};
  for (int i = 0; i < 3; ++i) state[3 + i] = 0.1;
  const auto rate = three(state, {50, 1, 1}).rate;
  int changing = 0;
  for (int i = 0; i < model_type::states; ++i) changing += rate[i] != 0 ? 1 : 0;
  EXPECT_EQ(three.active_states(), changing);
}

}  // namespace
}  // namespace asperity
