// SPDX-License-Identifier: Apache-2.0
// `asperity mutants`: what it says and how it ends. What a mutant is: asperity/publish/mutants_test.cpp.

#include <nlohmann/json.hpp>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

class cli_mutants : public program_test {
 protected:
  // A circle under 1 - |y|: without the second claim nobody sees where the top of the map lies.
  void write_circle(const std::string& more) const {
    fs::create_directories(folder / "e/someone_1900");
    write("e/someone_1900/fig_1.toml", R"(
title = "A circle"
source = "Someone 1900"
[[analysis]]
kind = "mapped_curve"
name = "curve"
curve = "circle"
q_c = 1
[[claim]]
text = "no area"
source_says = "zero"
run = "curve"
measure = "loop_area"
column = "q"
over = "x"
equals = 0
tolerance = 1e-9
)" + more);
  }
};

const std::string top =
    "[[claim]]\ntext = 'it reaches 1'\nsource_says = 'q = 1'\nrun = 'curve'\nmeasure = "
    "'maximum'\ncolumn = 'q'\nequals = 1\ntolerance = 1e-9\n";
const std::string reason =
    "[[unnoticed]]\nmutants = ['q_c +10 %', 'q_c -10 %']\nreason = 'nobody says how high it is'\n";

TEST_F(cli_mutants, WhatNobodyNoticesFails) {
  write_circle("");
  const answer told = run("mutants --experiments e");
  EXPECT_EQ(told, 1);
  EXPECT_NE(told.out.find("UNNOTICED  q_c +10 %"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("0 of 2, 0 %"), std::string::npos) << told.out;
}

TEST_F(cli_mutants, AClaimNotices) {
  write_circle(top);
  const answer told = run("mutants --experiments e --all");
  EXPECT_EQ(told, 0);
  EXPECT_NE(told.out.find("noticed    q_c -10 %: it reaches 1"), std::string::npos) << told.out;
}

TEST_F(cli_mutants, AReasonExplainsAndGoesStale) {
  write_circle(reason);
  const answer told = run("mutants --experiments e --json");
  EXPECT_EQ(told, 0);
  const auto report = nlohmann::json::parse(told.out);
  EXPECT_EQ(report["sources"]["someone_1900"]["parameter"]["explained"], 2);
  EXPECT_EQ(report["experiments"][0]["mutants"][0]["why"], "nobody says how high it is");
  write_circle(top + reason);
  EXPECT_EQ(run("mutants --experiments e"), 1);
}

TEST_F(cli_mutants, AReasonForNothingIsRefused) {
  write_circle("[[unnoticed]]\nmutants = 'q_d +10 %'\nreason = 'so'\n");
  const answer told = run("mutants --experiments e");
  EXPECT_EQ(told, 2);
  EXPECT_NE(told.err.find("there is no mutant 'q_d +10 %'"), std::string::npos) << told.err;
}

}  // namespace
}  // namespace asperity::testing
