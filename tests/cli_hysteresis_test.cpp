// SPDX-License-Identifier: Apache-2.0
// The commands about hysteresis: what they print, write and return.

#include <fmt/format.h>

#include <asperity/text/csv.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

using nlohmann::json;

class cli_hysteresis : public program_test {};

TEST_F(cli_hysteresis, ClassifiesAModelWithItsEvidence) {
  EXPECT_EQ(run("hysteresis play --amplitude 2 --json --out map"), 0);
  const json found = json::parse(content("out"));
  EXPECT_EQ(found["hysteretic"], true);
  EXPECT_EQ(found["rate_dependent"], false);
  EXPECT_EQ(found["memory"], "nonlocal");
  // A parallelogram of 4 r (A - r), counterclockwise.
  EXPECT_NEAR(found["limit_area"].get<double>(), -4, 1e-3);
  for (const char* file : {"summary.json", "loop_1.csv"})
    EXPECT_TRUE(fs::exists(folder / "map" / file)) << file;
  EXPECT_EQ(run("hysteresis play --amplitude 2"), 0);
  for (const char* word : {"hysteretic: yes", "rate dependent: no", "memory: nonlocal"})
    EXPECT_NE(content("out").find(word), std::string::npos) << content("out");
}

// A scenario, and an answer in doubt: exit code 1 and the reason.
TEST_F(cli_hysteresis, SaysWhenTheMapDidNotConverge) {
  write("linkage.toml",
        "system = { kind = 'two_bar_linkage' }\nforce = 0.0\nrun = { duration = 1 }\n");
  EXPECT_EQ(run("hysteresis linkage.toml --output y --omega 1 --loops 3 --map-only"), 1);
  EXPECT_NE(content("out").find("did not converge"), std::string::npos) << content("out");
  EXPECT_EQ(run("hysteresis linkage.toml --output nothing"), 2);
  EXPECT_NE(content("err").find("nothing"), std::string::npos);
  EXPECT_EQ(run("hysteresis play --amplitude 0"), 2);
}

// A play inside its gap does not move: nothing is decided, and the amplitude that is advised decides. A
// spring of 1 mN/m that slides at 1 N has a loop s/2 = 5e-4 of its span wide.
TEST_F(cli_hysteresis, DoesNotTakeASmallAmplitudeForAProof) {
  EXPECT_EQ(run("hysteresis play --amplitude 0.5 --json"), 1);
  const json found = json::parse(content("out"));
  EXPECT_TRUE(found["hysteretic"].is_null());
  EXPECT_EQ(found["memory"], "not decided");
  const std::string doubt = found["doubt"];
  const auto at = doubt.find("--amplitude ");
  ASSERT_NE(at, std::string::npos) << doubt;
  EXPECT_EQ(run("hysteresis play --json " + doubt.substr(at)), 0);
  EXPECT_EQ(json::parse(content("out"))["hysteretic"], true);
  EXPECT_EQ(run("hysteresis dahl --set 'sigma_0=1e-3 N/m' --json"), 0);
  EXPECT_EQ(json::parse(content("out"))["hysteretic"], true);
  EXPECT_NEAR(json::parse(content("out"))["limit_width"].get<double>(), 5e-4, 1e-5);
  EXPECT_EQ(run("hysteresis hertz"), 0);
  EXPECT_NE(content("out").find("hysteretic: no (a loop is narrower than"), std::string::npos)
      << content("out");
}

TEST_F(cli_hysteresis, IsQuietUnlessSomethingIsWrong) {
  EXPECT_EQ(run("hysteresis play --quiet").text(), "");
  const answer told = run("hysteresis regularised_coulomb --loops 3 --quiet");
  EXPECT_EQ(told, 1);
  EXPECT_EQ(told.out, "");
  EXPECT_NE(told.err.find("a tenth of V = 0.001 m/s"), std::string::npos) << told.err;
}

