// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/integrate/exact.hpp>
#include <asperity/integrate/linear_motion.hpp>
#include <asperity/integrate/method.hpp>
#include <asperity/run/scenario.hpp>
#include <asperity/run/simulate.hpp>
#include <cmath>
#include <numbers>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

constexpr const char* shaken =
    "system = { kind = 'wall_spring_mass', mass = 1, stiffness = 50, damping = 0.5 }\n"
    "force = { kind = 'sine', amplitude = 2.5, frequency = 1 }\n";
constexpr const char* pulled =
    "system = { kind = 'pulled_mass', mass = 1, stiffness = 20, speed = 0.1 }\n";
constexpr const char* pushed =
    "system = { kind = 'mass_under_force', mass = 2 }\n"
    "force = { kind = 'nodes', times = [0, 0.5, 1, 1.5, 2.5], values = [0, 2, -1.5, 1.7, -2] }\n";
constexpr const char* pushed_softly =
    "system = { kind = 'wall_spring_mass', mass = 1, stiffness = 50 }\n"
    "force = { kind = 'nodes', join = 'half_cosine', times = [0, 0.5, 1, 1.5, 2.5], "
    "values = [0, 5, -4, 3, -2] }\n";
constexpr const char* loaded_in_steps =
    "system = { kind = 'wall_spring_mass', mass = 1, stiffness = 50 }\n"
    "force = { kind = 'multisine', tone = [{ amplitude = 2, frequency = 1 }, "
    "{ amplitude = 1, frequency = 2.3, phase = 0.4 }] }\n"
    "load = { kind = 'nodes', join = 'hold', times = [0, 1.1, 2.2], values = [1, 0.4, 1.6] }\n";
constexpr const char* on_a_belt =
    "system = { kind = 'mass_on_belt', mass = 1, k_1 = -40, k_2 = 0, speed = 0.1 }\n";
constexpr const char* all_systems[] = {shaken,        pulled,          pushed,
                                       pushed_softly, loaded_in_steps, on_a_belt};

constexpr const char* all_frictions[] = {
    "friction = { model = 'coulomb', F_c = 1 }\n",
    "friction = { model = 'coulomb_viscous', F_c = 1, sigma_2 = 0.5 }\n",
    "friction = { model = 'stiction', F_c = 1, F_s = 1.3, sigma_2 = 0.2 }\n",
    "friction = { model = 'dai', K = 1e4, F = 1, beta = 1e-2 }\n",
    "friction = { model = 'dai_multistate', elements = 3, tau_d = 0, kappa = [1e4, 5e3, 1e3], "
    "sigma = [10, 20, 2], lambda = [0.5, 0.3, 0.2], F_c = 1, F_s = 1, sigma_2 = 0.1 }\n",
    "friction = { model = 'maxwell_slip', elements = 3, k = [100, 50, 20], "
    "Delta = [0.003, 0.008, 0.015] }\n"};

std::string with(const char* system, const char* friction, const std::string& integrator,
                 const std::string& run = "duration = 3, sample = 0.01") {
  return std::string(system) + friction + "integrator = { " + integrator + " }\nrun = { " + run +
         " }\n";
}

double greatest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0, largest = 1e-300;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    most = std::max(most, std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(a[i]));
  }
  return most / largest;
}

// Methods that know nothing of closed forms come to the same motion and the same events.
TEST(exact, AgreesWithTheOtherMethods) {
  for (const char* system : all_systems)
    for (const char* friction : all_frictions) {
      SCOPED_TRACE(std::string(system) + friction);
      const auto found = simulate(read(with(system, friction, "method = 'exact'")));
      const auto other = simulate(read(with(system, friction, "relative_tolerance = 1e-7")));
      ASSERT_EQ(found.result.how, outcome::completed);
      ASSERT_EQ(other.result.how, outcome::completed);
      const char* place = system == on_a_belt ? "p" : "x";
      EXPECT_LT(greatest_difference(found[place], other[place]), 1e-4);
      // There it slides off the belt with its speed, and touches that again in each swing.
      if (system == on_a_belt && friction == all_frictions[0]) continue;
      EXPECT_EQ(found.times_of("slip").size(), other.times_of("slip").size());
      EXPECT_EQ(found.times_of("stick").size(), other.times_of("stick").size());
    }
}

