// SPDX-License-Identifier: Apache-2.0
// Measured data: the first lines are expressions of columns, what follows is a table of any shape.

#include <asperity/text/record.hpp>

#include "fuzz/fuzz.hpp"

namespace asperity::fuzz {

namespace {

void check(const record& r) {
  const std::size_t rows = r.t.size();
  require(rows > 0, "a record has rows");
  for (std::size_t i = 0; i < rows; ++i) {
    require(std::isfinite(r.t[i]), "times are finite");
    require(i == 0 || r.t[i] > r.t[i - 1], "times rise");
  }
  require(r.lines.size() == rows, "every row has a line");
  for (const auto& each : r.channels) {
    require(each.values.size() == rows, "channels are as long: " + each.name);
    for (const double value : each.values) require(std::isfinite(value), "values are finite");
  }
  std::size_t next = 0;
  for (const auto& each : r.pieces) {
    require(each.first == next && each.last > each.first, "pieces follow one another");
    next = each.last;
    require(r.part(each).t.size() == each.last - each.first, "a piece has its rows");
  }
  require(next == rows, "pieces are all rows");
}

}  // namespace

void try_input(std::string_view input) {
  std::string lines[4];
  for (std::string& each : lines) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    each = input.substr(0, end);
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  if (input.starts_with("\x89HDF")) return;  // another library's business
  record_columns wanted;
  wanted.time = lines[0];
  wanted.columns = {{"x", lines[1], units::metre},
                    {"v", "", units::metre / units::second},
                    {"load", "", units::one},
                    {"f", lines[2], {}}};
  if (!lines[3].empty()) wanted.detrend = {lines[3]};
  wanted.slopes = {{"v", "x"}};
  wanted.needs_time = false;
  const measured_table table = measured_table::parse(std::string(input), "input.csv");
  try {
    check(read_record(table, wanted));
  } catch (const error&) {
    // The expressions are not of this table. Its columns by their numbers:
  }
  for (const bool bridges : {false, true}) {
    record_columns numbered;
    numbered.needs_time = false;
    numbered.bridge_gaps = bridges;
    numbered.columns = {{"x", "#1", {}}};
    check(read_record(table, numbered));
  }
}

}  // namespace asperity::fuzz
