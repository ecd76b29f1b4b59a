// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/batch/device.hpp>
#include <asperity/identify/report.hpp>
#include <asperity/identify/scenario_report.hpp>
#include <asperity/integrate/watch.hpp>
#include <asperity/json_text.hpp>
#include <asperity/publish/fit_page.hpp>
#include <asperity/quantity.hpp>
#include <asperity/run/scenario.hpp>
#include <asperity/text/csv.hpp>
#include <asperity/text/pending_folder.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "cli/device_option.hpp"
#include "cli/examples.hpp"
#include "cli/modules.hpp"
#include "cli/record_options.hpp"

namespace asperity::cli {

namespace {

struct fit_arguments {
  std::string what, curve, drive, loss = "squares", settle, period, out, join;
  std::string time_limit, device = "cpu";
  std::vector<std::string> data, validate, settings, free, held, sensor, matches, inputs, starts_at,
      bounds, each_record, compare;
  double confidence = 0.95;
  std::optional<double> hold_out;
  int warm_up = 1;
  std::optional<int> starts, elements;
  int threads = 0;
  unsigned seed = 1;
  bool as_json = false, own_start = false, no_intervals = false;
  record_options columns;
  std::vector<std::string> options;  // that were given, by their names

  bool gives(std::string_view option) const {
    return std::find(options.begin(), options.end(), option) != options.end();
  }
};

// An option that would change nothing is a mistake, and is not passed over.
void refuse_without_effect(const fit_arguments& given, const std::vector<const char*>& options,
                           const std::string& why) {
  for (const char* each : options)
    if (given.gives(each)) throw error(fmt::format("{} has no effect {}: leave it out", each, why));
}

std::vector<std::string> names_in(const std::vector<std::string>& lists) {
  std::vector<std::string> result;
  for (const std::string& list : lists) {
    std::size_t begin = 0;
    while (begin <= list.size()) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      std::string name = list.substr(begin, end - begin);
      name.erase(0, name.find_first_not_of(' '));
      name.erase(name.find_last_not_of(' ') + 1);
      if (!name.empty()) result.push_back(name);
      begin = end + 1;
    }
  }
  return result;
}

std::pair<std::string, std::string> split_pair(const std::string& option, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw error(fmt::format("{} {}: it must be NAME=VALUE", option, text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

fit_options options_of(const fit_arguments& given) {
  fit_options options;
  options.robust = given.loss == "huber"    ? fit_options::loss::huber
                   : given.loss == "cauchy" ? fit_options::loss::cauchy
                                            : fit_options::loss::squares;
  if (given.starts) options.starts = *given.starts;
  options.threads = given.threads;
  options.seed = given.seed;
  options.intervals = !given.no_intervals;
  options.confidence = given.confidence;
  options.time_limit = time_limit_of({given.time_limit, ""});
  options.interrupt = &interrupted();
  return options;
}

double settle_of(const fit_arguments& given) {
  if (given.settle.empty()) return 0;
  const double time = read_option("--settle", [&] { return in_si(given.settle, units::second); });
  if (!(time >= 0)) throw error(fmt::format("--settle {}: it must be at least 0 s", given.settle));
  return time;
}

// 0: it has none.
double period_of(const fit_arguments& given) {
  if (given.period.empty()) return 0;
  const double time = read_option("--period", [&] { return in_si(given.period, units::second); });
  if (!(time > 0)) throw error(fmt::format("--period {}: it must be above 0 s", given.period));
  return time;
}

int nothing_yet() {
  complain("interrupted before the first comparison with the record: there is nothing to show");
  return was_interrupted;
}

int code_of(fit_result::ending how) {
  if (how == fit_result::ending::interrupted) {
    complain("interrupted: this is the best result so far");
    return was_interrupted;
  }
  return how == fit_result::ending::failed ? numerical_failure : success;
}

// ---- a model along records ---------------------------------------------------------------------------

model_fit_options model_options_of(const fit_arguments& given) {
  model_fit_options options;
  options.free = names_in(given.free);
  options.held = names_in(given.held);
  options.drive = given.drive;
  options.settle = settle_of(given);
  options.hold_out = given.hold_out.value_or(0.25);
  options.own_start = given.own_start;
  if (!given.sensor.empty()) {
    options.offset = false;
    for (const std::string& each : names_in(given.sensor)) {
      if (each == "offset") {
        options.offset = true;
      } else if (each == "gain") {
        options.gain = true;
      } else if (each == "delay") {
        options.delay = true;
      } else if (each == "stiffness") {
        options.stiffness = true;
      } else if (each != "none") {
        throw error(
            fmt::format("--sensor {}: allowed: offset, gain, delay, stiffness, none", each));
      }
    }
  }
  return options;
}

// The name of a column of a file may end with the unit that its values had there: "drive_kN [N]".
std::string name_in_si(const record::channel& of) {
  if (!of.in || is_plain(*of.in)) return of.name;
  const std::string in = to_string(*of.in);
  return of.name.ends_with("_" + in) ? of.name : fmt::format("{} [{}]", of.name, in);
}

std::string motion_csv(const record& rec, bool names_units = false) {
  std::vector<csv_column> columns;
  std::vector<std::string> names;
  for (const auto& each : rec.channels) names.push_back(names_units ? name_in_si(each) : each.name);
  std::vector<double> t(rec.t);
  for (double& each : t) each -= rec.t.front();
  columns.push_back({"t", &t});
  for (std::size_t i = 0; i < names.size(); ++i)
    columns.push_back({names[i], &rec.channels[i].values});
  return to_csv(columns);
}

void write_report(const fit_arguments& given, const model_report& r, const comparison* compared,
                  const std::vector<record>& records) {
  pending_folder folder(given.out);
  const model_fit_options options = [&] {
    model_fit_options o = model_options_of(given);
    o.hold_out = 0;
    o.interrupt = &interrupted();
    return o;
  }();
  folder.write("fit.txt",
               report_text(r) + (compared != nullptr ? "\n" + comparison_text(*compared) : ""));
  folder.write("fit.json", json_text(report_json(r)));
  if (compared != nullptr) folder.write("comparison.json", json_text(comparison_json(*compared)));
  const record& rec = records.front();
  const bool is_whole = r.result.how != fit_result::ending::interrupted;
  // Files of long records take time, which who interrupts or sets a limit does not have.
  constexpr std::size_t many_rows = 100'000;
  const bool has_time =
      is_whole && (r.result.how != fit_result::ending::time_limit || rec.t.size() < many_rows);
  std::vector<double> shown;
  if (has_time) try {
      shown = model_fit(r.fitted, records, options).predicted(r.result.values, 0);
    } catch (const error&) {
      shown.clear();
    } catch (const interruption&) {
      shown.clear();
    }
  const std::string no_scenario = why_no_scenario(r.fitted, rec);
  const bool has_motion = no_scenario.empty() && (is_whole || rec.t.size() < many_rows);
  if (!no_scenario.empty())
    warn(fmt::format("{} has no fitted.toml: {}", given.out, no_scenario));
  else if (!has_motion)
    warn(fmt::format("{} lacks motion.csv and fitted.toml, since the fit was interrupted",
                     given.out));
  if (has_motion) {
    folder.write("motion.csv", motion_csv(rec));
    folder.write("fitted.toml", report_scenario(r, "motion.csv", rec, given.drive));
  }
  for (const std::string& problem :
       write_fit_page(folder, page_of_fit(r, compared, rec, shown), &interrupted()))
    warn(problem);
  folder.commit();
}

// So many elements, which share alike at the start.
void set_elements(any_model& model, int elements) {
  const auto about = model.describe();
  const auto count = std::find_if(about.parameters.begin(), about.parameters.end(),
                                  [](const auto& p) { return p.count != nullptr; });
  if (count == about.parameters.end())
    throw error(fmt::format("--elements {}: model '{}' has no elements", elements, model.key()));
  model.set(count->name, elements);
  for (const auto& p : about.parameters)
    if (p.is_share) model.set(p.name, 1.0 / elements);
}

// The device that tries the starting points; null where that is the processor.
std::unique_ptr<lane_device> device_for(const fit_arguments& given, const any_model* model,
                                        const model_fit_options& options) {
  if (given.device == "cpu") return nullptr;
  const auto tell = [&](const std::string& words) {
    if (!given.as_json) say(fmt::format("asperity: {}\n", words));
  };
  try {
    auto device = open_lane_device(
        module_folders(), given.device == "kernels" ? kernels_on::threads : kernels_on::gpu);
    const std::string why = model != nullptr ? why_not_on_device(*device, *model, options)
                                             : "a system can be simulated on the processor only";
    if (!why.empty())
      throw error(fmt::format("device '{}': this fit cannot run on it: {}; use --device cpu",
                              given.device, why));
    tell(fmt::format("starting points on {}", device->where()));
    return device;
  } catch (const error& problem) {
    if (given.device != "auto") throw;
    tell(fmt::format("the processor is used, since {}", problem.what()));
  }
  return nullptr;
}

// The commonest mistake: the force on the body in place of that of friction.
void warn_of_driving(const record& rec) {
  const work_of_record work = work_of(rec);
  if (!work.drives()) return;
  const std::string& from = rec.find_channel("f")->from;
  warn(
      fmt::format("{}: the force drives the motion ({:.4g} J along the record), which friction "
                  "cannot do: by convention, friction has the sign of the velocity. Give the force "
                  "with the opposite sign: --f=\"{}\"",
                  rec.name, -work.taken, from.starts_with('-') ? from.substr(1) : "-" + from));
}

// The models to compare, the one that is named among them; that one alone without --compare.
std::vector<any_model> models_to_fit(const fit_arguments& given, const any_model& model) {
  if (given.compare.empty()) return {model};
  std::vector<any_model> models;
  const std::vector<std::string> wanted = names_in(given.compare);
  for (const catalogue_entry* entry : catalogue()) {
    if (entry->at != &model.at()) continue;
    const bool is_wanted = std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
      return name == "all" || name == entry->key || name == entry->family;
    });
    if (entry->key == given.what) {
      models.push_back(model);
    } else if (is_wanted) {
      models.emplace_back(*entry);
    }
  }
  for (const std::string& name : wanted)
    if (name != "all" && std::none_of(catalogue().begin(), catalogue().end(),
                                      [&](const catalogue_entry* e) { return e->family == name; }))
      static_cast<void>(find_entry(name));
  return models;
}

int fit_to_records(const fit_arguments& given) {
  refuse_without_effect(given,
                        {"--validate", "--match", "--input", "--join", "--period", "--warm-up",
                         "--begin", "--each", "--bound"},
                        "on the fit of a model, but only on that of a scenario (.toml)");
  if (!given.compare.empty())
    refuse_without_effect(given, {"--free", "--hold"},
                          "with --compare, which fits all parameters of each model");
  for (const std::string& each : given.compare)
    if (each.find('=') != std::string::npos)
      throw error(
          fmt::format("--compare {}: models are compared by their names or families, such "
                      "as --compare all; NAME=ITEMS is for scenarios (.toml)",
                      each));
  std::vector<std::string> warnings;
  any_model model = make_any_model(given.what, given.curve, given.settings, warnings);
  if (given.elements) set_elements(model, *given.elements);
  for (const auto& message : warnings) warn(message);
  const std::vector<any_model> models = models_to_fit(given, model);
  record_columns columns = columns_of(given.columns, model.at(), false, true);
  std::vector<record> records;
  for (const std::string& file : given.data)
    records.push_back(read_measured(file, given.columns, columns, models));
  if (!given.out.empty()) pending_folder::check(given.out);
  if (model.entry().family == "friction")
    for (const record& each : records) warn_of_driving(each);

  model_fit_options of_model = model_options_of(given);
  const auto device = device_for(given, &model, of_model);
  of_model.device = device.get();
  fit_options of_fit = options_of(given);
  progress_bar bar(!given.as_json);
  if (given.compare.empty()) {
    of_fit.progress = [&](double share) { bar.show(share); };
    std::optional<model_report> report;
    try {
      report = fit_model(model, records, of_model, of_fit);
    } catch (const interruption&) {
      return nothing_yet();
    }
    model_report& r = *report;
    if (r.result.how == fit_result::ending::failed) {
      complain(fmt::format("{}: {}", r.model, r.result.detail));
      return numerical_failure;
    }
    if (model.at().is_line()) {
      const repeatability again = repeatability_of(records.front(), r.deviation);
      if (again.strokes > 6)
        r.findings.push_back(
            fmt::format("{} strokes repeat each other within {:.2f} % of the standard deviation: a "
                        "model without drift cannot fit much better than that.",
                        again.strokes, 100 * again.share));
    }
    if (!given.out.empty()) write_report(given, r, nullptr, records);
    print(given.as_json ? json_text(report_json(r)) : report_text(r));
    return code_of(r.result.how);
  }

  compare_options options{of_model, of_fit, {}};
  options.of_model.free.clear();
  options.of_model.held.clear();
  options.of_fit.intervals = false;
  if (given.time_limit.empty()) options.of_fit.time_limit = 120;
  options.progress = [&](double share, const std::string&) { bar.show(share); };
  const comparison c = compare_models(models, records, options);
  if (c.ranking.empty() && interrupted()) {
    complain("interrupted before the first model was fitted: there is nothing to show");
    return was_interrupted;
  }
  if (c.ranking.empty()) {
    complain(c.verdict);
    return numerical_failure;
  }
  if (!given.out.empty()) write_report(given, c.ranking.front(), &c, records);
  const repeatability again = repeatability_of(records.front(), c.ranking.front().deviation);
  std::string text = comparison_text(c);
  if (again.strokes > 6)
    text += fmt::format(
        "{} strokes repeat each other within {:.2f} % of the standard deviation: a model without "
        "drift cannot fit much better than that.\n",
        again.strokes, 100 * again.share);
  print(given.as_json ? json_text(comparison_json(c)) : text);
  if (interrupted()) {
    complain("interrupted: models that were not fitted yet are missing");
    return was_interrupted;
  }
  return success;
}

// ---- a system ------------------------------------------------------------------------------------------

// Rows of a period are those of a trigonometric polynomial: lines between them would be another input.
std::string join_of(const fit_arguments& given) {
  if (!given.join.empty()) return given.join;
  return given.period.empty() ? "linear" : "band_limited";
}

// Items between commas that stand in no list, table or text: "K_m,K_e,friction.kappa=[1, 2]".
std::vector<std::string> items_of(const std::string& text) {
  std::vector<std::string> result;
  std::string item;
  int depth = 0;
  char quote = 0;
  const auto end_item = [&] {
    item.erase(0, item.find_first_not_of(' '));
    item.erase(item.find_last_not_of(' ') + 1);
    if (!item.empty()) result.push_back(item);
    item.clear();
  };
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth <= 0) {
      end_item();
      continue;
    }
    item += c;
  }
  end_item();
  return result;
}

