// SPDX-License-Identifier: Apache-2.0
// asperity systems, signals, methods and measures: what lists itself, for people and for programs.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

using nlohmann::json;

class cli_lists : public program_test {};

// Each command, the key of its list, and some that must be in it.
struct listing {
  const char* command;
  const char* key;
  std::vector<const char*> some;
};
const std::vector<listing> listings{
    {"systems", "system", {"mass_on_belt", "inclusion", "discs"}},
    {"signals", "signal", {"constant", "sine", "chirp", "csv", "piecewise"}},
    {"methods", "method", {"automatic", "dopri5", "trbdf2", "switch", "moreau_jean", "cvode"}},
    {"measures", "measure", {"maximum", "restitution", "loop_area", "stick_fraction", "extrema"}}};

TEST_F(cli_lists, SayTheSameToPeopleAndPrograms) {
  for (const auto& each : listings) {
    SCOPED_TRACE(each.command);
    ASSERT_EQ(run({each.command}), 0);
    const std::string text = content("out");
    ASSERT_EQ(run({each.command, "--json"}), 0);
    const json list = json::parse(content("out"));
    std::vector<std::string> names;
    for (const auto& row : list) {
      names.push_back(row[each.key]);
      EXPECT_NE(text.find("\n" + names.back() + " "), std::string::npos) << names.back();
    }
    for (const char* name : each.some)
      EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << "listed twice";
  }
}

// A card has what a scenario can write, and the scenario on it runs.
TEST_F(cli_lists, ShowsEverySystem) {
  ASSERT_EQ(run({"systems", "--json"}), 0);
  for (const auto& row : json::parse(content("out"))) {
    const std::string name = row["system"];
    SCOPED_TRACE(name);
    ASSERT_EQ(run({"show", name}), 0) << content("err");
    const std::string text = content("out");
    ASSERT_EQ(run({"show", name, "--json"}), 0);
    const json card = json::parse(content("out"));
    for (const auto& key : card["keys"])
      EXPECT_NE(text.find(key["key"].get<std::string>()), std::string::npos) << key;
    for (const char* part : {"Equations", "Keys", "Methods", "Energy", "Scenario", "default"})
      EXPECT_NE(text.find(part), std::string::npos) << part;
    EXPECT_FALSE(card["scenario"].get<std::string>().empty());
    EXPECT_GE(card["methods"].size(), 10U);
    write("page.toml", card["scenario"]);
    EXPECT_EQ(run({"run", "page.toml", "--plot", "none", "--out", name}), 0) << content("err");
  }
  EXPECT_EQ(run({"show", "mass_on_belf"}), 2);
  EXPECT_NE(content("err").find("did you mean 'mass_on_belt'"), std::string::npos)
      << content("err");
}

// A method is listed where the tool takes it, and refused with a reason or run.
TEST_F(cli_lists, EveryMethodIsKnownToScenarios) {
  ASSERT_EQ(run({"methods", "--json"}), 0);
  for (const auto& row : json::parse(content("out"))) {
    const std::string method = row["method"];
    run({"run", examples + "/stick_slip.toml", "--set", "integrator.method=" + method, "--set",
         "integrator.step=1e-4", "--set", "run.duration=0.01", "--plot", "none", "--out", method});
    EXPECT_EQ(content("err").find("unknown word"), std::string::npos) << content("err");
  }
}

}  // namespace
}  // namespace asperity::testing
