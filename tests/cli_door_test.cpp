// SPDX-License-Identifier: Apache-2.0
// What somebody meets who has just installed the tool: examples by name, help, answers to misspelt words,
// completion and manual pages.

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

using nlohmann::json;

class cli_door : public program_test {
 protected:
  static bool is_there(const std::string& command) {
    return std::system(("command -v " + command + " >/dev/null 2>&1").c_str()) == 0;
  }
  std::vector<std::string> commands() const {
    std::vector<std::string> names;
    std::istringstream lines(run("--help").out);
    bool listing = false;
    static const std::regex name("^  ([a-z][-a-z]*)  +[A-Z].*");
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("Subcommands")) listing = true;
      if (line.starts_with("Examples")) listing = false;
      std::smatch parts;
      if (listing && std::regex_match(line, parts, name)) names.push_back(parts[1]);
    }
    return names;
  }
};

// ---- examples -----------------------------------------------------------------------------------

TEST_F(cli_door, RunsAnExampleByItsNameFromAnyFolder) {
  const answer first = run("run stick_slip --plot none");
  ASSERT_EQ(first, 0);
  EXPECT_NE(first.out.find("; events: reversal "), std::string::npos) << first.out;
  EXPECT_TRUE(fs::exists(folder / "stick_slip.run/series.csv"));
  ASSERT_EQ(run("run examples/stick_slip.toml --plot none --out same"), 0);
  EXPECT_EQ(content("same/series.csv"), content("stick_slip.run/series.csv"));
  for (const char* name : {"two_bodies", "inclusions/two_bodies"})
    EXPECT_NE(run({"inclusion", name, "--show"}).out.find("Two bodies"), std::string::npos) << name;
  EXPECT_EQ(run("slip-map pushed_box --quiet"), 0);
  EXPECT_EQ(run("sweep stick_slip_onset --over speed=0.1,0.2 --measure 'maximum(v)' --plot none"),
            0);
}

// A file of one's own is what is run, and an example never stands in for one that is missing.
TEST_F(cli_door, FilesComeBeforeExamples) {
  write("stick_slip", "title = 1\n");
  refuses("run stick_slip", {"stick_slip:1"});
  refuses("run stick_slip.toml", {"no such file", "'stick_slip'"});
  refuses("run runs/stick_slip.toml", {"no such file"});
  refuses("run stick_slp", {"no such file", "did you mean 'stick_slip'?"});
  refuses("run nothing_like_that", {"no such file", "asperity examples"});
  // A folder is not a file: `asperity new scenario creep` makes one of that name.
  fs::create_directories(folder / "creep");
  EXPECT_EQ(run("run creep --plot none --set run.duration=0.1"), 0);
  fs::create_directories(folder / "creep.toml");
  refuses("run creep.toml", {"folder"});
  ASSERT_EQ(run("new scenario mine"), 0);
  for (const char* name : {"mine", "mine/", "./mine"})
    refuses({"run", name}, {"it is a folder; the scenario in it is '", "mine/mine.toml'"});
}

TEST_F(cli_door, ListsPrintsAndCopiesExamples) {
  const std::string text = run("examples").out;
  ASSERT_EQ(run("examples --json"), 0);
  const json list = json::parse(content("out"));
  std::size_t scenarios = 0;
  for (const auto& each : list) {
    const std::string name = each["example"], what = each["what"];
    EXPECT_GT(what.size(), 8U) << name;
    EXPECT_NE(text.find("\n" + name + " "), std::string::npos) << name;
    EXPECT_NE(text.find(what), std::string::npos) << name;
    EXPECT_EQ(run({"examples", name}).out, content(each["file"].get<std::string>())) << name;
    scenarios += each["is_scenario"].get<bool>() ? 1 : 0;
  }
  EXPECT_GE(scenarios, 16U);
  EXPECT_GE(list.size(), scenarios + 14U);
  EXPECT_EQ(run("examples creep --copy").out, "creep.toml\n");
  EXPECT_EQ(content("creep.toml"), content(examples + "/creep.toml"));
  write("creep.toml", "mine\n");
  refuses("examples creep --copy", {"creep.toml", "not replaced"});
  EXPECT_EQ(content("creep.toml"), "mine\n");
  refuses("examples crepe", {"did you mean 'creep'?"});
  refuses("examples --copy", {"NAME"});
}

// As installed: bin/asperity, share/asperity/examples.
TEST_F(cli_door, FindsInstalledExamplesBesideTheProgram) {
  fs::create_directories(folder / "prefix/bin");
  fs::create_directories(folder / "prefix/share/asperity/examples");
  fs::copy_file(program, folder / "prefix/bin/asperity");
  write("prefix/share/asperity/examples/mine.toml", "title = \"An example of this prefix\"\n");
  ASSERT_EQ(finish(launch({path("prefix/bin/asperity"), "examples"})), 0);
  EXPECT_NE(content("out").find("An example of this prefix"), std::string::npos);
  EXPECT_EQ(content("out").find("stick_slip.toml"), std::string::npos);
  ASSERT_EQ(run("examples",
                {.environment = {{"ASPERITY_EXAMPLES", path("prefix/share/asperity/examples")}}}),
            0);
  EXPECT_NE(content("out").find("An example of this prefix"), std::string::npos);
}

