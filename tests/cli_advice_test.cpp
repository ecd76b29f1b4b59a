// SPDX-License-Identifier: Apache-2.0
// What the tool advises is taken out of its own messages and done; the answer is compared with a
// closed form, or with the answer that was there before. advice_test.cpp does so with the library.

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

using nlohmann::json;

class cli_advice : public program_test {
 protected:
  // What stands in the brackets of a pattern.
  static std::string found_in(const std::string& words, const char* pattern) {
    std::smatch match;
    const bool found = std::regex_search(words, match, std::regex(pattern));
    EXPECT_TRUE(found) << "no " << pattern << " in: " << words;
    return found ? match[1].str() : "";
  }
  // The message of a command that is refused.
  std::string refusal_of(const command& line) const {
    const answer told = run(line);
    EXPECT_EQ(told, 2);
    return told.err;
  }
  // The last number of the table that a command prints.
  double last_number(const std::string& line) const {
    const answer told = run(line);
    EXPECT_EQ(told, 0);
    const auto comma = told.out.rfind(',');
    if (told.code != 0 || comma == std::string::npos) return std::nan("");
    return std::stod(told.out.substr(comma + 1));
  }
};

// ---- devices ------------------------------------------------------------------------------------

TEST_F(cli_advice, TheProcessorTakesWhatNoDeviceDoes) {
  const auto sweep = [&](const std::string& out, const std::string& more) {
    return "sweep " + examples +
           "/stick_slip.toml --set run.duration=0.5 --over friction.F_c=0.8,1 --measure "
           "'maximum(x)' --out " +
           out + ".sqlite --export " + out + ".csv " + more;
  };
  const answer there = run(sweep("there", "--device cuda"));
  if (there.code == 0) GTEST_SKIP() << "there is a GPU, and kernels for it";
  const std::string option = found_in(there.err, "use (--device [a-z]+)");
  ASSERT_EQ(run(sweep("here", option)), 0);
  ASSERT_EQ(run(sweep("plain", "")), 0);
  EXPECT_EQ(content("here.csv"), content("plain.csv"));
  EXPECT_NE(content("here.csv"), "");
}

TEST_F(cli_advice, AFitRunsOnTheProcessorWhereNoDeviceIs) {
  write("in.csv", "t,v,f\n0,0.5,3.5\n1,0.5,3.5\n2,1,5\n3,1,5\n4,-1,-5\n5,-1,-5\n");
  const std::string line = "fit coulomb_viscous --data in.csv --sensor none --json ";
  const answer there = run(line + "--device cuda");
  if (there.code == 0) GTEST_SKIP() << "there is a GPU, and kernels for it";
  const answer here = run(line + found_in(there.err, "use (--device [a-z]+)"));
  ASSERT_EQ(here, 0);
  EXPECT_NEAR(json::parse(here.out).at("parameters").at(0).at("value").get<double>(), 2, 1e-9);
}

// ---- fits and inverses --------------------------------------------------------------------------

// Three rows are too few for the four numbers of a Stribeck curve and an offset.
TEST_F(cli_advice, ALongerRecordOrFewerUnknownsCanBeFitted) {
  std::string rows = "t,v\n";
  for (int i = 0; i < 60; ++i)
    rows += fmt::format("{},{}\n", i, (i % 2 == 0 ? 1 : -1) * 1e-3 * std::pow(1.15, i));
  write("motion.csv", rows);
  const std::string curve =
      " stribeck_exponential --set F_c=2 --set F_s=3 --set v_s=0.1 --set sigma_2=0.5 ";
  ASSERT_EQ(run("eval" + curve + "--input motion.csv --out longer.csv"), 0);
  std::istringstream lines(content("longer.csv"));
  std::string few;
  for (std::string line; few.size() < 2000 && std::getline(lines, line);)
    if (few += line + "\n"; std::count(few.begin(), few.end(), '\n') == 4) break;
  write("short.csv", few);
  const std::string fit = "fit stribeck_exponential --hold-out 0 --json --data ";
  const std::string said = refusal_of(fit + "short.csv");
  EXPECT_NE(said.find("use a longer record, or hold some of the unknowns"), std::string::npos)
      << said;
  const auto value_of = [&](const std::string& command, const std::string& name) {
    const answer told = run(command);
    EXPECT_EQ(told, 0);
    if (told.code != 0) return std::nan("");
    const json found = json::parse(told.out);
    for (const auto& each : found.at("parameters"))
      if (each.at("name") == name) return each.at("value").get<double>();
    return std::nan("");
  };
  EXPECT_NEAR(value_of(fit + "longer.csv", "F_c"), 2, 1e-6);
  EXPECT_NEAR(
      value_of("fit" + curve +
                   "--hold-out 0 --json --sensor none --hold F_c,v_s,sigma_2 --data short.csv",
               "F_s"),
      3, 1e-6);
}

