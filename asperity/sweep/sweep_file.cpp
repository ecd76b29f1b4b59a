// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <asperity/sweep/sweep_file.hpp>
#include <asperity/text.hpp>
#include <asperity/text/open_file.hpp>
#include <charconv>
#include <filesystem>

namespace asperity::sweep_file {

namespace {

constexpr int application_id = 0x41737052;  // "AspR"
constexpr int format_version = 1;
constexpr int longest_cell = 1 << 28;  // [bytes]: a file of input data that a sweep keeps
constexpr int longest_statement = 1 << 20;

}  // namespace

void explain(const std::string& file, const SQLite::Exception& problem) {
  const std::string said = shortened(printable(problem.what()), 200);
  switch (problem.getErrorCode() & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
      throw error(
          fmt::format("cannot write '{}': {}, so the disk is full or a limit is reached; finished "
                      "points are kept: free some space and run the same command again",
                      file, said));
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      throw error(fmt::format("'{}' is not a sweep file, or is damaged: {}", file, said));
    case SQLITE_BUSY:
      throw error(fmt::format("'{}': another process has locked it for more than {} s", file,
                              patience_ms / 1000));
    default:
      throw error(fmt::format("cannot use '{}': {}", file, said));
  }
}

void damaged(const std::string& file, const std::string& what) {
  throw error(
      fmt::format("'{}' is damaged: {}; name another file, or remove it and run the sweep "
                  "again",
                  file, what));
}

std::string sql_name(std::string_view name) {
  std::string result = "\"";
  for (const char c : name) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

std::vector<table_statement> fixed_tables() {
  return {
      {"about", "CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL)"},
      {"parameters",
       "CREATE TABLE parameters (position INTEGER PRIMARY KEY, name TEXT, unit TEXT, given TEXT, "
       "drawn INTEGER, result_column TEXT)"},
      {"measures",
       "CREATE TABLE measures (position INTEGER PRIMARY KEY, name TEXT, unit TEXT, is_list "
       "INTEGER, result_column TEXT)"},
      {"chunks",
       "CREATE TABLE chunks (chunk INTEGER PRIMARY KEY, done INTEGER NOT NULL DEFAULT 0, owner "
       "TEXT, claimed REAL)"},
      {"open_chunks", "CREATE INDEX open_chunks ON chunks (chunk) WHERE done = 0"},
      {"lists",
       "CREATE TABLE lists (point INTEGER, measure INTEGER, position INTEGER, value REAL, PRIMARY "
       "KEY (point, measure, position)) WITHOUT ROWID"},
  };
}

table_statement results_table(const std::vector<std::string>& parameters,
                              const std::vector<std::string>& measures) {
  std::string sql = "CREATE TABLE results (point INTEGER PRIMARY KEY, branch TEXT";
  for (const auto& each : parameters) sql += fmt::format(", {} REAL", sql_name(each));
  sql += ", outcome TEXT NOT NULL, detail TEXT";
  for (const auto& each : measures) sql += fmt::format(", {} REAL", sql_name(each));
  return {"results", sql + ")"};
}

void mark_as_ours(SQLite::Database& data) {
  data.exec(fmt::format("PRAGMA application_id = {}", application_id));
  data.exec(fmt::format("PRAGMA user_version = {}", format_version));
}

// ---- opening ------------------------------------------------------------------------------------

namespace {

// A journal of several databases ends with the name of a file that they share, and with this mark.
// SQLite deletes that file when it plays the journal back. Our sweeps have one database each.
bool names_another_file(const std::string& journal) {
  constexpr std::string_view mark = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  const open_file opened(::open(journal.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  if (!opened) return false;  // SQLite does not follow links to a journal, either
  struct stat is = {};
  char end[mark.size()] = "";
  return fstat(opened.descriptor(), &is) == 0 && is.st_size > 0 &&
         pread(opened.descriptor(), end, sizeof end, is.st_size - static_cast<off_t>(sizeof end)) ==
             static_cast<ssize_t>(sizeof end) &&
         std::string_view(end, sizeof end) == mark;
}

// Before anything else is asked of it: no triggers, views or functions of the file's own, and
// limits on what it can make us hold.
void restrict_to_data(SQLite::Database& data) {
  sqlite3* const handle = data.getHandle();
  for (const int off :
       {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_TRUSTED_SCHEMA,
        SQLITE_DBCONFIG_DQS_DDL, SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION})
    sqlite3_db_config(handle, off, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longest_cell);
  sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, longest_statement);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0);
  data.exec("PRAGMA cell_size_check = ON");
  data.exec("PRAGMA mmap_size = 0");
}

}  // namespace

SQLite::Database open_database(const std::string& file, int flags) {
  namespace fs = std::filesystem;
  // Where links lead, and absolute: SQLite takes names such as "file:..." and ":memory:" for more
  // than names.
  std::error_code ignored;
  fs::path path = fs::absolute(file, ignored);
  if (ignored)
    throw error(
        fmt::format("cannot open '{}': the current folder was deleted or cannot be used: change to "
                    "another folder, or give an absolute path",
                    file));
  if (fs::exists(path, ignored)) {
    static_cast<void>(open_input_file(file, largest_sweep));
    path = fs::canonical(path);
  } else if ((flags & SQLite::OPEN_CREATE) == 0) {
    throw error(fmt::format("cannot read '{}': no such file", file));
  }
  if (names_another_file(path.string() + "-journal"))
    throw error(
        fmt::format("'{0}-journal' refers to another file, which would be deleted: no sweep writes "
                    "such a journal. Do not use '{0}', or remove its journal first",
                    file));
  // One thread at a time asks: SQLite need not lock each call.
  SQLite::Database data(path.string(), flags | SQLite::OPEN_NOMUTEX, patience_ms);
  restrict_to_data(data);
  return data;
}

void check_kind(SQLite::Database& data, const std::string& file) {
  if (data.execAndGet("PRAGMA application_id").getInt() != application_id)
    throw error(fmt::format("'{}' is an SQLite file, but not a sweep file", file));
  // A view can be endless, and a trigger writes what it likes.
  SQLite::Statement strange(
      data,
      "SELECT type, name FROM sqlite_master WHERE type NOT IN ('table', 'index') OR sql LIKE "
      "'CREATE VIRTUAL%' LIMIT 1");
  if (strange.executeStep())
    throw error(fmt::format("'{}' is not a sweep file: it has a {} '{}'", file,
                            strange.getColumn(0).getString(), strange.getColumn(1).getString()));
  const int version = data.execAndGet("PRAGMA user_version").getInt();
  if (version != format_version)
    throw error(fmt::format("'{}' has format {}, but this program supports format {}", file,
                            version, format_version));
}

void check_pages(SQLite::Database& data, const std::string& file) {
  SQLite::Statement check(data, "PRAGMA quick_check(1)");
  std::string said = "no answer";
  while (check.executeStep()) said = check.getColumn(0).getString();
  if (said != "ok") damaged(file, shortened(printable(said), 200));
}

void check_tables(SQLite::Database& data, const std::string& file,
                  const std::vector<table_statement>& wanted) {
  SQLite::Statement made(data, "SELECT sql FROM sqlite_master WHERE name = ?");
  for (const auto& [name, sql] : wanted) {
    made.bind(1, name);
    const bool found = made.executeStep();
    if (!found || made.getColumn(0).isNull() || made.getColumn(0).getString() != sql)
      damaged(file, fmt::format("the table '{}' is {}", name,
                                found ? "not the one that a sweep writes" : "missing"));
    made.reset();
  }
}

// ---- cells --------------------------------------------------------------------------------------

rows::rows(SQLite::Database& data, const std::string& file, const char* table,
           const std::string& query)
    : file_(file), table_(table), data_(data.getHandle()) {
  const int code = sqlite3_prepare_v2(data_, query.c_str(), static_cast<int>(query.size()),
                                      &statement_, nullptr);
  if (code != SQLITE_OK) throw SQLite::Exception(data_, code);
}

rows::~rows() { sqlite3_finalize(statement_); }

void rows::bind(long long value) {
  const int code = sqlite3_bind_int64(statement_, 1, value);
  if (code != SQLITE_OK) throw SQLite::Exception(data_, code);
}

bool rows::next() {
  ++row_;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) throw SQLite::Exception(data_, code);
  return false;
}

bool rows::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::string_view rows::text_at(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT) fail(column, "text");
  const void* const first = sqlite3_column_text(statement_, column);
  if (first == nullptr) throw SQLite::Exception(data_, SQLITE_NOMEM);
  return {static_cast<const char*>(first),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

long long rows::whole(int column, long long lowest, long long highest) const {
  const bool is_whole = sqlite3_column_type(statement_, column) == SQLITE_INTEGER;
  const long long value = is_whole ? sqlite3_column_int64(statement_, column) : 0;
  if (!is_whole || value < lowest || value > highest)
    fail(column, fmt::format("a whole number from {} to {}", lowest, highest));
  return value;
}

double rows::number(int column) const {
  const int type = sqlite3_column_type(statement_, column);
  if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) fail(column, "a number");
  return sqlite3_column_double(statement_, column);
}

void rows::fail(int column, const std::string& wanted) const {
  std::string shown = "nothing";
  const int type = sqlite3_column_type(statement_, column);
  if (type == SQLITE_BLOB) {
    shown = fmt::format("{} bytes", sqlite3_column_bytes(statement_, column));
  } else if (type != SQLITE_NULL) {
    const void* const first = sqlite3_column_text(statement_, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    shown = first == nullptr ? "" : std::string(static_cast<const char*>(first), size);
    shown = shortened(printable(shown), 40);
  }
  damaged(file_,
          fmt::format("row {} of '{}' has '{}' as {}, which must be {}", row_, table_, shown,
                      shortened(printable(sqlite3_column_name(statement_, column)), 40), wanted));
}

// ---- facts --------------------------------------------------------------------------------------

facts read_facts(SQLite::Database& data, const std::string& file) {
  facts result;
  rows about(data, file, "about", "SELECT key, value FROM about");
  while (about.next()) result[about.text(0)] = about.text(1);
  return result;
}

long long whole_fact(const facts& about, const std::string& key, const std::string& file,
                     long long lowest, long long highest) {
  const auto found = about.find(key);
  if (found == about.end()) damaged(file, fmt::format("'{}' is missing", key));
  const std::string& text = found->second;
  long long value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || value < lowest || value > highest)
    damaged(file, fmt::format("'{}' is '{}', which must be a whole number from {} to {}", key,
                              shortened(printable(text), 40), lowest, highest));
  return value;
}

}  // namespace asperity::sweep_file
