// SPDX-License-Identifier: Apache-2.0
// What chapter 4 of the dissertation says of the model, with its own parameters where it gives any.

#include <gtest/gtest.h>

#include <asperity/models/friction/dai.hpp>
#include <asperity/models/friction/dai_multistate.hpp>
#include <asperity/models/friction/dai_stribeck.hpp>
#include <asperity/testing.hpp>
#include <random>

namespace asperity {
namespace {

using model_type = dai_multistate<double>;
const model_type paper{};

// Every element obeys its own inclusion: f_i = kappa_i a_i + sigma_i a_i_dot lies in
// lambda_i gamma load Sgn(v - a_i_dot), and f is their sum.
TEST(dai_multistate, EveryElementSolvesItsInclusion) {
  for (const double v : testing::lin_space(-2e-5, 2e-5, 21))
    for (const double reach : {-2.0, -0.5, 0.0, 0.9, 2.0}) {
      const double load = 1.7;
      auto state = paper.initial();
      state[0] = 1.8;
      for (int i = 1; i <= paper.elements; ++i) state[i] = reach * 5e-8 * std::sqrt(i);
      const auto [f, rate] = paper(state, {0, v, load});
      double sum = 0;
      for (int i = 0; i < paper.elements; ++i) {
        const double limit = paper.lambda[i] * state[0] * load, slip = v - rate[i + 1];
        const double f_i = paper.kappa[i] * state[i + 1] + paper.sigma[i] * rate[i + 1];
        sum += f_i;
        EXPECT_LE(std::abs(f_i), limit * (1 + 1e-12));
        if (std::abs(f_i) < limit * (1 - 1e-9)) {
          EXPECT_NEAR(slip, 0, 1e-12 * std::abs(v));
        } else {
          EXPECT_GE(f_i * slip, -1e-12 * limit);
        }
      }
      EXPECT_NEAR(f, sum, 1e-12);
    }
}

// One element without Stribeck effect is the single-state model.
TEST(dai_multistate, OneElementIsTheSingleStateModel) {
  const dai<double> single{.K = 3e4, .F = 2.0, .beta = 4e-3};
  model_type one{.elements = 1, .tau_d = 0};
  one.kappa[0] = single.K;
  one.sigma[0] = single.K * single.beta;
  one.lambda[0] = 1;
  one.g.F_s = one.g.F_c = single.F;
  ASSERT_EQ(one.valid().verdict, validity::fine);
  for (const double a : testing::lin_space(-1e-4, 1e-4, 11))
    for (const double v : testing::lin_space(-0.1, 0.1, 11)) {
      auto state = one.initial();
      state[1] = a;
      const auto expected = single({{a}}, {0, v, 0.8});
      const auto got = one(state, {0, v, 0.8});
      EXPECT_NEAR(got.f, expected.f, 1e-13);
      EXPECT_NEAR(got.rate[1], expected.rate[0], 1e-14);
    }
}

// At constant speed gamma tends to g(v), and tau_d is the time in which a share 1/e is left.
TEST(dai_multistate, LagTendsToTheCurve) {
  const double v = 2e-5, g = paper.g.level(v);
  const auto sliding = [v](double) { return drive<double>{0, v, 1}; };
  const auto later = testing::follow(paper, paper.initial(), sliding, paper.tau_d, 1e-3);
  EXPECT_NEAR((later[0] - g) / (paper.g.F_s - g), std::exp(-1.0), 1e-6);
  EXPECT_NEAR(testing::follow(paper, later, sliding, 40 * paper.tau_d, 1e-3)[0], g, 1e-12);
}

// Without lag the limit is the curve itself, whatever the state of gamma.
TEST(dai_multistate, WithoutLagGammaIsNotUsed) {
  auto prompt = paper;
  prompt.tau_d = 0;
  auto state = prompt.initial();
  const drive<double> sliding{0, 1e-3, 1};
  const double f = prompt(state, sliding).f;
  EXPECT_NEAR(f, prompt.g.level(sliding.v), 1e-12);
  state[0] = 1e6;
  EXPECT_EQ(prompt(state, sliding).f, f);
  EXPECT_EQ(prompt(state, sliding).rate[0], 0);
}

// As tau_d tends to zero the lagged model tends to the one without.
TEST(dai_multistate, ShortLagIsNoLag) {
  auto prompt = paper, brief = paper;
  prompt.tau_d = 0;
  brief.tau_d = 1e-5;
  const auto wave = [](double t) { return drive<double>{0, 2e-5 * std::sin(6 * t), 1}; };
  const auto a = testing::follow(prompt, prompt.initial(), wave, 0.3, 1e-5);
  const auto b = testing::follow(brief, brief.initial(), wave, 0.3, 1e-5);
  EXPECT_NEAR(prompt(a, wave(0.3)).f, brief(b, wave(0.3)).f, 1e-3);
}

// The force along a slow path through turning points, taken at each of them.
std::vector<double> forces_at(const std::vector<double>& nodes) {
  const double speed = 1e-8;
  auto state = paper.initial();
  double x = 0;
  std::vector<double> forces;
  for (const double node : nodes) {
    const drive<double> in{0, node > x ? speed : -speed, 1};
    state = testing::follow(
        paper, state, [&](double) { return in; }, std::abs(node - x) / speed, 2e-3);
    forces.push_back(paper(state, in).f);
    x = node;
  }
  return forces;
}

// Nonlocal memory (figure 4.7): an inner loop closes where it began, and what follows does not know
// that there was one.
TEST(dai_multistate, InnerLoopsCloseAndAreForgotten) {
  const double um = 1e-6;
  const auto f = forces_at({.4 * um, -.1 * um, .1 * um, -.1 * um, -.3 * um});
  EXPECT_NEAR(f[3], f[1], 5e-3);
  EXPECT_NEAR(f[4], forces_at({.4 * um, -.3 * um}).back(), 5e-3);
  EXPECT_GT(f[2] - f[1], 0.5) << "the inner loop must be worth the name";
}

// Frictional lag (figure 4.9): at the same speed there is more friction while speeding up.
TEST(dai_multistate, SpeedingUpCostsMoreThanSlowingDown) {
  const double pi = std::acos(-1.0);
  const auto wave = [pi](double t) {
    return drive<double>{0, 8e-6 + 7e-6 * std::sin(2 * pi * t), 1};
  };
  const auto state = testing::follow(paper, paper.initial(), wave, 2.0, 1e-3);
  const auto force = [&](double t) {
    return paper(testing::follow(paper, state, wave, t, 1e-3), wave(t)).f;
  };
  for (const double apart : {0.05, 0.1}) {  // from the slowest instant, 0.75
    const double before = 0.75 - apart, after = 0.75 + apart;
    ASSERT_NEAR(wave(before).v, wave(after).v, 1e-15);
    EXPECT_GT(force(after), force(before) + 0.05);
  }
}

// Gross sliding begins when the last element slips, not the first.
TEST(dai_multistate, LastElementDecidesWhenSlidingBegins) {
  auto state = paper.initial();
  for (int i = 1; i < paper.elements; ++i)
    state[i] = 1;  // all but the last far beyond their limits
  EXPECT_LT(paper.slip_margin(state, {0, 0, 1}), 0);
  state[paper.elements] = 1;
  EXPECT_GT(paper.slip_margin(state, {0, 0, 1}), 0);
}

// It has begun exactly when no element moves with the body.
TEST(dai_multistate, MarginIsPositiveWhereEveryElementSlips) {
  std::mt19937 random(12);
  std::uniform_real_distribution<double> part(-1, 1);
  int slide = 0, stick = 0;
  for (const double tau_d : {0.0, 0.02}) {
    auto model = paper;
    model.elements = 2;
    model.lambda[0] = 0.3;
    model.lambda[1] = 0.7;
    model.tau_d = tau_d;
    for (int round = 0; round < 1000; ++round) {
      auto state = model.initial();
      state[0] = 1.8 + 0.7 * part(random);
      state[1] = 6e-7 * part(random);
      state[2] = 1.2e-6 * part(random);
      const drive<double> in{0, 1e-4 * part(random), 1 + 0.5 * part(random)};
      const auto rate = model(state, in).rate;
      const bool slides = rate[1] != in.v && rate[2] != in.v;
      EXPECT_EQ(model.slip_margin(state, in) > 0, slides) << round;
      ++(slides ? slide : stick);
    }
  }
  EXPECT_GT(slide, 200);
  EXPECT_GT(stick, 200);
}

// The states that a motion changes, gamma and one for each element, are those that count.
TEST(dai_multistate, ActiveStatesAreThoseThatChange) {
  auto few = paper;
  few.elements = 7;
  const auto rate = few(few.initial(), {0, 1e-6, 1}).rate;
  int changing = 0;
  for (int i = 0; i < model_type::states; ++i) changing += rate[i] != 0 ? 1 : 0;
  EXPECT_EQ(few.active_states(), changing);
}

// Viscous friction comes on top of the elements.
TEST(dai_multistate, ViscousFrictionIsAdded) {
  auto viscous = paper;
  viscous.g.sigma_2 = 3e4;
  auto state = paper.initial();
  for (int i = 1; i <= paper.elements; ++i) state[i] = 4e-8;
  for (const double v : {-2e-5, 0.0, 4e-6}) {
    const auto dry = paper(state, {0, v, 1.3}), all = viscous(state, {0, v, 1.3});
    EXPECT_NEAR(all.f - dry.f, 3e4 * v, 1e-13);
    for (int i = 0; i <= paper.elements; ++i) EXPECT_EQ(all.rate[i], dry.rate[i]);
  }
}

// Springs store the work of the force that they hold at rest.
TEST(dai_multistate, SpringsStoreTheWorkOfHoldingForces) {
  for (const double a : {-2e-8, 1e-8}) {
    auto state = paper.initial();
    for (int i = 1; i <= paper.elements; ++i) state[i] = a;
    const double f = paper(state, {0, 0, 1}).f;
    EXPECT_NEAR(paper.stored_energy(state, {}), f * a / 2, 1e-14 * f * a);
  }
}

// ---- the implicit step --------------------------------------------------------------------------

// A step of a mass under a force, from a state drawn at random.
struct drawn_step {
  vec<double, model_type::states> state = paper.initial();
  double h, load, mass;
  free_step<double> body;

