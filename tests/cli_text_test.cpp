// SPDX-License-Identifier: Apache-2.0
// Text that is not what one expects: names that are not UTF-8, keys without end, streams that are
// closed, other locales. No result is lost, and nothing crashes.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <asperity/text.hpp>
#include <nlohmann/json.hpp>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

using json = nlohmann::json;

const std::string small = R"(
[system]
kind = "pulled_mass"
mass = 1
stiffness = 2
speed = 0.1
[friction]
model = "stiction"
[run]
duration = 20
)";

class cli_text : public program_test {
 protected:
  void SetUp() override { write("s.toml", small); }

  // Neither a signal nor an exception that nobody expected.
  void is_told(const command& line, const std::vector<std::string>& words) const {
    const answer told = run(line);
    EXPECT_EQ(told, 2);
    EXPECT_EQ(told.err.rfind("asperity: error: ", 0), 0U) << told.err;
    EXPECT_EQ(told.err.find("unexpected"), std::string::npos) << told.err;
    EXPECT_LT(told.err.size(), 5000U);
    EXPECT_TRUE(is_utf8(told.err));
    for (const auto& each : words)
      EXPECT_NE(told.err.find(each), std::string::npos) << each << "\n" << told.err;
  }
};

// ---- no library speaks to the user --------------------------------------------------------------