// The energy balance closes to rounding: where friction holds, where it slips, and over every jump.
TEST(exact, EnergyBalanceCloses) {
  for (const char* system : all_systems)
    for (const char* friction : all_frictions) {
      SCOPED_TRACE(std::string(system) + friction);
      const auto run = simulate(read(with(system, friction, "method = 'exact'",
                                          "duration = 3, audit = true, audit_tolerance = 1e-11")));
      ASSERT_TRUE(run.audit.has_value());
      for (const auto& each : run.audit->findings) ADD_FAILURE() << each.where << ' ' << each.what;
      EXPECT_LT(run.audit->relative_residual(), 1e-12);
    }
}

// The state at a time does not depend on what was asked before: samples, longest steps and a second
// run change no digit that counts.
TEST(exact, StepsDoNotMatter) {
  for (const char* friction : all_frictions) {
    SCOPED_TRACE(friction);
    const auto once = simulate(read(with(loaded_in_steps, friction, "method = 'exact'")));
    const auto again = simulate(read(with(loaded_in_steps, friction, "method = 'exact'")));
    const auto short_ones =
        simulate(read(with(loaded_in_steps, friction, "method = 'exact', max_step = 1e-3")));
    EXPECT_EQ(once["x"], again["x"]);
    EXPECT_EQ(once["v"], again["v"]);
    EXPECT_LT(greatest_difference(once["x"], short_ones["x"]), 1e-12);
    EXPECT_EQ(once.events.size(), short_ones.events.size());
  }
}

// A force that is joined from nodes is the same one in pieces, whatever the number of nodes.
TEST(exact, NodesOnALineChangeNothing) {
  const char* friction = all_frictions[3];
  const auto run_with = [&](const std::string& force) {
    return simulate(read(with(("system = { kind = 'wall_spring_mass', mass = 1, stiffness = 50 }\n"
                               "force = " +
                               force + "\n")
                                  .c_str(),
                              friction, "method = 'exact'")));
  };
  const auto ramp = run_with("{ kind = 'ramp', slope = 1.5 }");
  std::string times = "0", values = "0";
  for (int i = 1; i <= 300; ++i) {
    times += fmt::format(", {}", 0.01 * i);
    values += fmt::format(", {}", 0.015 * i);
  }
  const auto nodes =
      run_with(fmt::format("{{ kind = 'nodes', times = [{}], values = [{}] }}", times, values));
  EXPECT_LT(greatest_difference(ramp["x"], nodes["x"]), 1e-12);
}

// What is not linear is refused, with its name.
TEST(exact, RefusesByName) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      read(text);
    } catch (const error& problem) {
      return problem.what();
    }
    return "it was taken";
  };
  const auto refuses = [&](const std::string& text, const char* words) {
    EXPECT_NE(refusal(text).find(words), std::string::npos) << refusal(text);
  };
  const char* dai = all_frictions[3];
  const std::string exact = "method = 'exact'";
  refuses(with(shaken, "friction = { model = 'lugre' }\n", exact), "model 'lugre' does not state");
  refuses(with(shaken, "friction = { model = 'dai_multistate', tau_d = 0 }\n", exact),
          "the Stribeck curve is not level");
  refuses(with(shaken, "friction = { model = 'dai_multistate', F_c = 1, F_s = 1 }\n", exact),
          "tau_d is above 0");
  refuses(
      with("system = { kind = 'mass_under_force', mass = 1 }\nforce = { kind = 'chirp', amplitude "
           "= 1, from = 1, to = 2, duration = 1 }\n",
           dai, exact),
      "the force is a wave of another form");
  refuses(with("system = { kind = 'mass_under_force', mass = 1 }\nforce = { kind = 'nodes', join = "
               "'spline', times = [0, 1, 2], values = [0, 1, 0] }\n",
               dai, exact),
          "joined by a spline");
  refuses(with("system = { kind = 'mass_under_force', mass = 1 }\nforce = { kind = 'constant', "
               "value = 1 }\nload = { kind = 'ramp', "
               "slope = 1, offset = 1 }\n",
               dai, exact),
          "the load, and with it");
  refuses(with("system = { kind = 'mass_on_belt', mass = 1, k_1 = -1, k_2 = 2, speed = 0.1 }\n",
               dai, exact),
          "its spring is cubic (k_2 = 2)");
  refuses(with("system = { kind = 'mass_on_belt', mass = 1, k_1 = 1, k_2 = 0, speed = 0.1 }\n", dai,
               exact),
          "pushes away");
  const auto bouncing = [](const char* contact, const char* force) {
    return fmt::format(
        "system = {{ kind = 'bouncing_mass', mass = 1 }}\ncontact = {}\nforce = {}\n"
        "integrator = {{ method = 'exact' }}\nrun = {{ duration = 1 }}\n",
        contact, force);
  };
  refuses(bouncing("{ model = 'hunt_crossley' }", "-9.81"), "model 'hunt_crossley' does not state");
  refuses(bouncing("{ model = 'dai_contact', alpha = 0.02, beta = 0.01 }", "-9.81"),
          "alpha is above beta");
  refuses(bouncing("{ model = 'dai_contact' }",
                   "{ kind = 'chirp', amplitude = 1, from = 1, to = 2, duration = 1 }"),
          "the force is a wave of another form");
}

