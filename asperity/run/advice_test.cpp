// SPDX-License-Identifier: Apache-2.0
// What messages advise is taken out of their own text, followed, and compared with closed forms or
// with far shorter steps. Advice about unstable steps is followed in stability_test.cpp, that about
// memories, sizes and formulas in advice_more_test.cpp, that of the tool in cli_advice_test.cpp.

#include "tests/advice.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <asperity/analysis/preisach_operator.hpp>
#include <asperity/models/hysteresis/preisach.hpp>

namespace asperity {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace asperity::testing;

// ---- steps --------------------------------------------------------------------------------------

const std::string pulled_gms = R"(
[system]
kind = "pulled_mass"
mass = 1
stiffness = 2
speed = 0.1
[friction]
model = "gms"
[integrator]
step = 0.05
[run]
duration = 5
sample = 0.1
)";

TEST(advice_followed, WithoutAStepTheMethodChoosesRightOnes) {
  const told coarse = run_and_listen(pulled_gms);
  EXPECT_THAT(coarse.words, HasSubstr("steps of 0.05 s are long"));
  ASSERT_THAT(coarse.words, HasSubstr("leave out integrator.step"));
  const std::string method = found_in(coarse.words, "so that method ([a-z0-9_]+) chooses");
  std::string without = pulled_gms;
  without.erase(without.find("step = 0.05"), 11);
  const told chosen = run_and_listen(without, {"integrator.method=" + method});
  EXPECT_EQ(chosen.data.result.how, outcome::completed);
  EXPECT_TRUE(chosen.data.doubts.empty()) << chosen.words;
  const run_data fine = simulate(parse(pulled_gms, {"integrator.step=2e-5"}));
  const auto &x = fine["x"], &v = fine["v"];
  ASSERT_EQ(chosen.data["x"].size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(chosen.data["x"][i], x[i], 1e-3 * x.back()) << i;
    EXPECT_NEAR(chosen.data["v"][i], v[i], 1e-2 * 0.2) << i;
  }
}

// Forces and lengths 2^-30 times as large make the same motion, 2^-30 times as large.
const std::string pushed = R"(
[system]
kind = "mass_under_force"
mass = 1
[friction]
model = "coulomb"
F_c = 1
[force]
kind = "sine"
amplitude = 3
frequency = 0.3
[run]
duration = 10
sample = 0.1
)";

TEST(advice_followed, TolerancesForNanometresShowTheMotionOverMetres) {
  const double smaller = std::ldexp(1.0, -30);
  const std::vector<std::string> small{fmt::format("friction.F_c={}", smaller),
                                       fmt::format("force.amplitude={}", 3 * smaller)};
  const auto error_of = [&](const run_data& tiny, const run_data& usual) {
    double error = 0;
    for (std::size_t i = 0; i < usual["x"].size(); ++i)
      error = std::max(error, std::abs(tiny["x"][i] / smaller - usual["x"][i]));
    return error / std::abs(usual["x"].back());
  };
  const told usual = run_and_listen(pushed);
  EXPECT_TRUE(usual.data.doubts.empty()) << usual.words;
  const told coarse = run_and_listen(pushed, small);
  EXPECT_GT(error_of(coarse.data, usual.data), 0.02);  // what there is to complain about
  EXPECT_THAT(coarse.words, HasSubstr("its absolute tolerance is 1e-09 m"));
  const std::string advised = found_in(coarse.words, "set (integrator.absolute_tolerance = .*\\})");
  const told fine = run_and_listen(pushed, with(small, {advised}));
  EXPECT_TRUE(fine.data.doubts.empty()) << fine.words;
  EXPECT_LT(error_of(fine.data, usual.data), 1e-3);
}

TEST(advice_followed, ABodyThatIsHeldHasNoMotionToResolve) {
  const told held = run_and_listen(pushed, {"force.amplitude=0.9"});
  EXPECT_TRUE(held.data.doubts.empty()) << held.words;
}

// A box on a patch of bristles, thrown without spin: all cells slide alike, and it loses F_c/m of its
// speed in every second.
const std::string thrown_box = R"(
[system]
kind = "planar_body"
mass = 1
inertia = 0.01
[patch]
shape = "rectangle"
width = 0.1
height = 0.1
cells = 8
[friction]
model = "patch_lugre"
sigma_0 = 1e5
sigma_1 = 10
sigma_2 = 0
F_c = 1
F_s = 1
[initial]
v_x = 0.5
[integrator]
method = "rk4"
step = 1e-3
[run]
duration = 0.3
)";

