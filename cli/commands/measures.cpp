// SPDX-License-Identifier: Apache-2.0
#include <asperity/run/measure.hpp>
#include <asperity/sweep/plan.hpp>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

listing list_measures() {
  listing result{{{"measure", "unit", "meaning"}}};
  const auto add = [&](const char* word, const char* in, const char* meaning, bool in_claims) {
    result.rows.push_back({word, in, meaning});
    result.list.push_back(
        {{"measure", word}, {"unit", in}, {"meaning", meaning}, {"claims", in_claims}});
  };
  for (const measure_row* each : measures()) add(each->word, each->in, each->meaning, true);
  for (const auto& each : sweep_only_measures()) add(each.word, each.in, each.meaning, false);
  result.note =
      "\nWrite maximum(f), peak(x, n=2, prominence=0.1), events(stick), loop_area(f, over=x, "
      "cycle=last); from= and to= choose a\nstretch of time. Settled: over the second half of the "
      "run unless from= says otherwise. The last three work in sweeps only.\n";
  return result;
}

}  // namespace

void add_measures(CLI::App& app, action& run) {
  add_list(app, run, "measures", "List the measures that can be taken from a run, with their units",
           R"(Examples:
  asperity measures
  asperity sweep examples/stick_slip.toml --over speed=0.05,0.1 --measure 'maximum(f)')",
           list_measures);
}

}  // namespace asperity::cli
