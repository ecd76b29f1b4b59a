// SPDX-License-Identifier: Apache-2.0
// The program itself: what it prints, writes and returns, and what it leaves when it is stopped.

#include <signal.h>

#include <algorithm>
#include <asperity/text/csv.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

using nlohmann::json;

class cli : public program_test {
 protected:
  // Hidden leftovers of unfinished folders.
  std::vector<std::string> leftovers() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().filename().string().find(".unfinished-") != std::string::npos)
        names.push_back(entry.path().filename().string());
    return names;
  }
};

const std::string endless = R"(
[system]
kind = "mass_under_force"
mass = 1
[friction]
model = "dai"
[force]
kind = "sine"
amplitude = 2
frequency = 1
[integrator]
method = "rk4"
step = 1e-5
max_steps = 1e12
[run]
duration = 1e6
sample = 1
)";

// So many rows that writing them takes a while.
const std::string voluminous = R"(
[system]
kind = "mass_under_force"
mass = 1
[friction]
model = "dai"
[force]
kind = "sine"
amplitude = 2
frequency = 1
[integrator]
method = "backward_euler"
step = 1e-3
[run]
duration = 500
sample = 1e-3
events = false
)";

TEST_F(cli, ListsModels) {
  EXPECT_EQ(run({"models"}), 0);
  EXPECT_NE(content("out").find("lugre"), std::string::npos);
  EXPECT_EQ(run({"models", "--family", "contact", "--json"}), 0);
  const auto listed = json::parse(content("out"));
  ASSERT_GE(listed.size(), 3U);
  for (const auto& each : listed) EXPECT_EQ(each["family"], "contact");
  refuses({"models", "--family", "magic"}, {"magic", "contact", "friction", "planar"});
  // Models of more directions are listed and shown; what takes a model of one direction says so.
  write("motion.csv", "t,v\n0,0\n1,1\n");
  refuses({"equilibria", "patch_dai", "--stiffness", "1", "--from", "-1", "--to", "1"},
          {"patch_dai", "planar", "docs/planar.md"});
  refuses({"models", "--properties", "dai_frictional_contact"},
          {"frictional_contact", "docs/systems.md"});
  // Each port names the columns that it needs.
  refuses({"eval", "patch_dai", "--input", "motion.csv"},
          {"motion.csv:1", "patch_dai", "twist", "'v_x' or 'x'"});
  refuses({"eval", "dai_frictional_contact", "--input", "motion.csv"},
          {"motion.csv:1", "touch", "'gap_rate' or 'gap'"});
  refuses({"eval", "disc_coulomb", "--input", "motion.csv", "--drive", "v"}, {"twist", "columns"});
}

TEST_F(cli, EvaluatesEveryPort) {
  write("twist.csv", "t,v_x,v_y,omega\n0,0.01,0,0.3\n0.06,0.013,0.004,0.2\n");
  for (const char* key : {"disc_coulomb", "planar_lugre", "patch_dai"}) {
    EXPECT_EQ(run({"eval", key, "--input", "twist.csv"}), 0);
    EXPECT_EQ(content("out").rfind("t,x,y,theta,v_x,v_y,omega,", 0), 0U) << content("out");
    EXPECT_NE(content("out").find("f_x,f_y,torque"), std::string::npos);
  }
  EXPECT_EQ(run({"eval", "patch_dai", "--input", "twist.csv", "--set", "radius=0.1", "--set",
                 "inner_radius=0.08", "--set", "shape=ring", "--set", "cells=8"}),
            0);
  refuses({"eval", "patch_dai", "--input", "twist.csv", "--set", "shape=star"},
          {"shape", "star", "rectangle"});
  refuses({"eval", "patch_dai", "--input", "twist.csv", "--set", "cells=91"}, {"cells", "1 to 90"});
  refuses({"eval", "patch_dai", "--input", "twist.csv", "--set", "width=0.1"}, {"width"});
  refuses({"eval", "patch_dai", "--input", "twist.csv", "--set", "shape=ring", "--set",
           "inner_radius=0.2"},
          {"radius"});
  write("heavy.csv", "t,v_x,v_y,omega,load\n0,1,0,0,1\n1,1,0,0,0\n");
  refuses({"eval", "patch_lugre", "--input", "heavy.csv"}, {"heavy.csv:3", "'load'", "above 0"});
  write("touch.csv", "t,gap,slip_x,slip_y\n0,-1e-4,0.1,0\n1,-1e-4,0.1,0\n");
  EXPECT_EQ(run({"eval", "dai_frictional_contact", "--input", "touch.csv"}), 0);
  EXPECT_NE(content("out").find("f_n,f_x,f_y,stored"), std::string::npos);
}