TEST_F(cli_hysteresis, FindsLoopsInARecord) {
  std::string text = "t,x_mm,f\n";
  for (int i = 0; i <= 3000; ++i) {
    const double t = 2 * 3.14159265358979 * i / 1000;
    text += std::to_string(i) + "," + std::to_string(2 * std::sin(t)) + "," +
            std::to_string(3 * std::sin(t + 0.5)) + "\n";
  }
  write("data.csv", text);
  EXPECT_EQ(run("loops data.csv --x x_mm --y f --x-unit mm --y-unit N --noise '1e-5 m' --out found "
                "--json"),
            0);
  const json found = json::parse(content("out"));
  ASSERT_EQ(found["loops"].size(), 2U);
  // pi 2 mm 3 N sin(0.5)
  EXPECT_NEAR(found["area_per_cycle"].get<double>(), 3.14159 * 2e-3 * 3 * std::sin(0.5), 1e-5);
  EXPECT_EQ(found["loops"][0]["orientation"], "clockwise");
  EXPECT_TRUE(fs::exists(folder / "found" / "loops.csv"));
  EXPECT_TRUE(found["loops"][0]["crossings"].empty());
  EXPECT_EQ(run("loops data.csv --x x_mm --y f --no-crossings --json"), 0);
  EXPECT_FALSE(json::parse(content("out"))["loops"][0].contains("crossings"));
  EXPECT_EQ(run("loops data.csv --x x_mm --y nothing"), 2);
  EXPECT_EQ(run("loops data.csv --x x_mm --y f --x-unit parsec"), 2);
  EXPECT_NE(content("err").find("parsec"), std::string::npos);
  EXPECT_EQ(run("loops absent.csv --x x --y y"), 2);
}

// Three equilibria of the cubic at x = 0, the middle one unstable.
TEST_F(cli_hysteresis, ListsEquilibria) {
  EXPECT_EQ(run("hysteresis nonlinear_feedback --amplitude 1 --omega 1 --map-only --equilibria "
                "--points 3 --out found --json"),
            0);
  const json places = json::parse(content("out"))["equilibria"];
  ASSERT_EQ(places.size(), 5U);
  for (const int i : {1, 2, 3}) {
    EXPECT_EQ(places[i]["u"], 0);
    EXPECT_NEAR(places[i]["y_low"].get<double>(), i - 2, 1e-9);
    EXPECT_EQ(places[i]["stable"], i != 2);
  }
  EXPECT_TRUE(fs::exists(folder / "found" / "equilibria.csv"));
}

// The circle: wanted output -> input -> output.
TEST_F(cli_hysteresis, InvertAndEvalCloseTheCircle) {
  std::string text = "t,f\n";
  for (int i = 0; i < 300; ++i)
    text += std::to_string(i) + "," +
            std::to_string(0.6 * std::sin(0.05 * i) + 0.3 * std::sin(0.131 * i)) + "\n";
  write("wanted.csv", text);
  const auto wanted = asperity::csv_table::parse(text, "wanted").column("f");
  for (const std::string model :
       {"prandtl_ishlinskii",
        "prandtl_ishlinskii --set elements=1 --set q=1 --set r=[2] --set p=[-1]", "preisach",
        "multiplay"}) {
    EXPECT_EQ(run("invert " + model + " --wanted wanted.csv --force --out x.csv"), 0);
    EXPECT_EQ(run("eval " + model + " --input x.csv --force --out y.csv"), 0);
    const auto back = asperity::csv_table::read(path("y.csv")).column("f");
    ASSERT_EQ(back.size(), wanted.size());
    // A multiplay goes by its dynamics, which `eval` integrates by a method of its own.
    const double near = model == "multiplay" ? 1e-7 : 1e-9;
    for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(back[i], wanted[i], near) << model;
  }
  write("far.csv", "f\n0.5\n3\n");
  EXPECT_EQ(run("invert preisach --wanted far.csv --lower -1 --upper 1"), 1);
  EXPECT_NE(content("err").find("cannot be reached"), std::string::npos) << content("err");
  EXPECT_EQ(run("invert lugre --wanted wanted.csv"), 2);
}

