// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/error.hpp>
#include <asperity/export/export_model.hpp>
#include <asperity/json_text.hpp>
#include <asperity/run/evaluate.hpp>
#include <asperity/run/output.hpp>
#include <asperity/text/pending_folder.hpp>
#include <filesystem>
#include <memory>

#include "cli/commands.hpp"
#include "cli/free_output.hpp"

namespace asperity::cli {

namespace {

struct export_arguments {
  std::string model, language, curve, out;
  std::vector<std::string> settings;
  bool force = false, as_json = false;
};

int export_as_code(const export_arguments& given) {
  // The language first: a misspelt word should not wait for the model.
  const exported_language in = find_exported_language(given.language);
  std::vector<std::string> warnings;
  const any_model model = make_any_model(given.model, given.curve, given.settings, warnings);
  for (const auto& message : warnings) warn(message);
  const std::string text = export_model(model, in, std::string(version()));
  if (given.out == "-") {
    if (given.as_json)
      throw error("--json with --out -: standard output can have the code or the JSON, not both");
    print(text);
    return success;
  }
  const std::filesystem::path usual = exported_file(model, in);
  const std::string file =
      given.out.empty() ? free_output(usual.stem(), given.force, usual.extension()) : given.out;
  write_file(file, text);
  if (given.as_json)
    print(json_text({{"file", file}, {"model", model.key()}, {"language", given.language}}));
  else if (given.out.empty())
    say(fmt::format("wrote {}\n", file));
  return success;
}

}  // namespace

void add_export(CLI::App& app, action& run) {
  auto* command = app.add_subcommand(
      "export", "Write one model with its parameters as source code: C, C++, Rust or MATLAB");
  const auto given = std::make_shared<export_arguments>();
  command->add_option("MODEL", given->model, "Name of the model, as listed by `asperity models`")
      ->required();
  add_option(*command, "--lang LANGUAGE", given->language,
             "c (C99), cpp (C++11), rust, or matlab (MATLAB and Octave)")
      ->required();
  add_settings(*command, given->settings,
               "Set a parameter of the model, such as F_s=2 or \"K=5 N/um\"; may be repeated. The "
               "value becomes the default of the exported struct, which your program can change; "
               "the number of elements is fixed");
  command->add_option("--curve", given->curve,
                      "Stribeck curve to use, for models that take one (default: their own)");
  add_option(*command, "--out FILE", given->out,
             "Write to this file, or to standard output if it is - (default: MODEL.h, MODEL.hpp, "
             "MODEL.rs or MODEL.m)");
  command->add_flag("--json", given->as_json, "Print the name of the file as JSON for programs");
  add_force(*command, given->force, "MODEL", ".h");
  command->footer(
      R"(The file is complete: it needs no library, allocates no memory and keeps all of its data in
structs that you own, as firmware, S-functions and other simulators require. It is generated from
the equations of the model, so it computes the same as `asperity eval`. In C:

  lugre_parameters p = lugre_defaults();               as set when the file was written
  lugre_inputs in = {0, 0, 1};                         x [m], v [m/s], load [1]
  lugre_state s = lugre_init(&p, &in);                 at rest
  lugre_outputs out = lugre_step(&p, &s, &in, 1e-4);   in: inputs at the end of the step of 0.1 ms

MODEL_force gives the force and the rates of the states at an instant, for an integrator of your
own. MODEL_step uses the closed form of the model if there is one, which is stable at any step, and
otherwise one explicit Runge-Kutta step; the head of the file says which, and how short its step
must be. Models with a closed-form implicit step have MODEL_step_with_body, which solves the law and
the body together, so that a sticking body does not creep. Use it to simulate a body that friction
holds.

Models that branch on their memory (gms, leuven, preisach), that count bristles by their parameters
(drbm, rotating_bristle) and laws over cells (patch_...) are not one list of operations and are
refused; the C interface, c/asperity.h, has all models. If the implicit step of a law iterates
(dai_stribeck, dai_multistate), the file has no MODEL_step_with_body, and says so.

Examples:
  asperity export lugre --lang c --set F_s=2 --set "sigma_0=0.1 N/um"
  asperity export dai --lang cpp --out friction.hpp
  asperity export lugre --lang rust --curve stribeck_lorentzian
  asperity export bouc_wen --lang matlab --out -)");
  command->callback([=, &run] { run = [=] { return export_as_code(*given); }; });
}

}  // namespace asperity::cli
