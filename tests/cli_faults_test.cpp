// SPDX-License-Identifier: Apache-2.0
// Memory, disks and files that fail, one call after the other (tests/faults/faults.c). Each time
// the program ends with the right results, or with another exit code than 0 and a message; never by
// a signal, never half done. ASPERITY_FAULTS=400 tries so many calls of each kind.

#include <set>
#include <sstream>

#include "tests/job.hpp"

namespace asperity::testing {
namespace {

class cli_faults : public job_test {
 protected:
  const std::string shim = ASPERITY_BINARY_DIR "/tests/faults.so";

  surroundings with(const std::string& fault) const {
    surroundings around;
    around.environment = {{"LD_PRELOAD", shim}, {"ASPERITY_FAULT", fault}};
    return around;
  }

  // Every early call, then some of all the others.
  static std::vector<long> calls_to_fail(long there_are, long tries) {
    const long early = tries / 2;
    std::set<long> chosen;
    for (long n = 1; n <= std::min(there_are, early); ++n) chosen.insert(n);
    for (long i = 1; i <= tries - early; ++i)
      chosen.insert(std::max(1L, there_are * i / (tries - early)));
    return {chosen.begin(), chosen.end()};
  }

  void disturb(const std::string& name, long by_default) {
    if (!fs::exists(shim)) GTEST_SKIP() << "sanitizers replace malloc themselves";
    const auto all = jobs();
    const job& what =
        *std::find_if(all.begin(), all.end(), [&](const job& j) { return j.name == name; });
    reset(what, false);
    surroundings counting;
    counting.environment = {{"LD_PRELOAD", shim}, {"ASPERITY_FAULT_COUNTS", path("counts")}};
    ASSERT_EQ(run(what.words, counting), 0);
    const file_tree wanted = work();
    std::map<std::string, long> calls;
    std::istringstream lines(content("counts"));
    for (std::string kind; lines >> kind;) lines >> calls[kind];
    ASSERT_GT(calls["memory"], 100);
    ASSERT_GT(calls["open"], 0);
    ASSERT_GT(calls["write"], 0);

    // A full disk and full memory stay full.
    const std::pair<std::string, std::string> faults[] = {
        {"memory", ""},         {"memory", "+"},     {"write", "+:ENOSPC"}, {"write", ":EIO"},
        {"write", ":EINTR"},    {"write", ":short"}, {"sync", ":EIO"},      {"rename", ":EIO"},
        {"rename", "+:ENOSPC"}, {"open", ":EIO"},    {"open", ":EINTR"},    {"open", "+:ENOSPC"},
        {"folder", ":ENOSPC"}};
    bool has_earlier = false;
    for (const auto& [kind, how] : faults)
      for (const long n : calls_to_fail(calls[kind], times("ASPERITY_FAULTS", by_default))) {
        if (calls[kind] == 0) continue;
        // A picture that cannot be moved to its place costs a warning, not the run.
        if (name == "plot" && kind == "rename") continue;
        const std::string fault = fmt::format("{}:{}{}", kind, n, how);
        SCOPED_TRACE(fmt::format("{} with ASPERITY_FAULT={}", name, fault));
        has_earlier = !has_earlier;
        reset(what, has_earlier);
        const file_tree before = work();
        const auto code = finish_in_time(launch(command(what.words).words, with(fault)), patience);
        const std::string said = content("err");
        ASSERT_TRUE(code) << "it hangs: " << said;
        ASSERT_GE(*code, 0) << "it is ended by signal " << -*code << ": " << said;
        if (*code == 0) {
          expect_complete(what, wanted, said);
        } else {
          EXPECT_NE(said.find("asperity: error: "), std::string::npos) << *code << said;
          EXPECT_TRUE(*code == 1 || *code == 2) << *code;
          // SQLite tidies up when the file is opened again.
          expect_undamaged(what, before, wanted, !what.database.empty());
          if (!what.database.empty()) expect_repair(what, wanted);
        }
        if (HasFailure()) return;
      }
  }

  // A plot may be missing, if that is said.
  void expect_complete(const job& what, const file_tree& wanted, const std::string& said) const {
    file_tree now = work(), all = wanted;
    if (!what.database.empty()) now[what.database] = all[what.database] = "";
    if (said.find("no plot") != std::string::npos) {
      all.erase("out/plot.svg");
      now.erase("out/plot.svg");
      // Pages without a picture are other pages.
      if (what.name == "reproduce") return;
    }
    for (const auto& [path, text] : all) {
      ASSERT_TRUE(now.contains(path)) << path << " is missing: " << said;
      EXPECT_TRUE(now[path] == text) << path << " differs: " << said;
    }
    for (const auto& [path, text] : now) EXPECT_TRUE(all.contains(path)) << path << " is left";
  }
};

TEST_F(cli_faults, Run) { disturb("run", 16); }
TEST_F(cli_faults, RunWithPlot) { disturb("plot", 6); }
TEST_F(cli_faults, Eval) { disturb("eval", 10); }
TEST_F(cli_faults, Reproduce) { disturb("reproduce", 4); }
TEST_F(cli_faults, Sweep) { disturb("sweep", 8); }

}  // namespace
}  // namespace asperity::testing
