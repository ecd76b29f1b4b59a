// SPDX-License-Identifier: Apache-2.0
#pragma once

// A command whose results are known, to be disturbed: whatever happens to it, its results are those
// of before or those that it should have, and nothing else is left.

#include <chrono>
#include <csignal>
#include <map>
#include <optional>
#include <thread>

#include "tests/program.hpp"

namespace asperity::testing {

using file_tree = std::map<std::string, std::string>;  // paths and contents

inline file_tree tree_of(const fs::path& folder) {
  file_tree result;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    result[fs::relative(entry.path(), folder).string()] =
        entry.is_directory() ? "" : std::string(std::istreambuf_iterator<char>(stream), {});
  }
  return result;
}

// How often a test tries: the number of the environment variable, or fewer by default.
inline long times(const char* variable, long otherwise) {
  const char* given = std::getenv(variable);
  return given != nullptr ? std::atol(given) : otherwise;
}

struct job {
  std::string name;
  std::vector<std::string> words;    // after `asperity`
  std::vector<std::string> results;  // files and folders in `work`
  // Of a database not the bytes count but what the table says that is written from it.
  std::string database = {};
};

class job_test : public program_test {
 protected:
  static constexpr std::chrono::seconds patience{60};

  job_test() { fs::create_directory(folder / "work"); }

  // All jobs write into the folder `work` and nowhere else.
  std::vector<job> jobs() {
    const std::string scenario = examples + "/stick_slip.toml";
    write("motion.csv", "t,v\n0,0\n0.001,0.001\n0.002,-0.001\n0.003,0.002\n");
    fs::create_directories(folder / "experiments/xia_2012");
    const std::string few = "xia_2012/table_4_1.toml";
    fs::copy_file(fs::path(ASPERITY_SOURCE_DIR "/experiments") / few, folder / "experiments" / few,
                  fs::copy_options::overwrite_existing);
    return {{"run",
             {"run", scenario, "--set", "run.duration=0.2", "--plot", "none", "--force", "--out",
              "work/out"},
             {"out"}},
            {"plot",
             {"run", scenario, "--set", "run.duration=0.2", "--force", "--out", "work/out"},
             {"out"}},
            {"eval",
             {"eval", "lugre", "--input", "motion.csv", "--force", "--out", "work/f.csv"},
             {"f.csv"}},
            {"reproduce",
             {"reproduce", "--experiments", "experiments", "--jobs", "2", "--force", "--out",
              "work/report", "--json", "work/claims.json"},
             {"report", "claims.json"}},
            {"sweep",
             {"sweep", scenario, "--over", "speed=lin(0.1, 0.3, 6)", "--set", "run.duration=0.1",
              "--measure", "maximum(v)", "--chunk", "1", "--threads", "2", "--plot", "none",
              "--force", "--out", "work/s.sqlite", "--export", "work/s.csv"},
             {"s.sqlite", "s.csv"},
             "s.sqlite"}};
  }

  // Starts from results of an earlier and other run, or from nothing.
  void reset(const job& what, bool has_earlier) const {
    fs::remove_all(folder / "work");
    fs::create_directory(folder / "work");
    if (!has_earlier || !what.database.empty()) return;
    for (const auto& each : what.results) {
      if (each.find('.') != std::string::npos) {
        write("work/" + each, "earlier\n");
        continue;
      }
      fs::create_directory(folder / "work" / each);
      write("work/" + each + "/.asperity", "earlier\n");
      write("work/" + each + "/old.txt", "earlier\n");
    }
  }

  // Nothing where it did not end in time; it is killed then.
  static std::optional<int> finish_in_time(pid_t child, std::chrono::milliseconds within) {
    const auto end = std::chrono::steady_clock::now() + within;
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        return std::nullopt;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  file_tree work() const { return tree_of(folder / "work"); }

  // Every result is as it was before or as it should be; a hidden file may be left only where the
  // program was killed. A database may hold a part.
  void expect_undamaged(const job& what, const file_tree& before, const file_tree& wanted,
                        bool was_killed) const {
    const file_tree now = work();
    const auto part_of = [](const file_tree& whole, const std::string& name) {
      file_tree part;
      for (const auto& [path, text] : whole)
        if (path == name || path.rfind(name + "/", 0) == 0) part[path] = text;
      return part;
    };
    for (const auto& each : what.results) {
      if (each == what.database) continue;
      const file_tree part = part_of(now, each);
      EXPECT_TRUE(part == part_of(before, each) || part == part_of(wanted, each))
          << what.name << ": " << each << " is neither what it was nor what it should be";
    }
    for (const auto& [path, text] : now) {
      const std::string top = path.substr(0, path.find('/'));
      const bool is_result =
          std::find(what.results.begin(), what.results.end(), top) != what.results.end();
      const bool belongs_to_database =
          !what.database.empty() && top.rfind(what.database + "-", 0) == 0;
      const bool is_left_by_kill = was_killed && (top[0] == '.' || belongs_to_database ||
                                                  top.find(".unfinished-") != std::string::npos);
      EXPECT_TRUE(is_result || is_left_by_kill) << what.name << " leaves " << path;
    }
  }

  // Undisturbed, it makes its results whatever is there, and nothing else.
  void expect_repair(const job& what, const file_tree& wanted) const {
    ASSERT_EQ(run(what.words), 0) << what.name;
    file_tree now = work(), all = wanted;
    if (!what.database.empty()) now[what.database] = all[what.database] = "";
    EXPECT_TRUE(now == all) << what.name << ": the next run gives something else";
  }
};

}  // namespace asperity::testing
