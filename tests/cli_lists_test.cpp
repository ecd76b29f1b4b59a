// SPDX-License-Identifier: Apache-2.0
// asperity systems, methods and measures: what lists itself, for people and for programs.

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