// NAME=ITEMS: a key is found in addition to those of --free, KEY=VALUE is set.
std::vector<scenario_candidate> candidates_of(const fit_arguments& given,
                                              const std::vector<std::string>& free) {
  std::vector<scenario_candidate> result;
  for (const std::string& each : given.compare) {
    const auto equals = each.find('=');
    if (equals == std::string::npos || equals == 0)
      throw error(fmt::format(
          "--compare {}: candidates of a scenario are given as NAME=ITEMS, such as "
          "\"stribeck=system.K_cs,system.omega_s\": a key is found in addition to those of "
          "--free, KEY=VALUE is set",
          each));
    scenario_candidate candidate{each.substr(0, equals), free, {}};
    if (std::any_of(result.begin(), result.end(),
                    [&](const auto& other) { return other.name == candidate.name; }))
      throw error(
          fmt::format("--compare {}: there are two candidates of this name", candidate.name));
    for (const std::string& item : items_of(each.substr(equals + 1))) {
      if (item.find('=') != std::string::npos)
        candidate.settings.push_back(item);
      else if (std::find(candidate.keys.begin(), candidate.keys.end(), item) ==
               candidate.keys.end())
        candidate.keys.push_back(item);
    }
    result.push_back(std::move(candidate));
  }
  return result;
}

