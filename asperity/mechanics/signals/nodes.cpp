// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/mechanics/input_signal.hpp>
#include <asperity/mechanics/periodic_signal.hpp>
#include <cmath>

namespace asperity {

namespace {

// The word after `join`, and the period that only a band-limited one has.
struct join_keys {
  std::string word;
  double period = 0;  // [s]; 0: not given
};

join_keys read_join(key_builder& table) {
  join_keys keys;
  keys.word =
      table.word("join", {"hold", "linear", "half_cosine", "cubic", "spline", "band_limited"},
                 "interpolation between nodes: half_cosine rests at each, cubic is monotone, "
                 "spline is natural, band_limited repeats evenly spaced nodes as one period",
                 "linear");
  const bool repeats = keys.word == "band_limited";
  if (table.has("period") || table.lists())
    table.optional("period", keys.period, units::second, positive,
                   "period of band_limited; nodes after the first period are not used",
                   "nodes times spacing");
  if (keys.period > 0 && !repeats)
    table.refuse("period", "only join = \"band_limited\" is periodic");
  return keys;
}

// Nodes of one period as a trigonometric polynomial.
signal join_band_limited(key_builder& table, const std::vector<double>& times,
                         std::vector<double> values, double period) {
  const std::size_t count = times.size();
  if (count < 2) throw error("a band-limited join needs at least two nodes");
  const double spacing = (times.back() - times.front()) / static_cast<double>(count - 1);
  for (std::size_t i = 1; i < count; ++i) {
    const double even = times.front() + static_cast<double>(i) * spacing;
    if (!(std::abs(times[i] - even) <= 0.01 * spacing))
      throw error(fmt::format(
          "a band-limited join needs evenly spaced nodes: node {} is at {:g} s instead of {:g} s",
          i + 1, times[i], even));
  }
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double range = *high - *low;
  if (period == 0) {
    if (range > 0 && count > 2 && values.back() == values.front())
      table.warn(
          fmt::format("the last node has the value of the first: if it closes the period, "
                      "give period = {:.9g}",
                      spacing * static_cast<double>(count - 1)));
    return band_limited(values, spacing * static_cast<double>(count), times.front());
  }
  const double intervals = std::round(period / spacing);
  if (!(std::abs(period - intervals * spacing) <= 0.01 * spacing) || intervals < 1 ||
      intervals > static_cast<double>(count))
    throw error(
        fmt::format("period = {:g} s must be 1 to {} times the spacing of the nodes, {:g} s",
                    period, count, spacing));
  const auto rows = static_cast<std::size_t>(intervals);
  double change = 0;
  for (std::size_t i = rows; i < count; ++i)
    change = std::max(change, std::abs(values[i] - values[i - rows]));
  if (change > 1e-6 * range)
    table.warn(
        fmt::format("the nodes after the first period differ from it by up to {:.2g}, {:.2g} % "
                    "of the range: they are not used",
                    change, 100 * change / range));
  values.resize(rows);
  return band_limited(values, period, times.front());
}

signal join_nodes(key_builder& table, const std::string& key, std::vector<double> times,
                  std::vector<double> values, const join_keys& keys) {
  using enum signal::joint;
  const auto& word = keys.word;
  try {
    // Checks the nodes, whatever joins them.
    signal joined = signal::nodes(times, values,
                                  word == "hold"          ? hold
                                  : word == "half_cosine" ? half_cosine
                                  : word == "cubic"       ? cubic
                                  : word == "spline"      ? spline
                                                          : linear);
    if (word != "band_limited") return joined;
    return join_band_limited(table, times, std::move(values), keys.period);
  } catch (const error& problem) {
    table.refuse(key, problem.what());
  }
  return {};
}

signal read_nodes(key_builder& table, unit in) {
  std::vector<double> values, times;
  double interval = 1;
  table.required("values", values, in, any_value, "values at the nodes");
  const bool even = table.has("interval");
  if (even) {
    if (table.has("times")) table.refuse("interval", "give either times or interval");
    table.optional("interval", interval, units::second, positive,
                   "time between nodes, the first at 0, instead of times", "none");
    for (std::size_t i = 0; i < values.size(); ++i)
      times.push_back(static_cast<double>(i) * interval);
  }
  if (!even || table.lists())
    table.required("times", times, units::second, any_value,
                   "times of the nodes, increasing; required unless interval is given");
  if (times.size() != values.size())
    table.refuse("times",
                 fmt::format("there are {} times, but {} values", times.size(), values.size()));
  const auto join = read_join(table);
  return join_nodes(table, even ? "interval" : "times", std::move(times), std::move(values), join);
}

signal read_csv(key_builder& table, unit in) {
  table.text("file", "file of the table, CSV or HDF5, relative to the scenario");
  const std::string time = table.text("time", "column of the times", "t");
  const std::string column = table.text(
      "column",
      "column of the values: its name, with a sign, a factor and a unit, as in -force*2:kN");
  const auto join = read_join(table);
  if (table.lists()) return {};
  auto rows = table.source()->series("file", time, column, in);
  return join_nodes(table, "file", std::move(rows.values[0]), std::move(rows.values[1]), join);
}

}  // namespace

namespace detail {

extern const signal_row nodes{.name = "nodes",
                              .meaning = "through nodes, joined; held outside them, or repeated",
                              .read = read_nodes};

extern const signal_row csv{
    .name = "csv", .meaning = "through the rows of a CSV file, as nodes", .read = read_csv};

}  // namespace detail

}  // namespace asperity
