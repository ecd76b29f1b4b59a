// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/analysis/inverse.hpp>
#include <asperity/error.hpp>
#include <asperity/json_text.hpp>
#include <asperity/run/scenario.hpp>
#include <asperity/text/csv.hpp>
#include <asperity/text/pending_folder.hpp>
#include <memory>
#include <optional>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

struct invert_arguments {
  std::string model, curve, wanted, column = "f", out;
  std::vector<std::string> settings;
  double lower = -unbounded, upper = unbounded;
  std::optional<double> tolerance;
  bool as_json = false;
};

int invert_model(const invert_arguments& given) {
  std::vector<std::string> warnings;
  const any_model model = make_model(given.model, given.curve, given.settings, warnings);
  for (const auto& message : warnings) warn(message);
  const std::string file = input_name(given.wanted);
  const csv_table table = csv_table::read(file);
  const auto wanted = table.column(given.column);

  const auto times = table.has("t") ? table.increasing_column("t") : std::vector<double>{};
  inversion found;
  {
    progress_bar bar(true);
    inversion_options options;
    options.lower = given.lower;
    options.upper = given.upper;
    options.times = times;
    options.tolerance = given.tolerance;
    options.interrupt = &interrupted();
    options.progress = [&](double fraction) { bar.show(fraction); };
    found = invert(model, wanted, options);
  }
  std::vector<double> t;
  std::vector<csv_column> columns;
  if (!times.empty()) {
    t = times;
    t.resize(found.x.size());
    columns.push_back({"t", &t});
  }
  columns.push_back({"x", &found.x});
  columns.push_back({"f", &found.f});
  const auto as_json = [&] {
    nlohmann::ordered_json told{{"model", model.key()},
                                {"largest_error", found.error},
                                {"allowed_error", found.allowed(wanted)}};
    told["columns"] = nlohmann::ordered_json::object();
    for (const auto& each : columns) told["columns"][std::string(each.name)] = *each.values;
    return json_text(told);
  };
  const std::string text = given.as_json ? as_json() : to_csv(columns);
  const char* how = found.found_by == inversion::way::closed_form ? "in closed form"
                    : found.found_by == inversion::way::dynamics  ? "by the dynamics of the inverse"
                                                                  : "by finding roots";
  if (given.out.empty() || given.out == "-") {
    print(text);
  } else {
    write_file(given.out, text);
    if (!given.as_json)
      print(fmt::format(
          "{}: {} rows found {}; the largest error of the output is {:.3g}, with {:.3g} allowed\n",
          given.out, found.x.size(), how, found.error, found.allowed(wanted)));
  }
  if (found.needs_way_to_first)
    warn(fmt::format(
        "the first row gets {:g} by the motion from x = 0 to {:g}; `asperity eval`, which begins "
        "at "
        "the first row, gives {:g} there and other outputs behind it: begin with a row that wants "
        "the output of the initial state",
        found.f[0], found.x[0], found.at_first));
  if (found.interrupted) {
    complain("interrupted; the rows computed so far are kept");
    return was_interrupted;
  }
  if (!found.reaches_all(wanted)) {
    const auto told = [&](std::size_t row) {
      std::string text =
          fmt::format("row {}{} wants {:g}", row + 1,
                      times.empty() ? "" : fmt::format(" (t = {:g} s)", times[row]), wanted[row]);
      if (row < found.f.size()) text += fmt::format(" and gets {:g}", found.f[row]);
      if (found.cut > 0 && row == found.first_cut) {
        const double got = row < found.f.size() ? found.f[row] : found.reach_low;
        const double low = std::min(found.reach_low, got), high = std::max(found.reach_high, got);
        const bool is_gap =
            found.found_by != inversion::way::dynamics && low < wanted[row] && wanted[row] < high;
        text += is_gap ? fmt::format(", where the output jumps over it, between {:g} and {:g}", low,
                                     high)
                       : fmt::format(", where outputs from {:g} to {:g} can be reached", low, high);
      }
      return text;
    };
    if (found.cut == 0) {
      complain(fmt::format(
          "{}: the input found does not give the wanted output: {}, and the error of {:.3g} "
          "exceeds the {:.3g} allowed, {:g} of the greatest wanted output; {}allow a larger error "
          "by --tolerance",
          model.key(), told(found.worst), found.error, found.allowed(wanted), found.tolerance,
          found.found_by == inversion::way::dynamics
              ? "give rows that lie closer together and avoid corners, where the input would have "
                "to jump, or "
              : ""));
      return numerical_failure;
    }
    complain(fmt::format("{}: {} of {} rows of {} cannot be reached; {}{}", model.key(), found.cut,
                         wanted.size(), file, told(found.first_cut),
                         found.first_cut == found.worst ? "" : "; at worst " + told(found.worst)));
    return numerical_failure;
  }
  return success;
}

}  // namespace

void add_invert(CLI::App& app, action& run) {
  auto* command =
      app.add_subcommand("invert", "Find the input that makes a model give a wanted output");
  const auto given = std::make_shared<invert_arguments>();
  command->add_option("MODEL", given->model, "Name of the model, as listed by `asperity models`")
      ->required();
  command->add_option("--wanted", given->wanted, "CSV file with the wanted output")
      ->required()
      ->type_name("FILE");
  command->add_option("--column", given->column,
                      "Column of that file with the wanted output (default: f)");
  command->add_option("--lower", given->lower,
                      "Lower bound of the input, in its SI unit (default: none)");
  command->add_option("--upper", given->upper,
                      "Upper bound of the input, in its SI unit (default: none)");
  command
      ->add_option("--tolerance", given->tolerance,
                   "Largest allowed error of the output, as a share of the greatest wanted output "
                   "(default: 1e-6; 1e-4 for multiplay and nonlinear_feedback)")
      ->check(CLI::Range(0.0, 1.0));
  add_settings(*command, given->settings,
               "Set a parameter of the model, such as q=2; may be repeated");
  command->add_option("--curve", given->curve,
                      "Stribeck curve to use, for models that take one (default: their own)");
  command->add_option("--out", given->out, "Write the CSV to this file instead of standard output")
      ->type_name("FILE");
  command->add_flag("--json", given->as_json, "Write JSON instead of CSV");
  command->footer(
      R"(For rate-independent models, multiplay and nonlinear_feedback. Prandtl-Ishlinskii operators
are inverted in closed form (from piece to piece where a slope is not above 0), multiplay and
nonlinear_feedback by their own dynamics, which needs a column t; others by finding roots row by
row. All begin in the initial state at x = 0. Where the output is flat, any input will do, and the
nearest one is taken. Writes t (if given), x, and the f that x really gives. If a row cannot be
reached, the message says which outputs can be; if f misses the wanted output by more than
--tolerance, it says where. In both cases the exit code is 1.

Examples:
  asperity invert prandtl_ishlinskii --wanted y.csv --out x.csv
  asperity invert preisach --wanted y.csv --column y --lower -1 --upper 1
  asperity eval prandtl_ishlinskii --input x.csv  # the way back; x.csv needs a column t)");
  command->callback([=, &run] { run = [=] { return invert_model(*given); }; });
}

}  // namespace asperity::cli
