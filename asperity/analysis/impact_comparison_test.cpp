// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/analysis/impact_comparison.hpp>
#include <asperity/error.hpp>

namespace asperity {
namespace {

std::vector<impact_curve> plan(const impact_comparison& wanted) {
  std::vector<std::string> warnings;
  return plan_impacts(wanted, warnings);
}

TEST(impact_comparison, SettingsGoToTheModelsThatHaveThem) {
  impact_comparison wanted;
  wanted.models = {"kelvin_voigt", "hertz", "dai_contact"};
  wanted.settings = {parse_impact_setting("B=7"), parse_impact_setting("dai_contact.K=3e4")};
  const auto curves = plan(wanted);
  ASSERT_EQ(curves.size(), 3U);
  const any_model voigt(find_model("kelvin_voigt"));
  EXPECT_EQ(curves[0].sweep.model.get("B"), std::vector<double>{7});
  EXPECT_EQ(curves[0].sweep.model.get("K"), voigt.get("K"));
  EXPECT_EQ(curves[2].sweep.model.get("K"), std::vector<double>{3e4});
  wanted.settings = {parse_impact_setting("nothing=1")};
  EXPECT_THROW(plan(wanted), error);
  EXPECT_THROW((void)parse_impact_setting("K"), error);
}

TEST(impact_comparison, NoNameIsAllContacts) {
  std::size_t contacts = 0;
  for (const catalogue_entry* entry : catalogue()) contacts += entry->family == "contact" ? 1 : 0;
  EXPECT_EQ(plan({}).size(), contacts);
  impact_comparison wanted;
  wanted.models = {"lugrre"};
  EXPECT_THROW(plan(wanted), error);
}

// Half a period of a mass on a spring, whatever the speed: pi sqrt(m/K), without loss.
TEST(impact_comparison, ASpringGivesAllBackOverSpeedsAndStiffnesses) {
  impact_comparison wanted;
  wanted.models = {"kelvin_voigt"};
  wanted.settings = {parse_impact_setting("B=0")};
  wanted.over = parse_impact_setting("K=1e4, 4e4");
  wanted.speeds = {1, 3};
  auto curves = plan(wanted);
  find_impacts(curves);
  ASSERT_EQ(curves[0].rows.size(), 4U);
  for (const auto& row : curves[0].rows) {
    EXPECT_NEAR(row.what.restitution, 1, 1e-9);
    EXPECT_NEAR(row.what.contact_time, 3.14159265358979 / std::sqrt(row.value), 1e-9);
  }
  EXPECT_EQ(curves[0].label(1e4), "kelvin_voigt K = 10000 N/m");

  // Over speeds there is a line for each stiffness.
  const auto plots = figure_of(curves).panels;
  ASSERT_FALSE(plots.empty());
  EXPECT_EQ(plots[0].y.name, "restitution");
  EXPECT_EQ(plots[0].x.name, "speed of impact");
  ASSERT_EQ(plots[0].series.size(), 2U);
  EXPECT_EQ(plots[0].series[1].x, (std::vector<double>{1, 3}));
  EXPECT_FALSE(plots[0].x.log);
}

TEST(impact_comparison, OneSpeedIsDrawnOverTheParameterAndOneImpactNotAtAll) {
  impact_comparison wanted;
  wanted.models = {"kelvin_voigt", "hertz"};
  wanted.over = parse_impact_setting("mass=0.1, 1, 10");
  auto curves = plan(wanted);
  find_impacts(curves);
  const auto plots = figure_of(curves).panels;
  ASSERT_FALSE(plots.empty());
  EXPECT_EQ(plots[0].x.name, "mass");
  EXPECT_EQ(plots[0].series.size(), 2U);
  EXPECT_TRUE(plots[0].x.log);  // two decades

  wanted.over.reset();
  auto single = plan(wanted);
  find_impacts(single);
  EXPECT_TRUE(figure_of(single).panels.empty());
}

TEST(impact_comparison, DoubtsAreToldOncePerValue) {
  impact_curve curve{{any_model(find_model("hunt_crossley")), {1, 2}, "K", {1, 2}, {}}};
  curve.rows = {{1, 1, {}, "odd"}, {2, 1, {}, "odd"}, {1, 2, {}, ""}, {2, 2, {}, ""}};
  ASSERT_EQ(curve.doubts().size(), 1U);
  curve.sweep.parameter = "mass";
  EXPECT_TRUE(curve.doubts().empty());
}

TEST(impact_comparison, AnInterruptLeavesModelsWithoutRows) {
  const std::atomic<bool> stop{true};
  impact_comparison wanted;
  wanted.models = {"kelvin_voigt", "hertz"};
  auto curves = plan(wanted);
  find_impacts(curves, &stop);
  for (const auto& each : curves) EXPECT_TRUE(each.rows.empty());
}

}  // namespace
}  // namespace asperity
