// SPDX-License-Identifier: Apache-2.0
// Facts about runs chosen by name.

#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/integrate/cvode.hpp>
#include <asperity/run/simulate.hpp>
#include <cmath>

namespace asperity {
namespace {

scenario parse(const std::string& text, const std::vector<std::string>& settings = {}) {
  toml_value document = parse_toml(text, "test.toml");
  for (const auto& each : settings) apply_override(document, each);
  return read_scenario(document, "test", ".");
}

run_data run_text(const std::string& text, const std::vector<std::string>& settings = {}) {
  return simulate(parse(text, settings));
}

const std::string pushed = R"(
[system]
kind = "mass_under_force"
mass = 2
[friction]
model = "coulomb"
F_c = 1
[force]
kind = "ramp"
slope = 0.5
[run]
duration = 4
sample = 0.5
)";

TEST(simulate, CoulombFrictionAtRestIsTheForceThatHolds) {
  const auto data = run_text(pushed);
  ASSERT_EQ(data.result.how, outcome::completed);
  for (std::size_t i = 0; i < data["t"].size(); ++i)
    EXPECT_NEAR(data["f"][i], std::min(1.0, 0.5 * data["t"][i]), 1e-9) << data["t"][i];
}

TEST(simulate, CoulombFrictionHoldsAgainstTheSpringAfterStopping) {
  // Thrown at 1 m/s against a spring it stops where the spring cannot pull it back.
  const auto data = run_text(R"(
[system]
kind = "wall_spring_mass"
mass = 1
stiffness = 2
[friction]
model = "coulomb"
F_c = 1
[initial]
v = 1
[run]
duration = 3
)");
  const double x = data["x"].back();
  // Energy: v^2/2 = F_c x + k x^2/2.
  EXPECT_NEAR(x, (-1 + std::sqrt(3.0)) / 2, 1e-5);
  EXPECT_NEAR(data["v"].back(), 0, 1e-15);
  EXPECT_NEAR(data["f"].back(), -2 * x, 1e-9) << "the spring pulls back, friction holds";
  EXPECT_EQ(data.times_of("stick").size(), 1U);
  EXPECT_TRUE(data.times_of("slip").empty());
}

TEST(simulate, SlipBeginsWhenTheForceReachesTheLimit) {
  for (const auto* method : {"trbdf2", "sdirk2", "backward_euler"}) {
    const auto data =
        run_text(pushed, {std::string("integrator.method=") + method, "integrator.step=1e-3"});
    ASSERT_EQ(data.times_of("slip").size(), 1U) << method;
    EXPECT_NEAR(data.times_of("slip")[0], 2.0, 1e-3) << method;
  }
}

const std::string pulled = R"(
[system]
kind = "pulled_mass"
mass = 1
stiffness = 100
speed = 0.01
[friction]
model = "dai"
K = 1e4
beta = 0.01
F = 1
[run]
duration = 3
sample = 0.01
[integrator]
step = 1e-4
relative_tolerance = 1e-8
)";

TEST(simulate, AdvanceHasTheOrderOfTheModelsOwnStep) {
  // dai goes by its closed-form implicit step, backward Euler; lugre by Runge and Kutta's method.
  struct soft {
    std::string friction;
    double order;
  };
  for (const soft& each :
       {soft{"{ model = \"dai\", K = 5, F = 100, beta = 0.1 }", 1},
        {"{ model = \"lugre\", sigma_0 = 20, sigma_1 = 1, sigma_2 = 0.4, v_s = 0.3 }", 2}}) {
    const std::string text =
        "system = { kind = \"wall_spring_mass\", mass = 1.3, stiffness = 7, damping = 0.2 }\n"
        "force = { kind = \"sine\", amplitude = 2, omega = 3, offset = 0.5 }\n"
        "initial = { x = 0.3, v = 0.1 }\nrun = { duration = 2 }\nfriction = " +
        each.friction + "\n";
    const double x =
        run_text(text, {"integrator.method=dopri5", "integrator.relative_tolerance=1e-11"})["x"]
            .back();
    const auto error_of = [&](const char* step) {
      const auto data = run_text(text, {"integrator.method=advance", step});
      return std::abs(data["x"].back() - x);
    };
    const double ratio = error_of("integrator.step=0.01") / error_of("integrator.step=0.005");
    EXPECT_NEAR(std::log2(ratio), each.order, 0.15) << each.friction;
  }
}

