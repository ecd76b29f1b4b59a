// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/json_text.hpp>
#include <asperity/publish/experiment.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

// "fig_5_8, fig_5_9": without the source, which the id names.
std::string short_names(const std::vector<std::string>& figures) {
  std::string text;
  for (const auto& each : figures)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", each.substr(each.find('/') + 1));
  return text;
}

int list_them(const std::vector<std::string>& names, const std::string& from, bool as_json) {
  const std::string folder = experiments_folder(from);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows;
  std::size_t experiments[2] = {}, claims[2] = {}, figures = 0;  // [0]: our own
  for (const auto& id : choose_experiments(folder, names)) {
    const experiment each = read_experiment(folder, id);
    rows.push_back(
        {id, short_names(each.figures), fmt::format("{} claims", each.claims.size()), each.title});
    ++experiments[is_published(id) ? 1 : 0];
    claims[is_published(id) ? 1 : 0] += each.claims.size();
    if (is_published(id)) figures += each.figures.size();
    list.push_back({{"id", id},
                    {"title", each.title},
                    {"source", each.source},
                    {"published", is_published(id)},
                    {"figures", each.figures},
                    {"claims", each.claims.size()}});
  }
  if (as_json) {
    print(json_text(list));
    return success;
  }
  print(lined_up(rows));
  print(fmt::format(
      "{} published experiments with {} figures and tables and {} claims; {} of our own with {} "
      "claims\n",
      experiments[1], figures, claims[1], experiments[0], claims[0]));
  return success;
}

}  // namespace

void add_experiments(CLI::App& app, action& run) {
  auto* command = app.add_subcommand("experiments", "List the published experiments");
  const auto names = std::make_shared<std::vector<std::string>>();
  command->add_option("ID", *names,
                      "Experiments, by the figures that they reproduce, such as "
                      "rogner_2017/fig_5_9, or a whole source such as xiong_2013 (default: all)");
  const auto folder = std::make_shared<std::string>();
  const auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "Print JSON for programs");
  add_experiments_folder(*command, *folder);
  command->footer(R"(Examples:
  asperity experiments
  asperity experiments rogner_2017/fig_5_9
  asperity reproduce xiong_2013/fig_3_4)");
  command->callback([=, &run] { run = [=] { return list_them(*names, *folder, *as_json); }; });
}

}  // namespace asperity::cli
