// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/integrate/cvode.hpp>
#include <asperity/models/frictional_contact/dai_frictional_contact.hpp>
#include <asperity/run/simulate.hpp>
#include <asperity/systems/sphere_on_plane.hpp>
#include <cmath>
#include <numbers>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

// ---- the sphere ---------------------------------------------------------------------------------

std::string launched(const std::string& contact, const std::string& more = "") {
  return fmt::format(
      "system = {{ kind = 'sphere_on_plane', mass = 1, radius = 0.5, gravity = 9.8 }}\n"
      "contact = {{ {} }}\n{}"
      "initial = {{ z = 0.6, v_x = 5.5, v_y = -2 }}\n"
      "integrator = {{ method = 'dopri5', relative_tolerance = 1e-9 }}\nrun = {{ duration = 3.5 "
      "}}\n",
      contact, more);
}

TEST(sphere_on_plane, EndsRollingAtFiveSeventhsOfTheLaunchSpeed) {
  for (
      const auto& [contact, more] : std::vector<std::pair<std::string, std::string>>{
          {"model = 'dai_frictional_contact', mu = 0.3", ""},
          {"model = 'azad_featherstone_clutch', C_v = 0, mu = 0.3, K_n = 1e6, D_n = 1e4, K_t = 1e6",
           ""},
          {"model = 'azad_featherstone_stribeck', mu = 0.3, mu_s = 0.35, K_n = 1e6, D_n = 1e4", ""},
          {"model = 'hunt_crossley', K = 1e5, b = 0.3", "friction = { K = 1e4, mu = 0.3 }\n"}}) {
    const auto data = simulate(read(launched(contact, more)));
    ASSERT_FALSE(is_failure(data.result.how)) << contact;
    EXPECT_NEAR(data["v_x"].back(), 5.5 * 5 / 7, 1e-6 * 5.5) << contact;
    EXPECT_NEAR(data["v_y"].back(), -2.0 * 5 / 7, 1e-6 * 5.5) << contact;
    EXPECT_NEAR(data["slip_x"].back(), 0, 1e-6) << contact;
    for (const double size : data["q_size"]) EXPECT_NEAR(size, 1, 1e-6) << contact;
  }
}

TEST(sphere_on_plane, AngularMomentumAboutTheContactPointStaysThroughEveryBounce) {
  // m v_x + I omega_y/R with I = 2/5 m R^2, and likewise across; spin about the normal is free.
  const auto data = simulate(read(launched("model = 'dai_frictional_contact'")));
  for (std::size_t i = 0; i < data["t"].size(); ++i) {
    EXPECT_NEAR(data["v_x"][i] + 0.4 * 0.5 * data["omega_y"][i], 5.5, 1e-9);
    EXPECT_NEAR(data["v_y"][i] - 0.4 * 0.5 * data["omega_x"][i], -2.0, 1e-9);
    EXPECT_EQ(data["omega_z"][i], 0);
  }
}

TEST(sphere_on_plane, RollsDownASlopeWithFiveSeventhsOfItsPull) {
  const auto data = simulate(read(
      "system = { kind = 'sphere_on_plane', mass = 2, radius = 0.1, gravity = 9.8, slope = '10 "
      "deg' }\n"
      "contact = { model = 'dai_frictional_contact', mu = 0.5, K_1 = 1e6, K_2 = 1e6 }\n"
      "initial = { z = 0.1 }\n"
      "integrator = { method = 'trbdf2', relative_tolerance = 1e-7 }\nrun = { duration = 1 }\n"));
  const double pull = 9.8 * std::sin(10 * 3.14159265358979 / 180);
  EXPECT_NEAR(data["v_x"].back(), 5.0 / 7 * pull, 1e-3 * pull);
}