// ---- earlier results ----------------------------------------------------------------------------

TEST_F(cli_door, EarlierResultsAreNotReplacedSilently) {
  const std::string line = "run creep --plot none --set run.duration=0.1 --set system.mass=";
  EXPECT_EQ(run(line + "1"), 0);
  const std::string first = content("creep.run/series.csv");
  const answer second = run(line + "2"), third = run(line + "3");
  EXPECT_NE(second.out.find("\ncreep.run.2\n"), std::string::npos) << second.out;
  EXPECT_NE(third.out.find("\ncreep.run.3\n"), std::string::npos) << third.out;
  EXPECT_EQ(content("creep.run/series.csv"), first);
  EXPECT_NE(content("creep.run.2/series.csv"), content("creep.run.3/series.csv"));
  EXPECT_EQ(run(line + "3 --force"), 0);
  EXPECT_EQ(content("creep.run/series.csv"), content("creep.run.3/series.csv"));
  EXPECT_FALSE(fs::exists(folder / "creep.run.4"));
  // Nor where they were named.
  refuses(line + "1 --out creep.run.2", {"'creep.run.2' exists", "--force"});
  EXPECT_NE(content("creep.run.2/series.csv"), first);
  EXPECT_EQ(run(line + "1 --out creep.run.2 --force"), 0);
  EXPECT_EQ(content("creep.run.2/series.csv"), first);
  for (const char* made : {"pushed_box.slip", "pushed_box.slip.2"}) {
    EXPECT_EQ(run("slip-map pushed_box --quiet --count 1"), 0);
    EXPECT_TRUE(fs::exists(folder / made)) << made;
  }
}

TEST_F(cli_door, FilesThatAreNamedAreNotReplacedSilently) {
  ASSERT_EQ(run("run creep --plot none --set run.duration=0.1 --out here"), 0);
  const std::string mine = "mine\n";
  const std::string eval = "eval dai --input here/series.csv ";
  for (const std::string& line :
       {eval + "--out mine.svg", eval + "--plot mine.svg",
        std::string("export dai --lang c --out mine.svg"),
        std::string("inclusion two_bodies --emit c --out mine.svg"),
        std::string("equilibria dahl --stiffness 1 --from -1 --to 1 --out mine.svg"),
        std::string("reproduce xiong_2013/fig_3_4 --json mine.svg")}) {
    write("mine.svg", mine);
    refuses(line, {"'mine.svg' exists", "--force"});
    EXPECT_EQ(content("mine.svg"), mine) << line;
  }
  EXPECT_EQ(run(eval + "--out mine.svg --force"), 0);
  EXPECT_NE(content("mine.svg"), mine);
  // What holds nothing is no result, and devices take what comes.
  write("mine.svg", "");
  EXPECT_EQ(run(eval + "--out mine.svg"), 0);
  EXPECT_EQ(run(eval + "--out /dev/null"), 0);
  // A file that the tool names by itself.
  EXPECT_EQ(run("export dai --lang c"), 0);
  const std::string exported = content("dai.h");
  EXPECT_EQ(run("export dai --lang c --set F=2"), 0);
  EXPECT_EQ(content("dai.h"), exported);
  ASSERT_TRUE(fs::exists(folder / "dai.2.h"));
  EXPECT_NE(content("dai.2.h"), exported);
}

TEST_F(cli_door, AFlagTakesNoValue) {
  for (const char* line : {"restitution hertz --force=-9.81", "run creep --quiet=2",
                           "eval dai --input x.csv --json=out.json", "models --json=1"}) {
    const answer told = run(line);
    EXPECT_EQ(told, 2) << line;
    EXPECT_NE(told.err.find("flag"), std::string::npos) << told.text();
  }
}

// ---- standard input and output --------------------------------------------------------------------

TEST_F(cli_door, ADashIsStandardInputAndOutput) {
  const std::string short_run = " --plot none --set run.duration=0.1";
  const std::string creep = "'" + examples + "/creep.toml'";
  ASSERT_EQ(run("run creep --force --out named" + short_run), 0);
  ASSERT_EQ(run("run - --force --out piped" + short_run + " <" + creep), 0);
  EXPECT_EQ(content("piped/series.csv"), content("named/series.csv"));
  ASSERT_EQ(run("run -" + short_run + " <" + creep), 0);
  EXPECT_EQ(content("stdin.run/series.csv"), content("named/series.csv"));

  const answer from_file = run("eval dai --input named/series.csv");
  ASSERT_EQ(from_file, 0);
  EXPECT_EQ(run("eval dai --input - <named/series.csv").out, from_file.out);
  EXPECT_EQ(run("eval dai --input named/series.csv --out -").out, from_file.out);
  EXPECT_FALSE(fs::exists(folder / "-"));
  // But for the name, which stands in front of a colon.
  const auto after_name = [](const answer& told) { return told.out.substr(told.out.find(": ")); };
  EXPECT_EQ(after_name(run("loops - --x x --y v <named/series.csv")),
            after_name(run("loops named/series.csv --x x --y v")));
  EXPECT_EQ(run("loops - --x x --y v <named/series.csv").out.rfind("stdin: ", 0), 0U);
  EXPECT_NE(run("equilibria dahl --stiffness 1 --from -1 --to 1 --out -").out.find("u,x_low"),
            std::string::npos);
  // A message names where it comes from, and a result that is a folder needs one.
  refuses("run - <named/series.csv", {"stdin:1:"});
  refuses("run creep --out -" + short_run, {"--out -", "folder"});
  refuses("sweep creep --over system.mass=1,2 --measure 'last(x)' --out -", {"--out -", "SQLite"});
  EXPECT_FALSE(fs::exists(folder / "-"));
  refuses("fit dai --data - --data - <named/series.csv", {"once"});
  refuses("run - </dev/null", {"stdin"});
}