TEST_F(cli, ShowsEveryModel) {
  EXPECT_EQ(run({"models", "--json"}), 0);
  for (const auto& each : json::parse(content("out"))) {
    const std::string key = each["model"];
    EXPECT_EQ(run({"show", key}), 0);
    const std::string text = content("out");
    for (const auto* words :
         {"source: ", "Equations", "Parameters", "default", "allowed", "What it does",
          "What it does not", "Choosing parameters", "When to take another"})
      EXPECT_NE(text.find(words), std::string::npos) << key << " lacks " << words;
    EXPECT_EQ(text.find("Claims, tested: ") == std::string::npos, each["claims"].empty()) << key;
    for (const auto& p : each["parameters"])
      for (const auto* what : {"name", "unit", "meaning"})
        EXPECT_NE(text.find(p[what].get<std::string>()), std::string::npos) << key << p;
    for (const auto& state : each["states"])
      EXPECT_NE(text.find(state["meaning"].get<std::string>()), std::string::npos) << key << state;
    EXPECT_EQ(run({"show", key, "--json"}), 0);
    EXPECT_EQ(json::parse(content("out"))["parameters"], each["parameters"]);
  }
}

// The table is computed; that its answers are right is tested where they are computed.
TEST_F(cli, TellsWhatModelsDo) {
  EXPECT_EQ(run({"models", "--properties", "lugre", "dai", "--json"}), 0);
  const auto table = json::parse(content("out"));
  ASSERT_EQ(table.size(), 2U);
  EXPECT_EQ(table[0]["model"], "lugre");
  EXPECT_EQ(table[0]["drift"], true);
  EXPECT_EQ(table[1]["drift"], false);
  EXPECT_EQ(run({"models", "--properties", "maxwell_slip"}), 0);
  EXPECT_NE(content("out").find("nonlocal"), std::string::npos);
  refuses({"models", "--properties", "hunt_crossley"}, {"hunt_crossley", "contact"});
}

TEST_F(cli, EverySubcommandTeaches) {
  for (const auto* command : {"models", "show", "run", "eval", "equilibria"}) {
    EXPECT_EQ(run({command, "--help"}), 0);
    EXPECT_NE(content("out").find("Examples:"), std::string::npos) << command;
  }
  EXPECT_EQ(run({"--help"}), 0);
  EXPECT_NE(content("out").find("Examples:"), std::string::npos);
  EXPECT_EQ(run({"--version"}), 0);
  EXPECT_EQ(content("out").rfind("asperity ", 0), 0U);
}

TEST_F(cli, RunsEveryExample) {
  for (const auto& entry : fs::directory_iterator(examples)) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path().filename().string());
    EXPECT_EQ(run({"run", entry.path().string()}), 0);
    const auto made = folder / (entry.path().stem().string() + ".run");
    EXPECT_EQ(json::parse(content(made / "summary.json"))["outcome"], "completed");
    EXPECT_GT(asperity::csv_table::read((made / "series.csv").string()).rows(), 100U);
  }
}

TEST_F(cli, TheResolvedScenarioGivesTheSameBytes) {
  EXPECT_EQ(run({"run", examples + "/creep.toml", "--set", "friction.F_s=0.6", "--set",
                 "system.mass=2 kg", "--out", "one"}),
            0);
  EXPECT_EQ(run({"run", "one/resolved.toml", "--out", "two"}), 0);
  for (const auto& entry : fs::directory_iterator(folder / "one")) {
    const auto file = entry.path().filename();
    EXPECT_EQ(content(entry.path()), content(folder / "two" / file)) << file;
  }
  const std::string resolved = content("one/resolved.toml");
  EXPECT_NE(resolved.find("F_s = 0.6"), std::string::npos);
  EXPECT_NE(resolved.find("mass = 2.0"), std::string::npos);
}

