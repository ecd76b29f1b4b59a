// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/analysis/impact_comparison.hpp>
#include <asperity/error.hpp>
#include <asperity/json_text.hpp>
#include <asperity/quantity.hpp>
#include <asperity/text/csv.hpp>
#include <asperity/text/pending_folder.hpp>
#include <asperity/text/ranges.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/card_json.hpp"
#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

struct restitution_arguments {
  std::vector<std::string> models, settings;
  std::string speeds = "1", over, mass = "1", force = "0", end = "force", out;
  bool all = false, as_json = false, quiet = false;
};

impact_comparison read_request(const restitution_arguments& given) {
  if (given.all == !given.models.empty())
    throw error(given.all ? "--all cannot be combined with names of models: give one or the other"
                          : "no model is given: name a contact model, or give --all");
  impact_comparison wanted;
  wanted.models = given.models;
  for (const auto& text : given.settings)
    wanted.settings.push_back(read_option("--set", [&] { return parse_impact_setting(text); }));
  if (!given.over.empty())
    wanted.over = read_option("--over", [&] { return parse_impact_setting(given.over); });
  wanted.options.mass = read_option("--mass", [&] {
                          return parse_values(given.mass, units::kilogram, positive);
                        }).front();
  wanted.options.force =
      read_option("--constant-force", [&] { return in_si(given.force, units::newton); });
  wanted.options.ends_with =
      given.end == "gap" ? impact_options::end::gap : impact_options::end::force;
  wanted.speeds = read_option("--speed", [&] {
    return parse_values(given.speeds, units::metre / units::second, positive);
  });
  return wanted;
}

// ---- what is shown ------------------------------------------------------------------------------

std::string cell(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : std::string("-");
}

std::string as_table(const std::vector<impact_curve>& curves) {
  std::vector<std::vector<std::string>> rows{{"model", "speed [m/s]"}};
  const bool varies = std::any_of(curves.begin(), curves.end(),
                                  [](const impact_curve& c) { return !c.sweep.parameter.empty(); });
  if (varies) rows[0].insert(rows[0].begin() + 1, "parameter");
  for (const auto& column : impact_columns()) {
    if (column.is_derived) continue;
    rows[0].push_back(is_plain(column.in)
                          ? std::string(column.name)
                          : fmt::format("{} [{}]", column.name, to_string(column.in)));
  }
  rows[0].push_back("");
  for (const auto& c : curves)
    for (const auto& row : c.rows) {
      std::vector<std::string> cells{c.sweep.model.key()};
      if (varies)
        cells.push_back(c.sweep.parameter.empty()
                            ? std::string("-")
                            : fmt::format("{} = {:g}", c.sweep.parameter, row.value));
      cells.push_back(cell(row.speed));
      for (const auto& column : impact_columns())
        if (!column.is_derived) cells.push_back(cell(column.value(row.what)));
      cells.push_back(row.what.why);
      rows.push_back(std::move(cells));
    }
  return lined_up(rows);
}

std::string as_json(const std::vector<impact_curve>& curves, const std::string& end) {
  auto result = nlohmann::ordered_json::object();
  result["end_of_contact"] = end;
  result["impacts"] = nlohmann::ordered_json::array();
  for (const auto& c : curves)
    for (const auto& row : c.rows) {
      auto entry = nlohmann::ordered_json::object();
      entry["model"] = c.sweep.model.key();
      if (!c.sweep.parameter.empty()) entry[c.sweep.parameter] = row.value;
      entry["speed"] = row.speed;
      for (const auto& column : impact_columns())
        entry[column.name] = number_or_null(column.value(row.what));
      entry["outcome"] = to_string(row.what.how);
      if (!row.what.why.empty()) entry["why"] = row.what.why;
      if (!row.doubt.empty()) entry["doubt"] = row.doubt;
      result["impacts"].push_back(std::move(entry));
    }
  return json_text(result);
}

// One CSV file per model, all numbers in SI. Where nothing could be found a cell is empty.
std::string as_csv(const impact_curve& c) {
  std::string text = c.sweep.parameter.empty() ? "" : c.sweep.parameter + ",";
  text += "speed";
  for (const auto& column : impact_columns()) text += fmt::format(",{}", column.name);
  text += ",outcome\n";
  const auto number = [](double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : std::string();
  };
  for (const auto& row : c.rows) {
    if (!c.sweep.parameter.empty()) text += number(row.value) + ",";
    text += number(row.speed);
    for (const auto& column : impact_columns())
      text += fmt::format(",{}", number(column.value(row.what)));
    text += fmt::format(",{}\n", to_string(row.what.how));
  }
  return text;
}

