// SPDX-License-Identifier: Apache-2.0
// Tables of numbers, and what is done with them: forces along a motion, and loops of a record.

#include <asperity/analysis/loops.hpp>
#include <asperity/run/evaluate.hpp>

#include "fuzz/fuzz.hpp"

namespace asperity::fuzz {

namespace {

void try_round_trip(const csv_table& table) {
  std::vector<std::vector<double>> columns;
  std::vector<std::string> names;
  for (const auto& name : table.names()) {
    columns.push_back(table.column(name));
    names.push_back("column_" + std::to_string(names.size()));
  }
  std::vector<csv_column> written;
  for (std::size_t i = 0; i < columns.size(); ++i) written.push_back({names[i], &columns[i]});
  const csv_table again = csv_table::parse(to_csv(written), "again.csv");
  require(again.names() == names && again.rows() == table.rows(), "a table keeps its shape");
  for (std::size_t i = 0; i < columns.size(); ++i)
    require(again.column(names[i]) == columns[i], "numbers are written exactly");
}

}  // namespace

void try_input(std::string_view input) {
  const csv_table table = csv_table::parse(std::string(input), "input.csv");
  try {
    try_round_trip(table);
  } catch (const error&) {
    // A cell is not a number.
  }
  if (table.rows() > 200) return;
  if (table.names().size() > 1) {
    const auto loops =
        analyse_loops(table.column(table.names()[0]), table.column(table.names()[1]));
    for (const auto& each : loops.loops)
      require(each.first <= each.last && each.last < table.rows(), "loops are made of rows");
  }
  static const any_model models[] = {
      any_model(find_model("lugre")), any_model(find_model("coulomb")),
      any_model(find_model("maxwell_slip")), any_model(find_model("hunt_crossley"))};
  for (const auto& model : models) {
    evaluate_options options;
    options.max_steps = 200;
    options.relative_tolerance = 1e-3;
    const run_data data = evaluate(model, table, options);
    for (const auto& column : data.columns) {
      require(column.values.size() == data.columns.front().values.size(), "columns are as long");
      for (const double each : column.values)
        require(std::isfinite(each), "every number of a table is finite: " + column.name);
    }
  }
}

}  // namespace asperity::fuzz
