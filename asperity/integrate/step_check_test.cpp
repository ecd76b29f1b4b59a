// SPDX-License-Identifier: Apache-2.0
// What half the steps say about steps of fixed length.

#include <gtest/gtest.h>

#include <asperity/integrate/run.hpp>
#include <asperity/integrate/step_check.hpp>

namespace asperity {
namespace {

struct oscillator {
  double omega = 1, damping = 0;
  static constexpr int capacity = 2;
  static int size() { return 2; }
  void rates(double, const double* y, double* rate) const {
    rate[0] = y[1];
    rate[1] = -omega * omega * y[0] - damping * y[1];
  }
};
using stepper = rk4_stepper<oscillator>;

const double start[2] = {1, 0};

run_options until(double end) {
  run_options options;
  options.to = end;
  return options;
}

struct ended {
  double x;
  step_error found;
};
ended go(const oscillator& system, double h, double duration) {
  checked_stepper checked(stepper(system, h), stepper(system, h / 2), 2, 2, duration / h);
  std::vector<event_record> none;
  const auto result = run(checked, start, 2, until(duration), {}, none, [](auto...) {});
  EXPECT_EQ(result.how, outcome::completed);
  return {checked.y()[0], checked.result()};
}

// The phase of an undamped oscillator falls behind by all errors of its steps.
TEST(step_check, FindsTheErrorOfAnOscillator) {
  for (const double h : {0.02, 0.1, 0.2}) {
    const double duration = 200 * h * 31.4159;
    const ended run = go({}, h, duration);
    const double phase = h * h * h * h / 120 * duration;  // of rk4: (omega h)^5/120 in each step
    EXPECT_GT(run.found.error[0], 0.4 * phase) << h;
    EXPECT_LT(run.found.error[0], 1.5 * phase) << h;
    EXPECT_NEAR(run.found.range[0], 2, 0.05);
  }
}

TEST(step_check, TheRunGoesOnAsIfNothingHadBeenLookedAt) {
  const oscillator system{3, 0.1};
  stepper plain(system, 0.05);
  std::vector<event_record> none;
  static_cast<void>(run(plain, start, 2, until(100), {}, none, [](auto...) {}));
  EXPECT_EQ(go(system, 0.05, 100).x, plain.y()[0]);
}

// Also in a run of a few steps.
TEST(step_check, FindsThatStepsAreFarTooLong) {
  const ended run = go({.omega = 10}, 0.25, 2);
  EXPECT_GT(run.found.error[0], 0.1 * run.found.range[0]);
}

// Two half steps for each step of every 32nd piece.
TEST(step_check, CostsAFewPercent) {
  static long asked;
  asked = 0;
  struct counted : oscillator {
    void rates(double t, const double* y, double* rate) const {
      ++asked;
      oscillator::rates(t, y, rate);
    }
  } const system{};
  using counting = rk4_stepper<counted>;
  checked_stepper checked(counting(system, 0.01), counting(system, 0.005), 2, 2, 1e5);
  std::vector<event_record> none;
  const auto result = run(checked, start, 2, until(1000), {}, none, [](auto...) {});
  EXPECT_EQ(result.steps, 100000);
  EXPECT_LT(static_cast<double>(asked), 1.07 * 4e5);
  EXPECT_GT(static_cast<double>(asked), 1.05 * 4e5);
}

// What is not to be looked at costs nothing and finds nothing.
TEST(step_check, LooksAtNothingWhereNothingCanBeCompared) {
  const oscillator system;
  checked_stepper checked(stepper(system, 0.1), stepper(system, 0.05), 2, 0, 1000);
  std::vector<event_record> none;
  static_cast<void>(run(checked, start, 2, until(100), {}, none, [](auto...) {}));
  EXPECT_TRUE(checked.result().error.empty());
}

}  // namespace
}  // namespace asperity
