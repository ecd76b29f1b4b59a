// SPDX-License-Identifier: Apache-2.0
// Planar friction on the command line: limit surfaces, slip maps and scenario files.

#include <asperity/scenario/csv.hpp>
#include <nlohmann/json.hpp>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

class cli_planar : public program_test {};

TEST_F(cli_planar, PrintsTheEllipsoidsWorstErrorAndDrawsTheSurface) {
  const auto shown = run(
      "limit-surface --set shape=disc --set 'radius=20 mm' --a 0.6 --up 7 --around 8 --out disc");
  EXPECT_EQ(shown, 0);
  EXPECT_NE(shown.text().find("0.6667 of the reach"), std::string::npos) << shown.text();
  EXPECT_NE(shown.text().find("worst error 11.1 %"), std::string::npos) << shown.text();  // 1/9
  EXPECT_GT(fs::file_size(folder / "disc/limit_surface.png"), 10000U);
  const auto table = asperity::csv_table::read(path("disc/surface.csv"));
  EXPECT_EQ(table.rows(), 56U);
  const auto json =
      nlohmann::json::parse(run("limit-surface --set shape=line --set length=2 --json").text());
  EXPECT_NEAR(json["torque_over_force"], 0.5, 1e-8);
}

TEST_F(cli_planar, ReadsAGridOfPressures) {
  write("grid.csv", "x,y,pressure\n0,0,1\n0.01,0,1\n0,0.01,1\n0.01,0.01,1\n");
  const auto json = nlohmann::json::parse(
      run("limit-surface --set shape=grid --set file=grid.csv --json").text());
  EXPECT_NEAR(json["area"], 4e-4, 1e-12);
  EXPECT_NEAR(json["centre"][0], 0.005, 1e-12);
}

TEST_F(cli_planar, ComplainsAboutWhatIsNoPatch) {
  const auto refused = [&](const std::string& arguments, const std::string& words) {
    const auto shown = run(arguments);
    EXPECT_EQ(shown, 2);
    EXPECT_NE(shown.text().find(words), std::string::npos) << shown.text();
  };
  refused("limit-surface --set shape=disk", "did you mean 'disc'");
  refused("limit-surface --set shape=disc", "patch.radius is missing");
  refused("limit-surface --set shape=ring --set radius=1 --set inner_radius=2",
          "inner radius = 2 m: it must be below");
  refused("limit-surface --set shape=rectangle --set width=1 --set height=1 --set pressure=hertz",
          "belongs to a disc");
  refused("run '" + examples + "/pushed_box.toml' --set friction.model=disc_coulombs",
          "did you mean 'disc_coulomb'");
  refused("run '" + examples + "/pushed_box.toml' --set integrator.method=dopri5",
          "at most 64 states");
  refused("run '" + examples + "/pushed_box.toml' --set friction.F_s=1",
          "F_s must be at least F_c");
  refused("slip-map '" + examples + "/stick_slip.toml'", "patch_dai");
  refused("slip-map '" + examples + "/pushed_box.toml' --at 5", "between 0 and the duration");
}

TEST_F(cli_planar, RunsAndDrawsTheExamples) {
  const auto box = run("run '" + examples + "/pushed_box.toml' --out box");
  EXPECT_EQ(box, 0);
  // The same bytes again from the resolved file.
  EXPECT_EQ(run("run box/resolved.toml --out again"), 0);
  EXPECT_EQ(content("box/series.csv"), content("again/series.csv"));
  const auto grip = run("run '" + examples + "/gripped_object.toml' --out grip --plot none");
  EXPECT_EQ(grip, 0);
  const auto map = run("slip-map '" + examples + "/pushed_box.toml' --at 0.1,0.3 --out map");
  EXPECT_EQ(map, 0);
  EXPECT_GT(fs::file_size(folder / "map/slip_map.png"), 5000U);
}

}  // namespace
}  // namespace asperity::testing
