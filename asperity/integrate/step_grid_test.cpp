// SPDX-License-Identifier: Apache-2.0
// Times of fixed steps: none comes twice, none is left out, and the last is the end of the run.
#include <gtest/gtest.h>

#include <asperity/integrate/run.hpp>
#include <cmath>
#include <random>

namespace asperity {
namespace {

struct clock_system {  // y is the time that has passed
  static constexpr int capacity = 1;
  int size() const { return 1; }
  void rates(double, const double*, double* rate) const { rate[0] = 1; }
};

// Rows of a run from 0, and what is wrong with their times.
std::string complaint_about(double duration, double h) {
  const clock_system system;
  euler_stepper<clock_system> stepper(system, h);
  run_options options;
  options.to = duration;
  std::vector<event_record> none;
  std::vector<double> t;
  double passed = 0;
  const double start = 0;
  const auto result = run(stepper, &start, 1, options, std::span<const event>(), none,
                          [&](double at, const double* y) {
                            t.push_back(at);
                            passed = y[0];
                          });
  if (result.how != outcome::completed) return "it did not complete";
  if (t.back() != duration) return "it does not end at its end";
  for (std::size_t i = 1; i < t.size(); ++i)
    if (!(t[i] - t[i - 1] >= 0.9e-6 * h)) return "two rows are one but for rounding";
  for (std::size_t i = 1; i < t.size(); ++i)
    if (!(t[i] - t[i - 1] <= (1 + 2e-6) * h)) return "a row is left out";
  if (std::abs(passed - duration) > 1.1e-6 * h + 1e-12 * duration) return "steps are too short";
  return "";
}

TEST(step_grid, TimesIncreaseByWholeStepsToTheEndOfTheRun) {
  EXPECT_EQ(complaint_about(7.426089819538228, 7.426089819538227e-05), "");
  std::mt19937 random(1);
  std::uniform_real_distribution<double> even(0, 1);
  for (int trial = 0; trial < 6000; ++trial) {
    const double duration = std::pow(10, -6 + 9 * even(random));
    const double steps = 1 + std::floor(std::pow(10, 3 * even(random)));
    // Even divisions of the run, whatever rounding and printed digits make of them, and any others.
    double h = duration / steps;
    if (trial % 4 == 1) h = std::nextafter(h, even(random) < 0.5 ? 0 : 1e9);
    if (trial % 4 == 2) h *= 1 + (even(random) - 0.5) * std::pow(10, -16 + 12 * even(random));
    if (trial % 4 == 3) h *= 1 - 0.3 * even(random);
    EXPECT_EQ(complaint_about(duration, std::min(h, duration)), "")
        << std::hexfloat << duration << " " << h;
  }
}

}  // namespace
}  // namespace asperity
