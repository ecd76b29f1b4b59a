// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/integrate/watch.hpp>
#include <asperity/quantity.hpp>
#include <asperity/run/output.hpp>
#include <asperity/sweep/statistics.hpp>
#include <asperity/sweep/table.hpp>
#include <asperity/text/csv.hpp>
#include <asperity/text/pending_folder.hpp>
#include <cmath>
#include <iterator>

namespace asperity {

// ---- attractors ---------------------------------------------------------------------------------

namespace {

constexpr double still = 1e-3;  // of all that the column does in the sweep: rest
constexpr double gap = 0.05;    // ... between places of rest that do not belong together
constexpr double same = 0.02;   // ... and between extremes, or periods, of one motion

attractors classify(const sweep_table& table, std::size_t measure) {
  const auto& period = table.values[measure];
  const auto& low = table.values[measure + 1];
  const auto& high = table.values[measure + 2];
  attractors result{measure, {}, std::vector<int>(low.size(), 0)};
  double lowest = unbounded, highest = -unbounded;
  for (std::size_t i = 0; i < low.size(); ++i) {
    if (!std::isfinite(low[i])) continue;
    lowest = std::min(lowest, low[i]);
    highest = std::max(highest, high[i]);
  }
  const double scale = highest - lowest;

  // Groups, in any order first; they get their numbers by their first points.
  std::vector<attractors::kind> groups;
  std::vector<int> group_of(low.size(), -1);
  const auto begin = [&](auto what, std::size_t i, double its_period) {
    groups.push_back({what, low[i], high[i], its_period, 0});
    return static_cast<int>(groups.size()) - 1;
  };
  std::vector<std::size_t> resting;
  int irregular = -1;
  for (std::size_t i = 0; i < low.size(); ++i) {
    if (!std::isfinite(low[i])) continue;
    if (high[i] - low[i] <= still * scale) {
      resting.push_back(i);
      continue;
    }
    if (std::isnan(period[i])) {
      if (irregular < 0) irregular = begin(attractors::kind::irregular, i, period[i]);
      group_of[i] = irregular;
      continue;
    }
    for (std::size_t g = 0; g < groups.size() && group_of[i] < 0; ++g) {
      const auto& other = groups[g];
      if (other.what == attractors::kind::periodic &&
          std::abs(other.lowest - low[i]) <= same * scale &&
          std::abs(other.highest - high[i]) <= same * scale &&
          std::abs(other.period - period[i]) <= same * other.period)
        group_of[i] = static_cast<int>(g);
    }
    if (group_of[i] < 0) group_of[i] = begin(attractors::kind::periodic, i, period[i]);
  }
  std::stable_sort(resting.begin(), resting.end(),
                   [&](std::size_t a, std::size_t b) { return low[a] < low[b]; });
  for (std::size_t k = 0; k < resting.size(); ++k) {
    const std::size_t i = resting[k];
    const bool goes_on = k > 0 && low[i] - low[resting[k - 1]] <= gap * scale;
    group_of[i] =
        goes_on ? group_of[resting[k - 1]] : begin(attractors::kind::rest, i, std::nan(""));
    auto& mine = groups[static_cast<std::size_t>(group_of[i])];
    mine.highest = std::max(mine.highest, high[i]);
  }
  std::vector<int> number(groups.size(), 0);
  for (std::size_t i = 0; i < group_of.size(); ++i) {
    if (group_of[i] < 0) continue;
    const auto g = static_cast<std::size_t>(group_of[i]);
    if (number[g] == 0) {
      result.found.push_back(groups[g]);
      number[g] = static_cast<int>(result.found.size());
    }
    result.of_row[i] = number[g];
    ++result.found[static_cast<std::size_t>(number[g] - 1)].points;
  }
  return result;
}

}  // namespace

std::vector<attractors> find_attractors(const sweep_table& table) {
  std::vector<attractors> result;
  for (std::size_t m = 0; m + 2 < table.measures.size(); ++m)
    if (table.measures[m + 1].name == table.measures[m].name + ".minimum")
      result.push_back(classify(table, m));
  return result;
}

// ---- other programs -----------------------------------------------------------------------------

run_data sweep_columns(const sweep_table& table) {
  run_data data;
  const std::size_t rows = table.point.size();
  const auto add = [&](const std::string& name, unit in) -> std::vector<double>& {
    data.columns.push_back({name, in, std::vector<double>(rows)});
    return data.columns.back().values;
  };
  auto& numbers = add("point", units::one);
  for (std::size_t i = 0; i < rows; ++i) numbers[i] = static_cast<double>(table.point[i]);
  if (!table.branch.empty()) {
    auto& up = add("goes_up", units::one);
    for (std::size_t i = 0; i < rows; ++i) up[i] = table.branch[i] == "up" ? 1 : 0;
  }
  std::size_t next = 0;
  for (const auto* list : {&table.axes, &table.draws})
    for (const auto& each : *list) add(each.name, each.in) = table.parameters[next++];
  for (std::size_t m = 0; m < table.measures.size(); ++m)
    add(table.measures[m].name, table.measures[m].is_list ? units::one : table.measures[m].in) =
        table.values[m];
  for (const auto& each : find_attractors(table)) {
    auto& kinds = add(table.measures[each.measure].name + ".number", units::one);
    for (std::size_t i = 0; i < rows; ++i) kinds[i] = each.of_row[i];
  }
  auto& failed = add("failed", units::one);
  for (std::size_t i = 0; i < rows; ++i) failed[i] = has_failed(table, i) ? 1 : 0;
  for (std::size_t m = 0; m < table.measures.size(); ++m) {
    if (!table.measures[m].is_list) continue;
    std::vector<double> point, value;
    for (const auto& each : table.lists) {
      if (each.measure != m) continue;
      point.push_back(static_cast<double>(table.point[each.row]));
      value.push_back(each.value);
    }
    data.columns.push_back({table.measures[m].name + ".point", units::one, point});
    data.columns.push_back({table.measures[m].name + ".value", table.measures[m].in, value});
  }
  return data;
}

std::string sweep_csv(const sweep_table& table, const std::atomic<bool>* interrupt) {
  fmt::memory_buffer out;
  const auto into = std::back_inserter(out);
  const run_data data = sweep_columns(table);
  std::vector<const column*> shown;
  for (const auto& each : data.columns) {
    if (each.name == "failed") break;  // in words here; lists follow, in their own file
    if (each.name != "goes_up") shown.push_back(&each);
  }
  for (const auto* each : shown) {
    fmt::format_to(into, "{}{}", each == shown.front() ? "" : ",", csv_cell(each->name));
    if (each == shown.front() && !table.branch.empty()) fmt::format_to(into, ",branch");
  }
  fmt::format_to(into, ",outcome,detail\n");
  for (std::size_t row = 0; row < table.point.size(); ++row) {
    if (is_set(interrupt)) throw interruption();
    for (const auto* each : shown) {
      if (each != shown.front()) out.push_back(',');
      if (!std::isnan(each->values[row])) fmt::format_to(into, "{}", each->values[row]);
      if (each == shown.front() && !table.branch.empty())
        fmt::format_to(into, ",{}", csv_cell(table.branch[row]));
    }
    fmt::format_to(into, ",{},{}\n", csv_cell(table.outcome[row]), csv_cell(table.detail[row]));
  }
  return fmt::to_string(out);
}

std::string sweep_lists_csv(const sweep_table& table) {
  if (table.lists.empty()) return "";
  fmt::memory_buffer out;
  const auto into = std::back_inserter(out);
  fmt::format_to(into, "point{}", table.branch.empty() ? "" : ",branch");
  for (const auto& each : table.axes) fmt::format_to(into, ",{}", csv_cell(each.name));
  fmt::format_to(into, ",measure,value\n");
  for (const auto& each : table.lists) {
    fmt::format_to(into, "{}", table.point[each.row]);
    if (!table.branch.empty()) fmt::format_to(into, ",{}", csv_cell(table.branch[each.row]));
    for (std::size_t i = 0; i < table.axes.size(); ++i)
      fmt::format_to(into, ",{}", table.parameters[i][each.row]);
    fmt::format_to(into, ",{},{}\n", csv_cell(table.measures[each.measure].name), each.value);
  }
  return fmt::to_string(out);
}

void check_export(const std::string& file) {
  if (file.ends_with(".h5")) {
    if (!has_hdf5())
      throw error("this build cannot write HDF5 (libhdf5-dev was not found): export to .csv");
  } else if (!file.ends_with(".csv")) {
    throw error(fmt::format("--export {}: the name must end in .csv or .h5", file));
  }
}

void export_sweep(const sweep_table& table, const std::string& file,
                  const std::atomic<bool>* interrupt) {
  check_export(file);
  if (is_set(interrupt)) throw interruption();
  if (file.ends_with(".h5")) return write_file(file, series_hdf5(sweep_columns(table)));
  write_file(file, sweep_csv(table, interrupt));
  const std::string lists = sweep_lists_csv(table);
  if (!lists.empty())
    replace_file(fmt::format("{}.lists.csv", file.substr(0, file.size() - 4)), lists);
}

}  // namespace asperity