TEST_F(cli, SettingsMayStandBeforeTheScenario) {
  EXPECT_EQ(run({"run", "--set", "run.duration=1", "--set", "title=Short", examples + "/creep.toml",
                 "--plot", "none"}),
            0);
  EXPECT_EQ(json::parse(content("creep.run/summary.json"))["title"], "Short");
}

TEST_F(cli, SaysByHowMuchARunDependsOnItsSteps) {
  const std::string again = "run " + examples + "/stick_slip.toml --plot none --refine --out ";
  const auto told = run(again + "usual");
  EXPECT_EQ(told, 0);
  EXPECT_NE(told.text().find(" differs most, by "), std::string::npos) << told.text();
  const auto coarse =
      run(again + "coarse --json --set integrator.method=rk4 --set integrator.step=2e-4");
  const auto summary = json::parse(content("coarse/summary.json"));
  EXPECT_EQ(coarse, 0);
  EXPECT_GT(summary["step_errors"]["x"]["value"], 0);
  EXPECT_EQ(summary["step_errors"]["x"]["unit"], "m");
  EXPECT_NE(coarse.text().find("with half the step"), std::string::npos) << coarse.text();
  const auto exact =
      run(again + "exact --set 'friction={model=\"dai\"}' --set integrator.method=exact");
  EXPECT_EQ(exact, 0);
  EXPECT_NE(exact.text().find("has no steps to refine"), std::string::npos) << exact.text();
}

TEST_F(cli, UnitsAreConverted) {
  for (const auto* mass : {"system.mass=0.5", "system.mass=500 g"}) {
    EXPECT_EQ(run({"run", examples + "/creep.toml", "--set", mass, "--plot", "none", "--out",
                   std::string(mass).substr(12, 3)}),
              0);
  }
  EXPECT_EQ(content("0.5/series.csv"), content("500/series.csv"));
}

TEST_F(cli, WritesHdf5OrSaysWhyNot) {
  const int code = run({"run", examples + "/creep.toml", "--format", "h5", "--plot", "none"}).code;
  if (code == 0) {
    EXPECT_TRUE(fs::exists(folder / "creep.run/series.h5"));
  } else {
    EXPECT_EQ(code, 2);
    EXPECT_NE(content("err").find("HDF5"), std::string::npos);
  }
}

// gnuplot on a full disk: it ends as if all were well.
TEST_F(cli, HalfAPictureIsNoPicture) {
  fs::create_directory(folder / "bin");
  write("bin/gnuplot", "#!/bin/sh\nprintf '<svg><path'\n");
  fs::permissions(folder / "bin/gnuplot", fs::perms::owner_all);
  const answer told =
      run({"run", examples + "/creep.toml"}, {.environment = {{"PATH", path("bin")}}});
  EXPECT_EQ(told, 0);
  EXPECT_NE(told.err.find("warning: no plot: gnuplot wrote only a part"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "creep.run/plot.svg"));
}

TEST_F(cli, WorksWithoutGnuplot) {
  EXPECT_EQ(run({"run", examples + "/creep.toml"}, {.environment = {{"PATH", "/nonexistent"}}}), 0);
  EXPECT_NE(content("err").find("warning: no plot: gnuplot is not installed"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "creep.run/plot.svg"));
  EXPECT_TRUE(fs::exists(folder / "creep.run/series.csv"));
}

TEST_F(cli, RefusesBadInputInOneLine) {
  write("bad.toml",
        "[system]\nkind = \"mass_under_force\"\nmass = -1\n[friction]\nmodel = \"dai\"\n");
  refuses({"run", "bad.toml"}, {"bad.toml:3:1", "system.mass = -1", "kg", "above 0"});
  refuses({"run", "missing.toml"}, {"missing.toml"});
  refuses({"run", examples + "/creep.toml", "--set", "friction.F_x=1"},
          {"--set friction.F_x=1", "did you mean"});
  refuses({"run", examples + "/creep.toml", "--format", "xml"}, {"--format", "xml", "csv"});
  refuses({"run"}, {"SCENARIO"});
  refuses({"walk"}, {"walk"});
  refuses({"show", "lugr"}, {"lugr", "did you mean 'lugre'?"});
  refuses({"show", "lugre", "--curve", "flat"}, {"flat", "stribeck_exponential"});
  refuses({"eval", "dai", "--input", "missing.csv"}, {"missing.csv"});
  write("in.csv", "t,v\n0,1\n1,x\n");
  refuses({"eval", "dai", "--input", "in.csv"}, {"in.csv:3", "'v'", "'x'", "finite number"});
  refuses({"eval", "dai", "--input", "in.csv", "--set", "G=1"}, {"--set G=1", "allowed: "});
  refuses({"eval", "dai", "--input", "in.csv", "--set", "K=1 m"}, {"--set K=1 m", "N/m"});
  refuses({"eval", "dai", "--input", "in.csv", "--set", "K=0"}, {"--set K=0", "N/m, above 0"});
  EXPECT_FALSE(fs::exists(folder / "bad.run"));
  EXPECT_FALSE(fs::exists(folder / "creep.run"));
}

