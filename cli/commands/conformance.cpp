// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/publish/conformance.hpp>
#include <asperity/text/pending_folder.hpp>
#include <memory>
#include <thread>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

struct conformance_arguments {
  std::vector<std::string> names, models, measured;
  std::string out, folder;
  unsigned jobs = 0;
  bool as_json = false, quiet = false, only_measured = false;
};

int run_cards(const conformance_arguments& given) {
  if (given.only_measured && given.measured.empty())
    throw error("--only-measured: there is nothing to judge: also give --measured FILE");
  if (given.only_measured && !given.models.empty())
    throw error(
        "--only-measured leaves out all models, but --model names one: give only one of the two");
  const auto cards = read_conformance_cards(conformance_folder(given.folder), given.names);
  std::vector<conformance_subject> subjects, others;
  for (const auto& file : given.measured)
    for (auto& each : read_measured(cards, input_name(file))) others.push_back(std::move(each));
  if (!given.out.empty()) pending_folder::check(given.out);
  if (!given.only_measured) {
    progress_bar bar(!given.quiet);
    conformance_options options;
    options.threads =
        given.jobs > 0 ? given.jobs : std::max(1U, std::thread::hardware_concurrency());
    options.interrupt = &interrupted();
    options.progress = [&](double share) { bar.show(share); };
    try {
      subjects = run_conformance(cards, given.models, options);
    } catch (const interruption&) {
      complain("interrupted; nothing was written");
      return was_interrupted;
    }
  }
  std::move(others.begin(), others.end(), std::back_inserter(subjects));
  // Files first: whoever reads the table may stop reading.
  if (!given.out.empty())
    for (const auto& message : write_conformance_page(given.out, cards, subjects, &interrupted()))
      warn(message);
  if (given.as_json) {
    print(conformance_json(cards, subjects));
  } else if (!given.quiet) {
    print_verdicts(conformance_table(cards, subjects));
    if (!given.out.empty()) print(fmt::format("the page is {}/index.html\n", given.out));
  }
  for (const auto& each : subjects)
    for (const auto& r : each.results)
      if (r.verdict == conformance_verdict::failed) return numerical_failure;
  return success;
}

}  // namespace

void add_conformance(CLI::App& app, action& run) {
  auto* command = app.add_subcommand(
      "conformance",
      "Test models, and other simulators, with standard cases of friction and contact");
  const auto given = std::make_shared<conformance_arguments>();
  command->add_option("CARD", given->names,
                      "Cards to run, by name, such as hold_for_an_hour (default: all)");
  add_repeated(*command, "--model NAME", given->models,
               "Model to run, by name; may be repeated (default: every model of the catalogue to "
               "which a card applies)");
  add_repeated(*command, "--measured FILE", given->measured,
               "JSON file with the results of another simulator, to be judged by the same cards; "
               "may be repeated");
  command->add_flag("--only-measured", given->only_measured,
                    "Judge only the files of --measured, and run no model");
  add_option(*command, "--out FOLDER", given->out,
             "Folder for index.html with a plot for each card, conformance.json and matrix.md");
  add_option(*command, "--cards FOLDER", given->folder,
             "Folder with the cards (default: the one installed with asperity)");
  command->add_option("--jobs", given->jobs, "Number of threads (default: one per core)")
      ->check(CLI::Range(1U, 1024U));
  command->add_flag("--json", given->as_json, "Print JSON for programs, in SI units");
  command->add_flag("--quiet", given->quiet, "Print neither the table nor progress");
  command->footer(
      R"help(A card is a test that any simulator can run: conformance/NAME.toml says what is done,
what is measured, what the result must be, and two ways in which that is known. Every model runs
with its default parameters; nothing is tuned. "NOT MET" means that a model does not do what the
card asks for. It may follow from the law itself: LuGre friction drifts. If a card does not apply to
a model, the reason is printed below the table.

Exit codes: 0 all runs completed, whatever the verdicts; 1 a run failed; 2 bad input; 130 interrupted.

Examples:
  asperity conformance
  asperity conformance hold_for_an_hour drift_under_vibration --model dai --model lugre
  asperity conformance --out cards
  asperity conformance --only-measured --measured mujoco.json)help");
  command->callback([=, &run] { run = [=] { return run_cards(*given); }; });
}

}  // namespace asperity::cli
