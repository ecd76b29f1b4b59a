// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/curve/stribeck_exponential.hpp>
#include <asperity/scalar/dual.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const stribeck_exponential<double> curve{.F_c = 2, .F_s = 5, .v_s = 1e-3, .delta = 1.5};

// Creeping needs the stiction force, fast sliding the Coulomb force.
TEST(stribeck_exponential, FallsFromStictionToCoulomb) {
  EXPECT_NEAR(curve.level(1e-9 * curve.v_s), curve.F_s, 1e-6);
  EXPECT_NEAR(curve.level(1e3 * curve.v_s), curve.F_c, 1e-12);
}

// Faster is never harder, and the level does not know the direction.
TEST(stribeck_exponential, FallsAllTheWay) {
  double last = curve.F_s;
  for (const double v : testing::log_space(1e-8, 1.0, 200)) {
    EXPECT_LE(curve.level(v), last);
    EXPECT_EQ(curve.level(v), curve.level(-v));
    last = curve.level(v);
  }
}

// At the Stribeck velocity a share 1/e of the drop is left, whatever the exponent.
TEST(stribeck_exponential, AllExponentsMeetAtTheStribeckVelocity) {
  for (const double delta : {0.5, 1.0, 2.0, 3.7}) {
    auto other = curve;
    other.delta = delta;
    EXPECT_NEAR((other.level(curve.v_s) - curve.F_c) / (curve.F_s - curve.F_c), std::exp(-1.0),
                1e-14);
  }
}

// Far above the Stribeck velocity the slope of the force is the viscous coefficient.
TEST(stribeck_exponential, ViscousTermIsTheSlopeAtHighSpeed) {
  using number = dual<double, 1>;
  stribeck_exponential<number> viscous;
  viscous.sigma_2 = number(0.4);
  EXPECT_NEAR(viscous({}, {number(0.0), number::variable(1.0, 0), number(1.0)}).f.derivative[0],
              0.4, 1e-15);
}

// Twice the load doubles dry friction and leaves the viscous part alone.
TEST(stribeck_exponential, LoadScalesTheDryPartOnly) {
  auto viscous = curve;
  viscous.sigma_2 = 7;
  const double v = 3e-4, dry = curve({}, {0, v, 1}).f;
  EXPECT_NEAR(viscous({}, {0, v, 2}).f - viscous({}, {0, v, 1}).f, dry, 1e-14);
}

// A curve that rises from stiction is not one.
TEST(stribeck_exponential, RefusesStictionBelowCoulomb) {
  EXPECT_EQ(curve.valid().verdict, validity::fine);
  auto rising = curve;
  rising.F_s = 0.5 * curve.F_c;
  EXPECT_EQ(rising.valid().verdict, validity::refused);
}

}  // namespace
}  // namespace asperity
