// SPDX-License-Identifier: Apache-2.0
#include <asperity/json_text.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

int list_systems(bool as_json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows{{"system", "what it is"}};
  for (const system_row* each : systems()) {
    rows.push_back({each->name, each->what});
    list.push_back({{"system", each->name}, {"what", each->what}});
  }
  if (as_json) {
    print(json_text(list));
    return success;
  }
  print(lined_up(rows));
  print(
      "\nWrite [system] kind = \"mass_on_belt\" into a scenario; `asperity show mass_on_belt` has "
      "its keys, its equations and a\nscenario that runs as it stands.\n");
  return success;
}

}  // namespace

void add_systems(CLI::App& app, action& run) {
  auto* command = app.add_subcommand("systems", "List the systems that a scenario can name");
  const auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "Print JSON for programs");
  command->footer(R"(Examples:
  asperity systems
  asperity show mass_on_belt)");
  command->callback([=, &run] { run = [=] { return list_systems(*as_json); }; });
}

}  // namespace asperity::cli
