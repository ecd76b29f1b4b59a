// SPDX-License-Identifier: Apache-2.0
// Files and names that somebody else has made: none of them runs a program, touches another file,
// shows a line of one, keeps us waiting or speaks to the terminal.

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/stat.h>

#include <asperity/text/csv.hpp>
#include <asperity/text/toml.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

using nlohmann::json;
using namespace std::string_literals;

const std::string body = R"(
[system]
kind = "pulled_mass"
mass = 1
stiffness = 2
speed = 0.1
[friction]
model = "dai"
[run]
duration = 0.2
)";

std::string text_in_toml(const std::string& text) {
  return asperity::to_inline_toml(asperity::toml_value::of(text));
}

class hostile : public program_test {
 protected:
  // What hostile text tries to make, and nothing may.
  const std::string canary = path("ran");
  const std::string backticks = "`touch ran`";  // programs are started in the folder

  void TearDown() override { EXPECT_FALSE(fs::exists(canary)); }

  std::set<std::string> entries() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
      names.insert(entry.path().filename().string());
    for (const char* ours : {"out", "err"}) names.erase(ours);
    return names;
  }

  // Ends a program that hangs, and fails.
  answer quickly(const std::vector<std::string>& arguments) const {
    std::vector<std::string> words{"timeout", "-s", "KILL", "20", program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const int code = finish(launch(words));
    EXPECT_NE(code, 137) << "it hangs";
    EXPECT_NE(code, -SIGKILL) << "it hangs";
    return {code, content("out"), content("err")};
  }

  static bool has_gnuplot() { return std::system("command -v gnuplot > /dev/null") == 0; }

  // A small sweep to be changed by a test.
  static std::vector<std::string> sweep_into(const std::string& file) {
    return {"sweep",     "s.toml",
            "--over",    "force.amplitude=lin(2, 3, 2)",
            "--measure", "maximum(v),extrema(v)",
            "--out",     file,
            "--plot",    "none",
            "--quiet"};
  }
  void make_sweep(const std::string& file = "s.sqlite") {
    write("s.toml",
          "[system]\nkind = \"mass_under_force\"\nmass = 1\n[friction]\nmodel = \"dai\"\n"
          "[force]\nkind = \"sine\"\namplitude = 2\nfrequency = 2\n[run]\nduration = 2\n");
    ASSERT_EQ(run(sweep_into(file)), 0);
  }
  void change(const std::string& statement, const std::string& text,
              const std::string& file = "s.sqlite") const {
    SQLite::Database data(path(file), SQLite::OPEN_READWRITE);
    SQLite::Statement change(data, statement);
    if (!text.empty()) change.bind(1, text);
    change.exec();
  }
};

const std::vector<std::string> commands{
    "`touch ran`",
    "$(touch ran)",
    "\"; system(\"touch ran\"); \"",
    "'; system('touch ran'); '",
    "\\140touch ran\\140",
    "!touch ran",
    "@ARG0 | touch ran",
    "`touch ran`\\",
};

// ---- pictures -----------------------------------------------------------------------------------

TEST_F(hostile, TextsOfAScenarioAreOnlyText) {
  for (const auto& text : commands) {
    SCOPED_TRACE(text);
    write("a.toml", "title = " + text_in_toml(text + " one") + "\n" + body +
                        "[[plot]]\ntitle = " + text_in_toml(text + " two") +
                        "\ny = \"x\"\n[[plot]]\ntitle = " + text_in_toml("x\n!touch ran\n" + text) +
                        "\ny = \"v\"\n");
    const answer told = run({"run", "a.toml", "--force", "--out", "o"});
    EXPECT_EQ(told, 0);
    EXPECT_EQ(told.err, "");
    if (!has_gnuplot()) continue;
    const std::string svg = content("o/plot.svg");
    EXPECT_NE(svg.find(text + " one"), std::string::npos);
    EXPECT_NE(svg.find(text + " two"), std::string::npos);
    EXPECT_EQ(json::parse(content("o/summary.json"))["title"], text + " one");
  }
}

TEST_F(hostile, NamesAndFoldersAreOnlyNames) {
  for (const auto& text : commands) {
    if (text.find('\\') != std::string::npos) continue;  // not allowed in names
    SCOPED_TRACE(text);
    write("a.toml", "name = " + text_in_toml(text) + "\n" + body);
    EXPECT_EQ(run({"run", "a.toml"}), 0);
    EXPECT_TRUE(fs::exists(folder / (text + ".run") / "summary.json"));
    EXPECT_EQ(run({"run", "a.toml", "--force", "--out", text}), 0);
    EXPECT_EQ(fs::exists(folder / text / "plot.svg"), has_gnuplot());
    write(text + ".toml", body);  // the file gives the name
    EXPECT_EQ(run({"run", text + ".toml", "--set", "title=" + text, "--force", "--out", "c"}), 0);
    EXPECT_EQ(json::parse(content("c/summary.json"))["name"], text);
  }
}

