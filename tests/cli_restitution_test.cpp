// SPDX-License-Identifier: Apache-2.0
// `asperity restitution`: what it prints, writes and refuses.

#include <asperity/scenario/csv.hpp>
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
  const answer heavy = bounce("kelvin_voigt --force=-9.8 --speed '1 mm/s'");
  EXPECT_TRUE(has(heavy, "rest in contact")) << heavy.text();
  const answer rigid = bounce("rigid");
  EXPECT_EQ(rigid, 0);
  EXPECT_TRUE(has(rigid, "does not say")) << rigid.text();
}

TEST_F(cli_restitution, RefusesNonsense) {
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
    const answer a = bounce(arguments);
    EXPECT_EQ(a, 2) << arguments;
    EXPECT_TRUE(has(a, "asperity: error: ")) << a.text();
    EXPECT_TRUE(has(a, words)) << arguments << "\n" << a.text();
  }
}

}  // namespace
}  // namespace asperity::testing
