// SPDX-License-Identifier: Apache-2.0
// Dahl friction of exponent 1, moved to and fro by A: the force reaches F_c tanh(sigma_0 A/F_c),
// whatever the speed. So a claim about that force sees F_c, sigma_0 and A, and never omega.

#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/publish/mutants.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/folder.hpp"

namespace asperity {
namespace {

using answer = mutant_result::answer;

class mutants : public testing::in_folder {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder / "someone_1900"); }

  // F_c = sigma_0 = A = 1: 0.76159 N, allowed to be off by 1e-3.
  void write_experiment(const std::string& more = "", const std::string& runs = "") {
    write("someone_1900/fig_1.toml", R"(
title = "A body that is moved to and fro"
source = "Someone 1900, Fig. 1"
[base]
system = { kind = "prescribed_motion" }
motion = { of = "position", kind = "sine", amplitude = 1, omega = 2 }
run = { duration = 12, sample = 0.01 }
integrator = { method = "advance", step = 0.01 }
[[run]]
name = "one"
friction = { model = "dahl", F_c = 1, sigma_0 = "1 N/m" }
)" + runs + R"(
[[claim]]
text = "it reaches F_c tanh 1"
source_says = "so"
run = "one"
measure = "maximum"
column = "f"
equals = 0.761594
tolerance = 1e-3
)" + more);
  }
  experiment read() const { return read_experiment(folder.string(), "someone_1900/fig_1"); }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& each : mutants_of(read())) result.push_back(each.name);
    return result;
  }
  bool has(const std::string& name) const {
    const auto all = names();
    return std::find(all.begin(), all.end(), name) != all.end();
  }
  std::vector<mutant_result> results() const {
    return try_mutants(folder.string(), {"someone_1900/fig_1"}, {.threads = 2}).at(0).results;
  }
  mutant_result result_of(const std::string& name) const {
    for (const auto& each : results())
      if (each.name == name) return each;
    throw error("no mutant " + name);
  }
};

TEST_F(mutants, NumbersOfTheRunAndNotOfTheMethod) {
  write_experiment();
  for (const char* name : {"friction.F_c +10 %", "friction.sigma_0 -10 %", "motion.amplitude +10 %",
                           "motion.omega -10 %"})
    EXPECT_TRUE(has(name)) << name;
  for (const auto& name : names()) {
    EXPECT_EQ(name.find("integrator"), std::string::npos) << name;
    EXPECT_EQ(name.find("run."), std::string::npos) << name;
    EXPECT_EQ(name.find("dahl -> dahl"), std::string::npos) << name;
  }
}

TEST_F(mutants, NoticedWhereAClaimFails) {
  write_experiment();
  for (const auto& each : results()) {
    const bool is_speed = each.name.starts_with("motion.omega");
    EXPECT_EQ(each.what == answer::unnoticed, is_speed) << each.name << ": " << each.why;
    EXPECT_EQ(each.why, is_speed ? "" : "it reaches F_c tanh 1") << each.name;
  }
}

// The number that reaches the law is the one written times 1.1, also where it has a unit.
TEST_F(mutants, ChangeByATenth) {
  write_experiment();
  for (const auto& each : mutants_of(read())) {
    const toml_value& friction = *each.runs.at(0).document.find("friction");
    if (each.name == "friction.F_c +10 %") {
      EXPECT_DOUBLE_EQ(friction.find("F_c")->real, 1.1);
    }
    if (each.name == "friction.sigma_0 -10 %") {
      EXPECT_EQ(friction.find("sigma_0")->text, "0.9 N/m");
    }
  }
}

TEST_F(mutants, OneNumberInSeveralRunsIsOneMutant) {
  write_experiment("",
                   "[[run]]\nname = 'two'\nmotion = { omega = 3 }\n"
                   "friction = { model = 'dahl', F_c = 1, sigma_0 = '1 N/m' }\n");
  EXPECT_TRUE(has("friction.F_c +10 %"));
  EXPECT_TRUE(has("motion.omega of one +10 %"));
  EXPECT_TRUE(has("motion.omega of two +10 %"));
  for (const auto& each : mutants_of(read())) {
    const bool is_omega = each.name.starts_with("motion.omega");
    EXPECT_EQ(each.runs.size(), is_omega ? 1U : 2U) << each.name;
  }
  EXPECT_EQ(result_of("motion.omega of two +10 %").what, answer::unnoticed);
}

