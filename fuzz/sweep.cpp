// SPDX-License-Identifier: Apache-2.0
// A sweep file that came by mail. An input that begins like SQLite is the file itself; any other is
// a list of changes to a sound one, so that what is wrong is in the tables and not in SQLite's
// pages.

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <asperity/sweep/table.hpp>

#include "fuzz/fuzz.hpp"

namespace asperity::fuzz {

namespace {

void try_file(const std::string& file) {
  if (!is_sweep_file(file)) return;
  const sweep_table table = read_sweep(file);
  for (const auto& column : table.values)
    require(column.size() == table.point.size(), "columns are as long as the table");
  (void)find_attractors(table);
  (void)sweep_csv(table);
  (void)sweep_lists_csv(table);
  (void)sweep_columns(table);
  (void)fitting_format(table);
}

const std::string& sound_file() {
  static const std::string content = [] {
    std::ifstream stream(
        std::filesystem::path(ASPERITY_SOURCE_DIR) / "fuzz/corpus/sweep/small.sqlite",
        std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(stream), {}};
  }();
  return content;
}

void change(SQLite::Database& data, bytes& from) {
  constexpr const char* places[][2] = {{"about", "key"},
                                       {"about", "value"},
                                       {"parameters", "position"},
                                       {"parameters", "name"},
                                       {"parameters", "unit"},
                                       {"parameters", "given"},
                                       {"parameters", "drawn"},
                                       {"parameters", "result_column"},
                                       {"measures", "position"},
                                       {"measures", "name"},
                                       {"measures", "unit"},
                                       {"measures", "is_list"},
                                       {"measures", "result_column"},
                                       {"chunks", "chunk"},
                                       {"chunks", "done"},
                                       {"lists", "point"},
                                       {"lists", "measure"},
                                       {"lists", "position"},
                                       {"lists", "value"},
                                       {"results", "point"},
                                       {"results", "branch"},
                                       {"results", "outcome"},
                                       {"results", "detail"}};
  constexpr const char* words[] = {"",
                                   "-",
                                   "m",
                                   "1",
                                   "both",
                                   "up",
                                   "completed",
                                   "refused",
                                   "lin(0,1,3)",
                                   "log(1,2,9)",
                                   "1e300",
                                   "9223372036854775807",
                                   "-1",
                                   "x",
                                   "outcome",
                                   "\"",
                                   "normal(0,1)",
                                   "attractor(x)",
                                   "lin(0,1,1000000)",
                                   "N/m^1.5",
                                   "a\"b",
                                   "\xff"};
  const auto& [table, column] = places[from.below(std::size(places))];
  const auto row = from.below(8);
  const bool is_keyed = std::string_view(table) == "lists";
  std::string sql;
  const auto how = from.below(8);
  if (how == 0)
    sql = fmt::format("DELETE FROM {} WHERE {} IN (SELECT {} FROM {} LIMIT 1 OFFSET {})", table,
                      column, column, table, row);
  else
    sql = fmt::format(
        "UPDATE OR IGNORE {} SET {} = ? WHERE {} IN (SELECT {} FROM {} LIMIT 1 OFFSET {})", table,
        column, is_keyed ? column : "rowid", is_keyed ? column : "rowid", table, row);
  SQLite::Statement statement(data, sql);
  if (how == 1) {
    statement.bind(1);
  } else if (how == 2) {
    statement.bind(1, from.number());
  } else if (how == 3) {
    statement.bind(1, from.take<std::int64_t>());
  } else if (how == 4) {
    statement.bind(1, from.take<std::int8_t>());
  } else if (how > 0) {
    statement.bind(1, std::string(words[from.below(std::size(words))]));
  }
  // What SQLite itself refuses, such as a text for a row's number, is no change.
  statement.tryExecuteStep();
}

}  // namespace

void try_input(std::string_view input) {
  if (input.starts_with("SQLite format 3")) return try_file(scratch_file("mail.sqlite", input));
  const std::string file = scratch_file("changed.sqlite", sound_file());
  {
    bytes from(input);
    SQLite::Database data(file, SQLite::OPEN_READWRITE);
    data.exec("PRAGMA journal_mode = OFF");
    while (!from.empty()) change(data, from);
  }
  try_file(file);
}

}  // namespace asperity::fuzz
