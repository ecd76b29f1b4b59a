// SPDX-License-Identifier: Apache-2.0
// asperity inclusion: what it shows, writes and refuses.

#include <asperity/text/csv.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

using nlohmann::json;

const std::string two_bodies = examples + "/inclusions/two_bodies.toml";

class cli_inclusion : public program_test {};

// The equations of Xiong 2013: (3.28) as stated, (3.29) to (3.35) as ODE.
TEST_F(cli_inclusion, ShowsTheThreeForms) {
  ASSERT_EQ(run({"inclusion", two_bodies, "--show"}), 0);
  const std::string text = content("out");
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
  EXPECT_EQ(content("out"), text);
}

TEST_F(cli_inclusion, TellsHowFarTheStepIsFromItsLimit) {
  ASSERT_EQ(run({"inclusion", two_bodies, "--json"}), 0);
  const json adaptive = json::parse(content("out"));
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
  EXPECT_NE(content("out").find("below the limit"), std::string::npos);
  ASSERT_EQ(run(with_step(1e-2)), 0);
  EXPECT_NE(content("out").find("UNSTABLE"), std::string::npos);
  EXPECT_NE(content("err").find("warning"), std::string::npos);
  auto arguments = with_step(1e-4);
  arguments.emplace_back("--json");
  ASSERT_EQ(run(arguments), 0);
  // K, beta and alpha are given in the file, so the limit is the same.
  EXPECT_NEAR(json::parse(content("out"))["integrator"]["margin"], limit / 1e-4,
              1e-6 * limit / 1e-4);
}

TEST_F(cli_inclusion, NumbersForPrograms) {
  ASSERT_EQ(run({"inclusion", two_bodies, "--json"}), 0);
  const json all = json::parse(content("out"));
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
  ASSERT_EQ(run({"inclusion", two_bodies, "--emit", "c", "--main", "--force", "--out", "two.c"}),
            0);
  EXPECT_EQ(content("out"), "");
  const std::string code = content("two.c");
  EXPECT_NE(code.find("void two_bodies_rates(double t, const double *y, double *dydt)"),
            std::string::npos);
  EXPECT_NE(code.find("int main(void)"), std::string::npos);
  ASSERT_EQ(run({"inclusion", two_bodies, "--emit", "c", "--main"}), 0);
  EXPECT_EQ(content("out"), code);
  refuses({"inclusion", two_bodies, "--emit", "c", "--force", "--out", "nowhere/two.c"},
          {"nowhere/two.c"});
  // A faulty file leaves what was there.
  refuses({"inclusion", two_bodies, "--set", "parameters.M_1=-", "--emit", "c", "--force", "--out",
           "two.c"},
          {"--set parameters.M_1=-"});
  EXPECT_EQ(content("two.c"), code);
  std::size_t files = 0;
  for (const auto& each : fs::directory_iterator(folder)) files += each.exists() ? 1 : 0;
  EXPECT_EQ(files, 3U);  // out, err, two.c
}

TEST_F(cli_inclusion, RefusesWithWhatIsAllowed) {
  refuses({"inclusion", two_bodies, "--emit", "fortran"},
          {"fortran", "c, cpp, modelica, octave, latex"});
  refuses({"inclusion", two_bodies, "--emit", "latex", "--main"}, {"--main", "c, cpp or octave"});
  refuses({"inclusion", two_bodies, "--main"}, {"--main", "--emit"});
  refuses({"inclusion", two_bodies, "--emit", "c", "--json"}, {"--emit", "--json"});
  refuses({"inclusion", "absent.toml"}, {"absent.toml"});
  refuses({"inclusion", examples + "/stick_slip.toml"}, {"pulled_mass", "kind = \"inclusion\""});
  EXPECT_EQ(run({"inclusion", "--help"}), 0);
  EXPECT_NE(content("out").find("--emit modelica"), std::string::npos);
}

// The factor of a sgn that becomes negative is a numerical failure with a name.
// A joint: what acts along an angle is a torque, also where the angle is stated as a plain number.
TEST_F(cli_inclusion, TorquesAreInNewtonMetres) {
  for (const char* angle : {"1", "rad"}) {
    const std::string in = angle, rate = in + "/s";
    write("joint.toml", R"toml(
[system]
kind = "inclusion"
[parameters]
I = "5e-2 kg m^2"
gap = "0.005 )toml" + in +
                            R"toml("
T_c = "0.3 N m"
[definitions]
tooth = "dio(gap - q)"
friction = "T_c*sgn(w)"
[states]
q = { unit = ")toml" + in +
                            R"toml(", rate = "w" }
w = { unit = ")toml" + rate +
                            R"toml(", rate = "(-tooth - friction)/I" }
[run]
duration = 1
)toml");
    ASSERT_EQ(run({"inclusion", "joint.toml"}), 0) << content("err");
    const std::string text = content("out");
    for (const char* part : {"[N m]", "N m/rad", "0.05 kg m^2 "})
      EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    for (const char* part : {" J ", "[J]", "kg m^2 rad"})
      EXPECT_EQ(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST_F(cli_inclusion, FactorThatBecomesNegativeIsExitCodeOne) {
  write("fading.toml", R"toml(
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
)toml");
  EXPECT_EQ(run({"run", "fading.toml", "--plot", "none"}), 1);
  for (const char* word : {"fading.toml", "(0.5 - t/T)*F*sgn(v)", "became negative", "t = 0.5"})
    EXPECT_NE(content("err").find(word), std::string::npos) << word << "\n" << content("err");
  // No other method or step mends it, and no row shows a force that is not a number.
  for (const std::string method : {"euler", "rk4", "backward_euler"}) {
    EXPECT_EQ(run({"run", "fading.toml", "--plot", "none", "--out", method, "--set",
                   "integrator.method=" + method, "--set", "integrator.step=1e-3"}),
              1);
    EXPECT_NE(content("err").find("became negative"), std::string::npos) << content("err");
    for (const char* word : {"unstable", "try method"})
      EXPECT_EQ(content("err").find(word), std::string::npos) << word << "\n" << content("err");
    const auto table = csv_table::read(path(method + "/series.csv"));
    EXPECT_NEAR(table.column("t").back(), 0.5, 2e-3) << method;
    for (const char* name : {"t", "v", "f"})
      for (const double each : table.column(name)) EXPECT_TRUE(std::isfinite(each)) << method;
  }
}

}  // namespace
}  // namespace asperity::testing
