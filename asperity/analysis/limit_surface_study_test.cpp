// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/analysis/limit_surface_study.hpp>
#include <asperity/integrate/watch.hpp>

namespace asperity {
namespace {

// A uniform disc spins with 2/3 R mu f_n.
TEST(limit_surface_study, OfADisc) {
  const double R = 0.02;
  const auto plain = study_limit_surface(contact_patch::disc(R));
  EXPECT_NEAR(plain.surface.arm, 2 * R / 3, 1e-7 * R);
  EXPECT_EQ(plain.asked_arm, plain.surface.arm);
  EXPECT_EQ(plain.asked.worst, plain.best.worst);
  EXPECT_GT(plain.best.worst, 0.01);
  // The usual a = 0.6 holds less torque than the disc: off by 2/3 : 0.6 at the pole, at least.
  const auto usual = study_limit_surface(contact_patch::disc(R), {.a = 0.6});
  EXPECT_NEAR(usual.asked_arm, 0.6 * R, 1e-15);
  EXPECT_GT(usual.asked.worst, 2.0 / 3 / 0.6 - 1 - 1e-6);
  EXPECT_EQ(usual.best.worst, plain.best.worst);
}

TEST(limit_surface_study, TellsItsProgressAndStops) {
  std::vector<double> told;
  limit_surface_options options;
  options.around = 8;
  options.up = 5;
  options.progress = [&](double share) { told.push_back(share); };
  (void)study_limit_surface(contact_patch::disc(1), options);
  ASSERT_FALSE(told.empty());
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_LE(told.back(), 1);
  const std::atomic<bool> stop{true};
  options.interrupt = &stop;
  EXPECT_THROW((void)study_limit_surface(contact_patch::disc(1), options), interruption);
}

}  // namespace
}  // namespace asperity
