// SPDX-License-Identifier: Apache-2.0
// `asperity restitution`: what it prints, writes and refuses.

#include <asperity/text/csv.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

using nlohmann::json;

class cli_restitution : public program_test {
 protected:
  answer bounce(const std::string& arguments) const { return run("restitution " + arguments); }
  static bool has(const answer& a, const std::string& words) {
    return a.text().find(words) != std::string::npos;
  }
};

TEST_F(cli_restitution, PrintsATableWithUnits) {
  const answer a = bounce("kelvin_voigt --set K=1e5 --set B=100 --speed '1, 2'");
  EXPECT_EQ(a, 0);
  for (const char* words :
       {"speed [m/s]", "contact_time [s]", "peak_force [N]", "residual [m]", "0.636222"})
    EXPECT_TRUE(has(a, words)) << words << "\n" << a.text();
}

// Closed form of both ends of contact, through units, --mass and --json.
TEST_F(cli_restitution, BothEndsOfContact) {
  const double zeta = 50 / (2 * std::sqrt(2e4 * 0.5)), root = std::sqrt(1 - zeta * zeta);
  const auto restitution = [&](const std::string& end) {
    const answer a =
        bounce("kelvin_voigt --set 'K=20 N/mm' --set B=50 --mass '500 g' --json --end " + end);
    EXPECT_EQ(a, 0);
    return json::parse(a.text())["impacts"][0]["restitution"].get<double>();
  };
  EXPECT_NEAR(restitution("force"), std::exp(-2 * zeta * std::acos(zeta) / root), 1e-8);
  EXPECT_NEAR(restitution("gap"), std::exp(-std::acos(-1.0) * zeta / root), 1e-8);
}

TEST_F(cli_restitution, AllModelsInOneFolder) {
  const answer a = bounce("--all --quiet --speed 'log(0.01, 10, 4)' --out all");
  EXPECT_EQ(a, 0);
  EXPECT_EQ(a.text(), "");
  for (const char* key : {"hertz", "rigid", "dai_contact", "hunt_crossley", "azad_featherstone"})
    EXPECT_TRUE(fs::exists(folder / "all" / (std::string(key) + ".csv"))) << key;
  EXPECT_TRUE(fs::exists(folder / "all/plot.svg"));
  const auto table = asperity::csv_table::read(path("all/hunt_crossley.csv"));
  const auto r = table.column("restitution"), v = table.column("speed");
  ASSERT_EQ(r.size(), 4U);
  EXPECT_NEAR(v.back(), 10, 1e-12);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_LT(r[i], r[i - 1]);
}

TEST_F(cli_restitution, GoesOverAParameter) {
  const answer a = bounce("dai_contact --over 'alpha=0.01, 0.005' --json");
  EXPECT_EQ(a, 0);
  const json impacts = json::parse(a.text())["impacts"];
  ASSERT_EQ(impacts.size(), 2U);
  EXPECT_NEAR(impacts[0]["restitution"].get<double>(), 1, 1e-8);
  EXPECT_EQ(impacts[1]["alpha"], 0.005);
  EXPECT_LT(impacts[1]["restitution"], 0.9);
}

// alpha above beta creates energy: the values that do are named, each once.
TEST_F(cli_restitution, WarnsOfDoubtfulValuesOfAParameter) {
  const answer a = bounce("dai_contact --speed '1, 2' --over 'alpha=0.005, 0.02' --set beta=0.01");
  EXPECT_EQ(a, 0);
  const auto first = a.text().find("warning");
  ASSERT_NE(first, std::string::npos) << a.text();
  EXPECT_EQ(a.text().find("warning", first + 1), std::string::npos) << a.text();
  EXPECT_TRUE(has(a, "alpha = 0.02 s: alpha above beta creates energy")) << a.text();
}

TEST_F(cli_restitution, SaysWhyThereIsNoRebound) {
  const answer overdamped = bounce("kelvin_voigt --set B=2000 --end gap");
  EXPECT_EQ(overdamped, 0);
  EXPECT_TRUE(has(overdamped, "no separation: overdamped")) << overdamped.text();
  const answer heavy = bounce("kelvin_voigt --constant-force=-9.8 --speed '1 mm/s'");
  EXPECT_TRUE(has(heavy, "rest in contact")) << heavy.text();
  EXPECT_EQ(heavy, 0);
  const answer rigid = bounce("rigid");
  EXPECT_EQ(rigid, 0);
  EXPECT_TRUE(has(rigid, "does not say")) << rigid.text();
}