TEST(advice_followed, HalvedStepsComeToTheAnswer) {
  const told coarse = run_and_listen(thrown_box);
  EXPECT_NE(coarse.data.result.how, outcome::completed);
  ASSERT_THAT(coarse.words, HasSubstr("halve integrator.step until the results no longer change"));
  double step = 1e-3, last = HUGE_VAL, answer = -HUGE_VAL;
  for (int halved = 0; halved < 16 && !(std::abs(answer - last) <= 1e-4); ++halved) {
    step /= 2;
    const run_data data =
        simulate(parse(thrown_box, {fmt::format("integrator.step={:.17g}", step)}));
    last = answer;
    answer = data.result.how == outcome::completed ? data["v_x"].back() : HUGE_VAL * halved;
  }
  EXPECT_NEAR(answer, 0.5 - 0.3, 1e-3);
  EXPECT_LT(step, 1e-4);
  // It never spins: what rounding makes of its spin is no reason to doubt.
  const told fine = run_and_listen(thrown_box, {fmt::format("integrator.step={:.17g}", step)});
  EXPECT_THAT(fine.words, Not(HasSubstr("omega may be wrong")));
}

// A swing of 1e6 rad/s on a spring, with a friction that is the same all along: v = 0.1 + 0.05 cos(w
// t). Damped, it is gone; what the warning names keeps it.
TEST(advice_followed, AMethodAndToleranceThatFollowASwingAreNamed) {
  for (const char* law : {"dahl", "coulomb"}) {
    const std::string text = fmt::format(R"(
[system]
kind = "pulled_mass"
mass = 1
stiffness = 1e12
speed = 0.1
[friction]
model = "{}"
[initial]
v = 0.15
[run]
duration = 0.6
sample = 1e-4
)",
                                         law);
    const auto late_speeds = [](const run_data& data) {
      const auto& v = data["v"];
      const auto [low, high] =
          std::minmax_element(v.begin() + static_cast<std::ptrdiff_t>(v.size() * 9 / 10), v.end());
      return std::pair{*low, *high};
    };
    const told damped = run_and_listen(text);
    ASSERT_THAT(damped.words, HasSubstr("is damped instead of resolved")) << law;
    EXPECT_LT(late_speeds(damped.data).second, 0.11);
    const std::string method = found_in(damped.words, "; method = \"([a-z0-9_]+)\" with");
    const std::string tolerance =
        found_in(damped.words, "relative_tolerance = ([0-9.e-]+) resolves");
    const told followed = run_and_listen(
        text, {"integrator.method=" + method, "integrator.relative_tolerance=" + tolerance});
    EXPECT_EQ(followed.data.result.how, outcome::completed) << followed.words;
    EXPECT_THAT(followed.words, Not(HasSubstr("chatter"))) << law;
    const auto [low, high] = late_speeds(followed.data);
    // Rows are seldom right at an end of the swing; a hundredth of it may be lost.
    EXPECT_NEAR(low, 0.05, 1e-3) << law;
    EXPECT_NEAR(high, 0.15, 1e-3) << law;
  }
}

// Friction that jumps at rest: a mass that is pulled with less than F_c stays where it is.
TEST(advice_followed, AMethodThatHoldsAtRestIsNamed) {
  const std::string text = R"(
force = 0.5
[system]
kind = "mass_under_force"
mass = 1
[friction]
model = "coulomb"
F_c = 1
[initial]
v = 0.1
[integrator]
method = "rk4"
step = 1e-3
[run]
duration = 1
)";
  const told chatter = run_and_listen(text);
  ASSERT_THAT(chatter.words, HasSubstr("can only chatter"));
  const std::string method = found_in(chatter.words, "can only chatter: use ([a-z0-9_]+)");
  const told held = run_and_listen(text, {"integrator.method=" + method});
  EXPECT_THAT(held.words, Not(HasSubstr("chatter")));
  EXPECT_EQ(held.data["v"].back(), 0);
  EXPECT_NEAR(held.data["x"].back(), 0.1 * 0.1 / (2 * 0.5), 1e-6);
}

