// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/error.hpp>
#include <asperity/mechanics/input_signal.hpp>

namespace asperity {

namespace {

signal::joint read_join(key_builder& table) {
  const std::string join =
      table.word("join", {"hold", "linear", "half_cosine", "cubic"},
                 "between nodes: half_cosine rests at each, cubic is monotone", "linear");
  if (join == "hold") return signal::joint::hold;
  if (join == "half_cosine") return signal::joint::half_cosine;
  if (join == "cubic") return signal::joint::cubic;
  return signal::joint::linear;
}

signal read_nodes(key_builder& table, unit in) {
  std::vector<double> values, times;
  double interval = 1;
  table.required("values", values, in, any_value, "at the nodes");
  const bool even = table.has("interval");
  if (even) {
    if (table.has("times")) table.refuse("interval", "give either times or interval");
    table.optional("interval", interval, units::second, positive,
                   "between nodes, the first at 0, instead of times", "none");
    for (std::size_t i = 0; i < values.size(); ++i)
      times.push_back(static_cast<double>(i) * interval);
  }
  if (!even || table.lists())
    table.required("times", times, units::second, any_value,
                   "of the nodes, increasing, unless there is an interval");
  if (times.size() != values.size())
    table.refuse("times",
                 fmt::format("there are {} times, but {} values", times.size(), values.size()));
  const auto join = read_join(table);
  try {
    return signal::nodes(std::move(times), values, join);
  } catch (const error& problem) {
    table.refuse("times", problem.what());
  }
  return {};
}

signal read_csv(key_builder& table, unit) {
  table.text("file", "of the table, relative to the scenario");
  const std::string time = table.text("time", "column of the times", "t");
  const std::string column = table.text("column", "of the values, in SI");
  const auto join = read_join(table);
  if (table.lists()) return {};
  const auto rows =
      table.source()->columns("file", {time, column}, key_source::order::first_increases, "");
  return table.made("file", [&] { return signal::nodes(rows.values[0], rows.values[1], join); });
}

}  // namespace

namespace detail {

extern const signal_row nodes{
    .name = "nodes", .meaning = "through nodes, joined, and held outside them", .read = read_nodes};

extern const signal_row csv{
    .name = "csv", .meaning = "through the rows of a CSV file, as nodes", .read = read_csv};

}  // namespace detail

}  // namespace asperity
