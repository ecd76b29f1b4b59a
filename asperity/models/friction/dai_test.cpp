// SPDX-License-Identifier: Apache-2.0
// The model is tested against the inclusion it was derived from, never against a second copy of the
// ODE.

#include <gtest/gtest.h>

#include <asperity/models/friction/dai.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <asperity/scalar/dual.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const dai<double> model{.K = 2e4, .F = 3.0, .beta = 1e-3};

// f = K (a + beta a_dot) and f in F Sgn(v - a_dot): inside the limit the slider does not move, on
// it the force opposes the slider.
void expect_inclusion(double a, double v, double load, double f, double a_dot,
                      double rounding = 0) {
  const double limit = model.F * load, slip = v - a_dot;
  EXPECT_NEAR(f, model.K * (a + model.beta * a_dot),
              1e-12 * (limit + std::abs(model.K * a)) + model.K * model.beta * rounding);
  EXPECT_LE(std::abs(f), limit);
  if (std::abs(f) < limit * (1 - 1e-12)) {
    EXPECT_NEAR(slip, 0, 1e-12 * std::abs(v) + rounding);
  } else {
    EXPECT_GE(f * slip, -1e-12 * limit * (std::abs(v) + std::abs(a / model.beta)));
  }
}

TEST(dai, ForceSolvesTheInclusion) {
  for (const double load : {0.0, 0.5, 3.0})
    for (const double a : testing::lin_space(-3 * model.F / model.K, 3 * model.F / model.K, 31))
      for (const double v : testing::lin_space(-5, 5, 41)) {
        const auto [f, rate] = model({{a}}, {0, v, load});
        expect_inclusion(a, v, load, f, rate[0]);
      }
}

// The implicit step solves the same inclusion with a_dot = (a - a_0)/h, for every h.
TEST(dai, ImplicitStepSolvesTheDiscretisedInclusion) {
  for (const double load : {0.4, 1.0, 2.5})
    for (const double h : {1e-6, 1e-3, 10.0})
      for (const double a : testing::lin_space(-model.F / model.K, model.F / model.K, 11))
        for (const double v : testing::lin_space(-5, 5, 41)) {
          const double f = model.react({{a}}, load, h).solve(v, 0.0);
          const double end = model.settle({{a}}, f, h)[0];
          const double rounding = 1e-14 * (1 + load) * model.F / model.K / h;
          expect_inclusion(end, v, load, f, (end - a) / h, rounding);
        }
}

// It is first order: halving h halves its distance from the ODE.
TEST(dai, ImplicitStepTendsToTheOde) {
  const vec<double, 1> a{{1e-5}};
  for (const double v : {0.01, 5.0}) {  // stuck, sliding
    const auto error = [&](double h) {
      const double f = model.react(a, 1.0, h).solve(v, 0.0);
      const double exact = testing::follow(
          model, a,
          [v](double) {
            return drive<double>{0, v, 1};
          },
          h, h / 200)[0];
      return std::abs(model.settle(a, f, h)[0] - exact) / h;
    };
    const double coarse = error(2e-6), fine = error(1e-6);
    if (v < 1) {
      EXPECT_LT(coarse, 1e-9);  // a straight line is followed exactly
    } else {
      EXPECT_NEAR(coarse / fine, 2.0, 0.02);
    }
  }
}

// A stride longer than the presliding displacement lands on the limit at once.
TEST(dai, ImplicitStepReachesTheLimitInOneStride) {
  EXPECT_DOUBLE_EQ(model.react({{0.0}}, 1.0, 1.0).solve(1e3, 0.0), model.F);
}

// Stuck, the contact is a spring K beside a damper K beta.
TEST(dai, StuckIsADampedSpring) {
  using number = dual<double, 2>;
  const auto answer =
      dai<number>{}({{number::variable(0, 0)}}, {number(0.0), number::variable(0, 1), number(1.0)});
  const dai<double> same;
  EXPECT_DOUBLE_EQ(answer.f.derivative[0], same.K);
  EXPECT_DOUBLE_EQ(answer.f.derivative[1], same.K * same.beta);
}

// Also in single precision the deflection follows the stuck body to the last bit.
TEST(dai, StuckDeflectionFollowsTheBodyExactly) {
  const dai<float> single;
  for (const float v : {1e-12F, 1e-7F, 1e-4F})
    EXPECT_EQ(single({{0.7e-5F}}, {0.0F, v, 1.0F}).rate[0], v);
}

