// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/text.hpp>
#include <memory>

#include "cli/commands.hpp"

namespace asperity::cli {

void add_help(CLI::App& app, action& run) {
  auto* command = app.add_subcommand("help", "Explain a command, like its option --help");
  const auto name = std::make_shared<std::string>();
  command->add_option("COMMAND", *name, "The command to explain (default: all of them)");
  command->footer(R"(Examples:
  asperity help
  asperity help run)");
  command->callback([=, &app, &run] {
    run = [=, &app] {
      std::vector<std::string> names;
      for (const CLI::App* each : app.get_subcommands({})) {
        if (each->get_name() == *name) {
          print(each->help(app.get_name()));
          return success;
        }
        if (!each->get_group().empty()) names.push_back(each->get_name());
      }
      if (!name->empty())
        throw error(fmt::format("there is no command '{}': {}", shortened(*name, 60),
                                nearest_names(*name, names)));
      // app.help() would explain this command, which was chosen.
      print(app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
      return success;
    };
  });
}

}  // namespace asperity::cli
