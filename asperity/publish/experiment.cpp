// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/publish/experiment.hpp>
#include <asperity/text/pending_folder.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace asperity {

namespace fs = std::filesystem;

namespace {

bool in_catalogue(const std::string& key) {
  const auto all = catalogue();
  return std::any_of(all.begin(), all.end(), [&](const auto* entry) { return entry->key == key; });
}

// Numbers padded with zeros, so that figure 2 comes before figure 11.
std::string with_long_numbers(const std::string& id) {
  std::string result, number;
  const auto flush = [&] {
    if (!number.empty()) result += fmt::format("{:0>8}", number);
    number.clear();
  };
  for (const char c : id) {
    if ('0' <= c && c <= '9') {
      number += c;
    } else {
      flush();
      result += c;
    }
  }
  flush();
  return result;
}

experiment_run read_run(reader& table, const toml_value& whole, const toml_value& base,
                        const toml_value* converged, const std::string& folder) {
  experiment_run run;
  run.name = table.name("name", "");
  run.label = table.text("label", run.name);
  run.folder = folder;
  if (converged != nullptr) run.converged_changes = *converged;
  const std::string awaited = table.text("waits_for", "");
  if (!awaited.empty() && !in_catalogue(awaited)) {
    run.missing_model = awaited;
    return run;
  }
  toml_value document = base;
  toml_value changes = whole;
  for (const char* own : {"name", "label", "waits_for"}) changes.take(own);
  merge(document, changes);
  return read_again(run, std::move(document));
}

std::vector<std::string> names_of_analyses() {
  std::vector<std::string> names;
  for (const analysis_row* each : analyses()) names.emplace_back(each->name);
  return names;
}

experiment_run read_analysis(const toml_value& own, const toml_value& document) {
  const toml_value* kind = own.find("kind");
  toml_value whole;
  if (kind != nullptr && kind->is == toml_value::kind::text)
    if (const toml_value* shared = document.find(kind->text)) whole = *shared;
  merge(whole, own);
  whole.place = own.place;
  experiment_run run;
  run.is_analysis = true;
  return read_again(run, std::move(whole));
}

published_claim read_claim(reader& table, const experiment& owner) {
  published_claim c;
  c.text = table.text("text");
  c.source_says = table.text("source_says");
  c.erratum = table.text("erratum", "");
  c.runs = table.has("runs") ? table.texts("runs") : std::vector<std::string>{table.text("run")};
  c.relative_to = table.text("relative_to", "");
  c.relative_to_column = table.text("relative_to_column", "");
  std::vector<std::string> names;
  for (const auto& run : owner.runs) names.push_back(run.name);
  const auto check = [&](const std::string& key, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      table.fail(key, fmt::format("no run is called '{}': {}", name, suggest(name, names)));
  };
  for (const auto& name : c.runs) check(table.has("runs") ? "runs" : "run", name);
  if (!c.relative_to.empty()) check("relative_to", c.relative_to);
  unit axis = units::second;
  for (const auto& run : owner.runs)
    if (run.name == c.runs.front() && run.analysis) axis = run.analysis->axis().in;
  c.what = read_measure(table, axis);
  if (!c.relative_to_column.empty()) {
    c.divided_by = c.what;
    c.divided_by->column = c.relative_to_column;
  }
  if (table.has("relative_to_measure")) {
    if (c.relative_to_column.empty())
      table.fail("relative_to_measure", "the column is missing: give relative_to_column");
    c.divided_by = read_plain_measure(table, "relative_to_measure", c.what, c.relative_to_column);
  }

  if (table.has("at_least")) c.at_least = table.number("at_least", units::one, any_value);
  if (table.has("at_most")) c.at_most = table.number("at_most", units::one, any_value);
  if (table.has("equals")) {
    c.equals = table.number("equals", units::one, any_value);
    c.tolerance = table.number("tolerance", units::one, positive);
  }
  const std::string order = table.word("order", {"none", "falling", "rising"}, "none");
  if (order == "falling") c.in_order = published_claim::order::falling;
  if (order == "rising") c.in_order = published_claim::order::rising;
  const bool bounded_claim = c.at_least || c.at_most || c.equals;
  if (bounded_claim == (c.in_order != published_claim::order::none))
    table.fail("text",
               "a claim needs either a bound (at_least, at_most, equals) or an order, not both");
  if (c.in_order != published_claim::order::none && c.runs.size() < 2)
    table.fail("runs", "an order needs at least two runs");
  if (c.in_order == published_claim::order::none && c.runs.size() != 1)
    table.fail("runs", "a bound is judged on one run");

  const std::string on = table.word("on", {"both", "source", "converged"}, "both");
  c.on_source = on != "converged";
  c.on_converged = on != "source";
  table.finish();
  return c;
}

experiment_panel read_panel(reader& table) {
  experiment_panel p;
  p.shown.title = table.text("title", "");
  p.shown.x = table.text("x", "t");
  p.shown.y = table.texts("y");
  p.shown.x_unit = table.text("x_unit", "");
  p.shown.y_unit = table.text("y_unit", "");
  p.x_log = table.flag("x_log", false);
  p.y_log = table.flag("y_log", false);
  if (table.has("x_range")) {
    const auto range = table.numbers("x_range", units::one, any_value);
    if (range.size() != 2 || !(range[0] < range[1]))
      table.fail("x_range", "it must be [from, to], in SI units, the smaller number first");
    p.x_from = range[0];
    p.x_to = range[1];
  }
  if (table.has("part")) {
    const auto part = table.numbers("part", units::one, {0, 1});
    if (part.size() != 2 || !(part[0] < part[1]))
      table.fail("part",
                 "it must be [from, to], as shares of the time of a run, the smaller number first");
    p.part_from = part[0];
    p.part_to = part[1];
  }
  p.x_times = table.number("x_times", units::one, any_value, 1);
  p.y_times = table.number("y_times", units::one, any_value, 1);
  if (table.has("runs")) p.runs = table.texts("runs");
  table.finish();
  return p;
}

experiment read_document(const toml_value& document, const std::string& id,
                         const std::string& folder, bool judges) {
  toml_value record;
  reader table(document, "", record);

  experiment result;
  result.id = id;
  result.title = table.text("title");
  result.source = judges ? table.text("source") : table.text("source", "");
  result.about = table.text("about", "");
  result.figures = table.has("figures") ? table.texts("figures") : std::vector<std::string>{id};

  toml_value base;
  if (const toml_value* given = table.find("base")) base = *given;
  const toml_value* converged = table.find("converged");
  const toml_value* runs = document.find("run");
  auto run_tables = table.tables("run");
  const auto analysis_tables = table.tables("analysis");
  if (run_tables.empty() && analysis_tables.empty())
    table.fail_missing("run", "at least one [[run]] or [[analysis]]");
  for (std::size_t i = 0; i < run_tables.size(); ++i)
    result.runs.push_back(read_run(run_tables[i], runs->items[i], base, converged, folder));
  for (const std::string& each : names_of_analyses()) table.find(each);
  for (std::size_t i = 0; i < analysis_tables.size(); ++i)
    result.runs.push_back(read_analysis(document.find("analysis")->items[i], document));
  for (auto& each : table.tables("claim")) result.claims.push_back(read_claim(each, result));
  if (judges && result.claims.empty())
    table.fail_missing("claim", "at least one [[claim]]: an experiment must judge something");
  for (auto& each : table.tables("panel")) result.panels.push_back(read_panel(each));
  for (auto& each : table.tables("unnoticed")) {
    const std::string reason = each.text("reason");
    for (const auto& name : each.texts("mutants"))
      result.unnoticed.push_back({name, reason, each.place()});
    each.finish();
  }
  table.finish();
  return result;
}

std::string wanted_text(const published_claim& c) {
  if (c.in_order != published_claim::order::none)
    return c.in_order == published_claim::order::falling ? "falling" : "rising";
  if (c.equals) return fmt::format("{:g} +- {:g}", *c.equals, c.tolerance);
  if (c.at_least && c.at_most) return fmt::format("{:g} to {:g}", *c.at_least, *c.at_most);
  return c.at_least ? fmt::format(">= {:g}", *c.at_least) : fmt::format("<= {:g}", *c.at_most);
}

bool holds(const published_claim& c, const std::vector<double>& ours) {
  // A NaN meets nothing: every comparison below is false for it.
  if (c.in_order != published_claim::order::none) {
    for (std::size_t i = 1; i < ours.size(); ++i) {
      const bool right = c.in_order == published_claim::order::falling ? ours[i] < ours[i - 1]
                                                                       : ours[i] > ours[i - 1];
      if (!right) return false;
    }
    return true;
  }
  const double value = ours.front();
  if (c.equals) return std::abs(value - *c.equals) <= c.tolerance;
  return (!c.at_least || value >= *c.at_least) && (!c.at_most || value <= *c.at_most);
}

}  // namespace