// ---- contacts -----------------------------------------------------------------------------------

constexpr const char* all_contacts[] = {
    "contact = { model = 'dai_contact', K = 1e4, beta = 0.02, alpha = 0.008 }\n",
    "contact = { model = 'dai_contact', K = 1e5, beta = 0.01, alpha = 0.01 }\n",
    "contact = { model = 'kelvin_voigt', K = 1e4, B = 30 }\n",
    "contact = { model = 'kelvin_voigt_clamped', K = 1e4, B = 60 }\n",
    "contact = { model = 'kelvin_voigt_clamped', K = 1e4, B = 500 }\n"};
constexpr const char* all_pushes[] = {
    "force = -9.81\n", "force = { kind = 'ramp', offset = -8, slope = -2 }\n",
    "force = { kind = 'sine', amplitude = 6, frequency = 3, offset = -9.81 }\n",
    "force = { kind = 'nodes', times = [0, 0.5, 1, 1.5, 2.5], values = [-9, -12, -6, -20, -8] }\n"};

std::string bounced(const char* contact, const char* push, const std::string& integrator,
                    const std::string& run = "duration = 1.5, sample = 0.01") {
  return fmt::format(
      "system = {{ kind = 'bouncing_mass', mass = 1 }}\ninitial = {{ x = 0.1, v = 0.3 }}\n{}{}"
      "integrator = {{ {} }}\nrun = {{ {} }}\n",
      contact, push, integrator, run);
}

TEST(exact, ContactsAgreeWithTheOtherMethods) {
  for (const char* contact : all_contacts)
    for (const char* push : all_pushes) {
      SCOPED_TRACE(std::string(contact) + push);
      const auto found = simulate(read(bounced(contact, push, "method = 'exact'")));
      const auto other =
          simulate(read(bounced(contact, push, "method = 'dopri5', relative_tolerance = 1e-10")));
      ASSERT_EQ(found.result.how, outcome::completed);
      ASSERT_EQ(other.result.how, outcome::completed);
      EXPECT_LT(greatest_difference(found["x"], other["x"]), 1e-5);
      for (const char* name : {"touchdown", "liftoff", "apex"}) {
        const auto own = found.times_of(name), theirs = other.times_of(name);
        ASSERT_EQ(own.size(), theirs.size()) << name;
        for (std::size_t i = 0; i < own.size(); ++i) EXPECT_NEAR(own[i], theirs[i], 1e-5) << name;
      }
    }
}

TEST(exact, EnergyBalanceOfContactsCloses) {
  for (const char* contact : all_contacts)
    for (const char* push : all_pushes) {
      SCOPED_TRACE(std::string(contact) + push);
      const auto run = simulate(read(bounced(contact, push, "method = 'exact'",
                                             "duration = 1.5, audit = true, "
                                             "audit_tolerance = 1e-10")));
      ASSERT_TRUE(run.audit.has_value());
      for (const auto& each : run.audit->findings) ADD_FAILURE() << each.where << ' ' << each.what;
      EXPECT_LT(run.audit->relative_residual(), 1e-11);
    }
}

