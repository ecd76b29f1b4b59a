// SPDX-License-Identifier: Apache-2.0
#pragma once

// A TOML document as plain data, every value with the place where it was written. The order of keys
// is kept, so that what is written back reads like what was read.

#include <asperity/units.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace asperity {

// What a document may hold at most. Names become files and columns, and what is nested is read by
// functions that call themselves.
inline constexpr std::size_t longest_name = 200;  // of a key or a run [bytes]
inline constexpr int deepest_nesting = 64;        // of keys (a.b.c), lists and tables
inline constexpr long most_values = 2'000'000;    // in a document

struct toml_value {
  enum class kind { boolean, integer, real, text, list, table };

  kind is = kind::table;
  bool boolean = false;
  long long integer = 0;
  double real = 0;
  std::string text;               // of a number: as it is written, where no double can hold it
  std::vector<toml_value> items;  // of a list, or the values of a table
  std::vector<std::string> keys;  // of a table: one for each item
  std::string place;              // of its key: "file.toml:12:5", or "--set friction.F_s=2"
  std::string value_place;        // of the value itself; empty where it was not in a file
  std::optional<unit> in;         // of a number, or of those in a list, where it is known

  static toml_value of(bool);
  static toml_value of(long long);
  static toml_value of(std::string);
  static toml_value of(const std::vector<std::string>&);
  static toml_value of(double, std::optional<unit> in = {});
  static toml_value of(const std::vector<double>&, std::optional<unit> in = {});

  const toml_value* find(std::string_view key) const;
  // The value of `key`, made where there is none.
  toml_value& at(std::string_view key);
  // Removes `key` of a table and returns its value; an empty table if there is none.
  toml_value take(std::string_view key);

 private:
  // Places of the keys in their order as text; empty where they are few, or were put in by others.
  std::vector<std::uint32_t> sorted_;
  std::size_t place_of(std::string_view key) const;  // keys.size() where it is not there
};

// Throws asperity::error with file, line and column. `file` is only a name for messages.
toml_value parse_toml(std::string_view text, const std::string& file);
toml_value read_toml(const std::string& file);

// Sets the value at a path such as "friction.F_s" or "force.piece.2.until" (lists count from 1; one
// past the end appends), making tables on the way. Throws where the path runs into a plain value.
void assign(toml_value& root, std::string_view path, toml_value value);

// Applies "friction.F_s=2", "system.mass=2 kg" or "force={kind='ramp', slope=1}" to the document.
// What is not a TOML value is taken as text. The place of the new value is "--set ...".
void apply_override(toml_value& root, std::string_view setting);

// Lays `changes` over `base`: tables are merged, everything else is replaced.
void merge(toml_value& base, const toml_value& changes);

std::string to_toml(const toml_value& table);
// A value on one line, as messages show it.
std::string to_inline_toml(const toml_value&);

}  // namespace asperity