TEST_F(hostile, NamesFromAFileStayInTheFolder) {
  for (const std::string& name : {"../a"s, "/tmp/a"s, "a/b"s, ".hidden"s, "a\nb"s, "a\0b"s,
                                  "a\x1b[0m"s, std::string(300, 'x')}) {
    SCOPED_TRACE(name);
    write("a.toml", "name = " + text_in_toml(name) + "\n" + body);
    refuses({"run", "a.toml"}, {"a.toml:1:1: name = ", "it must be the name of a folder"});
    refuses({"sweep", "a.toml", "--over", "speed=0.1, 0.2", "--measure", "maximum(f)"},
            {"it must be the name of a folder"});
  }
  EXPECT_EQ(entries(), std::set<std::string>{"a.toml"});
}

// SQLite takes "file:" for an address, in which %2F is a slash.
TEST_F(hostile, ANameIsNoAddressOfADatabase) {
  fs::create_directory(folder / "elsewhere");
  const std::string name = "file:elsewhere%2Fowned%3Fx=";
  write("a.toml", "name = " + text_in_toml(name) + "\n" + body);
  EXPECT_EQ(run({"sweep", "a.toml", "--over", "speed=0.1, 0.2", "--measure", "maximum(f)"}), 0);
  EXPECT_TRUE(fs::is_empty(folder / "elsewhere"));
  EXPECT_TRUE(fs::exists(folder / (name + ".sweep.sqlite")));
  EXPECT_EQ(run({"sweep", "a.toml", "--over", "speed=0.1, 0.2", "--measure", "maximum(f)", "--out",
                 ":memory:", "--plot", "none"}),
            0);
  EXPECT_TRUE(fs::exists(folder / ":memory:"));
}

TEST_F(hostile, TextsOfASweepAreOnlyText) {
  for (const auto& text : commands) {
    SCOPED_TRACE(text);
    fs::remove(path("s.sqlite"));
    make_sweep();
    change("UPDATE about SET value = ? WHERE key = 'title'", text + " title");
    change("UPDATE measures SET name = ? WHERE position = 0", text + " measure");
    change("UPDATE parameters SET name = ?", text + " parameter");
    const std::string file = text + ".sqlite";
    fs::rename(folder / "s.sqlite", folder / file);
    const answer told =
        run({"sweep", "./" + file, "--plot", "svg", "--force", "--export", "t.csv"});
    EXPECT_EQ(told, 0);
    if (has_gnuplot()) {
      const std::string svg = content(text + ".svg");
      for (const char* where : {" title", " measure", " parameter"})
        EXPECT_NE(svg.find(text + where), std::string::npos) << where;
    }
    fs::remove(folder / file);
  }
  write("s.toml", "title = " + text_in_toml(backticks) + "\n" + body);
  EXPECT_EQ(run({"sweep", "s.toml", "--over", "speed=0.1, 0.2", "--measure", "maximum(f)",
                 "--force", "--out", backticks + ".sqlite"}),
            0);
}

TEST_F(hostile, ColumnsOfATableAreOnlyNames) {
  for (const auto& text : commands) {
    if (text.find_first_of(",\"") != std::string::npos) continue;  // not in a CSV of ours
    SCOPED_TRACE(text);
    write(text + ".csv", text + " x," + text + " y\n0,0\n1,1\n0,0.5\n1,1\n0,0\n");
    EXPECT_EQ(run({"loops", "./" + text + ".csv", "--x", text + " x", "--y", text + " y", "--out",
                   text + "o"}),
              0);
    if (has_gnuplot()) {
      EXPECT_NE(content(text + "o/plot.svg").find(text + " y over " + text + " x"),
                std::string::npos);
    }
  }
}

