// SPDX-License-Identifier: Apache-2.0
// Limits of explicit steps are the closed forms, and advice that is followed leads to the answer.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/integrate/cvode.hpp>
#include <asperity/integrate/method.hpp>
#include <asperity/integrate/stability.hpp>
#include <asperity/run/simulate.hpp>
#include <cmath>
#include <regex>

namespace asperity {
namespace {

using complex = std::complex<double>;
using ::testing::HasSubstr;

double euler(complex mode) { return longest_stable_step({&mode, 1}, amplification_of_euler); }
double rk4(complex mode) { return longest_stable_step({&mode, 1}, amplification_of_rk4); }

// R(z) = 1 + z, and 1 + z + z^2/2 + z^3/6 + z^4/24, whose real interval ends at -2.785293563405282.
TEST(stability, LimitsOfRelaxationAreTheClosedForms) {
  for (const double rate : {1e-3, 1.0, 2e5}) {
    EXPECT_NEAR(euler(-rate) * rate, 2, 1e-12);
    EXPECT_NEAR(rk4(-rate) * rate, 2.785293563405282, 1e-12);
  }
}

// |1 + h s|^2 = 1 + 2 h Re s + h^2 |s|^2: for a damped swing h = 2 zeta/omega.
TEST(stability, EulersLimitOfADampedSwingIsTwiceItsDampingOverItsFrequency) {
  for (const double zeta : {0.9, 0.1, 1e-3}) {
    const double omega = 300;
    const complex mode{-zeta * omega, omega * std::sqrt(1 - zeta * zeta)};
    EXPECT_NEAR(euler(mode), 2 * zeta / omega, 1e-9 / omega) << zeta;
  }
}

// A swing that nothing damps bounds rk4 at 2 sqrt(2); that is accuracy.
TEST(stability, ModesThatDoNotDecayAreNoLimit) {
  EXPECT_EQ(rk4({0, 10}), HUGE_VAL);
  EXPECT_EQ(rk4({10, 0}), HUGE_VAL);
  EXPECT_NEAR(rk4({-1e-3, 10}) * 10, 2 * std::sqrt(2), 1e-3);
}

scenario parse(const std::string& text, const std::vector<std::string>& settings = {}) {
  toml_value document = parse_toml(text, "test.toml");
  for (const auto& each : settings) apply_override(document, each);
  return read_scenario(document, "test", ".");
}

// Ten bristles with a damping of 2e4 N s/m each hold 1 kg: the stuck mass relaxes with 2e5/s.
const std::string stiff_bristles = R"(
[system]
kind = "pulled_mass"
mass = 1
stiffness = "0.1 N/um"
speed = "2 um/s"
[friction]
model = "dai_multistate"
elements = 10
kappa = ["5 N/um", "2.5 N/um", "1.6666666666666667 N/um", "1.25 N/um", "1 N/um", "0.8333333333333334 N/um", "0.7142857142857143 N/um", "0.625 N/um", "0.5555555555555556 N/um", "0.5 N/um"]
sigma = "0.02 N s/um"
lambda = 0.1
tau_d = 0.02
F_c = 1
F_s = 2.5
v_s = "5 um/s"
delta = 2
[integrator]
method = "euler"
step = 0.005
[run]
duration = 2
)";

// LuGre at rest: m v' = -sigma_0 z - (sigma_1 + sigma_2) v, z' = v. Of its two modes the faster one
// bounds the step.
const std::string pulled_lugre = R"(
[system]
kind = "pulled_mass"
mass = 1
stiffness = "2 N/m"
speed = "0.1 m/s"
[friction]
model = "lugre"
sigma_0 = "0.1 N/um"
sigma_1 = 1000
F_c = 1
F_s = 1.5
v_s = "1 mm/s"
sigma_2 = 0.4
[integrator]
method = "rk4"
step = 0.01
[run]
duration = 5
)";

const std::string conveyor = R"(
[system]
kind = "two_bodies_wall_conveyor"
mass_1 = 0.5
mass_2 = 1
stiffness = 100
speed = 1
[contact]
model = "dai_contact"
K = 5e5
beta = 2e-3
alpha = 1.6e-3
[friction]
model = "dai"
K = 5e5
F = 0.5
beta = 2e-3
[initial]
p_1y = 0.25
p_2x = 0.05
[integrator]
method = "rk4"
step = 1e-3
[run]
duration = 1
)";