bool experiment_run::has(execution how) const {
  if (analysis) return analysis->has(how);
  return (how == execution::source ? as_in_source : converged).has_value();
}

const char* to_string(execution how) {
  return how == execution::source ? "as in the source" : "converged";
}

const char* to_string(verdict v) {
  switch (v) {
    case verdict::met:
      return "met";
    case verdict::not_met:
      return "NOT MET";
    case verdict::explained:
      return "explained";
    case verdict::unexpected:
      return "UNEXPECTED";
    case verdict::skipped:
      return "skipped";
  }
  return "";
}

bool is_failure(verdict v) { return v == verdict::not_met || v == verdict::unexpected; }

std::string experiments_folder(const std::string& wanted) {
  std::vector<std::string> places;
  if (!wanted.empty()) {
    places.push_back(wanted);
  } else {
    if (const char* named = std::getenv("ASPERITY_EXPERIMENTS")) places.emplace_back(named);
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
    if (!program.empty())
      places.push_back((program.parent_path() / "../share/asperity/experiments").string());
    places.emplace_back(ASPERITY_EXPERIMENTS_FOLDER);
  }
  std::error_code unreadable;  // is no folder, either
  for (const auto& place : places)
    if (fs::is_directory(place, unreadable)) return place;
  throw error(fmt::format("cannot find the folder of experiments; these were searched: {}",
                          fmt::join(places, ", ")));
}