TEST_F(hostile, OtherPicturesAreMadeInHostilePlaces) {
  write("a.toml", "title = " + text_in_toml(backticks + "'\"\n!touch ran") + "\n" + body);
  EXPECT_EQ(run({"hysteresis", "play", "--map-only", "--out", backticks + "h"}), 0);
  write(backticks + ".toml",
        "system = { kind = 'two_bar_linkage' }\nforce = 0.0\nrun = { duration = 1 }\n");
  EXPECT_EQ(run({"hysteresis", backticks + ".toml", "--output", "y", "--omega", "1", "--loops", "2",
                 "--map-only", "--out", "h"}),
            1);
  EXPECT_TRUE(fs::exists(folder / "h/summary.json"));
  EXPECT_EQ(run({"restitution", "hunt_crossley", "--speed", "1, 2", "--out", backticks + "r"}), 0);
  EXPECT_EQ(run({"limit-surface", "--set", "shape=disc", "--set", "radius=0.02", "--around", "8",
                 "--up", "5", "--out", backticks + "l"}),
            0);
  EXPECT_EQ(
      run({"slip-map", examples + "/pushed_box.toml", "--set", "title=" + backticks + "\\", "--set",
           "name=" + backticks, "--set", "patch.cells=4", "--count", "1", "--quiet"}),
      0);
  EXPECT_TRUE(fs::exists(folder / (backticks + ".slip") / "cells.csv"));
  refuses({"restitution", "hunt_crossley", "--over", backticks + "=1, 2"}, {"--over"});
  // Units and columns are looked up, and what is unknown is only shown.
  for (const char* key : {"x_unit", "y_unit", "x", "y"}) {
    write("b.toml", body + "[[plot]]\ny = \"x\"\n");
    refuses({"run", "b.toml", "--set", "plot.1."s + key + "=" + backticks}, {backticks});
  }
  const std::string stated = "[system]\nkind = \"inclusion\"\n[states]\n\"" + backticks +
                             "\" = { rate = \"1\" }\n[run]\nduration = 1\n";
  write("c.toml", stated);
  refuses({"run", "c.toml"}, {backticks});
}

TEST_F(hostile, OnlyTheInstalledGnuplotIsStarted) {
  write("a.toml", body);
  write("gnuplot", "#!/bin/sh\ntouch '" + canary + "'\n");
  fs::permissions(folder / "gnuplot", fs::perms::owner_all);
  fs::create_directory(folder / "bin");
  fs::copy_file(folder / "gnuplot", folder / "bin/gnuplot");
  for (const std::string& way : {"."s, ":"s, "bin"s, ".:bin::"s, ""s}) {
    const answer told = run({"run", "a.toml"}, {.environment = {{"PATH", way}}});
    EXPECT_EQ(told, 0);
    EXPECT_NE(told.err.find("gnuplot is not installed"), std::string::npos) << way;
  }
}

TEST_F(hostile, SettingsOfGnuplotDoNotMatter) {
  if (!has_gnuplot()) GTEST_SKIP();
  write("a.toml", body);
  EXPECT_EQ(run({"run", "a.toml", "--out", "one"}), 0);
  write(".gnuplot", "system 'touch " + canary + "'\nset title 'mine'\n");
  write(".gnuplotrc", content(".gnuplot"));
  EXPECT_EQ(run({"run", "a.toml", "--out", "two"}, {.environment = {{"HOME", path("")},
                                                                    {"GNUTERM", "nonsense"},
                                                                    {"GNUPLOT_LIB", path("")}}}),
            0);
  EXPECT_EQ(content("two/plot.svg"), content("one/plot.svg"));
}

// ---- the report ---------------------------------------------------------------------------------

std::string experiment(const std::string& text, const std::string& run_name = "one") {
  const std::string quoted = text_in_toml(text);
  return "title = " + quoted + "\nsource = " + quoted + "\nabout = " +
         text_in_toml(text + "\n\n`" + text + "`\n\n```\nx = " + text +
                      "\n```\n[x](javascript:alert(1))") +
         "\n[[analysis]]\nkind = \"impacts\"\nname = " + text_in_toml(run_name) +
         "\nlabel = " + quoted +
         "\ncontact = { model = \"hunt_crossley\" }\nspeed = [1, 2]\n"
         "[[analysis]]\nkind = \"impacts\"\nname = \"b\"\nlabel = " +
         text_in_toml(text + "2") +
         "\ncontact = { model = \"hertz\" }\nspeed = [1, 2]\n"
         "[[claim]]\ntext = " +
         quoted + "\nsource_says = " + quoted +
         "\nrun = \"b\"\nmeasure = \"last\"\ncolumn = \"restitution\"\nequals = 1\n"
         "tolerance = 1e-6\nrelative_to_column = \"restitution\"\n"
         "[[panel]]\ntitle = " +
         quoted + "\nx = \"speed\"\ny = \"restitution\"\n";
}

