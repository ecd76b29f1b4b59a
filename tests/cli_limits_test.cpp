// SPDX-License-Identifier: Apache-2.0
// Limits on steps, time and memory bind every run, and what was computed until then is kept.

#include <sys/resource.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

class cli_limits : public program_test {
 protected:
  const std::string mass = examples + "/stick_slip.toml ", grains = examples + "/discs.toml ",
                    patch = examples + "/pushed_box.toml ",
                    inclusion = examples + "/inclusions/two_bodies.toml ";

  // The run ended early, and says why and when.
  void expect_cut(const answer& told, const std::string& outcome) const {
    EXPECT_EQ(told, 1);
    EXPECT_NE(told.err.find(outcome + " at t = "), std::string::npos) << told.err;
    EXPECT_NE(told.err.find("what was computed is in results"), std::string::npos) << told.err;
    EXPECT_EQ(summary().at("outcome"), outcome);
    EXPECT_GE(rows(), 1U);
    EXPECT_NEAR(last_time(), summary().at("reached").at("value").get<double>(), 1e-9 * last_time());
  }
  nlohmann::json summary() const { return nlohmann::json::parse(content("results/summary.json")); }
  std::size_t rows() const {
    const std::string text = content("results/series.csv");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) - 1;
  }
  std::size_t columns() const { return summary().at("columns").size(); }
  double last_time() const {
    const std::string text = content("results/series.csv");
    return std::stod(text.substr(text.rfind('\n', text.size() - 2) + 1));
  }
};

TEST_F(cli_limits, StepsOfEveryKindOfRun) {
  for (const auto& scenario : {mass, grains, inclusion})
    for (const long most : {1L, 7L}) {
      SCOPED_TRACE(fmt::format("{} {}", scenario, most));
      expect_cut(run(fmt::format("run {}--set integrator.method=dopri5 --set "
                                 "integrator.max_steps={} --plot none --force --out results",
                                 scenario, most)),
                 "step limit reached");
      EXPECT_EQ(summary().at("steps"), most);
    }
}

TEST_F(cli_limits, StepsOfFixedLengthAreRefusedBeforehand) {
  for (const auto& scenario : {mass, grains})
    refuses(fmt::format("run {}--set integrator.method=rk4 --set integrator.step=1e-5 --set "
                        "integrator.max_steps=10 --out results",
                        scenario),
            {"integrator.step", "max_steps"});
}

TEST_F(cli_limits, TimeOfEveryKindOfRun) {
  using clock = std::chrono::steady_clock;
  for (const auto& scenario : {mass, grains, patch, inclusion}) {
    SCOPED_TRACE(scenario);
    const auto start = clock::now();
    expect_cut(
        run("run " + scenario +
            "--set run.duration=1e6 --set run.sample=1 --time-limit 0.3 --plot none "
            "--set integrator.max_steps=1e12 --set integrator.step=1e-4 --force --out results"),
        "time limit reached");
    EXPECT_LT(clock::now() - start, std::chrono::seconds(10));
  }
}

TEST_F(cli_limits, TimeInTheFileAndItsUnits) {
  expect_cut(run("run " + mass +
                 "--set run.duration=1e6 --set run.sample=1 --set \"run.time_limit=200 ms\" --plot "
                 "none --force --out results"),
             "time limit reached");
  EXPECT_NE(content("results/resolved.toml").find("time_limit = 0.2"), std::string::npos);
  refuses("run " + mass + "--time-limit 0 --force --out results",
          {"run.time_limit = 0", "above 0"});
  refuses("run " + mass + "--time-limit=-1 --force --out results",
          {"run.time_limit = -1", "above 0"});
  refuses("run " + mass + "--time-limit \"1 N\" --force --out results", {"run.time_limit", "1 N"});
  refuses("reproduce --time-limit soon", {"--time-limit soon"});
}

TEST_F(cli_limits, TimeOfPointsAndExperiments) {
  const answer swept = run(
      "sweep " + mass +
      "--over \"speed=lin(0.1, 0.2, 2)\" --set run.duration=1e6 --set run.sample=1 --time-limit "
      "0.2 --measure \"maximum(v)\" --plot none --out s.sqlite --export s.csv");
  EXPECT_EQ(swept, 1);
  EXPECT_NE(swept.err.find("time limit reached"), std::string::npos) << swept.err;
  EXPECT_NE(content("s.csv").find("time limit reached"), std::string::npos);
  const answer reproduced = run("reproduce xiong_2013/fig_3_4 --time-limit 1e-9");
  EXPECT_EQ(reproduced, 1);
  EXPECT_NE(reproduced.out.find("NOT MET"), std::string::npos) << reproduced.out;
}

