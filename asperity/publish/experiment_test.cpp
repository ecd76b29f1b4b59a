// SPDX-License-Identifier: Apache-2.0
// Claims are judged by what a run did: each verdict is provoked here, and each measure is checked
// on a motion whose numbers are known.

#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/publish/report.hpp>
#include <cmath>
#include <filesystem>

#include "tests/folder.hpp"

namespace asperity {
namespace {

namespace fs = std::filesystem;

// x = 2 + sin(2 pi t) + t/10, sampled every millisecond for ten periods.
run_data known_motion() {
  run_data run;
  run.columns = {{"t", units::second, {}}, {"x", units::metre, {}}};
  for (int i = 0; i <= 10000; ++i) {
    const double t = i * 1e-3;
    run.columns[0].values.push_back(t);
    run.columns[1].values.push_back(2 + std::sin(2 * 3.14159265358979323846 * t) + t / 10);
  }
  run.event_names = {"slip"};
  run.events = {{"slip", 1.5, {}}, {"slip", 4.0, {}}, {"slip", 9.0, {}}};
  return run;
}

double measured(const char* word, double from = 0, double to = 10) {
  measure m;
  m.what = find_measure(word);
  m.column = std::string("x");
  m.from = from;
  m.to = to;
  m.window = 1;
  m.prominence = 0.5;
  return evaluate(m, known_motion());
}

TEST(measure, SimpleNumbersOfAKnownMotion) {
  EXPECT_NEAR(measured("first"), 2, 1e-12);
  EXPECT_NEAR(measured("last"), 3, 1e-9);
  EXPECT_NEAR(measured("change"), 1, 1e-9);
  EXPECT_NEAR(measured("maximum", 0, 1), 3.025, 1e-3);
  EXPECT_NEAR(measured("minimum", 0, 1), 1.075, 1e-3);
  EXPECT_NEAR(measured("span", 0, 1), 1.95, 2e-3);
}

// Over whole periods the sine cancels; an exponential average follows a ramp late by (1 - w)/w
// rows.
TEST(measure, Averages) {
  EXPECT_NEAR(measured("mean"), 2.5, 1e-6);
  run_data run;
  run.columns = {{"t", units::second, {}}, {"x", units::metre, {}}};
  for (int i = 0; i < 1000; ++i) {
    run.columns[0].values.push_back(i);
    run.columns[1].values.push_back(2.0 * i);
  }
  const measure late{.what = find_measure("last"), .column = "x", .ewma = 0.05};
  EXPECT_NEAR(evaluate(late, run), 2 * (999 - 0.95 / 0.05), 1e-9);
}

// A figure of eight on its side crosses itself in the middle.
TEST(measure, PlacesOfCrossings) {
  run_data run;
  run.columns = {{"t", units::second, {}}, {"x", units::metre, {}}, {"y", units::newton, {}}};
  for (int i = 0; i <= 401; ++i) {
    const double a = 2 * 3.14159265358979323846 * (i + 0.3) / 401;
    run.columns[0].values.push_back(i);
    run.columns[1].values.push_back(3 + std::sin(a));
    run.columns[2].values.push_back(std::sin(2 * a));
  }
  measure m{.what = find_measure("crossing_place"), .column = "y", .over = "x"};
  EXPECT_NEAR(evaluate(m, run), 3, 1e-3);
  EXPECT_EQ(unit_of(m, run), units::metre);
  m.n = 2;
  EXPECT_TRUE(std::isnan(evaluate(m, run)));
}

// The oscillation cancels out of the drift: 0.1 m/s over the nine seconds between the windows.
TEST(measure, DriftIsWhatOscillationLeaves) { EXPECT_NEAR(measured("drift"), 0.9, 1e-3); }

TEST(measure, PeaksAreCountedAndRanked) {
  EXPECT_EQ(measured("peaks"), 10);
  EXPECT_NEAR(measured("peak"), 3.025, 1e-3);
  measure third{.what = find_measure("peak"), .column = "x", .prominence = 0.5, .n = 3};
  EXPECT_NEAR(evaluate(third, known_motion()), 3.225, 1e-3);
  third.n = 99;
  EXPECT_TRUE(std::isnan(evaluate(third, known_motion())));
}

// On a circle run through from (0, 1) clockwise: at u = 1/2 the upper arc has y = sqrt(3)/2, the
// lower one the opposite.
TEST(measure, BranchesOfALoopDifferWhereTheSameLevelIsPassed) {
  run_data circle;
  circle.columns = {{"t", units::second, {}}, {"u", units::one, {}}, {"y", units::one, {}}};
  for (int i = 0; i <= 6000; ++i) {
    const double t = i * 1e-3;
    circle.columns[0].values.push_back(t);
    circle.columns[1].values.push_back(std::sin(t));
    circle.columns[2].values.push_back(std::cos(t));
  }
  measure m{.what = find_measure("value_at"), .column = "y", .over = "u", .level = 0.5};
  EXPECT_NEAR(evaluate(m, circle), std::sqrt(3.0) / 2, 1e-6);
  m.what = find_measure("change_at");
  EXPECT_NEAR(evaluate(m, circle), -std::sqrt(3.0), 1e-6);
  m.n = 2;
  EXPECT_TRUE(std::isnan(evaluate(m, circle)));
}

TEST(measure, EventsAreFoundInTheirInterval) {
  measure m{.what = find_measure("events"), .column = "slip", .from = 2, .to = 10};
  EXPECT_EQ(evaluate(m, known_motion()), 2);
  m.what = find_measure("event_time");
  EXPECT_EQ(evaluate(m, known_motion()), 4.0);
  m.n = -1;
  EXPECT_EQ(evaluate(m, known_motion()), 9.0);
}

TEST(measure, ColumnThatIsNotThereIsAnError) {
  measure m{.what = find_measure("last"), .column = "y"};
  EXPECT_THROW((void)evaluate(m, known_motion()), error);
}

class experiment_file : public testing::in_folder {
 protected:
  void SetUp() override { fs::create_directory(folder / "someone_1900"); }