TEST_F(hostile, AReportIsText) {
  const std::vector<std::string> texts{
      "<script>alert(1)</script>",
      "\"><img src=x onerror=alert(1)>",
      "`touch ran`",
      "</title><script>alert(1)</script>",
      "' onmouseover='alert(1)",
      "&lt;script&gt;",
      "<!-- --><svg onload=alert(1)>",
      "[x](javascript:alert(1))",
      "<math><mtext><script>",
  };
  int number = 0;
  for (const auto& text : texts) {
    SCOPED_TRACE(text);
    std::string name = text;
    std::replace(name.begin(), name.end(), '/', '_');
    const std::string source = fmt::format("e{}", ++number);
    fs::create_directories(folder / source / ("javascript:alert(1)" + name));
    write(fs::path(source) / ("javascript:alert(1)" + name) / "fig.toml", experiment(text, name));
    write(fs::path(source) / "top.toml", experiment(text, name));
    const answer told =
        run({"reproduce", "--experiments", source, "--force", "--out", "report", "--series"});
    EXPECT_EQ(told, 0);
    int pages = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder / "report")) {
      if (entry.path().extension() != ".html") continue;
      ++pages;
      const std::string html = content(entry.path());
      for (const char* active : {"<script", "<img", "onerror=alert(1)>", "<svg onload",
                                 "href=\"javascript:", "<!-- -->"})
        EXPECT_EQ(html.find(active), std::string::npos) << entry.path() << " " << active;
      // Inside of a tag, an attribute of ours ends where we end it.
      EXPECT_EQ(html.find("onmouseover=\""), std::string::npos);
    }
    EXPECT_GT(pages, 10);
    const json report = json::parse(content("report/report.json"));
    EXPECT_EQ(report["claims"][0]["claim"], text);
  }
}

TEST_F(hostile, AnExperimentWritesOnlyIntoTheReport) {
  fs::create_directories(folder / "e/a");
  for (const std::string& name : {"../../../owned"s, "/tmp/owned"s, "a/b"s, ".."s, "x\0y"s}) {
    write("e/a/fig.toml", experiment("x", name));
    refuses({"reproduce", "--experiments", "e", "--out", "report", "--series"},
            {"name = ", "it must be the name of a folder"});
  }
  EXPECT_EQ(entries(), std::set<std::string>{"e"});
  fs::remove_all(folder / "e/a");
  for (const std::string& id : {"index"s, "errata"s, "models/lugre"s}) {
    fs::create_directories((folder / "e" / id).parent_path());
    write("e/" + id + ".toml", experiment("x"));
    refuses({"reproduce", "--experiments", "e", "--out", "report"}, {id, "rename the experiment"});
    fs::remove(folder / "e" / (id + ".toml"));
  }
  EXPECT_EQ(entries(), std::set<std::string>{"e"});
}

// ---- code and data for other programs -----------------------------------------------------------

TEST_F(hostile, EmittedCodeHoldsATitleOnlyAsText) {
  const std::vector<std::string> titles{
      "*/ int main(void) { system(\"touch ran\"); } /*",
      "x\nsystem(\"touch ran\");",
      "x\r\nsystem(\"touch ran\");",
      "x\\",
      "x\\   ",
      "x ?\?/",
      "%{\nsystem(\"touch ran\")\n%}",
      "\\input{/etc/passwd}",
      "\\immediate\\write18{touch ran}",
      "^^5cinput{/etc/passwd}",
      "\"; algorithm Modelica.Utilities.System.command(\"touch ran\"); \"",
      "${\\input x}$ # & _ ~",
  };
  const auto source = content(examples + "/inclusions/two_bodies.toml");
  const std::string rest = source.substr(source.find("[system]"));
  int number = 0;
  for (const auto& title : titles) {
    SCOPED_TRACE(title);
    const std::string name = fmt::format("t{}", ++number);
    write(name + ".toml", "title = " + text_in_toml(title) + "\n" + rest);
    for (const std::string& language : {"c"s, "cpp"s, "octave"s, "modelica"s, "latex"s}) {
      SCOPED_TRACE(language);
      const std::string file = name + "." + language;
      const bool has_main = language != "modelica" && language != "latex";
      EXPECT_EQ(run("inclusion " + name + ".toml --emit " + language + (has_main ? " --main" : "") +
                    " --force --out " + file),
                0);
      // The same code as with an innocent title, line by line, but for the comment of the title.
      EXPECT_EQ(run("inclusion " + name + ".toml --set title=plain --emit " + language +
                    (has_main ? " --main" : "") + " --force --out plain"),
                0);
      std::istringstream hostile_code(content(file)), plain_code(content("plain"));
      std::string a, b;
      int differing = 0;
      while (std::getline(plain_code, b)) {
        ASSERT_TRUE(std::getline(hostile_code, a));
        if (a == b) continue;
        ++differing;
        const bool is_comment = a.starts_with("// ") || a.starts_with("% ");
        const bool is_string =
            language == "modelica" && a.starts_with("model ") && a.ends_with("\"");
        const bool is_title = language == "latex" && a.starts_with("\\title{") && a.ends_with("}");
        EXPECT_TRUE(is_comment || is_string || is_title) << a;
        EXPECT_FALSE(a.ends_with("\\") || a.ends_with(" ") || a.ends_with("?\?/")) << a;
        for (const char* command : {"\\input", "\\write", "\\immediate", "^^"})
          EXPECT_TRUE(!is_title || a.find(command) == std::string::npos) << a;
        if (is_string) {  // no quotation mark inside that is not masked
          const std::string inside = a.substr(a.find('"') + 1, a.size() - a.find('"') - 2);
          for (std::size_t i = 0; i < inside.size(); ++i) {
            EXPECT_NE(inside[i], '"') << a;
            if (inside[i] == '\\') ++i;
          }
        }
      }
      EXPECT_FALSE(std::getline(hostile_code, a)) << a;
      EXPECT_GE(differing, 1);
    }
    EXPECT_EQ(std::system(
                  ("cc -std=c11 -Werror=comment -x c -fsyntax-only " + path(name + ".c")).c_str()),
              0);
  }
}