TEST(sphere_on_plane, BackspinThrowsItBack) {
  // Oblique impact: with enough backspin the sphere leaves backwards; its angle is reported.
  const auto data = simulate(read(
      "system = { kind = 'sphere_on_plane', mass = 1, radius = 0.5, gravity = 0 }\n"
      "contact = { model = 'dai_frictional_contact', mu = 0.5 }\n"
      "initial = { z = 0.6, v_x = 1, v_z = -4, omega_y = -40 }\n"
      "integrator = { method = 'dopri5', relative_tolerance = 1e-9 }\nrun = { duration = 0.2 }\n"));
  const double v_x = data["v_x"].back(), v_z = data["v_z"].back();
  EXPECT_LT(v_x, 0);
  EXPECT_NEAR(data["elevation"].back(), std::atan2(v_z, std::abs(v_x)), 1e-12);
  // It slipped all through: the impulse along the plane is mu times the one across.
  EXPECT_NEAR(1 - v_x, 0.5 * (v_z + 4), 1e-6);
}

TEST(sphere_on_plane, UnevenSphereInFlightKeepsEnergyAndMomentum) {
  using system = sphere_on_plane<double, dai_frictional_contact<double>, false>;
  const auto data = simulate(read(
      "system = { kind = 'sphere_on_plane', mass = 1, radius = 0.5, gravity = 0, "
      "inertia = [0.05, 0.1, 0.14] }\n"
      "contact = { model = 'dai_frictional_contact' }\n"
      "initial = { z = 5, omega_x = 0.05, omega_y = 7, omega_z = 0.02 }\n"
      "integrator = { method = 'dopri5', relative_tolerance = 1e-11 }\nrun = { duration = 20 }\n"));
  const system body{.contact = {}, .I = {{0.05, 0.1, 0.14}}};
  const auto at = [&](std::size_t i) {
    std::vector<double> y;
    for (std::size_t k = 1; k <= 16; ++k) y.push_back(data.columns[k].values[i]);
    return y;
  };
  const auto momentum = [&](const std::vector<double>& y) {
    return body.momentum(y.data(), {{y[6], y[7], y[8]}});
  };
  const auto start = momentum(at(0));
  double upright = 1;
  for (std::size_t i = 0; i < data["t"].size(); ++i) {
    const auto now = momentum(at(i));
    EXPECT_LE(norm(now - start), 1e-7 * norm(start));
    EXPECT_NEAR(dot(now, {{at(i)[6], at(i)[7], at(i)[8]}}), 0.1 * 49.0, 1e-3 * 4.9);
    EXPECT_NEAR(data["q_size"][i], 1, 1e-8);
    // Turned about its middle axis, it tips over (Dzhanibekov): that axis comes to point back.
    upright = std::min(upright, 1 - 2 * (at(i)[10] * at(i)[10] + at(i)[12] * at(i)[12]));
  }
  EXPECT_LT(upright, -0.9);
}

TEST(sphere_on_plane, QuaternionStaysUnitInStepsOfFixedLength) {
  for (const char* method : {"backward_euler", "sdirk2", "rk4", "euler"}) {
    const auto data = simulate(read(
        fmt::format("system = {{ kind = 'sphere_on_plane', mass = 1, radius = 0.5 }}\n"
                    "contact = {{ model = 'dai_frictional_contact', K_1 = 1e4, K_2 = 1e4 }}\n"
                    "initial = {{ z = 0.51, v_x = 2, omega_x = 30, omega_z = -40 }}\n"
                    "integrator = {{ method = '{}', step = 1e-3 }}\nrun = {{ duration = 1 }}\n",
                    method)));
    ASSERT_EQ(data.result.how, outcome::completed) << method;
    for (const double size : data["q_size"]) EXPECT_NEAR(size, 1, 1e-15) << method;
  }
}

TEST(sphere_on_plane, ImplicitStepSolvesItsOwnRates) {
  const sphere_on_plane<double, dai_frictional_contact<double>> body{
      .contact = {.mu = 0.3},
      .I = sphere_on_plane<double, dai_frictional_contact<double>>::solid(1, 0.5)};
  const double start[16] = {0.1, -0.2, 0.4995, 0.5,  0.2, -0.3, 1,    -2,
                            3,   0.8,  0.2,    -0.3, 0.4, 2e-4, 1e-5, -2e-5};
  for (const double h : {1e-4, 1e-3, 1e-2}) {
    double y[16], rate[16];
    body.solve_stage(0.0, h, start, y);
    body.rates(0.0, y, rate);
    for (int i = 0; i < 16; ++i)
      EXPECT_NEAR((y[i] - start[i]) / h, rate[i], 1e-9 * (1 + std::abs(rate[i]))) << i << " " << h;
  }
}