TEST_F(cli_door, EveryCommandCanBeQuiet) {
  const answer all = run("--help");
  for (const std::string& each : commands()) {
    const std::string help = run(each + " --help").out;
    EXPECT_NE(help.find("--quiet"), std::string::npos) << each;
    // A script is for a shell.
    EXPECT_EQ(help.find("--json") == std::string::npos, each == "completion") << each;
  }
  ASSERT_EQ(run("run creep --out here --plot none --set run.duration=0.1 --quiet"), 0);
  const answer told = run("eval dai --input here/series.csv --out f.csv --quiet");
  EXPECT_EQ(told, 0);
  EXPECT_EQ(told.text(), "");
  EXPECT_TRUE(fs::exists(folder / "f.csv"));
}

// A command of each kind that writes files, and of each that prints.
struct tried_command {
  const char *line, *written;  // the file or folder that it makes; none: it prints
};
constexpr tried_command tried_commands[] = {
    {"check lugre --law OddSymmetry", ""},
    {"conformance touchdown --model hertz", ""},
    {"conformance touchdown --model hertz --out written", "written/index.html"},
    {"design contact --mass 1 --restitution 0.7@2m/s --time 2ms", ""},
    {"equilibria coulomb --stiffness 1 --from -3 --to 3", ""},
    {"equilibria coulomb --stiffness 1 --from -3 --to 3 --out written", "written"},
    {"eval dai --input motion.csv", ""},
    {"examples", ""},
    {"examples stick_slip", ""},
    {"examples creep --copy", "creep.toml"},
    {"experiments", ""},
    {"export lugre --lang c", "lugre.h"},
    {"fmu creep --no-sources", "creep.fmu"},
    {"help", ""},
    {"help run", ""},
    {"hysteresis play --map-only", ""},
    {"hysteresis play --map-only --out written", "written/summary.json"},
    {"inclusion two_bodies", ""},
    {"invert play --wanted motion.csv --column v", ""},
    {"limit-surface --set shape=disc --set radius=1", ""},
    {"loops motion.csv --x v --y v", ""},
    {"measures", ""},
    {"methods", ""},
    {"models", ""},
    {"models --properties dai", ""},
    {"mutants drincic_2012/fig_4_4", ""},
    {"new inclusion mine", "mine/mine.toml"},
    {"new model mine", "mine/mine.hpp"},
    {"new scenario mine", "mine/mine.toml"},
    {"new system mine", "mine/mine.cpp"},
    {"reproduce drincic_2012/fig_4_4", ""},
    {"reproduce drincic_2012/fig_4_4 --out written", "written/index.html"},
    {"restitution hertz", ""},
    {"run creep --plot none --set run.duration=0.1", "creep.run/series.csv"},
    {"show lugre", ""},
    {"show pulled_mass", ""},
    {"signals", ""},
    {"site --no-plots --out written", "written/index.html"},
    {"slip-map pushed_box --count 1", "pushed_box.slip/cells.csv"},
    {"sweep stick_slip_onset --over speed=0.1,0.2 --measure maximum(v) --plot none",
     "stick_slip_onset.sweep.sqlite"},
    {"systems", ""},
};

TEST_F(cli_door, JsonIsAllThatIsPrintedWhereItIsWanted) {
  std::set<std::string> missing;
  for (const std::string& each : commands()) missing.insert(each);
  for (const auto& [line, written] : tried_commands) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    write("motion.csv", "t,v\n0,0\n0.5,0.01\n1,-0.01\n1.5,0.02\n");
    std::vector<std::string> words;
    std::istringstream parts(line);
    for (std::string word; parts >> word;) words.push_back(word);
    missing.erase(words.front());
    words.emplace_back("--json");
    const answer told = run(words);
    EXPECT_EQ(told, 0) << line;
    EXPECT_TRUE(json::accept(told.out)) << line << "\n" << told.out.substr(0, 200);
    if (*written != '\0') {
      EXPECT_TRUE(fs::exists(folder / written)) << line;
      fs::remove_all(folder);
      fs::create_directories(folder);
      words.back() = "--quiet";
      const answer quiet = run(words);
      EXPECT_EQ(quiet, 0) << line;
      EXPECT_EQ(quiet.text(), "") << line;
      EXPECT_TRUE(fs::exists(folder / written)) << line;
    }
  }
  // `fit` has tests of its own; a script is for a shell.
  EXPECT_EQ(missing, (std::set<std::string>{"completion", "fit"}));
  // What goes to standard output cannot be two things.
  refuses("export lugre --lang c --out - --json", {"--json", "standard output"});
  write("motion.csv", "t,v\n0,0\n0.5,0.01\n1,-0.01\n");
  const answer both = run("invert play --wanted motion.csv --column v --json --out x.json --quiet");
  EXPECT_EQ(both, 0);
  EXPECT_EQ(both.text(), "");
  EXPECT_TRUE(json::accept(content("x.json")));
}