TEST_F(hostile, CellsAreNoFormulas) {
  make_sweep();
  change("UPDATE measures SET name = ? WHERE position = 0", "=cmd|' /C calc'!A0");
  change("UPDATE measures SET name = ? WHERE position = 1", "@SUM(1+1)\n1,2,3");
  change("UPDATE parameters SET name = ?", "+1-1,\"x\"");
  change("UPDATE results SET outcome = ?", "-2+3");
  change("UPDATE results SET detail = ?", "=1+1\n=2");
  static_cast<void>(run({"sweep", "s.sqlite", "--export", "t.csv", "--plot", "none"}));
  for (const char* file : {"t.csv", "t.lists.csv"}) {
    const std::string text = content(file);
    ASSERT_NE(text, "") << file;
    // Every cell, as RFC 4180 has them.
    bool in_quotes = false, begins = true;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (begins && !in_quotes) {
        const char first = c == '"' ? text[i + 1] : c;
        const bool is_number = first == '-' && text.size() > i + 1 &&
                               std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0 &&
                               c != '"';
        EXPECT_TRUE(is_number || std::string("=+-@").find(first) == std::string::npos)
            << file << ": " << text.substr(i, 40);
      }
      begins = false;
      if (c == '"') in_quotes = !in_quotes;
      if (!in_quotes && (c == ',' || c == '\n')) begins = true;
    }
    EXPECT_FALSE(in_quotes);
  }
}

TEST_F(hostile, TextsSurviveInResults) {
  const std::string text = "a\"b\\c\n[run]\nduration = 99\n'''\"\"\" \x1b\x7f <x> & \u2028";
  write("a.toml", "title = " + text_in_toml(text) + "\n" + body);
  EXPECT_EQ(run({"run", "a.toml", "--out", "one"}), 0);
  EXPECT_EQ(json::parse(content("one/summary.json"))["title"], text);
  EXPECT_EQ(asperity::read_toml(path("one/resolved.toml")).find("title")->text, text);
  EXPECT_EQ(run({"run", "one/resolved.toml", "--out", "two"}), 0);
  EXPECT_EQ(content("two/series.csv"), content("one/series.csv"));
  EXPECT_EQ(content("two/resolved.toml"), content("one/resolved.toml"));
}

// ---- the terminal -------------------------------------------------------------------------------

TEST_F(hostile, NothingSpeaksToTheTerminal) {
  const std::string escape = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202e";
  const auto is_quiet = [&](const std::vector<std::string>& arguments) {
    const answer told = run(arguments);
    EXPECT_NE(told.text(), "");
    EXPECT_EQ(told.text().find('\x1b'), std::string::npos) << told.text();
    EXPECT_EQ(told.text().find('\x07'), std::string::npos);
    EXPECT_EQ(told.text().find("\u009b"), std::string::npos);
    EXPECT_EQ(told.text().find("\u202e"), std::string::npos);
    return told;
  };
  const std::string quoted = text_in_toml(escape);
  write("a.toml", "title = " + quoted + "\n" + body);
  is_quiet({"run", "a.toml", "--out", "o"});
  is_quiet({"run", "a.toml", "--out", escape});
  is_quiet({"run", escape});
  is_quiet({"run", "a.toml", "--set", escape + "=1"});
  is_quiet({"run", "a.toml", "--set", "friction.model=" + escape});
  is_quiet({"show", escape});
  is_quiet({escape});
  is_quiet({"run", "a.toml", "--" + escape});
  write("b.toml", quoted + " = 1\n" + body);
  is_quiet({"run", "b.toml"});
  write("c.toml", escape);
  is_quiet({"run", "c.toml"});
  write("d.csv", escape + ",x\n0,0\n" + escape + ",1\n");
  is_quiet({"eval", "dai", "--input", "d.csv"});
  is_quiet({"loops", "d.csv", "--x", escape, "--y", "x"});
  write("e.csv", "t,v\n0,0\n1," + escape + "\n");
  is_quiet({"eval", "dai", "--input", "e.csv"});
  make_sweep();
  change("UPDATE about SET value = ? WHERE key = 'title'", escape + "\nasperity: error: forged");
  change("UPDATE measures SET name = ?", escape + "\nforged");
  const answer told = is_quiet({"sweep", "s.sqlite", "--plot", "none"});
  EXPECT_EQ(told.out.find("\nforged"), std::string::npos);
  EXPECT_EQ(told.out.find("\nasperity: error"), std::string::npos);
  change("UPDATE results SET outcome = ?", escape);
  change("UPDATE results SET detail = ?", escape + "\nforged");
  EXPECT_EQ(is_quiet({"sweep", "s.sqlite", "--plot", "none"}).err.find("\nforged"),
            std::string::npos);
  write("r.json", json{{"claims",
                        {{{"id", "rogner_2017/fig_2_9"},
                          {"claim", escape},
                          {"execution", escape},
                          {"verdict", escape},
                          {"unit", escape},
                          {"ours", {1.0}}}}}}
                      .dump());
  is_quiet({"reproduce", "rogner_2017/fig_2_9", "--compare", "r.json"});
  is_quiet({"reproduce", "rogner_2017/fig_2_9", "--compare", "r.json", "--json"});
  fs::create_directories(folder / "e/a");
  write("e/a/fig.toml", experiment(escape));
  is_quiet({"experiments", "--experiments", "e"});
  is_quiet({"reproduce", "--experiments", "e"});
  const std::string source = content(examples + "/inclusions/two_bodies.toml");
  write("i.toml", "title = " + quoted + "\n" + source.substr(source.find("[system]")));
  is_quiet({"inclusion", "i.toml"});
  is_quiet({"inclusion", "i.toml", "--emit", "c"});
}

