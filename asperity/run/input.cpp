// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/run/input.hpp>
#include <asperity/text/csv.hpp>
#include <filesystem>

namespace asperity {

bool toml_keys::is_table(const std::string& key) {
  const toml_value* value = reader_->find(key);
  return value != nullptr && value->is == toml_value::kind::table;
}

double toml_keys::number(const std::string& key, unit in, range allowed, const double* otherwise) {
  if (otherwise == nullptr) return reader_->number(key, in, allowed);
  return reader_->number(key, in, allowed, *otherwise);
}

std::vector<double> toml_keys::numbers(const std::string& key, unit in, range allowed) {
  return reader_->numbers(key, in, allowed);
}

long long toml_keys::whole(const std::string& key, range allowed, long long otherwise) {
  return reader_->integer(key, allowed, otherwise);
}

bool toml_keys::flag(const std::string& key, bool otherwise) {
  return reader_->flag(key, otherwise);
}

std::string toml_keys::word(const std::string& key, const std::vector<std::string>& allowed,
                            const std::string& otherwise) {
  return reader_->word(key, allowed, otherwise);
}

std::string toml_keys::text(const std::string& key, const std::string* otherwise) {
  return otherwise == nullptr ? reader_->text(key) : reader_->text(key, *otherwise);
}

any_model toml_keys::model(const std::string& key, const std::string& family) {
  reader table = reader_->table(key);
  return read_model(table, family, *warnings_);
}

key_source::series toml_keys::columns(const std::string& key, const std::string& times,
                                      const std::string& values) {
  const std::string file = reader_->text(key);
  std::string copy = reader_->full_name("csv");
  std::replace(copy.begin(), copy.end() - 4, '.', '_');
  const auto path = std::filesystem::path(files_.folder) / file;
  try {
    const csv_table data = csv_table::read(path.string());
    series result{data.increasing_column(times), data.column(values)};
    files_.attachments->push_back({copy, data.text()});
    reader_->keep(key, toml_value::of(copy));
    return result;
  } catch (const error& problem) {
    reader_->fail(key, problem.what());
  }
}

std::shared_ptr<key_source> toml_keys::table(const std::string& key) {
  return std::make_shared<toml_keys>(reader_->table(key), files_, *warnings_);
}

std::vector<std::shared_ptr<key_source>> toml_keys::tables(const std::string& key) {
  std::vector<std::shared_ptr<key_source>> result;
  for (reader& each : reader_->tables(key))
    result.push_back(std::make_shared<toml_keys>(std::move(each), files_, *warnings_));
  return result;
}

void toml_keys::warn(const std::string& message) {
  warnings_->push_back(fmt::format("{}: {}", reader_->place(), message));
}

void toml_keys::fail(const std::string& key, const std::string& message) {
  const auto dot = key.find('.');
  if (dot == std::string::npos) reader_->fail(key, message);
  reader_->table(key.substr(0, dot)).fail(key.substr(dot + 1), message);
}

void toml_keys::fail_missing(const std::string& key, const std::string& wanted) {
  reader_->fail_missing(key, wanted);
}

input read_input_table(reader& table, unit in, const input_files& files) {
  std::vector<std::string> warnings;
  std::vector<key_entry> keys;
  key_builder builder(keys, "", std::make_shared<toml_keys>(table, files, warnings));
  input result{read_signal_table(builder, in)};
  result.shortest_period = result.shape.shortest_period();
  return result;
}

input read_input(reader& parent, const std::string& key, unit in, const input_files& files) {
  std::vector<std::string> warnings;
  toml_keys source(parent, files, warnings);
  input result{read_signal(source, key, in)};
  result.shortest_period = result.shape.shortest_period();
  return result;
}

}  // namespace asperity
