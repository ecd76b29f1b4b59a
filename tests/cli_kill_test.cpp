// SPDX-License-Identifier: Apache-2.0
// `kill -9` at random instants of run, reproduce and sweep: nothing is damaged, and the next run
// gives the same bytes and leaves nothing else behind. ASPERITY_KILLS=50 tries each so often.

#include <random>

#include "tests/job.hpp"

namespace asperity::testing {
namespace {

class cli_kill : public job_test {
 protected:
  void kill_often(const std::string& name) {
    using clock = std::chrono::steady_clock;
    const auto all = jobs();
    const job& what =
        *std::find_if(all.begin(), all.end(), [&](const job& j) { return j.name == name; });
    reset(what, false);
    const auto start = clock::now();
    ASSERT_EQ(run(what.words), 0);
    const auto lasts = clock::now() - start;
    const file_tree wanted = work();

    const auto seed = std::random_device()();
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> share(0, 1.1);
    long killed = 0;
    const long tries = times("ASPERITY_KILLS", 5);
    auto within = std::chrono::duration<double>(lasts);
    for (long i = 0; (i < tries || (killed == 0 && i < 4 * tries)) && !HasFailure(); ++i) {
      reset(what, i % 2 == 1);
      const file_tree before = work();
      const pid_t child = launch(command(what.words).words);
      std::this_thread::sleep_for(share(random) * within);
      kill(child, SIGKILL);
      // The first run may have been slow: aim earlier where one was done already.
      if (finish(child) == -SIGKILL)
        ++killed;
      else
        within /= 2;
      expect_undamaged(what, before, wanted, true);
      expect_repair(what, wanted);
    }
    EXPECT_GT(killed, 0);
    RecordProperty("killed", static_cast<int>(killed));
  }
};

TEST_F(cli_kill, Run) { kill_often("plot"); }
TEST_F(cli_kill, Reproduce) { kill_often("reproduce"); }
TEST_F(cli_kill, Sweep) { kill_often("sweep"); }

}  // namespace
}  // namespace asperity::testing