// A slow cycle of amplitude A costs 4 F (A - F/K): a parallelogram.
TEST(dai, SlowLoopIsAParallelogram) {
  const double A = 5 * model.F / model.K, speed = 1e-5, quarter = A / speed;
  const auto v = [&](double t) { return t < quarter || t > 3 * quarter ? speed : -speed; };
  double work = 0, h = quarter / 20000;
  vec<double, 1> a{};
  for (int cycle = 0; cycle < 2; ++cycle) {
    work = 0;
    for (double t = h / 2; t < 4 * quarter; t += h) {
      const drive<double> in{0, v(t), 1};
      a = testing::runge_kutta_step([&](double, const auto& y) { return model(y, in).rate; }, t, a,
                                    h);
      work += h * in.v * model(a, in).f;
    }
  }
  EXPECT_NEAR(work, 4 * model.F * (A - model.F / model.K), 1e-2 * work);
}

// What the model was made for: a force that oscillates below the limit does not move a body on. A
// LuGre contact of the same stiffness creeps away.
TEST(dai, DoesNotDriftWhereLugreDoes) {
  const auto push = [](double t) {
    return model.F * (t < 0.1 ? 7.0 * t : 0.7 + 0.25 * std::sin(300 * (t - 0.1)));
  };
  lugre<double> bristles{.sigma_0 = model.K, .sigma_1 = model.K * model.beta};
  bristles.g = {.F_c = model.F, .F_s = model.F};
  const auto drift = [&](const auto& contact) {
    const auto x = testing::pushed_mass(contact, 0.01, push, 2.0, 2e-5);
    return x.back() - x[x.size() / 2];
  };
  const double presliding = model.F / model.K;
  EXPECT_LT(std::abs(drift(model)), 0.3 * presliding);  // where in its swing each sample is
  EXPECT_GT(drift(bristles), 3 * presliding);
}

// ---- on a surface -------------------------------------------------------------------------------

using plane = vec<double, 2>;
const dai_vector<double, 2> surface{.K = 2e4, .F = 3.0, .beta = 1e-3};

std::vector<plane> directions(double length) {
  std::vector<plane> result{{{0, 0}}};
  for (const double angle : {0.0, 0.4, 1.9, 3.0, 4.4, 5.9})
    result.push_back({{length * std::cos(angle), length * std::sin(angle)}});
  return result;
}

// The inclusion with the set-valued sign of R^2: f = K (a + beta a_dot) in F load Sgn(v - a_dot).
TEST(dai, ForceOnASurfaceSolvesTheInclusion) {
  for (const double load : {0.0, 0.5, 3.0})
    for (const double reach : {0.3, 0.9, 3.0})
      for (const plane& a : directions(reach * surface.F / surface.K))
        for (const double speed : {1e-3, 0.1, 5.0})
          for (const plane& v : directions(speed)) {
            const auto [f, a_dot] = surface(a, v, load);
            const double size = surface.K * (norm(a) + surface.beta * norm(v));
            EXPECT_LE(norm(f), surface.F * load * (1 + 1e-15));
            EXPECT_LT(norm(f - surface.K * (a + surface.beta * a_dot)), 1e-12 * size + 1e-300);
            EXPECT_TRUE(in_sgn(f, surface.F * load, v - a_dot, 1e-12 * (size + 1)));
          }
}

// Along a line it is the scalar model.
TEST(dai, StraightMotionOnASurfaceIsTheScalarModel) {
  const plane e{{0.6, -0.8}};
  for (const double a : testing::lin_space(-3e-4, 3e-4, 13))
    for (const double v : testing::lin_space(-5, 5, 21)) {
      const auto [f, a_dot] = surface(a * e, v * e, 1.5);
      const auto line = model({{a}}, {0, v, 1.5});
      EXPECT_LT(norm(f - line.f * e), 1e-12 * model.F);
      EXPECT_LE(norm(a_dot - line.rate[0] * e), 1e-12 * (std::abs(v) + std::abs(a) / model.beta));
    }
}