// ---- files that are not ours to read ------------------------------------------------------------

// Every option that reads a file.
std::vector<std::vector<std::string>> readers_of(const std::string& file) {
  return {{"run", file},
          {"sweep", file},
          {"sweep", file, "--over", "speed=1, 2", "--measure", "maximum(f)"},
          {"sweep", "good.toml", "--over", "speed=1, 2", "--measure", "maximum(f)", "--out", file},
          {"inclusion", file},
          {"slip-map", file},
          {"limit-surface", file},
          {"hysteresis", file},
          {"eval", "dai", "--input", file},
          {"loops", file, "--x", "x", "--y", "y"},
          {"invert", "play", "--wanted", file},
          {"reproduce", "rogner_2017/fig_2_9", "--compare", file},
          {"run", "csv.toml", "--set", "force.file=" + file},
          {"limit-surface", "--set", "shape=grid", "--set", "file=" + file}};
}

const std::string with_csv =
    "[system]\nkind = \"mass_under_force\"\nmass = 1\n[friction]\nmodel = \"dai\"\n"
    "[force]\nkind = \"csv\"\nfile = \"none\"\ncolumn = \"f\"\n[run]\nduration = 1\n";

TEST_F(hostile, DevicesAndPipesAreRefusedAtOnce) {
  write("csv.toml", with_csv);
  write("good.toml", body);
  ASSERT_EQ(mkfifo(path("pipe.toml").c_str(), 0600), 0);
  for (const std::string& file :
       {"/dev/zero"s, "/dev/tty"s, "/dev/stdin"s, path("pipe.toml"), path("")})
    for (const auto& arguments : readers_of(file)) {
      SCOPED_TRACE(arguments[0] + " " + file);
      if (file == "/dev/stdin") continue;  // below
      const answer told = quickly(arguments);
      EXPECT_EQ(told, 2);
      EXPECT_EQ(std::count(told.err.begin(), told.err.end(), '\n'), 1) << told.err;
    }
  // Standard input: a pipe is refused, a file behind it is a file.
  EXPECT_EQ(
      finish(launch({"sh", "-c", "sleep 2 | timeout -s KILL 10 " + program + " run /dev/stdin"})),
      2);
  EXPECT_NE(content("err").find("'/dev/stdin': it is a pipe"), std::string::npos) << content("err");
  EXPECT_EQ(finish(launch({"sh", "-c", program + " run /dev/stdin --out o < good.toml"})), 0);
  // Found in a folder of experiments.
  fs::create_directories(folder / "e/a");
  ASSERT_EQ(mkfifo(path("e/a/fig.toml").c_str(), 0600), 0);
  EXPECT_EQ(quickly({"reproduce", "--experiments", "e"}), 2);
  EXPECT_EQ(quickly({"experiments", "--experiments", "e"}), 2);
}

TEST_F(hostile, HugeFilesAreRefusedAtOnce) {
  write("csv.toml", with_csv);
  write("good.toml", body);
  write("huge.toml", "");
  fs::resize_file(folder / "huge.toml", std::uintmax_t(1) << 42U);  // a hole
  for (const auto& arguments : readers_of("huge.toml")) {
    SCOPED_TRACE(arguments[0]);
    const answer told = quickly(arguments);
    EXPECT_EQ(told, 2);
    for (const char* words : {"'huge.toml'", "4398046511104 bytes", "at most "})
      EXPECT_NE(told.err.find(words), std::string::npos) << told.err;
  }
}

