// SPDX-License-Identifier: Apache-2.0
// The rooms of the library stand in an order, and each includes only those before it. The graph is
// computed from the sources, so a cycle or an include upwards stops here.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace asperity {
namespace {

namespace fs = std::filesystem;

// "" are the files beside the folders: units, errors, texts, and what a model is.
// Laws over the cells of a patch lie in its room, behind models: they take curves from there, and
// the models stay headers without a library.
const std::vector<std::string> rooms{
    "scalar", "",           "nonsmooth", "models",    "patch",   "catalogue", "text", "laws",
    "export", "compensate", "integrate", "mechanics", "systems", "batch",     "draw", "inclusion",
    "run",    "fmi",        "analysis",  "identify",  "sweep",   "publish"};

struct include {
  std::string from, to;  // files
};

std::string room_of(const std::string& file) {
  const auto first = file.find('/'), second = file.find('/', first + 1);
  return second == std::string::npos ? "" : file.substr(first + 1, second - first - 1);
}

// All includes of ours in the library, its tests left out: they may look at anything. The front door
// includes what it opens to.
std::vector<include> includes_in(const fs::path& root) {
  static const std::regex line_of_include(R"re(#include [<"](asperity/[^>"]+)[>"].*)re");
  std::vector<include> found;
  for (const auto& entry : fs::recursive_directory_iterator(root / "asperity")) {
    const std::string file = entry.path().lexically_relative(root).generic_string();
    const bool is_source = file.ends_with(".hpp") || file.ends_with(".cpp");
    if (!is_source || file.ends_with("_test.cpp") || file == "asperity/asperity.hpp") continue;
    std::ifstream in(entry.path());
    std::smatch match;
    for (std::string line; std::getline(in, line);)
      // What the build makes lists models, and stands in no room.
      if (std::regex_match(line, match, line_of_include) &&
          !match[1].str().starts_with("asperity/generated/"))
        found.push_back({file, match[1]});
  }
  return found;
}

// What is wrong with a graph of includes, in sentences.
std::vector<std::string> complaints(const std::vector<include>& graph) {
  std::vector<std::string> result;
  const auto rank = [&](const std::string& file) {
    const auto place = std::find(rooms.begin(), rooms.end(), room_of(file));
    if (place == rooms.end()) result.push_back(file + ": the room is not in the list");
    return place - rooms.begin();
  };
  for (const auto& [from, to] : graph)
    if (rank(to) > rank(from))
      result.push_back(from + " includes " + to + ", which stands above it");
  return result;
}

const fs::path root = ASPERITY_SOURCE_DIR;

TEST(rooms, IncludeOnlyWhatStandsBeforeThem) {
  const auto graph = includes_in(root);
  EXPECT_GT(graph.size(), 400U);
  for (const std::string& each : complaints(graph)) ADD_FAILURE() << each;
}

TEST(rooms, AllHaveFiles) {
  std::set<std::string> seen;
  for (const auto& entry : fs::directory_iterator(root / "asperity"))
    seen.insert(entry.is_directory() ? entry.path().filename().string() : "");
  EXPECT_EQ(seen, std::set<std::string>(rooms.begin(), rooms.end()));
}

// Rooms in an order leave cycles between the files of one room.
TEST(rooms, NoHeadersIncludeEachOther) {
  std::map<std::string, std::vector<std::string>> next;
  for (const auto& [from, to] : includes_in(root)) next[from].push_back(to);
  std::map<std::string, int> state;  // 1: on the way, 2: done
  std::vector<std::string> way;
  const auto visit = [&](const auto& self, const std::string& file) -> void {
    if (state[file] == 2) return;
    way.push_back(file);
    if (state[file] == 1) {
      std::string text;
      for (const auto& each : way) text += each + " ";
      ADD_FAILURE() << "a cycle: " << text;
    } else {
      state[file] = 1;
      for (const auto& each : next[file]) self(self, each);
      state[file] = 2;
    }
    way.pop_back();
  };
  for (const auto& entry : std::map(next)) visit(visit, entry.first);
}

// asperity/portable.hpp has them for the standard libraries that do not; the page in the browser would
// not compile. The rest is seen by ./dev portable alone.
TEST(rooms, UseNothingThatEmscriptenLacks) {
  for (const auto& entry : fs::recursive_directory_iterator(root / "asperity")) {
    const std::string file = entry.path().filename().string();
    if (!file.ends_with(".hpp") && !file.ends_with(".cpp")) continue;
    if (file == "portable.hpp") continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);)
      EXPECT_EQ(line.find("std::bit_cast"), std::string::npos) << entry.path() << ": " << line;
  }
}

// A null that turns into an object or a list where memory runs out crashes the destructor of the JSON
// library (3.11.2): they are made empty before they are filled.
std::vector<std::string> nulls_to_fill(const std::string& text) {
  static const std::regex null(R"re(\bjson [a-z_]+;)re");
  static const std::regex filled(R"re(\b([a-z_]+)\["([a-z_]+)"\](\.push_back|\[))re");
  std::vector<std::string> found;
  std::smatch match;
  if (std::regex_search(text, match, null)) found.push_back(match.str());
  for (std::sregex_iterator each(text.begin(), text.end(), filled), end; each != end; ++each) {
    const std::string key = '"' + (*each)[2].str() + '"', of = (*each)[1].str() + '[' + key + ']';
    if (text.find(of + " = ") == std::string::npos &&
        text.find('{' + key + ", ") == std::string::npos)
      found.push_back(each->str());
  }
  return found;
}

TEST(rooms, JsonIsMadeBeforeItIsFilled) {
  EXPECT_EQ(nulls_to_fill("  json all;\n").size(), 1U);
  EXPECT_EQ(nulls_to_fill("json all = json::object(); all[\"a\"].push_back(1);").size(), 1U);
  EXPECT_EQ(nulls_to_fill("all[\"a\"][name] = 1;").size(), 1U);
  EXPECT_EQ(nulls_to_fill("all[\"a\"] = json::array(); all[\"a\"].push_back(1);").size(), 0U);
  for (const char* folder : {"asperity", "cli", "c", "python", "web/core"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string file = entry.path().string();
      if (!file.ends_with(".cpp") || file.ends_with("_test.cpp")) continue;
      std::ifstream in(entry.path());
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      if (text.find("json") == std::string::npos) continue;
      for (const auto& each : nulls_to_fill(text)) ADD_FAILURE() << file << ": " << each;
    }
}

// The test itself can fail.
TEST(rooms, WrongIncludesAreSeen) {
  EXPECT_EQ(complaints({{"asperity/text/csv.cpp", "asperity/run/scenario.hpp"}}).size(), 1U);
  EXPECT_EQ(complaints({{"asperity/model.hpp", "asperity/run/scenario.hpp"}}).size(), 1U);
  EXPECT_EQ(complaints({{"asperity/run/scenario.hpp", "asperity/units.hpp"}}).size(), 0U);
  EXPECT_GE(complaints({{"asperity/scenario/x.hpp", "asperity/units.hpp"}}).size(), 1U);
}

}  // namespace
}  // namespace asperity
