// SPDX-License-Identifier: Apache-2.0
// `asperity restitution`: what it prints, writes and refuses.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <asperity/scenario/csv.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct answer {
  int code;
  std::string text;  // both streams
};

answer run(const std::string& arguments) {
  FILE* pipe =
      popen((ASPERITY_BINARY_DIR "/cli/asperity restitution " + arguments + " 2>&1").c_str(), "r");
  answer result{-1, ""};
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    result.text.append(buffer.data(), n);
  result.code = WEXITSTATUS(pclose(pipe));
  return result;
}

bool has(const answer& a, const std::string& words) {
  return a.text.find(words) != std::string::npos;
}

TEST(cli_restitution, PrintsATableWithUnits) {
  const answer a = run("kelvin_voigt --set K=1e5 --set B=100 --speed '1, 2'");
  EXPECT_EQ(a.code, 0) << a.text;
  for (const char* words :
       {"speed [m/s]", "contact_time [s]", "peak_force [N]", "residual [m]", "0.636222"})
    EXPECT_TRUE(has(a, words)) << words << "\n" << a.text;
}

// Closed form of both ends of contact, through units, --mass and --json.
TEST(cli_restitution, BothEndsOfContact) {
  const double zeta = 50 / (2 * std::sqrt(2e4 * 0.5)), root = std::sqrt(1 - zeta * zeta);
  const auto restitution = [](const std::string& end) {
    const answer a =
        run("kelvin_voigt --set 'K=20 N/mm' --set B=50 --mass '500 g' --json --end " + end);
    EXPECT_EQ(a.code, 0) << a.text;
    return json::parse(a.text)["impacts"][0]["restitution"].get<double>();
  };
  EXPECT_NEAR(restitution("force"), std::exp(-2 * zeta * std::acos(zeta) / root), 1e-8);
  EXPECT_NEAR(restitution("gap"), std::exp(-std::acos(-1.0) * zeta / root), 1e-8);
}

TEST(cli_restitution, AllModelsInOneFolder) {
  const fs::path folder =
      fs::temp_directory_path() / ("asperity_restitution_" + std::to_string(getpid()));
  const answer a = run("--all --quiet --speed 'log(0.01, 10, 4)' --out " + folder.string());
  EXPECT_EQ(a.code, 0) << a.text;
  EXPECT_EQ(a.text, "");
  for (const char* key : {"hertz", "rigid", "dai_contact", "hunt_crossley", "azad_featherstone"})
    EXPECT_TRUE(fs::exists(folder / (std::string(key) + ".csv"))) << key;
  EXPECT_TRUE(fs::exists(folder / "plot.svg"));
  const auto table = asperity::csv_table::read((folder / "hunt_crossley.csv").string());
  const auto r = table.column("restitution"), v = table.column("speed");
  ASSERT_EQ(r.size(), 4U);
  EXPECT_NEAR(v.back(), 10, 1e-12);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_LT(r[i], r[i - 1]);
  fs::remove_all(folder);
}

TEST(cli_restitution, GoesOverAParameter) {
  const answer a = run("dai_contact --over 'alpha=0.01, 0.005' --json");
  EXPECT_EQ(a.code, 0);
  const json impacts = json::parse(a.text)["impacts"];
  ASSERT_EQ(impacts.size(), 2U);
  EXPECT_NEAR(impacts[0]["restitution"].get<double>(), 1, 1e-8);
  EXPECT_EQ(impacts[1]["alpha"], 0.005);
  EXPECT_LT(impacts[1]["restitution"], 0.9);
}

// alpha above beta creates energy: the values that do are named, each once.
TEST(cli_restitution, WarnsOfDoubtfulValuesOfAParameter) {
  const answer a = run("dai_contact --speed '1, 2' --over 'alpha=0.005, 0.02' --set beta=0.01");
  EXPECT_EQ(a.code, 0) << a.text;
  const auto first = a.text.find("warning");
  ASSERT_NE(first, std::string::npos) << a.text;
  EXPECT_EQ(a.text.find("warning", first + 1), std::string::npos) << a.text;
  EXPECT_TRUE(has(a, "alpha = 0.02 s: alpha above beta creates energy")) << a.text;
}

TEST(cli_restitution, SaysWhyThereIsNoRebound) {
  const answer overdamped = run("kelvin_voigt --set B=2000 --end gap");
  EXPECT_EQ(overdamped.code, 0);
  EXPECT_TRUE(has(overdamped, "no separation: overdamped")) << overdamped.text;
  const answer heavy = run("kelvin_voigt --force=-9.8 --speed '1 mm/s'");
  EXPECT_TRUE(has(heavy, "rest in contact")) << heavy.text;
  EXPECT_EQ(heavy.code, 0);
  const answer rigid = run("rigid");
  EXPECT_EQ(rigid.code, 0);
  EXPECT_TRUE(has(rigid, "does not say")) << rigid.text;
}

