// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <asperity/error.hpp>
#include <asperity/sweep/open_database.hpp>
#include <asperity/sweep/sweep_file.hpp>
#include <asperity/text/open_file.hpp>
#include <filesystem>
#include <string_view>

namespace asperity {

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

}  // namespace

SQLite::Database open_database(const std::string& file, int flags, int patience_ms) {
  namespace fs = std::filesystem;
  // Where links lead, and absolute: SQLite takes names such as "file:..." and ":memory:" for more
  // than names.
  std::error_code ignored;
  fs::path path = fs::absolute(file);
  if (fs::exists(path, ignored)) {
    static_cast<void>(open_input_file(file, largest_sweep));
    path = fs::canonical(path);
  } else if ((flags & SQLite::OPEN_CREATE) == 0) {
    throw error(fmt::format("cannot read '{}': no such file", file));
  }
  if (names_another_file(path.string() + "-journal"))
    throw error(fmt::format(
        "'{0}-journal' names another file, which would be deleted: no sweep writes such "
        "a journal. Do not use '{0}', or remove its journal first",
        file));
  SQLite::Database data(path.string(), flags, patience_ms);
  sweep_file::restrict_to_data(data);
  return data;
}

void check_schema(SQLite::Database& data, const std::string& file) {
  SQLite::Statement strange(
      data,
      "SELECT type, name FROM sqlite_master WHERE type NOT IN ('table', 'index') OR sql LIKE "
      "'CREATE VIRTUAL%' LIMIT 1");
  if (strange.executeStep())
    throw error(fmt::format("'{}' is not a file of sweeps: it has a {} '{}'", file,
                            strange.getColumn(0).getString(), strange.getColumn(1).getString()));
}

}  // namespace asperity
