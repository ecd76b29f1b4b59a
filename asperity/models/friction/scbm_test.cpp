// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/curve/stribeck_exponential.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <asperity/models/friction/scbm.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const scbm<double> model{};  // the values of Drincic 2012, figure 4.12, with the sech curve

template <class Ours, class Theirs>
void expect_same(const Ours& ours, const Theirs& theirs) {
  for (const double load : {0.4, 1.0, 3.0})
    for (const double z : testing::lin_space(-4e-5, 4e-5, 9))
      for (const double v : testing::lin_space(-0.5, 0.5, 21)) {
        const auto a = ours({{z}}, {0, v, load}), b = theirs({{z}}, {0, v, load});
        EXPECT_NEAR(a.f, b.f, 1e-15);
        EXPECT_NEAR(a.rate[0], b.rate[0], 1e-13 * std::abs(v));
      }
}

// D(4.73) is LuGre without damping on the sech curve.
TEST(scbm, IsLugreWithoutDampingOnTheSechCurve) {
  lugre<double, stribeck_sech<double>> bristles{.sigma_0 = 1e5, .sigma_1 = 0};
  bristles.g = {.k_tilde = 1, .h_0 = 2, .y_1 = 1, .y_2 = 0.5, .v_s = 0.1, .sigma_2 = 0};
  expect_same(model, bristles);
}

// D(4.76) is LuGre itself, k (h_0 - y_1) being F_c and k y_2 being F_s - F_c.
TEST(scbm, IsLugreWithTheExponentialCurve) {
  const double k = 0.75, h_0 = 1.7, y_1 = 0.4, y_2 = 0.3;  // figure 4.11
  scbm<double, stribeck_exponential<double>> ours;
  ours.g = {.F_c = k * (h_0 - y_1), .F_s = k * (h_0 - y_1 + y_2), .v_s = 0.1};
  lugre<double> bristles{.sigma_0 = 1e5, .sigma_1 = 0};
  bristles.g = ours.g;
  expect_same(ours, bristles);
}

// Creeping, the body is at its lowest, y_1 - y_2, and friction is k (h_0 - y_1 + y_2); fast, it
// rides at y_1.
TEST(scbm, SteadySlidingFollowsTheMeanHeight) {
  const auto force = [](double v) {
    return testing::steady_force(model, {0, v, 2}, 5e-7 / std::abs(v), 3000);
  };
  EXPECT_NEAR(force(1e-6), 2 * 1.5, 1e-8);
  EXPECT_NEAR(force(-5.0), -2 * 1.0, 1e-8);
}

// At constant velocity the exponential step is exact; a stride far beyond the presliding length
// lands on the curve, where an explicit step would blow up.
TEST(scbm, ExponentialStepIsExactAtConstantVelocity) {
  const double v = 0.07, duration = 1e-4;
  const auto motion = [v](double t) { return drive<double>{v * t, v, 1}; };
  const double exact = testing::follow(model, {}, motion, duration, 1e-7)[0];
  vec<double, 1> z{};
  model.advance(z, motion(0), motion(duration), duration);
  EXPECT_NEAR(z[0], exact, 1e-10 * exact);
  EXPECT_NEAR(model.advance(z, motion(0), motion(1.0), 1.0), model.g.level(v), 1e-12);
}

// Speed and load may change within a step: the error falls with its square.
TEST(scbm, ErrorFallsWithTheSquareOfTheStep) {
  const double pi = 3.14159265358979323846, v_0 = 5 * model.state_scale()[0];
  const auto motion = [&](double t) {
    return drive<double>{v_0 * (t + 0.5 * (1 - std::cos(2 * pi * t)) / (2 * pi)),
                         v_0 * (1 + 0.5 * std::sin(2 * pi * t)), 1 + 0.5 * std::cos(2 * pi * t)};
  };
  const double end = 0.8;
  const double exact = model(testing::follow(model, {}, motion, end, 1e-4), motion(end)).f;
  const auto error = [&](int steps) {
    vec<double, 1> z{};
    double f = 0;
    for (int i = 0; i < steps; ++i)
      f = model.advance(z, motion(end * i / steps), motion(end * (i + 1) / steps), end / steps);
    return std::abs(f - exact);
  };
  EXPECT_NEAR(error(40) / error(80), 4.0, 0.3);
  EXPECT_NEAR(error(80) / error(160), 4.0, 0.2);
}

// Bristles store the work of the force that they hold at rest, which grows as that of a spring.
TEST(scbm, BristlesStoreTheWorkOfHoldingForces) {
  for (const double z : {-1e-5, 4e-6})
    EXPECT_DOUBLE_EQ(model.stored_energy({{z}}, {}), z * model({{z / 2}}, {0, 0, 1}).f);
}

// Viscous friction comes on top of the bristles, in rates and in steps.
TEST(scbm, ViscousFrictionIsAdded) {
  auto viscous = model;
  viscous.g.sigma_2 = 0.3;
  for (const double v : {-0.2, 0.05}) {
    EXPECT_NEAR(viscous({{4e-6}}, {0, v, 1}).f - model({{4e-6}}, {0, v, 1}).f, 0.3 * v, 1e-15);
    vec<double, 1> ours{}, theirs{};
    const drive<double> from{0, 0.5 * v, 1}, to{1e-5 * v, v, 1};
    EXPECT_NEAR(viscous.advance(ours, from, to, 1e-5) - model.advance(theirs, from, to, 1e-5),
                0.3 * v, 1e-15);
    EXPECT_EQ(ours[0], theirs[0]);
  }
}

// Speed and load may change within a step, also where the curve is steep: the error falls with the
// square of the step.
TEST(scbm, ErrorFallsWithTheSquareOfTheStepOnTheFallingCurve) {
  const double pi = 3.14159265358979323846, v_0 = model.g.v_s,
               period = 5 * 1.5 / model.sigma_0 / v_0;
  const auto motion = [&](double t) {
    const double phase = 2 * pi * t / period;
    return drive<double>{v_0 * (t + 0.5 * period * (1 - std::cos(phase)) / (2 * pi)),
                         v_0 * (1 + 0.5 * std::sin(phase)), 1 + 0.5 * std::cos(phase)};
  };
  const double end = 0.8 * period;
  const double exact = model(testing::follow(model, {}, motion, end, 1e-4 * period), motion(end)).f;
  const auto error = [&](int steps) {
    vec<double, 1> z{};
    double f = 0;
    for (int i = 0; i < steps; ++i)
      f = model.advance(z, motion(end * i / steps), motion(end * (i + 1) / steps), end / steps);
    return std::abs(f - exact);
  };
  EXPECT_LT(error(160), 1e-3 * exact);
  EXPECT_NEAR(error(160) / error(320), 4.0, 0.3);
}

}  // namespace
}  // namespace asperity