TEST_F(hostile, NoLineOfAnyFileIsShown) {
  write("csv.toml", with_csv);
  write("good.toml", body);
  // As /etc/passwd, /etc/shadow, a key, a configuration and a log look like.
  const std::vector<std::string> secrets{
      "root:x:0:0:SECRETONE:/root:/bin/bash\npostgres:x:101:104:SECRETTWO admin,,,:/var:/bin/sh\n",
      "root:$y$j9T$SECRETONE$SECRETTWO:19000:0:99999:7:::\n",
      "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaSECRETONE+/SECRETTWO==\n-----END\n",
      "# comment\npassword=SECRETONE\nkey: SECRETTWO,SECRETONE\n",
      "[section]\npassword = SECRETONE\nSECRETTWO\n",
      "2024-01-01 00:00:00 login SECRETONE, from SECRETTWO\n2024-01-01,x,y\n",
      "{\"password\": \"SECRETONE\", SECRETTWO}\n",
      "SQLite format 3",
  };
  for (const auto& text : secrets) {
    write("secret.toml", text);
    for (const auto& arguments : readers_of("secret.toml")) {
      SCOPED_TRACE(arguments[0] + "\n" + text);
      const answer told = quickly(arguments);
      EXPECT_EQ(told, 2);
      EXPECT_EQ(told.text().find("SECRET"), std::string::npos) << told.text();
    }
  }
}

// The library that makes HDF5 looks for a file before it makes one in memory.
TEST_F(hostile, NoFileIsReadInPlaceOfOneInMemory) {
  write("a.toml", body);
  ASSERT_EQ(mkfifo(path("asperity, in memory").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo(path("series").c_str(), 0600), 0);
  const answer told = quickly({"run", "a.toml", "--format", "h5"});
  EXPECT_TRUE(told == 0 || told.err.find("HDF5") != std::string::npos);
}

// ---- databases ----------------------------------------------------------------------------------

// SQLite plays a journal back, and deletes the file whose name stands at its end.
TEST_F(hostile, AJournalDeletesNoOtherFile) {
  make_sweep();
  write("victim", "precious");
  const std::string magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", name = path("victim");
  const auto number = [](std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xffU);
    return bytes;
  };
  const std::string data = content("s.sqlite");
  const auto page = static_cast<std::uint32_t>(static_cast<unsigned char>(data[16]) * 256 +
                                               static_cast<unsigned char>(data[17]));
  std::string journal = magic + number(0) + number(0) +
                        number(static_cast<std::uint32_t>(data.size()) / page) + number(512) +
                        number(page);
  journal.resize(512);
  std::uint32_t sum = 0;
  for (const char c : name) sum += static_cast<unsigned char>(c);
  journal += number(0x40000000 / page + 1) + name +
             number(static_cast<std::uint32_t>(name.size())) + number(sum) + magic;
  write("s.sqlite-journal", journal);
  fs::create_symlink("s.sqlite", path("alias.sqlite"));
  for (const std::string& file : {"s.sqlite"s, "alias.sqlite"s}) {
    refuses({"sweep", file, "--plot", "none"}, {"-journal", "refers to another file"});
    refuses(sweep_into(file), {"-journal", "refers to another file"});
  }
  EXPECT_EQ(content("victim"), "precious");
  // Without our check it would be gone, as here.
  {
    SQLite::Database unguarded(path("s.sqlite"), SQLite::OPEN_READWRITE);
    static_cast<void>(unguarded.execAndGet("SELECT count(*) FROM results"));
  }
  EXPECT_FALSE(fs::exists(path("victim"))) << "the journal of this test is no longer hostile";
}

TEST_F(hostile, AFileOfResultsHoldsNoPrograms) {
  for (const std::string& statement :
       {"CREATE TRIGGER t AFTER UPDATE ON chunks BEGIN DELETE FROM results; END"s,
        "CREATE VIEW v AS SELECT 1"s, "CREATE VIRTUAL TABLE f USING fts3(x)"s}) {
    make_sweep(statement.substr(7, 4) + ".sqlite");
    change(statement, "", statement.substr(7, 4) + ".sqlite");
    refuses({"sweep", statement.substr(7, 4) + ".sqlite", "--plot", "none"}, {"not a sweep file"});
  }
  // A table of results without an end.
  make_sweep();
  change("ALTER TABLE results RENAME TO r", "");
  change(
      "CREATE VIEW results AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT "
      "i AS point, NULL AS branch, '' AS outcome, '' AS detail, i AS speed FROM n",
      "");
  EXPECT_EQ(quickly({"sweep", "s.sqlite", "--plot", "none"}), 2);
}