// Channels of a scenario have the units of their columns, which must be those of its inputs.
void check_units(const fit_arguments& given, const scenario_record& of) {
  if (given.inputs.empty()) return;
  const scenario s = read_scenario(of.document, of.name, of.folder);
  for (const std::string& input : given.inputs) {
    const auto [key, channel] = split_pair("--input", input);
    const std::optional<unit> is = of.measured.find_channel(channel)->in;
    const toml_value* values = s.resolved.find(key);
    values = values != nullptr ? values->find("values") : nullptr;
    if (!is || values == nullptr || !values->in || is_plain(*values->in)) continue;
    const unit wanted = s.is_rotary ? rotary(*values->in) : *values->in;
    if (!(*is == *values->in) && !(*is == wanted))
      throw error(fmt::format(
          "--input {}: {} is in {}, but the column is in {}: if the end of its name is "
          "no unit, give the column as --column {}={}:{}",
          input, key, to_string(wanted), to_string(*is), channel, channel, to_string(wanted)));
  }
}

// What the files, the inputs and the options make of each record: those of --data, then those of --validate.
std::vector<scenario_record> records_of(const fit_arguments& given, const toml_value& document,
                                        const std::vector<scenario_match>& matches) {
  const std::filesystem::path path(given.what);
  const std::string name = path.stem().string(), folder = path.parent_path().string();
  std::vector<record_channel> channels;
  // One column may be compared, an input and a start; every row of an input is needed.
  const auto add = [&](const std::string& channel, bool may_lack) {
    const auto there = std::find_if(channels.begin(), channels.end(),
                                    [&](const auto& each) { return each.name == channel; });
    if (there == channels.end())
      channels.push_back({channel, {}, may_lack});
    else
      there->may_lack = there->may_lack && may_lack;
  };
  for (const auto& each : matches) add(each.channel, true);
  for (const std::string& each : given.inputs) add(split_pair("--input", each).second, false);
  for (const std::string& each : given.starts_at) add(split_pair("--begin", each).second, true);
  record_columns columns = columns_of(given.columns, channels);
  columns.bridge_gaps = true;  // a system has one run, and its inputs go on between their rows
  const double period = period_of(given);
  std::vector<std::string> files = given.data;
  files.insert(files.end(), given.validate.begin(), given.validate.end());
  std::vector<scenario_record> records;
  for (const std::string& file : files) {
    scenario_record each{document, name, folder, read_measured(file, given.columns, columns),
                         settle_of(given)};
    const std::size_t told = each.measured.warnings.size();
    for (const std::string& input : given.inputs)
      if (const auto [key, channel] = split_pair("--input", input);
          key == "load" || key.ends_with(".load"))
        take_noise_below_0_as_0(each.measured, channel);
    for (std::size_t k = told; k < each.measured.warnings.size(); ++k)
      warn(fmt::format("{}: {}", file, each.measured.warnings[k]));
    if (period > 0) {
      each.measured = average_periods(each.measured, period, given.warm_up);
      for (const auto& words : each.measured.warnings) warn(fmt::format("{}: {}", file, words));
      each.settle = std::max(each.settle, period * given.warm_up);
    }
    for (const std::string& input : given.inputs) {
      const auto [key, channel] = split_pair("--input", input);
      set_input(each.document, key, each.measured, channel, join_of(given), period);
    }
    for (const std::string& start : given.starts_at) {
      const auto [state, channel] = split_pair("--begin", start);
      const auto* values = each.measured.find(channel);
      if (values == nullptr)
        throw error(
            fmt::format("--begin {}: the record {} has no channel '{}'", start, file, channel));
      if (std::isnan(values->front()))
        throw error(fmt::format(
            "--begin {}: the first row of {} lacks a number of '{}': leave it out (--from)", start,
            file, channel));
      assign(each.document, "initial." + state, toml_value::of(values->front()));
    }
    for (const std::string& own : given.each_record) {
      const auto [key, list] = split_pair("--each", own);
      const auto values = names_in({list});
      if (values.size() != files.size())
        throw error(
            fmt::format("--each {}: there are {} values for {} records: give one value for "
                        "each --data{}",
                        own, values.size(), files.size(),
                        given.validate.empty() ? "" : ", then one for each --validate"));
      apply_override(each.document, fmt::format("{}={}", key, values[records.size()]));
    }
    if (records.empty()) check_units(given, each);
    records.push_back(std::move(each));
  }
  return records;
}