// A number takes 64 bytes until it is written.
TEST_F(cli_limits, MemoryOfWhatIsRecorded) {
  expect_cut(run("run " + mass +
                 "--set integrator.method=dopri5 --set run.sample=0 "
                 "--memory-limit \"1 MB\" --plot none --out results"),
             "memory limit reached");
  const double bytes = 64.0 * static_cast<double>(rows() * columns());
  EXPECT_GT(bytes, 1e6);
  EXPECT_LT(bytes, 4e6);  // it looks every few thousand steps
  EXPECT_NE(content("results/resolved.toml").find("memory_limit = 1"), std::string::npos);
}

TEST_F(cli_limits, RowsThatCannotFitAreRefusedBeforehand) {
  refuses("run " + mass + "--set run.sample=1e-5 --memory-limit \"10 MB\" --out results",
          {"run.sample = 1e-05 s", "rows of", "columns", "GB", "run.memory_limit"});
  refuses("run " + grains + "--set run.sample=1e-6 --memory-limit 1e6 --out results",
          {"run.sample = 1e-06 s", "run.memory_limit"});
  refuses("run " + mass + "--memory-limit much --out results",
          {"run.memory_limit", "much", "2 GB"});
  refuses("run " + mass + "--memory-limit=-5 --out results", {"run.memory_limit", "above 0"});
  EXPECT_FALSE(fs::exists(folder / "results"));
}

// The limit is one on memory that is really used.
TEST_F(cli_limits, MemoryThatIsUsedStaysBelowTheLimit) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer needs memory of its own";
#endif
  const auto used_by = [&](const std::string& line) {
    rusage usage{};
    int status = 0;
    wait4(start(line), &status, 0, &usage);
    return 1024.0 * static_cast<double>(usage.ru_maxrss);
  };
  const double alone =
      used_by("run " + mass + "--set run.duration=0.01 --plot none --force --out results");
  for (const char* more : {"", " --audit"}) {
    SCOPED_TRACE(more);
    const double with = used_by("run " + mass +
                                "--set run.sample=0 --set run.duration=1e4 "
                                "--memory-limit \"100 MB\" --force --out results" +
                                more);
    EXPECT_EQ(summary().at("outcome"), "memory limit reached");
    EXPECT_LT(with - alone, 100e6) << more;
    EXPECT_GT(with - alone, 20e6) << more;
  }
}

// What `ulimit -v` leaves is known, so a run ends in time; and where nothing is left, it is said.
TEST_F(cli_limits, MemoryThatTheProcessMayNotHave) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer needs memory of its own";
#endif
  surroundings around;
  around.environment = {{"asperity", program}};
  const auto limited = [&](long kilobytes, const std::string& line) {
    const int code = finish(
        launch({"/bin/sh", "-c", fmt::format("ulimit -v {}; exec $asperity {}", kilobytes, line)},
               around));
    return answer{code, content("out"), content("err")};
  };
  EXPECT_EQ(limited(600'000, "run " + mass +
                                 "--set run.sample=0 --set run.duration=1e5 --plot none "
                                 "--out run"),
            1);
  EXPECT_NE(content("err").find("memory limit reached"), std::string::npos) << content("err");
  EXPECT_TRUE(fs::exists(folder / "run/series.csv"));
}

TEST_F(cli_limits, RunsOfAbsurdLengthEnd) {
  for (const char* duration : {"1e300", "1e18", "1e-300"})
    for (const auto& scenario : {mass, grains, inclusion}) {
      SCOPED_TRACE(fmt::format("{} {}", scenario, duration));
      const answer told =
          run(fmt::format("run {0}--set run.duration={1} --set run.sample={1} --time-limit 0.2 "
                          "--plot none --out results",
                          scenario, duration));
      EXPECT_TRUE(told.code >= 0 && told.code <= 2) << told.text();
    }
}

}  // namespace
}  // namespace asperity::testing