TEST_F(cli_door, CommandsToTypeNextCanBePasted) {
  fs::create_directories(folder / "bin");
  fs::create_symlink(program, folder / "bin/asperity");
  for (const char* line : {"new scenario mine --out \"my folder's\"", "new inclusion mine"}) {
    const answer told = run(line);
    ASSERT_EQ(told, 0);
    const auto next = told.err.find("next:\n  asperity run ");
    ASSERT_NE(next, std::string::npos) << told.err;
    write("one.sh", "set -eu\nPATH=$PWD/bin:$PATH\n" + told.err.substr(next + 6));
    EXPECT_EQ(finish(launch({"bash", "one.sh"})), 0) << told.err << content("err");
  }
  const answer model = run({"new", "model", "mine", "--out", "my folder"});
  EXPECT_NE(model.err.find(
                "cmake -S 'my folder' -B 'my folder/build' && cmake --build 'my folder/build'\n"),
            std::string::npos)
      << model.err;
}

TEST_F(cli_door, ReadsStandardInputWhereAFileIsRead) {
  const auto piped = [&](const std::string& first, const std::string& second) {
    return finish(
        launch({"bash", "-c", "'" + program + "' " + first + " | '" + program + "' " + second}));
  };
  write(
      "other.json",
      R"([{"simulator": "An engine", "settings": "1 ms", "cards": {"hold_for_an_hour": {"drift": 0.1}}}])");
  EXPECT_EQ(piped("examples hysteresis_loop", "run - --plot none"), 0) << content("err");
  EXPECT_EQ(piped("examples two_bodies", "inclusion - --emit c --out -"), 0) << content("err");
  EXPECT_EQ(piped("examples hysteresis_loop", "fmu - --no-sources"), 0) << content("err");
  EXPECT_EQ(piped("examples creep",
                  "hysteresis - --output f --map-only --loops 2 --samples 40 --omega 1"),
            1);
  EXPECT_NE(content("out").find("did not converge"), std::string::npos) << content("err");
  EXPECT_EQ(
      piped("reproduce drincic_2012/fig_4_4 --json", "reproduce drincic_2012/fig_4_4 --compare -"),
      0)
      << content("err");
  EXPECT_EQ(run("conformance hold_for_an_hour --only-measured --measured - <other.json"), 0);
  EXPECT_NE(content("out").find("An engine"), std::string::npos) << content("out");
}

// ---- terminals ----------------------------------------------------------------------------------

// As a terminal sees it; `script` of every Debian has one.
class cli_terminal : public cli_door {
 protected:
  std::string seen(const std::string& line, const std::string& before = "") const {
    static_cast<void>(
        finish(launch({"script", "-qec", before + "'" + program + "' " + line, "/dev/null"},
                      {.environment = {{"TERM", "xterm"}}})));
    return content("out");
  }
  void SetUp() override {
    cli_door::SetUp();
    if (!is_there("script")) GTEST_SKIP() << "script is not installed";
  }
};

TEST_F(cli_terminal, HasColoursUnlessTheyAreNotWanted) {
  const std::string wrong = "show lugr", red = "asperity: \033[1;31merror:\033[0m ";
  EXPECT_EQ(seen(wrong).rfind(red, 0), 0U) << seen(wrong);
  for (const char* none : {"NO_COLOR=1 ", "TERM=dumb ", "unset TERM; "})
    EXPECT_EQ(seen(wrong, none).rfind("asperity: error: ", 0), 0U) << none << seen(wrong, none);
  EXPECT_EQ(seen(wrong, "NO_COLOR= ").rfind(red, 0), 0U) << "empty: not set";
  EXPECT_NE(seen("reproduce drincic_2012/fig_4_4").find("\033[1;32mmet\033[0m"), std::string::npos);
  // Elsewhere than on a terminal there are none.
  EXPECT_EQ(run("reproduce drincic_2012/fig_4_4").text().find('\033'), std::string::npos);
  EXPECT_EQ(run(wrong).text().find('\033'), std::string::npos);
}

TEST_F(cli_terminal, HelpStaysWithinItsWidth) {
  for (const std::string& command : commands())
    for (const std::size_t width : {45U, 80U}) {
      std::istringstream lines(seen("help " + command, fmt::format("stty cols {}; ", width)));
      std::string all;
      for (std::string line; std::getline(lines, line) && !line.starts_with("Examples:");) {
        if (line.ends_with('\r')) line.pop_back();
        const bool is_entry = line.starts_with("  -") || line.starts_with("      ");
        const bool is_word = line.find(' ', line.find_first_not_of(' ')) == std::string::npos;
        EXPECT_TRUE(!is_entry || is_word || line.size() <= width ||
                    line.find("  ", 2) == std::string::npos)
            << command << "\n"
            << line;
        all += line + ' ';
      }
      // No word is lost.
      const std::string whole = run("help " + command).out;
      std::istringstream words(whole.substr(0, whole.find("\nExamples:")));
      std::set<std::string> known;
      std::istringstream shown(all);
      for (std::string word; shown >> word;) known.insert(word);
      for (std::string word; words >> word;)
        EXPECT_TRUE(known.contains(word)) << command << ": " << word;
    }
}