TEST(sphere_on_plane, EveryMethodFindsTheSameStickAndSlipOfAStribeckClutch) {
  struct named {
    const char* method;
    double within;
  };
  // In each of these the low point of phi passes mu_s f_n in a contact.
  for (const auto& [mu_s, V_s] : {std::pair{0.24, 0.03138}, {0.24, 0.1}, {0.3, 0.1}, {0.3, 0.06}}) {
    std::vector<run_event> expected;
    double v_x = 0;
    for (const named& each : {named{"'dopri5', relative_tolerance = 1e-10", 0},
                              {"'dopri5', relative_tolerance = 1e-7", 1e-6},
                              {"'rosenbrock', relative_tolerance = 1e-8", 1e-6},
                              {"'cvode', relative_tolerance = 1e-9", 1e-6},
                              {"'rk4', step = 1e-5", 1e-5}}) {
      if (!has_cvode() && std::string_view(each.method).starts_with("'cvode'")) continue;
      const auto data = simulate(read(fmt::format(
          "system = {{ kind = 'sphere_on_plane', mass = 1, radius = 0.1 }}\n"
          "contact = {{ model = 'azad_featherstone_stribeck', mu_s = {}, V_s = {} }}\n"
          "initial = {{ z = 0.15, v_x = 2, v_y = 0.5, omega_z = 3 }}\n"
          "integrator = {{ method = {}, max_steps = 100000 }}\nrun = {{ duration = 0.42 }}\n",
          mu_s, V_s, each.method)));
      ASSERT_EQ(data.result.how, outcome::completed) << each.method;
      std::vector<run_event> found = data.events;
      std::erase_if(found,
                    [](const run_event& e) { return e.name != "slip" && e.name != "stick"; });
      if (expected.empty()) {
        expected = found;
        v_x = data["v_x"].back();
        EXPECT_GT(expected.size(), 5U);
      }
      EXPECT_NEAR(data["v_x"].back(), v_x, each.within * 2) << each.method;
      ASSERT_EQ(found.size(), expected.size()) << each.method;
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].name, expected[i].name) << each.method;
        EXPECT_NEAR(found[i].t, expected[i].t, 3 * each.within) << each.method << " " << i;
      }
    }
  }
}

TEST(sphere_on_plane, TolerancesNearRoundingPassTheTouchdownOfAClutch) {
  // There the ground begins to move at the speed of the slip, all at once.
  std::vector<double> v_x;
  for (const char* method : {"dopri5", "rosenbrock"}) {
    const auto data = simulate(read(fmt::format(
        "system = {{ kind = 'sphere_on_plane', mass = 1, radius = 0.1 }}\n"
        "contact = {{ model = 'azad_featherstone_clutch', coupling = 1 }}\n"
        "initial = {{ z = 0.15, v_x = 2, v_y = 0.5, omega_z = 3 }}\n"
        "integrator = {{ method = '{}', relative_tolerance = 1e-12 }}\nrun = {{ duration = 0.102 "
        "}}\n",
        method)));
    ASSERT_EQ(data.result.how, outcome::completed) << method;
    v_x.push_back(data["v_x"].back());
  }
  EXPECT_LT(v_x[0], 2);
  EXPECT_NEAR(v_x[0], v_x[1], 1e-10);
}

TEST(sphere_on_plane, EventsAreOrdered) {
  const auto data = simulate(read(launched("model = 'dai_frictional_contact'")));
  // Falls 0.1 m: touchdown where the force begins.
  EXPECT_NEAR(data.times_of("touchdown").front(), std::sqrt(2 * 0.1 / 9.8), 1e-9);
  EXPECT_GT(data.times_of("liftoff").front(), data.times_of("touchdown").front());
  EXPECT_EQ(data.times_of("slip").front(), data.times_of("touchdown").front());
  // Between lift-off and the next touchdown the apex lies in the middle, where v_z is 0.
  const double up = data.times_of("liftoff").front(), down = data.times_of("touchdown")[1];
  EXPECT_GT(data.times_of("apex").front(), up);
  EXPECT_LT(data.times_of("apex").front(), down);
}

