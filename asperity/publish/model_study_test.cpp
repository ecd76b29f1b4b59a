// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/draw/figure.hpp>
#include <asperity/publish/model_study.hpp>

namespace asperity {
namespace {

// The picture says it by itself: the mass rests for long, and goes on a few times.
TEST(model_study, StickSlipCanBeSeen) {
  for (const char* key : {"lugre", "mpabm", "dai_stribeck", "smoothed_rational"}) {
    SCOPED_TRACE(key);
    const model_study study = study_of(find_entry(key));
    const auto found = std::find_if(
        study.plots.begin(), study.plots.end(),
        [](const model_plot& each) { return each.shown.title.starts_with("Stick-slip"); });
    ASSERT_NE(found, study.plots.end());
    const auto &anchor = found->shown.series.at(0).y, &mass = found->shown.series.at(1).y;
    ASSERT_GT(mass.size(), 100U);
    int resting = 0, slips = 0;
    bool rested = false;
    for (std::size_t i = 1; i < mass.size(); ++i) {
      const double pulled = anchor[i] - anchor[i - 1], way = mass[i] - mass[i - 1];
      const bool rests = way < 0.1 * pulled;
      slips += rested && !rests ? 1 : 0;
      resting += rests ? 1 : 0;
      rested = rests;
    }
    EXPECT_GT(resting, 0.4 * static_cast<double>(mass.size()));
    EXPECT_GE(slips, 3);
    EXPECT_LE(slips, 20);
  }
}

// From 0 to 1 for every law, so that pages can be compared; a constant is a line in it.
TEST(model_study, RestitutionIsDrawnFromZeroToOne) {
  for (const char* key : {"hertz", "hunt_crossley"}) {
    const model_study study = study_of(find_entry(key));
    const auto found = std::find_if(
        study.plots.begin(), study.plots.end(),
        [](const model_plot& each) { return each.shown.title.starts_with("Restitution"); });
    ASSERT_NE(found, study.plots.end()) << key;
    const inline_picture drawn = draw_inline(found->shown);
    if (!drawn.problem.empty()) GTEST_SKIP() << drawn.problem;
    for (const char* tic : {" 0.2<", " 0.8<", " 1<"})
      EXPECT_NE(drawn.svg.find(tic), std::string::npos) << key << tic << drawn.svg.substr(0, 3000);
  }
}

TEST(model_study, LegendsHaveNoPowersOfTen) {
  for (const auto& plot : study_of(find_entry("azad_featherstone_clutch")).plots)
    for (const auto& line : plot.shown.series)
      EXPECT_EQ(line.label.find("e+"), std::string::npos) << line.label;
}

}  // namespace
}  // namespace asperity
