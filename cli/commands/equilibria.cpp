// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/analysis/equilibria.hpp>
#include <asperity/error.hpp>
#include <asperity/json_text.hpp>
#include <asperity/quantity.hpp>
#include <asperity/run/scenario.hpp>
#include <asperity/text/csv.hpp>
#include <asperity/text/pending_folder.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

struct equilibria_arguments {
  std::string model, curve, stiffness, from, to, out;
  std::vector<std::string> settings;
  int points = equilibria_options{}.points;
  bool as_json = false;
};

std::string as_json(const any_model& model, const equilibria_map& map, double stiffness) {
  auto result = nlohmann::ordered_json::object();
  result["model"] = model.key();
  result["stiffness"] = stiffness;
  result["depends_on_position"] = map.depends_on_position;
  result["intervals"] = nlohmann::ordered_json::array();
  for (const auto& each : map.intervals)
    result["intervals"].push_back({{"u", each.u}, {"x_low", each.x_low}, {"x_high", each.x_high}});
  return json_text(result);
}

std::string as_table(const equilibria_map& map) {
  std::vector<std::vector<std::string>> rows{{"u [N]", "x_low [m]", "x_high [m]"}};
  for (const auto& each : map.intervals)
    rows.push_back({fmt::format("{:.6g}", each.u), fmt::format("{:.9g}", each.x_low),
                    fmt::format("{:.9g}", each.x_high)});
  return lined_up(rows);
}

int map_equilibria(const equilibria_arguments& given) {
  std::vector<std::string> warnings;
  const any_model model = make_model(given.model, given.curve, given.settings, warnings);
  for (const auto& message : warnings) warn(message);

  equilibria_options options;
  const auto in = [](const char* option, const std::string& text, unit expected) {
    return read_option(option, [&] { return in_si(text, expected); });
  };
  options.stiffness = in("--stiffness", given.stiffness, units::newton / units::metre);
  options.from = in("--from", given.from, units::newton);
  options.to = in("--to", given.to, units::newton);
  if (options.from > options.to)
    throw error(fmt::format("--from {} is above --to {}: exchange them", given.from, given.to));
  options.points = given.points;
  options.interrupt = &interrupted();
  const auto find = [&] {
    progress_bar bar(true);
    options.progress = [&bar](double share) { bar.show(share); };
    return find_equilibria(model, options);
  };
  const equilibria_map map = find();  // and the bar is gone before anything is printed

  const bool is_printed = given.out == "-";
  const std::string csv = given.out.empty()
                              ? ""
                              : to_csv(map.intervals, {{"u", &equilibrium::u},
                                                       {"x_low", &equilibrium::x_low},
                                                       {"x_high", &equilibrium::x_high}});
  if (!csv.empty() && !is_printed) write_file(given.out, csv);
  if (given.as_json) {
    print(as_json(model, map, options.stiffness));
  } else if (given.out.empty() || is_printed) {
    print(is_printed ? csv : as_table(map));
  }
  if (!map.failure.empty()) {
    complain(fmt::format("{}: {}; check its parameters", model.key(), map.failure));
    return numerical_failure;
  }
  if (map.interrupted) {
    complain("interrupted; the intervals found so far are kept");
    return was_interrupted;
  }
  return success;
}

}  // namespace

void add_equilibria(CLI::App& app, action& run) {
  auto* command =
      app.add_subcommand("equilibria", "Find where a mass on a spring can rest with friction");
  const auto given = std::make_shared<equilibria_arguments>();
  command->add_option("MODEL", given->model, "Name of the model, as listed by `asperity models`")
      ->required();
  add_option(*command, "--stiffness QUANTITY", given->stiffness,
             "Stiffness of the spring, such as \"1 N/m\"; must be positive")
      ->required();
  add_option(*command, "--from QUANTITY", given->from,
             "Lowest constant force on the mass, in N unless a unit is given")
      ->required();
  add_option(*command, "--to QUANTITY", given->to,
             "Highest constant force on the mass, in N unless a unit is given")
      ->required();
  command->add_option("--points", given->points,
                      "Number of forces from --from to --to, both included (default 13)");
  add_settings(*command, given->settings,
               "Set a parameter of the model, such as F_s=2 or \"K=5 N/um\"; may be repeated");
  command->add_option("--curve", given->curve,
                      "Stribeck curve to use, for models that take one (default: their own)");
  command->add_flag("--json", given->as_json, "Print JSON for programs, in SI units");
  add_option(*command, "--out FILE", given->out,
             "Write the table to this CSV file, in SI units, instead of printing it");
  command->footer(
      R"(For each constant force u, prints the positions x, from x_low to x_high, where friction can
hold the body: where it can carry u - k x. There are several lines for one u if friction depends on
the position and leaves gaps, and x_low = x_high if the model has no static friction. The forces
that it can hold are found by running it.

Examples:
  asperity equilibria coulomb --stiffness "1 N/m" --from -3 --to 3 --set F_c=2
  asperity equilibria lugre --curve stribeck_sech --stiffness "2 N/mm" --from 0 --to 5
  asperity equilibria drbm_sawtooth --stiffness 1 --from 0 --to 1 --points 5 --out map.csv)");
  command->callback([=, &run] { run = [=] { return map_equilibria(*given); }; });
}

}  // namespace asperity::cli
