// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/run/measure.hpp>
#include <cmath>

namespace asperity {
namespace {

// A body that moves with its belt sticks to it: it is at rest on the belt, not on the ground.
TEST(measure, SticksToABeltThatMoves) {
  run_data run;
  run.columns = {{"t", units::second, {}},
                 {"v", units::metre / units::second, {}},
                 {"w", units::metre / units::second, {}}};
  for (int i = 0; i <= 4000; ++i) {
    const double t = 0.01 * i, phase = std::fmod(t, 2.0);  // slips in the second half of 2 s
    const double w = phase < 1 ? 0 : std::sin(3.14159265358979323846 * (phase - 1));
    run.columns[0].values.push_back(t);
    run.columns[1].values.push_back(0.5 - w);
    run.columns[2].values.push_back(w);
  }
  EXPECT_NEAR(evaluate(parse_measure("stick_slip_period"), run), 2, 0.02);
  EXPECT_NEAR(evaluate(parse_measure("stick_fraction"), run), 0.5, 0.02);
  for (const char* word : {"stick_slip_period", "stick_fraction"})
    EXPECT_EQ(evaluate(parse_measure(word), run),
              evaluate(parse_measure(std::string(word) + "(w)"), run));
  // Of its velocity where asked, or where there is no other.
  EXPECT_LT(evaluate(parse_measure("stick_fraction(v)"), run), 0.1);
  run.columns.pop_back();
  EXPECT_EQ(evaluate(parse_measure("stick_fraction"), run),
            evaluate(parse_measure("stick_fraction(v)"), run));
}

}  // namespace
}  // namespace asperity