// In flight nothing is stiff: the contact is met on the way.
const std::string dropped = R"(
force = -9.8
[system]
kind = "bouncing_mass"
mass = 1
[contact]
model = "dai_contact"
K = 1e6
beta = 1e-4
alpha = 5e-5
[initial]
x = 0.1
[integrator]
method = "rk4"
step = 2e-4
[run]
duration = 0.5
)";

// No dampers: Euler makes it grow by exp(omega^2 h t/2).
const std::string undamped = R"(
[system]
kind = "wall_spring_mass"
mass = 1
stiffness = 1e4
[friction]
model = "dai"
F = 1e-9
[initial]
x = 0.01
[integrator]
method = "euler"
step = 1e-3
[run]
duration = 20
)";

std::string limit_in(const std::string& text) {
  std::smatch found;
  return std::regex_search(text, found, std::regex("its limit is ([0-9.e+-]+) s")) ? found[1].str()
                                                                                   : "";
}

TEST(stability, IsSaidBeforeTheRunWithItsLimit) {
  const scenario s = parse(stiff_bristles);
  ASSERT_EQ(s.warnings.size(), 1U);
  EXPECT_THAT(s.warnings[0], HasSubstr("euler at step 0.005 s is unstable"));
  EXPECT_NEAR(std::stod(limit_in(s.warnings[0])), 2 / 2e5, 2e-3 * 1e-5);
  EXPECT_TRUE(parse(stiff_bristles, {"integrator.step=5e-6"}).warnings.empty());
  EXPECT_TRUE(parse(stiff_bristles, {"integrator.method=trbdf2"}).warnings.size() < 2);

  const scenario lugre = parse(pulled_lugre);
  ASSERT_EQ(lugre.warnings.size(), 1U);
  const double half = 1000.4 / 2, faster = half + std::sqrt(half * half - 1e5 - 2);
  EXPECT_NEAR(std::stod(limit_in(lugre.warnings[0])), 2.785293563405282 / faster, 2e-6);
}

TEST(stability, IsFoundOnTheWayWhereAContactCloses) {
  EXPECT_TRUE(parse(dropped).warnings.empty());
  const run_data data = simulate(parse(dropped));
  std::string said = data.hint;
  for (const auto& each : data.doubts) said += each;
  EXPECT_THAT(said, HasSubstr("rk4 at step 0.0002 s is unstable"));
  // Closed: m v' = f, f = K (e + beta e'), e' = -(x + e)/alpha. Its cubic
  // s^3 alpha + s^2 + (K/m)(beta s + 1) = 0 has the root -1.995e4.
  const double limit = std::stod(limit_in(said));
  EXPECT_NEAR(limit, 2.785293563405282 / 1.995e4, 1e-6);
  EXPECT_TRUE(simulate(parse(dropped, {"integrator.step=2e-5"})).doubts.empty());
}

// The same system as an inclusion is warned of before the run: its limit is 0.7025 ms.
TEST(stability, StepsTooLongForAConveyorAreNotSilent) {
  const scenario s = parse(conveyor);
  const run_data data = simulate(s);
  std::string said = data.hint;
  for (const auto& each : s.warnings) said += each;
  for (const auto& each : data.doubts) said += each;
  EXPECT_THAT(said, HasSubstr("steps of 0.001 s are long for this run"));
  EXPECT_THAT(said, HasSubstr("take method = "));
}

// Impacts that last a few steps of a run of fifty, and grains, which take steps of their own and
// whose energy tells.
TEST(stability, StepsTooLongForImpactsAreNotSilent) {
  const auto doubts = [](const std::string& text, const char* step) {
    std::string said;
    for (const auto& each : simulate(parse(text, {std::string("integrator.step=") + step})).doubts)
      said += each;
    return said;
  };
  const std::string ball = R"(
force = "-9.81 N"
system = { kind = "bouncing_mass", mass = 1 }
contact = { model = "hunt_crossley", K = 1e4 }
initial = { x = 0.1 }
integrator = { method = "rk4" }
run = { duration = 1 }
)";
  EXPECT_THAT(doubts(ball, "0.02"), HasSubstr("steps of 0.02 s are long for this run"));
  EXPECT_EQ(doubts(ball, "0.001"), "");
  const std::string discs = R"(
