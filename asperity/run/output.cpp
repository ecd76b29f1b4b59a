// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/draw/axis_name.hpp>
#include <asperity/error.hpp>
#include <asperity/integrate/watch.hpp>
#include <asperity/json_text.hpp>
#include <asperity/run/output.hpp>
#include <asperity/run/overlay.hpp>
#include <asperity/text.hpp>
#include <asperity/text/csv.hpp>
#include <asperity/text/pending_folder.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace asperity {

namespace {

using json = nlohmann::ordered_json;

json with_unit(double value, unit in) { return {{"value", value}, {"unit", to_string(in)}}; }

// Numbers by name. An ordered object looks a name up one by one, and there may be as many as
// 40 000: they are put at its end instead, each name once with the last of its values.
json by_name(const std::vector<named_scalar>& all) {
  json::object_t result;
  std::unordered_map<std::string, std::size_t> place;
  for (const auto& each : all) {
    const auto [known, is_new] = place.emplace(each.name, result.size());
    if (is_new)
      result.emplace_back(each.name, with_unit(each.value, each.in));
    else
      (result.begin() + static_cast<std::ptrdiff_t>(known->second))->second =
          with_unit(each.value, each.in);
  }
  return result;
}

}  // namespace

const char* version() { return ASPERITY_VERSION; }

std::string series_csv(const run_data& data) {
  std::vector<csv_column> columns;
  for (const auto& each : data.columns) columns.push_back({each.name, &each.values});
  return to_csv(columns);
}

std::string audit_csv(const run_data& data) {
  std::vector<csv_column> columns{{"t", &data.audit->t}};
  for (const auto& each : data.audit->columns) columns.push_back({each.name, &each.values});
  return to_csv(columns);
}

std::string summary_json(const scenario& s, const run_data& data) {
  // So many event times at most; all of them are counted.
  constexpr std::size_t most_times = 1000;
  // Objects and lists are made before they are filled: a null that turns into one where memory runs out
  // crashes the library's destructor.
  json summary = json::object();
  summary["asperity"] = version();
  summary["name"] = s.name;
  summary["title"] = s.title;
  const system_card& card = s.system->card();
  summary["system"] = card.kind;
  if (card.models.size() == 1) {
    const any_model& model = *card.models.front().model;
    summary["model"] = model.key();
    if (!model.curve().empty()) summary["curve"] = model.curve();
  }
  summary["method"] = s.method->name;
  json steps_of = json::object();
  for (const auto& each : data.shares) steps_of[each.method] = each.steps;
  if (!steps_of.empty()) summary["steps_of"] = std::move(steps_of);
  summary["outcome"] = to_string(data.result.how);
  if (!data.result.detail.empty()) summary["detail"] = data.result.detail;
  if (!data.hint.empty()) summary["hint"] = data.hint;
  summary["reached"] = with_unit(data.result.t, units::second);
  summary["steps"] = data.result.steps;
  summary["rejected_steps"] = data.result.rejected;
  summary["evaluations"] = data.result.evaluations;
  summary["columns"] = json::array();
  for (const auto& each : data.columns)
    summary["columns"].push_back({{"name", each.name}, {"unit", to_string(each.in)}});
  if (const auto scalars = data.scalars(); !scalars.empty()) summary["scalars"] = by_name(scalars);
  summary["events"] = json::object();
  for (const auto& name : data.event_names) {
    auto times = data.times_of(name);
    const std::size_t count = times.size();
    if (count > most_times) times.resize(most_times);
    summary["events"][name] = {{"count", count}, {"times", {{"value", times}, {"unit", "s"}}}};
  }
  if (data.audit) {
    const audit_report& audit = *data.audit;
    json balance = json::object();
    balance["exchanged"] = with_unit(audit.exchanged, units::joule);
    balance["greatest_gap"] = with_unit(audit.residual, units::joule);
    balance["greatest_gap_relative"] = audit.relative_residual();
    balance["greatest_gap_in"] = audit.residual_in;
    balance["greatest_gap_at"] = with_unit(audit.residual_at, units::second);
    balance["tolerance"] = audit.tolerance;
    json at_the_end = json::object();
    for (const auto& each : audit.columns)
      if (!each.values.empty()) at_the_end[each.name] = with_unit(each.values.back(), units::joule);
    if (!at_the_end.empty()) balance["at_the_end"] = std::move(at_the_end);
    balance["findings"] = json::array();
    for (const auto& each : audit.findings)
      balance["findings"].push_back({{"where", each.where},
                                     {"what", each.what},
                                     {"from", with_unit(each.t, units::second)},
                                     {"size", with_unit(each.size, units::joule)}});
    if (!audit.notes.empty()) balance["notes"] = audit.notes;
    summary["audit"] = balance;
  }
  json step_errors = json::object();
  for (const auto& each : data.step_errors) step_errors[each.name] = with_unit(each.value, each.in);
  if (!step_errors.empty()) summary["step_errors"] = std::move(step_errors);
  std::vector<std::string> warnings = s.warnings;
  warnings.insert(warnings.end(), data.doubts.begin(), data.doubts.end());
  if (!warnings.empty()) summary["warnings"] = warnings;
  return json_text(summary);
}