// Contact that does not end has no time: "-" in the table, null in JSON, an empty cell in CSV.
TEST_F(cli_restitution, WhatDoesNotHappenHasNoNumber) {
  const std::string arguments = "kelvin_voigt --set B=1000 --end gap";
  const answer table = bounce(arguments);
  const auto cells = table.text().find("kelvin_voigt  1            0            -  ");
  EXPECT_NE(cells, std::string::npos) << table.text();
  const json impact = json::parse(bounce(arguments + " --json").text())["impacts"][0];
  EXPECT_TRUE(impact["contact_time"].is_null()) << impact;
  EXPECT_EQ(impact["restitution"], 0);
  EXPECT_EQ(bounce(arguments + " --quiet --out none"), 0);
  std::ifstream file(folder / "none/kelvin_voigt.csv");
  std::string header, row;
  std::getline(file, header);
  std::getline(file, row);
  EXPECT_EQ(header.rfind("speed,restitution,loss,contact_time,", 0), 0U) << header;
  EXPECT_EQ(row.rfind("1,0,1,,", 0), 0U) << row;
}

// Without weight the restitution of a linear contact does not depend on the speed, and an elastic
// contact gives back all of it; a ball that is slow enough stays on a damped one.
TEST_F(cli_restitution, EightDecadesOfSpeed) {
  const auto impacts = [&](const std::string& arguments) {
    const answer a = bounce(arguments + " --json --speed 'log(1e-6, 1e2, 9)'");
    EXPECT_EQ(a, 0);
    return json::parse(a.text())["impacts"];
  };
  for (const std::string end : {" --end force", " --end gap"}) {
    for (const char* linear : {"kelvin_voigt", "kelvin_voigt_clamped", "dai_contact"}) {
      const json all = impacts(linear + end);
      for (const json& each : all)
        EXPECT_NEAR(each["restitution"].get<double>(), all[0]["restitution"].get<double>(), 1e-10)
            << each;
    }
    for (const json& each : impacts("hertz --constant-force=-9.81" + end))
      EXPECT_NEAR(each["restitution"].get<double>(), 1, 5e-7) << each;
    for (const char* damped : {"kelvin_voigt", "kelvin_voigt_clamped", "dai_contact",
                               "dai_contact_nonlinear", "azad_featherstone", "hunt_crossley"}) {
      const json all = impacts(damped + (" --constant-force=-9.81" + end));
      for (int i = 0; i < 4; ++i) EXPECT_EQ(all[i]["outcome"], "no separation") << all[i];
      EXPECT_EQ(all[6]["outcome"], "separated") << all[6];
    }
  }
}

// `asperity models` lists contacts with friction, too: what to do instead, and which models there
// are.
TEST_F(cli_restitution, NamesContactModelsOnly) {
  for (const char* key :
       {"dai_frictional_contact", "azad_featherstone_clutch", "azad_featherstone_stribeck"}) {
    const answer a = bounce(key);
    EXPECT_EQ(a, 2);
    EXPECT_TRUE(has(a, "contact with friction")) << a.text();
    EXPECT_TRUE(has(a, "dai_contact,")) << a.text();
    EXPECT_TRUE(has(a, "sphere_on_plane")) << a.text();
  }
  const answer unknown = bounce("no_such_model");
  EXPECT_EQ(unknown, 2);
  for (const char* key : {"hertz", "rigid", "kelvin_voigt", "hunt_crossley", "dai_contact"})
    EXPECT_TRUE(has(unknown, key)) << unknown.text();
  for (const char* other : {"lugre", "coulomb", "dahl", "play"})
    EXPECT_FALSE(has(unknown, other)) << unknown.text();
}

TEST_F(cli_restitution, RefusesNonsense) {
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {"", "name a contact model"},
           {"lugre", "needs one of contact"},
           {"hertz --speed -1", "--speed: '-1': -1 m/s is not allowed: it must be above 0"},
           {"hertz --speed 'log(1, 2)'", "three arguments"},
           {"hertz --set K=5", "none of these models has such a parameter"},
           {"hertz --over 'b=1'", "none of these models has such a parameter"},
           {"kelvin_voigt --set K=-5", "K"},
           {"kelvin_voigt --over 'K=1, -1'", "-1 N/m is not allowed: it must be above 0"},
           {"hertz --mass 0", "--mass"},
           {"hertz --all", "cannot be combined"},
           {"hertz --end later", "later"},
           {"no_such_model", "no_such_model"},
       }) {
    const answer a = bounce(arguments);
    EXPECT_EQ(a, 2) << arguments;
    EXPECT_TRUE(has(a, "asperity: error: ")) << a.text();
    EXPECT_TRUE(has(a, words)) << arguments << "\n" << a.text();
  }
}

}  // namespace
}  // namespace asperity::testing
