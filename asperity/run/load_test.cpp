// SPDX-License-Identifier: Apache-2.0
// Normal loads that vary in time: none is below 0, and where none is left, a run says so.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/mechanics/load.hpp>
#include <asperity/run/simulate.hpp>
#include <cmath>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "mass.toml"), "mass", "");
}
std::string complaint(const std::string& text) {
  try {
    read(text);
  } catch (const error& problem) {
    return problem.what();
  }
  return "accepted";
}

const std::string rest = "friction = { model = 'coulomb' }\nrun = { duration = 1 }\n";
std::vector<std::string> systems_with_a_load() {
  return {"system = { kind = 'mass_under_force', mass = 1 }\nforce = 1\n" + rest,
          "system = { kind = 'pulled_mass', mass = 1, stiffness = 1, speed = 1 }\n" + rest,
          "system = { kind = 'wall_spring_mass', mass = 1, stiffness = 1 }\n" + rest,
          "system = { kind = 'prescribed_motion' }\n"
          "motion = { kind = 'ramp', of = 'position', slope = 1 }\n" +
              rest,
          "system = { kind = 'mass_between_walls', mass = 1 }\n"
          "contact = { model = 'hunt_crossley' }\n" +
              rest};
}

TEST(load, BelowZeroAnywhereInTheRunIsRefusedWithTimeAndValue) {
  const std::pair<std::string, std::string> cases[] = {
      {"-0.5", "-0.5 at t = 0 s"},
      {"{ kind = 'ramp', slope = -2, offset = 1 }", "-1 at t = 1 s"},
      {"{ kind = 'nodes', times = [0, 0.5, 2], values = [1, -0.25, 1] }", "-0.25 at t = 0.5 s"},
      {"{ kind = 'sine', amplitude = 1, frequency = 1, offset = 0.5 }", "-0.5 at t = 0.75 s"}};
  for (const auto& system : systems_with_a_load()) {
    EXPECT_EQ(complaint(system), "accepted") << system;
    for (const auto& [load, words] : cases) {
      const std::string said = complaint("load = " + load + "\n" + system);
      EXPECT_EQ(said.rfind("mass.toml:1:", 0), 0U) << said;
      for (const auto& part : {std::string("load"), std::string("at least 0"), words})
        EXPECT_NE(said.find(part), std::string::npos) << said;
    }
    // After the run, and at its very end, it may be what it likes.
    EXPECT_EQ(complaint("load = { kind = 'ramp', slope = -1, offset = 1 }\n" + system), "accepted");
  }
}

// The sliders of `leuven_modified` are let go by a load that falls: 0.5 N are left when it is whole
// again. Methods that integrate rates do not see it, and a run says so; `advance` does.
TEST(load, SlidersThatItMovesAreFollowedByAdvance) {
  const std::string held =
      "load = { kind = 'nodes', times = [0, 2, 3, 4, 5], values = [1, 1, 0.5, 0.5, 1] }\n"
      "system = { kind = 'prescribed_motion' }\n"
      "motion = { kind = 'ramp', of = 'position', slope = 0.7, limit = 0.7 }\n"
      "friction = { model = 'leuven_modified', elements = 1, k = 1, Delta = 1, n = 50, "
      "sigma_1 = 0, sigma_2 = 0, F_c = 1, F_s = 1 }\n"
      "run = { duration = 6 }\n";
  const auto advanced = simulate(read(held + "integrator = { method = 'advance' }\n"));
  EXPECT_NEAR(advanced["f"].back(), 0.5, 1e-6);
  EXPECT_TRUE(advanced.doubts.empty()) << advanced.doubts.front();
  const auto integrated = simulate(read(held));
  ASSERT_EQ(integrated.doubts.size(), 1U);
  EXPECT_NE(integrated.doubts[0].find("method = \"advance\" does"), std::string::npos);
  // What no load moves needs no such words.
  for (const auto* key : {"lugre", "dahl", "dai", "scbm", "ffbm", "mpabm", "maxwell_slip"}) {
    std::vector<std::string> warnings;
    EXPECT_FALSE(is_moved_by_load(make_model(key, "", {}, warnings))) << key;
  }
}

