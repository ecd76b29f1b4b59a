// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/sweep/statistics.hpp>
#include <cmath>
#include <limits>

namespace asperity {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

sweep_table table_of(const std::vector<double>& values, const std::vector<std::string>& outcomes) {
  sweep_table table;
  table.measures.resize(1);
  table.values = {values};
  for (std::size_t i = 0; i < values.size(); ++i) {
    table.point.push_back(static_cast<long long>(i));
    table.outcome.push_back(outcomes.empty() ? "completed" : outcomes[i]);
  }
  return table;
}

TEST(sweep_statistics, QuantilesLieOnLinesBetweenValues) {
  EXPECT_EQ(quantile({3, 1, none, 2}, 0.5), 2);
  EXPECT_EQ(quantile({1, 2, 3, 4}, 0.5), 2.5);
  EXPECT_EQ(quantile({1, 2, 3, 4}, 0), 1);
  EXPECT_EQ(quantile({1, 2, 3, 4}, 1), 4);
  EXPECT_NEAR(quantile({0, 10}, 0.05), 0.5, 1e-15);
  EXPECT_EQ(quantile({-INFINITY, 1, INFINITY}, 0.5), 1);
  EXPECT_TRUE(std::isnan(quantile({none}, 0.5)));
}

TEST(sweep_statistics, RowsWithoutAValueDoNotCount) {
  const auto found = statistics_of(table_of({2, none, 4, 4, 9}, {}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].points, 4U);
  EXPECT_EQ(found[0].lowest, 0U);
  EXPECT_EQ(found[0].highest, 4U);
  EXPECT_EQ(found[0].mean, 4.75);
  EXPECT_NEAR(found[0].deviation, std::sqrt(26.75 / 3), 1e-15);  // sum of squares over n - 1
  EXPECT_EQ(found[0].median, 4);
}

TEST(sweep_statistics, OneValueHasNoDeviationAndNoneHasNothing) {
  const auto one = statistics_of(table_of({none, 7}, {}));
  EXPECT_EQ(one[0].mean, 7);
  EXPECT_TRUE(std::isnan(one[0].deviation));
  EXPECT_EQ(one[0].low, 7);
  EXPECT_EQ(statistics_of(table_of({none, none}, {}))[0].points, 0U);
}

TEST(sweep_statistics, RunsThatAnEventEndedHaveNotFailed) {
  const auto table =
      table_of({1, 2, 3, 4}, {"completed", "stopped by an event", "refused", "not finite"});
  const auto failed = failures_of(table);
  EXPECT_EQ(failed.count, 2U);
  EXPECT_EQ(failed.first, 2U);
}

TEST(sweep_statistics, OnlyRunsThatCameToTheirEndAreDoubtful) {
  auto table = table_of({1, 2, 3, 4}, {"refused", "completed", "completed", "stopped by an event"});
  table.detail = {"no mass", "", "unstable", "unstable"};
  const auto doubtful = doubts_of(table);
  EXPECT_EQ(doubtful.count, 2U);
  EXPECT_EQ(doubtful.first, 2U);
}

}  // namespace
}  // namespace asperity
