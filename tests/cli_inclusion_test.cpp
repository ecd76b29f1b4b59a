// SPDX-License-Identifier: Apache-2.0
// asperity inclusion: what it shows, writes and refuses.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string program = ASPERITY_BINARY_DIR "/cli/asperity";
const std::string two_bodies = ASPERITY_SOURCE_DIR "/examples/inclusions/two_bodies.toml";

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class cli_inclusion : public ::testing::Test {
 protected:
  fs::path folder;

  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder = fs::temp_directory_path() / ("asperity_cli_inclusion_" + std::string(info->name()) +
                                          "_" + std::to_string(getpid()));
    fs::remove_all(folder);
    fs::create_directory(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  int run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), program);
    std::vector<char*> pointers;
    for (auto& each : arguments) pointers.push_back(each.data());
    pointers.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      const auto open_as = [](const fs::path& file, int as) {
        dup2(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), as);
      };
      open_as(folder / "out", 1);
      open_as(folder / "err", 2);
      if (chdir(folder.c_str()) != 0) _exit(99);
      execv(program.c_str(), pointers.data());
      _exit(98);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  std::string out() const { return content(folder / "out"); }
  std::string err() const { return content(folder / "err"); }

  void refuses(const std::vector<std::string>& arguments, const std::vector<std::string>& words,
               int code = 2) const {
    EXPECT_EQ(run(arguments), code);
    const std::string message = err();
    EXPECT_EQ(message.rfind("asperity: error: ", 0), 0U) << message;
    for (const auto& each : words)
      EXPECT_NE(message.find(each), std::string::npos) << each << "\n" << message;
    EXPECT_EQ(out(), "");
  }
};

