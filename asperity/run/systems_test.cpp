// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/run/simulate.hpp>
#include <cmath>
#include <numbers>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

std::string launched(const std::string& contact, const std::string& more = "") {
  return fmt::format(
      "system = {{ kind = 'sphere_on_plane', mass = 1, radius = 0.5, gravity = 9.8 }}\n"
      "contact = {{ {} }}\n{}"
      "initial = {{ z = 0.6, v_x = 5.5, v_y = -2 }}\n"
      "integrator = {{ method = 'dopri5', relative_tolerance = 1e-9 }}\nrun = {{ duration = 3.5 "
      "}}\n",
      contact, more);
}

using stick_slip = std::pair<std::vector<double>, std::vector<double>>;  // times of slip, of stick
stick_slip of_pushed_mass(const std::string& system, double amplitude, const std::string& friction,
                          const std::string& method) {
  const auto data = simulate(read(fmt::format(
      "system = {}\nfriction = {{ {} }}\nintegrator = {{ {} }}\nrun = {{ duration = 5 }}\n"
      "force = {{ kind = 'sine', amplitude = {}, frequency = 0.5 }}\n{}",
      system, friction, method, amplitude,
      system.find("walls") == std::string::npos ? "" : "contact = { model = 'hunt_crossley' }\n")));
  EXPECT_EQ(data.result.how, outcome::completed) << method;
  std::string last = "stick";  // it begins at rest
  for (const auto& each : data.events) {
    if (each.name != "slip" && each.name != "stick") continue;
    EXPECT_NE(each.name, last) << system << " " << friction << " " << method << " " << each.t;
    last = each.name;
  }
  return {data.times_of("slip"), data.times_of("stick")};
}
const char* const pushed_mass = "{ kind = 'mass_under_force', mass = 1 }";
const char* const walled = "{ kind = 'mass_between_walls', mass = 1, left = -100, right = 100 }";
const std::vector<std::pair<std::string, std::string>> ways{
    {pushed_mass, ""},
    {pushed_mass, "relative_tolerance = 1e-9"},
    {pushed_mass, "method = 'sdirk2', step = 1e-4"},
    {pushed_mass, "method = 'backward_euler', step = 1e-4"},
    {pushed_mass, "method = 'switch'"},
    {pushed_mass, "method = 'switch', relative_tolerance = 1e-10"},
    {walled, "method = 'switch'"}};

// At each of its turns the force is above the limit: it never rests again.
TEST(slip_and_stick, ATurnUnderAPullBeyondTheLimitIsNoRest) {
  for (const auto& [system, method] : ways)
    for (const auto& [friction, limit] : {std::pair{"model = 'coulomb'", 1.0},
                                          {"model = 'coulomb_viscous', sigma_2 = 1e-3", 1.0},
                                          {"model = 'stiction'", 1.5}}) {
      const auto [slips, sticks] = of_pushed_mass(system, 3, friction, method);
      ASSERT_EQ(slips.size(), 1U) << system << friction << method;
      EXPECT_NEAR(slips[0], std::asin(limit / 3) / std::numbers::pi, 1e-3) << friction << method;
      EXPECT_TRUE(sticks.empty()) << system << friction << method;
    }
}

// A weaker force loses it twice in each period, and it comes to rest before the force turns.
TEST(slip_and_stick, EveryMethodSeesTheSameRests) {
  const double begins = std::asin(1 / 1.2) / std::numbers::pi;
  // The zero of its velocity.
  double from = begins + 0.1, to = 1;
  for (int i = 0; i < 60; ++i) {
    const double t = 0.5 * (from + to), pi = std::numbers::pi;
    const double v = 1.2 / pi * (std::cos(pi * begins) - std::cos(pi * t)) - (t - begins);
    (v > 0 ? from : to) = t;
  }
  for (const auto& [system, method] : ways) {
    const auto [slips, sticks] = of_pushed_mass(system, 1.2, "model = 'coulomb'", method);
    ASSERT_EQ(slips.size(), 5U) << system << method;
    ASSERT_EQ(sticks.size(), 5U) << system << method;
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(slips[i], begins + static_cast<double>(i), 1e-3) << system << method;
      EXPECT_NEAR(sticks[i], from + static_cast<double>(i), 1e-3) << system << method;
    }
  }
}

// It stops while the pull is above what resists motion and below what holds at rest: it rests until
// the pull has grown to the latter. From rest at each break-away, every half period is the same.
TEST(slip_and_stick, ABodyThatStopsUnderAPullThatRestHoldsRests) {
  const double begins = std::asin(0.75);  // 2 sin = 1.5
  double from = begins + 0.5, to = 4;     // the zero of its velocity, as a phase of the pull
  for (int i = 0; i < 60; ++i) {
    const double a = 0.5 * (from + to);
    (2 * (std::cos(begins) - std::cos(a)) - (a - begins) > 0 ? from : to) = a;
  }
  ASSERT_GT(std::abs(2 * std::sin(from)), 1.1);  // neither is near
  ASSERT_LT(std::abs(2 * std::sin(from)), 1.3);
  for (const auto& [system, method] : ways) {
    const auto [slips, sticks] =
        of_pushed_mass(system, 2, "model = 'stiction', F_c = 1, F_s = 1.5", method);
    ASSERT_EQ(slips.size(), 5U) << system << method;
    ASSERT_EQ(sticks.size(), 4U) << system << method;
    for (std::size_t i = 0; i < 4; ++i) {
      const auto turns = static_cast<double>(i);
      EXPECT_NEAR(slips[i], begins / std::numbers::pi + turns, 1e-3) << system << method;
      EXPECT_NEAR(sticks[i], from / std::numbers::pi + turns, 1e-3) << system << method;
    }
  }
}

