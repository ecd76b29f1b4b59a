// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/publish/mutants.hpp>
#include <asperity/run/memory.hpp>
#include <memory>
#include <thread>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

struct mutants_arguments {
  std::vector<std::string> ids;
  std::string folder;
  unsigned jobs = 0;
  std::size_t exchanges = 4;
  limit_arguments limits;
  bool json = false, all = false;
};

int try_all(const mutants_arguments& given) {
  const std::string folder = experiments_folder(given.folder);
  const auto ids = choose_experiments(folder, given.ids);
  mutant_options options;
  options.threads = given.jobs > 0 ? given.jobs : std::max(1U, std::thread::hardware_concurrency());
  options.exchanges = given.exchanges;
  options.limits.interrupt = &interrupted();
  options.limits.time_limit = given.limits.time.empty() ? 120 : time_limit_of(given.limits);
  const double memory = memory_limit_of(given.limits);
  options.limits.memory_limit = memory > 0 ? memory : free_memory() / options.threads;
  std::vector<experiment_mutants> results;
  {
    progress_bar bar(true);
    options.done = [&](std::size_t finished, std::size_t all) {
      bar.show(static_cast<double>(finished) / static_cast<double>(all));
    };
    results = try_mutants(folder, ids, options);
  }
  if (!results.empty())
    print(given.json ? mutants_json(results) : mutants_text(results, given.all));
  if (results.size() < ids.size()) {
    complain(fmt::format("interrupted: {} of {} experiments finished", results.size(), ids.size()));
    return was_interrupted;
  }
  return open_mutants(results) > 0 ? numerical_failure : success;
}

}  // namespace

void add_mutants(CLI::App& app, action& run) {
  auto* command = app.add_subcommand(
      "mutants", "Run experiments with deliberate errors, and see whether a claim detects them");
  const auto given = std::make_shared<mutants_arguments>();
  command->add_option("ID", given->ids,
                      "Experiments, such as xiong_2013/fig_3_4, or a whole source such as "
                      "xiong_2013 (default: all)");
  command->add_flag("--all", given->all, "List every mutant with the claim that detects it");
  command->add_flag("--json", given->json, "Print JSON for programs");
  command
      ->add_option("--exchanges", given->exchanges,
                   "Number of other laws to try in place of each law")
      ->capture_default_str()
      ->check(CLI::Range(0U, 100U));
  command->add_option("--jobs", given->jobs, "Number of threads (default: one per core)")
      ->check(CLI::Range(1U, 1024U));
  add_limit_options(*command, given->limits);
  command->get_option("--time-limit")
      ->description(
          "Stop each run after this wall-clock time, such as 60 (seconds) or \"10 min\" (default: "
          "120 s)");
  add_experiments_folder(*command, given->folder);
  command->footer(
      R"(A mutant is an experiment with one error: another law of the same family, a term removed
through its parameter, a number changed by 10 %. It is detected if a claim that was met fails, or if
the mutant is refused. If no claim can detect a mutant, the file of the experiment gives the reason:

  [[unnoticed]]
  mutants = ["friction.k +10 %", "friction.k -10 %"]
  reason = "..."

Exit codes: 0 all are detected or explained, 1 some are not, or a reason is stale, 2 bad input, 130 interrupted.

Examples:
  asperity mutants drincic_2012/fig_4_4
  asperity mutants --json)");
  command->callback([=, &run] { run = [=] { return try_all(*given); }; });
}

}  // namespace asperity::cli