system = { kind = "discs", columns = 3, rows = 2, radius = "10 mm", mass = "10 g" }
contact = { model = "dai_frictional_contact", K_1 = 5e3, beta_1 = 2e-3, alpha = 5e-4, K_2 = 5e3, beta_2 = 5e-4 }
integrator = { method = "rk4" }
run = { duration = 0.2 }
)";
  EXPECT_THAT(doubts(discs, "0.002"), HasSubstr("steps of 0.002 s are too long for this run"));
  EXPECT_EQ(doubts(discs, "0.0002"), "");
}

TEST(stability, ARunThatGrowsBeyondAllSizesIsAFailure) {
  for (const std::string* each : {&stiff_bristles, &undamped}) {
    const run_data data = simulate(parse(*each));
    EXPECT_EQ(data.result.how, outcome::solver_failed);
    EXPECT_THAT(data.result.detail, HasSubstr("beyond any physical magnitude"));
    EXPECT_THAT(data.hint, HasSubstr("euler at step"));
    EXPECT_THAT(data.hint, HasSubstr("unstable"));
    for (const double v : data["v"]) EXPECT_LT(std::abs(v), 1e12);
  }
}

// A swing that grows by itself is no failure of the method, nor is a long fall.
TEST(stability, WhatGrowsByItselfIsNoFailure) {
  const run_data fall = simulate(parse(R"(
force = 1e6
system = { kind = "bouncing_mass", mass = 1e-3 }
contact = { model = "dai_contact" }
initial = { x = 1 }
integrator = { method = "rk4", step = 1 }
run = { duration = 1e4 }
)"));
  EXPECT_EQ(fall.result.how, outcome::completed);
  EXPECT_NEAR(fall["v"].back(), 1e13, 1);
}

// ---- advice -------------------------------------------------------------------------------------

struct advised {
  const char* name;
  std::string text;
  std::vector<std::string> settings = {};
};

// All that a run says, before and after.
std::string said_about(const scenario& s) {
  const run_data data = simulate(s);
  std::string all = data.hint;
  for (const auto& each : s.warnings) all += " " + each;
  for (const auto& each : data.doubts) all += " " + each;
  return all;
}

// The end of a run that follows what was said, and of an independent method.
class advice : public ::testing::TestWithParam<advised> {};

TEST_P(advice, LeadsToTheAnswerWhenItIsFollowed) {
  const auto& [name, text, settings] = GetParam();
  const std::string said = said_about(parse(text, settings));
  EXPECT_THAT(said, ::testing::Not(HasSubstr("integrator.step = ")));  // a step may be wrong
  EXPECT_THAT(said, ::testing::Not(HasSubstr("a step below")));
  const std::regex wanted("method = \"([a-z0-9_]+)\"");
  int followed = 0;
  std::vector<std::string> exact = settings;
  exact.insert(exact.end(),
               {std::string("integrator.method=") + (has_cvode() ? "cvode" : "rosenbrock"),
                "integrator.relative_tolerance=1e-9"});
  const run_data reference = simulate(parse(text, exact));
  ASSERT_EQ(reference.result.how, outcome::completed) << reference.hint;
  std::vector<std::string> methods;
  for (auto each = std::sregex_iterator(said.begin(), said.end(), wanted);
       each != std::sregex_iterator(); ++each)
    methods.push_back((*each)[1].str());
  if (said.empty()) methods.push_back("");  // nothing is said of what is right
  for (const std::string& method : methods) {
    ++followed;
    auto then = settings;
    if (!method.empty()) then.push_back("integrator.method=" + method);
    const run_data data = simulate(parse(text, then));
    ASSERT_EQ(data.result.how, outcome::completed) << data.hint;
    EXPECT_TRUE(data.doubts.empty());
    for (const auto& column : reference.columns) {
      const auto [low, high] = std::minmax_element(column.values.begin(), column.values.end());
      EXPECT_NEAR(data[column.name].back(), column.values.back(), 0.01 * (*high - *low) + 1e-12)
          << column.name << " by " << method;
    }
    // Where the undamped swing turns, its bristle crosses 2 F/K = 2e-14 m: the stand-in for CVODE steps
    // finely enough to see a stick at each of the 63 turns, CVODE at none. Such slips are not compared.
    for (const auto& event : {"slip", "touchdown"})
      if (has_cvode() || text != undamped) {
        EXPECT_EQ(data.times_of(event).size(), reference.times_of(event).size()) << event;
      }
  }
  EXPECT_GT(followed, 0) << said;
}

INSTANTIATE_TEST_SUITE_P(
    stability, advice,
    ::testing::Values(
        advised{"bristles", stiff_bristles},
        advised{"bristles_rk4", stiff_bristles, {"integrator.method=rk4"}},
        advised{"bristles_as_advised_before", stiff_bristles, {"integrator.step=0.00045"}},
        advised{"stable", stiff_bristles, {"integrator.step=9e-6"}}, advised{"lugre", pulled_lugre},
        advised{"lugre_euler", pulled_lugre, {"integrator.method=euler", "integrator.step=1e-3"}},
        advised{"contact", dropped, {"run.duration=0.2"}},
        advised{"undamped_swing", undamped, {"run.duration=2"}},
        advised{"undamped_swing_rk4", undamped, {"run.duration=2", "integrator.method=rk4"}}),
    [](const auto& info) { return std::string(info.param.name); });

// Other advice than a method, followed to the letter.
TEST(advice_followed, RaisedMaxStepsAndTheMethodNamedReachTheEnd) {
  const std::vector<std::string> few{"integrator.method=dopri5", "integrator.max_steps=100",
                                     "run.duration=0.2"};
  const run_data stopped = simulate(parse(pulled_lugre, few));
  ASSERT_EQ(stopped.result.how, outcome::step_limit);
  std::smatch method;
  ASSERT_TRUE(std::regex_search(stopped.hint, method, std::regex("try method = \"([a-z0-9_]+)\"")))
      << stopped.hint;
  EXPECT_THAT(stopped.hint, HasSubstr("raise max_steps"));
  auto more = few, other = few;
  more.emplace_back("integrator.max_steps=10000000");
  other.emplace_back("integrator.max_steps=100000");
  other.push_back("integrator.method=" + method[1].str());
  const run_data raised = simulate(parse(pulled_lugre, more)),
                 named = simulate(parse(pulled_lugre, other));
  ASSERT_EQ(raised.result.how, outcome::completed) << raised.hint;
  ASSERT_EQ(named.result.how, outcome::completed) << named.hint;
  const auto& x = raised["x"];
  EXPECT_NEAR(named["x"].back(), x.back(), 1e-3 * std::abs(x.back()));
}

TEST(advice_followed, ALongerSampleNeedsLessMemory) {
  const std::vector<std::string> full{"integrator.method=rosenbrock", "run.duration=1",
                                      "run.memory_limit=100000"};
  auto many = full, few = full;
  many.emplace_back("run.sample=1e-5");
  few.emplace_back("run.sample=0.1");
  try {
    const run_data data = simulate(parse(pulled_lugre, many));
    ADD_FAILURE() << to_string(data.result.how);
  } catch (const error& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("choose a longer run.sample"));
    EXPECT_THAT(problem.what(), HasSubstr("raise run.memory_limit"));
  }
  EXPECT_EQ(simulate(parse(pulled_lugre, few)).result.how, outcome::completed);
  many.emplace_back("run.memory_limit=1e9");
  EXPECT_EQ(simulate(parse(pulled_lugre, many)).result.how, outcome::completed);
}

// Half the load lets a slider go that method "rk4" leaves where it was: the advised one follows it.
TEST(advice_followed, AMethodThatFollowsTheLoadIsNamed) {
  const std::string text = R"(
[system]
kind = "prescribed_motion"
[motion]
of = "position"
kind = "sine"
amplitude = 1e-3
omega = 1
[load]
kind = "sine"
offset = 1
amplitude = 0.5
omega = 3
[friction]
model = "leuven_modified"
[integrator]
method = "rk4"
step = 1e-3
[run]
duration = 1
)";
  const std::string said = said_about(parse(text));
  EXPECT_THAT(said, HasSubstr("moves its sliders"));
  EXPECT_THAT(said, HasSubstr("method = \"advance\" does"));
  EXPECT_THAT(said_about(parse(text, {"integrator.method=advance"})),
              ::testing::Not(HasSubstr("moves its sliders")));
}

}  // namespace
}  // namespace asperity
