// SPDX-License-Identifier: Apache-2.0

// The library for the page: cards, scenarios, runs, contact patches, models under a given motion,
// inclusions, published experiments and fits. Everything is found through the cards and rows of the library; no model and no
// system is named here. Texts are JSON, numbers are columns (Float64Array). What is wrong with the input
// comes back as {error: "..."}: no exception leaves this file.

#include <emscripten/bind.h>
#include <fmt/format.h>

#include <asperity/analysis/limit_surface_study.hpp>
#include <asperity/analysis/slip_map.hpp>
#include <asperity/asperity.hpp>
#include <asperity/identify/model_fit.hpp>
#include <asperity/inclusion/emit.hpp>
#include <asperity/json_text.hpp>
#include <asperity/mechanics/input_signal.hpp>
#include <asperity/mechanics/planar_system.hpp>
#include <asperity/publish/experiment.hpp>
#include <asperity/publish/mathml.hpp>
#include <asperity/run/evaluate.hpp>
#include <asperity/run/inclusion/inclusion.hpp>
#include <asperity/run/patch_file.hpp>
#include <asperity/text/setting.hpp>
#include <chrono>
#include <fstream>
#include <map>

#include "cli/card_json.hpp"
#include "web/core/evaluations.hpp"

namespace asperity::web {

namespace {

using emscripten::val;
using json = nlohmann::ordered_json;
using cli::number_or_null;

std::vector<std::string> texts(const val& list) {
  return emscripten::vecFromJSArray<std::string>(list);
}

// What `make` returns, or what it complains of. Memory that runs out is a complaint, too.
template <class Make>
val answered(const Make& make) {
  std::string problem;
  try {
    return make();
  } catch (const error& complaint) {
    problem = complaint.what();
  } catch (const std::bad_alloc&) {
    problem = "there is not enough memory";
  } catch (const std::exception& complaint) {
    problem = complaint.what();
  }
  val result = val::object();
  result.set("error", problem);
  return result;
}

val with_json(const json& value) {
  val result = val::object();
  result.set("json", json_text(value));
  return result;
}

// A copy: the memory of the module moves when it grows.
val array_of(const std::vector<double>& values) {
  return val::global("Float64Array")
      .new_(emscripten::typed_memory_view(values.size(), values.data()));
}

val columns_of(const std::vector<column>& columns) {
  val result = val::array();
  for (const column& each : columns) {
    val one = val::object();
    one.set("name", each.name);
    one.set("unit", to_string(each.in));
    one.set("values", array_of(each.values));
    result.call<void>("push", one);
  }
  return result;
}

json json_of(const toml_value& value) {
  using kind = toml_value::kind;
  switch (value.is) {
    case kind::boolean:
      return value.boolean;
    case kind::integer:
      return value.integer;
    case kind::real:
      return value.real;
    case kind::text:
      return value.text;
    case kind::list: {
      json list = json::array();
      for (const auto& each : value.items) list.push_back(json_of(each));
      return list;
    }
    case kind::table:
      break;
  }
  json table = json::object();
  for (std::size_t i = 0; i < value.keys.size(); ++i)
    table[value.keys[i]] = json_of(value.items[i]);
  return table;
}

std::function<void(double)> progress_of(const val& told) {
  if (told.isUndefined() || told.isNull()) return nullptr;
  return [told](double fraction) { told(fraction); };
}

// ---- cards -----------------------------------------------------------------------------------------

val cards() {
  return answered([] {
    json all{{"version", version()},     {"models", json::array()},  {"systems", json::array()},
             {"signals", json::array()}, {"methods", json::array()}, {"measures", json::array()}};
    for (const auto* each : catalogue()) all["models"].push_back(cli::model_json(*each, false));
    for (const auto* each : systems())
      all["systems"].push_back({{"system", each->name}, {"what", each->what}});
    for (const auto* each : signals())
      all["signals"].push_back({{"signal", each->name},
                                {"meaning", each->meaning},
                                {"keys", cli::keys_json(keys_of(*each, units::one))}});
    for (const auto* each : methods())
      all["methods"].push_back(
          {{"method", each->name},
           {"meaning", each->meaning},
           {"is_fixed", each->is_fixed},
           {"is_absent", each->why_absent != nullptr && each->why_absent() != nullptr}});
    for (const auto* each : measures())
      all["measures"].push_back({{"measure", each->word}, {"meaning", each->meaning}});
    return with_json(all);
  });
}

// Blocks of equations on a page, as MathML.
std::string equations_of(std::string_view page) {
  std::string html;
  const std::string_view heading = "## Equations";
  auto at = page.find(heading);
  if (at == std::string_view::npos) return html;
  page = page.substr(at + heading.size());
  page = page.substr(0, page.find("\n## "));
  while ((at = page.find("```")) != std::string_view::npos) {
    const auto begin = page.find('\n', at), end = page.find("```", begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    if (page.substr(at + 3, begin - at - 3).empty())
      html += equations_html(page.substr(begin + 1, end - begin - 1));
    page = page.substr(end + 3);
  }
  return html;
}

val model_card(const std::string& key, const std::string& curve) {
  return answered([&] {
    const catalogue_entry& entry = find_entry(key);
    json card = cli::model_json(entry, true, curve);
    card["equations"] = equations_of(entry.page);
    return with_json(card);
  });
}

val system_card(const std::string& name) {
  return answered([&] {
    const system_row* row = find_system(name);
    if (row == nullptr) throw error(fmt::format("unknown system '{}'", name));
    json card = cli::system_json(*row);
    card["equations"] = equations_of(page_of(*row));
    return with_json(card);
  });
}

// ---- scenarios and runs ----------------------------------------------------------------------------

// A scenario as it is given and as it is understood, in SI.
val read(const std::string& text) {
  return answered([&] {
    const toml_value document = parse_toml(text, "scenario.toml");
    const scenario s = read_scenario(document, "scenario", "");
    json answer{
        {"title", s.title}, {"document", json_of(document)}, {"resolved", json_of(s.resolved)}};
    answer["panels"] = json::array();
    for (const auto& each : s.panels)
      answer["panels"].push_back({{"title", each.title}, {"x", each.x}, {"y", each.y}});
    return with_json(answer);
  });
}

// Numbers taken from a run, by texts such as "maximum(f)": of each its value and unit, or what is wrong.
json measured(const std::vector<std::string>& texts, const run_data& data) {
  json list = json::array();
  for (const auto& text : texts) {
    json one{{"measure", text}};
    try {
      const measure what = parse_measure(text);
      one["value"] = number_or_null(evaluate(what, data));
      one["unit"] = to_string(unit_of(what, data));
    } catch (const error& complaint) {
      one["error"] = complaint.what();
    }
    list.push_back(one);
  }
  return list;
}

// What can be shown of a scenario beside its columns: where its contact slips, and what it can hold.
json views_of(const scenario& s, const toml_value& document) {
  const auto* planar = dynamic_cast<const planar_contact_system*>(s.system.get());
  return {{"slip_map", planar != nullptr && planar->cells() != nullptr},
          {"limit_surface", document.find("patch") != nullptr}};
}

// Tells what a run has recorded, a few times a second, by a thousand rows at most.
std::function<void(const run_data&)> glimpse_of(const val& told) {
  if (told.isUndefined() || told.isNull()) return nullptr;
  constexpr std::size_t most = 1000;
  static constexpr std::chrono::milliseconds pause{250};
  return [told, next = std::chrono::steady_clock::now() + pause](const run_data& data) mutable {
    if (std::chrono::steady_clock::now() < next) return;
    std::vector<column> shown;
    const std::size_t rows = data.columns.front().values.size(), stride = rows / most + 1;
    for (const column& each : data.columns) {
      column some{each.name, each.in, {}};
      for (std::size_t i = 0; i < rows; i += stride) some.values.push_back(each.values[i]);
      shown.push_back(std::move(some));
    }
    told(columns_of(shown));
    next = std::chrono::steady_clock::now() + pause;
  };
}

// With `audit`, the energy balance is kept where the system has one: that does not change the run.
val run(const std::string& text, const val& settings, bool audit, const val& measures,
        const val& progress, const val& glimpse) {
  return answered([&] {
    toml_value document = parse_toml(text, "scenario.toml");
    for (const auto& each : texts(settings)) apply_override(document, each, "the field");
    scenario s = read_scenario(document, "scenario", "", wanted_of_scenario::numbers);
    if (audit && why_no_audit(s).empty()) s.audit = true;
    const run_data data =
        simulate(s, {.progress = progress_of(progress), .glimpse = glimpse_of(glimpse)});
    json summary = json::parse(summary_json(s, data));
    summary["measures"] = measured(texts(measures), data);
    summary["views"] = views_of(s, document);
    val answer = with_json(summary);
    answer.set("columns", columns_of(data.columns));
    if (data.audit) {
      val balance = val::object();
      balance.set("t", array_of(data.audit->t));
      balance.set("columns", columns_of(data.audit_columns));
      answer.set("audit", balance);
    }
    return answer;
  });
}

// ---- contact patches -------------------------------------------------------------------------------

// Cells that stick and slip at `count` times of a run: of each time one array, in the order of x and y.
val slip_map_of(const std::string& text, int count, const val& progress) {
  return answered([&] {
    const scenario s = read_scenario(parse_toml(text, "scenario.toml"), "scenario", "",
                                     wanted_of_scenario::numbers);
    slip_map_options options;
    options.count = count;
    options.progress = progress_of(progress);
    const slip_map map = find_slip_map(s, options);
    json told{{"cell_width", map.cell_width},
              {"cell_height", map.cell_height},
              {"wanted", map.wanted},
              {"outcome", to_string(map.result.how)},
              {"hint", map.hint},
              {"pictures", json::array()}};
    val shares = val::array();
    for (const auto& each : map.pictures) {
      told["pictures"].push_back({{"t", each.t}, {"slipping", each.slipping}});
      shares.call<void>("push", array_of(each.share_of_limit));
    }
    val answer = with_json(told);
    answer.set("columns", columns_of({{"x", units::metre, map.x}, {"y", units::metre, map.y}}));
    answer.set("shares", shares);
    return answer;
  });
}

// What the patch of a scenario can hold, for mu f_n = 1 and about its centre of pressure: points of the
// limit surface, [i + around*j] as in limit_surface.hpp, beside the ellipsoid with the same extremes.
val limit_surface_of(const std::string& text, int around, int up, double tolerance,
                     const val& progress) {
  return answered([&] {
    const toml_value document = parse_toml(text, "scenario.toml");
    const toml_value* found = document.find("patch");
    if (found == nullptr) throw error("scenario.toml: the scenario has no table [patch]");
    toml_value table = *found;
    table.take("cells");  // of laws, not of the patch
    const contact_patch patch = patch_of(table);
    limit_surface_options options;
    options.around = around;
    options.up = up;
    options.tolerance = tolerance;
    options.progress = progress_of(progress);
    const limit_surface_study study = study_limit_surface(patch, options);
    const limit_surface& surface = study.surface;
    std::vector<column> columns{
        {"f_x", units::one, {}}, {"f_y", units::one, {}}, {"torque", units::metre, {}}};
    for (const auto& each : surface.points)
      for (std::size_t k = 0; k < 3; ++k)
        columns[k].values.push_back(each.value[static_cast<int>(k)]);
    const auto [x, y] = patch.centre();
    val answer = with_json({{"patch", patch.description()},
                            {"centre", {x, y}},
                            {"reach", patch.reach()},
                            {"arm", surface.arm},
                            {"around", surface.around},
                            {"up", surface.up},
                            {"worst", study.best.worst},
                            {"error", surface.error}});
    answer.set("columns", columns_of(columns));
    return answer;
  });
}

// ---- models alone ----------------------------------------------------------------------------------

// A model with what stands in its fields, which messages name in place of the tool's option.
any_model model_of(const std::string& key, const std::string& curve, const val& fields,
                   std::vector<std::string>& warnings) {
  try {
    return make_any_model(key, curve, texts(fields), warnings);
  } catch (const error& problem) {
    const std::string_view said = problem.what(), option = "--set ";
    if (!said.starts_with(option)) throw;
    throw error(fmt::format("the field {}", said.substr(option.size())));
  }
}

// A model under a motion: columns such as t and v, by name, as CSV text.
val evaluate_model(const std::string& key, const std::string& curve, const val& settings,
                   const std::string& csv) {
  return answered([&] {
    std::vector<std::string> warnings;
    const any_model model = model_of(key, curve, settings, warnings);
    const run_data data = evaluate(model, csv_table::parse(csv, "motion.csv"));
    val answer = val::object();
    answer.set("json",
               json_text({{"outcome", to_string(data.result.how)}, {"warnings", warnings}}));
    answer.set("columns", columns_of(data.columns));
    return answer;
  });
}

// ---- inclusions ------------------------------------------------------------------------------------

stated_inclusion stated(const std::string& text) {
  const std::string file = "inclusion.toml";
  std::ofstream(file, std::ios::binary) << text;
  return read_stated_inclusion(file);
}

// What show_json says, and the titles of its equations.
val inclusion_card(const std::string& text) {
  return answered([&] {
    const stated_inclusion it = stated(text);
    json answer = json::parse(show_json(it.system, it.setting));
    answer["warnings"] = it.warnings;
    answer["sections"] = json::array();
    for (const auto& section : show_equations(it.system))
      answer["sections"].push_back(section.title);
    return with_json(answer);
  });
}

val inclusion_code(const std::string& text, const std::string& in) {
  return answered([&] {
    const stated_inclusion it = stated(text);
    val answer = val::object();
    answer.set("text", emit(it.system, it.setting, find_emitted_language(in), {true, version()}));
    return answer;
  });
}

// ---- published experiments -------------------------------------------------------------------------

const char* const experiments_place = "/experiments";

val list_of_experiments() {
  return answered([] {
    json list = json::array();
    for (const auto& id : list_experiments(experiments_place)) {
      const toml_value file = read_toml(fmt::format("{}/{}.toml", experiments_place, id));
      const auto text_of = [&](const char* key) {
        const toml_value* found = file.find(key);
        return found == nullptr ? std::string() : found->text;
      };
      const auto count_of = [&](const char* key) {
        const toml_value* found = file.find(key);
        return found == nullptr ? std::size_t{0} : found->items.size();
      };
      list.push_back({{"id", id},
                      {"title", text_of("title")},
                      {"source", text_of("source")},
                      {"is_published", is_published(id)},
                      {"runs", count_of("run")},
                      {"analyses", count_of("analysis")},
                      {"claims", count_of("claim")}});
    }
    return with_json(list);
  });
}

val experiment_card(const std::string& id) {
  return answered([&] {
    const experiment it = read_experiment(experiments_place, id);
    json answer{{"id", id}, {"title", it.title}, {"source", it.source}, {"about", it.about}};
    for (const char* list : {"runs", "claims", "panels"}) answer[list] = json::array();
    for (const auto& each : it.runs) {
      json one{{"name", each.name}, {"label", each.label}, {"is_analysis", each.is_analysis}};
      if (!each.is_analysis) one["text"] = to_toml(each.document);
      answer["runs"].push_back(one);
    }
    for (const auto& each : it.claims)
      answer["claims"].push_back({{"text", each.text},
                                  {"source_says", each.source_says},
                                  {"measure", to_string(each.what)},
                                  {"runs", each.runs},
                                  {"erratum", each.erratum}});
    for (const auto& each : it.panels)
      answer["panels"].push_back({{"title", each.shown.title},
                                  {"x", each.shown.x},
                                  {"y", each.shown.y},
                                  {"x_log", each.x_log},
                                  {"y_log", each.y_log},
                                  {"x_range", {each.x_from, each.x_to}},
                                  {"times", {each.x_times, each.y_times}},
                                  {"runs", each.runs}});
    return with_json(answer);
  });
}

// What the analyses of an experiment tabulate, in place of motions.
val experiment_tables(const std::string& id) {
  return answered([&] {
    json names = json::array();
    val tables = val::array();
    for (const auto& each : read_experiment(experiments_place, id).runs) {
      if (!each.is_analysis || !each.missing_model.empty()) continue;
      names.push_back({{"name", each.name}, {"label", each.label}});
      tables.call<void>("push", columns_of(perform(each, each.shown()).columns));
    }
    val answer = with_json(names);
    answer.set("tables", tables);
    return answer;
  });
}

// All runs of an experiment, and the verdict on each claim.
val judge_experiment(const std::string& id, const val& progress) {
  return answered([&] {
    const experiment_result result =
        perform(read_experiment(experiments_place, id), {.progress = progress_of(progress)});
    json answer = json::array();
    for (const auto& each : result.judgements)
      answer.push_back({{"claim", each.claim},
                        {"how", to_string(each.how)},
                        {"measured", each.measured},
                        {"wanted", each.wanted},
                        {"ours", each.ours},
                        {"unit", to_string(each.in)},
                        {"verdict", to_string(each.answer)},
                        {"note", each.note}});
    return with_json(answer);
  });
}

// ---- measured data ---------------------------------------------------------------------------------

// All columns of a file of numbers, as instruments write them; NaN where one is missing.
val measured_columns(const std::string& text, const std::string& file) {
  return answered([&] {
    const measured_table table = measured_table::parse(text, file);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < table.columns().size(); ++i) places.push_back(i);
    const auto values = table.values(places);
    val columns = val::array();
    for (std::size_t i = 0; i < values.size(); ++i) {
      val one = val::object();
      one.set("name", table.columns()[i].name);
      one.set("unit", table.columns()[i].unit);
      one.set("values", array_of(values[i]));
      columns.call<void>("push", one);
    }
    val answer = val::object();
    answer.set("columns", columns);
    return answer;
  });
}

// The parameters of a model along a record, which is CSV text with t, x or v, and f in SI.
val fit_model(const std::string& key, const std::string& curve, const val& settings,
              const std::string& csv, int starts, const val& progress) {
  return answered([&] {
    std::vector<std::string> warnings;
    any_model model = model_of(key, curve, settings, warnings);
    record_columns wanted;
    for (const auto& each : model.at().inputs) wanted.columns.push_back({each.name, "", each.in});
    for (const auto& each : model.at().outputs)
      wanted.columns.push_back({each.name, "", each.in, true});
    wanted.slopes = {{"v", "x"}};
    record measured = read_record(measured_table::parse(csv, "measured.csv"), wanted);
    const model_fit along(std::move(model), {std::move(measured)});
    fit_options options;
    options.starts = starts;
    options.progress = progress_of(progress);
    const fit_result found = fit(along.problem(), options);
    json answer{{"how", to_string(found.how)},
                {"rms", found.rms},
                {"deviation", along.measured_deviation()},
                {"evaluations", found.evaluations},
                {"warnings", warnings}};
    answer["estimates"] = json::array();
    for (std::size_t i = 0; i < found.unknowns.size(); ++i) {
      const unknown& each = found.unknowns[i];
      const estimate& value = found.estimates[i];
      answer["estimates"].push_back({{"name", each.name},
                                     {"unit", to_string(each.in)},
                                     {"value", value.value},
                                     {"lower", number_or_null(value.lower)},
                                     {"upper", number_or_null(value.upper)},
                                     {"verdict", to_string(value.is)},
                                     {"words", value.words}});
    }
    const record& used = along.recorded(0);
    val result = with_json(answer);
    result.set("columns", columns_of({{"t", units::second, used.t},
                                      {"f", units::one, along.predicted(found.values, 0)}}));
    return result;
  });
}

}  // namespace

EMSCRIPTEN_BINDINGS(asperity) {
  using emscripten::function;
  function("cards", &cards);
  function("model_card", &model_card);
  function("system_card", &system_card);
  function("read", &read);
  function("run", &run);
  function("slip_map", &slip_map_of);
  function("limit_surface", &limit_surface_of);
  function("evaluate", &evaluate_model);
  function("inclusion_card", &inclusion_card);
  function("inclusion_code", &inclusion_code);
  function("list_of_experiments", &list_of_experiments);
  function("experiment_card", &experiment_card);
  function("experiment_tables", &experiment_tables);
  function("judge_experiment", &judge_experiment);
  function("measured_columns", &measured_columns);
  function("fit_model", &fit_model);
  function("evaluations", &evaluations);
}

}  // namespace asperity::web
