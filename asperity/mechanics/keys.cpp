// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/mechanics/input_signal.hpp>
#include <asperity/mechanics/keys.hpp>
#include <cmath>

namespace asperity {

namespace {

// A default that follows from other values may be too large or too small for a number.
void check_default(const key_builder& b, const std::string& name, double value, unit in,
                   range allowed) {
  if (!(std::isfinite(value) && allows(allowed, value)))
    b.refuse(name, fmt::format("its default follows from the other values and is {:g} {}, but it "
                               "must be {}: give it, or other values",
                               value, to_string(in), to_string(allowed)));
}

// Some value in the range, for a card that has none.
double in_range(double value, range allowed) {
  if (allows(allowed, value)) return value;
  if (std::isfinite(allowed.lower) && std::isfinite(allowed.upper))
    return 0.5 * (allowed.lower + allowed.upper);
  return std::isfinite(allowed.lower) ? allowed.lower + 1 : allowed.upper - 1;
}

any_model first_of(const std::string& family) {
  for (const catalogue_entry* entry : catalogue())
    if (entry->family == family) return any_model(*entry);
  return any_model(*catalogue().front());
}

}  // namespace

key_entry& key_builder::note(key_entry::kind is, const std::string& name,
                             const std::string& meaning, bool is_required, unit in, range allowed) {
  return keys_->emplace_back(key_entry{is, table_, name, meaning, in, allowed, is_required});
}

void key_builder::required(const std::string& name, double& value, unit in, range allowed,
                           const std::string& meaning, const std::string& when) {
  note(key_entry::kind::number, name, meaning, when.empty(), in, allowed).otherwise = when;
  value = lists() ? in_range(value, allowed) : from_->number(name, in, allowed, nullptr);
}

void key_builder::optional(const std::string& name, double& value, unit in, range allowed,
                           const std::string& meaning, const std::string& otherwise) {
  note(key_entry::kind::number, name, meaning, false, in, allowed).otherwise =
      otherwise.empty() ? fmt::format("{:g}", value) : otherwise;
  if (lists()) return;
  const bool is_given = has(name);
  value = from_->number(name, in, allowed, &value);
  // Some have a 0 that stands for none, or are not bounded unless given.
  if (!is_given && value != 0 && otherwise != "none")
    check_default(*this, name, value, in, allowed);
}

void key_builder::optional(const std::string& name, long long& value, range allowed,
                           const std::string& meaning, const std::string& otherwise) {
  note(key_entry::kind::whole, name, meaning, false, units::one, allowed).otherwise =
      otherwise.empty() ? fmt::format("{}", value) : otherwise;
  if (!lists()) value = from_->whole(name, allowed, value);
}

void key_builder::optional(const std::string& name, bool& value, const std::string& meaning) {
  note(key_entry::kind::flag, name, meaning).otherwise = value ? "true" : "false";
  if (!lists()) value = from_->flag(name, value);
}

void key_builder::required(const std::string& name, std::vector<double>& values, unit in,
                           range allowed, const std::string& meaning, const std::string& when) {
  note(key_entry::kind::numbers, name, meaning, when.empty(), in, allowed).otherwise = when;
  values = lists() ? std::vector{in_range(0, allowed)} : from_->numbers(name, in, allowed);
}

void key_builder::optional(const std::string& name, std::vector<double>& values, unit in,
                           range allowed, const std::string& meaning,
                           const std::string& otherwise) {
  note(key_entry::kind::numbers, name, meaning, false, in, allowed).otherwise = otherwise;
  if (lists()) return;
  const bool is_given = has(name);
  values = from_->numbers(name, in, allowed, &values);
  if (!is_given)
    for (const double each : values) check_default(*this, name, each, in, allowed);
}

void key_builder::required(const std::string& name, signal& shape, unit in,
                           const std::string& meaning) {
  note(key_entry::kind::signal, name, meaning, true, in);
  if (!lists()) shape = read_signal(*from_, name, in);
}

void key_builder::optional(const std::string& name, signal& shape, unit in,
                           const std::string& meaning) {
  const double usual = shape.value(0);
  note(key_entry::kind::signal, name, meaning, false, in).otherwise = fmt::format("{:g}", usual);
  if (lists()) return;
  if (from_->has(name)) {
    shape = read_signal(*from_, name, in);
  } else {
    from_->number(name, in, any_value, &usual);
  }
}

std::string key_builder::word(const std::string& name, const std::vector<std::string>& allowed,
                              const std::string& meaning, const std::string& otherwise) {
  key_entry& key = note(key_entry::kind::word, name, meaning, otherwise.empty());
  key.words = allowed;
  key.otherwise = otherwise;
  if (!lists()) return from_->word(name, allowed, otherwise);
  return otherwise.empty() ? allowed.front() : otherwise;
}

std::string key_builder::text(const std::string& name, const std::string& meaning) {
  note(key_entry::kind::text, name, meaning, true);
  return lists() ? "" : from_->text(name, nullptr);
}

std::string key_builder::text(const std::string& name, const std::string& meaning,
                              const std::string& otherwise) {
  note(key_entry::kind::text, name, meaning).otherwise = otherwise;
  return lists() ? otherwise : from_->text(name, &otherwise);
}

any_model key_builder::model(const std::string& name, const std::string& meaning,
                             bool is_required) {
  return model_of(name, name, meaning, is_required);
}

any_model key_builder::model_of(const std::string& family, const std::string& name,
                                const std::string& meaning, bool is_required) {
  key_entry& key = note(key_entry::kind::model, name, meaning, is_required);
  key.words = {family};
  if (!is_required) key.otherwise = "none";
  return lists() ? first_of(family) : from_->model(name, family);
}

key_builder::named_model key_builder::one_model(const std::vector<std::string>& names,
                                                const std::string& meaning) {
  note(key_entry::kind::model, names.front(), meaning, true).words = names;
  if (lists()) return {names.front(), first_of(names.front())};
  std::string found;
  for (const auto& each : names) {
    if (!from_->has(each)) continue;
    if (!found.empty())
      refuse(each, fmt::format("[{}] is given as well: give only one model", found));
    found = each;
  }
  if (found.empty())
    miss(names.front(), fmt::format("a table [{}] with model = ...", fmt::join(names, "], [")));
  return {found, from_->model(found, found)};
}

key_source::file_columns key_builder::columns(const std::string& name,
                                              const std::vector<std::string>& columns,
                                              const std::string& meaning, const std::string& when) {
  note(key_entry::kind::text, name, meaning).otherwise = when;
  if (lists()) return {};
  return from_->columns(name, columns, name);
}

key_builder::model_table key_builder::table_of_model(const std::string& name,
                                                     const std::vector<std::string>& families,
                                                     const std::string& meaning) {
  note(key_entry::kind::model, name, meaning, true).words = families;
  std::vector<std::string> names;
  for (const std::string& family : families)
    for (const catalogue_entry* entry : catalogue())
      if (entry->family == family) names.push_back(entry->key);
  const key_builder table = inside(name, lists() ? nullptr : from_->table(name));
  return {table.unlisted().word("model", names, ""), table};
}

key_builder key_builder::unlisted() const {
  key_builder result = *this;
  result.own_ = std::make_shared<std::vector<key_entry>>();
  result.keys_ = result.own_.get();
  return result;
}

key_builder key_builder::inside(const std::string& name, std::shared_ptr<key_source> from) const {
  key_builder result = *this;
  result.table_ = table_.empty() ? name : table_ + "." + name;
  result.from_ = std::move(from);
  return result;
}

key_builder key_builder::table(const std::string& name, const std::string& meaning,
                               bool is_required) {
  note(key_entry::kind::table, name, meaning, is_required);
  return inside(name, lists() ? nullptr : from_->table(name, is_required));
}

std::vector<key_builder> key_builder::tables(const std::string& name, const std::string& meaning,
                                             const std::string& wanted) {
  key_entry& key = note(key_entry::kind::tables, name, meaning, !wanted.empty());
  if (wanted.empty()) key.otherwise = "none";
  if (lists()) return {inside(name, nullptr)};
  std::vector<key_builder> result;
  for (auto& each : from_->tables(name)) result.push_back(inside(name, std::move(each)));
  if (result.empty() && !wanted.empty()) miss(name, wanted);
  return result;
}

}  // namespace asperity