TEST(simulate, EveryMethodAgrees) {
  const auto reference = run_text(pulled, {"integrator.method=dopri5"});
  ASSERT_EQ(reference.result.how, outcome::completed);
  std::vector<std::pair<std::string, double>> methods{
      {"euler", 1e-5}, {"rk4", 1e-8}, {"sdirk2", 1e-7}, {"backward_euler", 1e-5}, {"trbdf2", 1e-7}};
  if (has_cvode()) methods.emplace_back("cvode", 1e-7);
  for (const auto& [method, tolerance] : methods) {
    const auto data = run_text(pulled, {"integrator.method=" + method});
    ASSERT_EQ(data["x"].size(), reference["x"].size()) << method;
    double worst = 0;
    for (std::size_t i = 0; i < data["x"].size(); ++i)
      worst = std::max(worst, std::abs(data["x"][i] - reference["x"][i]));
    EXPECT_LT(worst, tolerance) << method;
  }
}

TEST(simulate, ColumnsAreWhatWasAnnounced) {
  const scenario s = parse(pulled, {"load={kind='sine', amplitude=0.1, omega=1, offset=1}"});
  const auto data = simulate(s);
  std::vector<std::string> names;
  for (const auto& each : data.columns) names.push_back(each.name);
  EXPECT_EQ(names, (std::vector<std::string>{"t", "x", "v", "f", "anchor", "load", "a"}));
  const auto announced = columns_of(s);
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(names[i], announced[i].name);
  EXPECT_EQ(data["t"].size(), 301U);
  EXPECT_DOUBLE_EQ(data["t"].back(), 3);
  EXPECT_DOUBLE_EQ(data["anchor"].back(), 0.03);
  EXPECT_THROW(data["q"], error);
}

TEST(simulate, TheEndIsShownEvenOffTheGrid) {
  const auto data = run_text(pulled, {"run.sample=0.7"});
  EXPECT_EQ(data["t"].size(), 6U);
  EXPECT_EQ(data["t"].back(), 3);
}

TEST(simulate, ABouncingMassTouchesDownWhenItHasFallen) {
  const auto data = run_text(R"(
force = -9.8
[system]
kind = "bouncing_mass"
mass = 1
[contact]
model = "dai_contact"
[initial]
x = 1
[run]
duration = 5
)");
  const auto touch = data.times_of("touchdown"), lift = data.times_of("liftoff");
  ASSERT_GE(touch.size(), 3U);
  EXPECT_NEAR(touch[0], std::sqrt(2 / 9.8), 1e-6);
  EXPECT_NEAR(static_cast<double>(touch.size()), static_cast<double>(lift.size()), 1.0);
  EXPECT_LT(touch[0], lift[0]);
  EXPECT_LT(lift[0], touch[1]);
  EXPECT_GE(*std::min_element(data["f"].begin(), data["f"].end()), 0);
}

TEST(simulate, ATightToleranceAndAnAuditPassTheJumpAtTouchdown) {
  // Audits add states that are 0 until then, with next to nothing as absolute tolerance.
  for (const char* tolerance : {"1e-8", "1e-9"}) {
    const auto data = run_text(R"(
force = -9.81
[system]
kind = "bouncing_mass"
mass = 1
[contact]
model = "kelvin_voigt_clamped"
[initial]
x = 0.1
[integrator]
method = "trbdf2"
[run]
duration = 0.3
audit = true
)",
                               {std::string("integrator.relative_tolerance=") + tolerance});
    ASSERT_EQ(data.result.how, outcome::completed) << tolerance;
    EXPECT_NEAR(data.times_of("touchdown").at(0), std::sqrt(0.2 / 9.81), 1e-9) << tolerance;
    // In contact the mass is a damped oscillator, with its spring 9.81/K longer than at rest, until
    // the force is 0.
    const double delta = 50, omega = std::sqrt(1e5 - delta * delta),
                 v_0 = std::sqrt(2 * 9.81 * 0.1);
    const double rest = 9.81 / 1e5, sine = (-v_0 + delta * rest) / omega;
    const auto force = [&](double t) {
      const double e = std::exp(-delta * t), c = std::cos(omega * t), s = std::sin(omega * t);
      const double x = e * (rest * c + sine * s) - rest;
      const double v = e * ((sine * omega - delta * rest) * c - (rest * omega + delta * sine) * s);
      return -1e5 * x - 100 * v;
    };
    const double contact = data.times_of("liftoff").at(0) - data.times_of("touchdown").at(0);
    EXPECT_GT(force(contact - 1e-6), 0) << tolerance;
    EXPECT_LT(force(contact + 1e-6), 0) << tolerance;
  }
}