void write_system_report(const fit_arguments& given, const scenario_setup& setup,
                         const scenario_report& r, const scenario_comparison* compared) {
  pending_folder folder(given.out);
  const std::string ranking = compared == nullptr ? "" : comparison_text(*compared) + "\n";
  folder.write("fit.txt", ranking + report_text(r));
  folder.write("fit.json", json_text(report_json(r)));
  if (compared != nullptr) folder.write("comparison.json", json_text(comparison_json(*compared)));
  // As the first record has it: its start, its own keys, its inputs, and its length.
  const record& first = setup.records.front().measured;
  toml_value fitted = fitted_document(setup.records.front().document, r);
  assign(fitted, "run.duration", toml_value::of(first.t.back() - first.t.front()));
  if (!given.inputs.empty()) {
    const double period = period_of(given);
    const std::string join = join_of(given);
    folder.write("input.csv", motion_csv(first, true));
    for (const std::string& input : given.inputs) {
      const auto [key, channel] = split_pair("--input", input);
      toml_value table;  // in place of whatever the scenario had
      assign(table, "kind", toml_value::of(std::string("csv")));
      assign(table, "file", toml_value::of(std::string("input.csv")));
      std::string column = name_in_si(*first.find_channel(channel));
      if (key.starts_with(
              "inputs.")) {  // of an inclusion, which says its unit, or takes plain numbers
        const toml_value* inputs = fitted.find("inputs");
        const toml_value* before = inputs != nullptr ? inputs->find(key.substr(7)) : nullptr;
        const toml_value* in = before != nullptr ? before->find("unit") : nullptr;
        if (in != nullptr)
          assign(table, "unit", *in);
        else
          column += "*1";
      }
      assign(table, "column", toml_value::of(column));
      assign(table, "join", toml_value::of(join));
      if (period > 0 && join == "band_limited") assign(table, "period", toml_value::of(period));
      assign(fitted, key, std::move(table));
    }
  }
  folder.write("fitted.toml", to_toml(fitted));
  for (const std::string& problem :
       write_fit_page(folder, page_of_fit(r, compared), &interrupted()))
    warn(problem);
  folder.commit();
}

