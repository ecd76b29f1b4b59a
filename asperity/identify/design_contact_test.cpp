// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/analysis/restitution.hpp>
#include <asperity/error.hpp>
#include <asperity/identify/design_contact.hpp>
#include <asperity/mechanics/impact_map.hpp>
#include <asperity/run/simulate.hpp>
#include <cmath>
#include <cstdlib>
#include <random>
#include <regex>

namespace asperity {
namespace {

using kind = contact_wish::kind;

double between(std::mt19937& random, double low, double high) {
  return low * std::pow(high / low, std::uniform_real_distribution<>()(random));
}
int below(std::mt19937& random, int n) { return std::uniform_int_distribution<>(0, n - 1)(random); }

// More in a run of one's own: ASPERITY_WISHES=1000.
int count_of_wishes() {
  const char* given = std::getenv("ASPERITY_WISHES");
  return given != nullptr ? std::atoi(given) : 100;
}

std::string all_of(const contact_wishes& wanted) {
  std::string text = fmt::format("{} kg", wanted.mass);
  for (const auto& each : wanted.wishes) text += fmt::format(", {}", to_string(each));
  return text + (wanted.under_weight ? ", under weight" : "");
}

contact_wishes random_wishes(std::mt19937& random) {
  contact_wishes wanted;
  wanted.mass = between(random, 1e-3, 1e3);
  const double speed = between(random, 0.05, 10), T = between(random, 1e-4, 0.05);
  wanted.under_weight = below(random, 4) == 0;
  const double e = std::uniform_real_distribution<>(0.05, 1)(random);
  if (below(random, 5) > 0) wanted.wishes.push_back({kind::restitution, e, speed});
  if (below(random, 4) == 0)
    wanted.wishes.push_back({kind::restitution,
                             e * std::uniform_real_distribution<>(0.7, 1)(random),
                             speed * between(random, 1.2, 5)});
  if (below(random, 3) > 0) wanted.wishes.push_back({kind::time, 3 * T, speed});
  if (below(random, 3) == 0)
    wanted.wishes.push_back({kind::penetration, speed * T * between(random, 0.5, 2), speed});
  if (below(random, 5) == 0)
    wanted.wishes.push_back(
        {kind::force, wanted.mass * speed / T * between(random, 0.5, 2), speed});
  if (below(random, 5) == 0)
    wanted.wishes.push_back({kind::resting_penetration, 9.81 * T * T, speed});
  if (wanted.wishes.empty()) wanted.wishes.push_back({kind::time, 3 * T, speed});
  return wanted;
}

// Met by simulation within 1 %, or refused with a reason that names the wishes and a nearest value.
TEST(design_contact, RandomWishesAreMetOrRefusedWithAReason) {
  std::mt19937 random(2013);
  int met = 0, refused = 0;
  double worst = 0;
  const auto laws = designed_laws();
  for (int i = 0; i < count_of_wishes(); ++i) {
    const contact_wishes wanted = random_wishes(random);
    const std::string& law = laws[static_cast<std::size_t>(i) % laws.size()];
    const contact_design design = design_contact(law, wanted);
    if (design.is_met) {
      ++met;
      EXPECT_LE(design.worst_error(), 0.01) << law << ": " << all_of(wanted);
      worst = std::max(worst, design.worst_error());
      EXPECT_EQ(design.rows.size() >= wanted.wishes.size(), true);
    } else {
      ++refused;
      EXPECT_TRUE(std::regex_search(design.why, std::regex("nearest value|leave out one or more")))
          << law << ": " << all_of(wanted) << "\n"
          << design.why;
    }
  }
  RecordProperty("met", met);
  RecordProperty("refused", refused);
  std::printf("met %d, refused %d, worst error of those met %.2g %%\n", met, refused, 100 * worst);
  EXPECT_GT(met, count_of_wishes() / 4);
}

// Wishes that a contact of this law has are met: nothing that is possible is refused.
TEST(design_contact, WhatALawCanDoIsMet) {
  for (const auto& law : impact_laws()) {
    std::mt19937 random(5);
    for (int i = 0; i < std::max(15, count_of_wishes() / 8); ++i) {
      any_model model(find_entry(law.key));
      impact_shape shape{between(random, 0.05, 3), between(random, 0.1, 1),
                         between(random, 0.02, 1)};
      const double T = between(random, 1e-4, 0.05), speed = between(random, 0.1, 5);
      contact_wishes wanted;
      wanted.mass = between(random, 1e-2, 1e2);
      if (law.shape.size() < 3 || i % 2 == 0) shape[2] = 0;
      law.write(model, shape, wanted.mass, speed, T);
      const impact seen = find_impact(model, speed, {.mass = wanted.mass});
      wanted.wishes = {{kind::restitution, seen.restitution, speed},
                       {kind::time, seen.contact_time, speed}};
      if (law.shape.size() == 2) wanted.wishes.push_back({kind::penetration, seen.deepest, speed});
      if (shape[2] > 0)
        wanted.wishes.push_back({kind::restitution,
                                 find_impact(model, 3 * speed, {.mass = wanted.mass}).restitution,
                                 3 * speed});
      const contact_design design = design_contact(law.key, wanted);
      EXPECT_TRUE(design.is_met) << law.key << " " << i << ": " << all_of(wanted) << "\n"
                                 << design.why;
      EXPECT_LE(design.worst_error(), 0.01) << law.key << " " << i;
    }
  }
}

// The nearest value of a refusal is possible: asking for it instead is met.
TEST(design_contact, TheNearestValueIsPossible) {
  contact_wishes wanted;
  wanted.mass = 1;
  wanted.wishes = {
      {kind::restitution, 0.7, 2}, {kind::time, 1e-3, 2}, {kind::penetration, 1e-2, 2}};
  for (const auto& law : designed_laws()) {
    const contact_design design = design_contact(law, wanted);
    ASSERT_FALSE(design.is_met) << law;
    std::smatch found;
    ASSERT_TRUE(std::regex_search(design.why, found,
                                  std::regex("the nearest value of the second is ([0-9.e+-]+) m")))
        << design.why;
    contact_wishes other = wanted;
    other.wishes = {wanted.wishes[1], wanted.wishes[2]};
    other.wishes[1].value = std::stod(found[1]);
    EXPECT_TRUE(design_contact(law, other).is_met) << law << ": " << design.why;
  }
}

// Linear laws rebound alike at all speeds; Hunt and Crossley's does not.
TEST(design_contact, TwoSpeedsTellTheLawsApart) {
  contact_wishes wanted;
  wanted.wishes = {{kind::restitution, 0.6, 2}, {kind::restitution, 0.9, 0.2}};
  for (const char* law : {"kelvin_voigt_clamped", "dai_contact"}) {
    const contact_design design = design_contact(law, wanted);
    EXPECT_FALSE(design.is_met);
    EXPECT_NE(design.why.find("restitution 0.6 at 2 m/s and restitution 0.9 at 0.2 m/s exclude"),
              std::string::npos)
        << design.why;
    EXPECT_NE(design.why.find("the nearest value of the second is 0.6"), std::string::npos)
        << design.why;
  }
  const contact_design one =
      design_contact("hunt_crossley", {.wishes = {{kind::restitution, 0.6, 2}}});
  ASSERT_TRUE(one.is_met);
  wanted.wishes[1].value = find_impact(*one.model, 0.2).restitution;
  EXPECT_TRUE(design_contact("hunt_crossley", wanted).is_met);
}

// The step of the simulator bounds the stiffness, and RK4 at that step is near the wish.
TEST(design_contact, TheStepIsKept) {
  contact_wishes wanted;
  wanted.wishes = {{kind::restitution, 0.6, 1}};
  wanted.step = 1e-3;
  for (const auto& law : designed_laws()) {
    const contact_design design = design_contact(law, wanted);
    ASSERT_TRUE(design.is_met) << design.why;
    EXPECT_NEAR(design.longest_step / wanted.step, 1, 1e-3) << law;
    EXPECT_GT(design.longest_rk4, wanted.step) << law;
    EXPECT_NEAR(design.restitution_at_step, 0.6, 0.1) << law;
  }
  wanted.wishes.push_back({kind::time, 1e-3, 1});
  for (const auto& law : designed_laws()) {
    const contact_design design = design_contact(law, wanted);
    EXPECT_FALSE(design.is_met);
    EXPECT_NE(design.why.find("the step of 0.001 s exclude each other"), std::string::npos)
        << design.why;
  }
}

TEST(design_contact, ElasticIsUndamped) {
  contact_wishes wanted;
  wanted.wishes = {{kind::restitution, 1, 1}, {kind::penetration, 1e-3, 1}};
  for (const auto& law : designed_laws()) {
    const contact_design design = design_contact(law, wanted);
    ASSERT_TRUE(design.is_met) << design.why;
    EXPECT_LT(design.worst_error(), 1e-6) << law;
  }
}

// What is printed can be pasted: the ball of a scenario rebounds as wished.
TEST(design_contact, TheTableRunsInAScenario) {
  contact_wishes wanted;
  wanted.mass = 0.2;
  wanted.under_weight = true;
  const double speed = std::sqrt(2 * 9.81 * 0.1);
  wanted.wishes = {{kind::restitution, 0.65, speed}, {kind::penetration, 2e-3, speed}};
  for (const auto& law : designed_laws()) {
    const contact_design design = design_contact(law, wanted);
    ASSERT_TRUE(design.is_met) << design.why;
    const scenario s = read_scenario(
        parse_toml(fmt::format("force = -1.962\n{}[system]\nkind = 'bouncing_mass'\nmass = "
                               "0.2\n[initial]\nx = 0.1\n"
                               "[integrator]\nrelative_tolerance = 1e-9\n[run]\nduration = 0.45\n",
                               as_toml(design)),
                   "test"),
        "test", "");
    const run_data run = simulate(s);
    double highest = 0, lowest = 0;
    for (std::size_t i = 0; i < run["t"].size(); ++i)
      if (run["t"][i] > 0.16) {
        highest = std::max(highest, run["x"][i]);
        lowest = std::min(lowest, run["x"][i]);
      }
    EXPECT_NEAR(std::sqrt(highest / 0.1), 0.65, 0.003) << law;
  }
}

TEST(design_contact, RefusesWhatIsNoWish) {
  const auto message = [](const contact_wishes& wanted, const char* law) -> std::string {
    try {
      design_contact(law, wanted);
    } catch (const error& problem) {
      return problem.what();
    }
    return "";
  };
  const auto says = [](const std::string& text, const char* words) {
    EXPECT_NE(text.find(words), std::string::npos) << text << "\n" << words;
  };
  says(message({.wishes = {{kind::restitution, 1.2, 1}}}, "dai_contact"), "at most 1");
  says(message({.wishes = {{kind::restitution, 0, 1}}}, "dai_contact"), "above 0");
  says(message({.wishes = {{kind::time, std::nan(""), 1}}}, "dai_contact"), "above 0");
  says(message({.wishes = {{kind::time, 1, 0}}}, "dai_contact"), "the speed of impact is 0 m/s");
  says(message({.wishes = {{kind::time, 1, 1}}, .mass = -1}, "dai_contact"), "the mass is -1 kg");
  says(message({.wishes = {{kind::time, 1, 1}}}, "hertz"),
       "the impact map of 'hertz' is not known");
}

TEST(design_contact, WishesAreRead) {
  const auto two = parse_wishes(kind::restitution, "0.7@2m/s, 0.8 @ 50 cm/s");
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].value, 0.7);
  EXPECT_EQ(two[0].speed, 2);
  EXPECT_NEAR(two[1].speed, 0.5, 1e-15);
  EXPECT_NEAR(parse_wishes(kind::time, "2ms").front().value, 2e-3, 1e-15);
  for (const char* bad :
       {"", "0.7@", "@2", "0.7@2kg", "1.5", "0", "-1", "nan", "0.7@0", "0.7,,1", "inf", "0.7@@1"})
    EXPECT_THROW(parse_wishes(kind::restitution, bad), error) << bad;
  EXPECT_THROW(parse_wishes(kind::resting_penetration, "1mm@1m/s"), error);
}

}  // namespace
}  // namespace asperity