// The equations of Xiong 2013: (3.28) as stated, (3.29) to (3.35) as ODE.
TEST_F(cli_inclusion, ShowsTheThreeForms) {
  ASSERT_EQ(run({"inclusion", two_bodies, "--show"}), 0) << err();
  const std::string text = out();
  for (const char* part : {"Inclusion, as stated", "dio(p2x - p1x)", "mu*N_1*sgn(v1y)",
                           "Differential-algebraic inclusion", "K_N_1*(e_N_1 + beta_N_1*e_N_1')",
                           "dio(p1x + e_N_1 + alpha_N_1*e_N_1')", "mu*N_1*Sgn(v1y - a_Omega_1')",
                           "Ordinary differential equation",
                           "K_N_2*max(0, e_N_2 - beta_N_2*(p2x - p1x + e_N_2)/alpha_N_2)",
                           "sat(mu*N_3, K_Omega_3*(a_Omega_3 + beta_Omega_3*(v2x + u)))",
                           "max(-e_N_1/beta_N_1, -(p1x + e_N_1)/alpha_N_1)",
                           "(Omega_1/K_Omega_1 - a_Omega_1)/beta_Omega_1", "5e+05 N/m",
                           "Longest stable steps", "0.25 m"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  // Without --show, the same.
  ASSERT_EQ(run({"inclusion", two_bodies}), 0);
  EXPECT_EQ(out(), text);
}

TEST_F(cli_inclusion, TellsHowFarTheStepIsFromItsLimit) {
  ASSERT_EQ(run({"inclusion", two_bodies, "--json"}), 0) << err();
  const json adaptive = json::parse(out());
  const double limit = adaptive["stable_steps"]["rk4"];
  EXPECT_TRUE(adaptive["stable_steps"]["implicit"].is_null());
  EXPECT_FALSE(adaptive["integrator"].contains("margin"));
  EXPECT_LT(adaptive["stable_steps"]["euler"], limit);

  const auto with_step = [](double h) {
    return std::vector<std::string>{"inclusion", two_bodies,
                                    "--set",     "integrator.method=rk4",
                                    "--set",     "integrator.step=" + std::to_string(h)};
  };
  ASSERT_EQ(run(with_step(1e-4)), 0);
  EXPECT_NE(out().find("below the limit"), std::string::npos);
  ASSERT_EQ(run(with_step(1e-2)), 0);
  EXPECT_NE(out().find("UNSTABLE"), std::string::npos);
  EXPECT_NE(err().find("warning"), std::string::npos);
  auto arguments = with_step(1e-4);
  arguments.emplace_back("--json");
  ASSERT_EQ(run(arguments), 0);
  // K, beta and alpha are given in the file, so the limit is the same.
  EXPECT_NEAR(json::parse(out())["integrator"]["margin"], limit / 1e-4, 1e-6 * limit / 1e-4);
}

TEST_F(cli_inclusion, NumbersForPrograms) {
  ASSERT_EQ(run({"inclusion", two_bodies, "--json"}), 0) << err();
  const json all = json::parse(out());
  EXPECT_EQ(all["terms"].size(), 6U);
  EXPECT_EQ(all["states"].size(), 14U);
  const json& floor = all["terms"][2];
  EXPECT_EQ(floor["name"], "N_3");
  EXPECT_EQ(floor["kind"], "dio");
  // A body of 1 kg that rests on the conveyor with K = 5e5 N/m.
  EXPECT_NEAR(floor["mass"], 1.0, 1e-12);
  EXPECT_NEAR(floor["load"], 9.8, 1e-12);
  EXPECT_NEAR(floor["deflection"], 9.8 / 5e5, 1e-15);
  EXPECT_EQ(floor["K_unit"], "N/m");
  const json& between = all["terms"][1];  // the reduced mass of 0.5 kg and 1 kg
  EXPECT_NEAR(between["mass"], 0.5 * 1 / 1.5, 1e-12);
  EXPECT_TRUE(all["terms"][3]["alpha"].is_null());
  EXPECT_EQ(all["ode"].size(), 6U + 14U);
}

TEST_F(cli_inclusion, WritesTheFileWholeOrNotAtAll) {
  ASSERT_EQ(run({"inclusion", two_bodies, "--emit", "c", "--main", "--out", "two.c"}), 0) << err();
  EXPECT_EQ(out(), "");
  const std::string code = content(folder / "two.c");
  EXPECT_NE(code.find("void two_bodies_rates(double t, const double *y, double *dydt)"),
            std::string::npos);
  EXPECT_NE(code.find("int main(void)"), std::string::npos);
  ASSERT_EQ(run({"inclusion", two_bodies, "--emit", "c", "--main"}), 0);
  EXPECT_EQ(out(), code);
  refuses({"inclusion", two_bodies, "--emit", "c", "--out", "nowhere/two.c"}, {"nowhere/two.c"});
  // A faulty file leaves what was there.
  refuses({"inclusion", two_bodies, "--set", "parameters.M_1=-", "--emit", "c", "--out", "two.c"},
          {"--set parameters.M_1=-"});
  EXPECT_EQ(content(folder / "two.c"), code);
  std::size_t files = 0;
  for (const auto& each : fs::directory_iterator(folder)) files += each.exists() ? 1 : 0;
  EXPECT_EQ(files, 3U);  // out, err, two.c
}

TEST_F(cli_inclusion, RefusesWithWhatIsAllowed) {
  refuses({"inclusion", two_bodies, "--emit", "fortran"},
          {"fortran", "c, cpp, modelica, octave, latex"});
  refuses({"inclusion", two_bodies, "--emit", "latex", "--main"}, {"--main", "c, cpp and octave"});
  refuses({"inclusion", two_bodies, "--main"}, {"--main", "--emit"});
  refuses({"inclusion", two_bodies, "--emit", "c", "--json"}, {"--emit", "--json"});
  refuses({"inclusion", "absent.toml"}, {"absent.toml"});
  refuses({"inclusion", ASPERITY_SOURCE_DIR "/examples/stick_slip.toml"},
          {"pulled_mass", "kind = \"inclusion\""});
  EXPECT_EQ(run({"inclusion", "--help"}), 0);
  EXPECT_NE(out().find("--emit modelica"), std::string::npos);
}

// The factor of a sgn that becomes negative is a numerical failure with a name.
TEST_F(cli_inclusion, FactorThatBecomesNegativeIsExitCodeOne) {
  std::ofstream(folder / "fading.toml") << R"toml(
[system]
kind = "inclusion"
[parameters]
M = "1 kg"
F = "1 N"
T = "1 s"
[definitions]
f = "(0.5 - t/T)*F*sgn(v)"
[states]
v = { unit = "m/s", rate = "(2*F - f)/M" }
[run]
duration = 1
)toml";
  EXPECT_EQ(run({"run", "fading.toml", "--plot", "none"}), 1);
  for (const char* word : {"fading.toml", "(0.5 - t/T)*F*sgn(v)", "became negative", "t = 0.5"})
    EXPECT_NE(err().find(word), std::string::npos) << word << "\n" << err();
}

}  // namespace
