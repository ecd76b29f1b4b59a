// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <memory>

#include "commands.hpp"
#include "model_json.hpp"

namespace asperity::cli {

namespace {

int list_models(const std::string& family, bool as_json) {
  std::vector<std::string> families;
  for (const catalogue_entry* entry : catalogue())
    if (std::find(families.begin(), families.end(), entry->family) == families.end())
      families.push_back(entry->family);
  if (!family.empty() && std::find(families.begin(), families.end(), family) == families.end())
    throw error(fmt::format("--family {}: there is no such family; there are: {}", family,
                            fmt::join(families, ", ")));

  nlohmann::ordered_json listed = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows{{"model", "family", "title", "claims"}};
  for (const catalogue_entry* entry : catalogue()) {
    if (!family.empty() && entry->family != family) continue;
    const auto card = any_model(*entry).describe();
    listed.push_back(model_json(*entry, false));
    rows.push_back({entry->key, entry->family, card.title,
                    fmt::format("{}", fmt::join(claim_names(card.claims), ", "))});
  }
  print(as_json ? listed.dump(2) + "\n" : lined_up(rows));
  return success;
}

}  // namespace

void add_models(CLI::App& app, action& run) {
  auto* command = app.add_subcommand("models", "List the models");
  const auto family = std::make_shared<std::string>();
  const auto as_json = std::make_shared<bool>(false);
  command->add_option("--family", *family, "Only this family: curve, friction, contact ...");
  command->add_flag("--json", *as_json, "For programs: everything on the cards");
  command->footer(R"(Examples:
  asperity models
  asperity models --family contact
  asperity models --json)");
  command->callback([=, &run] { run = [=] { return list_models(*family, *as_json); }; });
}

}  // namespace asperity::cli
