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

// At constant load one step of any length is the solution of the equation: within a tooth, to the
// next one, over several, from states on either side, both ways, soft and stiff.
TEST(ffbm, AStepIsTheSolutionOfTheEquation) {
  for (const auto& each :
       {ffbm<double>{.sigma_0 = 300}, ffbm<double>{.sigma_0 = 40, .F_min = 0.1, .F_max = 3},
        ffbm<double>{.sigma_0 = 200, .F_min = 1, .F_max = 1}, ffbm<double>{.sigma_0 = 0.1}})
    for (const double start : {-0.013, 0.02})
      for (const double path : {1e-6, 0.02, 0.04, 0.137, 0.5})
        for (const double direction : {-1.0, 1.0})
          for (const double share : {-0.8, 0.0, 0.9}) {
            const double z = share * each.F_min / each.sigma_0;
            // In parts that end where a tooth does, where the rate of the equation jumps.
            vec<double, 1> by_steps{{z}};
            double x = direction * start;
            const double end = direction * start + path;
            while (x < end) {
              const double tooth = (std::floor(x / each.Delta + 1e-9) + 1) * each.Delta;
              const double to = std::min(tooth, end), from = x;
              const auto motion = [&](double t) {
                // Inside the tooth also at its ends, which belong to the next one.
                const double inside = std::min(std::max(from + t, from + 1e-13), to - 1e-13);
                return drive<double>{direction * inside, direction, 1.5};
              };
              by_steps = testing::follow(each, by_steps, motion, to - from, (to - from) / 400);
              x = to;
            }
            vec<double, 1> state{{z}};
            const double f =
                each.advance(state, {start, 0, 1.5}, {start + direction * path, 0, 1.5}, 0);
            EXPECT_NEAR(f, each.sigma_0 * by_steps[0], 1e-8 * each.F_max)
                << each.sigma_0 << " " << start << " " << path << " " << direction << " " << share;
          }
}

// One step of any length is many: also where teeth are counted in millions.
TEST(ffbm, AStepIsAllItsParts) {
  for (const double end : {3e-5, 0.0312, 7.7777, -1234.5678}) {
    vec<double, 1> once{{3e-6}}, parts = once;
    const double f = model.advance(once, {0.0123, 0, 1}, {end, 0, 1}, 0);
    double last = 0;
    for (int i = 0; i < 1000; ++i)
      last = model.advance(parts, {0.0123 + (end - 0.0123) * i / 1000, 0, 1},
                           {0.0123 + (end - 0.0123) * (i + 1) / 1000, 0, 1}, 0);
    EXPECT_NEAR(f, last, 1e-9) << end;
  }
  // Slid in, the peak of a tooth is F_max sigma_0/(sigma_0 + c), with c the slope of the teeth.
  vec<double, 1> z{};
  const double c = (model.F_max - model.F_min) / model.Delta;
  EXPECT_NEAR(model.advance(z, {0, 0, 1}, {3 * model.Delta - 1e-12, 0, 1}, 0),
              model.F_max * model.sigma_0 / (model.sigma_0 + c), 1e-9);
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
