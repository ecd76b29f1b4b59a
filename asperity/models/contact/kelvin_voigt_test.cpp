// SPDX-License-Identifier: Apache-2.0
// Its restitution is tested against closed forms in analysis/restitution_test.cpp.
#include <gtest/gtest.h>

#include <asperity/models/contact/kelvin_voigt.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const kelvin_voigt<double> model{.K = 2e4, .B = 30};

// What the dissertation holds against it: the force jumps at touchdown ...
TEST(kelvin_voigt, JumpsAtTouchdown) {
  const double v = -0.4;
  EXPECT_EQ(model({}, {1e-12, v, 1}).f, 0);
  EXPECT_NEAR(model({}, {-1e-12, v, 1}).f, model.B * 0.4, 1e-6);
}

// ... and the surfaces pull before they part.
TEST(kelvin_voigt, PullsBeforeParting) {
  EXPECT_LT(model({}, {-1e-6, 0.4, 1}).f, -0.9 * model.B * 0.4);
}

// While touching it is a damped oscillator: after half a period the body is back at the surface,
// slower by exp(-zeta omega t).
TEST(kelvin_voigt, IsADampedOscillator) {
  const double mass = 0.5, omega = std::sqrt(model.K / mass);
  const double zeta = model.B / (2 * std::sqrt(model.K * mass));
  const auto hit = testing::impact_of(model, mass, 1.3, 1e-6);
  const double swing = omega * std::sqrt(1 - zeta * zeta);
  EXPECT_NEAR(hit.restitution, std::exp(-zeta * omega * std::acos(-1.0) / swing), 1e-4);
}

// Power taken less the rate of the stored energy is what the damper turns into heat.
TEST(kelvin_voigt, OnlyTheDamperLoses) {
  for (const double v : {-1.0, 0.2}) {
    const double x = -2e-3, dt = 1e-7;
    const double stored = (model.stored_energy({}, {x + dt * v, v, 1}) -
                           model.stored_energy({}, {x - dt * v, v, 1})) /
                          (2 * dt);
    EXPECT_NEAR(-model({}, {x, v, 1}).f * v - stored, model.B * v * v, 1e-6);
  }
}

}  // namespace
}  // namespace asperity
