// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/scenario/pending_folder.hpp>
#include <asperity/scenario/report.hpp>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "commands.hpp"

namespace asperity::cli {

namespace {

struct reproduce_arguments {
  std::vector<std::string> ids;
  std::string folder, out, json;
  unsigned jobs = 0;
  bool as_json = false;
};

// Written beside its place and moved there, so that a reader never sees half of it.
void write_file(const std::string& file, const std::string& text) {
  const std::string pending = file + ".part";
  {
    std::ofstream out(pending, std::ios::binary);
    out << text;
    out.flush();
    if (!out) throw error(fmt::format("cannot write {}", file));
  }
  std::filesystem::rename(pending, file);
}

// "xiong_2013" stands for all of its figures.
std::vector<std::string> chosen_ids(const std::string& folder,
                                    const std::vector<std::string>& wanted) {
  const auto all = list_experiments(folder);
  if (wanted.empty()) return all;
  std::vector<std::string> chosen;
  for (const auto& name : wanted) {
    const std::size_t before = chosen.size();
    for (const auto& id : all)
      if (id == name || id.starts_with(name + "/")) chosen.push_back(id);
    if (chosen.size() == before)
      throw error(fmt::format("unknown experiment '{}': {}", name, suggest(name, all)));
  }
  return chosen;
}

int list_all(const reproduce_arguments& given) {
  const std::string folder = experiments_folder(given.folder);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows;
  for (const auto& id : list_experiments(folder)) {
    const experiment each = read_experiment(folder, id);
    rows.push_back({id, fmt::format("{} claims", each.claims.size()), each.title});
    list.push_back({{"id", id},
                    {"title", each.title},
                    {"source", each.source},
                    {"figures", each.figures},
                    {"claims", each.claims.size()}});
  }
  print(given.as_json ? list.dump(2) + "\n" : lined_up(rows));
  return success;
}

int reproduce(const reproduce_arguments& given) {
  const std::string folder = experiments_folder(given.folder);
  const auto ids = chosen_ids(folder, given.ids);
  if (!given.out.empty()) pending_folder::check(given.out);

  const unsigned threads =
      given.jobs > 0 ? given.jobs : std::max(1U, std::thread::hardware_concurrency());
  std::vector<experiment_result> results;
  {
    progress_bar bar(true);
    results = perform_all(folder, ids, threads, &interrupted(),
                          [&](const experiment_result&, std::size_t finished) {
                            bar.show(static_cast<double>(finished) / ids.size());
                          });
  }
  const bool json_to_output = given.json == "-";
  if (!json_to_output) print(table_text(results));
  if (json_to_output) print(report_json(results));
  if (!given.json.empty() && !json_to_output) write_file(given.json, report_json(results));
  if (!given.out.empty())
    for (const auto& message : write_report(results, given.out)) warn(message);

  const verdict_counts n = count(results);
  const std::string summary = fmt::format(
      "{} experiments: {} claims met, {} failed, {} explained by an erratum, {} "
      "skipped{}\n",
      results.size(), n.met, n.failed, n.explained, n.skipped,
      given.out.empty() ? "" : fmt::format("; report in {}/index.html", given.out));
  if (!json_to_output) print(summary);
  if (results.size() < ids.size()) {
    complain(fmt::format("interrupted: {} of {} experiments finished", results.size(), ids.size()));
    return was_interrupted;
  }
  return n.failed == 0 ? success : numerical_failure;
}

void add_folder(CLI::App& command, reproduce_arguments& given) {
  command
      .add_option("--experiments", given.folder,
                  "Folder of the experiments (default: those that came with asperity)")
      ->type_name("FOLDER");
}

}  // namespace

void add_experiments(CLI::App& app, action& run) {
  auto* command = app.add_subcommand("experiments", "List the published experiments");
  const auto given = std::make_shared<reproduce_arguments>();
  command->add_flag("--json", given->as_json, "As JSON");
  add_folder(*command, *given);
  command->callback([=, &run] { run = [=] { return list_all(*given); }; });
}

void add_reproduce(CLI::App& app, action& run) {
  auto* command = app.add_subcommand(
      "reproduce", "Run published experiments again and judge what their sources claim");
  const auto given = std::make_shared<reproduce_arguments>();
  command->add_option("ID", given->ids,
                      "Experiments, such as xiong_2013/fig_3_4, or a source (default: all)");
  command->add_option("--out", given->out, "Write a report with plots to this folder")
      ->type_name("FOLDER");
  command
      ->add_option("--json", given->json,
                   "Write every claim with the source's value, ours, the tolerance and the "
                   "verdict; without FILE to standard output")
      ->type_name("FILE")
      ->expected(0, 1)
      ->default_str("-");
  command->add_option("--jobs", given->jobs, "Threads (default: one per core)")
      ->check(CLI::Range(1U, 1024U));
  add_folder(*command, *given);
  command->footer(
      R"(Each claim is judged on the source's own step and on a converged run. A claim that the source's own
parameters cannot meet names the erratum and counts as explained. Exit code 1 if a claim fails.

Examples:
  asperity reproduce --out report
  asperity reproduce xiong_2013/fig_3_4
  asperity reproduce --json claims.json)");
  command->callback([=, &run] {
    if (command->count("--json") > 0 && given->json.empty()) given->json = "-";
    run = [=] { return reproduce(*given); };
  });
}

}  // namespace asperity::cli