// No direction is preferred: turn the input, and the answer turns with it.
TEST(dai, SurfaceIsIsotropic) {
  const double c = std::cos(0.7), s = std::sin(0.7);
  const auto turned = [&](const plane& p) {
    return plane{{c * p[0] - s * p[1], s * p[0] + c * p[1]}};
  };
  for (const double speed : {1e-3, 0.1, 5.0})
    for (const plane& a : directions(2e-4))
      for (const plane& v : directions(speed)) {
        const auto here = surface(a, v, 1.0), there = surface(turned(a), turned(v), 1.0);
        EXPECT_LT(norm(there.f - turned(here.f)), 1e-12 * surface.F);
        EXPECT_LT(norm(there.a_dot - turned(here.a_dot)), 1e-12 * (1 + norm(v)));
      }
}

// Also in single precision the deflection follows the stuck body to the last bit.
TEST(dai, StuckDeflectionOnASurfaceFollowsTheBodyExactly) {
  const dai_vector<float, 2> single;
  for (const float v : {1e-12F, 1e-7F, 1e-4F}) {
    const auto a_dot = single({{0.5e-5F, 0.3e-5F}}, {{v, 3 * v}}, 1.0F).a_dot;
    EXPECT_EQ(a_dot[0], v);
    EXPECT_EQ(a_dot[1], 3 * v);
  }
}

// Power covers the rate of the stored energy, whatever the directions.
TEST(dai, SurfaceCreatesNoEnergy) {
  for (const double reach : {0.1, 0.8, 1.0, 2.0})
    for (const plane& a : directions(reach * surface.F / surface.K))
      for (const double speed : {1e-3, 0.1, 5.0})
        for (const plane& v : directions(speed)) {
          const auto [f, a_dot] = surface(a, v, 1.0);
          EXPECT_GE(dot(f, v) - surface.K * dot(a, a_dot), -1e-12 * surface.F * (1 + norm(v)));
        }
}

// Sliding round a circle far larger than the presliding displacement costs F per length, and the
// force points along the motion.
TEST(dai, SlidingRoundACircle) {
  const double turn = 2 * std::acos(-1.0), radius = 0.1;
  const auto v = [&](double t) {
    return plane{{-radius * turn * std::sin(turn * t), radius * turn * std::cos(turn * t)}};
  };
  plane a{};
  double work = 0;
  const double h = 1e-4;
  for (int n = 0; n < 20000; ++n) {
    const auto slope = [&](double t, const plane& y) { return surface(y, v(t), 1.0).a_dot; };
    a = testing::runge_kutta_step(slope, n * h, a, h);
    if (n >= 10000) work += h * dot(surface(a, v((n + 1) * h), 1.0).f, v((n + 1) * h));
  }
  EXPECT_NEAR(work, surface.F * turn * radius, 1e-4 * work);
}

// The implicit step for a mass, v = v_free - mobility f, solves the discretised inclusion.
TEST(dai, ImplicitStepOnASurfaceSolvesTheDiscretisedInclusion) {
  for (const double h : {1e-5, 1e-3, 1.0})
    for (const double mobility : {0.0, 1e-3, 10.0})
      for (const plane& a : directions(1e-4))
        for (const plane& v_free : directions(2.0)) {
          const plane f = surface.react(a, v_free, mobility, 1.2, h);
          const plane end = surface.settle(a, f, h), v = v_free - mobility * f;
          const plane a_dot = (1 / h) * (end - a);
          const double size = surface.K * (norm(end) + (surface.beta + h) * norm(v_free)) + 1;
          EXPECT_LT(norm(f - surface.K * (end + surface.beta * a_dot)), 1e-9 * size);
          EXPECT_TRUE(in_sgn(f, 1.2 * surface.F, v - a_dot, 1e-9 * size));
        }
}

// The step of the page: a body thrown along any direction stops on its line after m v^2/(2 F), and
// swings back by the deflection that its contact had.
TEST(dai, BodyThrownOnASurfaceStopsOnItsLine) {
  constexpr double m = 2.0, h = 1e-4, speed = 1.5;
  for (const plane& direction : directions(1.0)) {
    if (norm(direction) == 0) continue;
    const plane along = (1 / norm(direction)) * direction;
    plane x{}, a{}, v = speed * along;
    for (int i = 0; i < 40000; ++i) {
      const plane f = surface.react(a, v, h / m, 1.0, h);
      v = v - (h / m) * f;
      a = surface.settle(a, f, h);
      x = x + h * v;
    }
    const double way = m * speed * speed / (2 * surface.F);
    EXPECT_NEAR(dot(x, along), way, 3 * surface.F / surface.K + speed * h);
    EXPECT_LT(norm(x - dot(x, along) * along), 1e-12);
    EXPECT_LT(norm(v), 1e-9);
  }
}

