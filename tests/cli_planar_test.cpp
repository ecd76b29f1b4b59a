// SPDX-License-Identifier: Apache-2.0
// Planar friction on the command line: limit surfaces, slip maps and scenario files.

#include <asperity/text/csv.hpp>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

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

TEST_F(cli_planar, TakesThePatchOfAnExampleByName) {
  EXPECT_EQ(run("limit-surface pushed_box --up 3 --around 4"), 0);
  EXPECT_EQ(run("limit-surface examples/pushed_box.toml --up 3 --around 4"), 0);
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

TEST_F(cli_planar, LimitSurfaceStopsAtCtrlCWithoutResults) {
  const pid_t child = start(
      "limit-surface --set shape=ellipse --set a=0.1 --set b=0.05 --set pressure=hertz --around "
      "720 "
      "--up 361 --out surface");
  std::this_thread::sleep_for(std::chrono::milliseconds(1000));
  kill(child, SIGINT);
  EXPECT_EQ(finish(child), 130);
  EXPECT_NE(content("err").find("interrupted"), std::string::npos) << content("err");
  EXPECT_EQ(content("out"), "");
  EXPECT_FALSE(fs::exists(folder / "surface"));
}

TEST_F(cli_planar, SlipMapStopsAtCtrlCWithTheTimesItReached) {
  const pid_t child = start("slip-map '" + examples +
                            "/pushed_box.toml' --set run.duration=1e5 --set run.sample=100 --set "
                            "integrator.max_steps=10000000000 --at 0.1,9e4 --out map");
  std::this_thread::sleep_for(std::chrono::milliseconds(2000));
  kill(child, SIGINT);
  EXPECT_EQ(finish(child), 130);
  EXPECT_NE(content("err").find("interrupted at t = "), std::string::npos) << content("err");
  EXPECT_NE(content("err").find("1 of 2 times"), std::string::npos) << content("err");
  const auto cells = asperity::csv_table::read(path("map/cells.csv"));
  for (const double t : cells.column("t")) EXPECT_NEAR(t, 0.1, 1e-3);
}

TEST_F(cli_planar, ALineHasALengthAndNoArea) {
  const auto shown = run("limit-surface --set shape=line --set length=0.2 --up 5 --around 8");
  EXPECT_EQ(shown, 0);
  EXPECT_NE(shown.text().find("length"), std::string::npos) << shown.text();
  EXPECT_NE(shown.text().find("0.2 m\n"), std::string::npos) << shown.text();
  EXPECT_EQ(shown.text().find("m^2"), std::string::npos) << shown.text();
}

TEST_F(cli_planar, APatchThatWouldBeIgnoredIsRefused) {
  for (const std::string friction :
       {"{model=\"disc_coulomb\"}", "{model=\"limit_surface_ellipsoid\"}",
        "{model=\"planar_lugre\"}", "{model=\"planar_elastoplastic\",coupling=\"disc\"}"}) {
    const auto shown =
        run("run '" + examples + "/pushed_box.toml' --set 'friction=" + friction + "'");
    EXPECT_EQ(shown, 2);
    EXPECT_NE(shown.text().find("patch: "), std::string::npos) << shown.text();
    EXPECT_NE(shown.text().find("friction.R"), std::string::npos) << shown.text();
  }
}

// m (w^2 + h^2)/12, although the pressure of the example is uneven.
TEST_F(cli_planar, TheDefaultInertiaIsThatOfAPlate) {
  EXPECT_EQ(run("run '" + examples + "/pushed_box.toml' --out box --plot none"), 0);
  const std::string resolved = content("box/resolved.toml");
  const auto at = resolved.find("inertia = ");
  ASSERT_NE(at, std::string::npos) << resolved;
  const auto number = [&](const std::string& key) {
    const auto place = resolved.find("\n" + key + " = ");
    return std::strtod(
        resolved.c_str() + place + key.size() + 4 + (resolved[place + key.size() + 4] == '"'),
        nullptr);
  };
  const double w = number("width"), h = number("height");
  EXPECT_NEAR(number("inertia") / (number("mass") * (w * w + h * h) / 12), 1, 1e-9) << resolved;
}

// A hint that is followed is not refused.
TEST_F(cli_planar, HintsNameMethodsThatCanRunIt) {
  for (const std::string law :
       {"{model=\"patch_lugre\",sigma_0=1e9}", "{model=\"patch_dai\",K=1e7,beta=1e-9}"}) {
    const std::string all = "run '" + examples +
                            "/pushed_box.toml' --plot none --set 'friction=" + law +
                            "' --set run.duration=0.1 --set integrator.step=1e-3 --set ";
    const auto shown = run(all + "integrator.method=rk4");
    EXPECT_EQ(shown, 1);
    EXPECT_NE(shown.text().find("halve integrator.step"), std::string::npos) << shown.text();
    const std::string words = "take method = \"";
    const auto hint = shown.text().find(words);
    if (hint == std::string::npos) continue;
    const std::string rest = shown.text().substr(hint + words.size());
    EXPECT_NE(run(all + "integrator.method=" + rest.substr(0, rest.find('"'))), 2) << rest;
  }
}

}  // namespace
}  // namespace asperity::testing