int fit_to_system(const fit_arguments& given) {
  refuse_without_effect(
      given, {"--curve", "--elements", "--sensor", "--drive", "--own-start", "--bandwidth"},
      "on the fit of a scenario, but only on that of a model");
  refuse_without_effect(
      given, {"--hold"},
      "on the fit of a scenario, where every key that neither --free nor --compare names is held");
  if (given.inputs.empty()) refuse_without_effect(given, {"--join"}, "without --input");
  if (given.period.empty()) refuse_without_effect(given, {"--warm-up"}, "without --period");
  if (given.starts.value_or(0) == 0 && given.no_intervals)
    refuse_without_effect(given, {"--seed"}, "without --starts and with --no-intervals");
  toml_value document = read_toml(given.what);
  for (const std::string& setting : given.settings) apply_override(document, setting);
  const auto keys = names_in(given.free);
  const auto candidates = candidates_of(given, keys);
  if (keys.empty() && candidates.empty())
    throw error(
        "--free is missing: name the keys of the scenario to find, such as "
        "friction.F_c,system.mass");
  if (given.matches.empty())
    throw error(
        "--match is missing: say which column of the run is compared with which channel, such as "
        "x=x");
  const auto is_found = [&](const std::string& key) {
    const auto has = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), key) != list.end();
    };
    return has(keys) || std::any_of(candidates.begin(), candidates.end(),
                                    [&](const auto& each) { return has(each.keys); });
  };
  for (const std::string& own : given.each_record)
    if (const auto key = split_pair("--each", own).first; is_found(key))
      throw error(
          fmt::format("--each {}: {} is one of the keys to find, which have one value for "
                      "all records",
                      own, key));
  scenario_setup setup;
  for (const std::string& each : given.matches) {
    const auto [column, channel] = split_pair("--match", each);
    setup.matches.push_back({column, channel, given.matches.size() > 1 ? 0.0 : 1.0});
  }
  for (const std::string& each : given.bounds) {
    const auto [key, ends] = split_pair("--bound", each);
    const auto colon = ends.find(':');
    if (!is_found(key) || colon == std::string::npos)
      throw error(fmt::format(
          "--bound {}: it must be KEY=LOW:HIGH, where KEY is one of the keys of --free", each));
    setup.bounds.push_back({key, ends.substr(0, colon), ends.substr(colon + 1)});
  }
  setup.hold_out = given.hold_out.value_or(0);
  setup.threads = given.threads;
  setup.records = records_of(given, document, setup.matches);
  const auto fitted = static_cast<std::ptrdiff_t>(given.data.size());
  setup.validation.assign(std::make_move_iterator(setup.records.begin() + fitted),
                          std::make_move_iterator(setup.records.end()));
  setup.records.resize(given.data.size());
  if (!given.out.empty()) pending_folder::check(given.out);
  static_cast<void>(device_for(given, nullptr, {}));
  fit_options options = options_of(given);
  if (!given.starts) {
    options.starts = options.searches_on = 0;
    options.nearby = 1;  // a run of a system takes long
  }
  progress_bar bar(!given.as_json);
  options.progress = [&](double share) { bar.show(share); };

  if (candidates.empty()) {
    const scenario_report r = fit_scenario(setup, {"", keys, {}}, options);
    const fit_result& found = r.result;
    if (found.how == fit_result::ending::interrupted && found.residual.empty())
      return nothing_yet();
    if (found.how == fit_result::ending::time_limit && found.residual.empty())
      throw error(fmt::format(
          "--time-limit {}: it is too short: the system was not compared with the record once",
          given.time_limit));
    if (found.how == fit_result::ending::failed) {
      complain(fmt::format("{}: {}", given.what, found.detail));
      return numerical_failure;
    }
    if (!given.out.empty()) write_system_report(given, setup, r, nullptr);
    print(given.as_json ? json_text(report_json(r)) : report_text(r));
    return code_of(found.how);
  }
  const scenario_comparison c = compare_scenarios(setup, candidates, options);
  if (c.ranking.empty() && interrupted()) {
    complain("interrupted before the first candidate was fitted: there is nothing to show");
    return was_interrupted;
  }
  if (c.ranking.empty()) {
    for (const auto& each : c.failures)
      complain(fmt::format("candidate {}: {}", each.candidate, each.why));
    return numerical_failure;
  }
  const scenario_report& best = c.ranking.front();
  if (!given.out.empty()) write_system_report(given, setup, best, &c);
  print(given.as_json ? json_text(comparison_json(c))
                      : comparison_text(c) + "\n" + report_text(best));
  if (interrupted()) {
    complain("interrupted: candidates that were not fitted yet are missing");
    return was_interrupted;
  }
  return success;
}

