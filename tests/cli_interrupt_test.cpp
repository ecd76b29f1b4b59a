// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM end every command within a second, with what there is. The tests allow a
// little more, since the machine may have other things to do.

#include <sys/resource.h>
#include <sys/stat.h>

#include <sstream>

#include "tests/job.hpp"

namespace asperity::testing {
namespace {

using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;

constexpr milliseconds allowed{3000};

class cli_interrupt : public job_test {
 protected:
  // Processor time that a process has used so far [s].
  static double used(pid_t process) {
    std::ifstream stream(fmt::format("/proc/{}/stat", process));
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    std::istringstream fields(text.substr(std::min(text.rfind(')') + 1, text.size())));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    long user = 0, system = 0;
    fields >> user >> system;
    return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }

  static bool is_running(pid_t process) {
    siginfo_t about{};
    waitid(P_PID, static_cast<id_t>(process), &about, WEXITED | WNOHANG | WNOWAIT);
    return about.si_pid == 0;
  }

  // Starts the program, lets it work for a while, and interrupts it.
  answer interrupt(const command& line, double after = 0.3, int by = SIGINT) {
    const pid_t child = start(line);
    const auto end = clock::now() + std::chrono::seconds(30);
    while (used(child) < after && is_running(child) && clock::now() < end)
      std::this_thread::sleep_for(milliseconds(5));
    kill(child, by);
    const auto code = finish_in_time(child, allowed);
    EXPECT_TRUE(code) << "it goes on for more than " << allowed.count() << " ms";
    return {code.value_or(-SIGKILL), content("out"), content("err")};
  }

