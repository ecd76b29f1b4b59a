// SPDX-License-Identifier: Apache-2.0
// CVODE as an independent second method: it must agree with ours.

#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/integrate/cvode.hpp>
#include <asperity/integrate/dopri5.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/models/contact/dai_contact.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <asperity/systems/bouncing_mass.hpp>

namespace asperity {
namespace {

struct pull : no_inputs<double> {
  static double anchor(double t) { return 0.1 * t; }
};
struct weight : no_inputs<double> {
  static double force(double) { return -9.8; }
};

using stick_slip = sliding_mass<double, lugre<double>, pull>;

tolerances tight(double bristle) {
  tolerances wanted;
  wanted.relative = 1e-9;
  wanted.absolute.fill(1e-11);
  wanted.absolute[2] = bristle;
  return wanted;
}

const event slip{"slip", [](double, const double* y) { return y[1] - 0.05; },
                 event::direction::rising, true};

template <class Stepper>
double first_slip(Stepper stepper) {
  std::vector<event_record> found;
  run_options options;
  options.to = 20;
  const double start[3] = {0, 0, 0};
  const auto result =
      run(stepper, start, 3, options, {&slip, 1}, found, [](double, const double*) {});
  EXPECT_EQ(result.how, outcome::stopped_by_event);
  return found.empty() ? 0 : found.front().t;
}

TEST(cvode, AgreesOnTheOnsetOfSlip) {
  if (!has_cvode()) GTEST_SKIP() << "built without SUNDIALS";
  stick_slip system{.friction = {}, .k = 1.0};
  system.friction.g.sigma_2 = 0.4;
  const double ours = first_slip(dopri5_stepper<stick_slip>(system, tight(1e-15), 1e-6, 0.1));
  EXPECT_NEAR(first_slip(cvode_stepper<stick_slip>(system, tight(1e-15), 1e-6, 0.1, {&slip, 1})),
              ours, 1e-5);
  EXPECT_NEAR(ours, 15.026076289, 1e-7);  // two other codes at tolerance 1e-11 and tighter
}

TEST(cvode, AgreesOnABouncingMass) {
  if (!has_cvode()) GTEST_SKIP() << "built without SUNDIALS";
  using bouncing = bouncing_mass<double, dai_contact<double>, weight>;
  const bouncing system{.contact = {}};
  const double start[3] = {1, 0, 0};
  run_options options;
  options.to = 1.2;
  std::vector<event_record> found;
  double ends[2] = {};
  const auto run_to_end = [&](auto stepper, double& end) {
    const auto result =
        run(stepper, start, 3, options, {}, found, [&](double, const double* y) { end = y[0]; });
    EXPECT_EQ(result.how, outcome::completed);
  };
  run_to_end(cvode_stepper<bouncing>(system, tight(1e-12), 1e-6, 0.01), ends[0]);
  run_to_end(trbdf2_stepper<bouncing>(system, tight(1e-12), 1e-6, 0.01), ends[1]);
  EXPECT_NEAR(ends[0], ends[1], 1e-5);
}

TEST(cvode, SaysWhenItIsMissing) {
  if (has_cvode()) GTEST_SKIP() << "built with SUNDIALS";
  const stick_slip system{.friction = {}};
  EXPECT_THROW(cvode_stepper<stick_slip>(system, {}, 1e-6, 0.1), error);
}

}  // namespace
}  // namespace asperity
