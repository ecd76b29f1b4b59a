// SPDX-License-Identifier: Apache-2.0
#pragma once

// The cards of models and systems for programs, as `asperity show --json` prints them. The page in the
// browser is built from the same texts, so nothing here needs the command line.

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/run/scenario.hpp>
#include <nlohmann/json.hpp>

namespace asperity::cli {

// A number for programs: null where there is none, as of a bound that is infinite.
nlohmann::ordered_json number_or_null(double value);

// Names and units.
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
std::vector<std::string> curves_of(const catalogue_entry& entry);
bool has_closed_form_step(const any_model& model);

nlohmann::ordered_json keys_json(const std::vector<key_entry>&);
const char* word_for(key_entry::kind);
bool has_unit(const key_entry&);

// A system: keys, and what the scenario on its page has of states, outputs, inputs, events and
// methods.
nlohmann::ordered_json system_json(const system_row&);

// What the scenario on the page makes of it.
struct shown_system {
  scenario s;
  std::vector<std::string> events;

  explicit shown_system(const system_row& row);
  const system_card& card() const { return s.system->card(); }
};

}  // namespace asperity::cli
