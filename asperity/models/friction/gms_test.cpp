// SPDX-License-Identifier: Apache-2.0
// What Al-Bender, Lampaert and Swevers (2005) and chapter 4 of Xiong's dissertation say of the
// model.

#include <gtest/gtest.h>

#include <asperity/models/friction/dai_multistate.hpp>
#include <asperity/models/friction/gms.hpp>
#include <asperity/models/friction/maxwell_slip.hpp>
#include <asperity/testing.hpp>
#include <numbers>
#include <set>

namespace asperity {
namespace {

using model_type = gms<double>;
const model_type paper{};  // figure 4.11, in SI
constexpr double um = 1e-6, pi = std::numbers::pi;

model_type with_sigma(double newton_second_per_um) {
  model_type model = paper;
  for (int i = 0; i < model.elements; ++i) model.sigma[i] = newton_second_per_um / um;
  return model;
}

// Figure 4.11: v = 10 sin(2 pi t) um/s.
drive<double> wave(double t) {
  return {10 * um / (2 * pi) * (1 - std::cos(2 * pi * t)), 10 * um * std::sin(2 * pi * t), 1};
}

// Without Stribeck effect and damping it is Maxwell slip, element by element.
TEST(gms, FlatCurveIsMaxwellSlip) {
  model_type flat = with_sigma(0);
  flat.g.F_s = flat.g.F_c = 2;
  maxwell_slip<double> same{.elements = flat.elements};
  for (int i = 0; i < flat.elements; ++i) {
    same.k[i] = flat.kappa[i];
    same.Delta[i] = flat.lambda[i] * 2 / flat.kappa[i];
  }
  testing::companion a{flat};
  testing::companion b{same};
  const double h = 0.01;
  double x = 0, largest = 0;
  for (int n = 1; n <= 3000; ++n) {
    const double v = um * (std::sin(2 * n * h) + 1.7 * std::sin(4.4 * n * h));
    const double turn = a.at.v * v < 0 ? h * a.at.v / (a.at.v - v) : 0;
    if (turn > 0) b.go({x + turn * a.at.v / 2, 0, 1}, turn);  // it must see where the motion turns
    x += h * (a.at.v + v) / 2;
    a.go({x, v, 1}, h);
    b.go({x, v, 1}, h);
    ASSERT_NEAR(a.f, b.f, 1e-9) << n;
    largest = std::max(largest, a.f);
  }
  EXPECT_NEAR(largest, 2, 1e-9);
}

// Steady sliding follows the Stribeck curve at any speed and load, and all elements slip.
TEST(gms, SteadySlidingFollowsTheCurve) {
  for (const double v : {1e-7, 4e-6, -4e-6, 1e-3}) {
    testing::companion body{paper};
    body.at = {0, v, 1.7};
    for (int i = 0; i < 100; ++i) body.go({0, v, 1.7}, 5e-7 / std::abs(v) + 0.05);
    EXPECT_NEAR(body.f, std::copysign(1.7 * paper.g.level(v), v), 1e-9);
    EXPECT_EQ(paper.slipping(body.state), paper.elements);
  }
}

// Frictional lag: after a jump of the speed the force goes to the curve with the time constant g/C.
TEST(gms, LagHasTheTimeConstantOfTheLimitOverC) {
  const model_type model = with_sigma(0);
  testing::companion body{model};
  body.at.v = 1 * um;
  for (int i = 0; i < 100; ++i) body.go({0, 1 * um, 1}, 0.1);
  const double v = 20 * um, g = model.g.level(v), before = body.f;
  body.at.v = v;
  body.go({0, v, 1}, g / model.C);
  EXPECT_NEAR((body.f - g) / (before - g), std::exp(-1), 1e-12);
  // Also after a jump down, however far the body gets meanwhile.
  const double slow = 5 * um, higher = model.g.level(slow), from = body.f;
  body.at.v = slow;
  body.go({0, slow, 1}, 5 * higher / model.C);
  EXPECT_NEAR((body.f - higher) / (from - higher), std::exp(-5), 1e-12);
}

// A body that is thrown back takes all elements along, as far as it goes.
TEST(gms, AJumpToTheOtherDirectionMakesAllElementsStick) {
  for (const double v : {-4 * um, 4 * um}) {
    testing::companion body{paper};
    body.at.v = v;
    for (int i = 0; i < 100; ++i) body.go({0, v, 1}, 0.1);
    ASSERT_EQ(paper.slipping(body.state), paper.elements);
    const auto before = body.state;
    body.at.v = -v;
    body.go({0, -v, 1}, 1e-3);
    EXPECT_EQ(paper.sticking(body.state), paper.elements);
    for (int i = 0; i < paper.elements; ++i)
      EXPECT_NEAR(body.state[i], before[i] - 1e-3 * v, 1e-12 * um);
  }
  // One that is stopped at once keeps them where they are.
  testing::companion body{paper};
  body.at.v = 4 * um;
  for (int i = 0; i < 100; ++i) body.go({0, 4 * um, 1}, 0.1);
  const auto before = body.state;
  body.at.v = 0;
  body.go({0, 0, 1.2}, 1e-3);
  EXPECT_EQ(paper.sticking(body.state), paper.elements);
  for (int i = 0; i < paper.elements; ++i) EXPECT_EQ(body.state[i], before[i]);
}

// With a flat curve one long step is enough to arrive at the limit, whichever way, from rest or to
// rest.
TEST(gms, ALongStepFromRestOrToRestEndsAtTheLimit) {
  model_type flat = with_sigma(0);
  flat.g.F_s = flat.g.F_c;
  for (const double v : {-4 * um, 4 * um})
    for (const bool to_rest : {false, true}) {
      testing::companion body{flat};
      body.at = {0, to_rest ? v : 0, 1.3};
      body.go({0, to_rest ? 0 : v, 1.3}, 10);
      EXPECT_NEAR(body.f, std::copysign(1.3 * flat.g.F_c, v), 1e-9) << v << ' ' << to_rest;
      EXPECT_EQ(flat.slipping(body.state), to_rest ? 0 : flat.elements);
    }
}

// Break-away is found inside a step: at constant speed one step does what a thousand do.
TEST(gms, OneStepAtConstantSpeedDoesWhatAThousandDo) {
  const model_type model = with_sigma(0);
  const double v = 3 * um;
  testing::companion once{model}, often{model};
  once.at.v = often.at.v = v;
  for (int step = 0; step < 5; ++step) {
    once.go({0, v, 1}, 0.07);
    for (int i = 0; i < 1000; ++i) often.go({0, v, 1}, 0.07e-3);
    EXPECT_NEAR(once.f, often.f, 1e-10);
    EXPECT_EQ(model.sticking(once.state), model.sticking(often.state));
  }
  EXPECT_EQ(model.sticking(once.state), 0);
}

// With a changing speed the error falls with the square of the step, events or not.
TEST(gms, ErrorFallsWithTheSquareOfTheStep) {
  const model_type model = with_sigma(0);
  const auto end = [&](int steps) {
    testing::companion body{model};
    for (int i = 1; i <= steps; ++i) body.go(wave(0.9 * i / steps), 0.9 / steps);
    return body.f;
  };
  const double exact = end(400000);
  const double coarse = std::abs(end(500) - exact), fine = std::abs(end(2000) - exact);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_LT(fine, coarse / 8);
}

// Also where the load changes, on which break-away depends, and with damping.
TEST(gms, ErrorFallsWithTheSquareOfTheStepUnderAChangingLoad) {
  const auto end = [](int steps) {
    testing::companion body{paper};
    const auto pressed = [](double t) {
      drive<double> at = wave(t);
      at.load = 1.2 + 0.7 * std::sin(11 * t + 1);
      return at;
    };
    body.at = pressed(0);
    for (int i = 1; i <= steps; ++i) body.go(pressed(0.9 * i / steps), 0.9 / steps);
    EXPECT_GT(std::abs(body.f), 0.5);
    return body.f;
  };
  const double exact = end(32000);
  const double coarse = std::abs(end(500) - exact), fine = std::abs(end(2000) - exact);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_LT(fine, coarse / 8);
}

// An element that breaks away in the middle of a step, whose speed rises while the load falls, ends
// where a thousand steps end, up to the square of the step.
TEST(gms, BreakAwayInsideAStepIsThatOfItsParts) {
  model_type one{.elements = 1, .C = 62};
  one.kappa[0] = 5e6;
  one.sigma[0] = 0;
  one.lambda[0] = 1;
  one.g.F_s = one.g.F_c = 0.8;
  for (const double d : {-1.0, 1.0}) {
    const double h = 4e-3;
    const auto at = [&](double share) {
      return drive<double>{0, d * (2 + 2 * share) * um, 1.3 - 0.06 * share};
    };
    testing::companion once{one}, often{one};
    once.at = often.at = at(0);
    once.state[0] = often.state[0] = d * 0.99 / one.kappa[0];
    once.go(at(1), h);
    for (int i = 1; i <= 1000; ++i) often.go(at(i / 1000.0), h / 1000);
    EXPECT_EQ(one.slipping(once.state), 1);
    EXPECT_NEAR(once.f, often.f, 1e-4) << d;
    // Well below its limit under a higher load, it does not.
    testing::companion held{one};
    held.at = {0, d * um, 4};
    held.state[0] = d * 0.99 / one.kappa[0];
    held.go({0, d * um, 4}, h);
    EXPECT_EQ(one.sticking(held.state), 1);
  }
}

// The force is that of springs and dampers: what the deflections and their rates, by differences,
// say, for either way of the motion. An element that sticks does not slip, and the other way round.
TEST(gms, ForceIsThatOfSpringsAndDampers) {
  const double h = 1e-4;
  testing::companion body{paper}, mirrored{paper};
  auto before = body.state, now = body.state;
  double f = 0, largest = 0;
  int compared = 0, mixed = 0;
  for (int i = 1; i <= 9000; ++i) {
    drive<double> to = wave(h * i), back = to;
    to.load = back.load = 1.2 + 0.7 * std::sin(11 * h * i + 1);
    back.x = -to.x;
    back.v = -to.v;
    body.go(to, h);
    EXPECT_EQ(mirrored.go(back, h), -body.f);
    double sum = 0;
    bool changes = i < 3;
    for (int k = 0; k < paper.elements; ++k) {
      const double rate = (body.state[k] - before[k]) / (2 * h);
      sum += paper.kappa[k] * now[k] + paper.sigma[k] * rate;
      const int s = paper.elements + k;
      changes = changes || body.state[s] != now[s] || before[s] != now[s];
    }
    if (!changes) {
      ++compared;
      largest = std::max(largest, std::abs(f - sum));
    }
    const int sticks = paper.sticking(body.state);
    EXPECT_EQ(sticks + paper.slipping(body.state), paper.elements);
    mixed += sticks > 0 && sticks < paper.elements ? 1 : 0;
    before = now;
    now = body.state;
    f = body.f;
  }
  EXPECT_LT(largest, 1e-5);
  EXPECT_GT(compared, 8000);
  EXPECT_GT(mixed, 100);
}

// The largest change of the force from one step to the next.
template <class Model>
double largest_jump(const Model& model, int steps) {
  testing::companion body{model};
  double before = 0, largest = 0;
  for (int i = 1; i <= steps; ++i) {
    body.go(wave(2.0 * i / steps), 2.0 / steps);
    largest = std::max(largest, std::abs(body.f - before));
    before = body.f;
  }
  return largest;
}

// Figure 4.11: the force jumps at the transitions, the more the larger sigma is; however small the
// step. The multistate DAI model with the same parameters is continuous.
TEST(gms, ForceJumpsAndTheMultistateDaiModelDoesNot) {
  const int steps = 20000;
  EXPECT_LT(largest_jump(with_sigma(0), 10 * steps), 0.2 * largest_jump(with_sigma(0), steps));
  double smaller = 0;
  for (const double sigma : {.001, .01, .02}) {
    const double jump = largest_jump(with_sigma(sigma), 10 * steps);
    EXPECT_NEAR(jump, largest_jump(with_sigma(sigma), steps), 0.1 * jump) << sigma;
    EXPECT_GT(jump, 1.5 * smaller) << sigma;
    smaller = jump;
    dai_multistate<double> ours{};
    for (int i = 0; i < ours.elements; ++i) ours.sigma[i] = sigma / um;
    EXPECT_LT(largest_jump(ours, 10 * steps), 0.2 * largest_jump(ours, steps)) << sigma;
  }
}

// Figure 4.11: elements begin to slip one after another and stick again all at once, where those of
// the multistate DAI model stick again one after another.
TEST(gms, ElementsStickAgainTogether) {
  const int steps = 20000;
  testing::companion body{paper};
  std::set<int> on_the_way_to_slip;
  int largest_return = 0, count = paper.elements;
  for (int i = 1; i <= steps; ++i) {
    body.go(wave(2.0 * i / steps), 2.0 / steps);
    const int now = paper.sticking(body.state);
    if (now < count) on_the_way_to_slip.insert(now);
    if (now > count) {
      EXPECT_EQ(count, 0);
      EXPECT_GE(now, paper.elements - 1);
      EXPECT_LE(std::abs(body.at.v), 10 * um * 2 * pi * 2.0 / steps) << "when the motion turns";
    }
    largest_return = std::max(largest_return, now - count);
    count = now;
  }
  EXPECT_EQ(on_the_way_to_slip.size(), 10U);
  EXPECT_GE(largest_return, paper.elements - 1);

  dai_multistate<double> ours{};
  testing::companion other{ours};
  std::set<int> on_the_way_to_stick;
  int before = ours.elements;
  for (int i = 1; i <= steps; ++i) {
    other.go(wave(2.0 * i / steps), 2.0 / steps);
    int now = 0;
    for (int k = 0; k < ours.elements; ++k) {
      const double pull = ours.kappa[k] * other.state[k + 1] + ours.sigma[k] * other.at.v;
      now += std::abs(pull) < ours.lambda[k] * other.state[0] ? 1 : 0;
    }
    if (now > before) on_the_way_to_stick.insert(now);
    before = now;
  }
  EXPECT_GE(on_the_way_to_stick.size(), 8U);
}

// A body at rest is held: no element moves, and none relaxes.
TEST(gms, NothingMovesAtRest) {
  testing::companion body{paper};
  for (int i = 1; i <= 100; ++i) body.go(wave(0.4 * i / 100), 0.004);
  body.go({0, 0, 1}, 1e-3);
  EXPECT_EQ(paper.sticking(body.state), paper.elements);
  const auto before = body.state;
  body.go({0, 0, 1}, 1000);
  for (int i = 0; i < 2 * paper.elements; ++i) EXPECT_EQ(body.state[i], before[i]);
}

// It is not passive, which is why the card does not say so: slowing down loads the springs of
// slipping elements, though the body hardly moves.
TEST(gms, SlowingDownCreatesEnergy) {
  const model_type model = with_sigma(0);
  testing::companion body{model};
  body.at.v = 100 * um;
  for (int i = 0; i < 100; ++i) body.go({0, 100 * um, 1}, 0.01);
  const double before = model.stored_energy(body.state, body.at);
  const double creep = 1e-6 * um;
  body.at.v = creep;
  body.go({0, creep, 1}, 1);
  const double gained = model.stored_energy(body.state, body.at) - before;
  const double most_that_was_put_in = model.g.F_s * creep * 1;
  EXPECT_GT(gained, 1000 * most_that_was_put_in);
}

// Viscous friction comes on top of all else.
TEST(gms, ViscousFrictionIsAdded) {
  model_type viscous = paper;
  viscous.g.sigma_2 = 3e4;
  testing::companion a{paper};
  testing::companion b{viscous};
  for (int i = 1; i <= 300; ++i) {
    const double dry = a.go(wave(0.005 * i), 0.005), all = b.go(wave(0.005 * i), 0.005);
    EXPECT_NEAR(all - dry, 3e4 * a.at.v, 1e-12);
  }
}

// While all elements stick they are springs side by side: what they store is the work done on them.
TEST(gms, StuckElementsStoreTheWorkOfTheirForce) {
  const model_type model = with_sigma(0);
  testing::companion body{model};
  for (const double x : {3e-9, -2e-8}) {
    const double f = body.to(x, 1e-7, 1e-3);
    ASSERT_EQ(model.sticking(body.state), model.elements);
    EXPECT_NEAR(model.stored_energy(body.state, body.at), f * x / 2, 1e-12 * std::abs(f * x));
  }
}

// At constant speed from rest the softest element slips last. Until then the margin is what its
// spring lacks, and gross sliding has begun exactly when no element sticks.
TEST(gms, LastElementDecidesWhenSlidingBegins) {
  const double v = 2 * um, load = 0.7;
  for (const double direction : {-1.0, 1.0}) {
    testing::companion body{paper};
    body.at = {0, direction * v, load};
    double softest = paper.kappa[0];
    for (int i = 0; i < paper.elements; ++i) softest = std::min(softest, paper.kappa[i]);
    const double limit = 0.1 * paper.g.level(v) * load;
    int stuck = 0, sliding = 0;
    for (int i = 1; i <= 200; ++i) {
      const double t = 0.004 * i;
      body.go({0, direction * v, load}, 0.004);
      const double margin = paper.slip_margin(body.state, body.at);
      if (paper.sticking(body.state) > 0) {
        EXPECT_NEAR(margin, softest * v * t - limit, 1e-9) << i;
        EXPECT_LE(margin, 0);
        ++stuck;
      } else {
        EXPECT_GT(margin, 0) << i;
        ++sliding;
      }
    }
    EXPECT_GT(stuck, 5);
    EXPECT_GT(sliding, 5);
  }
}

// The states that a motion changes, in sliding two for each element, are those that count.
TEST(gms, ActiveStatesAreThoseThatChange) {
  model_type few = paper;
  few.elements = 7;
  testing::companion body{few};
  body.to(50 * um, 10 * um, 0.01);
  int changed = 0;
  for (int i = 0; i < model_type::states; ++i) changed += body.state[i] != 0 ? 1 : 0;
  EXPECT_EQ(few.active_states(), changed);
}

}  // namespace
}  // namespace asperity