// ---- columns ------------------------------------------------------------------------------------

// Friction of coulomb_viscous that slides: f = load (F_c) + sigma_2 v.
const std::string sliding = "eval coulomb_viscous --set F_c=2 --set sigma_2=3 --input in.csv ";

TEST_F(cli_advice, AColumnThatIsThereTwiceIsGivenByItsNumber) {
  write("in.csv", "t,v,v\n0,0.5,-1\n1,0.5,-1\n");
  const std::string said = refusal_of(sliding + "--v v");
  const std::string number = found_in(said, "such as (#[0-9]+)");
  EXPECT_EQ(number, "#2");
  EXPECT_NEAR(last_number(sliding + "--v '" + number + "'"), 2 + 3 * 0.5, 1e-9);
}

TEST_F(cli_advice, AColumnInAnUnknownUnitIsGivenAFactor) {
  write("in.csv", "t,v [counts]\n0,0.5\n1,0.5\n");
  const std::string said = refusal_of(sliding + "--v v");
  EXPECT_NE(said.find("'counts', which is not a known unit, but"), std::string::npos) << said;
  const std::string expression = found_in(said, "give a factor, such as (.*)\n");
  EXPECT_NEAR(last_number(sliding + "--v '" + expression + "'"), 2 + 3 * 2 * 0.5, 1e-9);
}

TEST_F(cli_advice, APartOfANameIsSaidToBeNone) {
  write("in.csv", "t,v_mm\n0,0.5\n1,0.5\n");
  const std::string said = refusal_of(sliding + "--v v_mm");
  const std::string expression = found_in(said, "is part of its name, write (.*)\n");
  EXPECT_NEAR(last_number(sliding + "--v '" + expression + "'"), 2 + 3 * 0.5, 1e-9);
}

TEST_F(cli_advice, ANormalForceIsDividedByThatOfTheLoadOne) {
  write("in.csv", "t,v,normal_N\n0,0.5,25\n1,0.5,25\n");
  const std::string said = refusal_of(sliding + "--load normal_N");
  const std::string expression = found_in(said, "corresponds to load 1, such as (.*)\n");
  // 25 N over the 12.5 N of the example.
  EXPECT_NEAR(last_number(sliding + "--load '" + expression + "'"), 2 * 2 + 3 * 0.5, 1e-9);
}

TEST_F(cli_advice, OneWayToSayTheTimesIsEnough) {
  write("in.csv", "t,v\n0,1\n1,2\n");
  const std::string both = refusal_of(sliding + "--dt 0.1 --rate 5");
  EXPECT_NE(both.find("--rate cannot be combined with --dt"), std::string::npos) << both;
  const std::string all = refusal_of(sliding + "--t t --dt 0.1");
  EXPECT_NE(all.find("give either a column of times or a step"), std::string::npos) << all;
  const auto end = [&](const std::string& option) {
    const answer told = run(sliding + option);
    EXPECT_EQ(told, 0);
    const auto line = told.out.rfind('\n', told.out.size() - 2);
    return std::stod(told.out.substr(line + 1));
  };
  EXPECT_DOUBLE_EQ(end("--t t"), 1);
  EXPECT_DOUBLE_EQ(end("--dt 0.1"), 0.1);
  EXPECT_DOUBLE_EQ(end("--rate 5"), 0.2);
}

// ---- what is begun ------------------------------------------------------------------------------

// Commands that `new` prints are typed as they stand.
TEST_F(cli_advice, WhatNewSaysIsNextRuns) {
  for (const char* kind : {"scenario", "inclusion"}) {
    const answer begun = run(std::string("new ") + kind + " my_" + kind);
    ASSERT_EQ(begun, 0);
    const std::string next = found_in(begun.text(), "next:\n  asperity (run [^\n]+)");
    const answer ran = run(next);
    EXPECT_EQ(ran, 0);
  }
}