// ---- masses -------------------------------------------------------------------------------------

TEST(mass_between_walls, FliesToAndFroForEverOnElasticWalls) {
  const auto data = simulate(read(
      "system = { kind = 'mass_between_walls', mass = 2, left = -0.5, right = 1 }\n"
      "contact = { model = 'dai_contact', alpha = 0.01, beta = 0.01 }\ninitial = { v = 3 }\n"
      "integrator = { method = 'dopri5', relative_tolerance = 1e-10 }\nrun = { duration = 10 }\n"));
  // alpha = beta is a spring: half an oscillation takes pi sqrt(m/K), and the speed returns.
  const double contact = 3.14159265358979 * std::sqrt(2 / 1e5);
  const auto right = data.times_of("touchdown_right");
  ASSERT_GE(right.size(), 8U);
  const double period = 2 * (1.5 / 3 + contact);
  for (std::size_t i = 0; i < right.size(); ++i)
    EXPECT_NEAR(right[i], 1.0 / 3 + static_cast<double>(i) * period, 1e-6);
}

TEST(mass_between_walls, FrictionStopsIt) {
  const auto data = simulate(read(
      "system = { kind = 'mass_between_walls', mass = 1 }\n"
      "contact = { model = 'hunt_crossley', K = 1e5 }\nfriction = { model = 'dai', F = 1 }\n"
      "initial = { v = 3 }\n"
      "integrator = { method = 'dopri5', relative_tolerance = 1e-8 }\nrun = { duration = 5 }\n"));
  EXPECT_NEAR(data["v"].back(), 0, 1e-6);
  EXPECT_GE(data.times_of("touchdown_right").size(), 1U);
}

TEST(mass_on_belt, IsCarriedUntilTheSpringHoldsIt) {
  // A linear spring (k_1 < 0) and DAI friction: stuck mass moves with the belt to F/k, then slips.
  const auto data = simulate(read(
      "system = { kind = 'mass_on_belt', mass = 1, k_1 = -2, k_2 = 0, speed = 0.1 }\n"
      "friction = { model = 'dai', F = 1, K = 1e5, beta = 1e-3 }\ninitial = { v = 0.1 }\n"
      "integrator = { method = 'dopri5', relative_tolerance = 1e-8 }\nrun = { duration = 30 }\n"));
  EXPECT_NEAR(data.times_of("slip")[0], 5.0, 0.05);
  EXPECT_NEAR(data["p"].back(), 0.5, 0.08);
}

// ---- friction that jumps, and friction whose memory is not an ODE -------------------------------

// A disc with I = 0.4 m R^2 that does not slip takes 5/7 of the pull; friction has the rest. A law
// that jumps has no force of its own there.
TEST(rolling_disc, RollsDownASlopeOnFrictionThatJumps) {
  const double pull = 9.81 * std::sin(0.1);
  for (const char* friction : {"coulomb", "stribeck_exponential", "drbm"}) {
    const auto data = simulate(read(fmt::format(
        "system = {{ kind = 'rolling_disc', mass = 2, radius = 0.1, slope = 0.1 }}\n"
        "contact = {{ model = 'dai_contact', K = 1e6 }}\nfriction = {{ model = '{}' }}\n"
        "initial = {{ z = {}, contact_e = {} }}\n"
        "integrator = {{ method = 'switch', relative_tolerance = 1e-10 }}\n"
        "run = {{ duration = 0.5 }}\n",
        friction, 0.1 - 2 * 9.81 * std::cos(0.1) / 1e6, 2 * 9.81 * std::cos(0.1) / 1e6)));
    ASSERT_EQ(data.result.how, outcome::completed) << friction;
    for (std::size_t i = 1; i < data["t"].size(); ++i) {
      EXPECT_NEAR(data["v_x"][i], 5.0 / 7 * pull * data["t"][i], 1e-8) << friction;
      EXPECT_NEAR(data["slip"][i], 0, 1e-14) << friction;
      EXPECT_NEAR(data["f_x"][i], -2.0 / 7 * 2 * pull, 1e-6) << friction;
    }
  }
}

