// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/fmi/package.hpp>
#include <asperity/inclusion/emit.hpp>
#include <asperity/json_text.hpp>
#include <asperity/run/inclusion/inclusion.hpp>
#include <asperity/run/output.hpp>
#include <asperity/text.hpp>
#include <asperity/text/pending_folder.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "cli/commands.hpp"
#include "cli/examples.hpp"
#include "cli/free_output.hpp"

namespace asperity::cli {

namespace {

namespace fs = std::filesystem;

struct fmu_arguments {
  std::string file, out, version = "2", kind = "both";
  std::vector<std::string> settings, inputs;
  bool force = false, has_no_sources = false, as_json = false;
};

fs::path folder_of_program() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Beside the program, or where it was installed.
std::string run_time() {
  const fs::path here = folder_of_program();
  for (const auto& place : {here, here / "../fmu", here / ASPERITY_MODULES_FROM_BIN})
    if (fs::exists(place / "libasperity_fmu.so")) return bytes_of(place / "libasperity_fmu.so");
  throw error(fmt::format("cannot find the runtime of FMUs, libasperity_fmu.so: it should be in {}",
                          (here / ASPERITY_MODULES_FROM_BIN).lexically_normal().string()));
}

// What the run-time is made of, in the order of names; nothing where it was not installed.
std::vector<fmi::zip_entry> sources_of_run_time() {
  const fs::path here = folder_of_program();
  std::vector<fmi::zip_entry> result;
  for (const auto& place :
       {here / "../fmu/sources", here / ASPERITY_MODULES_FROM_BIN / "fmu/sources"}) {
    if (!fs::is_directory(place)) continue;
    for (const auto& each : fs::recursive_directory_iterator(place))
      if (each.is_regular_file())
        result.push_back({each.path().lexically_relative(place).string(), bytes_of(each.path())});
    break;
  }
  std::sort(result.begin(), result.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return result;
}

// The ODE of an inclusion as C, where all of its inputs have formulas.
std::string source_of(const fmu_arguments& given, const std::string& kind) {
  if (kind != "inclusion") return "";
  try {
    stated_inclusion stated = read_stated_inclusion(given.file, given.settings);
    for (std::string* text : {&stated.setting.title, &stated.setting.origin})
      *text = in_one_line(*text);
    return emit(stated.system, stated.setting, language::c, {true, std::string(version())});
  } catch (const error& problem) {
    say(fmt::format("the FMU contains no C code of the inclusion: {}\n", problem.what()));
    return "";
  }
}

int write_fmu(const fmu_arguments& given) {
  fmi::request wanted;
  if (given.version != "2" && given.version != "3")
    throw error(fmt::format("--fmi {}: allowed are 2 (FMI 2.0) and 3 (FMI 3.0)", given.version));
  if (given.version == "3") wanted.version = fmi::standard::fmi_3;
  if (given.kind != "both" && given.kind != "cs" && given.kind != "me")
    throw error(fmt::format(
        "--kind {}: allowed are cs (co-simulation), me (model exchange) and both", given.kind));
  wanted.wanted = {given.kind != "me", given.kind != "cs"};
  wanted.must_have_model_exchange = given.kind == "me";
  wanted.document = read_toml(given.file);
  for (const auto& setting : given.settings) apply_override(wanted.document, setting);
  const fs::path path(given.file);
  wanted.name = path.stem().string();
  wanted.folder = path.parent_path().string();
  wanted.inputs = given.inputs;
  const scenario read = read_scenario(wanted.document, wanted.name, wanted.folder);
  for (const auto& message : read.warnings) warn(message);
  wanted.source = source_of(given, read.system->card().kind);
  wanted.runtime = run_time();
  if (!given.has_no_sources) wanted.sources = sources_of_run_time();

  const std::string file =
      given.out.empty() ? free_output(read.name, given.force, ".fmu") : given.out;
  wanted.scratch =
      (fs::temp_directory_path() / ("asperity_fmu_" + fmi::identifier_of(read.name))).string();
  const fmi::packed made = fmi::pack(wanted);
  if (file == "-") {
    if (given.as_json)
      throw error("--json with --out -: standard output can have the FMU or the JSON, not both");
    print_bytes(made.bytes);
    return success;
  }
  write_file(file, made.bytes);
  const char* kinds = made.has.co_simulation && made.has.model_exchange
                          ? "co-simulation and model exchange"
                      : made.has.co_simulation ? "co-simulation"
                                               : "model exchange";
  if (given.as_json) {
    nlohmann::ordered_json told{{"file", file},
                                {"fmi", given.version + ".0"},
                                {"co_simulation", made.has.co_simulation},
                                {"model_exchange", made.has.model_exchange}};
    told["variables"] = nlohmann::ordered_json::array();
    for (const auto& each : made.about.variables) told["variables"].push_back(each.name);
    print(json_text(told));
    return success;
  }
  say(fmt::format("wrote {}: FMI {}.0, {}, {} variables, {:.1f} MB\n", in_one_line(file),
                  given.version, kinds, made.about.variables.size(),
                  1e-6 * static_cast<double>(made.bytes.size())));
  if (given.kind == "both" && !made.has.model_exchange)
    say(fmt::format("the FMU does not offer model exchange: {}\n", made.about.no_model_exchange));
  return success;
}

}  // namespace

void add_fmu(CLI::App& app, action& run) {
  auto* command = app.add_subcommand(
      "fmu", "Export a scenario as an FMU, for simulators that import FMI 2.0 or 3.0");
  const auto given = std::make_shared<fmu_arguments>();
  command
      ->add_option("SCENARIO", given->file,
                   "Scenario file in TOML (an inclusion works too), or the name of an example")
      ->required();
  add_option(*command, "-o,--out FILE", given->out, "Write to this file (default: NAME.fmu)");
  add_option(*command, "--fmi VERSION", given->version,
             "Version of the standard: 2 for FMI 2.0 (default), 3 for FMI 3.0");
  add_option(
      *command, "--kind KIND", given->kind,
      "cs: co-simulation, with the integrators of asperity inside; me: model exchange, for the "
      "solver of the importer; both: cs, and me as well if the system is an ODE (default)");
  add_repeated(*command, "--input NAME", given->inputs,
               "Let the importer provide this input, such as force, instead of the signal in the "
               "scenario; may be repeated");
  add_settings(*command, given->settings,
               "Change a value of the scenario, such as system.mass=2; may be repeated");
  command->add_flag("--no-sources", given->has_no_sources,
                    "Leave out the folder sources, from which the binary can be rebuilt");
  command->add_flag("--json", given->as_json,
                    "Print the name of the file and its variables as JSON for programs");
  add_force(*command, given->force, "NAME", ".fmu");
  command->footer(
      R"(The FMU needs neither asperity nor a compiler where it runs. It contains a runtime for
Linux on x86-64 that needs only the C library, the C++ sources of that runtime, the scenario, and
for an inclusion its ODE as C code.

Numbers of the scenario become parameters by their keys (system.mass, friction.F_s), in SI, with
unit, range and meaning; they act like --set, and can be set until the simulation starts. Columns
become outputs. States have their start value, which can be set in the same way.

In co-simulation an FMU without inputs gives the numbers of `asperity run` to the last bit if its
communication points are the samples of the scenario. Inputs are held from one communication point
to the next. Friction that is set-valued at rest, rigid contacts and memory that is not an ODE need
the integrators of asperity: such a scenario has no model exchange, and the tool says why.

Errors (a value out of its range, an unknown value reference, a call out of order, a step that
fails) return an error status and write a sentence to the log of the importer. More: docs/fmi.md.

Examples:
  asperity fmu stick_slip -o stick_slip.fmu
  asperity fmu stick_slip --fmi 3 --kind cs --set friction.F_s=2 --out stick_slip_3.fmu
  asperity fmu creep --input force --out pushed.fmu
  asperity fmu examples/inclusions/two_bodies.toml --kind me --out two_bodies.fmu)");
  command->callback([=, &run] {
    run = [=] {
      given->file = scenario_file(given->file);
      return write_fmu(*given);
    };
  });
}

}  // namespace asperity::cli
