// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/integrate/method.hpp>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

listing list_methods() {
  listing result{{{"method", "order", "step", "needs", "meaning"}}};
  for (const method_row* each : methods()) {
    const char* why_absent = each->why_absent != nullptr ? each->why_absent() : nullptr;
    const std::string step = each->needs == method_needs::memory ? "either"
                             : each->is_fixed                    ? "fixed"
                                                                 : "adaptive";
    const std::string absent = why_absent != nullptr ? fmt::format(" ({})", why_absent) : "";
    const std::string order = each->order > 0 ? fmt::format("{}", each->order) : "none";
    result.rows.push_back(
        {each->name, order, step, to_string(each->needs), each->meaning + absent});
    result.list.push_back({{"method", each->name},
                           {"order", each->order},
                           {"step", step},
                           {"needs", to_string(each->needs)},
                           {"meaning", each->meaning},
                           {"holds_at_rest", each->holds_at_rest},
                           {"available", why_absent == nullptr}});
  }
  result.note =
      "\nWrite [integrator] method = \"rk4\" into a scenario, or --set integrator.method=rk4. "
      "Without it a suitable method\nis chosen for the system; a method that cannot run it is "
      "refused with the reason. Methods of fixed step need integrator.step.\n";
  return result;
}

}  // namespace

void add_methods(CLI::App& app, action& run) {
  add_list(app, run, "methods", "List the integration methods", R"(Examples:
  asperity methods
  asperity run examples/stick_slip.toml --set integrator.method=dopri5)",
           list_methods);
}

}  // namespace asperity::cli