// Files that are no files, or not what they should be, wherever one is read.
TEST_F(cli_text, WhateverAFileIsTheWordsAreOurs) {
  write("text", "hello");
  write("empty", "");
  write("deep.json", std::string(100'000, '['));
  write("list.json", "{\"claims\": [[[]]], \"cards\": []}");
  write("signature.h5", "\x89HDF\r\n\x1a\n" + std::string(300, 'x'));
  write("head.sqlite", "SQLite format 3" + std::string(1, '\0') + std::string(200, 'x'));
  fs::create_directory(folder / "folder");
  fs::create_symlink("nowhere", folder / "broken");
  for (const std::string file : {"text", "empty", "deep.json", "list.json", "signature.h5",
                                 "head.sqlite", "folder", "broken", "/proc/self/mem", "/dev/null"})
    for (const std::string line :
         {"run ", "eval dai --input ", "fit dai --data ", "loops --x x --y f ",
          "invert play --column f --wanted ", "reproduce xiong_2013/fig_3_4 --compare ",
          "conformance hold_for_an_hour --only-measured --measured ", "sweep --over a=1 ",
          "inclusion ", "fmu ", "check ", "slip-map ", "reproduce --experiments ",
          "conformance --cards ", "site --out s --source "}) {
      SCOPED_TRACE(line + file);
      const answer told = run(line + file);
      EXPECT_EQ(told, 2) << told.err;
      for (const char* raw : {"unexpected", "exception", "filesystem error", "basic_",
                              "std::", "HDF5-DIAG", "a bug in asperity"})
        EXPECT_EQ(told.err.find(raw), std::string::npos) << told.err;
    }
}

// A folder that was deleted while somebody stood in it, and names that cannot be folders.
TEST_F(cli_text, APlaceThatCannotBeWrittenToIsNamed) {
  for (const std::string line :
       {"run ../s.toml --plot none", "run ../s.toml --plot none --out r", "export lugre --lang c",
        "fmu ../s.toml", "hysteresis dahl --out h", "manual m", "new model q",
        "sweep ../s.toml --over speed=0.1,0.2 --measure stick_slip_period"}) {
    SCOPED_TRACE(line);
    fs::create_directory(folder / "gone");
    fs::copy_file(folder / "s.toml", folder / "kept.toml", fs::copy_options::overwrite_existing);
    std::string whole = line;
    if (const auto at = whole.find("../s.toml"); at != std::string::npos)
      whole.replace(at, 9, path("kept.toml"));
    EXPECT_EQ(
        finish(launch({"/bin/sh", "-c",
                       fmt::format("cd gone && rmdir ../gone && exec '{}' {}", program, whole)})),
        2);
    const std::string said = content("err");
    EXPECT_EQ(said.rfind("asperity: error: cannot ", 0), 0U) << said;
    EXPECT_EQ(said.find("filesystem error"), std::string::npos) << said;
  }
  write("file", "");
  for (const char* place : {"file/m", "/proc/m", "/dev/full"})
    is_told(fmt::format("manual {}", place), {"cannot create the folder", place});
}

// ---- names that are not UTF-8 -------------------------------------------------------------------

TEST_F(cli_text, ANameThatIsNotUtf8LosesNoResult) {
  fs::copy_file(examples + "/stick_slip.toml", folder / "caf\xe9.toml");
  ASSERT_EQ(run({"run", "caf\xe9.toml"}), 0);
  const fs::path results = folder / "caf\xe9.run";  // files keep their bytes
  for (const char* each : {"series.csv", "summary.json", "resolved.toml", "plot.svg"}) {
    ASSERT_TRUE(fs::exists(results / each)) << each;
    EXPECT_TRUE(is_utf8(content(results / each))) << each;
  }
  EXPECT_EQ(json::parse(content(results / "summary.json"))["name"], "caf%E9");

  // What it wrote it reads, with the same results.
  ASSERT_EQ(run({"run", (results / "resolved.toml").string(), "--out", "again"}), 0);
  for (const char* each : {"series.csv", "summary.json", "resolved.toml"})
    EXPECT_EQ(content(results / each), content(folder / "again" / each)) << each;
}

TEST_F(cli_text, ATitleThatIsNotUtf8LosesNoResult) {
  for (const char* format : {"csv", "h5"})
    for (const char* plot : {"svg", "png"}) {
      const answer told = run({"run", "s.toml", "--set", "title=caf\xe9 \x1b[2J", "--format",
                               format, "--plot", plot, "--force", "--out", "o"});
      ASSERT_TRUE(told == 0 || told.err.find("cannot write HDF5") != std::string::npos) << told.err;
      if (told.code != 0) continue;
      EXPECT_EQ(told.out.rfind("caf%E9 \\u001b[2J: completed", 0), 0U) << told.out;
      EXPECT_EQ(told.err, "");
      EXPECT_TRUE(is_utf8(content("o/resolved.toml")));
      EXPECT_EQ(json::parse(content("o/summary.json"))["title"], "caf%E9 \x1b[2J");
      if (std::string(plot) == "svg") {
        const std::string picture = content("o/plot.svg");
        EXPECT_NE(picture.find("caf%E9"), std::string::npos);
        EXPECT_EQ(picture.find('\x1b'), std::string::npos);  // XML allows none
        EXPECT_TRUE(is_utf8(picture));
      }
    }
}

TEST_F(cli_text, ASweepOfAFileThatIsNotUtf8IsExportedAndDrawn) {
  fs::copy_file(folder / "s.toml", folder / "\xff\xfe.toml");
  ASSERT_EQ(run({"sweep", "\xff\xfe.toml", "--set", "title=\xe9", "--over", "mass=1,2", "--measure",
                 "maximum(f)", "--out", "\xff.sqlite", "--export", "\xff.csv"}),
            0);
  EXPECT_TRUE(fs::exists(folder / "\xff.svg"));
  EXPECT_TRUE(is_utf8(content("\xff.csv")));
  EXPECT_TRUE(is_utf8(content("\xff.svg")));
}

TEST_F(cli_text, AFileThatIsNotUtf8IsToldWithItsLine) {
  write("latin.toml", "# first\ntitle = \"caf\xe9\"\n" + small);
  is_told("run latin.toml", {"latin.toml:2:13: ", "0xe9", "UTF-8"});
  std::string with_zero = small;
  with_zero.append("title = \"a\0b\"\n", 14);
  write("zero.toml", with_zero);
  is_told("run zero.toml", {"zero.toml:11:"});
  // Names in CSV files, too.
  write("motion.csv", "t,caf\xe9\n0,0\n1,1\n");
  is_told("eval dai --input motion.csv", {"motion.csv", "there is no column 'v' or 'x'"});
}

// ---- shapes of files ----------------------------------------------------------------------------

TEST_F(cli_text, ByteOrderMarksAndOtherLineEndsAreRead) {
  const auto with_returns = [](const std::string& text) {
    std::string result;
    for (const char c : text) result += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return result;
  };
  write("dos.toml", "\xef\xbb\xbf" + with_returns(small));
  ASSERT_EQ(run("run s.toml --out a --plot none"), 0);
  ASSERT_EQ(run("run dos.toml --out b --plot none"), 0);
  EXPECT_EQ(content("a/series.csv"), content("b/series.csv"));
  const std::string motion = "t,v\n0,0\n1,1e-4\n2,0\n";
  write("m.csv", motion);
  write("d.csv", "\xef\xbb\xbf" + with_returns(motion));
  ASSERT_EQ(run("eval dai --input m.csv --out m.out"), 0);
  ASSERT_EQ(run("eval dai --input d.csv --out d.out"), 0);
  EXPECT_EQ(content("m.out"), content("d.out"));
}

TEST_F(cli_text, NestingIsLimited) {
  const auto repeated = [](const std::string& text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) result += text;
    return result;
  };
  const int many = 15000;
  for (const std::string& text :
       {"a" + repeated(".a", many) + " = 1", "[a" + repeated(".a", many) + "]",
        "[[a" + repeated(" . \"a\"", many) + "]]", "a = " + repeated("[", many),
        "a = " + repeated("{ b = ", many), "a = " + repeated("{ b.c.d.e = ", 40),
        "a = [" + repeated("{ b = [", 100)}) {
    write("deep.toml", text + "\n");
    is_told("run deep.toml", {"deep.toml:1:", "nested more than 64 deep"});
  }
  is_told({"run", "s.toml", "--set", "a" + repeated(".a", many) + "=1"}, {"more than 64 deep"});
  is_told({"run", "s.toml", "--set", "force=" + repeated("[", many)}, {"force"});
  is_told({"run", "s.toml", "--set", "force=" + repeated("{a=", many)}, {"force"});
  // As deep as it may be, it is merely unknown.
  write("deep.toml", "a" + repeated(".a", 62) + " = 1\n" + small);
  is_told("run deep.toml", {"unknown key"});
}

TEST_F(cli_text, KeysAndValuesOfAMegabyteAreShortenedInMessages) {
  const std::string long_text(1000000, 'x');
  write("key.toml", small + long_text + " = 1\n");
  is_told("run key.toml", {"key.toml:11:1", "1000000 bytes", "at most 200"});
  write("table.toml", small + "[" + long_text + "]\n");
  is_told("run table.toml", {"1000000 bytes"});
  for (const char* key : {"system"}) {
    write("value.toml", fmt::format("{} = \"{}\"\n", key, long_text));
    is_told("run value.toml", {key});
  }
  for (const char* key :
       {"system.kind", "system.mass", "friction.model", "run.duration", "integrator.method"}) {
    const std::string table = std::string(key).substr(0, std::string(key).find('.'));
    write("value.toml", small);
    const std::string setting = fmt::format("{}={}", key, long_text.substr(0, 100000));
    is_told({"run", "s.toml", "--set", setting}, {table});
  }
  write("line.csv", "t,v\n0,0\n1," + long_text + "\n");
  is_told("eval dai --input line.csv", {"line.csv:3"});
  std::string names = "t";
  for (int i = 0; i < 100000; ++i) names += fmt::format(",c{}", i);
  write("wide.csv", names + "\n");
  is_told("eval dai --input wide.csv", {"100001 columns", "at most 10000"});
}

TEST_F(cli_text, NamesOfRunsAndCountsOfPanelsAreLimited) {
  is_told({"run", "s.toml", "--set", "name=" + std::string(201, 'n')},
          {"name", "at most 200 bytes", "at most 200"});
  EXPECT_EQ(run({"run", "s.toml", "--plot", "none", "--set", "name=" + std::string(200, 'n')}), 0);
  is_told({"run", "s.toml", "--set", "name=\"a\\nb\""}, {"control characters"});
  std::string panels = small;
  for (int i = 0; i < 1000; ++i) panels += "[[plot]]\ny = \"x\"\n";
  write("panels.toml", panels);
  is_told("run panels.toml", {"1000 panels", "at most 64"});
  std::string lines = small + "[[plot]]\ny = [\"x\"";
  for (int i = 0; i < 1000; ++i) lines += ", \"x\"";
  write("lines.toml", lines + "]\n");
  is_told("run lines.toml", {"1001 columns", "at most 64"});
  std::string values = small + "[force]\nkind = \"nodes\"\ninterval = 1\nvalues = [0";
  for (int i = 0; i < 2'000'001; ++i) values += ",0";
  write("values.toml", values + "]\n");
  is_told("run values.toml", {"more than 2000000 values", "csv"});
}

// ---- formulas and definitions -------------------------------------------------------------------

const std::string inclusion = R"toml(
[system]
kind = "inclusion"
[parameters]
M = "1 kg"
F = "0.5 N"
[states]
p = { unit = "m", rate = "v" }
v = { unit = "m/s", rate = "RATE", initial = 1 }
[run]
duration = 1
sample = 0.1
[integrator]
method = "trbdf2"
[definitions]
friction = "F*sgn(v)"
)toml";

std::string with_rate(const std::string& rate, const std::string& definitions = "") {
  std::string text = inclusion + definitions;
  return text.replace(text.find("RATE"), 4, rate);
}

TEST_F(cli_text, DeepAndLongFormulasAreRefusedWithAPlace) {
  std::string brackets = std::string(5000, '(') + "v" + std::string(5000, ')');
  write("f.toml", with_rate("-friction/M + 0*" + brackets));
  is_told("run f.toml", {"f.toml:9:", "nested more than 200 deep"});
  std::string sum = "-friction/M";
  for (int i = 0; i < 5000; ++i) sum += "+v";
  write("f.toml", with_rate(sum));
  is_told("run f.toml", {"f.toml:9:", "more than 1000 nested operations"});
  for (int i = 0; i < 100000; ++i) sum += "+v";
  write("f.toml", with_rate(sum));
  is_told("run f.toml", {"f.toml:9:", "at most 20000"});
  write("f.toml", with_rate("-friction/M + " + std::string(3000, '-') + "v"));
  is_told("run f.toml", {"f.toml:9:", "nested more than 200 deep"});
}

TEST_F(cli_text, TenThousandDefinitionsInAChainOrSideBySideRun) {
  // A chain in order, one against the order, and all of them in one sum of sums.
  std::string up, down, flat;
  const int n = 10000;
  for (int i = 1; i <= n; ++i) {
    up += fmt::format("d{} = \"{}\"\n", i, i == 1 ? "0*v" : fmt::format("d{} + 0*p", i - 1));
    down += fmt::format("d{} = \"{}\"\n", i, i == n ? "0*v" : fmt::format("d{} + 0*p", i + 1));
    flat += fmt::format("d{} = \"{}*v\"\n", i, i);
  }
  for (const auto& [text, rate] :
       std::vector<std::pair<std::string, std::string>>{{up, fmt::format("(d{} - friction)/M", n)},
                                                        {down, "(d1 - friction)/M"},
                                                        {flat, "-friction/M"},
                                                        {"", "-friction/M"}}) {
    write("d.toml", with_rate(rate, text));
    ASSERT_EQ(run("run d.toml --plot none --force --out d"), 0);
    // Deceleration F/M from 1 m/s: p = t - t^2/4.
    const auto summary = json::parse(content("d/summary.json"));
    EXPECT_NEAR(summary["scalars"]["p_last"]["value"].get<double>(), 0.75, 1e-5);
  }
  // Definitions that use a friction force, far down, and twice each.
  std::string twice;
  for (int i = 1; i <= 3000; ++i)
    twice += fmt::format("d{} = \"{}\"\n", i,
                         i == 1 ? "friction" : fmt::format("(d{0} + d{0})/2", i - 1));
  write("d.toml", with_rate("-d3000/M", twice));
  ASSERT_EQ(run("run d.toml --plot none --force --out d"), 0);
  for (const char* emit : {"c", "cpp", "modelica", "octave", "latex"}) {
    const answer told = run(fmt::format("inclusion d.toml --emit {} --force --out code", emit));
    EXPECT_TRUE(told == 0) << emit << told.err;
  }
  EXPECT_EQ(run("inclusion d.toml --show"), 0);
  std::string circle;
  for (int i = 1; i <= n; ++i) circle += fmt::format("d{} = \"d{}\"\n", i, i % n + 1);
  write("d.toml", with_rate("-friction/M", circle));
  is_told("run d.toml", {"d.toml:", "it refers to itself: d1 -> d2"});
}

// Half a second is usual; the bound leaves room for a machine that does other things. All of it grows
// with the number of definitions, nothing with its square.
TEST_F(cli_text, TenThousandDefinitionsTakeLittleProcessorTime) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer takes time of its own";
#endif
  std::string chain, energies;
  for (int i = 1; i <= 10000; ++i) {
    chain += fmt::format("d{} = \"{}\"\n", i, i == 1 ? "M*v*v" : fmt::format("d{} + M*v*v", i - 1));
    energies += fmt::format("e{0} = \"d{0}\"\n", i);
  }
  for (const auto& text : {chain, chain + "[energy]\n" + energies}) {
    write("d.toml", with_rate("-friction/M", text));
    rusage usage{};
    int status = 0;
    wait4(start("run d.toml --plot none --force --out d"), &status, 0, &usage);
    ASSERT_EQ(status, 0) << content("err");
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    EXPECT_LT(seconds(usage.ru_utime) + seconds(usage.ru_stime), 2.0);
  }
}