TEST_F(cli_advice, AnotherNameIsTaken) {
  const std::string said = refusal_of("new model lugre");
  EXPECT_NE(said.find("take another one"), std::string::npos) << said;
  EXPECT_EQ(run("new model lugre_of_mine"), 0);
  ASSERT_EQ(run("new scenario mine"), 0);
  const std::string taken = refusal_of("new scenario mine");
  EXPECT_NE(taken.find("take another name, or give another"), std::string::npos) << taken;
  EXPECT_EQ(run("new scenario yours"), 0);
  EXPECT_EQ(run("new scenario mine --out elsewhere"), 0);
}

// ---- designs ------------------------------------------------------------------------------------

// Every wish that is named can be made alone, and is met.
TEST_F(cli_advice, EachWishThatIsNamedIsMet) {
  std::string said = refusal_of("design contact dai_contact --mass 1");
  said = found_in(said, "there is no target to design for: give (.*)\n");
  const std::regex option("--[a-z-]+");
  int wishes = 0;
  for (std::sregex_iterator i(said.begin(), said.end(), option), end; i != end; ++i, ++wishes) {
    const std::string name = i->str();
    const std::string value = name == "--restitution"   ? "0.5@1m/s"
                              : name == "--time"        ? "2ms@1m/s"
                              : name == "--penetration" ? "1mm@1m/s"
                              : name == "--peak-force"  ? "3kN@1m/s"
                                                        : "1mm";
    const answer told =
        run(fmt::format("design contact dai_contact --mass 1 --json {} '{}'", name, value));
    EXPECT_EQ(told, 0) << name;
    if (told.code != 0) continue;
    EXPECT_LT(json::parse(told.out).at(0).at("worst_error").get<double>(), 1e-4) << name;
  }
  EXPECT_EQ(wishes, 5);
}

// Of two wishes that exclude each other, the nearest value of either is met with the other.
TEST_F(cli_advice, TheNearestValueOfAWishIsMet) {
  const auto line = [](const std::string& first, const std::string& second) {
    return "design contact dai_contact --mass 1 --restitution '" + first + "@1m/s, " + second +
           "@2m/s'";
  };
  const answer told = run(line("0.5", "0.9"));
  ASSERT_EQ(told, 2);
  const std::string second = found_in(told.out, "nearest value of the second is ([0-9.]*[0-9])");
  const std::string first = found_in(told.out, "that of the first is ([0-9.]*[0-9])");
  EXPECT_EQ(run(line("0.5", second)), 0);
  EXPECT_EQ(run(line(first, "0.9")), 0);
  // The restitution of dai_contact does not depend on the speed.
  EXPECT_NEAR(std::stod(second), 0.5, 1e-4);
  EXPECT_NEAR(std::stod(first), 0.9, 1e-4);
}

TEST_F(cli_advice, CreepIsAskedForWithALimit) {
  const std::string line = "design regularisation --mass 2 --creep 5um ";
  const std::string option = found_in(refusal_of(line), "also give (--[a-z-]+)");
  const answer told = run(line + option + " '6 N' --json");
  ASSERT_EQ(told, 0);
  // A bristle that leans by no more than 5 um under 6 N.
  const json found = json::parse(told.out);
  EXPECT_GE(found.at("friction").at("K").get<double>(), 6 / 5e-6 * (1 - 1e-6)) << told.out;
}

// ---- inclusions ---------------------------------------------------------------------------------

