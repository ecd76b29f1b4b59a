// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/json_text.hpp>
#include <asperity/publish/experiment.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

int list_all(const std::string& from, bool as_json) {
  const std::string folder = experiments_folder(from);
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
  print(as_json ? json_text(list) : lined_up(rows));
  return success;
}

}  // namespace

void add_experiments(CLI::App& app, action& run) {
  auto* command = app.add_subcommand("experiments", "List the published experiments");
  const auto folder = std::make_shared<std::string>();
  const auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "Print JSON for programs");
  add_experiments_folder(*command, *folder);
  command->footer(R"(Examples:
  asperity experiments
  asperity reproduce xiong_2013/fig_3_4)");
  command->callback([=, &run] { run = [=] { return list_all(*folder, *as_json); }; });
}

}  // namespace asperity::cli