// ---- arguments ----------------------------------------------------------------------------------

TEST_F(cli_text, OddArgumentsAreNamedWithWhatIsAllowed) {
  write("in.csv", "t,x\n0,0\n1,1\n");
  for (const command& line : std::vector<command>{{"run", "s.toml", "--out", ""},
                                                  {"eval", "dai", "--input", "in.csv", "--out", ""},
                                                  {"reproduce", "--out", ""}})
    is_told(line, {"--out is empty", "name the file or folder"});
  EXPECT_FALSE(fs::exists(folder / "s.run"));
  is_told({""}, {"''"});
  is_told("hysteresis bouc_wen --samples abc", {"--samples = abc", "a whole number"});
  is_told("equilibria lugre --stiffness 1 --from 0 --to 1 --points 99999999999999999999",
          {"--points = 99999999999999999999", "a whole number"});
  for (const char* value : {"x", "-1", "nan"})
    is_told(fmt::format("limit-surface --set shape=disc --set radius=1 --a={}", value),
            {"--a", value, "above 0"});
  is_told("limit-surface --set shape=disc --set radius=1 --tolerance=nan", {"--tolerance", "nan"});
  is_told("loops in.csv --x t --y x", {"in.csv", "2 rows", "at least 3"});
  write("wide.csv", "t,x\n-1e308,1e308\n1e308,-1e308\n-1e308,1e308\n1e308,-1e308\n");
  is_told("loops wide.csv --x t --y x", {"wide.csv", "overflow", "1e+308"});
  // A key of the patch by its whole name, as in a scenario.
  EXPECT_EQ(run("limit-surface --set patch.shape=disc --set patch.radius=1 --up 5 --around 8"), 0);
}

