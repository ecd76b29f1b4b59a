// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/json_text.hpp>
#include <asperity/text.hpp>
#include <memory>

#include "cli/commands.hpp"
#include "cli/described.hpp"

namespace asperity::cli {

namespace {

nlohmann::ordered_json json_of(const std::vector<described_option>& options) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& each : options)
    list.push_back({{"name", each.name},
                    {"value", each.value},
                    {"about", each.about},
                    {"words", each.words},
                    {"default", each.otherwise},
                    {"required", each.is_required},
                    {"repeated", each.is_repeated}});
  return list;
}

nlohmann::ordered_json json_of(const described_command& command) {
  return {{"command", command.name},
          {"about", command.about},
          {"arguments", json_of(command.arguments)},
          {"options", json_of(command.options)},
          {"more", command.footer}};
}

}  // namespace

void add_help(CLI::App& app, action& run) {
  auto* command = app.add_subcommand("help", "Explain a command, like its option --help");
  const auto name = std::make_shared<std::string>();
  const auto as_json = std::make_shared<bool>(false);
  command->add_option("COMMAND", *name, "The command to explain (default: all of them)");
  command->add_flag("--json", *as_json,
                    "Print commands, arguments and options as JSON for programs");
  command->footer(R"(Examples:
  asperity help
  asperity help run)");
  command->callback([=, &app, &run] {
    run = [=, &app] {
      std::vector<std::string> names;
      for (const CLI::App* each : app.get_subcommands({})) {
        if (each->get_name() == *name) {
          if (*as_json) {
            print(json_text(json_of(describe(*each))));
            return success;
          }
          print_help(each->help(app.get_name()));
          return success;
        }
        if (!each->get_group().empty()) names.push_back(each->get_name());
      }
      if (!name->empty())
        throw error(fmt::format("there is no command '{}': {}", shortened(*name, 60),
                                nearest_names(*name, names)));
      if (*as_json) {
        auto all = nlohmann::ordered_json::array();
        for (const auto& each : describe_commands(app)) all.push_back(json_of(each));
        print(json_text(all));
        return success;
      }
      // app.help() would explain this command, which was chosen.
      print_help(app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
      return success;
    };
  });
}

}  // namespace asperity::cli
