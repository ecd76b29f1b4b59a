// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/friction/dahl.hpp>
#include <asperity/models/friction/ffbm.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const ffbm<double> model{};

// Force after sliding in from far away to x, at a speed of either sign.
double sliding_force(double x, double direction) {
  const double speed = 0.01 * direction, duration = 5e-2;  // thirty presliding lengths and more
  const auto motion = [&](double t) { return drive<double>{x - speed * (duration - t), speed, 1}; };
  return model(testing::follow(model, {}, motion, duration, 1e-5), motion(duration)).f;
}

// Slow sliding shows the sawtooth: F_min behind a bristle, F_max before the next, and the teeth
// point the other way when the motion does. The mean bristle trails by its own short length.
TEST(ffbm, SlidingShowsTheSawtooth) {
  for (const double tooth : {-3.0, -1.0, 0.0, 1.0, 7.0})
    for (const double share : {0.2, 0.5, 0.9}) {
      const double x = (tooth + share) * model.Delta;
      const double rising = model.F_min + share * (model.F_max - model.F_min);
      EXPECT_NEAR(sliding_force(x, +1), rising, 5e-4) << "x = " << x;
      EXPECT_NEAR(sliding_force(-x, -1), -rising, 5e-4) << "x = " << -x;
    }
}

// mod is the floor version: left of the origin the teeth go on as they are on the right.
TEST(ffbm, TeethRepeatAcrossTheOrigin) {
  for (const double x : {-0.049, -0.02, -1e-3, 0.013})
    for (const double v : {-0.3, 0.3}) {
      const double here = model({{5e-6}}, {x, v, 1}).rate[0];
      for (const int teeth : {-4, -1, 1, 5})
        EXPECT_NEAR(model({{5e-6}}, {x + teeth * model.Delta, v, 1}).rate[0], here, 1e-12);
    }
  EXPECT_GE(model.level(-1e-18), model.F_min);
  EXPECT_LE(model.level(-1e-18), model.F_max);
}

// Without teeth it is Dahl friction with i = 1.
TEST(ffbm, ReducesToDahlWithoutTeeth) {
  const ffbm<double> flat{.sigma_0 = 1e4, .F_min = 2, .F_max = 2, .Delta = 0.1};
  const dahl<double> plain{.sigma_0 = 1e4, .F_c = 2, .i = 1};
  for (const double z : testing::lin_space(-2e-4, 2e-4, 9))
    for (const double v : {-0.3, 0.0, 0.2}) {
      const auto ours = flat({{z}}, {0.123, v, 1.5}), theirs = plain({{1e4 * z}}, {0.123, v, 1.5});
      EXPECT_DOUBLE_EQ(ours.f, theirs.f);
      EXPECT_NEAR(1e4 * ours.rate[0], theirs.rate[0], 1e-10);
    }
}

// The exponential step is second order along a tooth, and stable for strides far beyond the
// presliding length, where an explicit step would blow up.
TEST(ffbm, ExponentialStepFollowsTheEquation) {
  const auto at_end = [](int steps) {
    vec<double, 1> z{};
    const double path = 2e-4;
    double f = 0;
    for (int n = 0; n < steps; ++n)
      f = model.advance(z, {0.01 + path * n / steps, 1, 1}, {0.01 + path * (n + 1) / steps, 1, 1},
                        path / steps);
    return f;
  };
  const auto motion = [](double t) { return drive<double>{0.01 + t, 1, 1}; };
  const double exact = model.sigma_0 * testing::follow(model, {}, motion, 2e-4, 1e-7)[0];
  const double coarse = std::abs(at_end(40) - exact), fine = std::abs(at_end(80) - exact);
  EXPECT_LT(coarse, 1e-5);
  EXPECT_NEAR(coarse / fine, 4, 0.5);
  vec<double, 1> z{};
  EXPECT_NEAR(model.advance(z, {0.0, 1, 1}, {0.02, 1, 1}, 1.0), model.level(0.01), 1e-12);
}

TEST(ffbm, RefusesAFallingTooth) {
  EXPECT_EQ(model.valid().verdict, validity::fine);
  EXPECT_EQ((ffbm<double>{.F_min = 2, .F_max = 1}.valid().verdict), validity::refused);
}

// Bristles store the work of the force that they hold at rest, which grows as that of a spring.
TEST(ffbm, BristlesStoreTheWorkOfHoldingForces) {
  for (const double z : {-1e-5, 4e-6})
    EXPECT_DOUBLE_EQ(model.stored_energy({{z}}, {}), z * model({{z / 2}}, {0, 0, 1}).f);
}

// The load may change within a step: the error falls with the square of the step.
TEST(ffbm, ErrorFallsWithTheSquareOfTheStep) {
  const auto motion = [](double t) {
    return drive<double>{0.01 + t + 5e-5 * std::sin(4e4 * t) / 4, 1 + 0.5 * std::cos(4e4 * t),
                         1 + 0.5 * std::sin(5e4 * t + 1)};
  };
  const double end = 2e-4;
  const double exact = model(testing::follow(model, {}, motion, end, 1e-8), motion(end)).f;
  const auto error = [&](int steps) {
    vec<double, 1> z{};
    double f = 0;
    for (int i = 0; i < steps; ++i)
      f = model.advance(z, motion(end * i / steps), motion(end * (i + 1) / steps), end / steps);
    return std::abs(f - exact);
  };
  EXPECT_LT(error(320), 1e-3 * exact);
  EXPECT_NEAR(error(320) / error(640), 4.0, 0.3);
}

}  // namespace
}  // namespace asperity
