// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/card.hpp>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/text.hpp>
#include <asperity/text/noted_units.hpp>
#include <asperity/text/pending_folder.hpp>
#include <asperity/text/reader.hpp>
#include <cmath>

namespace asperity {

namespace {

using kind = toml_value::kind;

// "a number in kg, above 0": what a message asks for, in place of the number that was refused.
std::string wanted_number(unit in, range allowed, double refused = 0) {
  if (allowed.whole) return to_string(allowed);
  const char* of = std::isfinite(refused) ? "a number" : "a finite number";
  return fmt::format("{}{}, {}", of, is_plain(in) ? "" : " in " + to_string(in),
                     to_string(allowed));
}

// A value as a message shows it: long lists and tables are cut.
std::string shown(const toml_value& value) { return shortened(to_inline_toml(value)); }

}  // namespace

std::string suggest(std::string_view wanted, const std::vector<std::string>& names) {
  constexpr std::size_t most = 16;  // longer lists are left to nearest_names, which cuts them
  std::string nearest = nearest_names(wanted, names);
  if (names.size() > most) return nearest;
  const std::string all = fmt::format("allowed: {}", fmt::join(names, ", "));
  return nearest.rfind("allowed", 0) == 0 ? all : fmt::format("{} ({})", nearest, all);
}

reader::reader(const toml_value& table, std::string path, toml_value* record)
    : table_(&table), path_(std::move(path)), record_(record) {
  if (table.is != kind::table)
    throw error(fmt::format("{}: {} = {} must be a table, such as [{}]", table.place, path_,
                            shown(table), path_));
}

std::string reader::full_name(const std::string& key) const {
  if (key.empty()) return path_;
  return path_.empty() ? key : path_ + "." + key;
}

const toml_value* reader::find(const std::string& key) {
  if (asked_.insert(key).second) known_.push_back(key);
  return table_->find(key);
}

void reader::keep(const std::string& key, toml_value value) {
  if (record_ == nullptr) return;
  if (value.in) value.in = of_axis(*value.in);
  for (auto& each : value.items)
    if (each.in) each.in = of_axis(*each.in);
  assign(*record_, full_name(key), std::move(value));
}

reader reader::inside(const toml_value& table, const std::string& key) const {
  reader result(table, full_name(key), record_);
  result.is_rotary_ = is_rotary_;
  return result;
}

void reader::fail(const std::string& key, const std::string& message) const {
  const toml_value* value = key.empty() ? nullptr : table_->find(key);
  if (value == nullptr) {
    // What a model's parameters are given to has no name of its own.
    const std::string name = full_name(key);
    const char* colon = table_->place.empty() || name.empty() ? "" : ": ";
    throw error(fmt::format("{}{}{}: {}", table_->place, colon, name, message));
  }
  throw error(fmt::format("{}: {} = {}: {}", value->place, full_name(key), shown(*value), message));
}

void reader::fail_missing(const std::string& key, const std::string& wanted) const {
  std::string message = fmt::format("{}{}{} is missing: it must be {}", table_->place,
                                    table_->place.empty() ? "" : ": ", full_name(key), wanted);
  for (const auto& other : unread())  // perhaps it is only misspelt
    if (nearest_names(other, {key}).rfind("did you mean", 0) == 0)
      message += fmt::format(" ('{}' at {}: did you mean '{}'?)", full_name(other),
                             table_->find(other)->place, key);
  throw error(message);
}

double reader::to_number(const std::string& key, const toml_value& value, unit in,
                         range allowed) const {
  in = of_axis(in);
  if (noted_units::wanted()) noted_units::add(full_name(key), in, allowed);
  double result = 0;
  switch (value.is) {
    case kind::integer:
      result = static_cast<double>(value.integer);
      break;
    case kind::real:
      if (value.text.empty()) {
        result = value.real;
        break;
      }
      [[fallthrough]];  // a number that no double can hold
    case kind::text:
      try {
        result = in_si(value.text, in);
      } catch (const error& problem) {
        fail(key, fmt::format("{}; it must be {}", problem.what(), wanted_number(in, allowed)));
      }
      break;
    default:
      fail(key, "it must be " + wanted_number(in, allowed));
  }
  if (!allows(allowed, result)) fail(key, "it must be " + wanted_number(in, allowed, result));
  return result;
}

double reader::number_for_others(const std::string& key, unit in, range allowed) {
  const toml_value* value = find(key);
  if (value == nullptr) fail_missing(key, wanted_number(of_axis(in), allowed));
  return to_number(key, *value, in, allowed);
}

double reader::number(const std::string& key, unit in, range allowed) {
  const double result = number_for_others(key, in, allowed);
  keep(key, toml_value::of(result, in));
  return result;
}

double reader::number(const std::string& key, unit in, range allowed, double otherwise) {
  if (find(key) != nullptr) return number(key, in, allowed);
  // No bound is not written down: a file has no number for it.
  if (std::isfinite(otherwise)) keep(key, toml_value::of(otherwise, in));
  return otherwise;
}

std::vector<double> reader::numbers(const std::string& key, unit in, range allowed,
                                    bool or_single) {
  const toml_value* value = find(key);
  const std::string wanted = fmt::format("{}a list, each {}", or_single ? "a number or " : "",
                                         wanted_number(of_axis(in), allowed));
  if (value == nullptr) fail_missing(key, wanted);
  if (or_single && value->is != kind::list) return {number(key, in, allowed)};
  if (value->is != kind::list || value->items.empty()) fail(key, "it must be " + wanted);
  std::vector<double> result;
  for (const auto& item : value->items) result.push_back(to_number(key, item, in, allowed));
  keep(key, toml_value::of(result, in));
  return result;
}

long long reader::integer(const std::string& key, range allowed, long long otherwise) {
  const toml_value* value = find(key);
  if (value == nullptr) {
    keep(key, toml_value::of(otherwise));
    return otherwise;
  }
  if (noted_units::wanted()) noted_units::add(full_name(key), units::one, allowed);
  long long result = value->integer;
  bool whole = value->is == kind::integer;
  // 1e6 is a float in TOML, and a natural way to write a large count.
  if (value->is == kind::real && std::abs(value->real) < 9e15 &&
      value->real == std::floor(value->real)) {
    whole = true;
    result = static_cast<long long>(value->real);
  }
  const auto size = static_cast<double>(result);
  if (!whole || size < allowed.lower || size > allowed.upper)
    fail(key, "it must be a whole number, " + to_string(allowed));
  keep(key, toml_value::of(result));
  return result;
}

bool reader::flag(const std::string& key, bool otherwise) {
  const toml_value* value = find(key);
  if (value != nullptr && value->is != kind::boolean) fail(key, "it must be true or false");
  const bool result = value == nullptr ? otherwise : value->boolean;
  keep(key, toml_value::of(result));
  return result;
}

std::string reader::text(const std::string& key) {
  const toml_value* value = find(key);
  if (value == nullptr) fail_missing(key, "text in quotes");
  if (value->is != kind::text) fail(key, "it must be text in quotes");
  keep(key, toml_value::of(value->text));
  return value->text;
}

std::string reader::text(const std::string& key, const std::string& otherwise) {
  if (find(key) != nullptr) return text(key);
  keep(key, toml_value::of(otherwise));
  return otherwise;
}

std::string reader::name(const std::string& key, const std::string& otherwise) {
  std::string result = otherwise.empty() ? text(key) : text(key, otherwise);
  if (!is_plain_name(result)) fail(key, plain_name_wanted);
  return result;
}

std::vector<std::string> reader::texts(const std::string& key) {
  const toml_value* value = find(key);
  if (value == nullptr) fail_missing(key, "text in quotes, or a list of texts");
  if (value->is == kind::text) return {text(key)};
  std::vector<std::string> result;
  for (const auto& item : value->items)
    if (item.is == kind::text) result.push_back(item.text);
  if (value->is != kind::list || result.empty() || result.size() != value->items.size())
    fail(key, "it must be text in quotes, or a list of texts");
  keep(key, toml_value::of(result));
  return result;
}

std::string reader::word(const std::string& key, const std::vector<std::string>& allowed,
                         const std::string& otherwise) {
  const toml_value* value = find(key);
  if (value == nullptr && otherwise.empty())
    fail_missing(key, fmt::format("one of: {}", fmt::join(allowed, ", ")));
  std::string result = text(key, otherwise);
  if (std::find(allowed.begin(), allowed.end(), result) == allowed.end())
    fail(key, "unknown word: " + suggest(result, allowed));
  return result;
}

reader reader::table(const std::string& key) {
  const toml_value* value = find(key);
  if (value == nullptr) fail_missing(key, fmt::format("a table [{}]", full_name(key)));
  return inside(*value, key);
}

reader reader::table_or_empty(const std::string& key) {
  if (find(key) != nullptr) return table(key);
  auto empty = std::make_shared<toml_value>();
  empty->place = table_->place;
  reader result = inside(*empty, key);
  result.owned_ = std::move(empty);
  return result;
}

std::vector<reader> reader::tables(const std::string& key) {
  std::vector<reader> result;
  const toml_value* value = find(key);
  if (value == nullptr) return result;
  const std::string wanted = fmt::format("it must be a list of tables, [[{}]]", full_name(key));
  if (value->is != kind::list) fail(key, wanted);
  for (std::size_t i = 0; i < value->items.size(); ++i) {
    if (value->items[i].is != kind::table) fail(key, wanted);
    result.push_back(inside(value->items[i], fmt::format("{}.{}", key, i + 1)));
  }
  return result;
}

std::vector<std::string> reader::unread() const {
  std::vector<std::string> result;
  for (const auto& key : table_->keys)
    if (asked_.count(key) == 0) result.push_back(key);
  return result;
}

// F_s is friction.F_s, and speed system.speed: of what was read so far.
std::string reader::in_another_table(const std::string& key) const {
  if (record_ == nullptr) return "";
  for (const std::string& name : record_->keys) {
    const toml_value* table = record_->find(name);
    if (name != path_ && table->is == kind::table && table->find(key) != nullptr)
      return name + "." + key;
  }
  return "";
}

void reader::finish() const {
  const auto unknown = unread();
  if (unknown.empty()) return;
  const std::string& key = unknown.front();
  const std::string elsewhere = in_another_table(key);
  fail(key, elsewhere.empty() ? "unknown key: " + suggest(key, known_)
                              : fmt::format("unknown key: did you mean '{}'? (allowed: {})",
                                            elsewhere, fmt::join(known_, ", ")));
}

}  // namespace asperity
