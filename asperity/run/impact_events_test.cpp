// SPDX-License-Identifier: Apache-2.0
// Touchdown, lift-off and apex of a bouncing mass by every method, and how bouncing ends on every
// contact model.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/integrate/cvode.hpp>
#include <asperity/run/simulate.hpp>
#include <cmath>
#include <map>

namespace asperity {
namespace {

constexpr double g = 9.8;

run_data bounce(const std::string& contact, const std::string& integrator, double height,
                double duration, double mass = 1) {
  const std::string text = fmt::format(
      "force = {}\n[system]\nkind = \"bouncing_mass\"\nmass = {}\n[contact]\n{}\n"
      "[initial]\nx = {}\n[integrator]\n{}\n[run]\nduration = {}\nsample = {}\n",
      -g * mass, mass, contact, height, integrator, duration, duration / 1000);
  return simulate(read_scenario(parse_toml(text, "test.toml"), "test", "."));
}

std::vector<run_event> named(const run_data& data, const char* name) {
  std::vector<run_event> found;
  std::copy_if(data.events.begin(), data.events.end(), std::back_inserter(found),
               [&](const run_event& e) { return e.name == name; });
  return found;
}

// A fall is a parabola: methods of second order and above are exact on it, the others are as far
// off as their step. So the first touchdown is known, and so is the second from the height of the
// apex.
TEST(impact_events, AreLocatedByEveryMethod) {
  struct method_case {
    std::string integrator;
    double exactness;  // of the first touchdown [s]
  };
  std::vector<method_case> methods{
      {"method = \"euler\"\nstep = 1e-5", 1e-5},
      {"method = \"backward_euler\"\nstep = 1e-5", 1e-5},
      {"method = \"rk4\"\nstep = 1e-4", 1e-9},
      {"method = \"sdirk2\"\nstep = 1e-4", 1e-9},
      {"method = \"trbdf2\"\nrelative_tolerance = 1e-8", 1e-8},
      {"method = \"dopri5\"\nrelative_tolerance = 1e-9", 1e-8},
  };
  if (has_cvode()) methods.push_back({"method = \"cvode\"\nrelative_tolerance = 1e-9", 1e-6});
  for (const auto& [integrator, exactness] : methods)
    for (const char* contact : {"model = \"dai_contact\"\nalpha = 0.005",
                                "model = \"kelvin_voigt_clamped\"\nK = 1e4\nB = 20"}) {
      SCOPED_TRACE(integrator + " on " + contact);
      const run_data data = bounce(contact, integrator, 0.5, 1.2);
      ASSERT_EQ(data.result.how, outcome::completed) << data.result.detail;
      const auto touch = named(data, "touchdown"), lift = named(data, "liftoff"),
                 apex = named(data, "apex");
      ASSERT_GE(touch.size(), 2U);
      ASSERT_GE(lift.size(), 1U);
      ASSERT_GE(apex.size(), 1U);
      EXPECT_NEAR(touch[0].t, std::sqrt(2 * 0.5 / g), exactness);
      EXPECT_NEAR(touch[0].state[0], 0, 4 * exactness);
      EXPECT_LT(touch[0].t, lift[0].t);
      EXPECT_LT(lift[0].t, apex[0].t);
      EXPECT_LT(apex[0].t, touch[1].t);
      EXPECT_NEAR(apex[0].state[1], 0, 1e-6);
      EXPECT_NEAR(touch[1].t - apex[0].t, std::sqrt(2 * apex[0].state[0] / g), 2 * exactness);
    }
}

// The next touchdown after an apex at height H comes sqrt(2 H/g) later, if contact has closed up by
// then: so it goes, bounce after bounce.
TEST(impact_events, FlightsBetweenThemAreParabolas) {
  const run_data data =
      bounce("model = \"hunt_crossley\"", "method = \"dopri5\"\nrelative_tolerance = 1e-10", 1, 6);
  const auto touch = named(data, "touchdown"), apex = named(data, "apex");
  ASSERT_GE(apex.size(), 5U);
  for (std::size_t i = 0; i + 1 < touch.size() && i < apex.size(); ++i)
    EXPECT_NEAR(touch[i + 1].t - apex[i].t, std::sqrt(2 * apex[i].state[0] / g), 1e-7);
}

// Bouncing ends: after finitely many touchdowns the mass stays in contact, swings out and rests
// where the contact carries its weight. From then on nothing happens any more.
TEST(impact_events, BouncingEndsAtRest) {
  struct rest_case {
    std::string contact;
    double mass, height, duration, static_force_depth;
  };
  const auto hertzian = [](double K, double mass) { return std::pow(mass * g / K, 2.0 / 3); };
  const std::vector<rest_case> cases{
      {"model = \"kelvin_voigt\"\nK = 1e4\nB = 40", 1, 0.2, 8, g / 1e4},
      {"model = \"kelvin_voigt_clamped\"\nK = 1e4\nB = 40", 1, 0.2, 8, g / 1e4},
      {"model = \"hunt_crossley\"\nK = 1e4\nb = 1", 1, 0.1, 40, hertzian(1e4, 1)},
      {"model = \"azad_featherstone\"", 0.154, 0.0835, 6, hertzian(8.5e6, 0.154)},
      {"model = \"dai_contact\"\nK = 1e4\nbeta = 0.01\nalpha = 0.004", 1, 0.2, 8, g / 1e4},
      {"model = \"dai_contact_nonlinear\"", 1, 0.2, 20, hertzian(1e4, 1)},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.contact);
    const run_data data = bounce(c.contact, "method = \"dopri5\"\nrelative_tolerance = 1e-8",
                                 c.height, c.duration, c.mass);
    ASSERT_EQ(data.result.how, outcome::completed);
    const auto touch = named(data, "touchdown");
    EXPECT_GE(touch.size(), 2U);
    EXPECT_LE(touch.size(), 100U);
    EXPECT_LT(touch.back().t, 0.7 * c.duration) << touch.size();
    EXPECT_EQ(touch.size(), named(data, "liftoff").size() + 1);
    // Of one flight each; but a dent that recovers may meet the mass again while it still rises.
    const std::size_t hops = touch.size() - 1, turns = named(data, "apex").size();
    EXPECT_LE(turns, hops);
    if (touch.back().state[1] < 0) {
      EXPECT_EQ(turns, hops);
    }
    EXPECT_GE(turns, 1U);
    // Rebounds get lower and lower.
    const auto apex = named(data, "apex");
    for (std::size_t i = 1; i < apex.size(); ++i) EXPECT_LT(apex[i].state[0], apex[i - 1].state[0]);
    EXPECT_NEAR(data["x"].back(), -c.static_force_depth, 1e-3 * c.static_force_depth);
    EXPECT_NEAR(data["v"].back(), 0, 1e-4);
    EXPECT_NEAR(data["f"].back(), c.mass * g, 1e-3 * g);
    // Two for each bounce, and those of the last swing down to the tolerance: what is left at rest
    // is no motion.
    const auto turns_back = named(data, "reversal");
    EXPECT_LT(turns_back.size(), 2 * touch.size() + 100);
    EXPECT_LT(turns_back.back().t, 0.9 * c.duration);
  }
}

// Implicit steps end it likewise.
TEST(impact_events, BouncingEndsAtRestWithImplicitSteps) {
  for (const char* method : {"backward_euler\"\nstep = 1e-3", "sdirk2\"\nstep = 1e-3", "trbdf2\""})
    for (const char* contact : {"model = \"dai_contact\"\nK = 1e4\nbeta = 0.01\nalpha = 0.004",
                                "model = \"kelvin_voigt_clamped\"\nK = 1e4\nB = 40"}) {
      SCOPED_TRACE(std::string(method) + contact);
      const run_data data = bounce(contact, fmt::format("method = \"{}", method), 0.2, 8);
      ASSERT_EQ(data.result.how, outcome::completed);
      const auto touch = named(data, "touchdown");
      EXPECT_GE(touch.size(), 2U);
      EXPECT_LE(touch.size(), 60U);
      EXPECT_NEAR(data["x"].back(), -g / 1e4, 1e-6);
      EXPECT_LT(touch.back().t, 6);
    }
}

// And so does every other method, on every contact.
TEST(impact_events, BouncingEndsAtRestByEveryMethod) {
  std::vector<std::string> methods{"euler\"\nstep = 2e-5", "rk4\"\nstep = 2e-4"};
  if (has_cvode()) methods.emplace_back("cvode\"\nrelative_tolerance = 1e-8");
  for (const auto& method : methods)
    for (const char* contact : {"model = \"kelvin_voigt\"\nK = 1e4\nB = 40",
                                "model = \"kelvin_voigt_clamped\"\nK = 1e4\nB = 40",
                                "model = \"dai_contact\"\nK = 1e4\nbeta = 0.01\nalpha = 0.004"}) {
      SCOPED_TRACE(method + contact);
      const run_data data = bounce(contact, fmt::format("method = \"{}", method), 0.2, 4);
      ASSERT_EQ(data.result.how, outcome::completed);
      const auto touch = named(data, "touchdown");
      EXPECT_GE(touch.size(), 2U);
      EXPECT_LE(touch.size(), 60U);
      EXPECT_LT(touch.back().t, 3);
      EXPECT_EQ(touch.size(), named(data, "liftoff").size() + 1);
      EXPECT_NEAR(data["x"].back(), -g / 1e4, 1e-3 * g / 1e4);
    }
}

// On rigid ground that gives back a share e of the speed the bounces are endless, and over after a
// finite time: sqrt(2 H/g) (1 + e)/(1 - e). Every method ends in the same defined rest there.
TEST(impact_events, EndlessBouncesEndAtTheSameRestByEveryMethod) {
  const double e = 0.7, H = 0.3, end = std::sqrt(2 * H / g) * (1 + e) / (1 - e);
  struct method_case {
    std::string integrator;
    double exactness;  // [s]
  };
  // Backward Euler lands too slowly by g h each time, which takes 2 e h/(1 - e) from what is left:
  // 4.7 steps for each of the 30 flights that are longer than a step. Explicit Euler lands too fast
  // by as much, and rests where at most 4 e h/(1 - e)^2 = 31 steps are left.
  std::vector<method_case> methods{
      {"'euler', step = 1e-5", 2e-3},
      {"'backward_euler', step = 1e-5", 2e-3},
      {"'rosenbrock'", 1e-6},
      {"'rk4', step = 1e-3", 1e-8},
      {"'sdirk2', step = 1e-3", 1e-8},
      {"'trbdf2'", 1e-6},
      {"'dopri5'", 1e-8},
  };
  if (has_cvode()) methods.push_back({"'cvode', relative_tolerance = 1e-10", 1e-5});
  for (const auto& [integrator, exactness] : methods) {
    SCOPED_TRACE(integrator);
    const run_data data = simulate(read_scenario(
        parse_toml(
            fmt::format("system = {{ kind = 'rigid_bounce', restitution = {}, gravity = {} }}\n"
                        "initial = {{ x = {} }}\nintegrator = {{ method = {} }}\n"
                        "run = {{ duration = 2 }}\n",
                        e, g, H, integrator),
            "test"),
        "test", ""));
    ASSERT_EQ(data.result.how, outcome::completed);
    const auto rest = named(data, "rest");
    ASSERT_EQ(rest.size(), 1U);
    EXPECT_NEAR(rest[0].t, end, exactness);
    EXPECT_EQ(data["x"].back(), 0);
    EXPECT_EQ(data["v"].back(), 0);
  }
}

// Elastic contacts never come to rest: the mass returns to its height each time.
TEST(impact_events, ElasticBouncingGoesOn) {
  for (const char* contact :
       {"model = \"hertz\"\nr_2 = 1e9\nE_2 = 1e7\n", "model = \"dai_contact\"\nalpha = 0.01"}) {
    SCOPED_TRACE(contact);
    const run_data data =
        bounce(contact, "method = \"dopri5\"\nrelative_tolerance = 1e-11", 0.2, 10, 0.5);
    const auto apex = named(data, "apex");
    ASSERT_GE(apex.size(), 20U);
    for (const auto& each : apex) EXPECT_NEAR(each.state[0], 0.2, 1e-6);
  }
}

// On rigid ground the first impact is the last: one touchdown, and the ground carries the weight.
TEST(impact_events, RigidGroundEndsItAtOnce) {
  const run_data data =
      bounce("model = \"rigid\"", "method = \"backward_euler\"\nstep = 1e-4", 0.2, 1, 2);
  ASSERT_EQ(data.result.how, outcome::completed);
  EXPECT_EQ(named(data, "touchdown").size(), 1U);
  EXPECT_EQ(named(data, "liftoff").size(), 0U);
  EXPECT_NEAR(named(data, "touchdown")[0].t, std::sqrt(2 * 0.2 / g), 2e-4);
  EXPECT_NEAR(data["x"].back(), 0, 1e-16);
  EXPECT_EQ(data["v"].back(), 0);
  EXPECT_NEAR(data["f"].back(), 2 * g, 1e-6);
  EXPECT_GE(*std::min_element(data["x"].begin(), data["x"].end()), -1e-16);
}

// Other methods would make rebounds of their own; they are refused, with the one that is not.
TEST(impact_events, RigidGroundIsForBackwardEuler) {
  for (const char* method : {"rk4", "trbdf2", "dopri5"}) try {
      bounce("model = \"rigid\"", fmt::format("method = \"{}\"\nstep = 1e-3", method), 0.2, 1);
      ADD_FAILURE() << method;
    } catch (const std::exception& problem) {
      EXPECT_NE(std::string(problem.what()).find("backward_euler"), std::string::npos)
          << problem.what();
    }
}

}  // namespace
}  // namespace asperity
