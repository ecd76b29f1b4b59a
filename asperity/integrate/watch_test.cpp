// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/integrate/watch.hpp>
#include <thread>

namespace asperity {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

TEST(run_watch, LooksAtOnceAndSaysWhatEndsTheRun) {
  std::atomic<bool> stop{true};
  run_limits limits;
  EXPECT_EQ(run_watch(limits).ask(), outcome::completed);
  limits.memory_is_full = [] { return true; };
  EXPECT_EQ(run_watch(limits).ask(), outcome::memory_limit);
  limits.seconds = 0;
  EXPECT_EQ(run_watch(limits).ask(), outcome::time_limit);
  limits.interrupt = &stop;
  EXPECT_EQ(run_watch(limits).ask(), outcome::interrupted);
}

// Steps that cost nothing are not slowed down: most of them are not looked at.
TEST(run_watch, LooksRarelyAtShortSteps) {
  run_watch watch({});
  long looks = 0;
  for (long step = 0; step < 1'000'000; ++step)
    if (watch.is_due()) {
      ++looks;
      EXPECT_EQ(watch.look(), outcome::completed);
    }
  EXPECT_LT(looks, 20'000);
}

// After many short steps come long ones: an interrupt is seen soon all the same.
TEST(run_watch, LooksOftenAtLongSteps) {
  std::atomic<bool> stop{false};
  run_limits limits;
  limits.interrupt = &stop;
  run_watch watch(limits);
  for (int step = 0; step < 100'000; ++step) EXPECT_EQ(watch.ask(), outcome::completed);
  for (int step = 0; step < 5000; ++step) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    ASSERT_EQ(watch.ask(), outcome::completed);
  }
  stop = true;
  const auto start = clock::now();
  while (watch.ask() == outcome::completed)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  EXPECT_LT(clock::now() - start, milliseconds(500));
}

TEST(run_watch, KeepsTheTimeLimit) {
  run_limits limits;
  limits.seconds = 0.05;
  const auto start = clock::now();
  run_watch watch(limits);
  while (watch.ask() == outcome::completed) {
  }
  const auto taken = clock::now() - start;
  EXPECT_GE(taken, milliseconds(50));
  EXPECT_LT(taken, milliseconds(1000));
}

}  // namespace
}  // namespace asperity