TEST(simulate, AnAuditCostsNoStepsAtATightTolerance) {
  // The force of a stage is booked as it is solved for: taken from the change of velocity it would
  // be rounding in short steps, and steps would shrink without end.
  const std::string text = R"(
force = -9.81
[system]
kind = "bouncing_mass"
mass = 1
[contact]
model = "dai_contact"
[initial]
x = 0.1
[integrator]
method = "trbdf2"
relative_tolerance = 1e-12
max_steps = 200000
[run]
duration = 0.3
)";
  const auto plain = run_text(text), audited = run_text(text, {"run.audit=true"});
  ASSERT_EQ(plain.result.how, outcome::completed);
  ASSERT_EQ(audited.result.how, outcome::completed);
  EXPECT_LT(audited.result.steps, 3 * plain.result.steps);
  EXPECT_NEAR(audited["x"].back(), plain["x"].back(), 1e-8);
}

TEST(simulate, APrescribedTouchdownIsWhereTheMotionIsZero) {
  for (const char* method : {"dopri5", "rosenbrock"}) {
    const auto data = run_text(R"(
[system]
kind = "prescribed_motion"
[motion]
of = "position"
kind = "sine"
amplitude = "10 mm"
frequency = 1
[contact]
model = "dai_contact_nonlinear"
[run]
duration = 0.9
)",
                               {std::string("integrator.method=") + method});
    ASSERT_EQ(data.times_of("touchdown").size(), 1U) << method;
    EXPECT_NEAR(data.times_of("touchdown")[0], 0.5, 1e-14) << method;
  }
}

TEST(simulate, AnApexLiesBetweenALiftoffAndTheNextTouchdown) {
  // Flights of nanometres, most of them inside a step.
  const auto data = run_text(R"(
force = -9.81
[system]
kind = "bouncing_mass"
mass = 1
[contact]
model = "hertz"
[initial]
v = -1e-4
[integrator]
method = "dopri5"
[run]
duration = 0.1
)");
  bool flies = false;
  int apexes = 0;
  for (const auto& each : data.events) {
    if (each.name == "liftoff") flies = true;
    if (each.name == "touchdown") flies = false;
    if (each.name != "apex") continue;
    ++apexes;
    EXPECT_TRUE(flies) << each.t;
  }
  EXPECT_GT(apexes, 0);
}

TEST(simulate, PrescribedMotionByPositionAndByVelocityAgree) {
  const std::string common =
      "[system]\nkind = \"prescribed_motion\"\n[friction]\nmodel = "
      "\"dai\"\nK = 1e4\n[run]\nduration = 2\n[integrator]\n"
      "relative_tolerance = 1e-9\n";
  const auto by_position = run_text(
      common + "[motion]\nof = \"position\"\nkind = \"sine\"\namplitude = \"1 mm\"\nomega = 4\n");
  const auto by_velocity = run_text(
      common +
      "[motion]\nof = \"velocity\"\nkind = \"cosine\"\namplitude = \"4 mm/s\"\nomega = 4\n");
  for (std::size_t i = 0; i < by_position["t"].size(); i += 50) {
    EXPECT_NEAR(by_position["f"][i], by_velocity["f"][i], 1e-6);
    EXPECT_NEAR(by_position["x"][i], by_velocity["x"][i], 1e-9);
  }
}

TEST(simulate, ClosedFormStepsFollowAPrescribedMotion) {
  const std::string text = R"(
[system]
kind = "prescribed_motion"
[friction]
model = "dai"
K = 1e8
beta = 1e-7
[motion]
of = "velocity"
kind = "sine"
amplitude = 1e-3
frequency = 10
[run]
duration = 0.2
)";
  const auto stiff = run_text(text, {"integrator.method=trbdf2"});
  ASSERT_EQ(stiff.result.how, outcome::completed);
  const auto reference = run_text(text, {"integrator.method=dopri5"});
  ASSERT_EQ(reference.result.how, outcome::completed);
  EXPECT_LT(stiff.result.steps, reference.result.steps / 20);
  for (std::size_t i = 0; i < stiff["f"].size(); ++i)
    EXPECT_NEAR(stiff["f"][i], reference["f"][i], 1e-2) << stiff["t"][i];
}

TEST(simulate, AMotionThatEndsWithTheRunIsShownMovingToTheEnd) {
  const auto data = run_text(R"(
[system]
kind = "prescribed_motion"
[friction]
model = "dai"
[motion]
of = "position"
kind = "nodes"
times = [0, 1]
values = [0, 0.5]
[run]
duration = 1
)");
  EXPECT_DOUBLE_EQ(data["v"].back(), 0.5);
  EXPECT_NEAR(data["f"].back(), 1.0, 1e-9);
}

TEST(simulate, AnUnstableStepIsAnOutcomeWithAHint) {
  const auto data = run_text(R"(
force = -9.8
[system]
kind = "bouncing_mass"
mass = 1
[contact]
model = "dai_contact"
beta = 1e-4
alpha = 5e-5
[initial]
x = 1
[integrator]
method = "rk4"
step = 0.01
[run]
duration = 5
)");
  EXPECT_EQ(data.result.how, outcome::solver_failed);
  EXPECT_GT(data.result.t, 0.4);
  EXPECT_NE(data.hint.find("take method = "), std::string::npos) << data.hint;
  ASSERT_FALSE(data["x"].empty());
  for (const auto& each : data.columns)
    for (const double value : each.values) EXPECT_TRUE(std::isfinite(value)) << each.name;
}

