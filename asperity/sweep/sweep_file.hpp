// SPDX-License-Identifier: Apache-2.0
#pragma once

// The SQLite file of a sweep as something that may come from anybody, or be damaged: it is opened
// so that nothing in it is executed, its tables must be the ones that a sweep makes, and every cell
// is checked where it is read. Whatever is wrong becomes an asperity::error that names the file.

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <asperity/error.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace asperity::sweep_file {

inline constexpr int patience_ms = 60'000;  // with another process that writes

// What SQLite says, in the words of somebody who has a disk and a file.
[[noreturn]] void explain(const std::string& file, const SQLite::Exception& problem);
template <class Work>
auto guarded(const std::string& file, Work work) {
  try {
    return work();
  } catch (const SQLite::Exception& problem) {
    explain(file, problem);
  }
}

[[noreturn]] void damaged(const std::string& file, const std::string& what);

// A name in SQL, in quotes.
std::string sql_name(std::string_view name);

// The statements that make the tables; the columns of `results` are parameters, then measures.
struct table_statement {
  const char* name;
  std::string sql;
};
std::vector<table_statement> fixed_tables();
table_statement results_table(const std::vector<std::string>& parameters,
                              const std::vector<std::string>& measures);
void mark_as_ours(SQLite::Database& data);

// Throws asperity::error where the file is not a regular one, and where its journal names another
// file, which SQLite would delete. Nothing that the file brings along is executed.
SQLite::Database open_database(const std::string& file, int flags);

// Throws unless it is a sweep of this format, every page of which can be read.
void check_kind(SQLite::Database& data, const std::string& file);
void check_pages(SQLite::Database& data, const std::string& file);
// Throws unless the tables are those, to the last word.
void check_tables(SQLite::Database& data, const std::string& file,
                  const std::vector<table_statement>& wanted);

// Rows of a query, each cell of the kind that it must be. Asks SQLite itself: large tables have a
// hundred million cells, and a SQLite::Column for each would take longer than to read them.
class rows {
 public:
  rows(SQLite::Database& data, const std::string& file, const char* table,
       const std::string& query);
  ~rows();
  rows(const rows&) = delete;
  rows& operator=(const rows&) = delete;

  // The number that stands for the first '?' of the query.
  void bind(long long value);
  bool next();

  bool is_null(int column) const;
  std::string text(int column) const { return std::string(text_at(column)); }
  std::string_view text_at(int column) const;  // until the next row
  long long whole(int column, long long lowest, long long highest) const;
  double number(int column) const;  // infinite ones, too
  [[noreturn]] void fail(int column, const std::string& wanted) const;

 private:
  const std::string& file_;
  const char* table_;
  sqlite3* data_;
  sqlite3_stmt* statement_ = nullptr;
  long long row_ = 0;
};

// The table `about`.
using facts = std::map<std::string, std::string>;
facts read_facts(SQLite::Database& data, const std::string& file);
// One of them as a whole number.
long long whole_fact(const facts& about, const std::string& key, const std::string& file,
                     long long lowest, long long highest);

}  // namespace asperity::sweep_file
