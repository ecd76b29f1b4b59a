// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/friction/lugre.hpp>
#include <asperity/models/friction/mpabm.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const mpabm<double> model{
    .sigma = 2e5, .sigma_0 = 5e4, .theta_min = 0.1, .theta_max = 0.133, .v_s = 0.01};

// Drincic 2012: it is LuGre without damping. The angles times sigma_0/sigma are the forces.
TEST(mpabm, IsLugreWithoutDamping) {
  lugre<double> bristles{.sigma_0 = model.sigma_0, .sigma_1 = 0};
  bristles.g = {.F_c = model.theta_min * model.sigma_0 / model.sigma,
                .F_s = model.theta_max * model.sigma_0 / model.sigma,
                .v_s = model.v_s,
                .delta = 2,
                .sigma_2 = 0};
  for (const double load : {0.4, 1.0, 3.0})
    for (const double z : testing::lin_space(-1e-6, 1e-6, 9))
      for (const double v : testing::lin_space(-0.05, 0.05, 21)) {
        const auto ours = model({{z}}, {0, v, load}), theirs = bristles({{z}}, {0, v, load});
        EXPECT_DOUBLE_EQ(ours.f, theirs.f);
        EXPECT_NEAR(ours.rate[0], theirs.rate[0], 1e-13 * std::abs(v));
      }
}

// D(3.82): with sigma_0 = (kappa/h) sigma the force of steady sliding is kappa/h times the mean
// angle, theta_max when creeping and theta_min in fast sliding.
TEST(mpabm, SteadySlidingShowsTheMeanAngle) {
  const double kappa_over_h = model.sigma_0 / model.sigma;
  const auto force = [](double v) {
    return testing::steady_force(model, {0, v, 1}, 1e-8 / std::abs(v), 3000);
  };
  EXPECT_NEAR(force(1e-6), kappa_over_h * 0.133, 1e-8);
  EXPECT_NEAR(force(-1.0), -kappa_over_h * 0.1, 1e-8);
}

// At constant velocity the exponential step is exact for any length.
TEST(mpabm, ExponentialStepIsExactAtConstantVelocity) {
  const double v = 0.007, duration = 1e-4;
  const auto motion = [v](double t) { return drive<double>{v * t, v, 1}; };
  const double exact = testing::follow(model, {}, motion, duration, 1e-7)[0];
  vec<double, 1> z{};
  model.advance(z, motion(0), motion(duration), duration);
  EXPECT_NEAR(z[0], exact, 1e-10 * exact);
}

TEST(mpabm, RefusesAnglesInTheWrongOrder) {
  EXPECT_EQ(model.valid().verdict, validity::fine);
  EXPECT_EQ((mpabm<double>{.theta_min = 0.5, .theta_max = 0.4}.valid().verdict), validity::refused);
}

// Bristles store the work of the force that they hold at rest, which grows as that of a spring.
TEST(mpabm, BristlesStoreTheWorkOfHoldingForces) {
  for (const double z : {-1e-6, 4e-7})
    EXPECT_DOUBLE_EQ(model.stored_energy({{z}}, {}), z * model({{z / 2}}, {0, 0, 1}).f);
}

// Speed and load may change within a step, also where the curve is steep: the error falls with the
// square of the step.
TEST(mpabm, ErrorFallsWithTheSquareOfTheStep) {
  const double pi = 3.14159265358979323846, v_0 = model.v_s,
               period = 5 * model.theta_max / model.sigma / v_0;
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