TEST_F(cli_door, JsonOfARunIsItsSummary) {
  const answer told = run("run creep --out here --plot none --set run.duration=0.1 --json");
  ASSERT_EQ(told, 0);
  const auto printed = nlohmann::json::parse(told.out);
  EXPECT_EQ(printed["folder"], "here");
  auto written = nlohmann::json::parse(content("here/summary.json"));
  for (const auto& [key, value] : written.items()) EXPECT_EQ(printed[key], value) << key;
}

// ---- defaults ---------------------------------------------------------------------------------------

TEST_F(cli_door, DefaultsThatAreTakenAreSaid) {
  write("brake.toml",
        "[system]\nkind = \"mass_under_force\"\nmass = 1\n[force]\nkind = \"constant\"\n"
        "value = 0.5\n[friction]\nmodel = \"dai\"\nF = 2\n[run]\nduration = 0.1\n");
  const answer told = run("run brake.toml --plot none");
  ASSERT_EQ(told, 0);
  EXPECT_NE(told.out.find("parameters of dai are defaults (K = "), std::string::npos) << told.out;
  EXPECT_EQ(told.out.find("F = "), std::string::npos) << told.out;
  const answer one_less = run("run brake.toml --plot none --set friction.K=1e5");
  EXPECT_EQ(one_less.out.find("K = "), std::string::npos) << one_less.out;
  const answer all =
      run("run brake.toml --plot none --set friction.K=1e5 --set friction.beta=1e-3");
  EXPECT_EQ(all.out.find("default"), std::string::npos) << all.out;
  // A plain number has no unit.
  const answer plain = run("run brake.toml --plot none --set 'friction={model=\"lugre\"}'");
  EXPECT_NE(plain.out.find("delta = 2,"), std::string::npos) << plain.out;
}

// ---- misspelt words -----------------------------------------------------------------------------

TEST_F(cli_door, AnswersMisspeltCommandsAndOptions) {
  refuses("modles", {"'modles'", "did you mean 'models'?"});
  refuses("Models", {"did you mean 'models'?"});
  refuses("limit_surface", {"did you mean 'limit-surface'?"});
  refuses("models --familly friction",
          {"'--familly'", "did you mean '--family'?", "asperity models --help"});
  refuses("run stick_slip --plt none", {"did you mean '--plot'?"});
  refuses("run stick_slip --plt=none", {"did you mean '--plot'?"});
  refuses("models -json", {"did you mean '--json'?"});
  refuses("--verion", {"did you mean '--version'?"});
  refuses("help rnu", {"did you mean 'run'?"});
  refuses("completion bsh", {"bsh", "bash"});
  refuses("reproduce xiong", {"source", "did you mean 'xiong_2013'?"});
  refuses("new inclusion 1st", {"the name of an inclusion"});
  refuses("list", {"there is no command 'list'", "allowed: "});
  refuses("version", {"did you mean '--version'?"});
  refuses("-v", {"did you mean '--version'?"});
  refuses("run stick_slip -o x", {"did you mean '--out'?"});
  refuses("models --family Friction", {"did you mean 'friction'?"});
  refuses("export lugre --lang C", {"did you mean 'c'?"});
  refuses("new Model mine", {"did you mean 'model'?"});
  refuses("new model mine --family frictoin", {"did you mean 'friction'?"});
  refuses("reproduce fig_3_4", {"'xia_2012/fig_3_4' or 'xiong_2013/fig_3_4'"});
  // What another command takes.
  refuses("run xiong_2013/fig_3_4", {"no such file", "`asperity reproduce xiong_2013/fig_3_4`"});
  refuses("run lugre", {"no such file", "'lugre' is a model", "`asperity show lugre`"});
  refuses("run pulled_mass", {"no such file", "'pulled_mass' is a system"});
  // What is not misspelt is told as before; numbers may be negative.
  refuses("run", {"SCENARIO is required", "asperity run --help"});
  EXPECT_EQ(run("equilibria coulomb --stiffness 1 --from -3 --to 3"), 0);
}

TEST_F(cli_door, AnswersNamesInAnotherCase) {
  refuses("run stick_slip --set friction.F_S=2", {"did you mean 'F_s'?"});
  refuses("run stick_slip --set friction.f_c=2", {"did you mean 'F_c'?"});
  refuses("show LuGre", {"did you mean 'lugre'?"});
  refuses("show Mass_On_Belt", {"did you mean 'mass_on_belt'?"});
  refuses("eval DAI --input none.csv", {"did you mean 'dai'?"});
  refuses("experiments Xiong_2013/Fig_3_4", {"did you mean 'xiong_2013/fig_3_4'?"});
  refuses("run stick_slip --set system.kind=Pulled_Mass", {"did you mean 'pulled_mass'?"});
  refuses("run Stick_Slip", {"did you mean 'stick_slip'?"});
  refuses("run STICK_SLIP.TOML", {"did you mean 'stick_slip'?"});
}

