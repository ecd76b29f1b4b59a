// SPDX-License-Identifier: Apache-2.0
#include "cli/card_json.hpp"

#include <algorithm>
#include <cmath>

namespace asperity::cli {

namespace {

using json = nlohmann::ordered_json;
using kind = key_entry::kind;

json states_json(const card<double>& card) {
  json result = json::array();
  for (const auto& s : card.states)
    result.push_back({{"name", s.name},
                      {"unit", to_string(s.in)},
                      {"minimum", number_or_null(s.allowed.lower)},
                      {"minimum_is_excluded", s.allowed.open_below},
                      {"maximum", number_or_null(s.allowed.upper)},
                      {"is_whole", s.allowed.whole},
                      {"is_list", s.is_list},
                      {"meaning", s.meaning}});
  return result;
}

json parameter_json(const card<double>::parameter_entry& p, const std::vector<double>& values) {
  json one = json::object();
  one["name"] = p.name;
  one["unit"] = to_string(p.in);
  one["default"] = p.is_list          ? json(values)
                   : !p.words.empty() ? json(p.words.at(static_cast<std::size_t>(values.front())))
                                      : json(values.front());
  if (!p.words.empty()) one["words"] = p.words;
  one["minimum"] = number_or_null(p.allowed.lower);
  one["minimum_is_excluded"] = p.allowed.open_below;
  one["maximum"] = number_or_null(p.allowed.upper);
  one["is_list"] = p.is_list;
  one["is_count"] = p.count != nullptr;
  one["meaning"] = p.meaning;
  return one;
}

}  // namespace

shown_system::shown_system(const system_row& row)
    : s(read_scenario(parse_toml(example_of(row), row.name), row.name, "")) {
  const auto work = s.system->new_workspace();
  work->setting = s;
  for (const event& each : s.system->events(*work))
    if (!each.name.empty() && std::find(events.begin(), events.end(), each.name) == events.end())
      events.push_back(each.name);
}

json number_or_null(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

const char* word_for(key_entry::kind is) {
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

std::vector<std::string> curves_of(const catalogue_entry& entry) {
  std::vector<std::string> names;
  for (const auto& variant : entry.variants)
    if (!variant.curve.empty()) names.push_back(variant.curve);
  return names;
}

// What is built of its keys is solved, not written down.
bool has_closed_form_step(const any_model& model) {
  return model.has_implicit_step() && model.functions().build == nullptr;
}

json model_json(const catalogue_entry& entry, bool with_page, std::string_view curve) {
  const any_model model(entry, curve);
  const auto card = model.describe();
  json result = json::object();
  result["model"] = entry.key;
  result["family"] = entry.family;
  result["port"] = {{"name", entry.at->name},
                    {"inputs", quantities_json(entry.at->inputs)},
                    {"outputs", quantities_json(entry.at->outputs)}};
  result["title"] = card.title;
  result["source"] = card.source;
  result["claims"] = claim_names(card.claims);
  result["curves"] = curves_of(entry);
  if (!model.curve().empty()) result["curve"] = model.curve();
  result["closed_form_step"] = has_closed_form_step(model);
  result["parameters"] = json::array();
  for (const auto& p : card.parameters)
    result["parameters"].push_back(parameter_json(p, model.get(p.name)));
  result["states"] = states_json(card);
  result["outputs"] = json::array();
  for (const auto& each : card.outputs)
    result["outputs"].push_back(
        {{"name", each.name}, {"unit", to_string(each.in)}, {"meaning", each.meaning}});
  if (with_page) result["page"] = entry.page;
  return result;
}

json keys_json(const std::vector<key_entry>& keys) {
  json result = json::array();
  for (const key_entry& key : keys) {
    json one{{"table", key.table}, {"key", key.name}, {"kind", word_for(key.is)}};
    if (has_unit(key)) one["unit"] = to_string(key.in);
    one["required"] = key.required;
    if (!key.required) one["default"] = key.otherwise;
    if (key.is == kind::number || key.is == kind::numbers || key.is == kind::whole) {
      one["minimum"] = number_or_null(key.allowed.lower);
      one["minimum_is_excluded"] = key.allowed.open_below;
      one["maximum"] = number_or_null(key.allowed.upper);
    }
    if (!key.words.empty()) one[key.is == kind::model ? "families" : "words"] = key.words;
    one["meaning"] = key.meaning;
    result.push_back(one);
  }
  return result;
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