// ---- limits -------------------------------------------------------------------------------------

// A light body on stiff bristles, stuck: explicit steps are bound to 1e-8 s, others are not.
const std::string light = R"(
[system]
kind = "pulled_mass"
mass = 1e-9
stiffness = 2
speed = 0.01
[friction]
model = "lugre"
sigma_0 = 1e5
sigma_1 = 300
F_c = 1
F_s = 1
[integrator]
method = "dopri5"
max_steps = 1000000000000
[run]
duration = 5
sample = 0.5
)";

TEST(advice_followed, TheMethodThatATimeLimitNamesComesToTheEnd) {
  constexpr double limit = 2;
  const told cut = run_and_listen(light, {}, limit);
  ASSERT_EQ(cut.data.result.how, outcome::time_limit);
  const std::string method = found_in(cut.words, "try method = \"([a-z0-9_]+)\"");
  ASSERT_THAT(cut.words, HasSubstr("raise the time limit"));
  const told named = run_and_listen(light, {"integrator.method=" + method}, limit);
  ASSERT_EQ(named.data.result.how, outcome::completed) << named.words;
  // Stuck, z' = v (1 - sigma_0 z/F_c) is x = -(F_c/sigma_0) ln(1 - sigma_0 z/F_c), where sigma_0 z
  // is what pulls, 0.02 N/s, but for the damping at the speed that follows.
  const double pull = 2 * 0.01 * 5, speed = 0.02 / 1e5 / (1 - pull);
  EXPECT_NEAR(named.data["x"].back(), -1e-5 * std::log(1 - (pull - 300 * speed)), 1e-3 * 1e-6);
}

TEST(advice_followed, ARaisedTimeLimitOrAShorterRunComesToTheEnd) {
  // Stick-slip for ever.
  const std::vector<std::string> swing{"integrator.method=rosenbrock", "system.mass=1",
                                       "system.speed=0.1", "friction.F_s=1.5"};
  const told cut = run_and_listen(light, with(swing, {"run.duration=1e7", "run.sample=1e5"}), 0.05);
  ASSERT_EQ(cut.data.result.how, outcome::time_limit);
  ASSERT_THAT(cut.words, HasSubstr("raise the time limit, or shorten run.duration"));
  const double there = cut.data.result.t;
  const auto as_far = with(swing, {fmt::format("run.duration={:.17g}", there), "run.sample=0"});
  EXPECT_EQ(run_and_listen(light, as_far, 60).data.result.how, outcome::completed);
  const auto shorter =
      with(swing, {fmt::format("run.duration={:.17g}", 1e-3 * there), "run.sample=0"});
  EXPECT_EQ(run_and_listen(light, shorter, 10).data.result.how, outcome::completed);
}

// ---- contacts -----------------------------------------------------------------------------------

// A larger K until the warning is gone: then a ball bounces as is wished.
TEST(advice_followed, ALargerKMakesARestitutionUnderWeightRight) {
  const double height = 0.01, speed = std::sqrt(2 * 9.81 * height);
  const auto ball = [&](double K) {
    return fmt::format(R"(
force = -9.81
[system]
kind = "bouncing_mass"
mass = 1
[contact]
model = "dai_contact"
restitution = 0.5
K = {:.17g}
[initial]
x = {:.17g}
[run]
duration = 0.12
)",
                       K, height);
  };
  const auto rebound = [&](const std::string& text) {
    const run_data data = simulate(parse(text));
    for (const auto& each : data.events)
      if (each.name == "liftoff") return each.state[1] / speed;
    return 0.0;
  };
  double K = 1e3;
  ASSERT_THAT(run_and_listen(ball(K)).words, HasSubstr("a larger K makes the difference smaller"));
  EXPECT_GT(std::abs(rebound(ball(K)) - 0.5), 0.01 * 0.5);
  for (int times = 0; times < 10 && !parse(ball(K)).warnings.empty(); ++times) K *= 10;
  EXPECT_TRUE(parse(ball(K)).warnings.empty());
  EXPECT_NEAR(rebound(ball(K)), 0.5, 0.01 * 0.5) << K;
}