TEST(slip_and_stick, BristlesThatJumpDoTheSameBetweenWalls) {
  for (const char* friction : {"model = 'drbm'", "model = 'stribeck_exponential'"}) {
    const auto alone = of_pushed_mass(pushed_mass, 3, friction, "method = 'switch'");
    const auto between = of_pushed_mass(walled, 3, friction, "method = 'switch'");
    EXPECT_EQ(alone.first.size(), between.first.size()) << friction;
    EXPECT_EQ(alone.second.size(), between.second.size()) << friction;
    EXPECT_FALSE(alone.first.empty()) << friction;
  }
}

// The ground begins to carry a disc, its load swings, and it slips at first; from then on it only
// rolls. Where the ground carries it from the start, it always does.
TEST(slip_and_stick, ADiscThatRollsDoesNotStickAgainAndAgain) {
  const double press = 9.81 * std::cos(0.4);
  const auto rolling = [](const std::string& friction, const std::string& method, double depth) {
    const auto data = simulate(read(
        fmt::format("system = {{ kind = 'rolling_disc', mass = 1, radius = 0.1, slope = 0.4 }}\n"
                    "contact = {{ model = 'dai_contact', K = 1e5 }}\n"
                    "friction = {{ model = '{}', F_c = 0.3 }}\nintegrator = {{ {} }}\n"
                    "initial = {{ z = {}, contact_e = {} }}\nrun = {{ duration = 1 }}\n",
                    friction, method, 0.1 - depth, depth)));
    EXPECT_EQ(data.result.how, outcome::completed) << friction << method;
    std::vector<run_event> found = data.events;
    std::erase_if(found, [](const run_event& e) { return e.name != "slip" && e.name != "stick"; });
    return found;
  };
  for (const char* friction : {"coulomb", "stiction"}) {
    std::vector<run_event> expected;
    // Implicit steps may stop a body on stiction a step or two early (stiction.md).
    for (const auto& [method, within] :
         {std::pair{"method = 'switch', relative_tolerance = 1e-9", 0.0},
          {"method = 'switch'", 2e-6},
          {"method = 'trbdf2'", 2e-6},
          {"method = 'sdirk2', step = 1e-5", 2e-5}}) {
      EXPECT_TRUE(rolling(friction, method, press / 1e5).empty()) << friction << method;
      const auto found = rolling(friction, method, 0);
      if (expected.empty()) expected = found;
      ASSERT_EQ(found.size(), expected.size()) << friction << method;
      ASSERT_EQ(found.size() % 2, 0U) << friction << method;
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].name, i % 2 == 0 ? "slip" : "stick") << friction << method;
        EXPECT_NEAR(found[i].t, expected[i].t, within) << friction << method << i;
      }
      EXPECT_LT(found.back().t, 0.1) << friction << method;
    }
  }
}

// The same motion three times: as a mass alone (by another method), between walls far away, and as
// a disc too heavy to turn. The methods are of order 2.
TEST(systems, RunAMemoryThatIsNoOde) {
  const auto end_of = [](const std::string& text, double h, const char* at) {
    const auto data = simulate(read(text + fmt::format("friction = {{ model = 'maxwell_slip' }}\n"
                                                       "integrator = {{ method = 'advance', step = "
                                                       "{} }}\nrun = {{ duration = 0.1 }}\n",
                                                       h)));
    EXPECT_EQ(data.result.how, outcome::completed);
    return data[at].back();
  };
  const std::string force = "force = { kind = 'sine', amplitude = 6, frequency = 12 }\n";
  const std::string alone = force + "system = { kind = 'mass_under_force', mass = 0.5 }\n";
  const std::string walls = force +
                            "system = { kind = 'mass_between_walls', mass = 0.5, left = -9, right "
                            "= 9 }\ncontact = { model = 'hertz' }\n";
  const double exact = end_of(alone, 1e-6, "x");
  EXPECT_GT(std::abs(exact), 1e-4);
  const double coarse = std::abs(end_of(walls, 4e-5, "x") - exact);
  const double fine = std::abs(end_of(walls, 1e-5, "x") - exact);
  EXPECT_LT(coarse, 1e-3 * std::abs(exact));
  EXPECT_LT(fine, coarse / 8);

  const std::string thrown = "force = 0\ninitial = { v = 0.2 }\n";
  const std::string disc =
      "system = { kind = 'rolling_disc', mass = 0.5, radius = 0.1, inertia = 1e12, reference_load "
      "= 4.905 }\ncontact = { model = 'dai_contact' }\n"
      "initial = { v_x = 0.2, z = 0.09995095, contact_e = 4.905e-5 }\n";
  const double there =
      end_of(thrown + "system = { kind = 'mass_under_force', mass = 0.5 }\n", 1e-6, "x");
  EXPECT_NEAR(end_of(disc, 1e-5, "x"), there, 1e-6 * std::abs(there));
}