TEST(simulate, TooManyStepsAreAnOutcome) {
  const auto data = run_text(pulled, {"integrator.method=trbdf2", "integrator.max_steps=10"});
  EXPECT_EQ(data.result.how, outcome::step_limit);
  EXPECT_EQ(data.result.steps, 10);
  EXPECT_FALSE(data.hint.empty());
}

TEST(simulate, StopsWhenAsked) {
  std::atomic<bool> stop{false};
  double last = 0;
  simulate_options options;
  options.interrupt = &stop;
  options.progress = [&](double fraction) {
    last = fraction;
    if (fraction > 0.3) stop = true;
  };
  const auto data = simulate(parse(pulled, {"integrator.method=rk4"}), options);
  EXPECT_EQ(data.result.how, outcome::interrupted);
  EXPECT_GT(data.result.t, 0.9);
  EXPECT_LT(data.result.t, 2.9);
  EXPECT_GT(last, 0.3);
  EXPECT_EQ(data["t"].back(), data.result.t);
}

// What is seen of a run on its way is the beginning of what it records.
TEST(simulate, RowsCanBeSeenOnTheWay) {
  std::vector<std::vector<column>> seen;
  simulate_options options;
  options.glimpse = [&](const run_data& so_far) { seen.push_back(so_far.columns); };
  const auto data = simulate(parse(pulled, {"integrator.method=rk4"}), options);
  ASSERT_FALSE(seen.empty());
  std::size_t rows = 0;
  for (const auto& columns : seen) {
    ASSERT_EQ(columns.size(), data.columns.size());
    EXPECT_GE(columns.front().values.size(), rows);
    rows = columns.front().values.size();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      ASSERT_EQ(columns[i].values.size(), rows);
      EXPECT_TRUE(std::equal(columns[i].values.begin(), columns[i].values.end(),
                             data.columns[i].values.begin()));
    }
  }
  EXPECT_LT(rows, data.columns.front().values.size());
}

TEST(simulate, AnExplicitMethodOnASetValuedLawIsWarnedAbout) {
  const auto s = parse(pushed, {"integrator.method=rk4", "integrator.step=1e-3"});
  ASSERT_EQ(s.warnings.size(), 1U);
  EXPECT_NE(s.warnings[0].find("set-valued"), std::string::npos);
}

// Whatever its memory, a friction model can be pulled by name: the method is chosen to suit it.
TEST(simulate, EveryFrictionModelCanBePulled) {
  for (const catalogue_entry* entry : catalogue()) {
    if (entry->family != "friction") continue;
    const auto data = run_text(
        "[system]\nkind = 'pulled_mass'\nmass = 1\nstiffness = 2\nspeed = 0.1\n"
        "[run]\nduration = 0.2\n[friction]\nmodel = '" +
        entry->key + "'\n");
    EXPECT_EQ(data.result.how, outcome::completed) << entry->key;
    EXPECT_TRUE(std::isfinite(data["f"].back())) << entry->key;
  }
}

// Within its sliders' reach a Maxwell-slip contact is a spring: the mass swings as it must.
TEST(simulate, AMassOnStuckSlidersIsAnOscillator) {
  const auto data = run_text(R"(
[system]
kind = "mass_under_force"
mass = 1
[force]
kind = "constant"
value = 0
[friction]
model = "maxwell_slip"
elements = 1
k = 100
Delta = 1
[initial]
v = 0.1
[integrator]
step = 1e-4
[run]
duration = 1
)");
  EXPECT_NEAR(data["x"].back(), 0.01 * std::sin(10.0), 1e-7);
}

// The Switch Model and the closed-form steps are two ways to the same rest.
TEST(simulate, TheSwitchModelStopsWhereTheImplicitStepsDo) {
  const std::string thrown = R"(
[system]
kind = "wall_spring_mass"
mass = 1
stiffness = 2
[friction]
model = "coulomb"
[initial]
v = 1
[run]
duration = 3
)";
  const auto data = run_text(thrown, {"integrator.method=switch"});
  EXPECT_NEAR(data["x"].back(), run_text(thrown)["x"].back(), 1e-5);
  EXPECT_EQ(data["v"].back(), 0);
  EXPECT_NEAR(data["f"].back(), -2 * data["x"].back(), 1e-9);
  EXPECT_THROW(run_text(thrown, {"friction.model=lugre", "integrator.method=switch"}), error);
}

}  // namespace
}  // namespace asperity
