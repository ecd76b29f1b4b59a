// SPDX-License-Identifier: Apache-2.0
// A second run in finer steps finds errors of the first that are known in closed form.

#include <gtest/gtest.h>

#include <asperity/run/refine.hpp>
#include <cmath>

namespace asperity {
namespace {

scenario parse(const std::string& text) {
  return read_scenario(parse_toml(text, "test.toml"), "test", ".");
}

// A mass on a spring, with friction below rounding, x(0) = 0, whose other end moves evenly:
// x = v t - v sin(w t)/w.
const std::string swing = R"(
[system]
kind = "pulled_mass"
mass = 1
stiffness = 4
speed = 0.5
[friction]
model = "regularised_coulomb"
F = 1e-14
[run]
duration = 3
)";
double end_of_swing() { return 0.5 * 3 - 0.25 * std::sin(6.0); }

const column_difference& column_of(const refinement& found, const std::string& name) {
  for (const auto& each : found.columns)
    if (each.name == name) return each;
  throw std::out_of_range(name);
}

// Euler's error is in proportion to the step: what half of it changes is half the error.
TEST(refine, FindsHalfTheErrorOfAMethodOfOrderOne) {
  const scenario s = parse(swing + "[integrator]\nmethod = \"euler\"\nstep = 1e-4\n");
  EXPECT_STREQ(what_is_finer(s), "half the step");
  const run_data usual = simulate(s);
  const auto found = differences(usual, simulate(in_finer_steps(s)));
  const double error = std::abs(usual["x"].back() - end_of_swing());
  EXPECT_NEAR(column_of(found, "x").at_end, error / 2, 0.01 * error);
  EXPECT_GT(error, 0);
}

TEST(refine, CoarseStepsAreNamedInWords) {
  const scenario s = parse(swing + "[integrator]\nmethod = \"euler\"\nstep = 0.05\n");
  const auto words = in_words(differences(simulate(s), simulate(in_finer_steps(s))), s);
  ASSERT_FALSE(words.empty());
  EXPECT_NE(words.front().find("with half the step x differs by"), std::string::npos)
      << words.front();
}

TEST(refine, AnAdaptiveRunTakesAQuarterOfTheTolerances) {
  const scenario s = parse(swing), fine = in_finer_steps(s);
  EXPECT_STREQ(what_is_finer(s), "a quarter of the tolerances");
  EXPECT_EQ(fine.tolerance.relative, s.tolerance.relative / 4);
  const auto found = differences(simulate(s), simulate(fine));
  ASSERT_NE(found.worst(), nullptr);
  EXPECT_LT(found.worst()->part_of_range(), 1e-3);
  const auto words = in_words(found, s);
  ASSERT_EQ(words.size(), 1u);
  EXPECT_NE(words.front().find(" differs most, by "), std::string::npos);
}

// Of two runs that are the same nothing differs, also where a column is constant.
TEST(refine, ARunDoesNotDifferFromItself) {
  const run_data usual = simulate(parse(swing));
  const auto found = differences(usual, usual);
  for (const auto& each : found.columns) EXPECT_EQ(each.part_of_range(), 0) << each.name;
  for (const auto& each : found.events) EXPECT_EQ(each.count, each.finer) << each.name;
}

// A column that is constant in the finer run alone differs by any part of its range.
TEST(refine, WhatMovesInOneRunOnlyIsNamed) {
  run_data usual, finer;
  usual.columns = {{"t", units::second, {0, 1}}, {"x", units::metre, {0, 1e-9}}};
  finer.columns = {{"t", units::second, {0, 1}}, {"x", units::metre, {0, 0}}};
  usual.event_names = finer.event_names = {"slip"};
  usual.events = {{"slip", 0.5, {}}};
  const auto found = differences(usual, finer);
  const auto words = in_words(found, parse(swing));
  ASSERT_EQ(words.size(), 2u);
  EXPECT_NE(words[0].find("x differs by 1e-09 m"), std::string::npos) << words[0];
  EXPECT_NE(words[1].find("0 slip events instead of 1"), std::string::npos) << words[1];
}

// The printed tables of rotating bristles create energy: where they move a body the run says so.
TEST(refine, ALawThatCreatesEnergyIsDoubtedWhereABodyIsFree) {
  const std::string free = R"(
[system]
kind = "pulled_mass"
mass = 1
stiffness = 2
speed = 0.1
[run]
duration = 0.2
[friction]
model = )";
  const auto doubts_of = [&](const std::string& model) {
    std::string all;
    for (const auto& each : simulate(parse(free + '"' + model + "\"\n")).doubts) all += each;
    return all;
  };
  EXPECT_NE(doubts_of("rotating_bristle_literal").find("--refine"), std::string::npos);
  EXPECT_EQ(doubts_of("rotating_bristle").find("--refine"), std::string::npos);
  const run_data moved = simulate(parse(R"(
[system]
kind = "prescribed_motion"
[motion]
of = "position"
kind = "sine"
amplitude = 0.01
frequency = 1
[run]
duration = 1
[friction]
model = "rotating_bristle_literal"
)"));
  for (const auto& each : moved.doubts) EXPECT_EQ(each.find("--refine"), std::string::npos) << each;
}

}  // namespace
}  // namespace asperity