// ---- numbers ------------------------------------------------------------------------------------

TEST_F(cli_text, NumbersBelowTheNormalRangeAreReadAgain) {
  for (const char* value :
       {"4.9406564584124654e-324", "2.2e-308", "1e-310", "1.7976931348623157e308"})
    for (const char* key : {"force", "initial.x"}) {
      ASSERT_EQ(run({"run", "s.toml", "--plot", "none", "--force", "--out", "a", "--set",
                     fmt::format(
                         "{}={}", key,
                         std::string(value).find("e308") == std::string::npos ? value : "1e-320")}),
                0);
      ASSERT_EQ(run("run a/resolved.toml --plot none --force --out b"), 0);
      EXPECT_EQ(content("a/series.csv"), content("b/series.csv"));
      EXPECT_EQ(content("a/resolved.toml"), content("b/resolved.toml"));
    }
}

TEST_F(cli_text, EquilibriaAreNumbersOrAMessage) {
  refuses("equilibria coulomb --stiffness 1e-300 --from -1e10 --to 1e10",
          {"overflow", "1e-300 N/m"});
  refuses("equilibria coulomb --stiffness 1 --from -1e308 --to 1e308", {"overflow"});
  const answer told = run("equilibria coulomb --stiffness 1e-300 --from 0 --to 1e5 --set F_c=1e20");
  EXPECT_EQ(told, 1);
  EXPECT_EQ(told.out.find("inf"), std::string::npos) << told.out;
  EXPECT_NE(told.err.find("overflow"), std::string::npos) << told.err;
  // What is right stays right: |u - k x| <= F_c.
  const answer right = run("equilibria coulomb --stiffness 2 --from 1 --to 1 --points 1 --json");
  const auto interval = json::parse(right.out)["intervals"][0];
  EXPECT_DOUBLE_EQ(interval["x_low"].get<double>(), 0.0);
  EXPECT_DOUBLE_EQ(interval["x_high"].get<double>(), 1.0);
}

