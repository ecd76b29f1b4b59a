// SPDX-License-Identifier: Apache-2.0
// Every command line that README, docs, examples and --help show can be typed: it is valid shell, its
// subcommand exists, and so does each of its options. Every option of the program is documented.

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

const std::string source = ASPERITY_SOURCE_DIR;

std::string read(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// What the shell sees as words of the command: quotes, comments and what follows a pipe left out.
std::string bare(const std::string& text) {
  std::string result;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '#' && i > 0 && text[i - 1] == ' ') {
      i = std::min(text.find('\n', i), text.size()) - 1;
      continue;
    }
    if (c == '"' || c == '\'') {
      quote = c;
      result += '"';
    } else {
      result += c;
    }
  }
  return result;
}

struct shown_command {
  std::string place;  // file and line
  std::string text;   // with continuation lines
  // A synopsis shows what may be given: [--json], a|b, ...
  bool is_synopsis() const {
    return std::regex_search(bare(text), std::regex(R"(\[[-A-Z]|[a-zA-Z] \| |\.\.\.)"));
  }
};

// "   # asperity run x" in a TOML file, an indented line or one of a fenced block.
void collect(const std::string& place, const std::string& text, bool is_markdown,
             std::vector<shown_command>& found) {
  const auto lines = lines_of(text);
  bool fenced = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_markdown && lines[i].starts_with("```")) fenced = !fenced;
    static const std::regex begins(R"(^(#?)(\s*)((mpirun|srun) [^']*)?asperity\s+[-a-z[].*)");
    std::smatch parts;
    if (!std::regex_match(lines[i], parts, begins)) {
      // In the middle of a sentence: `asperity show lugre`.
      static const std::regex inside("`asperity ([a-z][^`]*)`");
      if (is_markdown && !fenced)
        for (std::sregex_iterator at(lines[i].begin(), lines[i].end(), inside), end; at != end;
             ++at)
          found.push_back({place + ":" + std::to_string(i + 1), "asperity " + (*at)[1].str()});
      continue;
    }
    const bool is_code =
        parts[1].length() > 0 || fenced || parts[2].length() >= (is_markdown ? 4 : 2);
    if (!is_code) continue;
    const std::size_t first = i;
    std::string all = lines[i];
    while (all.ends_with("\\") && i + 1 < lines.size()) all += "\n" + lines[++i];
    if (parts[1].length() > 0) all = std::regex_replace(all, std::regex("(^|\n)#"), "$1");
    found.push_back({place + ":" + std::to_string(first + 1), all.substr(all.find("asperity "))});
  }
}

class cli_synopsis : public program_test {
 protected:
  std::string help(const std::string& of) const {
    const answer a = run(of.empty() ? "--help" : of + " --help");
    EXPECT_EQ(a, 0);
    return a.out;
  }
  // Of the program itself under "".
  std::map<std::string, std::set<std::string>> options() const {
    std::map<std::string, std::set<std::string>> result;
    const std::string whole = help("");
    static const std::regex name("^  ([a-z][-a-z]*)  +[A-Z].*");
    std::vector<std::string> commands{""};
    bool listing = false;
    for (const auto& line : lines_of(whole)) {
      if (line.starts_with("Subcommands")) listing = true;
      if (line.starts_with("Examples")) listing = false;
      std::smatch parts;
      if (listing && std::regex_match(line, parts, name)) commands.push_back(parts[1]);
    }
    static const std::regex option("^  (-[a-zA-Z],)?(--[-a-z]+).*");
    for (const auto& command : commands)
      for (const auto& line : lines_of(help(command))) {
        std::smatch parts;
        if (std::regex_match(line, parts, option)) result[command].insert(parts[2]);
      }
    return result;
  }
  std::vector<shown_command> all_shown() const {
    std::vector<shown_command> found;
    for (const char* file : {"README.md", "CONTRIBUTING.md"})
      collect(file, read(fs::path(source) / file), true, found);
    // extending.md shows a command that is not there yet; ./dev test --toys types it.
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(source) / "docs"))
      if (entry.path().extension() == ".md" && entry.path().filename() != "extending.md")
        collect("docs/" + entry.path().filename().string(), read(entry.path()), true, found);
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(source) / "examples"))
      if (entry.path().extension() == ".toml")
        collect("examples/" + entry.path().filename().string(), read(entry.path()), false, found);
    for (const auto& [command, ignored] : options())
      collect("asperity " + command + " --help", help(command), false, found);
    return found;
  }
};

