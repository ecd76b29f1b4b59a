// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/analysis/restitution.hpp>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/draw/plot.hpp>
#include <asperity/error.hpp>
#include <asperity/json_text.hpp>
#include <asperity/quantity.hpp>
#include <asperity/run/scenario.hpp>
#include <asperity/text/csv.hpp>
#include <asperity/text/pending_folder.hpp>
#include <asperity/text/ranges.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

struct restitution_arguments {
  std::vector<std::string> models, settings;
  std::string speeds = "1", over, mass = "1", force = "0", end = "force", out;
  bool all = false, as_json = false, quiet = false;
};

// One model of the comparison with all its impacts.
struct curve {
  impact_sweep sweep;
  std::vector<impact_row> rows;
};

// Names the option in front of what is wrong with it.
template <class Function>
auto option(const char* name, const Function& read) {
  try {
    return read();
  } catch (const error& problem) {
    throw error(fmt::format("{}: {}", name, problem.what()));
  }
}

struct setting {
  std::string model, parameter, value;  // model is empty where all are meant
};

// "K=5" or "dai_contact.K=5".
setting split(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw error(fmt::format("'{}' is not PARAMETER=VALUE", text));
  setting result{"", text.substr(0, equals), text.substr(equals + 1)};
  if (const auto dot = result.parameter.find('.'); dot != std::string::npos) {
    result.model = result.parameter.substr(0, dot);
    result.parameter = result.parameter.substr(dot + 1);
  }
  return result;
}

bool has_parameter(const any_model& model, const std::string& name) {
  const auto all = model.describe().parameters;
  return std::any_of(all.begin(), all.end(), [&](const auto& p) { return p.name == name; });
}

bool is_for(const setting& s, const any_model& model) {
  return s.model.empty() ? has_parameter(model, s.parameter) : s.model == model.key();
}

// Friction and hysteresis models are refused by find_impact, which says what they are.
void check_name(const std::string& key, const std::vector<std::string>& contacts) {
  for (const catalogue_entry* entry : catalogue())
    if (entry->key == key && entry->at == &ports::touch)
      throw error(fmt::format(
          "'{}' is a contact with friction: restitution takes contacts alone ({}), with the "
          "parameters of its normal force; a scenario of kind sphere_on_plane drops a sphere on it",
          key, fmt::join(contacts, ", ")));
  const auto all = catalogue();
  if (std::none_of(all.begin(), all.end(), [&](const auto* entry) { return entry->key == key; }))
    throw error(fmt::format("unknown contact model '{}': {}", key, nearest_names(key, contacts)));
}

std::vector<std::string> wanted_models(const restitution_arguments& given) {
  std::vector<std::string> contacts;
  for (const catalogue_entry* entry : catalogue())
    if (entry->at == &ports::press) contacts.push_back(entry->key);
  if (!given.all) {
    if (given.models.empty()) throw error("name a contact model, or say --all");
    for (const auto& key : given.models) check_name(key, contacts);
    return given.models;
  }
  if (!given.models.empty()) throw error("--all: name models or say --all, not both");
  return contacts;
}

std::vector<curve> read_curves(const restitution_arguments& given) {
  std::vector<setting> settings;
  for (const auto& text : given.settings)
    settings.push_back(option("--set", [&] { return split(text); }));
  std::optional<setting> over;
  if (!given.over.empty()) over = option("--over", [&] { return split(given.over); });

  impact_options options;
  options.mass =
      option("--mass", [&] { return parse_values(given.mass, units::kilogram, positive); }).front();
  options.force = option("--force", [&] { return in_si(given.force, units::newton); });
  options.ends_with = given.end == "gap" ? impact_options::end::gap : impact_options::end::force;
  const auto speeds = option("--speed", [&] {
    return parse_values(given.speeds, units::metre / units::second, positive);
  });

  std::vector<curve> curves;
  std::vector<bool> is_used(settings.size());
  bool over_is_used = false;
  for (const auto& key : wanted_models(given)) {
    const any_model plain(find_model(key));
    std::vector<std::string> own, warnings;
    for (std::size_t i = 0; i < settings.size(); ++i)
      if (is_for(settings[i], plain)) {
        own.push_back(settings[i].parameter + "=" + settings[i].value);
        is_used[i] = true;
      }
    curve next{{make_model(key, "", own, warnings), speeds, "", {}, options}, {}};
    for (const auto& message : warnings) warn(message);
    const bool varies = over && (over->parameter == "mass" || is_for(*over, plain));
    if (varies) {
      over_is_used = true;
      next.sweep.parameter = over->parameter;
      next.sweep.values = option("--over", [&] {
        return parse_values(over->value, unit_of_parameter(plain, over->parameter),
                            range_of_parameter(plain, over->parameter));
      });
    }
    curves.push_back(std::move(next));
  }
  for (std::size_t i = 0; i < settings.size(); ++i)
    if (!is_used[i])
      throw error(fmt::format("--set {}: no model here has such a parameter", given.settings[i]));
  if (over && !over_is_used)
    throw error(fmt::format("--over {}: no model here has such a parameter", given.over));
  return curves;
}