std::string complaint(const std::string& text) {
  try {
    static_cast<void>(read(text));
  } catch (const error& problem) {
    return problem.what();
  }
  return "";
}

TEST(systems, ComplaintsNameKeyValueAndRange) {
  const std::string run = "run = { duration = 1 }\n";
  EXPECT_NE(complaint(run + "system = { kind = 'sphere_on_plane', mass = -1, radius = 1 }\n"
                            "contact = { model = 'dai_frictional_contact' }\n")
                .find("system.mass = -1"),
            std::string::npos);
  EXPECT_NE(complaint(run + "system = { kind = 'sphere_on_plane', mass = 1, radius = 1 }\n"
                            "contact = { model = 'dai_frictional_contact', nu = 1 }\n")
                .find("contact.nu"),
            std::string::npos);
  EXPECT_NE(complaint(run + "system = { kind = 'sphere_on_plane', mass = 1, radius = 1 }\n"
                            "contact = { model = 'dai_frictional' }\n")
                .find("dai_frictional_contact"),
            std::string::npos);
  EXPECT_NE(complaint(run + "system = { kind = 'mass_between_walls', mass = 1, left = 2 }\n"
                            "contact = { model = 'dai_contact' }\n")
                .find("it must be above left"),
            std::string::npos);
  const std::string wheel = "system = { kind = 'rolling_disc', mass = 1, radius = 1 }\n";
  EXPECT_NE(complaint(run + wheel +
                      "contact = { model = 'dai_contact' }\nfriction = { model = 'maxwell_slip' }\n"
                      "integrator = { method = 'dopri5' }\n")
                .find("not an ODE; allowed: advance"),
            std::string::npos);
  EXPECT_NE(
      complaint(run + wheel + "contact = { model = 'rigid' }\nfriction = { model = 'lugre' }\n")
          .find("implicit step in closed form"),
      std::string::npos);
  EXPECT_NE(
      complaint(run + "system = { kind = 'two_bodies_wall_conveyor', mass_1 = 1, mass_2 = 1, "
                      "stiffness = 1, speed = 1 }\ncontact = { model = 'dai_contact' }\n"
                      "friction = { model = 'dai_multistate', elements = 20, lambda = 0.05 }\n")
          .find("states"),
      std::string::npos);
  const std::string bounce = "system = { kind = 'rigid_bounce' }\n";
  EXPECT_NE(complaint(run + bounce + "initial = { x = -1 }\n").find("initial.x"),
            std::string::npos);
  EXPECT_NE(complaint(run + bounce + "initial = { x = 1, rests = 1 }\n").find("initial.rests"),
            std::string::npos);
  const std::string ball =
      "contact = { model = 'dai_frictional_contact' }\n"
      "system = { kind = 'sphere_on_plane', mass = 1, radius = 1";
  EXPECT_NE(complaint(run + ball + " }\ninitial = { q_w = 0 }\n").find("must not be 0"),
            std::string::npos);
  EXPECT_NE(complaint(run + ball + ", inertia = [1, 1, 3] }\n").find("no body has"),
            std::string::npos);
  EXPECT_NE(
      complaint(run + "system = { kind = 'two_bodies_wall_conveyor', mass_1 = 1, mass_2 = 1, "
                      "stiffness = 1, speed = 1 }\ncontact = { model = 'hertz' }\n"
                      "friction = { model = 'coulomb' }\nintegrator = { method = 'dopri5' }\n")
          .find("shrink without end"),
      std::string::npos);
  // Systems without an implicit step say what to take instead.
  const std::string belt =
      "system = { kind = 'mass_on_belt', mass = 1, k_1 = 1, k_2 = 1, speed = 1 }\n"
      "friction = { model = 'lugre' }\nintegrator = { method = 'sdirk2', step = 1e-3 }\n";
  EXPECT_NE(complaint(run + belt).find("\"rosenbrock\""), std::string::npos);
  const std::string walls =
      "system = { kind = 'mass_between_walls', mass = 1 }\ncontact = { model = 'rigid' }\n";
  EXPECT_NE(complaint(run + walls).find("state it as an inclusion"), std::string::npos);
  const std::string disc =
      "system = { kind = 'rolling_disc', mass = 1, radius = 1 }\ncontact = { model = 'rigid' }\n"
      "friction = { model = 'coulomb' }\nintegrator = { method = 'trbdf2' }\n";
  EXPECT_NE(complaint(run + disc).find("backward_euler"), std::string::npos);
}

TEST(systems, ResolvedDocumentRunsToTheSameEnd) {
  const scenario s = read(launched("model = 'dai_frictional_contact'"));
  const scenario again = read_scenario(s.resolved, "test", "");
  EXPECT_EQ(simulate(s)["x"], simulate(again)["x"]);
}

}  // namespace
}  // namespace asperity