TEST_F(cli_synopsis, TheListsOfCommandsAndOptionsAreFound) {
  const auto all = options();
  EXPECT_GE(all.size(), 18U);
  EXPECT_TRUE(all.at("run").contains("--set"));
  EXPECT_TRUE(all.at("reproduce").contains("--compare"));
  EXPECT_FALSE(all.contains("asperity"));
  std::map<std::string, int> places;
  for (const auto& each : all_shown()) ++places[each.place.substr(0, each.place.find(':'))];
  for (const char* file : {"README.md", "docs/command-line.md", "docs/sweeps.md",
                           "examples/creep.toml", "asperity  --help", "asperity run --help"})
    EXPECT_GT(places[file], 0) << file;
}

TEST_F(cli_synopsis, NamesCommandsAndOptionsThatThereAre) {
  const auto all = options();
  EXPECT_TRUE(all.at("").contains("--plugin"));
  for (const auto& each : all_shown()) {
    // An option of the program itself, in front of any command.
    static const std::regex plugin(R"(^asperity (--plugin [^ ]+ )+)");
    std::string words = std::regex_replace(bare(each.text), plugin, "asperity ");
    // "systems | methods" are alternatives; what else stands behind a pipe is another program.
    static const std::regex pipe(R"( \| ([a-z][-a-z]*))");
    std::smatch other;
    if (std::regex_search(words, other, pipe) && !all.contains(other[1]))
      words.erase(static_cast<std::size_t>(other.position(0)));
    static const std::regex commands(R"(^asperity ((?:[a-z][-a-z]*(?: \| )?)*))");
    std::smatch parts;
    std::set<std::string> allowed{"--help"};
    if (std::regex_search(words, parts, commands) && parts[1].length() > 0) {
      // "systems | methods | measures" are three.
      const std::string names = parts[1];
      static const std::regex one("[a-z][-a-z]*");
      std::sregex_iterator at(names.begin(), names.end(), one), end;
      bool is_first = true;
      for (; at != end; ++at) {
        if (!is_first && names.find(" | ") == std::string::npos) break;
        is_first = false;
        const auto found = all.find(at->str());
        ASSERT_TRUE(found != all.end()) << each.place << ": " << each.text << "\n" << at->str();
        allowed.insert(found->second.begin(), found->second.end());
      }
    } else {
      allowed = all.at("");
    }
    static const std::regex option(R"((?:^|[\s[|])(--[a-z][-a-z]*))");
    for (std::sregex_iterator at(words.begin(), words.end(), option), end; at != end; ++at)
      EXPECT_TRUE(allowed.contains((*at)[1])) << each.place << ": " << each.text << "\n"
                                              << (*at)[1];
  }
}

TEST_F(cli_synopsis, CommandsCanBeTyped) {
  for (const auto& each : all_shown()) {
    // What explains a command is a comment of the shell.
    EXPECT_FALSE(std::regex_search(bare(each.text), std::regex(R"([^ \n]   *[^ \\])")))
        << each.place << ": " << each.text;
    if (each.is_synopsis()) continue;
    write("one.sh", each.text + "\n");
    EXPECT_EQ(finish(launch({"bash", "-n", "one.sh"})), 0)
        << each.place << ": " << each.text << "\n"
        << content("err");
  }
}

TEST_F(cli_synopsis, EveryOptionIsDocumented) {
  std::string docs;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(source) / "docs"))
    if (entry.path().extension() == ".md") docs += read(entry.path());
  for (const auto& [command, names] : options())
    for (const auto& name : names)
      if (name != "--help" && name != "--version") {
        EXPECT_TRUE(std::regex_search(docs, std::regex(name + "[^-a-z]")))
            << command << " " << name;
      }
}

}  // namespace
}  // namespace asperity::testing
