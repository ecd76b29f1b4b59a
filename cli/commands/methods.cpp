// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/integrate/method.hpp>
#include <asperity/json_text.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

int list_methods(bool as_json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows{{"method", "order", "step", "needs", "meaning"}};
  for (const method_row* each : methods()) {
    const char* why_absent = each->why_absent != nullptr ? each->why_absent() : nullptr;
    const std::string step = each->needs == method_needs::memory ? "either"
                             : each->is_fixed                    ? "fixed"
                                                                 : "adaptive";
    const std::string absent = why_absent != nullptr ? fmt::format(" ({})", why_absent) : "";
    rows.push_back({each->name, fmt::format("{}", each->order), step, to_string(each->needs),
                    each->meaning + absent});
    list.push_back({{"method", each->name},
                    {"order", each->order},
                    {"step", step},
                    {"needs", to_string(each->needs)},
                    {"meaning", each->meaning},
                    {"holds_at_rest", each->holds_at_rest},
                    {"available", why_absent == nullptr}});
  }
  if (as_json) {
    print(json_text(list));
    return success;
  }
  print(lined_up(rows));
  print(
      "\nWrite [integrator] method = \"rk4\" into a scenario, or --set integrator.method=rk4. "
      "Without it a system takes the method\nthat suits it; a method that cannot run it is refused "
      "with the reason. Methods of fixed step need integrator.step.\n");
  return success;
}

}  // namespace

void add_methods(CLI::App& app, action& run) {
  auto* command = app.add_subcommand("methods", "List the methods of integration");
  const auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "Print JSON for programs");
  command->footer(R"(Examples:
  asperity methods
  asperity run examples/stick_slip.toml --set integrator.method=dopri5)");
  command->callback([=, &run] { run = [=] { return list_methods(*as_json); }; });
}

}  // namespace asperity::cli
