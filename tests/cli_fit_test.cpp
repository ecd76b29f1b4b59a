// SPDX-License-Identifier: Apache-2.0
// `asperity fit` as a user calls it: what it finds by itself, and what it refuses in one line.

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

class cli_fit : public program_test {
 protected:
  // Coulomb friction of 2 N with 3 N s/m, to and fro.
  static std::string rubbing() {
    std::string text = "t,v,f\n";
    for (int i = 0; i < 300; ++i) {
      const double t = 0.01 * i, v = 0.3 * std::cos(5 * t);
      text += fmt::format("{},{},{}\n", t, v, (v > 0 ? 2 : -2) + 3 * v);
    }
    return text;
  }
  void refuses(std::vector<std::string> more, const std::string& words) {
    std::vector<std::string> all{"fit", "dai", "--data", "rub.csv"};
    all.insert(all.end(), more.begin(), more.end());
    const answer told = run(all);
    EXPECT_EQ(told, 2) << words;
    EXPECT_NE(told.err.find(words), std::string::npos) << told.err;
  }
};

TEST_F(cli_fit, ColumnsNamedAsTheInputsNeedNoOptions) {
  write("rub.csv", rubbing());
  const answer told = run({"fit", "coulomb_viscous", "--data", "rub.csv", "--json"});
  ASSERT_EQ(told, 0) << told.err;
  std::map<std::string, double> found;
  const auto report = nlohmann::json::parse(told.out);
  for (const auto& each : report["parameters"]) found[each["name"]] = each["value"];
  EXPECT_NEAR(found["F_c"], 2, 1e-3) << told.out;
  EXPECT_NEAR(found["sigma_2"], 3, 1e-3) << told.out;
}

TEST_F(cli_fit, WhatCannotBeIsRefusedInOneLine) {
  write("rub.csv", rubbing());
  refuses({"--elements", "-1"}, "--elements");
  refuses({"--elements", "0"}, "--elements");
  refuses({"--elements", "3"}, "has no elements");
  refuses({"--starts", "-5"}, "starts = -5");
  refuses({"--starts", "100000000"}, "from 0 to 10000");
  refuses({"--free", "K", "--hold", "K"}, "both free and held");
  refuses({"--settle", "-1 s"}, "--settle");
  refuses({"--warm-up", "-1"}, "--warm-up");
  refuses({"--hold-out", "0.95"}, "--hold-out");
  refuses({"--sensor", "colour"}, "--sensor colour");
}

// An advice must work when it is followed.
TEST_F(cli_fit, TheAdviceForAMissingColumnWorks) {
  write("rub.csv", rubbing());
  std::string other = rubbing();
  other.replace(0, 6, "t,v,mine\n");
  write("other.csv", other);
  const answer told = run({"fit", "coulomb_viscous", "--data", "other.csv"});
  EXPECT_EQ(told, 2);
  const std::string option = "--column f=";
  ASSERT_NE(told.err.find(option + "COLUMN"), std::string::npos) << told.err;
  EXPECT_EQ(run({"fit", "coulomb_viscous", "--data", "other.csv", "--column", "f=mine"}), 0);
}

}  // namespace
}  // namespace asperity::testing
