// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/error.hpp>
#include <asperity/inclusion/emit.hpp>
#include <asperity/run/inclusion/inclusion.hpp>
#include <asperity/run/output.hpp>
#include <asperity/text.hpp>
#include <asperity/text/pending_folder.hpp>
#include <memory>

#include "cli/commands.hpp"
#include "cli/examples.hpp"

namespace asperity::cli {

namespace {

struct inclusion_arguments {
  std::string file, language, out;
  std::vector<std::string> settings;
  bool show = false, as_json = false, with_main = false;
};

std::string as_text(const stated_inclusion& stated) {
  std::string text = stated.setting.title + "\n";
  for (const auto& section : show(stated.system, stated.setting))
    text += "\n" + section.title + "\n" + lined_up(section.rows, "  ");
  return text;
}

int treat_inclusion(const inclusion_arguments& given) {
  if (given.language.empty() && given.with_main)
    throw error("--main can be used only with --emit c, cpp or octave");
  if (!given.language.empty() && (given.show || given.as_json))
    throw error("--emit cannot be combined with --show or --json");
  // The language first: a misspelt word should not wait for the file.
  const language in =
      given.language.empty() ? language::text : find_emitted_language(given.language);
  if (given.with_main && (in == language::modelica || in == language::latex))
    throw error(
        fmt::format("--main can be used only with --emit c, cpp or octave: {} has no main program",
                    given.language));

  stated_inclusion stated = read_stated_inclusion(given.file, given.settings);
  // Both become comments of code.
  for (std::string* text : {&stated.setting.title, &stated.setting.origin})
    *text = in_one_line(*text);
  for (const auto& message : stated.warnings) warn(message);
  const std::string text = in != language::text ? emit(stated.system, stated.setting, in,
                                                       {given.with_main, std::string(version())})
                           : given.as_json      ? show_json(stated.system, stated.setting)
                                                : as_text(stated);
  if (given.out.empty() || given.out == "-") {
    print(text);
  } else {
    write_file(given.out, text);
  }
  return success;
}

}  // namespace

void add_inclusion(CLI::App& app, action& run) {
  auto* command = app.add_subcommand(
      "inclusion", "Show the ODE of your own system with sgn and dio, or write it as code");
  const auto given = std::make_shared<inclusion_arguments>();
  command
      ->add_option("FILE", given->file,
                   "A scenario in TOML with [system] kind = \"inclusion\"; see docs/inclusions.md")
      ->required();
  command->add_flag("--show", given->show,
                    "Print the inclusion, DAI, ODE, constants and step limits (the default)");
  command->add_flag("--json", given->as_json, "Print the same as JSON for programs, in SI units");
  add_option(*command, "--emit LANGUAGE", given->language,
             "Write the ODE as code instead: c, cpp, modelica, octave or latex");
  command->add_flag("--main", given->with_main,
                    "With --emit c, cpp or octave: add a main program that integrates the ODE with "
                    "RK4 and prints CSV. It takes the step of the file if the method there is "
                    "explicit, otherwise a stable step");
  add_option(*command, "--out FILE", given->out, "Write to this file instead of standard output");
  add_settings(*command, given->settings,
               "Change a value of the file, such as parameters.M=2 or terms.N.K=1e6; may be "
               "repeated");
  command->footer(
      R"(Every dio and every factor times sgn becomes a force with a state of its own (Xiong 2013, 3.2.4):
  dio(p)         f = K (e + beta e'),  f in dio(p + e + alpha e')
  chi sgn(v)     f = K (a + beta a'),  f in chi Sgn(v - a')
whose closed forms with max and sat make an ordinary ODE. Emitted code is complete in one file and
computes the same as `asperity run`.

Examples:
  asperity inclusion examples/inclusions/two_bodies.toml --show
  asperity inclusion examples/inclusions/two_bodies.toml --set "terms.N_1.K=1e6 N/m" --json
  asperity inclusion examples/inclusions/two_bodies.toml --emit c --main --out two_bodies.c
  cc -O2 two_bodies.c -lm -o two_bodies && ./two_bodies > two_bodies.csv
  asperity inclusion examples/inclusions/two_bodies.toml --emit modelica --out two_bodies.mo
  asperity inclusion examples/inclusions/two_bodies.toml --emit latex --out two_bodies.tex)");
  command->callback([=, &run] {
    run = [=] {
      given->file = scenario_file(given->file);
      return treat_inclusion(*given);
    };
  });
}

}  // namespace asperity::cli