  // It was interrupted, says so in one line, and says what there is.
  static void expect_said(const answer& told, const std::vector<std::string>& words) {
    EXPECT_EQ(told, 130);
    for (const auto& each : words)
      EXPECT_NE(told.err.find(each), std::string::npos) << each << "\n" << told.err;
    EXPECT_EQ(told.err.find("unfinished"), std::string::npos) << told.err;
  }
  std::size_t lines_of(const std::string& file) const {
    const std::string text = content(file);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  // A record with loops of all sizes.
  void write_record(const std::string& file, int rows) const {
    std::string text = "t,x,v,f\n";
    for (int i = 0; i < rows; ++i) {
      const double t = 1e-3 * i, x = std::sin(t) + 0.3 * std::sin(7.3 * t) + 0.1 * std::sin(91 * t);
      text += fmt::format("{:.4f},{:.6f},{:.6f},{:.6f}\n", t, x, std::cos(t),
                          x + 0.2 * std::cos(13 * t));
    }
    write(file, text);
  }
};

TEST_F(cli_interrupt, RunOfManyGrains) {
  expect_said(interrupt("run " + examples + "/discs.toml --set run.duration=1e4 --out results"),
              {"interrupted at t = ", "of 10000 s; what was computed is in results"});
  EXPECT_GE(lines_of("results/series.csv"), 2U);
  EXPECT_NE(content("results/summary.json").find("\"outcome\": \"interrupted\""),
            std::string::npos);
}

TEST_F(cli_interrupt, RunOfManyGrainsBySteps) {
  expect_said(interrupt("run " + examples +
                        "/discs.toml --set run.duration=1e4 --set integrator.method=rk4 --set "
                        "integrator.step=1e-5 --out results"),
              {"interrupted at t = ", "of 10000 s; what was computed is in results"});
}

TEST_F(cli_interrupt, RunOfAMass) {
  for (const int by : {SIGINT, SIGTERM, SIGHUP})
    expect_said(
        interrupt(
            "run " + examples +
                "/stick_slip.toml --set run.duration=1e6 --set run.sample=1 --force --out results",
            0.3, by),
        {"interrupted at t = ", "what was computed is in results"});
}

// Steps that take milliseconds.
TEST_F(cli_interrupt, RunOfAPatch) {
  expect_said(
      interrupt("run " + examples +
                "/pushed_box.toml --set patch.cells=60 --set run.duration=1e4 --out results"),
      {"interrupted at t = ", "what was computed is in results"});
}

TEST_F(cli_interrupt, ASecondOneEndsAtOnce) {
  const pid_t child =
      start("run " + examples +
            "/stick_slip.toml --set run.duration=1e6 --set run.sample=1 --out results");
  while (used(child) < 0.2) std::this_thread::sleep_for(milliseconds(5));
  kill(child, SIGSTOP);
  kill(child, SIGINT);
  kill(child, SIGTERM);
  kill(child, SIGCONT);
  EXPECT_LT(finish_in_time(child, allowed).value_or(0), 0) << "one of the two ends it";
}

// A terminal that is closed says so itself, and again through its shell.
TEST_F(cli_interrupt, ASecondHangupLosesNothing) {
  const pid_t child =
      start("run " + examples +
            "/stick_slip.toml --set run.duration=1e6 --set run.sample=1 --out results");
  while (used(child) < 0.2) std::this_thread::sleep_for(milliseconds(5));
  for (int i = 0; i < 2; ++i) {
    kill(child, SIGHUP);
    std::this_thread::sleep_for(milliseconds(2));
  }
  EXPECT_EQ(finish_in_time(child, allowed).value_or(0), 130);
  EXPECT_TRUE(fs::exists(path("results/summary.json")));
}

TEST_F(cli_interrupt, PropertiesOfModels) {
  const answer told = interrupt("models --properties");
  expect_said(told, {"interrupted: ", " models were examined"});
  EXPECT_EQ(told.out.rfind("model ", 0), 0U) << told.out;
}

TEST_F(cli_interrupt, LoopsOfALongRecord) {
  write_record("record.csv", 1'000'000);
  expect_said(interrupt("loops record.csv --x x --y f --out results", 0.6),
              {"interrupted; no results were written"});
  EXPECT_FALSE(fs::exists(folder / "results"));
}

TEST_F(cli_interrupt, EvaluationAlongALongMotion) {
  write_record("motion.csv", 300'000);
  expect_said(
      interrupt("eval lugre --input motion.csv --drive v --set sigma_0=1e6 --out f.csv", 1.5),
      {"interrupted"});
}

// While the record is looked at, and while the model is moved along it: one way along a million rows
// takes seconds. What was found until then is shown, with what was left out.
TEST_F(cli_interrupt, FitToALongRecord) {
  write_record("record.csv", 1'000'000);
  expect_said(interrupt("fit lugre --data record.csv --out early", 2.5), {"interrupted"});
  EXPECT_FALSE(fs::exists(folder / "early"));
  const answer told = interrupt("fit lugre --data record.csv --starts 0 --out results", 9);
  expect_said(told, {"interrupted"});
  if (told.out.empty()) {
    EXPECT_NE(told.err.find("there is nothing to show"), std::string::npos) << told.err;
  } else {
    EXPECT_NE(told.out.find("left out, since it was interrupted: "), std::string::npos) << told.out;
    EXPECT_NE(told.out.find("The fit was stopped early"), std::string::npos);
    EXPECT_TRUE(fs::exists(folder / "results/fit.json"));
  }
}

// A limit ends it as well while it goes along the record: every way takes about a second of processor time,
// and the fit would take some before it asked for the time. The clock is the processor's, since the machine
// may have other things to do.
TEST_F(cli_interrupt, ATimeLimitOfAFitToALongRecord) {
  write_record("record.csv", 1'000'000);
  const auto used_by_children = [] {
    rusage all{};
    getrusage(RUSAGE_CHILDREN, &all);
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(all.ru_utime) + seconds(all.ru_stime);
  };
  const double before = used_by_children();
  const answer told =
      run({"fit", "lugre", "--data", "record.csv", "--starts", "0", "--time-limit", "0.5 s"});
  EXPECT_LT(used_by_children() - before, 5);
  EXPECT_TRUE(told.out.find("stopped at the time limit") != std::string::npos ||
              told.err.find("the time limit of 0.5 s is too short") != std::string::npos)
      << told.out << told.err;
}

TEST_F(cli_interrupt, ComparisonOfModelsOnALongRecord) {
  write_record("record.csv", 300'000);
  expect_said(interrupt("fit lugre --data record.csv --compare all", 5), {"interrupted"});
}

TEST_F(cli_interrupt, Check) {
  expect_said(interrupt("check gms patch_dai lugre"), {"interrupted: ", " laws were tried"});
}

TEST_F(cli_interrupt, Conformance) {
  expect_said(interrupt("conformance --out cards"), {"interrupted"});
  EXPECT_FALSE(fs::exists(folder / "cards"));
}

TEST_F(cli_interrupt, InversionOfALongRecord) {
  write_record("wanted.csv", 300'000);
  expect_said(interrupt("invert preisach --wanted wanted.csv --out x.csv", 0.5), {"interrupted"});
}

TEST_F(cli_interrupt, Equilibria) {
  expect_said(interrupt("equilibria drbm_sawtooth --stiffness 1 --from 0 --to 1 --points 100000"),
              {"interrupted; the intervals found so far are kept"});
}

TEST_F(cli_interrupt, HysteresisMap) {
  expect_said(interrupt("hysteresis bouc_wen --samples 100000 --omega 1000"),
              {"interrupted; the loops computed so far are kept"});
}

TEST_F(cli_interrupt, Restitution) {
  expect_said(interrupt("restitution --all --speed \"log(1e-3, 10, 100000)\" --out results"),
              {"interrupted; the impacts computed so far are kept"});
}

TEST_F(cli_interrupt, LimitSurface) {
  expect_said(
      interrupt("limit-surface --set shape=ellipse --set a=0.1 --set b=0.02 --set pressure=hertz "
                "--around 720 --up 361 --tolerance 1e-12 --out results"),
      {"interrupted"});
  EXPECT_FALSE(fs::exists(folder / "results"));
}

TEST_F(cli_interrupt, SlipMap) {
  expect_said(
      interrupt("slip-map " + examples +
                "/pushed_box.toml --set patch.cells=60 --set run.duration=1e4 --out results"),
      {"interrupted at t = "});
}

TEST_F(cli_interrupt, Sweep) {
  const answer told =
      interrupt("sweep " + examples +
                    "/stick_slip.toml --over \"speed=log(0.01, 1, 100000)\" --measure "
                    "stick_slip_period --force --out s.sqlite",
                1.5);
  expect_said(told, {"interrupted: ", " points are in s.sqlite; run the same command again"});
}

TEST_F(cli_interrupt, Reproduce) {
  const answer told = interrupt("reproduce --force --out report --json claims.json", 1.5);
  expect_said(told, {"interrupted: ", " experiments finished"});
  // What is there is whole: an index with the pages that it names.
  if (fs::exists(folder / "report")) {
    EXPECT_TRUE(fs::exists(folder / "report/index.html"));
    EXPECT_TRUE(fs::exists(folder / "claims.json"));
  }
  for (const auto& entry : fs::directory_iterator(folder))
    EXPECT_NE(entry.path().filename().string()[0], '.') << entry.path();
}

TEST_F(cli_interrupt, Mutants) {
  expect_said(interrupt("mutants", 1.5), {"interrupted: ", " experiments finished"});
}

// Also while a picture is drawn: by a gnuplot that takes its time.
TEST_F(cli_interrupt, WhileGnuplotDraws) {
  fs::create_directory(folder / "bin");
  write("bin/gnuplot", "#!/bin/sh\nexec sleep 60\n");
  fs::permissions(folder / "bin/gnuplot", fs::perms::owner_all);
  surroundings slow;
  slow.environment = {{"PATH", path("bin") + ":/usr/bin:/bin"}};
  const pid_t child =
      start("run " + examples + "/stick_slip.toml --set run.duration=0.1 --out results", slow);
  std::this_thread::sleep_for(milliseconds(2500));
  kill(child, SIGINT);
  const auto code = finish_in_time(child, allowed);
  const answer told{code.value_or(-SIGKILL), content("out"), content("err")};
  expect_said(told, {"no plot: interrupted", "interrupted near the end: all results were written"});
  EXPECT_TRUE(fs::exists(folder / "results/series.csv"));
}

// Whoever prints to a reader that does not read.
TEST_F(cli_interrupt, WhilePrintingToNobody) {
  const std::string patch = "limit-surface --set shape=disc --set radius=0.02";
  for (const std::string& line :
       {std::string("models"), std::string("models --json"), std::string("show lugre"),
        std::string("experiments"), std::string("--help"), patch,
        "inclusion " + examples + "/inclusions/two_bodies.toml"}) {
    SCOPED_TRACE(line);
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    const int reader = open(path("pipe").c_str(), O_RDWR | O_NONBLOCK);
    const std::string filling(4096, ' ');
    while (::write(reader, filling.data(), filling.size()) > 0) {
    }
    surroundings around;
    around.out = "pipe";
    const pid_t child = start(line, around);
    std::this_thread::sleep_for(milliseconds(700));
    EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "it does not wait";
    kill(child, SIGINT);
    EXPECT_EQ(finish_in_time(child, allowed).value_or(-SIGKILL), 130);
    EXPECT_NE(content("err").find("asperity: error: interrupted"), std::string::npos);
    close(reader);
    fs::remove(folder / "pipe");
  }
}

}  // namespace
}  // namespace asperity::testing