// A locale with a decimal comma, made here where the system can make one.
TEST_F(cli_text, OtherLocalesChangeNoNumber) {
  const pid_t maker = launch({"localedef", "-i", "de_DE", "-f", "UTF-8", path("de_DE.UTF-8")});
  const int made = finish(maker);
  if (made != 0 && made != 1)  // 1: made, with warnings
    GTEST_SKIP() << "there is no localedef, or no source of the locale de_DE";
  surroundings german;
  german.environment = {{"LOCPATH", folder.string()}, {"LC_ALL", "de_DE.UTF-8"}};
  // The locale is there, and has its comma.
  const pid_t shell = launch({"/bin/bash", "-c", "printf '%.1f' '1,5'"}, german);
  if (finish(shell) != 0 || content("out") != "1,5")
    GTEST_SKIP() << "the locale de_DE was not made: " << content("out");

  const std::vector<std::vector<std::string>> commands{
      {"run", "s.toml", "--force", "--out", "o", "--set", "system.mass=1.5 kg"},
      {"sweep", "s.toml", "--over", "mass=lin(0.5, 1.5, 3)", "--measure", "maximum(f)", "--force",
       "--out", "w.sqlite", "--export", "w.csv"},
      {"equilibria", "coulomb", "--stiffness", "1.5", "--from", "-0.5", "--to", "0.5", "--json"},
      {"inclusion", examples + "/inclusions/two_bodies.toml", "--emit", "c"},
      {"show", "lugre", "--json"}};
  const std::vector<std::string> files{"o/series.csv", "o/summary.json", "o/resolved.toml",
                                       "o/plot.svg",   "w.csv",          "w.svg"};
  const auto all = [&](const surroundings& around) {
    fs::remove(folder / "w.sqlite");
    std::vector<std::string> result;
    for (const auto& each : commands) {
      const answer told = run(each, around);
      EXPECT_EQ(told, 0);
      result.push_back(told.out);
    }
    for (const auto& each : files) result.push_back(content(each));
    return result;
  };
  EXPECT_EQ(all(surroundings{}), all(german));
}

