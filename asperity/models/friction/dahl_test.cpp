// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/friction/dahl.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <asperity/testing.hpp>
#include <limits>
#include <random>

namespace asperity {
namespace {

using model_type = dahl<double>;

// Force after a path through turning points, by the exact step, each part cut into pieces.
double force_after(const model_type& model, const std::vector<double>& turns, int pieces = 1,
                   double h = 1.0) {
  vec<double, 1> f{};
  double x = 0;
  for (const double turn : turns) {
    const double start = x;
    for (int n = 1; n <= pieces; ++n) {
      const double next = start + (turn - start) * n / pieces;
      model.advance(f, {x, 0, 1}, {next, 0, 1}, h);
      x = next;
    }
  }
  return f[0];
}

// LuGre without Stribeck effect and damping is Dahl with i = 1 and the same sigma_0, in every state
// and under every load, also where a fallen load has left the force beyond its limit.
TEST(dahl, IsLugreWithoutStribeckEffectAndDamping) {
  const model_type model{.sigma_0 = 3e4, .F_c = 2.0, .i = 1.0};
  lugre<double> bristles{.sigma_0 = 3e4, .sigma_1 = 0};
  bristles.g = {.F_c = 2.0, .F_s = 2.0, .sigma_2 = 0};
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int n = 0; n < 1000; ++n) {
    const double f = 6 * number(engine), load = 2 + number(engine);
    const drive<double> in{0, std::pow(10.0, 3 * number(engine)) * number(engine), load};
    const auto ours = model({{f}}, in);
    const auto theirs = bristles({{f / 3e4}}, in);
    EXPECT_NEAR(ours.f, theirs.f, 1e-14 * std::abs(f));
    EXPECT_NEAR(ours.rate[0], 3e4 * theirs.rate[0], 1e-11 * 3e4 * std::abs(in.v));
  }
}

// The exact step and Runge-Kutta on the equation agree, for shapes on both sides of 1.
TEST(dahl, ExactStepIsTheSolutionOfTheEquation) {
  for (const double i : {0.25, 0.5, 0.9, 1.0, 1.5, 2.0, 3.0}) {
    const model_type model{.sigma_0 = 1.5, .F_c = 0.75, .i = i};
    for (const auto& [start, v] : {std::pair{0.0, 0.3}, {0.7, -0.5}, {-0.3, 0.2}}) {
      const double duration = 0.9;
      const auto steady = [speed = v](double) { return drive<double>{0, speed, 1}; };
      const double by_steps = testing::follow(model, {{start}}, steady, duration, 1e-4)[0];
      vec<double, 1> f{{start}};
      model.advance(f, {0, v, 1}, {v * duration, v, 1}, duration);
      EXPECT_NEAR(f[0], by_steps, 1e-9) << "i = " << i << ", v = " << v;
    }
  }
}

// The stiffness at f = 0 is sigma_0, whatever the shape.
TEST(dahl, StartsAsASpring) {
  for (const double i : {0.0, 0.5, 1.0, 2.0}) {
    const model_type model{.sigma_0 = 7, .F_c = 2, .i = i};
    EXPECT_NEAR(force_after(model, {1e-6}), 7e-6, 1e-10);
    EXPECT_DOUBLE_EQ(model({{0.0}}, {0, 0.3, 1}).rate[0], 7 * 0.3);
  }
}

// With i = 0 it is a spring with a slider: straight, then constant. A cycle of amplitude A costs
// 4 F_c (A - F_c/sigma_0).
TEST(dahl, ShapeZeroIsASpringWithASlider) {
  const model_type model{.sigma_0 = 4, .F_c = 2, .i = 0};
  EXPECT_DOUBLE_EQ(force_after(model, {0.4}), 1.6);
  EXPECT_DOUBLE_EQ(force_after(model, {0.6}), 2.0);
  EXPECT_NEAR(force_after(model, {3.0, 2.4}), -0.4, 1e-14);
  EXPECT_DOUBLE_EQ(force_after(model, {3.0, 1.9}), -2.0);
}

// Below i = 1 the limit is reached after the finite path F_c/(sigma_0 (1 - i)) and not before; from
// 1 on it is only approached.
TEST(dahl, ReachesTheLimitAfterAFinitePathBelowOne) {
  for (const double i : {0.0, 0.25, 0.5, 0.8}) {
    const model_type model{.sigma_0 = 4, .F_c = 2, .i = i};
    const double path = 0.5 / (1 - i);
    EXPECT_LT(force_after(model, {0.99 * path}), 2.0);
    EXPECT_EQ(force_after(model, {1.0001 * path}), 2.0);
  }
  for (const double i : {1.0, 1.5, 2.0})
    EXPECT_LT(force_after({.sigma_0 = 4, .F_c = 2, .i = i}, {10.0}), 2.0);
}

// Not Lipschitz at the limit, and yet no fixed step, however long, drives the force past F_c or to
// NaN, by Euler or by Runge-Kutta, in sliding and through reversals.
TEST(dahl, NoFixedStepRunsPastTheLimit) {
  for (const double i : {0.0, 0.1, 0.5, 0.9, 0.999})
    for (const double stride : {0.01, 0.3, 1.0, 1.9, 2.5, 10.0, 1e3})  // in units of F_c/sigma_0
      for (const bool euler : {true, false}) {
        const model_type model{.sigma_0 = 4, .F_c = 2, .i = i};
        vec<double, 1> f{};
        const double h = stride * 0.5, one_step = stride * model.F_c * std::exp2(i);
        for (int n = 0; n < 400; ++n) {
          const drive<double> in{0, n / 100 % 2 == 0 ? 1.0 : -1.0, 1};
          const auto slope = [&](double, const auto& y) { return model(y, in).rate; };
          if (euler) {
            f[0] += h * slope(0, f)[0];
          } else {
            f = testing::runge_kutta_step(slope, 0, f, h);
          }
          const double force = model(f, in).f;
          ASSERT_TRUE(std::isfinite(force));
          ASSERT_LE(std::abs(force), model.F_c) << "i = " << i << ", stride " << stride;
          // The state itself passes by no more than the steps that cross the limit.
          ASSERT_LE(std::abs(f[0]), model.F_c + 2 * one_step);
        }
      }
}

// With steps below F_c/sigma_0 it does not chatter: once at the limit, the force stays there.
TEST(dahl, DoesNotChatterAtTheLimit) {
  for (const double i : {0.0, 0.25, 0.5, 0.75})
    for (const double stride : {0.003, 0.1, 0.9}) {
      const model_type model{.sigma_0 = 4, .F_c = 2, .i = i};
      const drive<double> in{0, 1, 1};
      vec<double, 1> f{};
      bool arrived = false;
      for (int n = 0; n < 10000; ++n) {
        f[0] += stride * 0.5 * model(f, in).rate[0];
        const bool at_limit = model(f, in).f == model.F_c;
        EXPECT_TRUE(at_limit || !arrived) << "i = " << i << ", stride " << stride;
        arrived = arrived || at_limit;
      }
      EXPECT_TRUE(arrived);
    }
}

// A fallen load takes the limit with it: after some sliding, the force that the old load allowed is
// forgotten, and comes back along the spring when the load does. Below 1, too.
TEST(dahl, FallenLoadIsForgotten) {
  for (const double i : {0.0, 0.5, 1.0}) {
    const model_type model{.sigma_0 = 4, .F_c = 2, .i = i};
    const auto slide = [&](const vec<double, 1>& f, double load, double path) {
      const auto steady = [load](double) { return drive<double>{0, 1, load}; };
      return testing::follow(model, f, steady, path, 1e-3);
    };
    const auto loaded = slide({}, 3.0, 20.0), unloaded = slide(loaded, 1.0, 10.0);
    EXPECT_NEAR(model(loaded, {0, 1, 3.0}).f, 6.0, 1e-4);
    EXPECT_NEAR(unloaded[0], 2.0, 1e-3) << "i = " << i;
    EXPECT_LT(model(slide(unloaded, 3.0, 0.1), {0, 1, 3.0}).f, 2.0 + 4 * 0.1 + 1e-3);
  }
}

// Rate independent: the exact step does not look at the time it is given, and a path in pieces is
// the path in one.
TEST(dahl, PathAloneMatters) {
  for (const double i : {0.0, 0.5, 1.0, 2.0}) {
    const model_type model{.sigma_0 = 7.5, .F_c = 1.5, .i = i};
    const std::vector<double> turns{0.5, -0.1, 0.3, 0.2};
    EXPECT_EQ(force_after(model, turns, 1, 1e-3), force_after(model, turns, 1, 1e3));
    EXPECT_NEAR(force_after(model, turns, 1), force_after(model, turns, 1000), 1e-12);
  }
}

// Local memory (Drincic 2012, figure 1.9): after large cycles, small ones run into one and the same
// loop, whether they began on the way up or down.
TEST(dahl, SmallCyclesForgetWhereTheyBegan) {
  const model_type model{.sigma_0 = 7.5, .F_c = 1.5, .i = 1};
  std::vector<double> from_above{5, -5, 5}, from_below{5, -5};
  for (int n = 0; n < 20; ++n)
    for (auto* path : {&from_above, &from_below}) path->insert(path->end(), {-1.0, 1.0});
  EXPECT_NEAR(force_after(model, from_above), force_after(model, from_below), 1e-9);
}

// The published weakness: a push that oscillates below F_c moves the body on and on.
TEST(dahl, DriftsBelowTheLimit) {
  const model_type model{.sigma_0 = 2e4, .F_c = 3, .i = 1};
  const auto push = [](double t) {
    return 3 * (t < 0.1 ? 7 * t : 0.7 + 0.25 * std::sin(300 * (t - 0.1)));
  };
  const auto x = testing::pushed_mass(model, 0.01, push, 2.0, 2e-5);
  EXPECT_GT(x.back() - x[x.size() / 2], 3 * model.F_c / model.sigma_0);
}

// Near no force it is a spring of stiffness sigma_0: a force F has pulled it by F/sigma_0, and half
// of their product is stored.
TEST(dahl, StoresWhatASpringDoes) {
  const model_type model{.sigma_0 = 2e4, .F_c = 3, .i = 1};
  for (const double x : {-1e-8, 3e-8})
    EXPECT_NEAR(model.stored_energy({{force_after(model, {x})}}, {}),
                x * force_after(model, {x}) / 2, 1e-3 * model.sigma_0 * x * x);
}

// Also where a fallen load has left the force far beyond its limit, whichever way it moves then, the
// exact step is the solution of the equation, and its force is that of the equation.
TEST(dahl, ExactStepTakesBackWhatAFallenLoadLeft) {
  for (const double i : {0.0, 0.25, 0.5, 0.9, 1.0, 1.5}) {
    const model_type model{.sigma_0 = 1.5, .F_c = 0.75, .i = i};
    for (const double start : {-4.0, -1.3, 0.5, 1.1, 1.8, 5.0})
      for (const double v : {-0.5, 0.5})
        for (const double duration : {0.3, 1.0, 4.0}) {
          const double load = 1.3;
          const auto steady = [=](double) { return drive<double>{0, v, load}; };
          const double by_steps = testing::follow(model, {{start}}, steady, duration, 1e-3)[0];
          vec<double, 1> f{{start}};
          const drive<double> to{v * duration, v, load};
          const double force = model.advance(f, {0, v, 3.0}, to, duration);
          EXPECT_NEAR(f[0], by_steps, 2e-3) << i << ' ' << start << ' ' << v << ' ' << duration;
          EXPECT_EQ(force, model(f, to).f) << i << ' ' << start << ' ' << v << ' ' << duration;
        }
  }
}

// At rest nothing changes, whatever the force is and whichever the shape: not in the equation, and
// not in the exact step, which keeps the state to the last bit.
TEST(dahl, AtRestNothingChanges) {
  for (const double i : {0.0, 0.5, 1.0, 1.5})
    for (const double start : {-1.8, -0.3, 0.0, 0.5, 1.1}) {
      const model_type model{.sigma_0 = 1.5, .F_c = 0.75, .i = i};
      EXPECT_EQ(model({{start}}, {0.2, 0, 1.3}).rate[0], 0) << i << ' ' << start;
      vec<double, 1> f{{start}};
      model.advance(f, {0.2, 0, 1.3}, {0.2, 0, 1.3}, 0.1);
      EXPECT_EQ(f[0], start) << i;
    }
}

// A position that is not a number does not look like rest.
TEST(dahl, NotANumberComesOut) {
  for (const double i : {0.5, 1.0, 1.5}) {
    vec<double, 1> f{{0.3}};
    const double lost = std::numeric_limits<double>::quiet_NaN();
    const double force = model_type{.i = i}.advance(f, {0, 1, 1}, {lost, 1, 1}, 0.1);
    EXPECT_TRUE(std::isnan(f[0])) << i;
    EXPECT_TRUE(std::isnan(force)) << i;
  }
}

}  // namespace
}  // namespace asperity