TEST_F(cli_door, TellsWhatIsMissingAndWhatIsTooLarge) {
  write("times.csv", "t\n0\n1\n");
  write("other.csv", "t,q\n0,1\n1,2\n");
  refuses("eval dai --input times.csv", {"no column 'v' or 'x'", "model 'dai' needs", "are t"});
  refuses("eval hertz --input other.csv", {"model 'hertz' needs", "the columns are t, q"});
  refuses("eval patch_dai --input other.csv", {"needs a column 'v_x'", "the columns are t, q"});
  for (const char* mass : {"1e400", "1e400 kg", "-1e400", "2e-400 kg"})
    refuses({"run", "stick_slip", "--set", fmt::format("system.mass={}", mass)},
            {"system.mass", "too large or too close to 0", "4.9e-324 and 1.8e+308",
             "a number in kg, above 0"});
  refuses("run stick_slip --set system.mass=inf", {"a finite number in kg, above 0"});
  refuses("eval dai --input other.csv --set K=nan", {"K = nan", "a finite number"});
}

// Before the work, which may take long.
TEST_F(cli_door, TellsAtOnceThatAFileHasNoFolder) {
  write("motion.csv", "t,x\n0,0\n1,1\n");
  const std::string all[] = {
      "eval dai --input motion.csv --out none/f.csv",
      "export lugre --lang c --out none/f.csv",
      "inclusion two_bodies --emit c --out none/f.csv",
      "reproduce --json none/f.csv",
      "sweep stick_slip_onset --over speed=0.1,0.2 --measure mean --out none/f.csv",
      "sweep stick_slip_onset --over speed=0.1,0.2 --measure mean --export none/f.csv"};
  for (const auto& each : all)
    for (const char* more : {"", " --force"})
      refuses(each + more, {"cannot write 'none/f.csv': there is no folder 'none': create it"});
  refuses("conformance --out motion.csv/page", {"'motion.csv/page'", "Not a directory"});
  EXPECT_FALSE(fs::exists(folder / "none"));
}

// ---- help ---------------------------------------------------------------------------------------

// A page is Markdown; a terminal shows its blocks of code set in.
TEST_F(cli_door, ShowsPagesWithoutTheMarksOfCode) {
  std::size_t shown = 0;
  for (const std::string kind : {"model", "system"}) {
    ASSERT_EQ(run(kind + "s --json"), 0);
    for (const auto& each : json::parse(content("out"))) {
      const std::string name = each[kind];
      const answer page = run({"show", name});
      EXPECT_EQ(page, 0);
      EXPECT_EQ(page.out.find("```"), std::string::npos) << name;
      ++shown;
    }
  }
  EXPECT_GT(shown, 70U);
  EXPECT_NE(run("show lugre").out.find("\nEquations\n\n  z_dot = v"), std::string::npos);
}

TEST_F(cli_door, HelpKeepsWhatIsForTestsToItself) {
  for (const char* name : {"fit", "sweep"}) {
    const std::string help = run({name, "--help"}).out;
    EXPECT_NE(help.find("--device cpu|cuda|auto"), std::string::npos) << name;
    EXPECT_EQ(help.find("kernels}"), std::string::npos) << name;
  }
  refuses("sweep stick_slip_onset --device gpu",
          {"unknown word 'gpu'", "(allowed: cpu, cuda, auto)"});
  for (const char* shell : {"bash", "zsh", "fish"})
    EXPECT_EQ(run({"completion", shell}).out.find("auto kernels"), std::string::npos) << shell;
}

TEST_F(cli_door, CountsAsPeopleDo) {
  std::string rows = "x,y\n";
  for (int i = 0; i < 200; ++i)
    rows += fmt::format("{},{}\n", std::sin(0.065 * i), std::sin(0.065 * i - 0.3));
  write("loop.csv", rows);
  const answer told = run("loops loop.csv --x x --y y");
  EXPECT_NE(told.out.find("1 closed loop, 0 of them"), std::string::npos) << told.out;
}

// In sentences, with what is allowed and the nearest of it.
TEST_F(cli_door, SaysWhatAnOptionMayBe) {
  refuses("run creep --plot SVG", {"--plot: unknown word 'SVG': did you mean 'svg'?",
                                   "(allowed: svg, png, none)", "run --help"});
  refuses("run creep --format xlsx", {"--format: unknown word 'xlsx': allowed: csv, h5"});
  refuses("completion Bash", {"SHELL: unknown word 'Bash': did you mean 'bash'?"});
  refuses({"completion", "a not in {b}"},
          {"unknown word 'a not in {b}': allowed: bash, zsh, fish"});
  refuses("completion", {"SHELL is required: bash, zsh, fish"});
  refuses("design", {"is required: contact, regularisation"});
  refuses("design contract", {"did you mean 'contact'?"});
  refuses("hysteresis", {"MODEL|SCENARIO is required ("});
  refuses("run creep --out", {"--out: its FOLDER is missing"});
  refuses("eval dai --input", {"its FILE is missing"});
  refuses("run creep --plot", {"--plot: its value is missing"});
  for (const char* number : {"0", "two", "1.5"})
    refuses({"reproduce", "--jobs", number},
            {fmt::format("--jobs: '{}' must be a whole number from 1 to 1024", number)});
  refuses("equilibria dahl --stiffness 1 --from 3 --to=-3", {"--from 3 is above --to -3"});
  refuses("models lugre", {"need --properties", "`asperity show lugre`"});
  EXPECT_EQ(run("models --properties coulomb"), 0);
}

