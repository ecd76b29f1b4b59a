// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tables of numbers as text: one line of names, then one line per row, separated by commas. Lines
// that are empty or start with # are skipped. Numbers are read and written exactly.

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace asperity {

class csv_table {
 public:
  // Throws asperity::error with file, line, column and value.
  static csv_table parse(std::string text, const std::string& file);
  static csv_table read(const std::string& file);

  const std::string& file() const { return file_; }
  const std::string& text() const { return text_; }
  const std::vector<std::string>& names() const { return names_; }
  std::size_t rows() const { return lines_.size(); }
  const std::vector<long>& lines() const { return lines_; }  // of the file, one for each row
  bool has(std::string_view name) const;

  // The numbers of a column; every cell must be a finite number.
  std::vector<double> column(std::string_view name) const;
  // The same, each above the one before.
  std::vector<double> increasing_column(std::string_view name) const;
  // ": the columns are t, x", for a message about a column that is missing. Names that are not plain
  // words may be lines of any file, so they are counted and not shown.
  std::string known_columns(std::string_view wanted) const;
  // "in.csv:5: column 'v' = '1e999': <message>", the cell shortened
  [[noreturn]] void fail(std::string_view name, std::size_t row, const std::string& message) const;

 private:
  struct cell {
    std::size_t begin, length;
  };
  std::string file_, text_;
  std::vector<std::string> names_;
  std::vector<cell> cells_;  // row by row
  std::vector<long> lines_;  // line of each row
  long names_line_ = 1;

  std::string_view cell_text(std::size_t row, std::size_t column) const;
};

// The same of any list of names.
std::string known_columns(std::string_view wanted, const std::vector<std::string>& names);

// "t,x,v" and rows of shortest round-trip numbers. All columns have the same length.
struct csv_column {
  std::string_view name;
  const std::vector<double>* values;
};
std::string to_csv(const std::vector<csv_column>& columns);

// The same of a list of things: a column for each number of theirs, `&thing::number` or a function.
template <class Thing>
std::string to_csv(
    const std::vector<Thing>& rows,
    const std::vector<std::pair<const char*, std::function<double(const Thing&)>>>& numbers) {
  std::vector<std::vector<double>> values(numbers.size());
  std::vector<csv_column> columns;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (const Thing& each : rows) values[i].push_back(numbers[i].second(each));
    columns.push_back({numbers[i].first, &values[i]});
  }
  return to_csv(columns);
}

// Text in a cell: quoted where it must be, and marked with an apostrophe where a spreadsheet would
// take it for a formula.
std::string csv_cell(std::string_view text);

}  // namespace asperity