TEST_F(cli, LeavesOtherFoldersAlone) {
  fs::create_directory(folder / "thesis");
  write("thesis/chapter.tex", "precious");
  refuses({"run", examples + "/creep.toml", "--force", "--out", "thesis"},
          {"'thesis'", "not replaced"});
  EXPECT_EQ(content("thesis/chapter.tex"), "precious");
}

TEST_F(cli, AFailedRunKeepsWhatWasComputed) {
  const auto told = run({"run", examples + "/bouncing_ball.toml", "--set", "integrator.method=rk4",
                         "--set", "integrator.step=0.01", "--set", "contact.beta=1e-4", "--set",
                         "contact.alpha=5e-5", "--plot", "none"});
  EXPECT_EQ(told, 1);
  for (const char* each : {"warning: ", "error: ", "bouncing_ball.toml", "grew beyond", "t = 0.",
                           "unstable", "take method", "bouncing_ball.run"})
    EXPECT_NE(told.err.find(each), std::string::npos) << each << "\n" << told.err;
  const auto made = folder / "bouncing_ball.run";
  EXPECT_EQ(json::parse(content(made / "summary.json"))["outcome"], "solver failed");
  EXPECT_GT(asperity::csv_table::read((made / "series.csv").string()).rows(), 10U);
}

TEST_F(cli, BadInputLeavesEarlierResultsAlone) {
  EXPECT_EQ(run({"run", examples + "/creep.toml", "--plot", "none", "--out", "run"}), 0);
  const std::string before = content("run/series.csv");
  EXPECT_EQ(run({"run", examples + "/creep.toml", "--set", "system.mass=-1", "--out", "run"}), 2);
  EXPECT_EQ(content("run/series.csv"), before);
}

TEST_F(cli, CtrlCStopsCleanlyAndKeepsWhatWasComputed) {
  write("endless.toml", endless);
  for (const int request : {SIGINT, SIGTERM}) {
    const pid_t child = start({"run", "endless.toml", "--plot", "none", "--force"});
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    kill(child, request);
    EXPECT_EQ(finish(child), 130);
    EXPECT_NE(content("err").find("interrupted at t = "), std::string::npos) << content("err");
    const auto summary = json::parse(content("endless.run/summary.json"));
    EXPECT_EQ(summary["outcome"], "interrupted");
    const auto series = asperity::csv_table::read(path("endless.run/series.csv"));
    EXPECT_EQ(series.column("t").back(), summary["reached"]["value"].get<double>());
    EXPECT_TRUE(leftovers().empty());
  }
}

