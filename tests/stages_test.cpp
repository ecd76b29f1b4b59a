// SPDX-License-Identifier: Apache-2.0
// Implicit steps of whole systems, whatever law stands in them: the end of a stage is what the rates
// say, y = start + h rates(y), and methods with and without such steps agree.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/every_system.hpp"

namespace asperity::testing {
namespace {

// Rates are asked only where laws are continuous: at rest a set-valued one has no rate of its own.
TEST(stages, EndWhereTheirRatesSay) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  int checked = 0, without = 0;
  int systems = 0;
  for_each_system(
      "run = { duration = 1 }\n", [&](const scenario& s, const std::string& what, bool continuous) {
        if (!continuous || s.system->implicit() == nullptr) return;
        ++systems;
        const auto w = s.system->new_workspace();
        w->setting = s;
        const auto& states = s.system->card().states;
        for (int trial = 0; trial < 40; ++trial) {
          // Motions of some centimetres and decimetres a second, with laws as they start.
          std::vector<double> start = s.initial, end(start.size()), rate(start.size());
          for (std::size_t i = 0; i < states.size(); ++i) {
            const std::string& name = states[i].name;
            if (name[0] == 'p' || name == "x") start[i] += 0.06 * unit(random);
            if (name[0] == 'v') start[i] += 0.3 * unit(random);
          }
          const double h = std::pow(10, -3.5 + 1.5 * unit(random));
          s.system->implicit()->solve_stage(0.1, h, start.data(), end.data(), *w);
          if (std::isnan(end[0])) {
            ++without;
            continue;
          }
          s.system->rates(0.1, end.data(), rate.data(), *w);
          double worst = 0, largest = 0;
          for (std::size_t i = 0; i < states.size(); ++i) {
            // Beside what moves in the step, the rounding of what stands counts: by the stiffest law.
            const double size = std::abs(end[i] - start[i]) + std::abs(h * rate[i]);
            worst = std::max(worst, std::abs(end[i] - start[i] - h * rate[i]) / (1e-9 + size));
            largest = std::max(largest, size);
          }
          EXPECT_LT(worst, 1e-5) << what << " h = " << h << " trial " << trial;
          EXPECT_GT(largest, 0.0) << what;
          ++checked;
        }
      });
  EXPECT_GT(systems, 18);
  EXPECT_GT(checked, 700);
  EXPECT_LT(without, checked / 20);
}

// The same run by implicit steps and by a method that has none of this.
TEST(stages, AgreeWithOtherMethods) {
  int compared = 0;
  const std::string run = "run = { duration = 0.3, sample = 0.05, events = false }\n";
  for (const setting& of : settings) {
    const std::string contact = of.contact.empty() ? "" : "dai_contact";
    const std::string friction = of.contact == "alone" ? "" : "dai";
    const std::string start =
        of.kind == "mass_on_belt" ? "initial = { p = 0.1, v = 0 }\n"
        : of.kind == "mass_between_walls" || of.kind == "mass_under_force"
            ? "initial = { x = 0, v = 0.8 }\n"
        : of.kind == "two_bodies_wall_conveyor"
            ? "initial = { p_1x = 0.01, p_2x = 0.03, p_1y = 0.01, p_2y = 0.001 }\n"
        : of.kind == "rolling_disc" ? "initial = { z = 0.51, v_x = 0.4 }\n"
                                    : "initial = { x = 0.01 }\n";
    const auto with = [&](const char* method) {
      return simulate(read(of, contact, friction,
                           run + start +
                               fmt::format("integrator = {{ method = '{}', relative_tolerance = "
                                           "1e-8 }}\n",
                                           method)));
    };
    const run_data ours = with("trbdf2"), other = with("rosenbrock");
    ASSERT_EQ(ours.result.how, outcome::completed) << of.kind;
    ASSERT_EQ(other.result.how, outcome::completed) << of.kind;
    for (const char* name : {"x", "p", "p_1x", "p_2x", "p_1y", "z"})
      if (const column* each = ours.find(name)) {
        const auto& there = other[name];
        double span = 0;
        for (const double value : there) span = std::max(span, std::abs(value - there.front()));
        for (std::size_t i = 0; i < there.size(); ++i)
          EXPECT_NEAR(each->values[i], there[i], 2e-4 * span + 1e-9) << of.kind << " " << name;
        ++compared;
      }
  }
  EXPECT_GT(compared, 6);
}

}  // namespace
}  // namespace asperity::testing