// An input that has no formula in code: given as nodes or as a file, the code integrates a force that
// rises to 1 N and falls again within a second, 0.5 N s on 1 kg.
TEST_F(cli_advice, AnInputWithoutAFormulaIsGivenAsNodesOrAFile) {
  const auto emit = [&](const std::string& force) {
    write("pushed.toml",
          "system = { kind = 'inclusion' }\nparameters = { m = '1 kg' }\ninputs = { F = { unit = "
          "'N', " +
              force +
              " } }\nrun = { duration = 1 }\n[states]\nx = { unit = 'm', rate = 'v' }\nv = { unit "
              "= 'm/s', rate = 'F/m' }\n");
    return std::string("inclusion pushed.toml --emit c --main --out pushed.c --force");
  };
  const std::string said = refusal_of(emit("kind = 'noise', rms = 1, to = 10, period = 1"));
  EXPECT_NE(said.find("give it as nodes, or as a csv file"), std::string::npos) << said;
  write("F.csv", "t,F\n0,0\n0.5,1\n1,0\n");
  for (const char* force : {"kind = 'nodes', interval = 0.5, values = [0, 1, 0]",
                            "kind = 'csv', file = 'F.csv', column = 'F'"}) {
    ASSERT_EQ(run(emit(force)), 0) << force;
    ASSERT_EQ(finish(launch({"cc", "-O1", "pushed.c", "-lm", "-o", "pushed"})), 0)
        << content("err");
    ASSERT_EQ(finish(launch({"./pushed"})), 0);
    const std::string rows = content("out");
    const std::string last = rows.substr(rows.rfind('\n', rows.size() - 2) + 1);
    double t = 0, x = 0, v = 0;
    ASSERT_EQ(std::sscanf(last.c_str(), "%lf,%lf,%lf", &t, &x, &v), 3) << last;
    EXPECT_NEAR(t, 1, 1e-9);
    EXPECT_NEAR(v, 0.5, 1e-3) << force;
    EXPECT_NEAR(x, 0.25, 1e-3) << force;
  }
}

TEST_F(cli_advice, AnInclusionIsStatedByItsKind) {
  const std::string said = refusal_of("inclusion " + examples + "/stick_slip.toml --show");
  const std::string kind = found_in(said, "with .system. kind = \"([a-z]+)\"");
  write("mine.toml", "system = { kind = '" + kind +
                         "' }\nrun = { duration = 1 }\n[states]\nx = { rate = '-x' }\n");
  EXPECT_EQ(run("inclusion mine.toml --show"), 0);
}

// ---- files --------------------------------------------------------------------------------------

// Where HDF5 cannot be written, what the message names is; elsewhere it is what the message would
// name.
TEST_F(cli_advice, AnotherFormatIsWritten) {
  const std::string line = "run " + examples + "/stick_slip.toml --plot none --out there --force ";
  const answer told = run(line + "--format h5");
  const std::string option =
      told.code == 0 ? "--format csv" : found_in(told.err, "use (--format [a-z]+)");
  ASSERT_EQ(run(line + option), 0);
  EXPECT_EQ(content("there/series.csv").rfind("t,x,v,", 0), 0U);
}

TEST_F(cli_advice, ASweepOfAnotherKindHasAFileOfItsOwn) {
  const auto sweep = [&](const std::string& values, const std::string& more) {
    return "sweep " + examples +
           "/stick_slip.toml --set run.duration=0.2 --over friction.F_c=" + values +
           " --measure 'maximum(x)' " + more;
  };
  ASSERT_EQ(run(sweep("0.8,1", "--out one.sqlite")), 0);
  const std::string said = refusal_of(sweep("0.8,0.9", "--out one.sqlite"));
  const std::string option = found_in(said, "name another file with (--[a-z]+), or remove it");
  EXPECT_EQ(run(sweep("0.8,0.9", option + " two.sqlite --export two.csv")), 0);
  fs::remove(path("one.sqlite"));
  EXPECT_EQ(run(sweep("0.8,0.9", "--out one.sqlite --export one.csv")), 0);
  EXPECT_EQ(content("one.csv"), content("two.csv"));
  EXPECT_NE(content("one.csv"), "");
}

TEST_F(cli_advice, ModelsOrAllAreCompared) {
  const std::string neither = refusal_of("restitution");
  EXPECT_NE(neither.find("no model is given: name a contact model, or give --all"),
            std::string::npos)
      << neither;
  const std::string both = refusal_of("restitution hunt_crossley --all");
  EXPECT_NE(both.find("--all cannot be combined with names of models"), std::string::npos) << both;
  EXPECT_EQ(run("restitution hunt_crossley --speed 1"), 0);
  // A contact with friction names the system that takes it.
  const std::string said = refusal_of("restitution dai_frictional_contact");
  const std::string kind = found_in(said, "a scenario of kind ([a-z_]+) drops a sphere");
  write("drop.toml",
        "system = { kind = '" + kind +
            "', mass = 1, radius = 0.1 }\ncontact = { model = "
            "'dai_frictional_contact' }\ninitial = { z = 0.2 }\nrun = { duration = 0.2 "
            "}\n");
  EXPECT_EQ(run("run drop.toml --plot none"), 0);
}

}  // namespace
}  // namespace asperity::testing
