// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <nlohmann/json.hpp>

namespace asperity::cli {

// A bound for programs: null where there is none.
nlohmann::ordered_json bound(double value);

// Names and units, as columns and for programs.
template <class List>
std::vector<std::vector<std::string>> quantities(const List& list) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& each : list) rows.push_back({each.name, to_string(each.in)});
  return rows;
}
template <class List>
nlohmann::ordered_json quantities_json(const List& list) {
  auto result = nlohmann::ordered_json::array();
  for (const auto& each : list)
    result.push_back({{"name", each.name}, {"unit", to_string(each.in)}});
  return result;
}

// A model's card.
nlohmann::ordered_json model_json(const catalogue_entry& entry, bool with_page,
                                  std::string_view curve = {});

// Keys for people, in lined-up columns, and for programs.
std::string keys_text(const std::vector<key_entry>&);
nlohmann::ordered_json keys_json(const std::vector<key_entry>&);

// A system: keys, and what the scenario on its page has of states, outputs, inputs, events and
// methods.
std::string system_text(const system_row&);
nlohmann::ordered_json system_json(const system_row&);

}  // namespace asperity::cli
