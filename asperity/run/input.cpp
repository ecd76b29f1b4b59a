// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/quantity.hpp>
#include <asperity/run/input.hpp>
#include <asperity/text/csv.hpp>
#include <asperity/text/record.hpp>
#include <cmath>
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

std::vector<double> toml_keys::numbers(const std::string& key, unit in, range allowed,
                                       const std::vector<double>* otherwise) {
  if (otherwise == nullptr) return reader_->numbers(key, in, allowed);
  std::vector<double> result = *otherwise;
  if (has(key)) {
    const auto given = reader_->numbers(key, in, allowed, true);
    if (given.size() != 1 && given.size() != result.size())
      reader_->fail(key, fmt::format("there are {} numbers: give one number, or {}", given.size(),
                                     result.size()));
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = given[given.size() == 1 ? 0 : i];
  }
  reader_->keep(key, toml_value::of(result, in));
  return result;
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

namespace {

// A plain number of a document, where it is one; whoever needs it complains where it is not.
std::optional<double> plain_number(const toml_value* table, const char* key, unit in) {
  const toml_value* value = table == nullptr ? nullptr : table->find(key);
  if (value == nullptr) return {};
  if (value->is == toml_value::kind::real) return value->real;
  if (value->is == toml_value::kind::integer) return static_cast<double>(value->integer);
  if (value->is != toml_value::kind::text) return {};
  try {
    return in_si(value->text, in);
  } catch (const error&) {
    return {};
  }
}

// A mass that falls, or flies, towards a surface has a mass, and a speed when it gets there.
known_impact impact_in(reader& document) {
  const auto in = [&](unit u) { return document.is_rotary() ? rotary(u) : u; };
  const toml_value* system = document.find("system");
  if (system == nullptr || system->is != toml_value::kind::table) return {};
  known_impact result;
  result.mass = plain_number(system, "mass", in(units::kilogram));
  if (result.mass && !(*result.mass > 0)) result.mass.reset();
  const toml_value* kind = system->find("kind");
  if (!result.mass || kind == nullptr || kind->text != "bouncing_mass") return result;
  const toml_value* initial = document.find("initial");
  const toml_value* force = document.find("force");
  double push = 0;
  if (force != nullptr) {
    if (force->is == toml_value::kind::table) return result;
    toml_value one;
    one.at("force") = *force;
    push = plain_number(&one, "force", in(units::newton)).value_or(0);
  }
  const double x = plain_number(initial, "x", in(units::metre)).value_or(0);
  const double v = plain_number(initial, "v", in(units::metre / units::second)).value_or(0);
  if (push < 0) result.weight = -push;
  const double square = v * v - 2 * push / *result.mass * x;
  if (x >= 0 && square > 0 && (v < 0 || push < 0)) result.speed = std::sqrt(square);
  return result;
}

}  // namespace

any_model toml_keys::model(const std::string& key, const std::string& family) {
  reader table = reader_->table(key);
  return read_model(table, family, *warnings_,
                    table.has("restitution") ? impact_in(*reader_) : known_impact{});
}

namespace {

// "input_table" of a key such as input.table.
std::string name_of_copy(const reader& of, const std::string& copy) {
  std::string kept = of.full_name(copy);
  std::replace(kept.begin(), kept.end(), '.', '_');
  return kept;
}

}  // namespace

key_source::file_columns toml_keys::columns(const std::string& key,
                                            const std::vector<std::string>& names,
                                            const std::string& copy) {
  const auto path = std::filesystem::path(files_.folder) / reader_->text(key);
  const std::string kept = name_of_copy(*reader_, copy) + ".csv";
  try {
    const auto data = std::make_shared<const csv_table>(csv_table::read(path.string()));
    file_columns result;
    for (const std::string& name : names) result.values.push_back(data->column(name));
    result.refuse = [data](const char* column, std::size_t row, const std::string& message) {
      data->fail(column, row, message);
    };
    if (files_.attachments != nullptr) files_.attachments->push_back({kept, data->text()});
    reader_->keep(key, toml_value::of(kept));
    return result;
  } catch (const error& problem) {
    reader_->fail(key, problem.what());
  }
}

key_source::file_columns toml_keys::series(const std::string& key, const std::string& time,
                                           const std::string& column, unit in) {
  const auto path = std::filesystem::path(files_.folder) / reader_->text(key);
  try {
    const auto table = measured_table::read(path.string());
    record_columns wanted;
    wanted.time = time;
    wanted.columns = {{"value", column, reader_->is_rotary() ? rotary(in) : in}};
    wanted.gap = unbounded;  // nodes may lie anyhow
    const auto data = std::make_shared<const record>(read_record(table, wanted));
    if (!data->warnings.empty())
      throw error(fmt::format("{}: {}", path.string(), data->warnings.front()));
    const std::string kept = name_of_copy(*reader_, "") + (table.is_hdf5() ? ".h5" : ".csv");
    if (files_.attachments != nullptr) files_.attachments->push_back({kept, table.bytes()});
    reader_->keep(key, toml_value::of(kept + table.part()));
    return {{data->t, data->channels.front().values},
            [data](const char*, std::size_t row, const std::string& message) {
              data->fail("value", row, message);
            }};
  } catch (const error& problem) {
    reader_->fail(key, problem.what());
  }
}

std::shared_ptr<key_source> toml_keys::table(const std::string& key, bool is_required) {
  return std::make_shared<toml_keys>(
      is_required ? reader_->table(key) : reader_->table_or_empty(key), files_, *warnings_);
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

}  // namespace asperity
