// SPDX-License-Identifier: Apache-2.0
#pragma once

// Opens SQLite files that may have come from anybody.

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>

namespace asperity {

// Throws asperity::error where the file is not a regular one, and where its journal names another
// file, which SQLite would delete. Functions called from the schema of the file are restricted.
SQLite::Database open_database(const std::string& file, int flags, int patience_ms);

// Throws asperity::error where the file has more than plain tables and indices: a view can be
// endless, and a trigger writes what it likes.
void check_schema(SQLite::Database& data, const std::string& file);

}  // namespace asperity
