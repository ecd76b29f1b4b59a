// SPDX-License-Identifier: Apache-2.0
#include <asperity/mechanics/system_row.hpp>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

listing list_systems() {
  listing result{{{"system", "what it is"}}};
  for (const system_row* each : systems()) {
    result.rows.push_back({each->name, each->what});
    result.list.push_back({{"system", each->name}, {"what", each->what}});
  }
  result.note =
      "\nWrite [system] kind = \"mass_on_belt\" into a scenario; `asperity show mass_on_belt` has "
      "its keys, its equations and a\nscenario that runs as it stands.\n";
  return result;
}

}  // namespace

void add_systems(CLI::App& app, action& run) {
  add_list(app, run, "systems", "List the systems that a scenario can name", R"(Examples:
  asperity systems
  asperity show mass_on_belt)",
           list_systems);
}

}  // namespace asperity::cli
