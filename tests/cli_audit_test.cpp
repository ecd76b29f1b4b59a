// SPDX-License-Identifier: Apache-2.0
// The audit and the contacts with friction on the command line.

#include <nlohmann/json.hpp>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

class cli_audit : public program_test {};

const std::string sphere = examples + "/launched_sphere.toml";

TEST_F(cli_audit, WritesTheBooksAndSaysThatTheyClose) {
  const auto told =
      run("run " + sphere + " --audit --plot none --out run --set run.audit_tolerance=1e-6");
  EXPECT_EQ(told, 0);
  EXPECT_NE(told.text().find("audit:"), std::string::npos);
  const std::string series = content("run/audit.csv"), names = series.substr(0, series.find('\n'));
  for (const char* each : {"kinetic", "potential", "contact_slider", "residual_bodies", "total"})
    EXPECT_NE(names.find(each), std::string::npos) << each;
  const auto summary = nlohmann::json::parse(content("run/summary.json"));
  EXPECT_LT(summary["audit"]["greatest_gap_relative"], 1e-6);
  EXPECT_TRUE(summary["audit"]["findings"].empty());
}

TEST_F(cli_audit, FailsAndNamesThePlaceWhereTheBooksDoNotClose) {
  // Far too long a step, and no tolerance for it.
  const auto told = run("run " + sphere +
                        " --audit --plot none --out run"
                        " --set integrator.method=rk4 --set integrator.step=1e-3 --set "
                        "run.audit_tolerance=1e-12");
  EXPECT_EQ(told, 1);
  EXPECT_NE(
      told.text().find("audit: contact (model 'dai_frictional_contact'): the balance does not "
                       "close, from t = "),
      std::string::npos)
      << told.text();
}

// The energy balance of every example closes.
TEST_F(cli_audit, ClosesForEveryExample) {
  int count = 0;
  for (const char* place : {"", "/inclusions"})
    for (const auto& entry : fs::directory_iterator(examples + place)) {
      if (entry.path().extension() != ".toml") continue;
      const bool is_long = entry.path().stem() == "discs";
      const auto told = run("run " + entry.path().string() + " --audit --plot none --quiet " +
                            (is_long ? "--set run.duration=0.2 " : "") + "--force --out run");
      EXPECT_EQ(told, 0) << entry.path();
      ++count;
    }
  EXPECT_GE(count, 14);
}

// What has no energy says so.
TEST_F(cli_audit, RefusesWhatHasNoEnergyAndSaysWhy) {
  write("operator.toml",
        "[system]\nkind = \"prescribed_motion\"\n[hysteresis]\nmodel = \"bouc_wen\"\n"
        "[motion]\nof = \"position\"\nkind = \"sine\"\namplitude = 1\nfrequency = "
        "1\n[run]\nduration = 1\n");
  const auto told = run("run operator.toml --audit --out run");
  EXPECT_EQ(told, 2);
  EXPECT_NE(told.text().find("takes plain numbers to plain numbers"), std::string::npos)
      << told.text();
  EXPECT_FALSE(fs::exists(folder / "run"));
}

TEST_F(cli_audit, ListsAndShowsContactsWithFriction) {
  EXPECT_NE(run("models").text().find("azad_featherstone_stribeck"), std::string::npos);
  const auto shown = run("show dai_frictional_contact");
  EXPECT_EQ(shown, 0);
  for (const char* each : {"Equations", "beta_2", "coefficient of friction", "a_x"})
    EXPECT_NE(shown.text().find(each), std::string::npos) << each;
}

}  // namespace
}  // namespace asperity::testing
