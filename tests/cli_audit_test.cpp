// SPDX-License-Identifier: Apache-2.0
// The audit and the contacts with friction on the command line.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace {

namespace fs = std::filesystem;

struct answer {
  int code;
  std::string text;  // standard output and error
};
answer asperity(const std::string& arguments) {
  const std::string command = ASPERITY_BINARY_DIR "/cli/asperity " + arguments + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) text += static_cast<char>(c);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

class cli_audit : public ::testing::Test {
 protected:
  fs::path folder = fs::temp_directory_path() / ("asperity_cli_audit_" + std::to_string(getpid()));
  void SetUp() override { fs::create_directory(folder); }
  void TearDown() override { fs::remove_all(folder); }
};

const std::string sphere = ASPERITY_SOURCE_DIR "/examples/launched_sphere.toml";

TEST_F(cli_audit, WritesTheBooksAndSaysThatTheyClose) {
  const auto out = (folder / "run").string();
  const auto told = asperity("run " + sphere + " --audit --plot none --out " + out +
                             " --set run.audit_tolerance=1e-6");
  EXPECT_EQ(told.code, 0) << told.text;
  EXPECT_NE(told.text.find("audit:"), std::string::npos);
  std::ifstream series(out + "/audit.csv");
  std::string names;
  std::getline(series, names);
  for (const char* each : {"kinetic", "potential", "contact_slider", "residual_bodies", "total"})
    EXPECT_NE(names.find(each), std::string::npos) << each;
  std::ifstream stream(out + "/summary.json");
  const auto summary = nlohmann::json::parse(stream);
  EXPECT_LT(summary["audit"]["greatest_gap_relative"], 1e-6);
  EXPECT_TRUE(summary["audit"]["findings"].empty());
}

TEST_F(cli_audit, FailsAndNamesThePlaceWhereTheBooksDoNotClose) {
  // Far too long a step, and no tolerance for it.
  const auto told =
      asperity("run " + sphere + " --audit --plot none --out " + (folder / "run").string() +
               " --set integrator.method=rk4 --set integrator.step=1e-3 --set "
               "run.audit_tolerance=1e-12");
  EXPECT_EQ(told.code, 1);
  EXPECT_NE(told.text.find("audit: contact (model 'dai_frictional_contact'): the balance does not "
                           "close, from t = "),
            std::string::npos)
      << told.text;
}

// Every example keeps books that close.
TEST_F(cli_audit, ClosesForEveryExample) {
  int count = 0;
  for (const char* place : {"/examples", "/examples/inclusions"})
    for (const auto& entry : fs::directory_iterator(ASPERITY_SOURCE_DIR + std::string(place))) {
      if (entry.path().extension() != ".toml") continue;
      const bool is_long = entry.path().stem() == "discs";
      const auto told = asperity("run " + entry.path().string() + " --audit --plot none --quiet " +
                                 (is_long ? "--set run.duration=0.2 --out " : "--out ") +
                                 (folder / "run").string());
      EXPECT_EQ(told.code, 0) << entry.path() << ": " << told.text;
      ++count;
    }
  EXPECT_GE(count, 14);
}

// What has no energy says so.
TEST_F(cli_audit, RefusesWhatHasNoEnergyAndSaysWhy) {
  const auto file = (folder / "curve.toml").string();
  std::ofstream(file) << "[system]\nkind = \"mapped_curve\"\n[run]\nduration = 1\n";
  const auto told = asperity("run " + file + " --audit --out " + (folder / "run").string());
  EXPECT_EQ(told.code, 2);
  EXPECT_NE(
      told.text.find("a mapped_curve keeps no books of its energy: a curve and its image are"),
      std::string::npos)
      << told.text;
  EXPECT_FALSE(fs::exists(folder / "run"));
}

TEST_F(cli_audit, ListsAndShowsContactsWithFriction) {
  EXPECT_NE(asperity("models").text.find("azad_featherstone_stribeck"), std::string::npos);
  const auto shown = asperity("show dai_frictional_contact");
  EXPECT_EQ(shown.code, 0);
  for (const char* each : {"Equations", "beta_2", "coefficient of friction", "a_x"})
    EXPECT_NE(shown.text.find(each), std::string::npos) << each;
}

}  // namespace