TEST_F(cli_door, EveryCommandHasHelpAndExamplesOfItsOwn) {
  const auto names = commands();
  EXPECT_GE(names.size(), 26U);
  for (const auto& name : names) {
    const answer help = run({name, "--help"});
    EXPECT_EQ(help, 0);
    EXPECT_NE(help.out.find("Examples:"), std::string::npos) << name;
    EXPECT_NE(help.out.find("asperity " + name), std::string::npos) << name;
    EXPECT_EQ(help.out.find("each can be pasted"), std::string::npos) << name << " has the root's";
    EXPECT_EQ(run({"help", name}).out, help.out) << name;
  }
  const std::string whole = run("--help").out;
  EXPECT_EQ(run("help").out, whole);
  for (const char* code : {"0  ", "1  ", "2  ", "3  ", "130", "141"})
    EXPECT_NE(whole.find(fmt::format("\n  {}  ", code)), std::string::npos) << code;
}

// One after the other in an empty folder, as they stand.
TEST_F(cli_door, ExamplesOfHelpCanBePasted) {
  fs::create_directory(folder / "bin");
  fs::create_symlink(program, folder / "bin/asperity");
  const std::string whole = run("--help").out;
  const auto begin = whole.find("\nExamples"), end = whole.find("\nWith a file of your own");
  ASSERT_NE(end, std::string::npos);
  std::istringstream lines(whole.substr(begin, end - begin));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  asperity ")) continue;
    ++count;
    write("one.sh", "set -eu\nPATH=$PWD/bin:$PATH\n" + line + "\n");
    EXPECT_EQ(finish(launch({"bash", "one.sh"})), 0) << line << "\n" << content("err");
  }
  EXPECT_GE(count, 20U);
}

// Likewise those of each command, but for lines with a file of the user's own and for commands whose
// examples take minutes or need other programs.
TEST_F(cli_door, ExamplesOfEachCommandCanBePasted) {
  const std::regex own(R"(\b(rig|motion|gap|twist|x|y|run|slow|mass|linkage)\.(csv|toml)\b)");
  const std::set<std::string> left_out{"check",   "completion", "conformance", "fmu",
                                       "mutants", "reproduce",  "site",        "sweep"};
  std::size_t count = 0;
  for (const auto& name : commands()) {
    if (left_out.contains(name)) continue;
    fs::create_directories(folder / name / "bin");
    fs::create_symlink(program, folder / name / "bin/asperity");
    const std::string help =
        std::regex_replace(run({name, "--help"}).out, std::regex(R"(\\\n)"), "");
    std::istringstream lines(help.substr(help.find("\nExamples:")));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  asperity ") || std::regex_search(line, own)) continue;
      ++count;
      write("one.sh", "set -eu\ncd " + name + "\nPATH=$PWD/bin:$PATH\n" + line + "\n");
      EXPECT_EQ(finish(launch({"bash", "one.sh"})), 0) << line << "\n" << content("err");
    }
  }
  EXPECT_GE(count, 50U);
}

TEST_F(cli_door, SaysWhatItWasBuiltWith) {
  const std::string text = run("--version").out;
  EXPECT_TRUE(std::regex_search(
      text,
      std::regex(R"(^asperity \d+\.\d+\.\d+ \((commit [-.0-9a-z]+|no commit: [a-z, ]+)\)\n)")))
      << text;
  for (const char* feature : {"HDF5", "Ceres", "CVODE", "MPI"})
    EXPECT_NE(text.find(feature), std::string::npos) << feature;
}

// ---- completion ---------------------------------------------------------------------------------