std::string dropped(const std::string& wishes) {
  return fmt::format(
      "system = {{ kind = 'inclusion' }}\ndefinitions = {{ N = 'dio(z)' }}\nparameters = {{ m = '2 "
      "kg', g = '9.8 m/s^2' }}\nterms = {{ N = {{ {} }} }}\n[states]\nz = {{ unit = 'm', rate = "
      "'w', initial = 0.005 }}\nw = {{ unit = 'm/s', rate = 'N/m - g' }}\n[run]\nduration = 0.05\n",
      wishes);
}

TEST(advice_followed, ALargerKMakesARestitutionOfAnInclusionRight) {
  const auto rebound = [](const std::string& text) {
    const run_data data = simulate(parse(text));
    for (const auto& each : data.events)
      if (each.name == "liftoff N") return each.state[1] / std::sqrt(2 * 9.8 * 0.005);
    return 0.0;
  };
  const auto at = [](double K) { return dropped(fmt::format("restitution = 0.3, K = {}", K)); };
  double K = 2 * 9.8 / 1e-5;
  ASSERT_THAT(run_and_listen(at(K)).words, HasSubstr("a larger K makes it smaller"));
  EXPECT_GT(std::abs(rebound(at(K)) - 0.3), 0.01 * 0.3);
  for (int times = 0; times < 6 && !parse(at(K)).warnings.empty(); ++times) K *= 10;
  EXPECT_TRUE(parse(at(K)).warnings.empty());
  EXPECT_NEAR(rebound(at(K)), 0.3, 0.01 * 0.3) << K;
}

// A stop that nothing loads where the wheel starts: its K is a guess. The run then says which K would
// do, and with that the wheel stays as near as it says.
const std::string thrown_wheel = R"(
[system]
kind = 'inclusion'
[parameters]
J = '1e-3 kg m^2'
gap = '0.005 1'
[definitions]
stop = 'dio(gap - q)'
[states]
q = { unit = '1', rate = 'w' }
w = { unit = '1/s', rate = '-stop/J' }
[initial]
w = 1
[run]
duration = 0.02
)";

TEST(advice_followed, AKThatIsGivenIsNoGuess) {
  const auto depth = [](const run_data& data) {
    double deepest = 0;
    for (const double q : data["q"]) deepest = std::max(deepest, q - 0.005);
    return deepest;
  };
  const told guessed = run_and_listen(thrown_wheel);
  ASSERT_THAT(guessed.words, HasSubstr("its K is only an estimate"));
  const std::string where = found_in(guessed.words, "give K under \\[([a-z.]+)\\]");
  const std::string K = found_in(guessed.words, "with K = ([0-9.e+]+) under");
  const double within = std::stod(found_in(guessed.words, "it would stay within ([0-9.e-]+)"));
  EXPECT_GT(depth(guessed.data), within);
  const told given = run_and_listen(thrown_wheel, {where + ".K=" + K});
  EXPECT_THAT(given.words, Not(HasSubstr("is only an estimate")));
  EXPECT_THAT(given.words, Not(HasSubstr("deep")));
  EXPECT_LT(depth(given.data), within);
  // Thrown against a spring it would go w sqrt(J/K) deep; dampers take some of it.
  const double spring = std::sqrt(1e-3 / std::stod(K));
  EXPECT_LT(depth(given.data), spring);
  EXPECT_GT(depth(given.data), 0.3 * spring);
}

TEST(advice_followed, MassAndSpeedOfAnImpactAreAskedForByTheirKeys) {
  const std::string text = R"(
system = { kind = 'rolling_disc', mass = 1, radius = 0.1 }
contact = { model = 'hunt_crossley', restitution = 0.5 }
friction = { model = 'dai' }
initial = { z = 0.2 }
run = { duration = 0.01 }
)";
  std::vector<std::string> settings;
  for (int asked = 0; asked < 2; ++asked) {
    std::string said;
    try {
      parse(text, settings);
      break;
    } catch (const error& problem) {
      said = problem.what();
    }
    const std::string key = found_in(said, "give (restitution_[a-z]+)");
    ASSERT_FALSE(key.empty());
    settings.push_back("contact." + key + "=1");
  }
  EXPECT_FALSE(settings.empty());
  EXPECT_NO_THROW(parse(text, settings));
}

// ---- energy -------------------------------------------------------------------------------------

