// SPDX-License-Identifier: Apache-2.0
#include <asperity/sweep/statistics.hpp>
//
#include <algorithm>
#include <asperity/integrate/outcome.hpp>
#include <cmath>
#include <numeric>

namespace asperity {

namespace {

double quantile_of_sorted(const std::vector<double>& values, double share) {
  if (values.empty()) return std::nan("");
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double rest = at - static_cast<double>(below);
  // Without the difference of infinite values, which is not a number.
  return rest == 0 ? values[below] : values[below] + rest * (values[above] - values[below]);
}

}  // namespace

double quantile(std::vector<double> values, double share) {
  std::erase_if(values, [](double v) { return std::isnan(v); });
  std::sort(values.begin(), values.end());
  return quantile_of_sorted(values, share);
}

std::vector<measure_statistics> statistics_of(const sweep_table& table) {
  std::vector<measure_statistics> result;
  for (std::size_t m = 0; m < table.measures.size(); ++m) {
    measure_statistics one;
    one.measure = m;
    const auto& column = table.values[m];
    std::vector<double> values;
    for (std::size_t row = 0; row < column.size(); ++row) {
      if (std::isnan(column[row])) continue;
      if (values.empty() || column[row] < column[one.lowest]) one.lowest = row;
      // Of equal values the last, as in a list sorted by value and then by row.
      if (values.empty() || column[row] >= column[one.highest]) one.highest = row;
      values.push_back(column[row]);
    }
    one.points = values.size();
    if (one.points > 0) {
      std::sort(values.begin(), values.end());
      const auto count = static_cast<double>(one.points);
      one.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
      double spread = 0;
      for (const double value : values) spread += (value - one.mean) * (value - one.mean);
      one.deviation = one.points > 1 ? std::sqrt(spread / (count - 1)) : std::nan("");
      one.low = quantile_of_sorted(values, 0.05);
      one.median = quantile_of_sorted(values, 0.5);
      one.high = quantile_of_sorted(values, 0.95);
    }
    result.push_back(one);
  }
  return result;
}

bool has_failed(const sweep_table& table, std::size_t row) {
  return table.outcome[row] != to_string(outcome::completed) &&
         table.outcome[row] != to_string(outcome::stopped_by_event);
}

some_points failures_of(const sweep_table& table) {
  some_points result;
  for (std::size_t row = 0; row < table.point.size(); ++row)
    if (has_failed(table, row) && result.count++ == 0) result.first = row;
  return result;
}

some_points doubts_of(const sweep_table& table) {
  some_points result;
  for (std::size_t row = 0; row < table.point.size(); ++row)
    if (!has_failed(table, row) && !table.detail[row].empty() && result.count++ == 0)
      result.first = row;
  return result;
}

}  // namespace asperity
