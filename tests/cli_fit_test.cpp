// SPDX-License-Identifier: Apache-2.0
// `asperity fit` as a user calls it: what it finds by itself, and what it refuses in one line.

#include <algorithm>
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

TEST_F(cli_fit, AForceThatDrivesIsToldBeforeTheFit) {
  write("rub.csv", rubbing());
  const std::vector<std::string> fit{"fit", "coulomb_viscous", "--data", "rub.csv"};
  const answer right = run(fit);
  EXPECT_EQ(right.err.find("drives the motion"), std::string::npos) << right.err;
  auto other_sign = fit;
  other_sign.push_back("--f=-f");
  const answer wrong = run(other_sign);
  EXPECT_NE(wrong.err.find("rub.csv: the force drives the motion"), std::string::npos) << wrong.err;
  EXPECT_NE(wrong.err.find("--f=\"f\""), std::string::npos) << wrong.err;
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
  refuses({"--threads", "0"}, "--threads");
  refuses({"--hold-out", "0.95"}, "--hold-out");
  refuses({"--sensor", "colour"}, "--sensor colour");
}

// The rows of a period are joined as the waves they are samples of, unless told otherwise: an
// oscillator under two waves, whose answer is known in closed form.
TEST_F(cli_fit, APeriodicRecordIsJoinedByWaves) {
  constexpr double m = 2, k = 5e4, c = 120;
  std::string text = "t,force,x\n";
  for (int i = 0; i < 1500; ++i) {
    const double t = i / 750.0;
    double force = 0, x = 0;
    for (const double frequency : {40.0, 90.0}) {
      const double w = 2 * std::acos(-1.0) * frequency, stiff = k - m * w * w, lag = c * w;
      force += 50 * std::sin(w * t);
      x += 50 * (stiff * std::sin(w * t) - lag * std::cos(w * t)) / (stiff * stiff + lag * lag);
    }
    text += fmt::format("{:.17g},{:.17g},{:.17g}\n", t, force, x);
  }
  write("waves.csv", text);
  write("oscillator.toml", R"([system]
kind = "wall_spring_mass"
mass = 2.2
stiffness = 45000
damping = 100
[hysteresis]
model = "bouc_wen"
alpha = 1e-9
beta = 1e-9
[run]
duration = 1
sample = 0.0013333333333333333
[integrator]
method = "dopri5"
relative_tolerance = 1e-9
)");
  std::vector<std::string> all{"fit",      "oscillator.toml",
                               "--data",   "waves.csv",
                               "--input",  "force=force",
                               "--match",  "x=x",
                               "--period", "1 s",
                               "--free",   "system.mass,system.stiffness,system.damping",
                               "--json"};
  const auto mass = [&] {
    const answer told = run(all);
    EXPECT_EQ(told, 0) << told.err;
    return nlohmann::json::parse(told.out)["parameters"][0]["value"].get<double>();
  };
  EXPECT_NEAR(mass(), m, 1e-6 * m);
  all.insert(all.end(), {"--join", "linear"});
  EXPECT_GT(std::abs(mass() - m), 1e-3 * m);
  // Without time for one run there are no residuals, and none are stated.
  all.insert(all.end(), {"--time-limit", "1e-9 s"});
  const answer told = run(all);
  EXPECT_EQ(told, 2);
  EXPECT_EQ(told.out, "");
  EXPECT_NE(told.err.find("--time-limit 1e-9 s: it is too short"), std::string::npos) << told.err;
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

// A spring of 1e5 N/m that slides at 2 N, in closed form. The force is missing in every fiftieth row: the
// motion is known there, and the spring does not start anew.
TEST_F(cli_fit, AModelMovesOnWhereOnlyTheForceIsMissing) {
  std::string text = "t,x,f\n";
  double force = 0, before = 0;
  int measured = 0;
  for (int i = 0; i < 1000; ++i) {
    const double t = 1e-3 * i, x = 1e-4 * std::sin(20 * t) + 4e-5 * std::sin(77 * t);
    force = std::clamp(force + 1e5 * (x - before), -2.0, 2.0);
    before = x;
    const bool is_missing = i % 50 == 25;
    text += is_missing ? fmt::format("{},{},\n", t, x) : fmt::format("{},{},{}\n", t, x, force);
    measured += is_missing ? 0 : 1;
  }
  write("holes.csv", text);
  const answer told = run({"fit", "maxwell_slip", "--elements", "1", "--data", "holes.csv",
                           "--sensor", "none", "--json"});
  ASSERT_EQ(told, 0) << told.err;
  EXPECT_NE(told.err.find("20 of 1000 rows lack a number that is only compared"), std::string::npos)
      << told.err;
  const auto report = nlohmann::json::parse(told.out);
  EXPECT_EQ(report["samples"], measured);
  EXPECT_LT(report["rms_over_deviation"], 5e-3) << told.out;
  // The same in `eval`: the rows stay, and nothing starts anew.
  const answer moved = run({"eval", "maxwell_slip", "--input", "holes.csv"});
  ASSERT_EQ(moved, 0) << moved.err;
  EXPECT_EQ(std::count(moved.out.begin(), moved.out.end(), '\n'), 1001);
}

}  // namespace
}  // namespace asperity::testing
