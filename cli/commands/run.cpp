// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/json_text.hpp>
#include <asperity/run/output.hpp>
#include <asperity/run/overlay.hpp>
#include <asperity/run/refine.hpp>
#include <asperity/text.hpp>
#include <memory>

#include "cli/commands.hpp"
#include "cli/examples.hpp"
#include "cli/free_output.hpp"
#include "cli/record_options.hpp"

namespace asperity::cli {

namespace {

struct run_arguments {
  std::string file, out, format = "csv", plot = "svg", measured;
  record_options columns;
  limit_arguments limits;
  std::vector<std::string> settings;
  int ranks = 0;
  bool quiet = false, audit = false, refine = false, force = false, as_json = false;
};

// What was measured of the columns that the run will have.
std::optional<record> read_beside(const run_arguments& given, const scenario& s) {
  if (given.measured.empty()) {
    if (given.columns.any())
      throw error("--measured is missing: the options of columns apply to the file that it names");
    return {};
  }
  std::vector<record_channel> channels;
  for (const auto& each : columns_of(s))
    if (each.name != "t") channels.push_back({each.name, each.in});
  record_columns wanted = columns_of(given.columns, channels);
  const auto has = [&](const char* name) {
    return std::any_of(channels.begin(), channels.end(),
                       [&](const auto& each) { return each.name == name; });
  };
  if (!given.columns.bandwidth.empty() && has("x") && has("v")) wanted.slopes = {{"v", "x"}};
  record found = read_record(input_name(given.measured), wanted);
  if (found.channels.empty()) {
    std::vector<std::string> names;
    names.reserve(channels.size());
    for (const auto& each : channels) names.push_back(each.name);
    throw error(
        fmt::format("{}: no column of this file has the name of a column of the run, and no option "
                    "assigns one (columns of the run: {})",
                    given.measured, fmt::join(names, ", ")));
  }
  tell(found, given.columns);
  return found;
}

// What the audit found, one line each.
int tell_audit(const audit_report& audit, bool quiet) {
  if (!quiet) {
    print(fmt::format(
        "audit: {:.4g} J exchanged; the greatest gap is {:.2g} of that, in {} at t = {:g} s\n",
        audit.exchanged, audit.relative_residual(), audit.residual_in, audit.residual_at));
    for (const auto& note : audit.notes) print(fmt::format("audit: {}\n", note));
  }
  for (const auto& each : audit.findings)
    complain(fmt::format(
        "audit: {}: {}, from t = {:g} s: {:.4g} J in the end, {:.2g} of the energy "
        "exchanged (allowed: {:g})",
        each.where, each.what, each.t, each.size, each.size / audit.exchanged, audit.tolerance));
  return audit.findings.empty() ? success : numerical_failure;
}

// The run again in finer steps: what differs, in words, and in `step_errors` of the run.
std::vector<std::string> refine(const scenario& s, run_data& data, const simulate_options& how) {
  if (data.result.how != outcome::completed) return {};
  if (s.method->needs == method_needs::linear)
    return {fmt::format("--refine: method {} goes from event to event and has no steps to refine",
                        s.method->name)};
  const run_data finer = simulate(in_finer_steps(s), how);
  if (finer.result.how != outcome::completed)
    return {fmt::format(
        "--refine: the run with {} ended at t = {:g} s of {:g} s ({}), so nothing is compared",
        what_is_finer(s), finer.result.t, s.duration, to_string(finer.result.how))};
  const refinement found = differences(data, finer);
  data.step_errors.clear();
  for (const auto& each : found.columns)
    data.step_errors.push_back({each.name, each.largest(), each.in});
  return in_words(found, s);
}

// summary.json, and where it lies.
std::string summary_for_programs(const scenario& s, const run_data& data,
                                 const output_options& output,
                                 const std::optional<record>& measured,
                                 const std::vector<std::string>& defaults,
                                 const std::vector<std::string>& refined) {
  auto summary = nlohmann::ordered_json::parse(summary_json(s, data));
  summary["folder"] = output.folder;
  summary["defaults"] = defaults;
  if (!refined.empty()) summary["refined"] = refined;
  if (measured) {
    std::vector<std::string> names;
    for (const auto& each : measured->channels) names.push_back(each.name);
    summary["measured"] = nlohmann::ordered_json::array();
    for (const auto& each : differences(data, *measured, names))
      summary["measured"].push_back(to_string(each));
  }
  return json_text(summary);
}

int run_scenario(const run_arguments& given) {
  auto settings = given.settings;
  if (given.audit) settings.emplace_back("run.audit=true");
  if (given.ranks > 0) settings.push_back(fmt::format("system.ranks={}", given.ranks));
  add_limits(given.limits, settings);
  const scenario s = read_scenario(given.file, settings);
  for (const auto& message : s.warnings) warn(message);
  const auto defaults = [&] {
    toml_value document = read_toml(given.file);
    for (const std::string& each : settings) apply_override(document, each);
    return defaults_taken(document, s.resolved);
  }();

  output_options output;
  output.folder = given.out.empty() ? free_output(s.name + ".run", given.force) : given.out;
  output.replaces = given.force;
  output.series = given.format == "h5" ? series_format::h5 : series_format::csv;
  output.plot = given.plot == "none"  ? plot_format::none
                : given.plot == "png" ? plot_format::png
                                      : plot_format::svg;
  check_output(output);
  const std::optional<record> measured = read_beside(given, s);
  output.measured = measured ? &*measured : nullptr;
  output.interrupt = &interrupted();

  std::vector<std::string> refined;
  const run_data data = [&] {
    progress_bar bar(!given.quiet && !given.as_json);
    const simulate_options how{&interrupted(), [&](double fraction) { bar.show(fraction); }};
    run_data result = simulate(s, how);
    if (given.refine) refined = refine(s, result, how);
    return result;
  }();
  for (const auto& message : data.doubts) warn(fmt::format("{}: {}", given.file, message));
  const written_run written = write_run(s, data, output);
  for (const auto& message : written.warnings) warn(message);
  if (written.folder != output.folder)
    warn(fmt::format("{} was written by another program in the meantime, and is left as it is",
                     output.folder));
  output.folder = written.folder;

  const auto& result = data.result;
  if (given.as_json) print(summary_for_programs(s, data, output, measured, defaults, refined));
  if (is_failure(result.how)) {
    complain(fmt::format("{}: {} at t = {:g} s of {:g} s{}{}{}{}; what was computed is in {}",
                         given.file, to_string(result.how), result.t, s.duration,
                         result.detail.empty() ? "" : ": ", result.detail,
                         data.hint.empty() ? "" : ": ", data.hint, output.folder));
    return numerical_failure;
  }
  if (result.how == outcome::interrupted) {
    complain(fmt::format("interrupted at t = {:g} s of {:g} s; what was computed is in {}",
                         result.t, s.duration, output.folder));
    return was_interrupted;
  }
  const bool is_told = !given.quiet && !given.as_json;
  const int balance = data.audit ? tell_audit(*data.audit, !is_told) : success;
  if (!is_told) return balance;
  std::string events;
  for (const auto& name : data.event_names)
    events += fmt::format("{}{} {}", events.empty() ? "; events: " : ", ", name,
                          data.times_of(name).size());
  std::string steps = fmt::format("{} steps of {}", result.steps, s.method->name);
  if (!data.shares.empty()) {
    std::vector<std::string> shares;
    for (const auto& each : data.shares)
      if (each.steps > 0) shares.push_back(fmt::format("{} steps of {}", each.steps, each.method));
    steps = fmt::format("{}", fmt::join(shares, " and "));
  }
  print(fmt::format("{}: {} at t = {:g} s, {}{}\n{}{}{}\n", in_one_line(s.title),
                    to_string(result.how), result.t, steps, events, result.detail,
                    result.detail.empty() ? "" : "\n", output.folder));
  for (const auto& each : refined) print(each + '\n');
  for (const auto& each : defaults) print(each + '\n');
  if (measured) {
    std::vector<std::string> names;
    for (const auto& each : measured->channels) names.push_back(each.name);
    for (const auto& each : differences(data, *measured, names)) print(to_string(each) + '\n');
  }
  return balance;
}

}  // namespace

void add_run(CLI::App& app, action& run) {
  auto* command = app.add_subcommand("run", "Run a scenario file and write its results");
  const auto given = std::make_shared<run_arguments>();
  command
      ->add_option("SCENARIO", given->file,
                   "Scenario file in TOML, or the name of an example (`asperity examples`)")
      ->required();
  add_settings(*command, given->settings,
               "Change a value of the file, such as friction.F_s=2 or \"system.mass=2 kg\"; may be "
               "repeated");
  add_option(*command, "--out FOLDER", given->out,
             "Folder for the results (default: NAME.run in the current folder)");
  add_force(*command, given->force, "NAME.run");
  command
      ->add_option("--format", given->format, "Format of the series: CSV, or HDF5 for large ones")
      ->check(CLI::IsMember({"csv", "h5"}))
      ->capture_default_str();
  command->add_option("--plot", given->plot, "Format of the plot")
      ->check(CLI::IsMember({"svg", "png", "none"}))
      ->capture_default_str();
  command->add_flag(
      "--audit", given->audit,
      "Check the energy balance: write audit.csv and two more panels, and fail if the balance "
      "does not close or an element releases energy that it never received");
  command->add_flag(
      "--refine", given->refine,
      "Run again with a quarter of the tolerances (methods of fixed step: half the step) and print "
      "how much the results differ in end values, extremes and numbers of events");
  command
      ->add_option("--ranks", given->ranks,
                   "Number of processes for engine = \"lammps\" (discs and spheres); the same as "
                   "--set system.ranks=N")
      ->check(CLI::Range(1, 100000));
  add_option(*command, "--measured FILE", given->measured,
             "CSV or HDF5 file whose columns are drawn together with those of the run, and written "
             "in SI units as measured.csv; the options below assign its columns");
  add_record_options(*command, given->columns);
  add_limit_options(*command, given->limits);
  command->add_flag("--json", given->as_json, "Print summary.json, with the folder, for programs");
  command->add_flag("--quiet", given->quiet, "Print nothing unless something is wrong");
  command->footer(
      R"(Writes series.csv (or series.h5), summary.json, resolved.toml and plot.svg, all or nothing.
Ctrl-C stops the run and keeps the results so far; a second Ctrl-C ends the program at once.

Examples:
  asperity run examples/stick_slip.toml
  asperity run examples/stick_slip.toml --set friction.F_s=2 --set "system.mass=2 kg" --out heavy
  asperity run examples/stick_slip.toml --set 'friction={model="dai"}' --set integrator.method=sdirk2 \
      --set integrator.step=1e-3
  asperity run examples/bouncing_ball.toml --audit --set run.audit_tolerance=1e-4
  asperity run examples/stick_slip.toml --refine  # how much do the results depend on the steps?
  asperity run heavy/resolved.toml --out again  # the same bytes again
  asperity run rig.toml --measured rig.csv --t t_s --x position_mm --f=-friction_N --detrend f=line)");
  command->callback([=, &run] {
    run = [=] {
      given->file = scenario_file(given->file);
      return run_scenario(*given);
    };
  });
}

}  // namespace asperity::cli