// The hint's own formula, with the names of the system.
TEST(advice_followed, AnEnergyThatIsStatedClosesTheAudit) {
  const std::string sliding = R"(
[system]
kind = 'inclusion'
[parameters]
M = '2 kg'
F = '4 N'
[states]
x = { rate = 'v', unit = 'm' }
v = { rate = '-F/M*sgn(v)', unit = 'm/s', initial = 1 }
[run]
duration = 1
audit = true
)";
  std::string said;
  try {
    simulate(parse(sliding));
    ADD_FAILURE();
  } catch (const error& problem) {
    said = problem.what();
  }
  const std::string name = found_in(said, "such as \\[energy\\] ([a-z]+) = ");
  const std::string formula = found_in(said, "such as \\[energy\\] [a-z]+ = \"([^\"]+)\"");
  const std::string energy = fmt::format("[energy]\n{} = '{}'\n", name, formula);
  const run_data data = simulate(parse(sliding + energy));
  ASSERT_TRUE(data.audit);
  EXPECT_LT(data.audit->relative_residual(), 1e-6);
  EXPECT_TRUE(data.audit->findings.empty());
  EXPECT_NEAR(data[name].front(), 0.5 * 2 * 1 * 1, 1e-12);
  EXPECT_NEAR(data[name].back(), 0, 1e-9);

  // Impulses take no time, and another method is named.
  try {
    simulate(parse(sliding + energy, {"integrator.method=moreau_jean", "integrator.step=1e-3"}));
    ADD_FAILURE();
  } catch (const error& problem) {
    said = problem.what();
  }
  const std::string method = found_in(said, "have no duration: take ([a-z0-9]+)");
  const run_data other = simulate(parse(sliding + energy, {"integrator.method=" + method}));
  ASSERT_TRUE(other.audit);
  EXPECT_LT(other.audit->relative_residual(), 1e-6);
}

// A wrong energy is named beside the rates: mended, nothing is said.
TEST(advice_followed, AnEnergyThatDoesNotFitItsRatesIsNamedAndMended) {
  const auto with_energy = [](const char* formula) {
    return fmt::format(
        "system = {{ kind = 'inclusion' }}\nparameters = {{ M = '2 kg', F = '4 N' }}\nenergy = {{ "
        "kinetic = '{}' }}\n[states]\nx = {{ rate = 'v', unit = 'm' }}\nv = {{ rate = "
        "'-F/M*sgn(v)', unit = 'm/s', initial = 1 }}\n[run]\nduration = 1\n",
        formula);
  };
  const auto wrong = parse(with_energy("M*v^2"));
  ASSERT_EQ(wrong.warnings.size(), 1U);
  EXPECT_THAT(wrong.warnings[0], HasSubstr("in the rate of v, in the argument or in [energy]"));
  EXPECT_TRUE(parse(with_energy("M*v^2/2")).warnings.empty());
}

// ---- inputs -------------------------------------------------------------------------------------

// A record that closes its period: with the period that is named it is the cosine that it was taken
// from, between the rows as well.
TEST(advice_followed, ThePeriodThatIsNamedClosesARecord) {
  std::string values;
  for (int i = 0; i <= 8; ++i)
    values +=
        fmt::format("{}{:.17g}", i > 0 ? ", " : "", i == 8 ? 1.0 : std::cos(2 * M_PI * i / 8));
  const std::string text = fmt::format(
      "system = {{ kind = 'mass_under_force', mass = 1 }}\nfriction = {{ model = 'dai' }}\nrun = "
      "{{ "
      "duration = 0.8, sample = 0.01 }}\n[force]\nkind = 'nodes'\ninterval = 0.1\njoin = "
      "'band_limited'\nvalues = [{}]\n",
      values);
  const scenario s = parse(text);
  ASSERT_EQ(s.warnings.size(), 1U);
  const std::string period = found_in(s.warnings[0], "give period = ([0-9.e+-]+)");
  const scenario closed = parse(text, {"force.period=" + period});
  EXPECT_TRUE(closed.warnings.empty());
  const auto error_of = [](const scenario& which) {
    const auto& force = *which.system->card().inputs.front().shape;
    double worst = 0;
    for (int i = 0; i <= 80; ++i)
      worst = std::max(worst, std::abs(force.value(0.01 * i) - std::cos(2 * M_PI * i / 80)));
    return worst;
  };
  EXPECT_LT(error_of(closed), 1e-12);
  EXPECT_GT(error_of(s), 1e-3);
}

