// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/json_text.hpp>
#include <asperity/publish/site.hpp>
#include <asperity/run/memory.hpp>
#include <asperity/text.hpp>
#include <memory>
#include <optional>
#include <thread>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

struct reproduce_arguments {
  std::vector<std::string> ids;
  std::string folder, out, json, compare, lab;
  unsigned jobs = 0;
  limit_arguments limits;
  bool series = false;
};

int reproduce(reproduce_arguments given) {
  const std::string folder = experiments_folder(given.folder);
  const auto ids = choose_experiments(folder, given.ids);
  if (given.series && given.out.empty()) throw error("--series needs --out FOLDER");
  if (!given.lab.empty() && given.out.empty()) throw error("--lab needs --out FOLDER");
  // A file that is not a report is refused before anything runs.
  if (!given.compare.empty()) {
    given.compare = input_name(given.compare);
    (void)compare_with(given.compare, {}, {});
  }
  std::optional<report_site> site;
  perform_options options;
  options.threads = given.jobs > 0 ? given.jobs : std::max(1U, std::thread::hardware_concurrency());
  options.limits.interrupt = &interrupted();
  options.limits.time_limit = time_limit_of(given.limits);
  const double memory = memory_limit_of(given.limits);
  options.limits.memory_limit = memory > 0 ? memory : free_memory() / options.threads;
  if (!given.out.empty()) site.emplace(given.out, ids, given.series, &interrupted(), given.lab);
  options.audits = site.has_value();
  options.digest = [&](experiment_result& result) {
    if (site) site->add(result);
    result.data.clear();
  };
  std::vector<experiment_result> results;
  {
    progress_bar bar(true);
    options.done = [&](std::size_t finished) {
      bar.show(static_cast<double>(finished) / static_cast<double>(ids.size()));
    };
    results = perform_all(folder, ids, options);
  }
  const bool is_cut = results.size() < ids.size();
  if (is_cut && results.empty()) {
    complain(fmt::format("interrupted: none of {} experiments finished; nothing was written",
                         ids.size()));
    return was_interrupted;
  }
  // Files first: whoever reads the table may stop reading.
  const bool json_to_output = given.json == "-";
  if (!given.json.empty() && !json_to_output) write_file(given.json, report_json(results));
  if (site)
    for (const auto& message : site->finish(results)) warn(message);
  if (json_to_output) {
    print(report_json(results));
  } else {
    print_verdicts(table_text(results));
  }

  const verdict_counts n = count(results);
  if (!json_to_output) {
    print(summary_text(results));
    if (site) print(fmt::format("the report is {}/index.html\n", given.out));
  }
  bool changed = false;
  if (!given.compare.empty()) {
    // Of what was not asked for, or not finished, nothing is said.
    std::vector<std::string> asked;
    if (!given.ids.empty() || is_cut)
      for (const auto& each : results) asked.push_back(each.what.id);
    const report_changes changes = compare_with(given.compare, asked, results);
    changed = !changes.empty();
    const std::string text = to_string(changes, given.compare);
    if (json_to_output) {
      say(printable(text));
    } else {
      print(text);
    }
  }
  if (is_cut) {
    complain(fmt::format("interrupted: {} of {} experiments finished{}", results.size(), ids.size(),
                         site ? "; the report has only these" : ""));
    return was_interrupted;
  }
  if (n.failed > 0) return numerical_failure;
  return changed ? differs : success;
}

}  // namespace

void add_reproduce(CLI::App& app, action& run) {
  auto* command = app.add_subcommand(
      "reproduce", "Reproduce published experiments and check the claims of their sources");
  const auto given = std::make_shared<reproduce_arguments>();
  command->add_option("ID", given->ids,
                      "Experiments to run, by the figures that they reproduce, such as "
                      "xiong_2013/fig_3_4, or a whole source such as xiong_2013 (default: all)");
  command
      ->add_option("--out", given->out,
                   "Write a report to this folder, as a static web site; open its index.html")
      ->type_name("FOLDER");
  command->add_flag("--series", given->series,
                    "Also write the series of all runs into the report, as CSV");
  add_option(*command, "--lab ADDRESS", given->lab,
             "Link each experiment of the report to the lab at this address, relative to the "
             "folder of the report");
  command
      ->add_option("--compare", given->compare,
                   "Show the changes since an earlier run; FILE is its report.json, or the file "
                   "that --json wrote")
      ->type_name("FILE");
  command
      ->add_option("--json", given->json,
                   "Write every claim to FILE, with the value of the source, the computed value, "
                   "the tolerance and the verdict (default: standard output)")
      ->type_name("FILE")
      ->expected(0, 1)
      ->default_str("-");
  command->add_option("--jobs", given->jobs, "Number of threads (default: one per core)")
      ->check(CLI::Range(1U, 1024U));
  add_limit_options(*command, given->limits);
  add_experiments_folder(*command, given->folder);
  command->footer(
      R"(Each claim is judged with the step of the source and on a converged run. A claim that the
parameters of the source cannot meet names the erratum and counts as explained. JSON and report are
byte-identical for any number of threads.

Exit codes: 0 all claims hold (with --compare: and nothing changed), 1 a claim fails, 2 bad input, 3 all claims hold, but
something changed since the run compared with, 130 interrupted.

Examples:
  asperity reproduce --out report
  asperity reproduce xiong_2013/fig_3_4
  asperity reproduce --json claims.json
  asperity reproduce --compare claims.json)");
  command->callback([=, &run] {
    if (command->count("--json") > 0 && given->json.empty()) given->json = "-";
    run = [=] { return reproduce(*given); };
  });
}

}  // namespace asperity::cli