int fit_anything(const fit_arguments& given) {
  if (const double share = given.hold_out.value_or(0); !(share >= 0 && share < 0.9))
    throw error(fmt::format("--hold-out {:g}: it must be at least 0 and below 0.9", share));
  if (given.data.empty()) throw error("--data is missing: name the file of the measurement");
  return given.what.ends_with(".toml") ? fit_to_system(given) : fit_to_records(given);
}

}  // namespace

void add_fit(CLI::App& app, action& run) {
  auto* command =
      app.add_subcommand("fit", "Fit the parameters of a model or a system to measured records");
  const auto given = std::make_shared<fit_arguments>();
  command
      ->add_option("MODEL", given->what,
                   "Name of the model, as listed by `asperity models`, or a scenario file (.toml) "
                   "of a system")
      ->required();
  add_repeated(*command, "--data FILE", given->data,
               "CSV or HDF5 file of the measurement; may be repeated: all records share one set of "
               "parameters");
  add_repeated(
      *command, "--validate FILE", given->validate,
      "For a scenario: further measurement that the result is judged on, but not fitted to; "
      "may be repeated");
  add_record_options(*command, given->columns);
  command->add_option("--curve", given->curve,
                      "Stribeck curve to use, for models that take one (default: their own)");
  add_settings(*command, given->settings,
               "Set a parameter that is held, or any key of a scenario; may be repeated");
  command
      ->add_option("--elements", given->elements,
                   "Number of elements, for models made of several (default: that of the model)")
      ->check(CLI::PositiveNumber);
  add_repeated(*command, "--free NAMES", given->free,
               "Parameters to find, separated by commas (default: all but exponents); required for "
               "a scenario, with its keys, such as friction.F_c,system.mass");
  add_repeated(*command, "--hold NAMES", given->held,
               "Parameters that keep their value, separated by commas");
  add_repeated(*command, "--sensor NAMES", given->sensor,
               "Errors of the force sensor to fit as well: offset, gain, delay, stiffness (a force "
               "proportional to x), or none (default: offset)");
  command
      ->add_option("--drive", given->drive,
                   "Column that drives the model if the record has both x and v (default: v for "
                   "friction, x otherwise)")
      ->check(CLI::IsMember({"x", "v"}));
  add_option(*command, "--settle TIME", given->settle,
             "Time at the start of each record that is simulated but not compared, while the "
             "memory of the model settles (default 0)");
  command->add_option("--hold-out", given->hold_out,
                      "Share at the end of each record that a first fit leaves out and is then "
                      "tested on (default 0.25; 0 for scenarios, whose runs take long)");
  command
      ->add_option(
          "--loss", given->loss,
          "Loss function of the residuals: squares, or huber or cauchy if some rows are wrong")
      ->check(CLI::IsMember({"squares", "huber", "cauchy"}));
  command->add_option(
      "--starts", given->starts,
      "Number of starting points to try, from a Latin hypercube (default 24; 0 for scenarios)");
  command->add_option("--seed", given->seed, "Seed of the starting points (default 1)");
  command
      ->add_option("--threads", given->threads,
                   "Number of threads that try the starting points, or that simulate the runs of a "
                   "scenario (default: one per core); the result does not depend on it")
      ->check(CLI::PositiveNumber);
  add_device(*command, given->device,
             "Where the starting points are tried: on the processor (default), all at once on an "
             "NVIDIA GPU, or automatically on a GPU if one is available and the model allows it; "
             "with --compare, this holds for the models that allow it. The rest of the fit runs on "
             "the processor; see docs/gpu.md");
  command->add_flag(
      "--own-start", given->own_start,
      "Start from the default values of the model, not from values estimated from the record");
  command->add_flag("--no-intervals", given->no_intervals,
                    "Compute quadratic intervals only, without profiling the likelihood");
  command->add_option("--confidence", given->confidence,
                      "Confidence level of the intervals (default 0.95)");
  add_repeated(*command, "--compare NAMES", given->compare,
               "Also fit these models, or whole families, or all models of the same port, and rank "
               "them. For "
               "a scenario: a candidate NAME=ITEMS, where KEY is found in addition to the keys of "
               "--free, and "
               "KEY=VALUE is set, such as \"M2=system.K_cs,system.omega_s\"; may be repeated");
  add_repeated(
      *command, "--match COLUMN=CHANNEL", given->matches,
      "For a scenario: column of the run and channel of the record to compare; may be repeated");
  add_repeated(*command, "--input KEY=CHANNEL", given->inputs,
               "For a scenario: input to take from a channel of the record, such as force=force_N; "
               "may be repeated");
  command
      ->add_option("--join", given->join,
                   "Interpolation between the rows of these inputs: hold, linear, cubic, spline, "
                   "band_limited (default: linear; band_limited with --period)")
      ->check(CLI::IsMember({"hold", "linear", "cubic", "spline", "band_limited"}));
  add_option(*command, "--period TIME", given->period,
             "For a scenario: period of the record; its periods are averaged, and further ones are "
             "simulated to settle");
  command
      ->add_option("--warm-up", given->warm_up,
                   "Number of periods simulated before the one that is compared (default 1)")
      ->check(CLI::Range(0, 1000));
  add_repeated(*command, "--begin STATE=CHANNEL", given->starts_at,
               "For a scenario: state that starts at the first value of a channel of each record; "
               "may be repeated");
  add_repeated(*command, "--each KEY=V1,V2,...", given->each_record,
               "For a scenario: key that differs between the records, with one value for each "
               "--data in the same order, then for each --validate; may be repeated");
  add_repeated(*command, "--bound KEY=LOW:HIGH", given->bounds,
               "For a scenario: range of an unknown; may be repeated");
  add_option(*command, "--time-limit TIME", given->time_limit,
             "Stop after this wall-clock time and report the best so far (default: no limit; 2 min "
             "per model with --compare). With --compare it holds for each model or candidate");
  command->add_flag("--json", given->as_json, "Print JSON for programs");
  add_option(*command, "--out FOLDER", given->out,
             "Folder for fit.txt, fit.json, fit.html and fitted.toml, which `asperity run` takes");
  command->footer(
      R"(A model is moved along the record and its force is compared; a system (a scenario file) is
simulated under the measured inputs and any of its columns are compared. Friction has the sign of
the velocity, so a record of the force on the body is given as --f "-friction_N".

Intervals have a confidence of 95 %. Residuals of real data are correlated and count as fewer
samples. If the likelihood is not a parabola, the interval is found from its profile. For parameters
that the record does not determine, the report says so and proposes an experiment that would
determine them. Ctrl-C ends the search and reports the best result so far.

Examples:
  asperity fit lugre --data rig.csv --x position_m --f "-friction_N" --load "normal_N/5"
  asperity fit dai --data rig.csv --x position_m --f "-friction_N" --compare all --out rig.fit
  asperity fit dai_multistate --elements 6 --data slow.csv --data fast.csv --sensor offset,delay
  asperity fit mass.toml --data run.csv --input force=force_N --match x=position_m --free friction.F_c,friction.sigma_2
  asperity fit mass.toml --data slow.csv --validate fast.csv --input force=force_N --match x=position_m --free friction.F_c \
    --compare plain= --compare stribeck=friction.F_s,friction.v_s --compare "lugre=friction.model=lugre,friction.F_s" --out mass.fit)");
  command->callback([=, &run] {
    for (const CLI::Option* each : command->get_options())
      if (each->count() > 0) given->options.push_back(each->get_name());
    run = [=] {
      if (given->what.ends_with(".toml")) given->what = scenario_file(given->what);
      return fit_anything(*given);
    };
  });
}

}  // namespace asperity::cli