TEST_F(cli_door, CompletesInBash) {
  ASSERT_EQ(run("completion bash"), 0);
  fs::copy_file(folder / "out", folder / "script");
  ASSERT_EQ(finish(launch({"bash", "-n", "script"})), 0) << content("err");
  write("motion.csv", "");
  const auto completed = [&](const std::string& words) {
    write("one.sh",
          fmt::format("source ./script\nCOMP_WORDS=({}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - "
                      "1))\n_asperity\necho \"${{COMPREPLY[*]}}\"\n",
                      words));
    EXPECT_EQ(finish(launch({"bash", "-u", "one.sh"})), 0) << content("err");
    std::string out = content("out");
    return out.substr(0, out.find('\n'));
  };
  EXPECT_EQ(completed("asperity ru"), "run");
  EXPECT_EQ(completed("asperity --v"), "--version");
  EXPECT_EQ(completed("asperity run --pl"), "--plot");
  EXPECT_EQ(completed("asperity run stick_slip --plot ''"), "svg png none");
  EXPECT_EQ(completed("asperity run stick_sl"), "stick_slip");
  EXPECT_EQ(completed("asperity show lugr"), "lugre");
  EXPECT_EQ(completed("asperity show mass_on_b"), "mass_on_belt");
  EXPECT_EQ(completed("asperity reproduce xiong_2013/fig_3_4"), "xiong_2013/fig_3_4");
  EXPECT_EQ(completed("asperity export lugre --lang ru"), "rust");
  EXPECT_EQ(completed("asperity inclusion two_bodies --emit mod"), "modelica");
  EXPECT_EQ(completed("asperity eval dai --input mot"), "motion.csv");
  EXPECT_EQ(completed("asperity help expo"), "export");
  EXPECT_EQ(completed("asperity design cont"), "contact");
  EXPECT_EQ(completed("asperity manua"), "");
  EXPECT_EQ(completed("asperity --pl"), "--plugin");
  EXPECT_EQ(completed("asperity --plugin mot"), "motion.csv");
  EXPECT_EQ(completed("asperity --plugin motion.csv ru"), "run");
  EXPECT_EQ(completed("asperity --plugin = motion.csv --plugin motion.csv run stick_sl"),
            "stick_slip");
  EXPECT_EQ(completed("asperity run stick_slip --plot = sv"), "svg");
  EXPECT_EQ(completed("asperity run stick_slip --plot ="), "svg png none");
  EXPECT_EQ(completed("asperity new ''"), "model scenario inclusion system");
  EXPECT_EQ(completed("asperity new model x --family fr"), "friction");
  EXPECT_EQ(completed("asperity conformance hold"), "hold_for_an_hour");
  EXPECT_EQ(completed("asperity conformance --model lug"), "lugre");
  EXPECT_EQ(completed("asperity check lugr"), "lugre");
  EXPECT_EQ(completed("asperity check lugre --law OddS"), "OddSymmetry");
  EXPECT_EQ(completed("asperity fmu stick_slip --kind ''"), "cs me both");
  EXPECT_EQ(completed("asperity fmu stick_slip -o mot"), "motion.csv");
  EXPECT_EQ(completed("asperity sweep stick_slip_onset --measure stick_slip_p"),
            "stick_slip_period");
}

// Every option of every command is in each script.
TEST_F(cli_door, CompletionKnowsEveryOption) {
  const std::string bash = run("completion bash").out, zsh = run("completion zsh").out,
                    fish = run("completion fish").out;
  static const std::regex option("\n  (-[a-zA-Z],)?--([-a-z]+)");
  std::size_t count = 0;
  for (const auto& name : commands()) {
    const std::string help = run({name, "--help"}).out;
    for (std::sregex_iterator at(help.begin(), help.end(), option), end; at != end; ++at) {
      const std::string word = (*at)[2];
      if (word == "help") continue;
      ++count;
      const std::regex in_case("\n        " + name + "\\) [^\n]*--" + word + "[ ']");
      EXPECT_TRUE(std::regex_search(bash, in_case)) << name << " --" << word;
      EXPECT_TRUE(std::regex_search(zsh, in_case)) << name << " --" << word;
      EXPECT_NE(fish.find("seen_subcommand_from " + name + "' -l " + word + " "), std::string::npos)
          << name << " --" << word;
    }
  }
  EXPECT_GT(count, 150U);
  write("script.zsh", zsh);
  write("script.fish", fish);
  for (const std::string shell : {"zsh", "fish"})
    if (is_there(shell)) {
      EXPECT_EQ(finish(launch({shell, "-n", "script." + shell})), 0) << content("err");
    }
  if (is_there("fish")) {
    write("one.fish", "source script.fish\ncomplete -C 'asperity run --plot p'\n");
    EXPECT_EQ(finish(launch({"fish", "--no-config", "one.fish"})), 0);
    EXPECT_EQ(content("out").rfind("png", 0), 0U) << content("out") << content("err");
  }
}

// ---- manual pages -------------------------------------------------------------------------------

TEST_F(cli_door, WritesManualPages) {
  ASSERT_EQ(run("manual pages"), 0);
  const auto names = commands();
  for (const auto& name : names) {
    const std::string page = content("pages/asperity-" + name + ".1");
    for (const char* part : {".TH ", ".SH NAME\n", ".SH SYNOPSIS\n", ".SH OPTIONS\n",
                             ".SH EXAMPLES\n", ".SH SEE ALSO\n"})
      EXPECT_NE(page.find(part), std::string::npos) << name << part;
  }
  EXPECT_NE(content("pages/asperity-run.1").find("\\fB\\-\\-plot\\fR"), std::string::npos);
  EXPECT_NE(content("pages/asperity-reproduce.1").find("1 a claim fails"), std::string::npos);
  const std::string whole = content("pages/asperity.1");
  EXPECT_NE(whole.find(".SH EXIT STATUS\n"), std::string::npos);
  for (const auto& name : names)
    EXPECT_NE(whole.find(".TP\n\\fB" + std::regex_replace(name, std::regex("-"), "\\-") + "\\fR\n"),
              std::string::npos)
        << name;
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "pages"), fs::directory_iterator()),
            static_cast<std::ptrdiff_t>(names.size()) + 1);
  if (!is_there("groff")) GTEST_SKIP() << "groff is not installed";
  for (const auto& page : fs::directory_iterator(folder / "pages")) {
    EXPECT_EQ(finish(launch({"groff", "-man", "-Tutf8", "-ww", page.path().string()})), 0);
    EXPECT_EQ(content("err"), "") << page.path();
  }
}

}  // namespace
}  // namespace asperity::testing
