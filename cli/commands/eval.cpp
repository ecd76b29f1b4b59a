// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/json_text.hpp>
#include <asperity/run/evaluate.hpp>
#include <asperity/run/output.hpp>
#include <asperity/run/overlay.hpp>
#include <asperity/text/pending_folder.hpp>
#include <memory>

#include "cli/commands.hpp"
#include "cli/record_options.hpp"

namespace asperity::cli {

namespace {

struct eval_arguments {
  std::string model, input, out, curve, drive, plot;
  record_options columns;
  std::vector<std::string> settings;
  bool as_json = false;
};

// Outputs that were measured stand beside those of the model.
void add_measured_columns(run_data& data, const record& motion,
                          const std::vector<std::string>& names) {
  const std::size_t rows = data.columns.front().values.size();
  for (const auto& name : names) {
    std::vector<double> values = *motion.find(name);
    values.resize(std::min(values.size(), rows));
    data.columns.push_back({name + "_measured", data.find(name)->in, std::move(values)});
  }
}

plot_format format_of(const std::string& file) {
  if (file.empty()) return plot_format::none;
  if (file.ends_with(".svg")) return plot_format::svg;
  if (file.ends_with(".png")) return plot_format::png;
  throw error(fmt::format("--plot {}: the name of the plot must end in .svg or .png", file));
}

std::string series_json(const run_data& data) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const auto& each : data.columns)
    all.push_back({{"name", each.name}, {"unit", to_string(each.in)}, {"values", each.values}});
  return json_text({{"columns", std::move(all)}});
}

int evaluate_model(const eval_arguments& given) {
  std::vector<std::string> warnings;
  const any_model model = make_any_model(given.model, given.curve, given.settings, warnings);
  for (const auto& message : warnings) warn(message);

  evaluate_options options;
  options.drive = given.drive;
  const plot_format format = format_of(given.plot);
  record motion = read_record(input_name(given.input), columns_of(given.columns, model.at()));
  level_noise_of_loads(motion, model);
  options.interrupt = &interrupted();
  run_data data = evaluate(model, motion, options);
  tell(motion, given.columns);
  std::vector<std::string> measured;
  for (const channel& each : model.at().outputs)
    if (motion.find(each.name) != nullptr) measured.emplace_back(each.name);
  for (const auto& each : differences(data, motion, measured))
    say(fmt::format("asperity: {}\n", to_string(each)));
  add_measured_columns(data, motion, measured);
  if (given.out.empty() || given.out == "-") {
    print(given.as_json ? series_json(data) : series_csv(data));
  } else {
    write_file(given.out, given.as_json ? series_json(data) : series_csv(data));
  }
  if (format != plot_format::none) {
    const std::string problem =
        draw(figure_of(model, data, motion), format, given.plot, &interrupted());
    if (!problem.empty()) warn(problem);
  }
  for (const auto& message : data.doubts) warn(fmt::format("{}: {}", motion.name, message));
  const auto& result = data.result;
  if (is_failure(result.how)) {
    complain(fmt::format("{}: {} at t = {:g} s: {}{}{}; the rows computed so far are kept",
                         motion.name, to_string(result.how), result.t, result.detail,
                         result.detail.empty() ? "" : ": ", data.hint));
    return numerical_failure;
  }
  if (result.how == outcome::interrupted) {
    complain(fmt::format("interrupted at t = {:g} s; the rows computed so far are kept", result.t));
    return was_interrupted;
  }
  return success;
}

}  // namespace

void add_eval(CLI::App& app, action& run) {
  auto* command = app.add_subcommand(
      "eval", "Compute the force of a model along a motion from a file, simulated or measured");
  const auto given = std::make_shared<eval_arguments>();
  command->add_option("MODEL", given->model, "Name of the model, as listed by `asperity models`")
      ->required();
  add_option(*command, "--input,--data FILE", given->input,
             "CSV or HDF5 file with the columns t, and v or x (the gap, for contact models), and "
             "optionally load. Models of other ports need the inputs that `asperity show MODEL` "
             "lists, each as a rate or as a position. Units are SI unless options or column names "
             "give others. --data is the same option")
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
  add_option(
      *command, "--plot FILE", given->plot,
      "Draw the forces over time and position, with measured ones for comparison, as .svg or .png");
  add_record_options(*command, given->columns);
  command->add_flag("--json", given->as_json, "Write JSON instead of CSV");
  command->footer(
      R"(Writes CSV: t, x, v, load if given, the states of the model, f. Between rows, v is
interpolated linearly and x by a monotone cubic. The states of the model are integrated in steps of
their own, so the result depends on the sampling of the motion only through the interpolation error.

A model in more than one direction has the inputs and outputs of its port as columns: for contact
with friction the inputs gap, slip_x, slip_y and the outputs f_n, f_x, f_y; for planar friction v_x,
v_y, omega and f_x, f_y, torque. A position that is not given is the integral of its rate, and a
rate is the slope of its position. States of cells are not written; the energy that they store is.

Measured data is read as it was recorded: options name the columns, with sign, factor and unit. A
measured force becomes a column f_measured and is drawn together with that of the model; the
difference between them is reported.

Examples:
  asperity eval lugre --input motion.csv
  asperity eval dai --input motion.csv --set "K=5 N/um" --set F=2 --out force.csv
  asperity eval hunt_crossley --input gap.csv
  asperity eval disc_coulomb --input twist.csv --set "R=5 cm"
  asperity eval patch_dai --input twist.csv --set shape=rectangle --set "width=8 cm"
  asperity run stick_slip
  asperity eval dai --input stick_slip.run/series.csv  # another model along the motion of a run
  asperity eval gms --input rig.csv --t t_s --x position_m --f=-friction_N --load normal_N/12.5 \
      --bandwidth "20 Hz" --plot rig.svg --out force.csv)");
  command->callback([=, &run] { run = [=] { return evaluate_model(*given); }; });
}

}  // namespace asperity::cli
