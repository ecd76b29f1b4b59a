// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/identify/scenario_fit.hpp>
#include <cmath>

namespace asperity {
namespace {

const std::vector<std::string> keys{"system.mass", "system.damping", "hysteresis.gamma"};

toml_value mass_with_memory(double relative_tolerance) {
  toml_value document = parse_toml(R"(
[system]
kind = "wall_spring_mass"
mass = 2
stiffness = "50000 N/m"
damping = "10 N s/m"
[hysteresis]
model = "bouc_wen"
alpha = 50000
beta = 1000
gamma = 0.8
delta = -1.1
[force]
kind = "sine"
amplitude = "60 N"
frequency = "31 Hz"
[integrator]
method = "dopri5"
[run]
duration = 1
)",
                                   "mass_with_memory");
  assign(document, "integrator.relative_tolerance", toml_value::of(relative_tolerance));
  return document;
}

// The record is of another motion of about the same size: residuals are not small.
fit_problem problem_at(double relative_tolerance) {
  scenario_record one;
  one.document = mass_with_memory(relative_tolerance);
  one.name = "mass_with_memory";
  record::channel x{.name = "x", .values = {}, .in = units::metre};
  for (int k = 0; k <= 300; ++k) {
    one.measured.t.push_back(k / 750.0);
    x.values.push_back(1e-3 * std::sin(2 * 3.14159 * 31 * k / 750.0));
  }
  one.measured.channels.push_back(x);
  one.measured.pieces.push_back({0, one.measured.t.size()});
  const auto unknowns = unknowns_of(one.document, one.name, "", keys);
  return make_scenario_problem({one}, unknowns, {{.column = "x", .channel = "x", .weight = 1}});
}

const std::vector<double> here{1.9, 11, 0.7};

// Adaptive steps leave a noise, above which differences must stay: slopes at a rough tolerance are
// those of central differences at a sharp one.
TEST(scenario_fit, SlopesStandAboveTheNoiseOfIntegration) {
  const fit_problem rough = problem_at(1e-7), sharp = problem_at(1e-11);
  const std::size_t rows = rough.residuals();
  std::vector<double> r(rows), up(rows), down(rows), slopes(rows * keys.size());
  for (int call = 0; call < 3; ++call)
    ASSERT_TRUE(rough.derivative(here, r, {slopes.data(), rows, keys.size()}));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const double h = 1e-4 * here[i];
    std::vector<double> moved = here;
    moved[i] += h;
    ASSERT_TRUE(sharp.residual(moved, up));
    moved[i] -= 2 * h;
    ASSERT_TRUE(sharp.residual(moved, down));
    double off = 0, all = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const double slope = (up[row] - down[row]) / (2 * h);
      off += std::pow(slopes[row * keys.size() + i] - slope, 2);
      all += slope * slope;
    }
    EXPECT_LT(std::sqrt(off / all), 0.03) << keys[i];
  }
}

// What one fit has learnt of its steps does not move the next.
TEST(scenario_fit, TheSameFitAgainGivesTheSameBits) {
  const fit_problem p = problem_at(1e-7);
  const fit_options options{.starts = 0, .max_iterations = 3, .intervals = false};
  const fit_result first = fit(p, options), second = fit(p, options);
  EXPECT_EQ(first.values, second.values);
  EXPECT_EQ(first.rms, second.rms);
}

// Values that need many times the steps of the start are refused soon, not waited for.
TEST(scenario_fit, ValuesThatMakeItStiffAreRefused) {
  const fit_problem p = problem_at(1e-8);
  std::vector<double> r(p.residuals());
  const std::vector<double> stiff{1e-8, 11, 0.7};
  ASSERT_TRUE(p.residual(here, r));
  EXPECT_FALSE(p.residual(stiff, r));
  EXPECT_TRUE(p.residual(here, r));
}

}  // namespace
}  // namespace asperity
