// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/analysis/resting.hpp>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/draw/figure.hpp>
#include <asperity/error.hpp>
#include <asperity/json_text.hpp>
#include <asperity/quantity.hpp>
#include <asperity/text/csv.hpp>
#include <asperity/text/pending_folder.hpp>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/card_json.hpp"
#include "cli/commands.hpp"
#include "cli/examples.hpp"

namespace asperity::cli {

namespace {

struct hysteresis_arguments {
  std::string what, curve, input, output, amplitude, offset = "0", out;
  std::vector<std::string> settings;
  double omega = map_options{}.omega, tolerance = map_options{}.tolerance;
  int loops = map_options{}.loops, samples = map_options{}.samples;
  int points = resting_options{}.points;
  bool as_json = false, map_only = false, equilibria = false, quiet = false;
};

// A scenario, rather than a model: a file, standard input, or an example that is named like no model.
bool is_scenario(const std::string& what) {
  if (what == "-" || what.ends_with(".toml")) return true;
  const auto& all = catalogue();
  if (std::any_of(all.begin(), all.end(), [&](const auto* each) { return each->key == what; }))
    return false;
  try {
    const auto found = find_example(what);
    return found && found->is_scenario;
  } catch (const std::exception&) {  // no folder of examples
    return false;
  }
}

io_system system_of(const hysteresis_arguments& given) {
  if (!is_scenario(given.what)) {
    if (!given.input.empty() || !given.output.empty())
      throw error("--input and --output are for scenario files; a model has x and f");
    std::vector<std::string> warnings;
    const any_model model = make_model(given.what, given.curve, given.settings, warnings);
    for (const auto& message : warnings) warn(message);
    return io_of(model);
  }
  const std::string file = scenario_file(given.what);
  toml_value document = read_toml(file);
  for (const auto& setting : given.settings) apply_override(document, setting);
  const std::filesystem::path path(file);
  return io_of(std::move(document), path.stem().string(), path.parent_path().string(),
               given.input.empty() ? "force" : given.input,
               given.output.empty() ? "x" : given.output);
}

std::string loop_csv(const periodic_loop& loop) { return to_csv({{"u", &loop.u}, {"y", &loop.y}}); }

std::string limit_text(const limit_value& limit, int digits) {
  return std::isfinite(limit.error)
             ? fmt::format("{:.{}g} +- {:.2g}", limit.value, digits, limit.error)
             : fmt::format("{:.{}g} (error unknown)", limit.value, digits);
}

std::string map_text(const hysteresis_map& map) {
  std::vector<std::vector<std::string>> rows{
      {"omega [rad/s]", "periods", "area", "width", "change"}};
  for (const auto& loop : map.loops)
    rows.push_back({fmt::format("{:.4g}", loop.omega),
                    fmt::format("{}{}", loop.periods, loop.steady ? "" : " (not steady)"),
                    fmt::format("{:.6g}", loop.area), fmt::format("{:.4g}", loop.width),
                    fmt::format("{:.2g}", loop.change)});
  std::string text = lined_up(rows);
  text +=
      map.vanishes ? "map: converged, the output vanishes as the period grows\n"
      : map.converged
          ? fmt::format("map: converged, the last loop is within {:.2g} of the limit\n", map.error)
          : fmt::format("map: did not converge: {}\n", map.note);
  text += fmt::format("limit: width {} of the span of the output, area {}\n",
                      limit_text(map.limit_width, 4), limit_text(map.limit_area, 6));
  return text;
}

std::string verdict_text(const classification& c) {
  std::string text = fmt::format("hysteretic: {}", to_string(c.hysteretic));
  if (c.hysteretic == decision::no && c.widest > 0 && !c.map.vanishes)
    text += fmt::format(
        " (a loop is narrower than {:.2g} of the span of the output, if there is one)", c.widest);
  text += '\n';
  text += fmt::format("rate dependent: {}", to_string(c.rate_dependent));
  if (c.map.loops.size() > 1)
    text += fmt::format(" (the loops at {:.4g} and at {:.4g} rad/s are {:.2g} apart)",
                        c.map.loops.front().omega, c.map.loops.back().omega, c.rate_effect);
  text += '\n';
  text += fmt::format("memory: {}\n", to_string(c.kind));
  for (const auto& pair : c.minors)
    text += fmt::format(
        "  minor loops of amplitude {:.4g} after one and one and a half major periods: {:.2g} "
        "apart, "
        "shifted by {:.2g}, congruent to {:.1g}\n",
        pair.amplitude, pair.apart, pair.shift, pair.residual);
  if (!c.doubt.empty()) text += "in doubt: " + c.doubt + "\n";
  return text;
}

std::string places_text(const resting_map& rest) {
  std::vector<std::vector<std::string>> rows{{"u", "y low", "y high", "stable"}};
  for (const auto& each : rest.places)
    rows.push_back({fmt::format("{:.5g}", each.u), fmt::format("{:.5g}", each.y_low),
                    fmt::format("{:.5g}", each.y_high), each.stable ? "yes" : "no"});
  return fmt::format("equilibria: {}\n", rest.how) + lined_up(rows);
}

std::string places_csv(const resting_map& rest) {
  std::vector<double> u, low, high, stable;
  for (const auto& each : rest.places) {
    u.push_back(each.u);
    low.push_back(each.y_low);
    high.push_back(each.y_high);
    stable.push_back(each.stable ? 1 : 0);
  }
  return to_csv({{"u", &u}, {"y_low", &low}, {"y_high", &high}, {"stable", &stable}});
}

// All branches as one line with gaps.
figure_series places_line(const resting_map& rest, bool stable) {
  constexpr double gap = std::numeric_limits<double>::quiet_NaN();
  figure_series line{stable ? "equilibria" : "unstable", {}, {}};
  for (const auto& branch : branches_of(rest, stable)) {
    line.x.insert(line.x.end(), branch.u.begin(), branch.u.end());
    line.y.insert(line.y.end(), branch.y.begin(), branch.y.end());
    line.x.push_back(gap);
    line.y.push_back(gap);
  }
  return line;
}

std::string as_json(const classification& c, bool map_only, const resting_map* rest) {
  auto result = nlohmann::ordered_json::object();
  result["loops"] = nlohmann::ordered_json::array();
  for (const auto& loop : c.map.loops)
    result["loops"].push_back({{"omega", loop.omega},
                               {"periods", loop.periods},
                               {"steady", loop.steady},
                               {"area", loop.area},
                               {"area_error", loop.area_error},
                               {"width", loop.width},
                               {"width_error", loop.width_error},
                               {"change", loop.change}});
  result["converged"] = c.map.converged;
  result["vanishes"] = c.map.vanishes;
  result["error"] = c.map.error;
  const auto put = [&](const std::string& name, const limit_value& limit) {
    result[name] = limit.value;
    result[name + "_error"] = number_or_null(limit.error);
  };
  put("limit_width", c.map.limit_width);
  put("limit_area", c.map.limit_area);
  if (!c.map.note.empty()) result["note"] = c.map.note;
  if (!map_only) {
    const auto say = [&](const char* name, decision which) {
      result[name] = which == decision::undecided ? nlohmann::ordered_json(nullptr)
                                                  : nlohmann::ordered_json(which == decision::yes);
    };
    say("hysteretic", c.hysteretic);
    result["widest"] = c.widest;
    say("rate_dependent", c.rate_dependent);
    result["rate_effect"] = c.rate_effect;
    result["memory"] = to_string(c.kind);
    result["minors"] = nlohmann::ordered_json::array();
    for (const auto& pair : c.minors)
      result["minors"].push_back({{"amplitude", pair.amplitude},
                                  {"apart", pair.apart},
                                  {"shift", pair.shift},
                                  {"residual", pair.residual}});
    if (!c.doubt.empty()) result["doubt"] = c.doubt;
  }
  if (rest != nullptr) {
    result["equilibria"] = nlohmann::ordered_json::array();
    for (const auto& each : rest->places)
      result["equilibria"].push_back(
          {{"u", each.u}, {"y_low", each.y_low}, {"y_high", each.y_high}, {"stable", each.stable}});
  }
  return json_text(result);
}

void write_folder(const std::string& target, const io_system& system, const classification& c,
                  const resting_map* rest) {
  pending_folder folder(target);
  figure_panel loops{"Periodic maps", {"u"}, {"y"}};
  figure_panel minors{"Minor loops", {"u"}, {"y"}};
  const auto closed = [](std::vector<double> values) {
    if (!values.empty()) values.push_back(values.front());
    return values;
  };
  for (std::size_t i = 0; i < c.map.loops.size(); ++i) {
    const auto& loop = c.map.loops[i];
    folder.write(fmt::format("loop_{}.csv", i + 1), loop_csv(loop));
    loops.series.push_back(
        {fmt::format("{:.3g} rad/s", loop.omega), closed(loop.u), closed(loop.y)});
  }
  for (const auto& pair : c.minors)
    for (const auto* each : {&pair.after_one, &pair.after_one_and_a_half})
      minors.series.push_back({fmt::format("{:.3g}{}", pair.amplitude,
                                           each == &pair.after_one ? " after 1" : " after 1.5"),
                               closed(each->u), closed(each->y)});
  folder.write("summary.json", as_json(c, false, rest));
  figure drawn{system.name, "", {loops}};
  if (!minors.series.empty()) drawn.panels.push_back(minors);
  if (rest != nullptr) {
    folder.write("equilibria.csv", places_csv(*rest));
    figure_panel places{"Equilibria and the slowest loop", {"u"}, {"y"}};
    for (const bool stable : {true, false}) {
      figure_series line = places_line(*rest, stable);
      if (!line.x.empty()) places.series.push_back(std::move(line));
    }
    places.series.push_back(loops.series.back());
    drawn.panels.push_back(places);
  }
  const std::string problem =
      draw(drawn, plot_format::svg, (folder.path() / "plot.svg").string(), &interrupted());
  if (!problem.empty()) warn(problem);
  folder.commit();
}

int map_and_classify(const hysteresis_arguments& given) {
  if (!given.out.empty()) pending_folder::check(given.out);
  const io_system system = system_of(given);
  map_options options;
  const auto number = [](const char* name, const std::string& text) {
    try {
      return parse_quantity(text).value;
    } catch (const error& problem) {
      throw error(fmt::format("{}: {}", name, problem.what()));
    }
  };
  options.amplitude =
      given.amplitude.empty() ? system.amplitude : number("--amplitude", given.amplitude);
  options.offset = number("--offset", given.offset);
  options.omega = given.omega;
  options.tolerance = given.tolerance;
  options.loops = given.loops;
  options.samples = given.samples;
  options.interrupt = &interrupted();

  classification found;
  {
    progress_bar bar(!given.quiet);
    options.progress = [&](double fraction) { bar.show(fraction); };
    if (given.map_only) {
      found.map = limiting_map(system, options);
    } else {
      found = classify(system, options);
    }
  }
  std::optional<resting_map> rest;
  if (given.equilibria && !found.map.interrupted && !found.map.loops.empty() &&
      !found.map.loops.back().u.empty()) {
    progress_bar bar(!given.quiet);
    resting_options wanted{options.offset - options.amplitude, options.offset + options.amplitude,
                           given.points, &interrupted(),
                           [&](double fraction) { bar.show(fraction); }};
    rest = find_resting(system, found.map.loops.back(), wanted);
  }
  const resting_map* places = rest ? &*rest : nullptr;
  if (!given.out.empty()) write_folder(given.out, system, found, places);
  if (given.as_json) {
    print(as_json(found, given.map_only, places));
  } else if (!given.quiet) {
    print(fmt::format("{}: {} = {:g} {:+g} sin(omega t), output {}\n", system.name, system.u,
                      options.offset, options.amplitude, system.y) +
          map_text(found.map) + (given.map_only ? "" : verdict_text(found)) +
          (rest ? places_text(*rest) : ""));
  }
  if (rest && !rest->failure.empty()) {
    complain(fmt::format("{}: {}", system.name, rest->failure));
    return numerical_failure;
  }
  if (found.map.interrupted || (rest && rest->interrupted)) {
    complain("interrupted; the loops computed so far are kept");
    return was_interrupted;
  }
  if (found.map.converged && found.doubt.empty()) return success;
  if (given.quiet)  // otherwise the table says it
    complain(fmt::format("{}: in doubt: {}", system.name,
                         found.doubt.empty() ? found.map.note : found.doubt));
  return numerical_failure;
}

}  // namespace

void add_hysteresis(CLI::App& app, action& run) {
  auto* command = app.add_subcommand(
      "hysteresis", "Find the hysteresis map of a model or scenario, and classify its hysteresis");
  const auto given = std::make_shared<hysteresis_arguments>();
  command
      ->add_option("MODEL|SCENARIO", given->what,
                   "Name of a model, or of an example, or a scenario file (.toml)")
      ->required();
  command->add_option(
      "--amplitude", given->amplitude,
      "Amplitude of the input sine, in units of the input (default: twice the largest "
      "deflection scale of the model, or 1)");
  command->add_option("--offset", given->offset,
                      "Offset of the input sine, in units of the input (default 0)");
  command->add_option("--omega", given->omega,
                      "Angular frequency of the first and fastest loop, in rad/s (default 10)");
  command->add_option(
      "--loops", given->loops,
      "Maximum number of loops; each is sqrt(10) times slower than the last (default 13)");
  command->add_option("--samples", given->samples,
                      "Samples per period, a multiple of 4 (default 400)");
  command->add_option(
      "--tolerance", given->tolerance,
      "Accepted distance from the limit, relative to the size of the loop (default 0.01)");
  command->add_option("--input", given->input,
                      "Input of the scenario that the sine replaces (default: force)");
  command->add_option("--output", given->output,
                      "Column of the scenario that is the output (default: x)");
  add_settings(
      *command, given->settings,
      "Set a parameter of the model (F_s=2) or a value of the file (friction.F_s=2); may be "
      "repeated");
  command->add_option("--curve", given->curve,
                      "Stribeck curve to use, for models that take one (default: their own)");
  command->add_flag("--map-only", given->map_only,
                    "Find the map only, without classifying the system");
  command->add_flag(
      "--equilibria", given->equilibria,
      "Also list the outputs at which the system can rest while the input is constant");
  command->add_option("--points", given->points, "Number of inputs for --equilibria (default 41)")
      ->check(CLI::Range(2, 100000));
  command->add_flag("--json", given->as_json, "Print JSON for programs");
  command->add_flag("--quiet", given->quiet, "Print nothing unless something is wrong");
  command->add_option("--out", given->out, "Folder for the loops, a summary and a plot")
      ->type_name("FOLDER");
  command->footer(
      R"(Applies ever slower sines, each until the output is steady, until the loop in (input,
output) no longer changes. The system is hysteretic if a loop remains, and rate dependent if fast
loops differ from slow ones; its memory is local if a small sine ends in the same loop whatever came
before. If no loop remains, other amplitudes are tried; if one of them shows a loop, the verdict is
left open and that amplitude is proposed. The area is the integral of output d(input): above 0 is
clockwise. The limit is printed with a bound of its error. The exit code is 1 if a result remains in
doubt.

Examples:
  asperity hysteresis nonlinear_feedback --amplitude 1 --omega 1
  asperity hysteresis dahl --set F_c=1.5 --set sigma_0=7.5 --amplitude 5 --out dahl.map
  asperity hysteresis nonlinear_feedback --amplitude 1 --omega 1 --map-only --equilibria --out cubic.map
  asperity hysteresis linkage.toml --input force --output y --omega 1 --map-only)");
  command->callback([=, &run] { run = [=] { return map_and_classify(*given); }; });
}

}  // namespace asperity::cli
