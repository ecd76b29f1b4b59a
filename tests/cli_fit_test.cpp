// SPDX-License-Identifier: Apache-2.0
// `asperity fit` as a user calls it: what it finds by itself, and what it refuses in one line.

#include <algorithm>
#include <asperity/text/csv.hpp>
#include <chrono>
#include <cmath>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>
#include <tuple>

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

// ---- a system ---------------------------------------------------------------------------------------

// A mass on a spring and a damper under a sine of force, from rest, in closed form. Of the scenario the
// mass and the spring are off, and there is no damper.
class cli_fit_of_system : public program_test {
 protected:
  static constexpr double m = 2, k = 5e4, c = 120, step = 1.0 / 750;

  static std::string swinging(double frequency, int rows = 300) {
    const double w = 2 * std::acos(-1.0) * frequency;
    const double stiff = k - m * w * w, lag = c * w, size = stiff * stiff + lag * lag;
    const double a = 50 * stiff / size, b = -50 * lag / size;
    const double decay = c / (2 * m), own = std::sqrt(k / m - decay * decay);
    const double p = -b, q = (decay * p - a * w) / own;
    std::string text = "t,force_N,x_m\n";
    for (int i = 0; i < rows; ++i) {
      const double t = i * step;
      const double x = a * std::sin(w * t) + b * std::cos(w * t) +
                       std::exp(-decay * t) * (p * std::cos(own * t) + q * std::sin(own * t));
      text += fmt::format("{:.17g},{:.17g},{:.17g}\n", t, 50 * std::sin(w * t), x);
    }
    return text;
  }
  void write_files() const {
    write("slow.csv", swinging(20));
    write("fast.csv", swinging(33));
    write("other.csv", swinging(27));
    write("wall.toml", R"([system]
kind = "wall_spring_mass"
mass = 2.2
stiffness = 45000
[hysteresis]
model = "bouc_wen"
alpha = 1e-9
beta = 1e-9
[force]
kind = "sine"
amplitude = 3
frequency = 5
[run]
duration = 1
sample = 0.0013333333333333333
[integrator]
method = "dopri5"
relative_tolerance = 1e-8
)");
  }
  const std::vector<std::string> fit{"fit",     "wall.toml",   "--data",        "slow.csv",
                                     "--data",  "fast.csv",    "--input",       "force=force_N",
                                     "--match", "x=x_m",       "--join",        "spline",
                                     "--free",  "system.mass", "--no-intervals"};
  std::vector<std::string> with(std::vector<std::string> more) const {
    auto all = fit;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  const std::vector<std::string> candidates{"--compare", "mass=",
                                            "--compare", "spring=system.stiffness",
                                            "--compare", "damper=system.stiffness, system.damping"};
};

TEST_F(cli_fit_of_system, CandidatesAreRankedAndTheBestIsWritten) {
  write_files();
  auto all = with(candidates);
  all.insert(all.end(), {"--validate", "other.csv", "--out", "results", "--json"});
  const answer told = run(all);
  ASSERT_EQ(told, 0) << told.err;
  const auto report = nlohmann::json::parse(told.out);
  std::vector<std::string> names;
  for (const auto& each : report["ranking"]) names.push_back(each["candidate"]);
  EXPECT_EQ(names, (std::vector<std::string>{"damper", "spring", "mass"})) << told.out;
  const auto& best = report["ranking"][0];
  EXPECT_NEAR(best["parameters"][0]["value"], m, 1e-3 * m);
  EXPECT_NEAR(best["parameters"][2]["value"], c, 1e-2 * c);
  EXPECT_EQ(best["records"].size(), 3U);
  EXPECT_TRUE(best["records"][1]["fitted"]);
  EXPECT_FALSE(best["records"][2]["fitted"]);
  EXPECT_NE(report["verdict"].get<std::string>().find("damper"), std::string::npos);
  for (const char* file : {"fit.txt", "fit.json", "fit.html", "comparison.json", "fitted.toml"})
    EXPECT_TRUE(fs::exists(folder / "results" / file)) << file;
  EXPECT_NE(content("results/fitted.toml").find("damping"), std::string::npos);
  const std::string page = content("results/fit.html");
  for (const char* part : {"x of slow.csv", "x of other.csv, not fitted", "Residual: x of fast.csv",
                           "Ranking", "Correlations", "system.damping"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  const std::string text = content("results/fit.txt");
  EXPECT_NE(text.find("The best candidate is damper"), std::string::npos) << text;
  EXPECT_NE(text.find("mean absolute error"), std::string::npos) << text;
}

// The fitted scenario, run by `asperity run` under the other record's force, against that record.
TEST_F(cli_fit_of_system, ErrorsAreThoseOfARun) {
  write_files();
  const answer told =
      run(with({"--validate", "other.csv", "--out", "results", "--json"}));  // the mass alone
  ASSERT_EQ(told, 0) << told.err;
  const auto report = nlohmann::json::parse(told.out);
  ASSERT_EQ(report["records"].size(), 3U);
  const std::map<std::size_t, std::string> files{{0, "slow.csv"}, {2, "other.csv"}};
  for (const auto& [which, file] : files) {
    const answer ran =
        run({"run", "results/fitted.toml", "--set", "force.file=../" + file, "--set",
             "force.column=force_N", "--set", "run.duration=" + fmt::format("{:.17g}", 299 * step),
             "--out", "ran_" + file});
    ASSERT_EQ(ran, 0) << ran.err;
    const csv_table simulated = csv_table::read(path("ran_" + file + "/series.csv")),
                    measured = csv_table::read(path(file));
    const auto x = simulated.column("x"), wanted = measured.column("x_m");
    ASSERT_EQ(x.size(), wanted.size());
    double sizes = 0, squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sizes += std::abs(x[i] - wanted[i]) / 300;
      squares += std::pow(x[i] - wanted[i], 2) / 300;
    }
    const auto& errors = report["records"][which];
    EXPECT_EQ(errors["record"], file);
    EXPECT_EQ(errors["unit"], "m");
    ASSERT_GT(sizes, 1e-6);
    EXPECT_NEAR(errors["mean_absolute"], sizes, 1e-4 * sizes);
    EXPECT_NEAR(errors["rms"], std::sqrt(squares), 1e-4 * std::sqrt(squares));
  }
}

// A record in kN and mm: its fitted scenario has SI values, under names that say so, and runs as long as it.
TEST_F(cli_fit_of_system, AFittedScenarioReadsItsInputAsItIs) {
  write_files();
  const csv_table si = csv_table::read(path("slow.csv"));
  const auto t = si.column("t"), force = si.column("force_N"), x = si.column("x_m");
  std::string text = "t_ms,force_kN,x_mm\n";
  for (std::size_t i = 0; i < t.size(); ++i)
    text += fmt::format("{:.17g},{:.17g},{:.17g}\n", 1e3 * t[i], force[i] / 1e3, 1e3 * x[i]);
  write("other_units.csv", text);
  const auto fit_with = [&](const std::string& input, const std::string& match) {
    return run({"fit",
                "wall.toml",
                "--data",
                "other_units.csv",
                "--t",
                "t_ms",
                "--input",
                input,
                "--match",
                match,
                "--begin",
                "x=x_mm",
                "--join",
                "spline",
                "--free",
                "system.mass,system.damping,system.stiffness",
                "--no-intervals",
                "--force",
                "--out",
                "results"});
  };
  const answer told = fit_with("force=force_kN", "x=x_mm");
  ASSERT_EQ(told, 0) << told.err;
  const answer ran = run({"run", "results/fitted.toml", "--out", "again"});
  ASSERT_EQ(ran, 0) << ran.err;
  const csv_table simulated = csv_table::read(path("again/series.csv"));
  const auto found = simulated.column("x");
  ASSERT_EQ(found.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(found[i], x[i], 2e-6) << i;

  for (const auto& [input, match, words] :
       {std::tuple{"force=x_mm", "x=x_mm",
                   "--input force=x_mm: force is in N, but the column is in m"},
        std::tuple{"force=force_kN", "x=force_kN",
                   "--match x=force_kN: x is in m, but the measured column is in N"}}) {
    const answer refused = fit_with(input, match);
    EXPECT_EQ(refused, 2);
    EXPECT_NE(refused.err.find(words), std::string::npos) << refused.err;
  }
}

// The parameters and inputs of an inclusion have units, and so has its fitted scenario.
TEST_F(cli_fit_of_system, AnInclusionKeepsItsUnits) {
  write("slow.csv", swinging(20));
  const std::string begin = R"([system]
kind = "inclusion"
[parameters]
m = "2.1 kg"
[inputs]
)",
                    end = R"([states]
x = { unit = "m", rate = "v", initial = 0 }
v = { unit = "m/s", rate = "(push - K*x - C*v)/m" }
[definitions]
K = "50000"
C = "120"
[integrator]
relative_tolerance = 1e-8
[run]
duration = 1
sample = 0.0013333333333333333
)";
  for (const char* input : {"push = \"0 N\"\n", "push = { kind = \"constant\", unit = \"N\" }\n"}) {
    write("swing.toml", begin + input + end);
    const answer told =
        run({"fit", "swing.toml", "--data", "slow.csv", "--input", "inputs.push=force_N", "--match",
             "x=x_m", "--join", "spline", "--free", "parameters.m", "--no-intervals", "--out",
             "found", "--force"});
    ASSERT_EQ(told, 0) << told.err;
    const answer ran = run({"run", "found/fitted.toml", "--out", "again", "--force"});
    ASSERT_EQ(ran, 0) << ran.err;
    const auto wanted = csv_table::read(path("slow.csv")).column("x_m"),
               shown = csv_table::read(path("again/series.csv")).column("x");
    ASSERT_EQ(wanted.size(), shown.size());
    for (std::size_t k = 0; k < wanted.size(); ++k) ASSERT_NEAR(wanted[k], shown[k], 2e-6) << k;
  }
}

// A system has one run: gaps of its record are bridged, and that is what is said.
TEST_F(cli_fit_of_system, GapsOfARecordAreBridged) {
  write_files();
  std::string text = content("slow.csv");
  const std::size_t begin = text.find('\n', text.size() / 2) + 1, comma = text.find(',', begin);
  text.replace(comma + 1, text.find(',', comma + 1) - comma - 1, "NaN");
  write("slow.csv", text);
  const answer told = run(with({}));
  ASSERT_EQ(told, 0) << told.err;
  EXPECT_NE(
      told.err.find(
          "1 of 300 rows lack a number in one of the columns that are read: they were left out"),
      std::string::npos)
      << told.err;
  EXPECT_EQ(told.err.find("pieces"), std::string::npos) << told.err;
}

// The values of --each are those of the fitted records, then those of the others: with the spring of each
// right, all three fit.
TEST_F(cli_fit_of_system, EachRecordHasItsOwnValue) {
  write_files();
  const std::vector<std::string> right{
      "--validate", "other.csv",          "--each", "system.stiffness=50000,50000,50000",
      "--set",      "system.damping=120", "--json"};
  const auto error_of = [&](std::vector<std::string> more) {
    const answer told = run(with(std::move(more)));
    EXPECT_EQ(told, 0) << told.err;
    return nlohmann::json::parse(told.out)["not_fitted"]["mean_absolute"].get<double>();
  };
  EXPECT_LT(error_of(right), 1e-6);
  auto wrong = right;
  wrong[3] = "system.stiffness=50000,50000,60000";
  EXPECT_GT(error_of(wrong), 1e-5);
  wrong[3] = "system.stiffness=50000,50000";
  refuses(with(wrong), {"there are 2 values for 3 records", "--validate"});
  wrong[3] = "system.mass=2,2,2";
  refuses(with(wrong), {"--each system.mass=2,2,2", "one of the keys to find"});
}

TEST_F(cli_fit_of_system, TheEndIsHeldOutWhereThatIsAskedFor) {
  write_files();
  const auto report = [&](std::vector<std::string> more) {
    more.emplace_back("--json");
    const answer told = run(with(std::move(more)));
    EXPECT_EQ(told, 0) << told.err;
    return nlohmann::json::parse(told.out);
  };
  EXPECT_FALSE(report({}).contains("held_out"));
  const auto with_part = report({"--hold-out", "0.2"});
  ASSERT_TRUE(with_part.contains("held_out"));
  EXPECT_EQ(with_part["held_out"]["share_of_rows"], 0.2);
  EXPECT_GT(with_part["held_out"]["rms"], 0);
}

TEST_F(cli_fit_of_system, OptionsWithoutEffectAreRefused) {
  write_files();
  for (const auto& each : std::vector<std::vector<std::string>>{{"--curve", "stribeck_sech"},
                                                                {"--elements", "3"},
                                                                {"--sensor", "gain"},
                                                                {"--drive", "x"},
                                                                {"--own-start"},
                                                                {"--bandwidth", "20 Hz"},
                                                                {"--hold", "system.damping"},
                                                                {"--warm-up", "2"},
                                                                {"--seed", "3"}})
    refuses(with(each), {each[0] + " has no effect"});
  refuses({"fit", "wall.toml", "--data", "slow.csv", "--match", "x=x_m", "--free", "system.mass",
           "--join", "hold"},
          {"--join has no effect without --input"});
  refuses(with({"--device", "cuda"}), {"--device"});
  refuses(with({"--compare", "all"}), {"--compare all", "NAME=ITEMS"});
  refuses(with({"--compare", "=system.damping"}), {"--compare =system.damping", "NAME=ITEMS"});
  refuses(with({"--compare", "a=", "--compare", "a=system.damping"}),
          {"two candidates of this name"});
  refuses(with({"--compare", "a=system.colour"}), {"--compare a", "system.colour"});
  refuses(with({"--bound", "system.damping=0:1"}), {"--bound system.damping=0:1"});
  refuses(with({"--period", "0 s"}), {"--period 0 s"});
  refuses(with({"--free", "system.mass"}), {"--free system.mass", "twice"});
  refuses({"fit", "wall.toml", "--match", "x=x_m", "--free", "system.mass"}, {"--data is missing"});
  // Of a model.
  write("rub.csv", "t,v,f\n0,1,2\n1,-1,-2\n2,1,2\n3,-1,-2\n");
  for (const auto& each : std::vector<std::vector<std::string>>{{"--validate", "rub.csv"},
                                                                {"--match", "x=x"},
                                                                {"--input", "force=f"},
                                                                {"--join", "hold"},
                                                                {"--period", "1 s"},
                                                                {"--warm-up", "2"},
                                                                {"--begin", "x=x"},
                                                                {"--each", "F_c=1"},
                                                                {"--bound", "F_c=0:1"}}) {
    std::vector<std::string> all{"fit", "coulomb", "--data", "rub.csv"};
    all.insert(all.end(), each.begin(), each.end());
    refuses(all, {each[0] + " has no effect", "model"});
  }
  refuses({"fit", "coulomb", "--data", "rub.csv", "--compare", "M1=F_c"},
          {"--compare M1=F_c", "--compare all"});
  refuses({"fit", "coulomb", "--data", "rub.csv", "--compare", "all", "--free", "F_c"},
          {"--free has no effect with --compare"});
}

// Names of candidates, columns and files are shown as they are, and are never marks, commands or paths.
TEST_F(cli_fit_of_system, HostileNamesStayNames) {
  write_files();
  const std::string name = "<script>alert(1)</script>`touch ran`\"; system 'touch ran' #\x1b[31m";
  const std::string file = "<b>`touch ran`@{Bold x}_1.csv";
  write(file, swinging(27));
  const answer told = run(with({"--compare", name + "=system.stiffness", "--compare",
                                "../../up=", "--validate", file, "--out", "results"}));
  ASSERT_EQ(told, 0) << told.err;
  EXPECT_FALSE(fs::exists(folder / "ran"));
  EXPECT_FALSE(fs::exists(folder / "results/ran"));
  EXPECT_EQ(told.out.find('\x1b'), std::string::npos);
  const std::string page = content("results/fit.html");
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<b>`touch"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(1)"), std::string::npos);
  EXPECT_NE(page.find("&lt;b&gt;`touch ran`"), std::string::npos);
}

// A candidate that takes long is interrupted; the one before it is reported, with the exit code of an
// interrupt.
TEST_F(cli_fit_of_system, AnInterruptedComparisonShowsTheBestSoFar) {
  write_files();
  const pid_t child =
      start(with({"--compare", "quick=system.stiffness", "--compare",
                  "endless=integrator.method=rk4,integrator.step=1e-9", "--out", "results"}));
  // The second one is at work when the first has used little time.
  std::this_thread::sleep_for(std::chrono::seconds(6));
  kill(child, SIGINT);
  EXPECT_EQ(finish(child), 130);
  const std::string out = content("out"), err = content("err");
  EXPECT_NE(err.find("interrupted: candidates that were not fitted yet are missing"),
            std::string::npos)
      << err;
  EXPECT_NE(out.find("quick"), std::string::npos) << out;
  EXPECT_NE(out.find("not fitted: endless: interrupted"), std::string::npos) << out;
  EXPECT_TRUE(fs::exists(folder / "results/fitted.toml"));
}

// Of quantised positions bristles are as stiff as any: the fitted scenario runs all the same.
TEST_F(cli_fit, TheScenarioOfAStiffFitRuns) {
  std::string motion = "t,x,v\n";
  for (int i = 0; i <= 200; ++i)
    motion += fmt::format("{},{},{}\n", 0.005 * i, 1e-3 * std::sin(9 * 0.005 * i),
                          9e-3 * std::cos(9 * 0.005 * i));
  write("motion.csv", motion);
  const std::vector<std::string> stiff{"--set", "sigma_0=1e14", "--set", "sigma_1=0"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), stiff.begin(), stiff.end());
    return words;
  };
  ASSERT_EQ(run(with({"eval", "lugre", "--input", "motion.csv", "--out", "stiff.csv"})), 0);
  const answer told =
      run(with({"fit", "lugre", "--data", "stiff.csv", "--free", "F_c", "--starts", "0",
                "--own-start", "--no-intervals", "--hold-out", "0", "--out", "stiff.fit"}));
  ASSERT_EQ(told, 0) << told.err;
  const answer ran = run({"run", "stiff.fit/fitted.toml", "--out", "again", "--plot", "none"});
  ASSERT_EQ(ran, 0) << ran.err;
  const auto a = csv_table::read(path("stiff.csv")).column("f"),
             b = csv_table::read(path("again/series.csv")).column("f");
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 1; k < a.size(); ++k) ASSERT_NEAR(a[k], b[k], 5e-3) << k;
}

// fitted.toml moves the model as the record does: its run shows what `eval` of the same parameters shows, the
// force of the record itself, since nothing is to be found that it does not have.
TEST_F(cli_fit, TheScenarioOfAFitShowsTheForceOfTheRecord) {
  std::string motion = "t,x,v,v_x,v_y,omega,gap,gap_rate,slip_x,slip_y,load\n";
  for (int i = 0; i <= 400; ++i) {
    const double t = 0.005 * i, load = 1 + 0.2 * std::sin(2 * t);
    motion += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", t, 1e-3 * std::sin(9 * t),
                          9e-3 * std::cos(9 * t), 0.02 * std::cos(5 * t), 0.01 * std::sin(7 * t),
                          0.5 * std::sin(3 * t + 1), -1e-3 * (1.2 + std::sin(9 * t)),
                          -9e-3 * std::cos(9 * t), 0.02, 0.01, load);
  }
  write("motion.csv", motion);
  struct law {
    std::string key, free;
    std::vector<std::string> forces, settings = {};
  };
  const std::vector<law> laws{
      {"lugre", "F_c", {"f"}},
      {"hunt_crossley", "K", {"f"}},
      {"stop", "r", {"f"}},
      {"disc_coulomb", "F_c", {"f_x", "f_y", "torque"}},
      {"limit_surface_ellipsoid", "F_c", {"f_x", "f_y", "torque"}},
      {"planar_lugre", "F_c", {"f_x", "f_y", "torque"}},
      {"patch_coulomb", "F_c", {"f_x", "f_y", "torque"}},
      {"patch_lugre", "F_c", {"f_x", "f_y", "torque"}, {"--set", "cells=8"}},
      {"patch_dai", "F_c", {"f_x", "f_y", "torque"}, {"--set", "cells=8"}},
      {"planar_elastoplastic", "F_c", {"f_x", "f_y", "torque"}}};
  for (const law& each : laws) {
    SCOPED_TRACE(each.key);
    const std::string record = each.key + ".csv", found = each.key + ".fit",
                      again = each.key + ".run";
    const auto with_settings = [&](std::vector<std::string> words) {
      words.insert(words.end(), each.settings.begin(), each.settings.end());
      return words;
    };
    ASSERT_EQ(run(with_settings({"eval", each.key, "--input", "motion.csv", "--out", record})), 0);
    const answer told = run(with_settings({"fit", each.key, "--data", record, "--free", each.free,
                                           "--sensor", "offset", "--starts", "0", "--own-start",
                                           "--no-intervals", "--hold-out", "0", "--out", found}));
    ASSERT_EQ(told, 0) << told.err;
    EXPECT_EQ(told.err.find("fitted.toml"), std::string::npos) << told.err;
    EXPECT_EQ(content(found + "/fitted.toml").rfind("# The force f of this run is", 0), 0U);
    const answer ran = run({"run", found + "/fitted.toml", "--out", again, "--plot", "none"});
    ASSERT_EQ(ran, 0) << ran.err;
    const csv_table wanted = csv_table::read(path(record)),
                    shown = csv_table::read(path(again + "/series.csv"));
    const auto t = wanted.column("t"), t_shown = shown.column("t");
    ASSERT_EQ(t.size(), t_shown.size());
    for (const std::string& force : each.forces) {
      const auto a = wanted.column(force), b = shown.column(force);
      double largest = 0, difference = 0;
      for (std::size_t k = 0; k < t.size(); ++k) {
        ASSERT_NEAR(t[k], t_shown[k], 1e-9);
        largest = std::max(largest, std::abs(a[k]));
        difference = std::max(difference, std::abs(a[k] - b[k]));
      }
      EXPECT_GT(largest, 0) << force;
      EXPECT_LT(difference, 5e-3 * largest) << force;
    }
  }
  // No system prescribes the motion of a contact that slips: said, not left out in silence.
  ASSERT_EQ(run({"eval", "dai_frictional_contact", "--input", "motion.csv", "--out", "touch.csv"}),
            0);
  const answer told =
      run({"fit", "dai_frictional_contact", "--data", "touch.csv", "--free", "mu", "--sensor",
           "none", "--starts", "0", "--own-start", "--no-intervals", "--out", "touch.fit"});
  ASSERT_EQ(told, 0) << told.err;
  EXPECT_NE(told.err.find("touch.fit has no fitted.toml: no system prescribes the motion"),
            std::string::npos)
      << told.err;
}

}  // namespace
}  // namespace asperity::testing