void write(const std::vector<impact_curve>& curves, const std::string& folder) {
  pending_folder pending(folder);
  for (const auto& c : curves) pending.write(c.sweep.model.key() + ".csv", as_csv(c));
  if (const figure drawn = figure_of(curves); !drawn.panels.empty()) {
    const auto problem =
        draw(drawn, plot_format::svg, (pending.path() / "plot.svg").string(), &interrupted());
    if (!problem.empty()) warn(problem);
  }
  pending.commit();
}

int find_restitution(const restitution_arguments& given) {
  std::vector<std::string> warnings;
  const impact_comparison wanted = read_request(given);
  std::vector<impact_curve> curves = [&] {
    try {
      return plan_impacts(wanted, warnings);
    } catch (const error& problem) {
      // The library names the setting, not the option that it came by.
      const std::string what = problem.what();
      if (!given.over.empty() && what.starts_with(given.over)) throw error("--over " + what);
      for (const auto& each : given.settings)
        if (what.starts_with(each)) throw error("--set " + what);
      throw;
    }
  }();
  for (const auto& message : warnings) warn(message);
  if (!given.out.empty()) pending_folder::check(given.out);
  {
    progress_bar bar(!given.quiet);
    find_impacts(curves, &interrupted(), [&](double share) { bar.show(share); });
  }
  const bool stopped = interrupted().load();
  for (const auto& c : curves)
    for (const auto& doubt : c.doubts()) warn("--over: " + doubt);
  if (!given.out.empty()) write(curves, given.out);
  if (given.as_json) {
    print(as_json(curves, given.end));
  } else if (!given.quiet) {
    print(as_table(curves));
  }
  if (stopped) {
    complain("interrupted; the impacts computed so far are kept");
    return was_interrupted;
  }
  for (const auto& c : curves)
    for (const auto& row : c.rows)
      if (row.what.how == impact::outcome::failed) {
        complain(fmt::format("{} at {:g} m/s: {}", c.sweep.model.key(), row.speed, row.what.why));
        return numerical_failure;
      }
  return success;
}

}  // namespace

void add_restitution(CLI::App& app, action& run) {
  auto* command = app.add_subcommand(
      "restitution", "Compute impacts on contact models: restitution, contact time, force, depth");
  const auto given = std::make_shared<restitution_arguments>();
  command->add_option("MODEL", given->models,
                      "Names of contact models, as listed by `asperity models --family contact`");
  command->add_flag("--all", given->all, "Compare all contact models");
  add_option(*command, "--speed VALUES", given->speeds,
             "Speeds of impact, in m/s unless a unit is given (default 1)");
  add_option(*command, "--over PARAMETER=VALUES", given->over,
             "Also vary a parameter, or mass, such as beta=lin(0, 0.01, 5)");
  add_settings(
      *command, given->settings,
      "Set a parameter of all models that have it (K=2e4) or of one (dai_contact.K=2e4); may be "
      "repeated");
  add_option(*command, "--mass QUANTITY", given->mass,
             "Mass of the body, in kg unless a unit is given (default 1 kg)");
  add_option(
      *command, "--constant-force QUANTITY", given->force,
      "Constant force on the body, positive away from the surface, in N (default 0); weight is "
      "negative");
  command
      ->add_option("--end", given->end,
                   "End the contact when the force returns to 0, or when the gap does")
      ->check(CLI::IsMember({"force", "gap"}))
      ->capture_default_str();
  add_option(*command, "--out FOLDER", given->out,
             "Folder for one CSV file per model and plot.svg");
  command->add_flag("--json", given->as_json, "Print JSON for programs, in SI units");
  command->add_flag("--quiet", given->quiet, "Print neither the table nor progress");
  command->footer(
      R"help(VALUES are 1, "1, 2, 5", "lin(FROM, TO, COUNT)" or "log(FROM, TO, COUNT)", with units
where you like. Each impact starts at touchdown; the highest force, the deepest point and the end of
contact are located exactly. Restitution is the speed at the end of contact over the speed of
impact. If the mass stays in contact it is 0, and the last column says why. Residual is the
indentation when the force vanishes. An event that does not happen has no number: "-", null with
--json, an empty cell in CSV. A rigid law does not define how bodies separate.

Examples:
  asperity restitution hunt_crossley --speed "log(1 mm/s, 10 m/s, 50)" --set b=0.35
  asperity restitution kelvin_voigt --over "B=lin(0, 1000, 11)" --end gap
  asperity restitution --all --speed "log(1e-3, 10, 40)" --out compared
  asperity restitution dai_contact --mass "200 g" --constant-force=-1.96 --speed "lin(0.1, 2, 20)")help");
  command->callback([=, &run] { run = [=] { return find_restitution(*given); }; });
}

}  // namespace asperity::cli