figure figure_of(const scenario& s, const run_data& data, const record* measured) {
  figure result{as_utf8(s.title)};
  for (const panel& wanted : s.panels) {
    const column* x = data.find(wanted.x);
    figure_panel drawn{printable(wanted.title),
                       {wanted.x, x->in, wanted.x_unit},
                       {axis_name(wanted.y), data.find(wanted.y.front())->in, wanted.y_unit}};
    for (const auto& name : wanted.y)
      drawn.series.push_back({name, x->values, data.find(name)->values});
    if (measured != nullptr) add_measured(drawn, *measured, wanted.x, wanted.y);
    result.panels.push_back(std::move(drawn));
  }
  if (data.audit) {
    // Energies that ever matter, and below them the gaps of the balances.
    figure_panel where{"Energy", {"t", units::second}, {"energy", units::joule}};
    figure_panel gaps{"Gaps in the energy balance", {"t", units::second}, {"gap", units::joule}};
    for (const auto& each : data.audit->columns) {
      const bool is_gap = each.name.rfind("residual_", 0) == 0;
      const bool is_part = each.name.rfind("taken_", 0) != 0;
      const bool matters = std::any_of(each.values.begin(), each.values.end(), [&](double value) {
        return std::abs(value) > 1e-3 * data.audit->exchanged;
      });
      if (is_gap) gaps.series.push_back({each.name, data.audit->t, each.values});
      if (!is_gap && is_part && matters)
        where.series.push_back({each.name, data.audit->t, each.values});
    }
    for (auto* drawn : {&where, &gaps})
      if (!drawn->series.empty()) result.panels.push_back(std::move(*drawn));
  }
  return result;
}

void check_output(const output_options& options) {
  pending_folder::check(options.folder);
  if (options.series == series_format::h5 && !has_hdf5())
    throw error("this build cannot write HDF5 (libhdf5-dev was not found): use --format csv");
}

written_run write_run(const scenario& s, const run_data& data, const output_options& options) {
  check_output(options);
  pending_folder folder(options.folder);
  if (options.series == series_format::h5) {
    folder.write("series.h5", series_hdf5(data));
  } else {
    folder.write("series.csv", series_csv(data));
  }
  if (data.audit) folder.write("audit.csv", audit_csv(data));
  if (options.measured != nullptr) folder.write("measured.csv", record_csv(*options.measured));
  folder.write("summary.json", summary_json(s, data));
  folder.write("resolved.toml", to_toml(s.resolved));
  for (const auto& file : s.attachments) folder.write(file.file, file.text);

  written_run written{options.folder, {}};
  if (options.plot != plot_format::none) {
    const char* file = options.plot == plot_format::svg ? "plot.svg" : "plot.png";
    const std::string problem = is_set(options.interrupt)
                                    ? "no plot: the run was interrupted"
                                    : draw(figure_of(s, data, options.measured), options.plot,
                                           (folder.path() / file).string(), options.interrupt);
    if (!problem.empty()) written.warnings.push_back(problem);
  }
  if (options.replaces) {
    folder.commit();
  } else {
    written.folder = folder.commit_beside_others();
  }
  return written;
}

}  // namespace asperity