std::vector<std::string> list_experiments(const std::string& folder) {
  std::vector<std::string> ids;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".toml") continue;
    ids.push_back(entry.path().lexically_relative(folder).replace_extension().generic_string());
  }
  std::sort(ids.begin(), ids.end(), [](const std::string& a, const std::string& b) {
    return with_long_numbers(a) < with_long_numbers(b);
  });
  return ids;
}

bool is_published(std::string_view id) { return !id.starts_with("asperity/"); }

std::vector<std::string> choose_experiments(const std::string& folder,
                                            const std::vector<std::string>& names) {
  auto all = list_experiments(folder);
  if (all.empty()) throw error(fmt::format("there are no experiments in '{}'", folder));
  if (names.empty()) return all;
  // Figures that experiments of another name serve, each with its experiment.
  std::vector<std::pair<std::string, std::string>> served;
  const auto read_figures = [&] {
    for (const auto& id : all) {
      const toml_value document = read_toml((fs::path(folder) / (id + ".toml")).string());
      reader table(document, "", nullptr);
      if (!table.has("figures")) continue;
      for (const auto& figure : table.texts("figures")) served.emplace_back(figure, id);
    }
  };
  std::vector<std::string> chosen;
  const auto choose = [&](const std::string& id) {
    if (std::find(chosen.begin(), chosen.end(), id) == chosen.end()) chosen.push_back(id);
  };
  for (const auto& name : names) {
    bool found = false;
    for (const auto& id : all) {
      if (id != name && !id.starts_with(name + "/")) continue;
      found = true;
      choose(id);
    }
    if (found) continue;
    if (served.empty()) read_figures();
    for (const auto& [figure, id] : served) {
      if (figure != name) continue;
      found = true;
      choose(id);
    }
    if (found) continue;
    auto known = all;
    for (const auto& id : all)
      if (const auto source = id.substr(0, id.find('/'));
          std::find(known.begin(), known.end(), source) == known.end())
        known.push_back(source);
    for (const auto& [figure, id] : served)
      if (std::find(all.begin(), all.end(), figure) == all.end()) known.push_back(figure);
    // The name of a figure alone is said by its sources.
    std::vector<std::string> of_name;
    for (const auto& id : known)
      if (id.ends_with("/" + name)) of_name.push_back(fmt::format("'{}'", id));
    throw error(fmt::format("unknown experiment, figure or source '{}': {}", name,
                            of_name.empty()
                                ? suggest(name, known)
                                : fmt::format("did you mean {}?", fmt::join(of_name, " or "))));
  }
  return chosen;
}

experiment read_experiment(const std::string& folder, const std::string& id) {
  const fs::path file = fs::path(folder) / (id + ".toml");
  if (!fs::exists(file)) {
    throw error(
        fmt::format("unknown experiment '{}': {}", id, suggest(id, list_experiments(folder))));
  }
  experiment result =
      read_document(read_toml(file.string()), id, file.parent_path().string(), true);
  const auto sources = read_sources(folder);
  const auto found = sources.find(id.substr(0, id.find('/')));
  if (found != sources.end()) result.published = found->second;
  return result;
}

experiment read_picture(const std::string& toml, const std::string& name) {
  return read_document(parse_toml(toml, name), name, "", false);
}