TEST(exact, StepsOfContactsDoNotMatter) {
  for (const char* contact : all_contacts) {
    SCOPED_TRACE(contact);
    const auto once = simulate(read(bounced(contact, all_pushes[2], "method = 'exact'")));
    const auto short_ones =
        simulate(read(bounced(contact, all_pushes[2], "method = 'exact', max_step = 1e-3")));
    const auto finer = simulate(read(
        bounced(contact, all_pushes[2], "method = 'exact'", "duration = 1.5, sample = 0.005")));
    EXPECT_LT(greatest_difference(once["x"], short_ones["x"]), 1e-11);
    EXPECT_EQ(once.events.size(), short_ones.events.size());
    EXPECT_EQ(once.events.size(), finer.events.size());
    std::vector<double> every_other;
    for (std::size_t i = 0; i < finer["x"].size(); i += 2) every_other.push_back(finer["x"][i]);
    EXPECT_LT(greatest_difference(once["x"], every_other), 1e-12);
  }
}

// Slip and stick come in turns, and each is where the pull is at its limit.
TEST(exact, EventsAreAtTheLimit) {
  const auto run = simulate(read(with(shaken, all_frictions[3], "method = 'exact'")));
  const auto slips = run.times_of("slip"), sticks = run.times_of("stick");
  ASSERT_GE(slips.size(), 5U);
  ASSERT_NEAR(static_cast<double>(slips.size()), static_cast<double>(sticks.size()), 1);
  for (std::size_t i = 0; i < sticks.size(); ++i) {
    EXPECT_LT(slips[i], sticks[i]);
    if (i + 1 < slips.size()) {
      EXPECT_LT(sticks[i], slips[i + 1]);
    }
  }
  for (const auto& each : run.events) {
    if (each.name == "reversal") {
      EXPECT_NEAR(each.state[1], 0, 1e-12);
      continue;
    }
    EXPECT_NEAR(std::abs(1e4 * (each.state[2] + 1e-2 * each.state[1])), 1, 1e-9) << each.name;
  }
}

// A stepper goes on from where it ended with all its digits, and from anywhere else as it is told.
TEST(exact, StartsWhereItIsTold) {
  linear_mass mass{.m = 1, .k = 50, .c = 0.5};
  mass.friction.count = 1;
  mass.friction.of[0] = {1e5, 100, 1};
  mass.tones = {{2, 2 * std::numbers::pi, 0}};
  mass.pieces = {{.tones = 1}};
  const double rest[exact_stepper::most_states] = {};
  exact_stepper whole(mass, 3), halved(mass, 3), other(mass, 3);
  whole.start(0, rest);
  while (whole.t() < 4) ASSERT_EQ(whole.step(4, 4), outcome::completed);
  halved.start(0, rest);
  while (halved.t() < 1.3) ASSERT_EQ(halved.step(1.3, 1.3), outcome::completed);
  other.start(1.3, halved.y());
  halved.start(1.3, halved.y());
  while (halved.t() < 4) ASSERT_EQ(halved.step(4, 4), outcome::completed);
  while (other.t() < 4) ASSERT_EQ(other.step(4, 4), outcome::completed);
  for (int i = 0; i < 3; ++i) {
    const double scale = i == 2 ? 1e-5 : 0.1;
    EXPECT_NEAR(halved.y()[i], whole.y()[i], 1e-13 * scale);
    EXPECT_NEAR(other.y()[i], whole.y()[i], 1e-13 * scale);
  }
}

// Numbers that are none come out as an outcome, not as an endless search.
TEST(exact, NotANumberIsAnOutcome) {
  linear_mass mass{.m = 1, .k = 50};
  mass.friction.count = 1;
  mass.friction.of[0] = {1e5, 100, 1};
  mass.pieces = {{.offset = std::nan("")}};
  const double rest[exact_stepper::most_states] = {};
  exact_stepper stepper(mass, 3);
  stepper.start(0, rest);
  EXPECT_EQ(stepper.step(1, 1), outcome::not_finite);
}

}  // namespace
}  // namespace asperity