// ---- what is shown ------------------------------------------------------------------------------

std::string label(const curve& c, double value) {
  if (c.sweep.parameter.empty()) return c.sweep.model.key();
  const unit in = unit_of_parameter(c.sweep.model, c.sweep.parameter);
  const std::string text =
      fmt::format("{} {} = {:g}", c.sweep.model.key(), c.sweep.parameter, value);
  return in == units::one ? text : fmt::format("{} {}", text, to_string(in));
}

std::string cell(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : std::string("-");
}

// Follows from other columns: for files, not for the eye.
bool is_derived(const impact_column& column) {
  return std::string_view(column.name) == "loss" || std::string_view(column.name) == "lead";
}

std::string as_table(const std::vector<curve>& curves) {
  std::vector<std::vector<std::string>> rows{{"model", "speed [m/s]"}};
  const bool varies = std::any_of(curves.begin(), curves.end(),
                                  [](const curve& c) { return !c.sweep.parameter.empty(); });
  if (varies) rows[0].insert(rows[0].begin() + 1, "parameter");
  for (const auto& column : impact_columns()) {
    if (is_derived(column)) continue;
    rows[0].push_back(column.in == units::one
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
        if (!is_derived(column)) cells.push_back(cell(column.value(row.what)));
      cells.push_back(row.what.why);
      rows.push_back(std::move(cells));
    }
  return lined_up(rows);
}

nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

std::string as_json(const std::vector<curve>& curves, const std::string& end) {
  nlohmann::ordered_json result;
  result["end_of_contact"] = end;
  result["impacts"] = nlohmann::ordered_json::array();
  for (const auto& c : curves)
    for (const auto& row : c.rows) {
      nlohmann::ordered_json entry;
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
std::string as_csv(const curve& c) {
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

// Over the speed, or over the parameter where there is one speed only.
std::vector<plot_panel> panels(const std::vector<curve>& curves) {
  const bool over_speed = curves.front().sweep.speeds.size() > 1;
  std::vector<plot_panel> result;
  for (const auto& column : impact_columns()) {
    const std::string_view name = column.name;
    if (is_derived(column) || name == "time_to_deepest") continue;
    plot_panel panel;
    panel.title = column.title;
    panel.y_name = name;
    panel.y_in = column.in;
    panel.x_name = over_speed ? "speed of impact" : curves.front().sweep.parameter;
    panel.x_in = over_speed ? units::metre / units::second
                            : unit_of_parameter(curves.front().sweep.model, panel.x_name);
    double least = unbounded, most = 0;
    for (const auto& c : curves) {
      std::vector<plot_line> lines;
      for (const auto& row : c.rows) {
        const double y = column.value(row.what), x = over_speed ? row.speed : row.value;
        const std::string name_of_line = over_speed ? label(c, row.value) : c.sweep.model.key();
        if (lines.empty() || lines.back().label != name_of_line)
          lines.push_back({name_of_line, {}, {}});
        if (!std::isfinite(y)) continue;
        lines.back().x.push_back(x);
        lines.back().y.push_back(y);
        least = std::min(least, x);
        most = std::max(most, x);
      }
      for (auto& line : lines)
        if (!line.x.empty()) panel.lines.push_back(std::move(line));
    }
    panel.x_log = least > 0 && most >= 100 * least;
    // Over decades of speed, forces and times go over decades, too.
    panel.y_log = panel.x_log && !(column.in == units::one) &&
                  std::all_of(panel.lines.begin(), panel.lines.end(), [](const plot_line& line) {
                    return *std::min_element(line.y.begin(), line.y.end()) > 0;
                  });
    if (!panel.lines.empty()) result.push_back(std::move(panel));
  }
  return result;
}

void write(const std::vector<curve>& curves, const std::string& folder) {
  pending_folder pending(folder);
  for (const auto& c : curves) pending.write(c.sweep.model.key() + ".csv", as_csv(c));
  const bool has_axis =
      curves.front().sweep.speeds.size() > 1 || curves.front().sweep.values.size() > 1;
  if (has_axis) {
    const auto problem = draw("Restitution", panels(curves), plot_format::svg,
                              (pending.path() / "plot.svg").string(), &interrupted());
    if (!problem.empty()) warn(problem);
  }
  pending.commit();
}

int find_restitution(const restitution_arguments& given) {
  std::vector<curve> curves = read_curves(given);
  if (!given.out.empty()) pending_folder::check(given.out);
  bool stopped = false;
  {
    progress_bar bar(!given.quiet);
    for (std::size_t i = 0; i < curves.size() && !stopped; ++i) {
      curves[i].rows = find_impacts(curves[i].sweep, &interrupted(), [&](double share) {
        bar.show((static_cast<double>(i) + share) / static_cast<double>(curves.size()));
      });
      stopped = interrupted().load();
    }
  }
  // What --set made doubtful was said when it was read; values of --over are named here, once each.
  for (const auto& c : curves)
    for (std::size_t i = 0; i < c.rows.size(); ++i) {
      const bool said = c.sweep.parameter.empty() || c.sweep.parameter == "mass" ||
                        (i > 0 && c.rows[i - 1].value == c.rows[i].value);
      if (!said && !c.rows[i].doubt.empty())
        warn(fmt::format("--over: {}: {}", label(c, c.rows[i].value), c.rows[i].doubt));
    }
  if (!given.out.empty()) write(curves, given.out);
  if (given.as_json) {
    print(as_json(curves, given.end));
  } else if (!given.quiet) {
    print(as_table(curves));
  }
  if (stopped) {
    complain("interrupted; impacts until then are kept");
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
      "restitution", "What contact models make of an impact: restitution, time, force, depth");
  const auto given = std::make_shared<restitution_arguments>();
  command->add_option("MODEL", given->models, "Contact models, as `asperity models` lists them");
  command->add_flag("--all", given->all, "All contact models");
  command->add_option("--speed", given->speeds, "Of impact, in m/s: 2, or a range (1)")
      ->type_name("VALUES");
  command
      ->add_option("--over", given->over,
                   "Goes through a parameter, or \"mass\", as well: beta=lin(0, 0.01, 5)")
      ->type_name("PARAMETER=VALUES");
  add_settings(*command, given->settings,
               "A parameter of all models that have it, such as K=2e4, or of one: "
               "dai_contact.K=2e4; may be repeated");
  command->add_option("--mass", given->mass, "That meets the surface (1 kg)")
      ->type_name("QUANTITY");
  command
      ->add_option("--force", given->force,
                   "On the mass, away from the surface (0 N); its weight is below 0")
      ->type_name("QUANTITY");
  command
      ->add_option("--end", given->end,
                   "What ends a contact: that the force returns to 0, or that the gap does")
      ->check(CLI::IsMember({"force", "gap"}))
      ->capture_default_str();
  command
      ->add_option("--out", given->out,
                   "Folder for a CSV file per model and plot.svg, replaced as a whole")
      ->type_name("FOLDER");
  command->add_flag("--json", given->as_json, "For programs, in SI");
  command->add_flag("--quiet", given->quiet, "No table and no progress");
  command->footer(
      R"help(VALUES are 1, "1, 2, 5", "lin(FROM, TO, COUNT)" or "log(FROM, TO, COUNT)", with units where you like.
Each impact starts at touchdown; the highest force, the deepest point and the end of contact are
located exactly. Restitution is the speed at the end of contact over the speed of impact. Where the
mass stays in contact it is 0, and the last column says why. Residual is the indentation when the
force is lost. What does not happen has no number: "-", null with --json, an empty cell in CSV. A
rigid law does not say how bodies part.

Examples:
  asperity restitution hunt_crossley --speed "log(1 mm/s, 10 m/s, 50)" --set b=0.35
  asperity restitution kelvin_voigt --over "B=lin(0, 1000, 11)" --end gap
  asperity restitution --all --speed "log(1e-3, 10, 40)" --out compared
  asperity restitution dai_contact --mass "200 g" --force=-1.96 --speed "lin(0.1, 2, 20)")help");
  command->callback([=, &run] { run = [=] { return find_restitution(*given); }; });
}

}  // namespace asperity::cli
