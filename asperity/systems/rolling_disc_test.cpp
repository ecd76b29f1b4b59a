// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/mechanics/respond.hpp>
#include <asperity/run/simulate.hpp>
#include <cmath>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

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
// From the instant of touch on, at which there is no load yet: a law whose states follow the load
// infinitely fast there must not stall. What friction takes from the motion it gives to the turning.
TEST(rolling_disc, FrictionWithAMemoryBeginsWithoutLoad) {
  for (const catalogue_entry* contact : catalogue()) {
    if (contact->family != "contact" || is_rigid(any_model(*contact))) continue;
    for (const char* friction : {"gms", "leuven", "maxwell_slip"}) {
      const auto data = simulate(
          read(fmt::format("system = {{ kind = 'rolling_disc', mass = 1, radius = 0.1 }}\n"
                           "contact = {{ model = '{}' }}\nfriction = {{ model = '{}' }}\n"
                           "initial = {{ z = 0.1, v_x = 0.1 }}\n"
                           "integrator = {{ max_steps = 200000 }}\nrun = {{ duration = 0.1 }}\n",
                           contact->key, friction)));
      SCOPED_TRACE(contact->key + " and " + friction);
      ASSERT_EQ(data.result.how, outcome::completed);
      for (std::size_t i = 0; i < data["t"].size(); ++i)
        EXPECT_NEAR(data["v_x"][i] + 0.4 * 0.1 * data["omega"][i], 0.1, 1e-9);
      // Springs without damping, below or beside it, swing on.
      if (contact->key != "hertz" && std::string_view(friction) != "maxwell_slip") {
        EXPECT_NEAR(data["v_x"].back(), 0.1 * 5 / 7, 1e-9);
      }
    }
  }
}

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

}  // namespace
}  // namespace asperity