// A memory of turns that is full: without those too small to matter it is not, and the output is
// that of an operator whose memory has no end, after all of them.
TEST(advice_followed, TurnsTooSmallToMatterAreLeftOut) {
  const auto turn = [](int i) { return (i % 2 != 0 ? 0.9 : -0.9) * std::pow(0.7, i); };
  const auto wound_up = [&](int turns) {
    std::string times = "0", values = "0";
    for (int i = 1; i <= turns; ++i) {
      times += fmt::format(", {}", i);
      values += fmt::format(", {:.17g}", turn(i));
    }
    return fmt::format(
        "system = {{ kind = 'prescribed_motion' }}\nhysteresis = {{ model = 'preisach' }}\nrun = "
        "{{ "
        "duration = {} }}\n[motion]\nof = 'position'\nkind = 'nodes'\ntimes = [{}]\nvalues = "
        "[{}]\n",
        turns, times, values);
  };
  const told full = run_and_listen(wound_up(60));
  ASSERT_NE(full.data.result.how, outcome::completed);
  ASSERT_THAT(full.words, HasSubstr("leave out reversals that are too small to matter"));
  const preisach<double> model{};
  std::vector<double> everett;
  everett.reserve(10);
  for (int i = 0; i < 10; ++i) everett.push_back(model.E[i]);
  preisach_operator endless(-1, 1, everett);
  endless.to(0);
  double all = 0;
  for (int i = 1; i <= 60; ++i) all = endless.to(turn(i));
  const told fewer = run_and_listen(wound_up(30));  // the others are below 2e-5
  ASSERT_EQ(fewer.data.result.how, outcome::completed) << fewer.words;
  EXPECT_NEAR(fewer.data["f"].back(), all, 1e-4);
}

// What cannot be together names the keys: with one of them it is read.
TEST(advice_followed, OneOfTwoKeysIsEnough) {
  const std::string text =
      "system = { kind = 'mass_under_force', mass = 1 }\nfriction = { model = 'dai' }\nforce = { "
      "kind = 'sine', amplitude = 1, frequency = 2, omega = 3 }\nrun = { duration = 1 }\n";
  EXPECT_THAT(refusal_of(text), HasSubstr("give either frequency (Hz) or omega (rad/s)"));
  for (const char* left : {", omega = 3", ", frequency = 2"}) {
    std::string one = text;
    one.erase(one.find(left), std::string(left).size());
    EXPECT_NO_THROW(parse(one)) << left;
  }
}

// Refusals that say what to do: done, the scenario is read.
TEST(advice_followed, WhatRefusalsAskForIsReadThen) {
  struct refused {
    std::string text, advice;
    std::vector<std::vector<std::string>> followed;
  };
  const std::string shaken =
      "system = { kind = 'mass_under_force', mass = 1 }\nfriction = { model = 'dai' }\nrun = { "
      "duration = 1 }\nforce = { kind = 'noise', rms = 1, from = 3.2, to = 3.3, period = 1 }\n";
  const std::string servo =
      "system = { kind = 'servo_joint', stall_torque = 1, no_load_speed = 1 }\nfriction = { model "
      "= "
      "'dai' }\nrun = { duration = 1 }\n";
  const std::string pad =
      "system = { kind = 'planar_body', mass = 1, inertia = 1 }\npatch = { shape = 'disc', cells = "
      "3, radius "
      "= "
      "0.1 }\nfriction = { model = 'disc_coulomb' }\nrun = { duration = 1 }\n";
  for (const auto& [text, advice, followed] :
       {refused{
            shaken, "take a longer period or a wider band", {{"force.period=20"}, {"force.to=5"}}},
        refused{servo,
                "give mass and length, inertia or rotor_inertia",
                {{"system.mass=1", "system.length=1"},
                 {"system.inertia=1"},
                 {"system.rotor_inertia=1"}}},
        refused{pad,
                "take patch_coulomb, patch_dai, patch_lugre or coupling",
                {{"friction={model=\"patch_coulomb\"}"},
                 {"friction={model=\"patch_dai\"}"},
                 {"friction={model=\"patch_lugre\"}"}}}}) {
    EXPECT_THAT(refusal_of(text), HasSubstr(advice));
    for (const auto& each : followed) EXPECT_NO_THROW(parse(text, each)) << each.front();
  }
}

}  // namespace
}  // namespace asperity
