// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/analysis/slip_map.hpp>
#include <asperity/error.hpp>
#include <atomic>

namespace asperity {
namespace {

// A disc on the ground with mu f_n = 1 N, pushed and then turned.
scenario pushed_disc(const std::string& push) {
  return read_scenario(
      parse_toml("system = { kind = 'planar_body', mass = 2, inertia = 1e-3 }\n"
                 "friction = { model = 'patch_dai', F_c = 1, F_s = 1, K = 1e4, beta = 1e-2 }\n"
                 "patch = { shape = 'disc', radius = 0.05, cells = 8 }\n"
                 "integrator = { method = 'sdirk2', step = 1e-3 }\nrun = { duration = 1 }\n" +
                     push,
                 "disc"),
      "disc", "");
}

TEST(slip_map, AWeakPushSlipsNowhereAndAStrongOneEverywhere) {
  const slip_map held = find_slip_map(pushed_disc("force_x = 0.5\n"));
  ASSERT_EQ(held.pictures.size(), 6U);
  for (const auto& each : held.pictures) {
    EXPECT_EQ(each.slipping, 0);
    for (const double share : each.share_of_limit) EXPECT_LT(share, 1);
  }
  const slip_map pushed = find_slip_map(pushed_disc("force_x = 3\n"), {.times = {0.9}, .count = 1});
  ASSERT_EQ(pushed.pictures.size(), 1U);
  EXPECT_NEAR(pushed.pictures[0].t, 0.9, 1e-9);
  EXPECT_NEAR(pushed.pictures[0].slipping, 1, 1e-12);
  EXPECT_EQ(pushed.pictures[0].share_of_limit.size(), pushed.x.size());
}

// Pushed to half of its limit every cell holds half of its own.
TEST(slip_map, SharesAreThoseOfTheForce) {
  const slip_map held = find_slip_map(pushed_disc("force_x = 0.5\n"), {.times = {0.95}});
  for (const double share : held.pictures[0].share_of_limit) EXPECT_NEAR(share, 0.5, 0.01);
}

TEST(slip_map, TimesAreInOrderAndInsideTheRun) {
  const auto s = pushed_disc("force_x = 0.5\n");
  const slip_map found = find_slip_map(s, {.times = {0.6, 0.2}});
  ASSERT_EQ(found.pictures.size(), 2U);
  EXPECT_LT(found.pictures[0].t, found.pictures[1].t);
  EXPECT_EQ(found.wanted, 2U);
  EXPECT_THROW((void)find_slip_map(s, {.times = {1.0}}), error);
  EXPECT_THROW((void)find_slip_map(s, {.times = {0.0}}), error);
}

TEST(slip_map, AnInterruptKeepsWhatWasReached) {
  const std::atomic<bool> stop{true};
  const slip_map found = find_slip_map(pushed_disc("force_x = 0.5\n"), {.interrupt = &stop});
  EXPECT_EQ(found.result.how, outcome::interrupted);
  EXPECT_LT(found.pictures.size(), found.wanted);
}

TEST(slip_map, SystemsWithoutCellsAreRefused) {
  const auto s =
      read_scenario(parse_toml("system = { kind = 'mass_under_force', mass = 1 }\nforce = 1\n"
                               "friction = { model = 'dai' }\nrun = { duration = 1 }\n",
                               "mass"),
                    "mass", "");
  EXPECT_THROW((void)find_slip_map(s), error);
}

}  // namespace
}  // namespace asperity
