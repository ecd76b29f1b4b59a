// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/analysis/properties.hpp>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/json_text.hpp>
#include <asperity/text.hpp>
#include <memory>

#include "cli/commands.hpp"
#include "cli/entry_card.hpp"

namespace asperity::cli {

namespace {

int list_models(const std::string& family, bool as_json) {
  std::vector<std::string> families;
  const auto has = [&](const std::string& name) {
    return std::find(families.begin(), families.end(), name) != families.end();
  };
  for (const catalogue_entry* entry : catalogue())
    if (!has(entry->family)) families.push_back(entry->family);
  if (!family.empty() && !has(family))
    throw error(fmt::format("--family {}: unknown family: {}", shortened(family),
                            nearest_names(family, families)));

  nlohmann::ordered_json listed = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows{{"model", "family", "title", "claims"}};
  for (const catalogue_entry* entry : catalogue()) {
    if (!family.empty() && entry->family != family) continue;
    const auto card = any_model(*entry).describe();
    listed.push_back(model_json(*entry, false));
    rows.push_back({entry->key, entry->family, card.title,
                    fmt::format("{}", fmt::join(claim_names(card.claims), ", "))});
  }
  print(as_json ? json_text(listed) : lined_up(rows));
  return success;
}

// What models do, found by running them: those named, or all that can be asked.
int list_properties(const std::string& family, const std::vector<std::string>& names,
                    bool as_json) {
  std::vector<const catalogue_entry*> wanted;
  wanted.reserve(names.size());
  for (const auto& name : names) wanted.push_back(&find_model(name));
  for (const catalogue_entry* entry : catalogue())
    if (names.empty() && entry->at->is_sliding() && (family.empty() || entry->family == family))
      wanted.push_back(entry);
  if (wanted.empty())
    throw error(fmt::format(
        "--family {}: --properties works for the families friction and curve only", family));

  const auto yes = [](bool answer) { return std::string(answer ? "yes" : "no"); };
  nlohmann::ordered_json listed = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows{{"model", "rate-dependent", "memory", "continuous",
                                              "stiction", "drift", "Stribeck", "presliding", "lag",
                                              "stick-slip"}};
  bool stopped = false;
  for (const catalogue_entry* entry : wanted) {
    model_properties p;
    try {
      p = properties_of(any_model(*entry), 0.01, &interrupted());
    } catch (const interruption&) {
      stopped = true;
      break;
    }
    listed.push_back({{"model", entry->key},
                      {"rate_dependent", p.rate_dependent},
                      {"memory", to_string(p.memory)},
                      {"continuous", p.continuous},
                      {"stiction", p.stiction},
                      {"drift", p.drift},
                      {"stribeck", p.stribeck},
                      {"presliding", p.presliding},
                      {"lag", p.lag},
                      {"stick_slip", p.stick_slip}});
    rows.push_back({entry->key, yes(p.rate_dependent), to_string(p.memory), yes(p.continuous),
                    yes(p.stiction), yes(p.drift), yes(p.stribeck), yes(p.presliding), yes(p.lag),
                    yes(p.stick_slip)});
  }
  print(as_json ? json_text(listed) : lined_up(rows));
  if (stopped) {
    complain(
        fmt::format("interrupted: {} of {} models were examined", listed.size(), wanted.size()));
    return was_interrupted;
  }
  return success;
}

}  // namespace

void add_models(CLI::App& app, action& run) {
  auto* command = app.add_subcommand("models", "List the models");
  const auto family = std::make_shared<std::string>();
  const auto as_json = std::make_shared<bool>(false);
  command->add_option("--family", *family, "List only this family: curve, friction, contact ...");
  command->add_flag("--json", *as_json, "Print JSON for programs, with everything on the cards");
  const auto properties = std::make_shared<bool>(false);
  const auto names = std::make_shared<std::vector<std::string>>();
  command->add_flag("--properties", *properties,
                    "List the properties of friction models, found by running them");
  command->add_option("MODEL", *names, "Models to examine, with --properties (default: all)");
  command->footer(R"(Examples:
  asperity models
  asperity models --properties lugre dai
  asperity models --family contact
  asperity models --json)");
  command->callback([=, &run] {
    run = [=] {
      if (!names->empty() && !*properties)
        throw error(fmt::format(
            "names of models need --properties; `asperity show {0}` shows the model {0}",
            names->front()));
      return *properties ? list_properties(*family, *names, *as_json)
                         : list_models(*family, *as_json);
    };
  });
}

}  // namespace asperity::cli
