// SPDX-License-Identifier: Apache-2.0
#pragma once

// Checked reading of one TOML table. Every complaint is an asperity::error that names file, line,
// key, value and what is allowed; finish() complains about keys nobody asked for. All that is read,
// defaults included, is recorded in SI, where a record is given: it is the resolved document.

#include <asperity/model.hpp>
#include <asperity/text/toml.hpp>
#include <memory>
#include <unordered_set>

namespace asperity {

class reader {
 public:
  // Reads `table`, found at `path` ("" for the document itself). Both outlive the reader.
  reader(const toml_value& table, std::string path, toml_value& record)
      : reader(table, std::move(path), &record) {}
  reader(const toml_value& table, std::string path, toml_value* record);  // null: none is kept

  bool has(const std::string& key) const { return table_->find(key) != nullptr; }
  // The value as it was written; the key counts as read.
  const toml_value* find(const std::string& key);
  // "friction.F_s": how messages call a key of this table.
  std::string full_name(const std::string& key) const;

  // A number in SI, or text with a unit that is converted: 5, 5.0, "5 N/um".
  double number(const std::string& key, unit in, range allowed);
  double number(const std::string& key, unit in, range allowed, double otherwise);
  // The same without a record, for what other keys are found from. Required.
  double number_for_others(const std::string& key, unit in, range allowed);
  // A list of numbers; where `or_single`, one number counts as a list of one.
  std::vector<double> numbers(const std::string& key, unit in, range allowed,
                              bool or_single = false);
  long long integer(const std::string& key, range allowed, long long otherwise);
  bool flag(const std::string& key, bool otherwise);
  std::string text(const std::string& key);
  std::string text(const std::string& key, const std::string& otherwise);
  std::vector<std::string> texts(const std::string& key);  // one text counts as a list of one
  // A name that files or folders are given: `otherwise` where the key is absent, which then must
  // be one, too.
  std::string name(const std::string& key, const std::string& otherwise);
  // One of `allowed`; required where `otherwise` is empty.
  std::string word(const std::string& key, const std::vector<std::string>& allowed,
                   const std::string& otherwise = {});

  // The table at `key`; required.
  reader table(const std::string& key);
  // The same, where an absent table counts as an empty one.
  reader table_or_empty(const std::string& key);
  // Tables of a list of tables, [[key]]; none where the key is absent.
  std::vector<reader> tables(const std::string& key);

  // Keys present that were not asked for so far.
  std::vector<std::string> unread() const;
  void finish() const;

  void keep(const std::string& key, toml_value value);  // in the record

  // From here on the units that are asked for are those of a motion along a line, and those in the
  // file of one about an axis (rotary() in units.hpp); also in tables that are read later.
  void make_rotary() { is_rotary_ = true; }
  bool is_rotary() const { return is_rotary_; }

  // "file.toml:12:5: friction.F_s = -1: <message>"
  [[noreturn]] void fail(const std::string& key, const std::string& message) const;
  [[noreturn]] void fail_missing(const std::string& key, const std::string& wanted) const;
  const std::string& place() const { return table_->place; }

 private:
  std::shared_ptr<const toml_value> owned_;  // an empty table that stands for an absent one
  const toml_value* table_;
  std::string path_;
  toml_value* record_;
  bool is_rotary_ = false;
  std::vector<std::string> known_;  // in the order in which they were asked for
  std::unordered_set<std::string> asked_;

  double to_number(const std::string& key, const toml_value&, unit in, range allowed) const;
  unit of_axis(unit in) const { return is_rotary_ ? rotary(in) : in; }
  reader inside(const toml_value& table, const std::string& key) const;
  std::string in_another_table(const std::string& key) const;
};

// nearest_names, followed by all that is allowed.
std::string suggest(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace asperity
