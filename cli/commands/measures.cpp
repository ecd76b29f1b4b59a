// SPDX-License-Identifier: Apache-2.0
#include <asperity/json_text.hpp>
#include <asperity/run/measure.hpp>
#include <asperity/sweep/plan.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

int list_measures(bool as_json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows{{"measure", "unit", "meaning"}};
  const auto add = [&](const char* word, const char* in, const char* meaning, bool in_claims) {
    rows.push_back({word, in, meaning});
    list.push_back({{"measure", word}, {"unit", in}, {"meaning", meaning}, {"claims", in_claims}});
  };
  for (const measure_row* each : measures()) add(each->word, each->in, each->meaning, true);
  for (const auto& each : sweep_only_measures()) add(each.word, each.in, each.meaning, false);
  if (as_json) {
    print(json_text(list));
    return success;
  }
  print(lined_up(rows));
  print(
      "\nWrite maximum(f), peak(x, n=2, prominence=0.1), events(stick), loop_area(f, over=x, "
      "cycle=last); from= and to= choose a\nstretch of time. Settled: over the second half of the "
      "run unless from= says otherwise. The last three are for sweeps alone.\n");
  return success;
}

}  // namespace

void add_measures(CLI::App& app, action& run) {
  auto* command =
      app.add_subcommand("measures", "List the numbers that can be taken from a run, with units");
  const auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "Print JSON for programs");
  command->footer(R"(Examples:
  asperity measures
  asperity sweep examples/stick_slip.toml --over speed=0.05,0.1 --measure 'maximum(f)')");
  command->callback([=, &run] { run = [=] { return list_measures(*as_json); }; });
}

}  // namespace asperity::cli