  explicit drawn_step(std::mt19937& random) {
    std::uniform_real_distribution<double> part(-1, 1);
    state[0] += 0.6 * part(random);
    for (int i = 1; i <= paper.elements; ++i) state[i] = 3e-7 * part(random);
    h = std::pow(10, -4 + 3 * part(random));
    mass = std::pow(10, 2 * part(random));
    load = 1 + 0.5 * part(random);
    const double v = 2e-5 * std::max(0.0, part(random)) * part(random), force = 3 * part(random);
    body = {v, v + h * force / mass, h / mass};
  }

  // What backward Euler asks to be 0, written down from the inclusion alone.
  double residual(double v) const {
    const double gamma = (paper.tau_d * state[0] + h * paper.g.level(v)) / (paper.tau_d + h);
    double f = paper.g.viscous(v);
    for (int i = 0; i < paper.elements; ++i) {
      const double limit = paper.lambda[i] * gamma * load;
      const double trial = paper.kappa[i] * (state[i + 1] + h * v) + paper.sigma[i] * v;
      f += std::clamp(trial, -limit, limit);
    }
    return v - body.u_free + body.mobility * f;
  }

  // Its first zero on the way from the speed at the start, by short strides and bisection.
  double solve() const {
    double near = body.u_start;
    const double way = residual(near) < 0 ? 1 : -1;
    double stride = 1e-12, far = near;
    while (residual(far) * way < 0) {
      near = far;
      far += way * stride;
      stride *= 1.005;
    }
    for (int i = 0; i < 200; ++i) {
      const double middle = 0.5 * (near + far);
      (residual(middle) * way < 0 ? near : far) = middle;
    }
    return 0.5 * (near + far);
  }
};

TEST(dai_multistate, ImplicitStepEndsAtTheFirstSolution) {
  std::mt19937 random(7);
  int others = 0;
  for (int round = 0; round < 300; ++round) {
    const drawn_step step(random);
    const auto end = paper.implicit_step(step.state, step.load, step.h, step.body);
    const double rounding = 1e-13 * (std::abs(step.body.u_free) + 3 * step.body.mobility);
    EXPECT_NEAR(step.residual(end.u), 0, rounding) << round;
    if (std::abs(end.u - step.solve()) > rounding + 1e-9 * std::abs(end.u)) ++others;
  }
  // A secant may leap over two solutions that lie close together.
  EXPECT_LE(others, 3);
}

// v + B (f + sigma_2 v) = u_free is v + B' f = u_free' with both divided by 1 + B sigma_2: the step
// with viscous friction is one without, of a heavier body.
TEST(dai_multistate, ViscousFrictionMakesTheBodyHeavier) {
  auto viscous = paper;
  viscous.g.sigma_2 = 2e5;
  std::mt19937 random(13);
  for (int round = 0; round < 100; ++round) {
    const drawn_step step(random);
    auto heavier = step.body;
    heavier.u_free /= 1 + step.body.mobility * 2e5;
    heavier.mobility /= 1 + step.body.mobility * 2e5;
    const auto got = viscous.implicit_step(step.state, step.load, step.h, step.body);
    const auto expected = paper.implicit_step(step.state, step.load, step.h, heavier);
    const double rounding = 1e-11 * (std::abs(heavier.u_free) + 3 * heavier.mobility);
    EXPECT_NEAR(got.u, expected.u, rounding) << round;
    EXPECT_NEAR(got.f - expected.f, 2e5 * got.u, 1e-7) << round;
    EXPECT_NEAR(got.state[0], expected.state[0], 1e-9) << round;
    for (int i = 1; i <= paper.elements; ++i)
      EXPECT_NEAR(got.state[i], expected.state[i], 1e-7 * 3e-7) << round;
  }
}

// By another method: elements of all sizes, none of which knows where in the list it stands.
TEST(dai_multistate, ManyElementsInAnyOrderEndWhereHalvingEnds) {
  std::mt19937 random(20);
  std::uniform_real_distribution<double> any(-1, 1), size(-1, 1);
  int stuck = 0, mixed = 0, sliding = 0;
  for (int round = 0; round < 2000; ++round) {
    // A limit that does not depend on the speed: one equation in v is left, whose left side rises.
    dai_multistate<double> model;
    model.elements = 1 + round % 20;
    model.tau_d = 0;
    model.g.F_s = model.g.F_c = 1;
    model.g.sigma_2 = round % 3 == 0 ? 0.5 : 0;
    const int n = model.elements;
    double shares = 0;
    for (int i = 0; i < n; ++i) {
      model.kappa[i] = 1e6 * std::pow(10, size(random));
      model.sigma[i] = 1e3 * std::pow(10, size(random));
      model.lambda[i] = std::abs(any(random)) + 0.01;
      shares += model.lambda[i];
    }
    auto state = model.initial();
    const double reach = round % 4 == 0 ? 3 : 1;  // 3: of a load that has fallen
    for (int i = 0; i < n; ++i) {
      model.lambda[i] /= shares;
      state[i + 1] = reach * any(random) * model.lambda[i] / model.kappa[i];
    }
    const double h = 1e-3 * std::pow(10, size(random)), mobility = 1e-3, load = 1;
    const double u_free = mobility * 2 * any(random);
    const auto end = model.implicit_step(state, load, h, {0, u_free, mobility});
    int slips = 0;
    const auto carried = [&](double v) {
      double sum = model.g.sigma_2 * v;
      slips = 0;
      for (int i = 0; i < n; ++i) {
        const double trial = model.kappa[i] * (state[i + 1] + h * v) + model.sigma[i] * v;
        slips += std::abs(trial) > model.lambda[i];
        sum += std::clamp(trial, -model.lambda[i], model.lambda[i]);
      }
      return sum;
    };
    double low = -1, high = 1;
    for (int i = 0; i < 200; ++i) {
      const double v = 0.5 * (low + high);
      (v + mobility * carried(v) < u_free ? low : high) = v;
    }
    const double scale = std::abs(u_free) + mobility;
    EXPECT_NEAR(end.u, low, 1e-10 * scale);
    EXPECT_NEAR(end.f, carried(low), 1e-9);
    (slips == 0 ? stuck : slips == n ? sliding : mixed) += 1;
    // Another unit of length changes nothing, though speeds are far above 1 in it, or far below.
    for (const double unit : {0x1p-80, 0x1p80}) {
      auto same = model;
      auto same_state = state;
      same.g.sigma_2 /= unit;
      for (int i = 0; i < n; ++i) {
        same.kappa[i] /= unit;
        same.sigma[i] /= unit;
        same_state[i + 1] *= unit;
      }
      const auto other =
          same.implicit_step(same_state, load, h, {0, u_free * unit, mobility * unit});
      EXPECT_NEAR(other.u / unit, end.u, 1e-10 * scale);
      EXPECT_NEAR(other.f, end.f, 1e-9);
    }
  }
  EXPECT_GT(std::min({stuck, mixed, sliding}), 50);  // each kind of end was met
}

// As h tends to 0 the step follows the rates: its error falls with h squared.
TEST(dai_multistate, ShortImplicitStepsFollowTheRates) {
  std::mt19937 random(8);
  for (int round = 0; round < 50; ++round) {
    const drawn_step drawn(random);
    const double v = drawn.body.u_start, force = 1.0;
    const auto rates = paper(drawn.state, {0, v, drawn.load});
    const auto error_of = [&](double h) {
      const auto end = paper.implicit_step(drawn.state, drawn.load, h,
                                           {v, v + h * force / drawn.mass, h / drawn.mass});
      double worst = std::abs(end.u - v - h * (force - rates.f) / drawn.mass) / 1e-5;
      for (int i = 0; i <= paper.elements; ++i)
        worst = std::max(worst, std::abs(end.state[i] - drawn.state[i] - h * rates.rate[i]) /
                                    paper.state_scale()[i]);
      return worst;
    };
    // Short beside the time in which the dampers of all elements stop the mass.
    const double h = 1e-3 * drawn.mass / 2e5;
    EXPECT_LT(error_of(h), 0.3 * error_of(2 * h) + 1e-11) << round;
    EXPECT_LT(error_of(h), 1e-3) << round;
  }
}

// Held below its limit, long steps from rest come to rest: a slide that a long enough step would
// bring about by itself is a solution too, and not the one.
TEST(dai_multistate, LongStepsFromRestDoNotBreakAway) {
  const double force = 0.96 * paper.g.F_s, mass = 1;
  for (const double h : {1.0, 36.0, 1e6}) {
    auto state = paper.initial();
    double v = 0, x = 0;
    for (int i = 0; i < 200; ++i) {
      const auto end = paper.implicit_step(state, 1.0, h, {v, v + h * force / mass, h / mass});
      v = end.u;
      x += h * v;
      state = end.state;
    }
    EXPECT_LT(x, 1e-5) << h;
    EXPECT_LT(std::abs(v) * h, 1e-21) << h;  // nothing is left of the motion but rounding
    EXPECT_NEAR(paper(state, {0, 0, 1}).f, force, 1e-14) << h;
  }
}

// Without a force and without deflection nothing moves at all: to the last bit.
TEST(dai_multistate, RestIsExact) {
  const auto start = paper.initial();
  for (const double h : {1e-9, 1.0, 1e9}) {
    const auto end = paper.implicit_step(start, 1.0, h, {0, 0, h});
    EXPECT_EQ(end.u, 0);
    EXPECT_FALSE(std::signbit(end.u));
    EXPECT_EQ(end.f, 0);
    for (int i = 0; i < model_type::states; ++i) EXPECT_EQ(end.state[i], start[i]);
  }
}

// A step never gives more energy than it takes, however long it is.
TEST(dai_multistate, ImplicitStepsCreateNoEnergy) {
  std::mt19937 random(9);
  for (int round = 0; round < 300; ++round) {
    const drawn_step step(random);
    const auto end = paper.implicit_step(step.state, step.load, step.h, step.body);
    const double before = paper.stored_energy(step.state, {}),
                 after = paper.stored_energy(end.state, {});
    EXPECT_LE(after - before, step.h * end.f * end.u + 1e-12 * (before + after)) << round;
  }
}

// One element without lag is dai_stribeck, whose step has another form.
TEST(dai_multistate, StepOfOneElementIsThatOfDaiStribeck) {
  const dai_stribeck<double> single{.kappa = 3e4, .sigma = 120};
  model_type one{.elements = 1, .tau_d = 0};
  one.kappa[0] = single.kappa;
  one.sigma[0] = single.sigma;
  one.lambda[0] = 1;
  one.g = single.g;
  std::mt19937 random(10);
  std::uniform_real_distribution<double> part(-1, 1);
  for (int round = 0; round < 300; ++round) {
    auto state = one.initial();
    state[1] = 1e-4 * part(random);
    const double h = std::pow(10, -3 + 2 * part(random)), v = 2e-3 * part(random);
    const free_step<double> body{v, v + h * 2 * part(random), h};
    const auto expected = single.implicit_step({{state[1]}}, 0.8, h, body);
    const auto got = one.implicit_step(state, 0.8, h, body);
    EXPECT_NEAR(got.u, expected.u, 1e-12 * std::abs(body.u_free)) << round;
    EXPECT_NEAR(got.f, expected.f, 1e-9) << round;
    EXPECT_NEAR(got.state[1], expected.state[0], 1e-14) << round;
  }
}

// Shares that do not sum to 1 are refused; so is a curve that is refused itself.
TEST(dai_multistate, SharesMustSumToOne) {
  EXPECT_EQ(paper.valid().verdict, validity::fine);
  EXPECT_EQ(dai_multistate<float>{}.valid().verdict, validity::fine);
  auto nine = paper;
  nine.elements = 9;
  EXPECT_EQ(nine.valid().verdict, validity::refused);
  auto rising = paper;
  rising.g.F_s = 0.1;
  EXPECT_EQ(rising.valid().verdict, validity::refused);
}

}  // namespace
}  // namespace asperity