TEST_F(cli, KilledWhileWritingItLeavesTheOldResultsWhole) {
  write("run.toml", voluminous);
  EXPECT_EQ(run({"run", "run.toml", "--set", "run.duration=1", "--plot", "none"}), 0);
  const std::string before = content("run.run/series.csv");
  const pid_t child = start({"run", "run.toml", "--plot", "none", "--force"});
  for (int i = 0; i < 6000 && leftovers().empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(child, SIGKILL);
  ASSERT_EQ(finish(child), -SIGKILL) << "it must still have been writing";
  EXPECT_EQ(leftovers().size(), 1U);
  EXPECT_EQ(content("run.run/series.csv"), before);
  EXPECT_EQ(run({"run", "run.toml", "--set", "run.duration=1", "--plot", "none", "--force"}), 0);
  EXPECT_TRUE(leftovers().empty()) << "the next run tidies up";
}

TEST_F(cli, EvaluatesAMotion) {
  write("in.csv", "t,v,load\n0,0,1\n1,1e-3,1\n2,-1e-3,2\n");
  EXPECT_EQ(run({"eval", "dai", "--input", "in.csv", "--set", "F=2", "--set", "K=5 N/um"}), 0);
  const std::string printed = content("out");
  const auto table = asperity::csv_table::parse(printed, "out");
  EXPECT_EQ(table.names(), (std::vector<std::string>{"t", "x", "v", "load", "a", "f"}));
  EXPECT_NEAR(table.column("f")[1], 2, 1e-9);
  EXPECT_NEAR(table.column("f")[2], -4, 1e-6);
  EXPECT_EQ(run({"eval", "dai", "--input", "in.csv", "--set", "F=2", "--set", "K=5 N/um", "--out",
                 "force.csv"}),
            0);
  EXPECT_EQ(content("force.csv"), printed);
}

TEST_F(cli, EvaluatesTheSeriesOfARun) {
  EXPECT_EQ(run({"run", examples + "/creep.toml", "--plot", "none", "--set", "run.sample=1e-3"}),
            0);
  EXPECT_EQ(
      run({"eval", "lugre", "--input", "creep.run/series.csv", "--set", "sigma_0=5e3", "--set",
           "sigma_1=10", "--set", "F_c=0.5", "--set", "F_s=0.5", "--set", "sigma_2=0"}),
      0);
  // The same model along the motion of the run gives the force of the run, but for interpolation.
  const auto there = asperity::csv_table::read(path("creep.run/series.csv"));
  const auto here = asperity::csv_table::parse(content("out"), "out");
  const auto f = there.column("f"), g = here.column("f");
  ASSERT_EQ(f.size(), g.size());
  for (std::size_t i = 0; i < f.size(); i += 97) EXPECT_NEAR(f[i], g[i], 1e-3) << i;
}

// Coulomb friction: the band of Drincic's figure 1.5, as a table, for programs and as a file.
TEST_F(cli, MapsEquilibria) {
  const std::vector<std::string> asked{"equilibria", "coulomb", "--stiffness", "1 N/m",
                                       "--from",     "-3",      "--to",        "3",
                                       "--points",   "3",       "--set",       "F_c=2"};
  ASSERT_EQ(run(asked), 0);
  EXPECT_NE(content("out").find("x_low [m]"), std::string::npos);
  auto more = asked;
  more.insert(more.end(), {"--json", "--out", "map.csv"});
  ASSERT_EQ(run(more), 0);
  const json map = json::parse(content("out"));
  EXPECT_FALSE(map["depends_on_position"]);
  ASSERT_EQ(map["intervals"].size(), 3U);
  for (const auto& each : map["intervals"]) {
    const double u = each["u"];
    EXPECT_NEAR(each["x_low"].get<double>(), u - 2, 1e-9);
    EXPECT_NEAR(each["x_high"].get<double>(), u + 2, 1e-9);
  }
  EXPECT_EQ(content("map.csv").rfind("u,x_low,x_high\n", 0), 0U);
  refuses({"equilibria", "coulomb", "--stiffness", "0", "--from", "0", "--to", "1"},
          {"stiffness", "above 0"});
  refuses({"equilibria", "hunt_crossley", "--stiffness", "1", "--from", "0", "--to", "1"},
          {"hunt_crossley", "contact"});
}

// Bristles let the limit depend on the place; asking at 20001 of them takes a moment, not minutes.
TEST_F(cli, MapsEquilibriaOfBristles) {
  ASSERT_EQ(run({"equilibria", "rotating_bristle", "--stiffness", "1", "--from", "0", "--to", "1",
                 "--points", "3", "--json"}),
            0);
  const json map = json::parse(content("out"));
  EXPECT_TRUE(map["depends_on_position"]);
  EXPECT_GT(map["intervals"].size(), 3U);
  for (const auto& each : map["intervals"]) EXPECT_LE(each["x_low"], each["x_high"]);
}

TEST_F(cli, AFolderIsNoTable) {
  fs::create_directory(folder / "data");
  const std::vector<std::string> words{"cannot read 'data': it is a folder"};
  refuses({"eval", "dai", "--input", "data"}, words);
  refuses({"loops", "data", "--x", "x", "--y", "f"}, words);
  refuses({"invert", "play", "--wanted", "data"}, words);
  write("s.toml",
        "system = { kind = 'mass_under_force', mass = 1 }\nfriction = { model = 'lugre' }\n"
        "force = { kind = 'csv', file = 'data', column = 'f' }\nrun = { duration = 1 }\n");
  refuses({"run", "s.toml"}, {"s.toml:3:", "force.file = \"data\"", words[0]});
}

// Rules that tie parameters to one another say what they were given; no place is empty.
TEST_F(cli, EveryMessageHasAPlaceAndValues) {
  const std::string creep = examples + "/creep.toml";
  refuses({"run", creep, "--set", "integrator={method='rk4'}"},
          {"error: --set integrator={method='rk4'}: integrator.step is missing"});
  write("s.toml",
        "system = { kind = 'mass_under_force', mass = 1 }\nfriction = { model = 'lugre' }\n"
        "force = 1\nrun = { duration = 1 }\n");
  refuses({"run", "s.toml", "--set", "integrator.method=rk4"},
          {"error: --set integrator.method=rk4: integrator.step is missing"});
  refuses({"run", "s.toml", "--set", "friction.F_s=0.25", "--set", "friction.F_c=2"},
          {"F_s must be at least F_c", "F_s = 0.25 N", "F_c = 2 N"});
  refuses({"hysteresis", "gms", "--set", "elements=2", "--set", "lambda=[0.5, 0.75]"},
          {"error: gms: model 'gms': the shares lambda must sum to 1",
           "lambda = 0.5, 0.75, together 1.25"});
}

TEST_F(cli, AListThatIsCutSaysSo) {
  refuses({"show", "no_such_thing_at_all"},
          {"allowed: ", " ... and ", " more: `asperity models` and `asperity systems` list them"});
}

// On a disk that is really full, and with files that may not grow.
TEST_F(cli, AFullDiskLeavesNoPartOfARun) {
  const std::vector<std::string> sizes{"4k", "8k", "16k", "24k", "40k", "52k"};
  for (const std::string format : {"h5", "csv"}) {
    const auto into = [&](const std::string& out) {
      return std::vector<std::string>{"run",      examples + "/stick_slip.toml",
                                      "--format", format,
                                      "--plot",   "none",
                                      "--force",  "--out",
                                      out};
    };
    const std::string series = "series." + format;
    if (run(into("whole")).err.find("cannot write HDF5") != std::string::npos) continue;
    const auto size = fs::file_size(folder / "whole" / series);
    ASSERT_GT(size, 60000U);
    for (const long room : {1000L, 5000L, 30000L, static_cast<long>(size) - 1}) {
      SCOPED_TRACE(room);
      surroundings tight;
      tight.largest_file = room;
      const answer told = run(into("part"), tight);
      EXPECT_EQ(told, 2);
      EXPECT_NE(told.err.find("part/" + series + "': File too large"), std::string::npos)
          << told.err;
      EXPECT_FALSE(fs::exists(folder / "part"));
    }
    // A file system of its own, where we may mount one.
    fs::create_directory(folder / "tiny");
    for (const std::string& size_of_disk : sizes) {
      SCOPED_TRACE(size_of_disk);
      std::string line =
          "mount -t tmpfs -o size=" + size_of_disk + " tmpfs tiny || exit 77; '" + program + "'";
      for (const auto& word : into("tiny/part")) line += " '" + word + "'";
      line += "; code=$?; ls -A tiny; exit $code";
      const int code = finish(
          launch({"unshare", "--user", "--map-root-user", "--mount", "/bin/sh", "-c", line}));
      if (code == 77 || content("err").find("unshare") != std::string::npos) break;
      EXPECT_EQ(code, 2) << content("err");
      EXPECT_EQ(content("out"), "") << "left on the disk";
      EXPECT_NE(content("err").find("No space left"), std::string::npos) << content("err");
    }
  }
}

TEST_F(cli, AFullDiskIsAnError) {
  write("in.csv", "t,v\n0,0\n1,1\n");
  refuses({"eval", "dai", "--input", "in.csv", "--out", "/dev/full"}, {"/dev/full", "No space"});
}

}  // namespace
}  // namespace asperity::testing