// cos(1001 w t) - cos(1000 w t) dips lowest for an instant, between the points of a coarse grid.
TEST(load, TheTroughOfASumOfSinesIsFound) {
  const double turn = 2 * 3.14159265358979323846, quarter = turn / 4;
  const signal beats =
      signal::sines({{1, 1001 * turn, quarter}, {-1, 1000 * turn, quarter}}, 1.9999);
  const auto least = beats.lowest(0, 1);
  EXPECT_LT(least.value, 0);
  EXPECT_NE(reason_load_is_refused(beats, 1), "");
  // Nothing near it is lower.
  for (int i = -1000; i <= 1000; ++i)
    EXPECT_GE(beats.value(least.t + 1e-6 * i), least.value - 1e-12);
}

// Rates of bristles grow like 1/load; Coulomb's law needs none.
TEST(load, ModelsThatNeedALoadAreKnown) {
  for (const char* key : {"lugre", "gms", "leuven"})
    EXPECT_TRUE(needs_load(any_model(find_model(key)))) << key;
  for (const char* key : {"coulomb", "dai", "regularised_coulomb"})
    EXPECT_FALSE(needs_load(any_model(find_model(key)))) << key;
}

// Under a load that only passes through 0, leuven and lugre may find finite numbers all the same.
TEST(load, WhereItVanishesTheRunSaysThatItIsToBlame) {
  const char* passing = "{ kind = 'nodes', times = [0, 0.5, 1], values = [1, 0, 1] }";
  const std::pair<std::string, std::string> cases[] = {
      {"lugre", "0"}, {"gms", "0"}, {"leuven", "0"}, {"gms", passing}};
  for (const auto& [key, load] : cases) {
    const auto data = simulate(read(fmt::format(
        "system = {{ kind = 'mass_under_force', mass = 1 }}\nforce = 3\nload = {}\n"
        "friction = {{ model = '{}' }}\nintegrator = {{ {} }}\nrun = {{ duration = 1 }}\n",
        load, key, key == "lugre" ? "max_steps = 100000" : "step = 1e-3")));
    SCOPED_TRACE(fmt::format("{} under {}: {} {} {}", key, load, to_string(data.result.how),
                             data.result.detail, data.hint));
    for (const auto& each : data.columns)
      for (const double value : each.values) EXPECT_TRUE(std::isfinite(value)) << each.name;
    EXPECT_TRUE(is_failure(data.result.how));
    EXPECT_NE(data.hint.find(fmt::format("{} needs a load above 0", key)), std::string::npos);
    EXPECT_EQ(data.hint.find("method"), std::string::npos);
  }
}

TEST(prescribed_motion, AForceThatIsNotFiniteEndsTheRun) {
  const auto data =
      simulate(read("system = { kind = 'prescribed_motion' }\n"
                    "motion = { kind = 'ramp', of = 'position', slope = -1, offset = 0.5 }\n"
                    "contact = { model = 'rigid' }\nrun = { duration = 1, sample = 0.1 }\n"));
  EXPECT_EQ(data.result.how, outcome::not_finite);
  EXPECT_NEAR(data.result.t, 0.6, 1e-9);  // the first sample below 0
  EXPECT_NE(data.result.detail.find("f = inf in row 7"), std::string::npos) << data.result.detail;
  for (const double f : data["f"]) EXPECT_TRUE(std::isfinite(f));
}

// ---- columns ------------------------------------------------------------------------------------

TEST(columns, NoNameIsThereTwice) {
  for (const char* key : {"dahl", "lugre", "duhem", "nonlinear_feedback"}) {
    const auto data = simulate(read(fmt::format(
        "system = {{ kind = 'prescribed_motion' }}\n"
        "motion = {{ kind = 'sine', of = 'position', amplitude = 1e-4, frequency = 1 }}\n"
        "{} = {{ model = '{}' }}\nrun = {{ duration = 1 }}\n",
        find_model(key).family, key)));
    for (std::size_t i = 0; i < data.columns.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        EXPECT_NE(data.columns[i].name, data.columns[k].name) << key;
    for (const auto& each : data.columns)
      EXPECT_EQ(each.values.size(), data["t"].size()) << key << " " << each.name;
    EXPECT_GT(*std::max_element(data["f"].begin(), data["f"].end()), 0) << key;
  }
}

}  // namespace
}  // namespace asperity