  // A mass under 1 N without enough friction to hold it: x = t^2/4 after the first instants.
  std::vector<judgement> judged(const std::string& claim) {
    write("someone_1900/fig_1.toml", R"(
title = "A mass that is pushed"
source = "Someone 1900, Fig. 1"
[base]
force = 1
run = { duration = 2, sample = 0.01 }
integrator = { method = "rk4", step = 1e-4 }
[base.system]
kind = "mass_under_force"
mass = 1
[base.friction]
model = "dai"
F = 0.5
[[run]]
name = "light"
[[run]]
name = "heavy"
system = { mass = 4 }
[[run]]
name = "later"
waits_for = "a_model_of_the_future"
[[claim]]
text = "claim"
source_says = "so"
)" + claim);
    return perform(read_experiment(folder.string(), "someone_1900/fig_1")).judgements;
  }
};

TEST_F(experiment_file, AFactIsMet) {
  const auto j =
      judged("run = 'light'\nmeasure = 'last'\ncolumn = 'x'\nequals = 1\ntolerance = 0.01");
  ASSERT_EQ(j.size(), 1U);
  EXPECT_EQ(j[0].answer, verdict::met);
  EXPECT_NEAR(j[0].ours.at(0), 1.0, 1e-2);
  EXPECT_EQ(j[0].in, units::metre);
}

TEST_F(experiment_file, AFalsehoodIsNotMet) {
  const auto j = judged("run = 'light'\nmeasure = 'last'\ncolumn = 'x'\nat_most = 0.5");
  EXPECT_EQ(j.at(0).answer, verdict::not_met);
  EXPECT_TRUE(is_failure(j.at(0).answer));
}

TEST_F(experiment_file, AnErratumExplainsOnlyWhatFails) {
  const std::string claim = "erratum = 'E-1'\nrun = 'light'\nmeasure = 'last'\ncolumn = 'x'\n";
  EXPECT_EQ(judged(claim + "at_most = 0.5").at(0).answer, verdict::explained);
  EXPECT_EQ(judged(claim + "at_least = 0.5").at(0).answer, verdict::unexpected);
}

TEST_F(experiment_file, OrderIsJudgedOverRuns) {
  const std::string claim = "runs = ['light', 'heavy']\nmeasure = 'last'\ncolumn = 'x'\n";
  EXPECT_EQ(judged(claim + "order = 'falling'").at(0).answer, verdict::met);
  EXPECT_EQ(judged(claim + "order = 'rising'").at(0).answer, verdict::not_met);
}

TEST_F(experiment_file, ARunRelativeToAnother) {
  const auto j = judged(
      "run = 'light'\nrelative_to = 'heavy'\nmeasure = 'last'\ncolumn = 'x'\nequals = 4\ntolerance "
      "= "
      "0.01");
  EXPECT_EQ(j.at(0).answer, verdict::met);
  EXPECT_EQ(j.at(0).in, units::one);
}

TEST_F(experiment_file, ARunThatWaitsIsSkippedAndSaysWhy) {
  const auto j = judged("run = 'later'\nmeasure = 'last'\ncolumn = 'x'\nat_least = 0");
  EXPECT_EQ(j.at(0).answer, verdict::skipped);
  EXPECT_NE(j.at(0).note.find("a_model_of_the_future"), std::string::npos);
}

TEST_F(experiment_file, NothingToMeasureIsNotMet) {
  const auto j =
      judged("run = 'light'\nmeasure = 'event_time'\nevent = 'slip'\nn = 7\nat_least = 0");
  EXPECT_EQ(j.at(0).answer, verdict::not_met);
}

TEST_F(experiment_file, MistakesAreNamed) {
  const auto message = [&](const std::string& claim) -> std::string {
    try {
      (void)judged(claim);
    } catch (const error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(message("run = 'lihgt'\nmeasure = 'last'\ncolumn = 'x'\nat_least = 0").find("lihgt"),
            std::string::npos);
  EXPECT_NE(message("run = 'light'\nmeasure = 'lats'\ncolumn = 'x'\nat_least = 0").find("lats"),
            std::string::npos);
  EXPECT_NE(message("run = 'light'\nmeasure = 'last'\ncolumn = 'x'").find("bound"),
            std::string::npos);
  EXPECT_NE(message("run = 'light'\nmeasure = 'last'\ncolumn = 'x'\nat_least = 0\ncolour = 1")
                .find("colour"),
            std::string::npos);
}

TEST_F(experiment_file, UnknownIdsAreRefused) {
  EXPECT_THROW((void)read_experiment(folder.string(), "someone_1900/fig_2"), error);
}

TEST_F(experiment_file, ChosenByIdOrSourceAndOnce) {
  write("someone_1900/fig_2.toml", "");
  write("someone_1900/fig_10.toml", "");
  fs::create_directory(folder / "someone_1900b");
  write("someone_1900b/fig_1.toml", "");
  using ids = std::vector<std::string>;
  const ids source{"someone_1900/fig_2", "someone_1900/fig_10"};
  EXPECT_EQ(choose_experiments(folder.string(), {"someone_1900"}), source);
  EXPECT_EQ(choose_experiments(folder.string(), {"someone_1900/fig_2", "someone_1900"}), source);
  EXPECT_EQ(choose_experiments(folder.string(), {}).size(), 3U);
  EXPECT_THROW((void)choose_experiments(folder.string(), {"someone"}), error);
  // A figure that another file serves, once however it is called.
  write("someone_1900/fig_2.toml", "figures = ['someone_1900/fig_2', 'someone_1900/fig_3']");
  EXPECT_EQ(choose_experiments(folder.string(), {"someone_1900/fig_3", "someone_1900/fig_2"}),
            ids{"someone_1900/fig_2"});
  EXPECT_THROW((void)choose_experiments(folder.string(), {"someone_1900/fig_4"}), error);
}

// A claim that is judged on two executions is one claim with two verdicts; our own are not counted
// among the published.
TEST_F(experiment_file, ClaimsAndVerdictsAreCountedApart) {
  const std::string claim =
      "title = 'it'\nsource = 'x'\n[base]\nsystem = { kind = 'mass_under_force', mass = 1 }\n"
      "friction = { model = 'dai', F = 0.5 }\nforce = 1\nrun = { duration = 0.1 }\n"
      "integrator = { method = 'rk4', step = 1e-3 }\n[converged.integrator]\nstep = 1e-4\n"
      "[[run]]\nname = 'one'\n[[claim]]\ntext = 'it moves'\nsource_says = 'so'\nrun = 'one'\n"
      "measure = 'last'\ncolumn = 'x'\nat_least = 0\n";
  fs::create_directory(folder / "asperity");
  write("someone_1900/fig_1.toml",
        "figures = ['someone_1900/fig_1', 'someone_1900/fig_2']\n" + claim);
  write("asperity/ours.toml", claim);
  const auto results = perform_all(folder.string(), list_experiments(folder.string()));
  const verdict_counts published = count(results, whose::published),
                       ours = count(results, whose::own);
  EXPECT_EQ(published.experiments, 1);
  EXPECT_EQ(published.figures, 2);
  EXPECT_EQ(published.claims, 1);
  EXPECT_EQ(published.verdicts(), 2);
  EXPECT_EQ(published.met, 2);
  EXPECT_EQ(ours.experiments, 1);
  EXPECT_EQ(ours.verdicts(), 2);
  EXPECT_EQ(count(results).claims, 2);
  EXPECT_EQ(summary_text(results),
            "1 published experiment with 2 figures and tables, 1 claims, 2 verdicts: 2 met, 0 "
            "failed, 0 explained by an erratum, 0 skipped\n"
            "1 experiment of our own with 1 claims, 2 verdicts: 2 met, 0 failed, 0 explained by an "
            "erratum, 0 skipped\n");
}

// An audit belongs to the run itself: nothing is run for it, and nothing else changes.
TEST(perform, AuditsDoNotChangeARunAndComeWithTheOneThatIsShown) {
  const std::string folder = std::string(ASPERITY_SOURCE_DIR) + "/experiments";
  const auto plain = perform(read_experiment(folder, "xiong_2013/fig_3_4"));
  const auto audited = perform(read_experiment(folder, "xiong_2013/fig_3_4"), {}, true);
  ASSERT_EQ(audited.data.size(), plain.data.size());
  int audits = 0;
  for (const auto& [key, data] : audited.data) {
    const auto& other = plain.data.at(key);
    EXPECT_FALSE(other.audit.has_value());
    ASSERT_EQ(data.columns.size(), other.columns.size());
    for (std::size_t i = 0; i < data.columns.size(); ++i)
      EXPECT_EQ(data.columns[i].values, other.columns[i].values) << key.first;
    EXPECT_EQ(data.result.steps, other.result.steps);
    for (const auto& run : audited.what.runs) {
      if (run.name != key.first) continue;
      EXPECT_EQ(data.audit.has_value(), key.second == run.shown()) << key.first;
    }
    audits += data.audit.has_value() ? 1 : 0;
  }
  EXPECT_EQ(audits, static_cast<int>(audited.what.runs.size()));
}

// The report is the same bytes on every run, whatever the number of threads.
TEST(reproduce, ReportDoesNotDependOnThreads) {
  const std::string folder = std::string(ASPERITY_SOURCE_DIR) + "/experiments";
  const std::vector<std::string> ids{"xiong_2013/fig_3_4", "xiong_2013/fig_3_6",
                                     "xiong_2013/fig_5_3"};
  const auto report = [&](unsigned threads) {
    return report_json(perform_all(folder, ids, {.threads = threads}));
  };
  EXPECT_EQ(report(1), report(3));
}

}  // namespace
}  // namespace asperity