// With the velocity known, a step is that of a body that no force can move.
TEST(dai, StepAtAKnownVelocityIsTheImplicitOneOfAHeavyBody) {
  for (const double h : {1e-6, 1e-3, 0.1})
    for (const plane& a : directions(0.9 * surface.F / surface.K))
      for (const double speed : {1e-4, 0.1, 5.0})
        for (const plane& v : directions(speed)) {
          const auto [f, next] = surface.step(a, v, 1.5, h);
          EXPECT_LT(norm(f - surface.react(a, v, 0.0, 1.5, h)), 1e-12 * surface.F);
          EXPECT_LE(norm(next - surface.settle(a, f, h)), 1e-14 * (norm(a) + h * speed));
          const vec<double, 2> a_dot = (1 / h) * (next - a);
          const double size = surface.K * (norm(a) + (surface.beta + h) * speed);
          EXPECT_TRUE(in_sgn(f, 1.5 * surface.F, v - a_dot, 1e-10 * (size + 1)));
        }
}

// A stuck body that goes forth and back by the same steps finds its deflection again to the last bit,
// however often.
TEST(dai, StepsOfAStuckBodyDoNotDrift) {
  const double h = 1.0 / 65536, v = 1.0 / 1024;
  plane a{{1.0 / 32768, 0}};
  for (int i = 0; i < 100000; ++i) a = surface.step(a, {{0, i % 2 == 0 ? v : -v}}, 1.0, h).a;
  EXPECT_EQ(a[0], 1.0 / 32768);
  EXPECT_EQ(a[1], 0.0);
}

TEST(dai, QuickBallGivesTheSameFriction) {
  const dai_vector<double, 2, quick_ball> quick{surface.K, surface.F, surface.beta};
  for (const double load : {0.0, 0.5, 3.0})
    for (const plane& a : directions(0.9 * surface.F / surface.K))
      for (const double speed : {1e-3, 0.1, 5.0})
        for (const plane& v : directions(speed)) {
          const plane f = surface(a, v, load).f, next = surface.step(a, v, load, 1e-4).a;
          EXPECT_LE(norm(f - quick(a, v, load).f), 1e-15 * surface.F * load);
          EXPECT_LE(norm(next - quick.step(a, v, load, 1e-4).a),
                    1e-15 * (surface.F * load / surface.K + norm(a)));
        }
}

// Bristles store the work of the force that they hold at rest, which grows as that of a spring.
TEST(dai, BristlesStoreTheWorkOfHoldingForces) {
  for (const double z : {-1e-4, 4e-5})
    EXPECT_DOUBLE_EQ(model.stored_energy({{z}}, {}), z * model({{z / 2}}, {0, 0, 1}).f);
}

// A deflection stores the same in whatever direction of the plane.
TEST(dai, DirectionsStoreAlike) {
  for (const double a : {-1e-4, 4e-5})
    EXPECT_DOUBLE_EQ(surface.stored_energy({{0.6 * a, -0.8 * a}}), model.stored_energy({{a}}, {}));
}

// The margin tells where it slips: elsewhere the deflection moves with the body, to the last bit.
TEST(dai, MarginIsPositiveWhereItSlips) {
  int slips = 0, sticks = 0;
  for (const double load : {0.5, 3.0})
    for (const double a : testing::lin_space(-4.1e-4, 4e-4, 31))
      for (const double v : testing::lin_space(-0.41, 0.4, 41)) {
        const bool is_slipping = model({{a}}, {0, v, load}).rate[0] != v;
        EXPECT_EQ(model.slip_margin({{a}}, {0, v, load}) > 0, is_slipping) << a << ' ' << v;
        ++(is_slipping ? slips : sticks);
      }
  EXPECT_GT(slips, 100);
  EXPECT_GT(sticks, 100);
}

}  // namespace
}  // namespace asperity
