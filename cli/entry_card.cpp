// SPDX-License-Identifier: Apache-2.0
#include "cli/entry_card.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <asperity/card.hpp>
#include <asperity/publish/markdown.hpp>
#include <asperity/run/scenario.hpp>
#include <cmath>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

using json = nlohmann::ordered_json;
using kind = key_entry::kind;

const char* word_for(kind is) {
  switch (is) {
    case kind::number:
      return "number";
    case kind::numbers:
      return "list of numbers";
    case kind::whole:
      return "whole number";
    case kind::flag:
      return "true or false";
    case kind::word:
      return "word";
    case kind::text:
      return "text";
    case kind::signal:
      return "input";
    case kind::model:
      return "model";
    case kind::table:
      return "table";
    case kind::tables:
      return "list of tables";
  }
  return "";
}

bool has_unit(const key_entry& key) {
  return key.is == kind::number || key.is == kind::numbers || key.is == kind::signal;
}

std::string allowed_text(const key_entry& key) {
  if (key.is == kind::word) return fmt::format("{}", fmt::join(key.words, ", "));
  if (key.is == kind::model) return fmt::format("{}", fmt::join(key.words, " or "));
  if (key.is == kind::whole) return "whole, " + to_string(key.allowed);
  if (key.is == kind::number || key.is == kind::numbers) return to_string(key.allowed);
  return word_for(key.is);
}

std::string full_name(const key_entry& key) {
  const bool is_table = key.is == kind::table || key.is == kind::model;
  const std::string name = key.table.empty() ? key.name : key.table + "." + key.name;
  if (key.is == kind::tables) return "[[" + name + "]]";
  return is_table ? "[" + name + "]" : name;
}

// What the scenario on the page makes of it.
struct shown_system {
  scenario s;
  std::vector<std::string> events;

  explicit shown_system(const system_row& row)
      : s(read_scenario(parse_toml(example_of(row), row.name), row.name, "")) {
    const auto work = s.system->new_workspace();
    work->setting = s;
    for (const event& each : s.system->events(*work))
      if (!each.name.empty() && std::find(events.begin(), events.end(), each.name) == events.end())
        events.push_back(each.name);
  }
  const system_card& card() const { return s.system->card(); }
};

}  // namespace

json bound(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

std::string keys_text(const std::vector<key_entry>& keys) {
  std::vector<std::vector<std::string>> rows{{"key", "unit", "default", "allowed", "meaning"}};
  for (const key_entry& key : keys)
    rows.push_back({full_name(key), has_unit(key) ? to_string(key.in) : "",
                    key.required ? "required" : key.otherwise, allowed_text(key), key.meaning});
  return lined_up(rows, "  ");
}

json keys_json(const std::vector<key_entry>& keys) {
  json result = json::array();
  for (const key_entry& key : keys) {
    json one{{"table", key.table}, {"key", key.name}, {"kind", word_for(key.is)}};
    if (has_unit(key)) one["unit"] = to_string(key.in);
    one["required"] = key.required;
    if (!key.required) one["default"] = key.otherwise;
    if (key.is == kind::number || key.is == kind::numbers || key.is == kind::whole) {
      one["minimum"] = bound(key.allowed.lower);
      one["minimum_is_excluded"] = key.allowed.open_below;
      one["maximum"] = bound(key.allowed.upper);
    }
    if (!key.words.empty()) one[key.is == kind::model ? "families" : "words"] = key.words;
    one["meaning"] = key.meaning;
    result.push_back(one);
  }
  return result;
}

std::string system_text(const system_row& row) {
  const shown_system shown(row);
  std::string out = fmt::format("{}: {}\n", row.name, row.what);
  const auto sections = sections_of(page_of(row));
  const auto add_sections = [&](bool first) {
    for (const auto& each : sections)
      if (!each.title.empty() && (each.title == "What it is" || each.title == "Equations") == first)
        out += fmt::format("\n{}\n\n{}", each.title, each.text);
  };
  add_sections(true);
  out += "\nKeys\n\n" + keys_text(keys_of(row));
  const auto add = [&](const char* title, const std::vector<std::vector<std::string>>& rows) {
    if (!rows.empty()) out += fmt::format("\n{}\n\n{}", title, lined_up(rows, "  "));
  };
  add("States, with the models of the scenario below", quantities(shown.card().states));
  add("Outputs", quantities(shown.card().outputs));
  add("Inputs", quantities(shown.card().inputs));
  if (!shown.events.empty())
    out += fmt::format("\nEvents, with the same models: {}\n", fmt::join(shown.events, ", "));
  std::vector<std::vector<std::string>> methods_of;
  for (const method_row* each : methods()) {
    const std::string why = why_not(*shown.s.system, *each);
    const bool is_default = each == &default_method(*shown.s.system);
    methods_of.push_back({each->name, !why.empty() ? "no: " + why
                                      : is_default ? "default"
                                                   : "yes"});
  }
  add("Methods, with the same models", methods_of);
  add_sections(false);
  return out;
}

json system_json(const system_row& row) {
  const shown_system shown(row);
  json result{{"system", row.name}, {"what", row.what}};
  result["keys"] = keys_json(keys_of(row));
  result["states"] = quantities_json(shown.card().states);
  result["outputs"] = quantities_json(shown.card().outputs);
  result["inputs"] = quantities_json(shown.card().inputs);
  result["events"] = shown.events;
  result["methods"] = json::array();
  for (const method_row* each : methods()) {
    const std::string why = why_not(*shown.s.system, *each);
    result["methods"].push_back({{"method", each->name},
                                 {"fits", why.empty()},
                                 {"is_default", each == &default_method(*shown.s.system)},
                                 {"why_not", why}});
  }
  result["scenario"] = example_of(row);
  result["page"] = std::string(page_of(row));
  return result;
}

}  // namespace asperity::cli