// Who holds a part of a sweep is looked up in /proc, by a number.
TEST_F(hostile, AnOwnerIsANumberAndNotAPath) {
  make_sweep();
  ASSERT_EQ(mkfifo(path("stat").c_str(), 0600), 0);
  char host[256] = "";
  ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
  change("UPDATE chunks SET done = 0, claimed = 0, owner = ?",
         std::string(host) + " .." + path("") + " 1");
  EXPECT_EQ(quickly(sweep_into("s.sqlite")), 0);
}

// ---- links --------------------------------------------------------------------------------------

TEST_F(hostile, PlantedLinksAreNotFollowed) {
  write("victim", "precious");
  write("a.toml", body);
  fs::create_directory(folder / "o");
  for (const char* name : {"plot.svg", "plot.svg.gp", "plot.svg.log", "series.csv", "summary.json"})
    fs::create_symlink("../victim", folder / "o" / name);
  write("o/.asperity", "");
  EXPECT_EQ(run({"run", "a.toml", "--force", "--out", "o"}), 0);
  for (const auto& entry : fs::directory_iterator(folder / "o"))
    EXPECT_FALSE(entry.is_symlink()) << entry.path();
  make_sweep();
  for (const char* name :
       {"s.svg", "s.svg.gp", "s.svg.log", "s.png", "t.lists.csv", "t.csv.unfinished"})
    fs::create_symlink("victim", path(name));
  EXPECT_EQ(run({"sweep", "s.sqlite", "--plot", "svg", "--force", "--export", "t.csv"}), 0);
  EXPECT_EQ(content("victim"), "precious");
  EXPECT_EQ(content("t.lists.csv").substr(0, 5), "point");
  EXPECT_EQ(fs::is_symlink(path("s.svg")), !has_gnuplot());
  // Names that nobody gave, where somebody has put links.
  fs::create_directory(folder / "empty");
  fs::create_directory_symlink("empty", path("a.run"));
  refuses({"run", "a.toml"}, {"'a.run' is a symbolic link", "--out"});
  fs::create_symlink("new.sqlite", path("a.sweep.sqlite"));
  refuses({"sweep", "a.toml", "--over", "speed=0.1, 0.2", "--measure", "maximum(f)"},
          {"'a.sweep.sqlite' is a symbolic link"});
  EXPECT_TRUE(fs::is_empty(folder / "empty"));
  EXPECT_FALSE(fs::exists(path("new.sqlite")));
}

TEST_F(hostile, LinksThatAreNamedStayLinks) {
  write("a.toml", body);
  write("in.csv", "t,v\n0,0\n1,1\n");
  fs::create_directory(folder / "disk");
  for (const char* name : {"run", "force.csv", "s.sqlite", "t.csv"})
    fs::create_symlink("disk/"s + name, path(name));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run({"run", "a.toml", "--force", "--out", "run"}), 0);
    EXPECT_EQ(run({"eval", "dai", "--input", "in.csv", "--force", "--out", "force.csv"}), 0);
    EXPECT_EQ(run({"sweep", "a.toml", "--over", "speed=0.1, 0.2", "--measure", "maximum(f)",
                   "--force", "--out", "s.sqlite", "--export", "t.csv"}),
              0);
  }
  for (const char* name : {"run", "force.csv", "s.sqlite", "t.csv"}) {
    EXPECT_TRUE(fs::is_symlink(path(name))) << name;
    EXPECT_TRUE(fs::exists(folder / "disk" / name)) << name;
  }
  EXPECT_TRUE(fs::exists(path("disk/run/series.csv")));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "disk"), fs::directory_iterator()), 4)
      << "nothing is left beside them";
  fs::create_symlink("/proc/self/fd/1", path("standard_output"));  // as /dev/stdout is
  EXPECT_EQ(run("eval dai --input in.csv --force --out standard_output"), 0);
  EXPECT_EQ(content("out"), content("force.csv"));
}

// Inputs of a scenario travel with the result, under names of ours.
TEST_F(hostile, CopiesOfInputsStayInTheResult) {
  write("push.csv", "t,f\n0,0\n1,1\n");
  write("a.toml",
        "[system]\nkind = \"inclusion\"\n[inputs.\"../../owned\"]\nkind = \"csv\"\nfile = "
        "\"push.csv\"\n"
        "column = \"f\"\n[states]\nx = { rate = \"1\" }\n[run]\nduration = 1\n");
  refuses({"run", "a.toml"}, {"../../owned"});
  write("b.toml", with_csv);
  const std::string name = "`touch ran`\x1b$(touch ran).csv";
  fs::copy_file(folder / "push.csv", folder / name);
  EXPECT_EQ(run({"run", "b.toml", "--set", "force.file=" + name, "--out", "o"}), 0);
  EXPECT_EQ(content("o/force.csv"), content("push.csv"));
}

}  // namespace
}  // namespace asperity::testing