TEST_F(mutants, AReasonExplains) {
  write_experiment(
      "[[unnoticed]]\nmutants = ['motion.omega +10 %', 'motion.omega -10 %']\n"
      "reason = 'the law does not depend on the rate'\n");
  const auto all = try_mutants(folder.string(), {"someone_1900/fig_1"}, {});
  EXPECT_EQ(open_mutants(all), 0);
  const mutant_counts n = count(all.at(0).results, mutant::kind::parameter);
  EXPECT_EQ(n.all, 8);
  EXPECT_EQ(n.noticed, 6);
  EXPECT_EQ(n.explained, 2);
  EXPECT_NE(mutants_text(all, false).find("the law does not depend on the rate"),
            std::string::npos);
  const auto report = nlohmann::json::parse(mutants_json(all));
  EXPECT_EQ(report.at("sources").at("someone_1900").at("parameter").at("noticed"), 6);
}

TEST_F(mutants, AReasonForWhatIsNoticedIsStale) {
  write_experiment("[[unnoticed]]\nmutants = 'friction.F_c +10 %'\nreason = 'so'\n");
  EXPECT_EQ(result_of("friction.F_c +10 %").what, answer::stale);
}

TEST_F(mutants, AReasonForNoMutantIsRefused) {
  write_experiment("[[unnoticed]]\nmutants = 'friction.F_d +10 %'\nreason = 'so'\n");
  try {
    (void)names();
    FAIL() << "accepted";
  } catch (const error& problem) {
    const std::string said = problem.what();
    EXPECT_NE(said.find("friction.F_d +10 %"), std::string::npos) << said;
    EXPECT_NE(said.find("fig_1.toml"), std::string::npos) << said;
  }
}

// Laws of the experiment itself come first, with the parameters that both have.
TEST_F(mutants, LawsOfTheExperimentAreExchanged) {
  write_experiment(
      "",
      "[[run]]\nname = 'two'\nfriction = { model = 'coulomb_viscous', F_c = 1, sigma_2 = 3 }\n");
  const auto all = mutants_of(read(), 1);
  ASSERT_GE(all.size(), 2U);
  EXPECT_EQ(all[0].name, "friction: dahl -> coulomb_viscous");
  EXPECT_EQ(all[1].name, "friction: coulomb_viscous -> dahl");
  const toml_value& friction = *all[0].runs.at(0).document.find("friction");
  EXPECT_EQ(friction.find("model")->text, "coulomb_viscous");
  EXPECT_NE(friction.find("F_c"), nullptr);
  EXPECT_EQ(friction.find("sigma_0"), nullptr);
}

// Without its viscous part, a Stribeck peak or all elements but one.
TEST_F(mutants, TermsAreTakenAway) {
  write_experiment("",
                   "[[run]]\nname = 'two'\nfriction = { model = 'lugre', "
                   "F_c = 1, F_s = 2, sigma_2 = 3 }\n[[run]]\nname = 'three'\nfriction = { model = "
                   "'maxwell_slip', elements = 2, k = [1, 2], Delta = [1, 2] }\n");
  EXPECT_TRUE(has("friction.sigma_2 = 0"));
  EXPECT_TRUE(has("friction.F_s = F_c"));
  EXPECT_TRUE(has("friction.elements = 1"));
  EXPECT_FALSE(has("friction.F_c = 0"));
}

TEST_F(mutants, AnInterruptEndsThem) {
  write_experiment();
  const std::atomic<bool> stop = true;
  mutant_options options;
  options.limits.interrupt = &stop;
  EXPECT_TRUE(try_mutants(folder.string(), {"someone_1900/fig_1"}, options).empty());
}

}  // namespace
}  // namespace asperity