// ---- streams that are closed --------------------------------------------------------------------

TEST_F(cli_text, ClosedStreamsAbortNothing) {
  for (const char* closed : {"2>&-", "1>&- 2>&-", "0<&- 1>&- 2>&-"}) {
    EXPECT_EQ(run(std::string("run nope.toml ") + closed), 2) << closed;
    EXPECT_EQ(run(std::string("nonsense ") + closed), 2) << closed;
  }
  EXPECT_EQ(run("run s.toml --plot none --force --out o 0<&- 2>&-"), 0);
  // Without standard output what should be printed is lost, and that is an error; files are not.
  for (const char* line : {"show lugre", "models --json", ""}) {
    const answer told = run(std::string(line) + " 1>&-");
    EXPECT_EQ(told, 2);
    EXPECT_NE(told.err.find("cannot write to standard output"), std::string::npos) << told.err;
  }
  fs::remove_all(folder / "o");
  const answer told = run("run s.toml --force --out o 0<&- 1>&-");
  EXPECT_EQ(told, 2);
  EXPECT_TRUE(fs::exists(folder / "o/plot.svg"));
  EXPECT_EQ(run("run s.toml --force --out o --quiet 0<&- 1>&- 2>&-"), 0);
}

TEST_F(cli_text, NoFileTakesThePlaceOfAClosedStream) {
  write("motion.csv", "t,v\n0,0\n1,1e-4\n");
  ASSERT_EQ(run("eval dai --input motion.csv --out whole.csv"), 0);
  ASSERT_EQ(run("eval dai --input motion.csv --out closed.csv 0<&- 1>&- 2>&-"), 0);
  EXPECT_EQ(content("whole.csv"), content("closed.csv"));
  // A sweep keeps a file open while it complains.
  ASSERT_EQ(run("sweep s.toml --over mass=1,2 --measure 'maximum(f)' --out a.sqlite --plot none"),
            0);
  const std::string before = content("a.sqlite");
  EXPECT_EQ(run("sweep s.toml --over mass=1,3 --measure 'maximum(f)' --out a.sqlite 1>&- 2>&-"), 2);
  EXPECT_EQ(content("a.sqlite"), before);
}

TEST_F(cli_text, ATerminalIsShownNoControlCharacters) {
  write("t.toml", "title = \"\\u001b]0;owned\\u0007\"\n" + small);
  const answer told = run("run t.toml --plot none");
  EXPECT_EQ(told, 0);
  EXPECT_EQ(told.out.rfind("\\u001b]0;owned\\u0007: completed", 0), 0U) << told.out;
  write("t.toml", "\"\\u001b[31m\" = 1\n" + small);
  const answer refused = run("run t.toml");
  EXPECT_EQ(refused.err.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace asperity::testing