// The round trip is looked at: where it misses by more than is allowed, the tool fails and says what
// to do, which works.
TEST_F(cli_hysteresis, InvertFailsWhereItsRoundTripDoes) {
  const auto wanted = [&](const std::string& name, double interval) {
    std::string text = "t,f\n";
    for (int i = 0; i * interval <= 10; ++i)
      text += fmt::format("{:.17g},{:.17g}\n", i * interval, 1 - std::cos(i * interval));
    write(name, text);
    return asperity::csv_table::parse(text, name).column("f");
  };
  const std::string invert = "invert nonlinear_feedback --set a=-2 --set d=4 --set b_cubic=0.5 ",
                    eval = "eval nonlinear_feedback --set a=-2 --set d=4 --set b_cubic=0.5 ";
  wanted("far.csv", 0.2);
  EXPECT_EQ(run(invert + "--wanted far.csv --out x.csv"), 1);
  const std::string said = content("err");
  for (const char* words : {"exceeds the 0.0002 allowed", "0.0001 of the greatest",
                            "rows that lie closer together", "--tolerance"})
    EXPECT_NE(said.find(words), std::string::npos) << said;
  EXPECT_NE(content("out").find("with 0.0002 allowed"), std::string::npos) << content("out");

  const auto close = wanted("close.csv", 0.02);
  ASSERT_EQ(run(invert + "--wanted close.csv --out x.csv --force"), 0) << content("err");
  ASSERT_EQ(run(eval + "--input x.csv --out y.csv"), 0);
  const auto back = asperity::csv_table::read(path("y.csv")).column("f");
  ASSERT_EQ(back.size(), close.size());
  for (std::size_t i = 0; i < close.size(); ++i) EXPECT_NEAR(back[i], close[i], 2e-4) << i;

  EXPECT_EQ(run(invert + "--wanted far.csv --out x.csv --force --tolerance 0.5"), 0);
  EXPECT_EQ(run(invert + "--wanted close.csv --out x.csv --force --tolerance 1e-12"), 1);
  EXPECT_EQ(run(invert + "--wanted close.csv --tolerance -1"), 2);
}

// One row that cannot be reached does not spoil the others, nor does it go unnoticed.
TEST_F(cli_hysteresis, InvertGoesOnAfterRowsThatCannotBeReached) {
  write("far.csv", "f\n0.5\n1.5\n3\n0.25\n-0.5\n");
  EXPECT_EQ(run("invert stop --wanted far.csv --out x.csv"), 1);
  for (const char* words :
       {"2 of 5 rows", "row 2 wants 1.5 and gets 1, where outputs from -1 to 1 can be reached",
        "row 3 wants 3 and gets 1"})
    EXPECT_NE(content("err").find(words), std::string::npos) << content("err");
  const auto f = asperity::csv_table::read(path("x.csv")).column("f");  // finite, or it throws
  EXPECT_NEAR(f[3], 0.25, 1e-12);
  EXPECT_NEAR(f[4], -0.5, 1e-12);
}

// A tooth is climbed to its tip, and `eval`, which integrates the equation, agrees.
TEST_F(cli_hysteresis, InvertClimbsTeeth) {
  write("wanted.csv", "t,f\n0,0\n1,1.499\n2,-1.45\n3,0.3\n");
  ASSERT_EQ(run("invert ffbm --wanted wanted.csv --out x.csv"), 0) << content("err");
  EXPECT_EQ(content("err"), "");
  ASSERT_EQ(run("eval ffbm --input x.csv --out y.csv"), 0);
  const auto f = asperity::csv_table::read(path("y.csv")).column("f");
  ASSERT_EQ(f.size(), 4U);
  for (const auto& [row, wanted] : {std::pair{0U, 0.0}, {1U, 1.499}, {2U, -1.45}, {3U, 0.3}})
    EXPECT_NEAR(f[row], wanted, 1.5e-6) << row;
}