// Sliding on level ground until it rolls, at 5/7 of its speed.
TEST(rolling_disc, JumpingFrictionEndsInRolling) {
  const auto data = simulate(
      read("system = { kind = 'rolling_disc', mass = 1, radius = 0.1 }\n"
           "contact = { model = 'dai_contact' }\nfriction = { model = 'coulomb', F_c = 0.3 }\n"
           "initial = { z = 0.0999019, contact_e = 9.81e-5, v_x = 1 }\n"
           "integrator = { method = 'switch', relative_tolerance = 1e-11 }\nrun = { duration = 1 "
           "}\n"));
  EXPECT_NEAR(data["v_x"].back(), 5.0 / 7, 1e-9);
  EXPECT_NEAR(data["slip"].back(), 0, 1e-15);
  // The slip decays at mu g (1 + m R^2/I).
  std::size_t i = 0;
  while (std::abs(data["slip"][i]) > 1e-9) ++i;
  EXPECT_NEAR(data["t"][i], 1 / (0.3 * 9.81 * 3.5), 2e-2);
}

// ---- friction that holds more at rest than in motion --------------------------------------------

// The belt carries the mass until the spring pulls with F_s; then it swings about F_c/k until it
// has the speed of the belt again, as far behind F_c/k as it began before it.
TEST(mass_on_belt, StictionSticksAndSlipsAsTheClosedFormSays) {
  const double k = 10, u = 0.1, F_c = 1, F_s = 1.5, omega = std::sqrt(k);
  const double ahead = (F_s - F_c) / k, phase = std::atan(ahead * omega / u);
  const double amplitude = std::hypot(ahead, u / omega);
  const double slipping = 2 * (std::numbers::pi - phase) / omega, sticking = 2 * ahead / u;
  ASSERT_NEAR(amplitude, 0.0592, 5e-5);
  ASSERT_NEAR(slipping + sticking, 2.350, 5e-4);
  const auto data = simulate(read(
      "system = { kind = 'mass_on_belt', mass = 1, k_1 = -10, k_2 = 0, speed = 0.1 }\n"
      "friction = { model = 'stiction', F_c = 1, F_s = 1.5 }\ninitial = { v = 0.1 }\n"
      "integrator = { relative_tolerance = 1e-9 }\nrun = { duration = 20, sample = 1e-3, audit = "
      "true, audit_tolerance = 1e-6 }\n"));
  ASSERT_EQ(data.result.how, outcome::completed);
  EXPECT_LT(data.audit->relative_residual(), 1e-6);
  const auto slips = data.times_of("slip"), sticks = data.times_of("stick");
  ASSERT_EQ(slips.size(), 8U);
  ASSERT_EQ(sticks.size(), 8U);
  for (std::size_t i = 0; i < slips.size(); ++i) {
    const double begin = F_s / k / u + static_cast<double>(i) * (slipping + sticking);
    EXPECT_NEAR(slips[i], begin, 1e-6) << i;
    EXPECT_NEAR(sticks[i], begin + slipping, 1e-6) << i;
  }
  const auto [low, high] = std::minmax_element(data["p"].begin() + 2000, data["p"].end());
  EXPECT_NEAR(*high, F_c / k + amplitude, 1e-6);
  EXPECT_NEAR(*low, F_c / k - amplitude, 1e-6);
  const auto [weakest, strongest] = std::minmax_element(data["f"].begin(), data["f"].end());
  EXPECT_NEAR(*weakest, -F_s, 1e-3);
  EXPECT_LT(*strongest, 1e-9);
}

TEST(mass_between_walls, StictionHoldsUntilTheStaticLimit) {
  const auto data =
      simulate(read("system = { kind = 'mass_between_walls', mass = 2, left = -10, right = 10 }\n"
                    "contact = { model = 'hunt_crossley' }\n"
                    "friction = { model = 'stiction', F_c = 1, F_s = 1.5 }\n"
                    "force = { kind = 'ramp', slope = 0.5 }\nrun = { duration = 4 }\n"));
  ASSERT_EQ(data.result.how, outcome::completed);
  ASSERT_EQ(data.times_of("slip").size(), 1U);
  EXPECT_TRUE(data.times_of("stick").empty());
  EXPECT_NEAR(data.times_of("slip")[0], 3, 1e-9);
  // 2 v' = t/2 - 1 from t = 3 on.
  EXPECT_NEAR(data["v"].back(), 0.5 * (0.25 * (16 - 9) - 1), 1e-6);
}