experiment_run read_again(const experiment_run& as, toml_value document) {
  experiment_run run = as;
  run.document = std::move(document);
  if (run.is_analysis) {
    run.resolved = {};
    reader table(run.document, "analysis", run.resolved);
    run.name = table.name("name", "");
    run.label = table.text("label", run.name);
    const std::string wanted = table.word("kind", names_of_analyses());
    for (const analysis_row* each : analyses())
      if (wanted == each->name) run.analysis = each->read(table);
    table.finish();
    for (const char* each : {"name", "label"}) run.resolved.take(each);
    return run;
  }
  run.as_in_source.emplace(read_scenario(run.document, run.name, run.folder));
  if (run.converged_changes) {
    toml_value converged = run.document;
    merge(converged, *run.converged_changes);
    run.converged.emplace(read_scenario(converged, run.name, run.folder));
  }
  return run;
}

judgement judge(const experiment& owner, std::size_t claim, execution how,
                const std::function<const run_data&(const std::string&)>& data_of) {
  const published_claim& c = owner.claims[claim];
  judgement j;
  j.experiment = owner.id;
  j.about = c;
  j.claim = claim;
  j.how = how;
  j.wanted = wanted_text(c);
  j.measured = to_string(c.what);
  if (!c.relative_to.empty()) j.measured += fmt::format(", relative to {}", c.relative_to);
  if (c.divided_by)
    j.measured += c.divided_by->what == c.what.what
                      ? fmt::format(", relative to that of {}", c.relative_to_column)
                      : fmt::format(", relative to {}", to_string(*c.divided_by));

  std::vector<std::string> needed = c.runs;
  if (!c.relative_to.empty()) needed.push_back(c.relative_to);
  for (const auto& name : needed)
    for (const auto& run : owner.runs)
      if (run.name == name && !run.missing_model.empty()) {
        j.note = fmt::format("waits for model '{}'", run.missing_model);
        return j;
      }

  const auto value_of = [&](const std::string& name) {
    const run_data& run = data_of(name);
    if (is_failure(run.result.how))
      j.note = fmt::format("run '{}' ended early at t = {:g} s: {}", name, run.result.t,
                           to_string(run.result.how));
    j.in = unit_of(c.what, run);
    return is_failure(run.result.how) ? std::nan("") : evaluate(c.what, run);
  };
  for (const auto& name : c.runs) j.ours.push_back(value_of(name));
  if (!c.relative_to.empty()) {
    const double reference = value_of(c.relative_to);
    for (double& value : j.ours) value /= reference;
    j.in = units::one;
  }
  if (c.divided_by) {
    for (std::size_t i = 0; i < j.ours.size(); ++i) {
      const run_data& run = data_of(c.runs[i]);
      j.ours[i] /= evaluate(*c.divided_by, run);
      j.in = j.in / unit_of(*c.divided_by, run);
    }
  }
  const bool is_met = holds(c, j.ours);
  if (c.erratum.empty()) {
    j.answer = is_met ? verdict::met : verdict::not_met;
  } else {
    j.answer = is_met ? verdict::unexpected : verdict::explained;
  }
  return j;
}

run_data perform(const experiment_run& run, execution how, const simulate_options& options) {
  if (run.analysis) return run.analysis->tabulate(how, options.interrupt);
  return simulate(how == execution::source ? *run.as_in_source : *run.converged, options);
}

experiment_result perform(experiment what, const simulate_options& options, bool audits) {
  experiment_result result;
  result.what = std::move(what);
  for (const auto& run : result.what.runs) {
    for (const auto how : {execution::source, execution::converged}) {
      if (!run.has(how)) continue;
      const auto& s = how == execution::source ? run.as_in_source : run.converged;
      if (audits && s && how == run.shown() && why_no_audit(*s).empty()) {
        scenario audited = *s;
        audited.audit = true;
        result.data[{run.name, how}] = simulate(audited, options);
      } else {
        result.data[{run.name, how}] = perform(run, how, options);
      }
    }
    if (is_set(options.interrupt)) throw interruption();
  }
  for (std::size_t i = 0; i < result.what.claims.size(); ++i) {
    const published_claim& c = result.what.claims[i];
    for (const auto how : {execution::source, execution::converged}) {
      const auto is_missing = [&](const auto& run) {
        const bool needed = run.name == c.relative_to ||
                            std::find(c.runs.begin(), c.runs.end(), run.name) != c.runs.end();
        return needed && run.missing_model.empty() && !run.has(how);
      };
      if (!(how == execution::source ? c.on_source : c.on_converged) ||
          std::any_of(result.what.runs.begin(), result.what.runs.end(), is_missing))
        continue;
      result.judgements.push_back(
          judge(result.what, i, how, [&](const std::string& name) -> const run_data& {
            return result.data.at({name, how});
          }));
    }
  }
  return result;
}

}  // namespace asperity