// `eval` begins at the first row, in the initial state: where the first output needs a motion before
// it, the way back is another, and the advice leads to one that is not.
TEST_F(cli_hysteresis, InvertSaysWhereEvalWouldBeginElsewhere) {
  write("wanted.csv", "t,f\n1,0.3\n2,0.1\n");
  EXPECT_EQ(run("invert bouc_wen --wanted wanted.csv"), 0);
  EXPECT_NE(content("err").find("gives 0 there and other outputs behind it: begin with a row that "
                                "wants the output of the initial state"),
            std::string::npos)
      << content("err");
  write("advised.csv", "t,f\n0,0\n1,0.3\n2,0.1\n");
  EXPECT_EQ(run("invert bouc_wen --wanted advised.csv --out x.csv"), 0);
  EXPECT_EQ(content("err"), "");
  ASSERT_EQ(run("eval bouc_wen --input x.csv --out y.csv"), 0);
  const auto f = asperity::csv_table::read(path("y.csv")).column("f");
  EXPECT_NEAR(f.at(1), 0.3, 1e-7);
  EXPECT_NEAR(f.at(2), 0.1, 1e-7);
  // A play takes its first input from anywhere.
  EXPECT_EQ(run("invert prandtl_ishlinskii --wanted wanted.csv"), 0);
  EXPECT_EQ(content("err"), "");
}

TEST_F(cli_hysteresis, InvertWantsTimesThatRise) {
  write("wanted.csv", "t,f\n0,0\n1,0.1\n1,0.2\n");
  EXPECT_EQ(run("invert multiplay --wanted wanted.csv"), 2);
  EXPECT_NE(content("err").find("wanted.csv:4: column 't' = '1': it must be above 1"),
            std::string::npos)
      << content("err");
}

TEST_F(cli_hysteresis, InvertSaysWhenAnOutputCannotBeReached) {
  write("far.csv", "t,f\n0,0.5\n0.25,1.5\n");
  EXPECT_EQ(run("invert stop --wanted far.csv"), 1);
  EXPECT_NE(content("err").find("row 2 (t = 0.25 s) wants 1.5"), std::string::npos)
      << content("err");
}

TEST_F(cli_hysteresis, AFullMemoryEndsEvalAndRun) {
  std::string rows = "t,x\n";
  for (int i = 0; i <= 60; ++i) {
    const double x = 0.9 * (i % 2 == 0 ? 1 : -1) * std::pow(0.97, i);
    rows += std::to_string(i) + "," + std::to_string(x) + "\n";
  }
  write("x.csv", rows);
  EXPECT_EQ(run("eval preisach --input x.csv"), 1);
  EXPECT_NE(content("err").find("preisach remembers at most 39 nested reversals"),
            std::string::npos)
      << content("err");
  write("turns.toml",
        "system = { kind = 'prescribed_motion' }\nhysteresis = { model = 'preisach' }\n"
        "motion = { kind = 'csv', file = 'x.csv', column = 'x', of = 'position' }\n"
        "run = { duration = 60 }\n");
  EXPECT_EQ(run("run turns.toml --plot none"), 1);
  EXPECT_NE(content("err").find("preisach remembers at most 39 nested reversals"),
            std::string::npos)
      << content("err");
}

TEST_F(cli_hysteresis, EvalNeverPrintsWhatIsNotFinite) {
  write("unloaded.csv", "t,v,load\n0,1,1\n1,1,0\n2,1,1\n");
  EXPECT_EQ(run("eval gms --input unloaded.csv"), 1);
  EXPECT_EQ(content("out").find("inf"), std::string::npos) << content("out");
  EXPECT_EQ(content("out").find("nan"), std::string::npos) << content("out");
  for (const char* words : {"row 2", "gms needs a load above 0", "0 at t = 1 s"})
    EXPECT_NE(content("err").find(words), std::string::npos) << content("err");
}

}  // namespace
}  // namespace asperity::testing
