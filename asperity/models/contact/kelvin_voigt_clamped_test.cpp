// SPDX-License-Identifier: Apache-2.0
// Its restitution is tested against closed forms in analysis/restitution_test.cpp.
#include <gtest/gtest.h>

#include <asperity/integrate/fixed_step.hpp>
#include <asperity/models/contact/kelvin_voigt.hpp>
#include <asperity/models/contact/kelvin_voigt_clamped.hpp>
#include <asperity/systems/bouncing_mass.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const kelvin_voigt_clamped<double> model{.K = 2e4, .B = 30};

// It is Kelvin and Voigt's law where that one pushes, and nothing where it pulls.
TEST(kelvin_voigt_clamped, CutsOffPulling) {
  const kelvin_voigt<double> whole{.K = model.K, .B = model.B};
  for (const double x : testing::lin_space(-1e-2, 1e-2, 21))
    for (const double v : testing::lin_space(-2, 2, 21))
      EXPECT_EQ(model({}, {x, v, 1}).f, std::max(0.0, whole({}, {x, v, 1}).f));
}

// Inside contact the implicit step is backward Euler: force and motion at its end agree.
TEST(kelvin_voigt_clamped, ImplicitStepAgreesWithTheForceAtItsEnd) {
  using ball = bouncing_mass<double, kelvin_voigt_clamped<double>>;
  const ball system{.contact = model, .m = 0.7};
  for (const double h : {1e-6, 1e-3, 1.0})
    for (const double v : {-1.0, 0.0, 0.1}) {
      const double start[2] = {-5e-3, v};
      double end[2];
      system.solve_stage(0.0, h, start, end);
      EXPECT_NEAR(end[0], start[0] + h * end[1], 1e-12);
      const double f = end[0] > 0 ? 0 : model({}, {end[0], end[1], 1}).f;
      EXPECT_NEAR(system.m * (end[1] - v) / h, f, 1e-6 * (1 + f)) << "h " << h << " v " << v;
    }
}

// A step across touchdown ends with a force that pushes, and never acts at a distance.
TEST(kelvin_voigt_clamped, ImplicitStepAcrossTouchdown) {
  for (const double h : {1e-5, 1e-3, 1e-1})
    for (const double gap : testing::lin_space(-1e-2, 1e-2, 41)) {
      const double mobility = h * h / 0.7;
      const double f = model.react({}, 1.0, h, 1e-3).solve(gap, -mobility);
      EXPECT_GE(f, 0);
      if (f > 0) {
        EXPECT_LT(gap + mobility * f, 0);
      }
      EXPECT_EQ(f > 0, gap < 0);
    }
}

// Implicit steps of any length bring a dropped ball to rest where the spring carries it.
TEST(kelvin_voigt_clamped, LongStepsEndAtRest) {
  struct weight : no_inputs<double> {
    double force(double) const { return -9.8; }
  };
  const bouncing_mass<double, kelvin_voigt_clamped<double>, weight> system{.contact = model};
  for (const double h : {1e-3, 1e-1}) {
    double y[2] = {0.5, 0}, rate[2];
    for (int n = 0; n < 20000; ++n) backward_euler_step(system, 0.0, h, y, rate);
    EXPECT_NEAR(y[0], -9.8 / model.K, 1e-9) << h;
    EXPECT_NEAR(y[1], 0, 1e-9) << h;
  }
}

// The force of a slow indentation is the slope of what is stored, and nothing is stored apart.
TEST(kelvin_voigt_clamped, ForceIsTheSlopeOfTheEnergy) {
  const auto energy = [](double x) { return model.stored_energy({}, {x, 0, 1}); };
  for (const double depth : {1e-4, 1e-3, 5e-3}) {
    const double f = model({}, {-depth, 0, 1}).f, h = 1e-3 * depth;
    EXPECT_NEAR((energy(-depth - h) - energy(-depth + h)) / (2 * h), f, 1e-6 * f) << depth;
  }
  EXPECT_EQ(energy(0), 0);
  EXPECT_EQ(energy(1e-3), 0);
}

}  // namespace
}  // namespace asperity
