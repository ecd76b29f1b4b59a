// SPDX-License-Identifier: Apache-2.0
// `asperity sweep`: what it leaves when it is killed, stopped, out of space, shared, or run by MPI.

#include <fmt/format.h>
#include <signal.h>
#include <sqlite3.h>

#include <chrono>
#include <random>
#include <thread>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

using std::chrono::milliseconds;

const std::string scenario = R"(
title = "Stick-slip"
[system]
kind = "pulled_mass"
mass = 1
stiffness = 2
speed = 0.1
[friction]
model = "stiction"
[run]
duration = 40
sample = 0.02
)";

class cli_sweep : public program_test {
 protected:
  // Takes a second, in sixty transactions.
  const std::vector<std::string> wanted{"sweep",     "s.toml",
                                        "--over",    "speed=lin(0.05, 0.5, 12)",
                                        "--over",    "stiffness=log(1, 20, 15)",
                                        "--measure", "stick_slip_period, extrema(v)",
                                        "--chunk",   "3",
                                        "--plot",    "none"};

  void SetUp() override { write("s.toml", scenario); }

  std::vector<std::string> sweep(const std::string& out, const std::vector<std::string>& more = {},
                                 const std::string& threads = "2") const {
    std::vector<std::string> all = wanted;
    all.insert(all.end(), {"--threads", threads, "--force", "--out", out});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  auto number_of_files() const {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  }

  // The table of an undisturbed run.
  std::string reference() const {
    EXPECT_EQ(run(sweep("ref.sqlite", {"--export", "ref.csv"})), 0);
    return content("ref.csv") + content("ref.lists.csv");
  }
  std::string table(const std::string& out) const {
    EXPECT_EQ(run(sweep(out, {"--export", "t.csv"})), 0);
    return content("t.csv") + content("t.lists.csv");
  }

  // What SQLite itself says of the file, and how many points are in it.
  std::pair<std::string, int> look(const std::string& file) const {
    sqlite3* data = nullptr;
    sqlite3_open(path(file).c_str(), &data);
    sqlite3_busy_timeout(data, 10000);
    const auto ask = [&](const char* question) {
      sqlite3_stmt* statement = nullptr;
      std::string answer = "?";
      if (sqlite3_prepare_v2(data, question, -1, &statement, nullptr) == SQLITE_OK &&
          sqlite3_step(statement) == SQLITE_ROW)
        answer = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
      sqlite3_finalize(statement);
      return answer;
    };
    const std::string health = ask("PRAGMA integrity_check"),
                      count = ask("SELECT count(*) FROM results");
    sqlite3_close(data);
    return {health, std::atoi(count.c_str())};
  }

  void wait_for_points(const std::string& file, int count) const {
    for (int i = 0; i < 2000 && (!fs::exists(folder / file) || look(file).second < count); ++i)
      std::this_thread::sleep_for(milliseconds(5));
  }
};

TEST_F(cli_sweep, KilledAtRandomGoesOnToTheSameTable) {
  const std::string whole = reference();
  std::mt19937 dice(20240607);
  std::uniform_int_distribution<int> pause(20, 200);
  for (int i = 0; i < 4; ++i) {
    const pid_t child = start(sweep("k.sqlite"));
    std::this_thread::sleep_for(milliseconds(pause(dice)));
    kill(child, SIGKILL);
    finish(child);
    if (fs::exists(folder / "k.sqlite")) {
      EXPECT_EQ(look("k.sqlite").first, "ok");
    }
  }
  EXPECT_EQ(table("k.sqlite"), whole);
}

TEST_F(cli_sweep, InterruptedSaysHowToGoOn) {
  // Long enough to be seen under way on a busy machine, too.
  std::string longer = scenario;
  longer.replace(longer.find("duration = 40"), 13, "duration = 400");
  write("s.toml", longer);
  const std::string whole = reference();
  int code = 0;
  for (int attempt = 0; attempt < 5 && code == 0; ++attempt) {
    fs::remove(folder / "i.sqlite");
    const pid_t child = start(sweep("i.sqlite"));
    wait_for_points("i.sqlite", 8);
    kill(child, SIGINT);
    code = finish(child);
  }
  EXPECT_EQ(code, 130);
  EXPECT_NE(content("err").find("run the same command again"), std::string::npos) << content("err");
  const auto [health, points] = look("i.sqlite");
  EXPECT_EQ(health, "ok");
  EXPECT_GE(points, 8);
  EXPECT_LT(points, 180);
  EXPECT_EQ(table("i.sqlite"), whole);
}

TEST_F(cli_sweep, TwoProcessesShareOneFile) {
  const std::string whole = reference();
  const pid_t a = start(sweep("two.sqlite"), {"out_a", "err_a"});
  const pid_t b = start(sweep("two.sqlite"), {"out_b", "err_b"});
  EXPECT_EQ(finish(a), 0) << content("err_a");
  EXPECT_EQ(finish(b), 0) << content("err_b");
  EXPECT_EQ(look("two.sqlite").first, "ok");
  EXPECT_EQ(table("two.sqlite"), whole);
}

// One of two is killed: the other takes over what it had claimed.
TEST_F(cli_sweep, TheOneThatIsLeftTakesOver) {
  const std::string whole = reference();
  const pid_t a = start(sweep("two.sqlite"), {"out_a", "err_a"});
  wait_for_points("two.sqlite", 4);
  const pid_t b = start(sweep("two.sqlite"), {"out_b", "err_b"});
  std::this_thread::sleep_for(milliseconds(100));
  kill(a, SIGKILL);
  finish(a);
  EXPECT_EQ(finish(b), 0) << content("err_b");
  EXPECT_EQ(table("two.sqlite"), whole);
}

TEST_F(cli_sweep, FullDiskIsAnErrorAndTheFileStaysValid) {
  const std::string whole = reference();
  surroundings tight;
  tight.largest_file = static_cast<long>(fs::file_size(folder / "ref.sqlite") * 6 / 10);
  EXPECT_EQ(run(sweep("full.sqlite"), tight), 2);
  EXPECT_NE(content("err").find("the disk is full or a limit is reached"), std::string::npos)
      << content("err");
  const auto [health, points] = look("full.sqlite");
  EXPECT_EQ(health, "ok");
  EXPECT_GT(points, 0);
  EXPECT_LT(points, 180);
  EXPECT_EQ(table("full.sqlite"), whole);
}

// A measure over no time at all would leave empty cells.
TEST_F(cli_sweep, RefusesMeasuresOfNothing) {
  const auto measuring = [](const std::string& what) {
    return std::vector<std::string>{"sweep",     "s.toml", "--over", "speed=lin(0.05, 0.5, 3)",
                                    "--measure", what,     "--out",  "m.sqlite"};
  };
  refuses(measuring("amplitude(v, from=5, to=2)"), {"to = 2", "at least from = 5 s"});
  refuses(measuring("maximum(v, from=50)"), {"from = 50 s", "after the end of the run, 40 s"});
  refuses(measuring("amplitude(v, to=2)"), {"to = 2 s", "20 s, the middle of the run"});
  refuses(measuring("peak(x, n=0)"), {"n = 0", "at least 1, or -1"});
  refuses(measuring("event_time(slip, n=0)"), {"n = 0", "at least 1, or -1"});
  refuses(measuring("maximum(f, form=2)"), {"did you mean 'from'?", "allowed: ", ", to"});
  EXPECT_FALSE(fs::exists(folder / "m.sqlite"));
  // What one of the runs has is not nothing.
  EXPECT_EQ(run({"sweep", "s.toml", "--over", "run.duration=lin(20, 60, 2)", "--measure",
                 "maximum(v, from=50)", "--plot", "none", "--out", "m.sqlite"}),
            0);
}

// Whatever the size at which it ends, and in both formats: no file, or the one that was there.
TEST_F(cli_sweep, AFullDiskLeavesNoPartOfAnExport) {
  reference();
  for (const std::string name : {"e.h5", "e.csv"}) {
    const std::vector<std::string> again{"sweep",   "ref.sqlite", "--plot", "none",
                                         "--force", "--export",   name};
    if (name == "e.h5" && run(again).err.find("cannot write HDF5") != std::string::npos) continue;
    ASSERT_EQ(run(again), 0);
    const std::string whole = content(name);
    ASSERT_GT(whole.size(), 10000U);
    for (const bool was_there : {true, false}) {
      if (!was_there) fs::remove(folder / name);
      const auto files = number_of_files();
      for (const std::size_t room : {std::size_t{1}, std::size_t{300}, std::size_t{4096},
                                     std::size_t{9000}, whole.size() / 2, whole.size() - 1}) {
        SCOPED_TRACE(fmt::format("{}: room for {} of {} bytes", name, room, whole.size()));
        surroundings tight;
        tight.largest_file = static_cast<long>(room);
        tight.out = "/dev/null";
        tight.err = "/dev/null";
        EXPECT_EQ(finish(start(again, tight)), 2);
        EXPECT_EQ(number_of_files(), files);
        if (was_there) {
          EXPECT_TRUE(content(name) == whole);
        }
      }
    }
    surroundings enough;
    enough.largest_file = static_cast<long>(whole.size() + content("e.lists.csv").size());
    EXPECT_EQ(run(again, enough), 0);
    EXPECT_TRUE(content(name) == whole);
  }
}

TEST_F(cli_sweep, RanksOfMpiGiveTheSameTable) {
  if (std::system("command -v mpirun >/dev/null 2>&1") != 0 || !fs::exists(program + "_mpi.so"))
    GTEST_SKIP() << "no mpirun, or built without MPI";
  const auto by_mpi = [&](const char* count, const std::string& out) {
    std::vector<std::string> all{"mpirun", "-n", count, program};
    const auto mine = sweep(out, {}, "1");
    all.insert(all.end(), mine.begin(), mine.end());
    return all;
  };
  const std::string whole = reference();
  surroundings around;
  around.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                        {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                        {"OMPI_MCA_rmaps_base_oversubscribe", "1"}};
  for (const char* count : {"1", "2", "4"}) {
    const std::string file = fmt::format("m{}.sqlite", count);
    EXPECT_EQ(finish(launch(by_mpi(count, file), around)), 0) << content("err");
    EXPECT_EQ(look(file).second, 180);
    EXPECT_EQ(table(file), whole) << count << " ranks";
  }
  // A rank that is lost takes the others with it; the rest is done by the next run.
  const pid_t launcher = launch(by_mpi("2", "lost.sqlite"), around);
  wait_for_points("lost.sqlite", 8);
  const bool in_time =
      std::system(fmt::format("kill -9 $(pgrep -P {} | head -n 1)", launcher).c_str()) == 0;
  const int code = finish(launcher);
  // On a fast machine all points may have been done.
  if (in_time && code == 0) {
    EXPECT_EQ(look("lost.sqlite").second, 180);
  }
  EXPECT_EQ(look("lost.sqlite").first, "ok");
  EXPECT_EQ(table("lost.sqlite"), whole);
}

TEST_F(cli_sweep, WithoutMpiItSaysSo) {
  // A copy of the program far from its module.
  fs::copy_file(program, folder / "asperity");
  surroundings around;
  around.environment = {{"OMPI_COMM_WORLD_SIZE", "2"}};
  std::vector<std::string> all{path("asperity")};
  all.insert(all.end(), wanted.begin(), wanted.end());
  EXPECT_EQ(finish(launch(all, around)), 2);
  EXPECT_NE(content("err").find("built without MPI"), std::string::npos) << content("err");
}

TEST_F(cli_sweep, ExportsAndPlotsAgain) {
  const std::string whole = reference();
  EXPECT_EQ(run({"sweep", "ref.sqlite", "--export", "again.csv", "--export", "again.h5", "--plot",
                 "svg"}),
            0);
  EXPECT_EQ(content("again.csv") + content("again.lists.csv"), whole);
  EXPECT_EQ(content("again.h5").substr(1, 3), "HDF");
  const std::string picture = content("ref.svg");
  if (std::system("command -v gnuplot >/dev/null 2>&1") == 0) {
    EXPECT_NE(picture.find("system.stiffness [N/m]"), std::string::npos);
    EXPECT_NE(picture.find("stick_slip_period [s]"), std::string::npos);
  }
}

// With the parameters of the example, stick-slip at 0.05 m/s and steady sliding at 0.3 m/s.
TEST_F(cli_sweep, ExampleShowsTheOnset) {
  EXPECT_EQ(run({"sweep", examples + "/sweeps/stick_slip_onset.toml", "--over", "speed=0.05,0.3",
                 "--set", "run.duration=10", "--measure", "stick_slip_period", "--export", "t.csv",
                 "--plot", "none"}),
            0);
  const std::string text = content("t.csv");
  EXPECT_NE(text.find("\n0,0.05,0."), std::string::npos) << text;
  EXPECT_NE(text.find("\n1,0.3,,completed"), std::string::npos) << text;
}

TEST_F(cli_sweep, RefusesWithAMessage) {
  refuses({"sweep"}, {"SCENARIO is missing"});
  refuses({"sweep", "nothing.toml"}, {"no such file"});
  refuses({"sweep", "s.toml", "--over", "mass=1"}, {"nothing to measure"});
  refuses({"sweep", "s.toml", "--measure", "last(x)"}, {"nothing to sweep"});
  refuses({"sweep", "s.toml", "--over", "mass=1", "--measure", "last(x)", "--export", "t.txt"},
          {".csv or .h5"});
  refuses({"sweep", "s.toml", "--over", "mass=1", "--measure", "last(x)", "--out", "no/where.db"},
          {"no/where.db"});
  refuses({"sweep", "s.toml", "--over", "mass=1", "--measure", "last(x)", "--continue", "left"},
          {"--continue"});
  refuses({"sweep", "s.toml", "--over", "mass=1", "--measure", "last(x)", "--out", "s.toml"},
          {"s.toml"});
  EXPECT_EQ(content("s.toml"), scenario);
  EXPECT_EQ(run({"sweep", "s.toml", "--over", "mass=1", "--measure", "last(x)", "--out", "a.sqlite",
                 "--plot", "none"}),
            0);
  refuses({"sweep", "s.toml", "--over", "mass=2", "--measure", "last(x)", "--out", "a.sqlite"},
          {"contains a different sweep"});
  refuses({"sweep", "a.sqlite", "--over", "mass=2"}, {"file of results"});
}

TEST_F(cli_sweep, ListsItsMeasures) {
  EXPECT_EQ(run({"measures"}), 0);
  const std::string text = content("out");
  for (const char* word : {"stick_slip_period", "restitution", "loop_area", "extrema", "attractor"})
    EXPECT_NE(text.find(word), std::string::npos) << word;
}

}  // namespace
}  // namespace asperity::testing