// A slope on which friction in motion would be too weak to make a disc roll, and at rest is not.
TEST(rolling_disc, RollsOnStictionWhereFrictionInMotionWouldSlip) {
  const double slope = 0.3, pull = 9.81 * std::sin(slope), press = 9.81 * std::cos(slope);
  ASSERT_GT(2.0 / 7 * pull / press, 0.05);
  ASSERT_LT(2.0 / 7 * pull / press, 0.2);
  for (const char* method : {"switch", "trbdf2"}) {
    const auto data = simulate(read(fmt::format(
        "system = {{ kind = 'rolling_disc', mass = 1, radius = 0.1, slope = 0.3 }}\n"
        "contact = {{ model = 'dai_contact', K = 1e6 }}\n"
        "friction = {{ model = 'stiction', F_c = 0.05, F_s = 0.2 }}\n"
        "initial = {{ z = {}, contact_e = {} }}\n"
        "integrator = {{ method = '{}', relative_tolerance = 1e-9 }}\nrun = {{ duration = 0.5 }}\n",
        0.1 - press / 1e6, press / 1e6, method)));
    ASSERT_EQ(data.result.how, outcome::completed) << method;
    EXPECT_NEAR(data["v_x"].back(), 5.0 / 7 * pull * 0.5, 1e-6) << method;
    EXPECT_NEAR(data["slip"].back(), 0, 1e-12) << method;
    EXPECT_NEAR(data["omega"].back() * 0.1, data["v_x"].back(), 1e-12) << method;
    EXPECT_TRUE(data.times_of("slip").empty()) << method;
    EXPECT_TRUE(data.times_of("stick").empty()) << method;
  }
}

