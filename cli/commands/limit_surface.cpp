// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/analysis/limit_surface_study.hpp>
#include <asperity/error.hpp>
#include <asperity/json_text.hpp>
#include <asperity/run/patch_file.hpp>
#include <asperity/run/scenario.hpp>
#include <asperity/text/csv.hpp>
#include <asperity/text/pending_folder.hpp>
#include <asperity/text/reader.hpp>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/examples.hpp"

namespace asperity::cli {

namespace {

struct limit_surface_arguments {
  std::string file, out;
  std::vector<std::string> settings;
  int around = 48, up = 25;
  double a = 0, tolerance = 1e-8;
  bool as_json = false, quiet = false;
};

constexpr double degrees = 57.29577951308232;  // of one radian

// CLI11's ranges let a value pass that is not a number.
std::string not_a_number(const std::string& text) {
  double value = 0;
  const bool is_read = CLI::detail::lexical_cast(text, value);
  return is_read && std::isnan(value) ? fmt::format("Value {} must be a number above 0", text) : "";
}

// The [patch] of a file, if one is given, with the settings laid over it.
contact_patch wanted_patch(const limit_surface_arguments& given) {
  toml_value document;
  document.place = "--set";
  std::string folder;
  if (!given.file.empty()) {
    const std::string file = scenario_file(given.file);
    const toml_value whole = read_toml(file);
    const toml_value* found = whole.find("patch");
    if (found == nullptr) throw error(fmt::format("{}: the file has no table [patch]", file));
    document = *found;
    document.take("cells");
    folder = std::filesystem::path(file).parent_path().string();
  }
  // Both as a key of the patch and as one of a scenario: shape=disc, patch.shape=disc.
  const std::string prefix = "patch.";
  for (const auto& setting : given.settings)
    apply_override(document, setting.starts_with(prefix) ? setting.substr(prefix.size()) : setting);
  return patch_of(document, folder);
}

std::string as_csv(const limit_surface& surface) {
  using point = limit_surface::point;
  return to_csv(surface.points, {{"longitude", &point::longitude},
                                 {"latitude", &point::latitude},
                                 {"f_x", [](const point& p) { return p.value[0]; }},
                                 {"f_y", [](const point& p) { return p.value[1]; }},
                                 {"torque", [](const point& p) { return p.value[2]; }}});
}

int show_limit_surface(const limit_surface_arguments& given) {
  const contact_patch patch = wanted_patch(given);
  if (!given.out.empty()) pending_folder::check(given.out);
  limit_surface_options options{given.around, given.up, given.tolerance, given.a, &interrupted()};
  const limit_surface_study study = [&] {
    progress_bar bar(!given.quiet);
    options.progress = [&](double fraction) { bar.show(fraction); };
    return study_limit_surface(patch, options);
  }();
  const limit_surface& surface = study.surface;
  const ellipsoid_error &best = study.best, &asked = study.asked;
  const auto place = [&](const ellipsoid_error& miss) {
    const std::string latitude =
        fmt::format("latitude {:.1f} deg of the twist", miss.at.latitude * degrees);
    if (patch.is_axisymmetric()) return "at " + latitude;
    return fmt::format("at longitude {:.1f} deg, {}", miss.at.longitude * degrees, latitude);
  };
  const auto [x, y] = patch.centre();

  // Files first: whoever reads the text may stop reading.
  if (!given.out.empty()) {
    pending_folder folder(given.out);
    folder.write("surface.csv", as_csv(surface));
    const std::string problem =
        draw(figure_of(study, patch), plot_format::png,
             (folder.path() / "limit_surface.png").string(), &interrupted());
    folder.commit();
    if (!problem.empty()) warn(problem);
  }
  if (given.as_json) {
    auto result = nlohmann::ordered_json::object();
    result["patch"] = patch.description();
    result["area"] = patch.area();
    result["centre"] = {x, y};
    result["torque_over_force"] = surface.arm;
    result["ellipsoid_worst_error"] = asked.worst;
    result["ellipsoid_worst_at"] = {{"longitude", asked.at.longitude},
                                    {"latitude", asked.at.latitude}};
    result["quadrature_error"] = surface.error;
    print(json_text(result));
  } else {
    std::string text = fmt::format("{}\n", patch.description());
    text += lined_up(
        {patch.is_line()
             ? std::vector<std::string>{"length", fmt::format("{:.6g} m", patch.area())}
             : std::vector<std::string>{"area", fmt::format("{:.6g} m^2", patch.area())},
         {"centre of pressure", fmt::format("({:.6g}, {:.6g}) m", x, y)},
         {"greatest force", "1 mu f_n"},
         {"torque when spinning about it", fmt::format("{:.9g} m mu f_n = {:.4f} of the reach",
                                                       surface.arm, surface.arm / patch.reach())},
         {"ellipsoid's worst error",
          fmt::format("{:.3g} % with that torque, {}", 100 * best.worst, place(best))},
         {"quadrature error", fmt::format("{:.1g} of mu f_n", surface.error)}},
        "  ");
    if (given.a > 0)
      text += fmt::format("  with a = {:g}: worst error {:.3g} %, {}\n", given.a, 100 * asked.worst,
                          place(asked));
    if (!given.out.empty()) text += given.out + "\n";
    print(text);
  }
  return success;
}

}  // namespace

void add_limit_surface(CLI::App& app, action& run) {
  auto* command = app.add_subcommand("limit-surface",
                                     "Compute the forces and torques that a contact patch can "
                                     "hold, and how well an ellipsoid describes them");
  const auto given = std::make_shared<limit_surface_arguments>();
  command->add_option(
      "FILE", given->file,
      "TOML file with a table [patch], such as a scenario, or the name of an example (default: the "
      "patch given by --set)");
  add_settings(*command, given->settings,
               "Set a key of the patch, such as shape=disc or \"radius=20 mm\"; may be repeated");
  command
      ->add_option("--a", given->a,
                   "Also judge the ellipsoid whose torque is A mu f_n times the reach of the "
                   "patch, such as 0.6")
      ->check(not_a_number, "")
      ->check(CLI::PositiveNumber);
  command->add_option("--around", given->around, "Number of twist directions around the equator")
      ->check(CLI::Range(4, 720))
      ->capture_default_str();
  command->add_option("--up", given->up, "Number of twist directions from pole to pole")
      ->check(CLI::Range(3, 361))
      ->capture_default_str();
  command
      ->add_option("--tolerance", given->tolerance,
                   "Tolerance of the quadrature, relative to mu f_n")
      ->check(not_a_number, "")
      ->check(CLI::Range(1e-12, 1e-2))
      ->capture_default_str();
  command->add_flag("--json", given->as_json, "Print JSON for programs, in SI units");
  command->add_flag("--quiet", given->quiet, "Show no progress bar");
  add_option(*command, "--out FOLDER", given->out,
             "Folder for surface.csv and the 3-D plot limit_surface.png");
  command->footer(
      R"(Everything is about the centre of pressure and for mu f_n = 1 N. Shapes: disc (radius), ring (inner_radius, radius),
ellipse (a, b), rectangle (width, height), polygon (x, y and [[patch.hole]]), line (length, angle), grid (file);
pressure: uniform, hertz, linear (gradient_x, gradient_y), table (pressure_file). See docs/planar.md.

Examples:
  asperity limit-surface --set shape=disc --set "radius=20 mm" --a 0.6
  asperity limit-surface --set shape=rectangle --set width=0.1 --set height=0.02 --out box
  asperity limit-surface examples/pushed_box.toml --out pushed)");
  command->callback([=, &run] { run = [=] { return show_limit_surface(*given); }; });
}

}  // namespace asperity::cli
