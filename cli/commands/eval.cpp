// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/run/evaluate.hpp>
#include <asperity/run/output.hpp>
#include <asperity/text/pending_folder.hpp>
#include <memory>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

struct eval_arguments {
  std::string model, input, out, curve, drive;
  std::vector<std::string> settings;
};

int evaluate_model(const eval_arguments& given) {
  std::vector<std::string> warnings;
  const any_model model = make_any_model(given.model, given.curve, given.settings, warnings);
  for (const auto& message : warnings) warn(message);

  evaluate_options options;
  options.drive = given.drive;
  const csv_table motion = csv_table::read(given.input);
  options.interrupt = &interrupted();
  const run_data data = evaluate(model, motion, options);
  if (given.out.empty()) {
    print(series_csv(data));
  } else {
    write_file(given.out, series_csv(data));
  }
  for (const auto& message : data.doubts) warn(fmt::format("{}: {}", given.input, message));
  const auto& result = data.result;
  if (is_failure(result.how)) {
    complain(fmt::format("{}: {} at t = {:g} s: {}{}{}; rows until then are kept", given.input,
                         to_string(result.how), result.t, result.detail,
                         result.detail.empty() ? "" : ": ", data.hint));
    return numerical_failure;
  }
  if (result.how == outcome::interrupted) {
    complain(fmt::format("interrupted at t = {:g} s; rows until then are kept", result.t));
    return was_interrupted;
  }
  return success;
}

}  // namespace

void add_eval(CLI::App& app, action& run) {
  auto* command = app.add_subcommand("eval", "Force of a model along a motion from a CSV file");
  const auto given = std::make_shared<eval_arguments>();
  command->add_option("MODEL", given->model, "Name of the model, as listed by `asperity models`")
      ->required();
  add_option(*command, "--input FILE", given->input,
             "CSV file with the columns t, and v or x (the gap, for contact models), and "
             "optionally load; for models of other ports the inputs that `asperity show "
             "MODEL` lists, each rate or its place; in SI units")
      ->required();
  add_settings(*command, given->settings,
               "Set a parameter of the model, such as F_s=2 or \"K=5 N/um\"; may be repeated");
  command->add_option("--curve", given->curve,
                      "Stribeck curve to use, for models that take one (default: their own)");
  command
      ->add_option(
          "--drive", given->drive,
          "Column that drives the model if the file has both x and v (default: x for contact "
          "models, v for all others)")
      ->check(CLI::IsMember({"x", "v"}));
  add_option(*command, "--out FILE", given->out,
             "Write the CSV to this file instead of standard output");
  command->footer(
      R"(Writes CSV: t, x, v, load where given, the model's states, f. Between rows v is joined by lines
and x by a monotone cubic; the model's states are integrated in steps of their own, so the result
does not depend on how finely the motion was sampled, beyond the error of interpolation.

A model that sees more than one direction has the inputs and outputs of its port as columns: gap,
slip_x, slip_y to f_n, f_x, f_y for contact with friction; v_x, v_y, omega to f_x, f_y, torque for
planar friction. A place that is not given is the integral of its rate, a rate the slope of its
place. States of cells are not shown; what they store is.

Examples:
  asperity eval lugre --input motion.csv
  asperity eval dai --input motion.csv --set "K=5 N/um" --set F=2 --out force.csv
  asperity eval hunt_crossley --input gap.csv
  asperity eval disc_coulomb --input twist.csv --set "R=5 cm"
  asperity eval patch_dai --input twist.csv --set shape=rectangle --set "width=8 cm"
  asperity eval dai --input stick_slip.run/series.csv  # another model along the motion of a run)");
  command->callback([=, &run] { run = [=] { return evaluate_model(*given); }; });
}

}  // namespace asperity::cli