TEST(two_bodies_wall_conveyor, AMissingStepNamesTheMethodAndWhyItIsThatOne) {
  try {
    read(
        "system = { kind = 'two_bodies_wall_conveyor', mass_1 = 1, mass_2 = 1, stiffness = 10, "
        "speed = 0.1 }\ncontact = { model = 'hunt_crossley' }\nfriction = { model = 'coulomb' }\n"
        "run = { duration = 1 }\n");
    FAIL();
  } catch (const error& e) {
    const std::string message = e.what();
    for (const char* part : {"integrator.step is missing", "method rk4", "'coulomb' is set-valued"})
      EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

// ---- when a body sticks and when it slips -------------------------------------------------------

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

// In flight there is no friction, viscous friction included, whatever its law says without a load.
// Bristles have sprung back when the ground is touched again.
TEST(rolling_disc, BouncesOnEveryFriction) {
  int count = 0;
  for (const auto* entry : catalogue()) {
    if (entry->family != "friction") continue;
    const any_model model(*entry);
    const auto data = simulate(read(fmt::format(
        "system = {{ kind = 'rolling_disc', mass = 1, radius = 0.1, reference_load = 10 }}\n"
        "contact = {{ model = 'dai_contact', K = 1e4, beta = 5e-3, alpha = 2e-3 }}\n"
        "friction = {{ model = '{}' }}\n"
        "initial = {{ z = 0.11, v_x = 2 }}\nrun = {{ duration = 0.3, audit = true }}\n{}",
        entry->key, model.is_ode() ? "" : "integrator = { method = 'advance', step = 1e-5 }\n")));
    ASSERT_EQ(data.result.how, outcome::completed) << entry->key << ": " << data.hint;
    EXPECT_GE(data.times_of("liftoff").size(), 1U) << entry->key;
    const auto& f_n = data["f_n"];
    double slowed = 0;
    for (std::size_t i = 0; i < f_n.size(); ++i) {
      if (f_n[i] == 0) {
        EXPECT_EQ(data["f_x"][i], 0) << entry->key;
      }
      slowed = std::max(slowed, 2 - data["v_x"][i]);
      ASSERT_TRUE(std::isfinite(data["f_x"][i])) << entry->key;
    }
    EXPECT_GT(slowed, 1e-4) << entry->key;
    ++count;
  }
  EXPECT_GE(count, 25);
}

// A disc lands on rigid ground: one touchdown, then the ground carries it, and friction slows it.
TEST(rolling_disc, LandsOnRigidGroundOnce) {
  for (const char* friction : {"model = 'dai', F = 0.2", "model = 'coulomb', F_c = 0.2"}) {
    const auto data =
        simulate(read(fmt::format("system = {{ kind = 'rolling_disc', mass = 1, radius = 0.1 }}\n"
                                  "contact = {{ model = 'rigid' }}\nfriction = {{ {} }}\n"
                                  "initial = {{ z = 0.13, v_x = 2 }}\n"
                                  "integrator = {{ method = 'backward_euler', step = 1e-4 }}\n"
                                  "run = {{ duration = 2 }}\n",
                                  friction)));
    ASSERT_EQ(data.times_of("touchdown").size(), 1U) << friction;
    EXPECT_NEAR(data.times_of("touchdown")[0], std::sqrt(2 * 0.03 / 9.81), 2e-4) << friction;
    EXPECT_EQ(data.times_of("liftoff").size(), 0U) << friction;
    EXPECT_EQ(data.times_of("apex").size(), 0U) << friction;
    const auto& t = data["t"];
    for (std::size_t i = 0; i < t.size(); ++i) {
      if (t[i] < 0.09) continue;
      EXPECT_NEAR(data["f_n"][i], 9.81, 1e-6) << friction;
      if (t[i] < 0.25) {
        EXPECT_NEAR(data["f_x"][i], -0.2 * 9.81, 1e-6) << friction;
      }
    }
    // Impact and sliding conserve m v_x + I omega/R: it rolls at 5/7 in the end.
    EXPECT_NEAR(data["v_x"].back(), 2 * 5.0 / 7, 1e-6) << friction;
    EXPECT_NEAR(data["f_x"].back(), 0, 1e-6) << friction;
  }
}

// Stick-slip with the drop from F_s: carried to F_s/k, and not an instant longer.
TEST(mass_on_belt, IsCarriedToTheStictionOfItsCurve) {
  const auto data = simulate(read(
      "system = { kind = 'mass_on_belt', mass = 1, k_1 = -100, k_2 = 0, speed = 0.01 }\n"
      "friction = { model = 'stribeck_exponential', F_c = 1, F_s = 1.5 }\n"
      "initial = { v = 0.01 }\nintegrator = { method = 'switch', relative_tolerance = 1e-10 }\n"
      "run = { duration = 5 }\n"));
  ASSERT_EQ(data.result.how, outcome::completed);
  double carried = 0, stuck = 0;
  for (std::size_t i = 1; i < data["t"].size(); ++i) {
    if (std::abs(data["w"][i]) > 1e-12) continue;
    carried = std::max(carried, data["p"][i]);
    ++stuck;
    EXPECT_NEAR(data["f"][i], -100 * data["p"][i], 1e-9);
  }
  EXPECT_GT(stuck, 10);
  EXPECT_NEAR(carried, 1.5 / 100, 1e-6);
  EXPECT_LT(*std::min_element(data["p"].begin(), data["p"].end()), 0.01);
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

TEST(rigid_bounce, EndsAtTheClosedFormOfItsSeries) {
  // Fallen from x: t_0 = sqrt(2 x/g), and then 2 e t_0 (1 + e + e^2 ...) more.
  const double x = 0.7, e = 0.6, g = 9.81, fall = std::sqrt(2 * x / g);
  const auto data = simulate(read(fmt::format(
      "system = {{ kind = 'rigid_bounce', restitution = {}, rest_within = 1e-9 }}\n"
      "initial = {{ x = {} }}\nintegrator = {{ method = 'dopri5', relative_tolerance = 1e-10 }}\n"
      "run = {{ duration = 3 }}\n",
      e, x)));
  ASSERT_EQ(data.result.how, outcome::completed);
  const auto rest = data.times_of("impact").back();
  EXPECT_NEAR(rest, fall + 2 * e * fall / (1 - e), 1e-8);
  EXPECT_EQ(data["x"].back(), 0);
  EXPECT_EQ(data["v"].back(), 0);
  EXPECT_EQ(data["rests"].back(), 1);
  const auto impacts = data.times_of("impact");
  for (std::size_t n = 2; n + 2 < std::min<std::size_t>(impacts.size(), 12); ++n)
    EXPECT_NEAR((impacts[n + 1] - impacts[n]) / (impacts[n] - impacts[n - 1]), e, 1e-6) << n;
}

TEST(rigid_bounce, StaysOnTheGroundWhereItStarts) {
  for (const char* method : {"euler", "rk4", "backward_euler", "dopri5"}) {
    const auto data = simulate(read(
        fmt::format("system = {{ kind = 'rigid_bounce' }}\nintegrator = {{ method = '{}', step "
                    "= 1e-3 }}\nrun = {{ duration = 1 }}\n",
                    method)));
    EXPECT_EQ(*std::min_element(data["x"].begin(), data["x"].end()), 0) << method;
    EXPECT_EQ(data["x"].back(), 0) << method;
    EXPECT_EQ(data["rests"].back(), 1) << method;
  }
  // Thrown at it, it bounces at once, e times as fast.
  const auto thrown =
      simulate(read("system = { kind = 'rigid_bounce', restitution = 0.7 }\ninitial = { v = -1 }\n"
                    "integrator = { method = 'dopri5' }\nrun = { duration = 2 }\n"));
  EXPECT_NEAR(*std::max_element(thrown["x"].begin(), thrown["x"].end()), 0.49 / (2 * 9.81), 1e-5);
  EXPECT_EQ(thrown["rests"].back(), 1);
}

TEST(rigid_bounce, FixedStepsEndInTheSameRest) {
  const auto data =
      simulate(read("system = { kind = 'rigid_bounce', restitution = 0.6, rest_within = 1e-6 }\n"
                    "initial = { x = 0.7 }\nintegrator = { method = 'rk4', step = 1e-3 }\nrun = { "
                    "duration = 3 }\n"));
  const double fall = std::sqrt(2 * 0.7 / 9.81);
  EXPECT_NEAR(data.times_of("impact").back(), fall + 2 * 0.6 * fall / 0.4, 1e-5);
  EXPECT_EQ(data["rests"].back(), 1);
}

// ---- reading ------------------------------------------------------------------------------------

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
                      "stiffness = 1, speed = 1 }\ncontact = { model = 'dai_contact' }\n"
                      "friction = { model = 'coulomb' }\nintegrator = { method = 'dopri5' }\n")
          .find("shrink without end"),
      std::string::npos);
  // Systems without an implicit step say where there is one.
  const std::string belt =
      "system = { kind = 'mass_on_belt', mass = 1, k_1 = 1, k_2 = 1, speed = 1 }\n"
      "friction = { model = 'dai' }\nintegrator = { method = 'sdirk2', step = 1e-3 }\n";
  EXPECT_NE(complaint(run + belt).find("stated as an inclusion"), std::string::npos);
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

// The way back from the length alone gives the magnetisation it was made of.
TEST(magnetostrictive_actuator, ReadsItsLengthBack) {
  const std::string text = R"(
[system]
kind = "magnetostrictive_actuator"
[hysteresis]
model = "stop"
[current]
kind = "sine"
amplitude = 0.5
frequency = 1
[run]
duration = 2
sample = 0.01
[integrator]
method = "advance"
step = 1e-3
)";
  const run_data data = simulate(read(text));
  const double one_step = 0.5 * 1.54e4 * 2 * 3.1416 * 1e-3;  // of the field, in A/m; M's slope is 1
  for (std::size_t i = 0; i < data["M"].size(); ++i)
    EXPECT_NEAR(data["M_one"][i], data["M"][i], one_step) << i;
  EXPECT_THROW(read(text + "[fit]\nuntil = 2\n"), error);
}

}  // namespace
}  // namespace asperity