// Contact that does not end has no time: "-" in the table, null in JSON, an empty cell in CSV.
TEST(cli_restitution, WhatDoesNotHappenHasNoNumber) {
  const std::string arguments = "kelvin_voigt --set B=1000 --end gap";
  const answer table = run(arguments);
  const auto cells = table.text.find("kelvin_voigt  1            0            -  ");
  EXPECT_NE(cells, std::string::npos) << table.text;
  const json impact = json::parse(run(arguments + " --json").text)["impacts"][0];
  EXPECT_TRUE(impact["contact_time"].is_null()) << impact;
  EXPECT_EQ(impact["restitution"], 0);
  const fs::path folder = fs::temp_directory_path() / ("asperity_none_" + std::to_string(getpid()));
  EXPECT_EQ(run(arguments + " --quiet --out " + folder.string()).code, 0);
  std::ifstream file(folder / "kelvin_voigt.csv");
  std::string header, row;
  std::getline(file, header);
  std::getline(file, row);
  EXPECT_EQ(header.rfind("speed,restitution,loss,contact_time,", 0), 0U) << header;
  EXPECT_EQ(row.rfind("1,0,1,,", 0), 0U) << row;
  fs::remove_all(folder);
}

// Without weight the restitution of a linear contact does not depend on the speed, and an elastic
// contact gives back all of it; a ball that is slow enough stays on a damped one.
TEST(cli_restitution, EightDecadesOfSpeed) {
  const auto impacts = [](const std::string& arguments) {
    const answer a = run(arguments + " --json --speed 'log(1e-6, 1e2, 9)'");
    EXPECT_EQ(a.code, 0) << a.text;
    return json::parse(a.text)["impacts"];
  };
  for (const std::string end : {" --end force", " --end gap"}) {
    for (const char* linear : {"kelvin_voigt", "kelvin_voigt_clamped", "dai_contact"}) {
      const json all = impacts(linear + end);
      for (const json& each : all)
        EXPECT_NEAR(each["restitution"].get<double>(), all[0]["restitution"].get<double>(), 1e-10)
            << each;
    }
    for (const json& each : impacts("hertz --force=-9.81" + end))
      EXPECT_NEAR(each["restitution"].get<double>(), 1, 5e-7) << each;
    for (const char* damped : {"kelvin_voigt", "kelvin_voigt_clamped", "dai_contact",
                               "dai_contact_nonlinear", "azad_featherstone", "hunt_crossley"}) {
      const json all = impacts(damped + (" --force=-9.81" + end));
      for (int i = 0; i < 4; ++i) EXPECT_EQ(all[i]["outcome"], "no separation") << all[i];
      EXPECT_EQ(all[6]["outcome"], "separated") << all[6];
    }
  }
}

// `asperity models` lists contacts with friction, too: what to do instead, and which models there
// are.
TEST(cli_restitution, NamesContactModelsOnly) {
  for (const char* key :
       {"dai_frictional_contact", "azad_featherstone_clutch", "azad_featherstone_stribeck"}) {
    const answer a = run(key);
    EXPECT_EQ(a.code, 2) << a.text;
    EXPECT_TRUE(has(a, "contact with friction")) << a.text;
    EXPECT_TRUE(has(a, "dai_contact,")) << a.text;
    EXPECT_TRUE(has(a, "sphere_on_plane")) << a.text;
  }
  const answer unknown = run("no_such_model");
  EXPECT_EQ(unknown.code, 2);
  for (const char* key : {"hertz", "rigid", "kelvin_voigt", "hunt_crossley", "dai_contact"})
    EXPECT_TRUE(has(unknown, key)) << unknown.text;
  for (const char* other : {"lugre", "coulomb", "dahl", "play"})
    EXPECT_FALSE(has(unknown, other)) << unknown.text;
}

TEST(cli_restitution, RefusesNonsense) {
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {"", "name a contact model"},
           {"lugre", "needs one of contact"},
           {"hertz --speed -1", "--speed: '-1': -1 m/s is not allowed: above 0"},
           {"hertz --speed 'log(1, 2)'", "three arguments"},
           {"hertz --set K=5", "no model here has such a parameter"},
           {"hertz --over 'b=1'", "no model here has such a parameter"},
           {"kelvin_voigt --set K=-5", "K"},
           {"kelvin_voigt --over 'K=1, -1'", "-1 N/m is not allowed: above 0"},
           {"hertz --mass 0", "--mass"},
           {"hertz --all", "not both"},
           {"hertz --end later", "later"},
           {"no_such_model", "no_such_model"},
       }) {
    const answer a = run(arguments);
    EXPECT_EQ(a.code, 2) << arguments << "\n" << a.text;
    EXPECT_TRUE(has(a, "asperity: error: ")) << a.text;
    EXPECT_TRUE(has(a, words)) << arguments << "\n" << a.text;
  }
}

}  // namespace
