// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/draw/gnuplot.hpp>
#include <asperity/draw/plot.hpp>
#include <asperity/error.hpp>
#include <asperity/json_text.hpp>
#include <asperity/patch/limit_surface.hpp>
#include <asperity/run/read_planar.hpp>
#include <asperity/text/csv.hpp>
#include <asperity/text/pending_folder.hpp>
#include <asperity/text/reader.hpp>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"

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
  toml_value document, record;
  document.place = "--set";
  std::string folder;
  if (!given.file.empty()) {
    const toml_value whole = read_toml(given.file);
    const toml_value* found = whole.find("patch");
    if (found == nullptr) throw error(fmt::format("{}: there is no table [patch]", given.file));
    document = *found;
    document.take("cells");
    folder = std::filesystem::path(given.file).parent_path().string();
  }
  // Both as a key of the patch and as one of a scenario: shape=disc, patch.shape=disc.
  const std::string prefix = "patch.";
  for (const auto& setting : given.settings)
    apply_override(document, setting.starts_with(prefix) ? setting.substr(prefix.size()) : setting);
  reader table(document, "patch", record);
  std::vector<scenario::attachment> unused;
  contact_patch patch = read_patch(table, {folder, &unused});
  table.finish();
  return patch;
}

std::string as_csv(const limit_surface& surface) {
  std::vector<double> columns[5];
  for (const auto& p : surface.points) {
    columns[0].push_back(p.longitude);
    columns[1].push_back(p.latitude);
    for (int i = 0; i < 3; ++i) columns[2 + i].push_back(p.value[i]);
  }
  return to_csv({{"longitude", &columns[0]},
                 {"latitude", &columns[1]},
                 {"f_x", &columns[2]},
                 {"f_y", &columns[3]},
                 {"torque", &columns[4]}});
}

// The surface as a net, with the ellipsoid of the same force and torque inside or around it.
std::string script_for(const contact_patch& patch, const limit_surface& surface,
                       const ellipsoid_error& miss, double arm) {
  std::string script = fmt::format(
      "set terminal pngcairo size 1100,900 font 'Helvetica,13' noenhanced\n"
      "set title {}.\"\\nthe ellipsoid is off by {:.1f} % at most\"\n"
      "set xlabel 'f_x / mu f_n'\nset ylabel 'f_y / mu f_n'\nset zlabel 'torque / (mu f_n)  [mm]' "
      "rotate parallel\n"
      "set view 62,40\nset view equal xy\nset xyplane relative 0.05\nset grid\n"
      "set xrange [-1.2:1.2]\nset yrange [-1.2:1.2]\nset xtics 0.5\nset ytics 0.5\n"
      "set key outside bottom center horizontal samplen 2\n"
      "set pm3d depthorder border lc rgb '#1f5fa8' lw 0.6\nset style fill transparent solid 0.75\n"
      "set palette defined (0 '#123a6b', 0.5 '#6fa3d8', 1 '#eaf2fb')\nunset colorbox\n",
      gnuplot_text(fmt::format("Limit surface of a {}", patch.description())), 100 * miss.worst);
  script += "$surface << end_of_data\n";
  for (int j = 0; j < surface.up; ++j) {
    for (int i = 0; i <= surface.around; ++i) {
      const auto& f =
          surface.points[static_cast<std::size_t>(i % surface.around + surface.around * j)].value;
      script += fmt::format("{:.6g} {:.6g} {:.6g}\n", f[0], f[1], 1e3 * f[2]);
    }
    script += "\n";
  }
  script += "end_of_data\n";
  script += fmt::format(
      "set parametric\nset urange [0:2*pi]\nset vrange [-pi/2:pi/2]\nset samples 72\nset "
      "isosamples 25,13\n"
      "splot $surface using 1:2:3 with pm3d notitle, keyentry with lines lc rgb '#6fa3d8' lw 8 "
      "title "
      "'exact', cos(v)*cos(u), cos(v)*sin(u), "
      "{:.9g}*sin(v) with lines lc rgb '#d1672a' lw 0.8 title 'ellipsoid'\n",
      1e3 * arm);
  return script;
}

int show_limit_surface(const limit_surface_arguments& given) {
  const contact_patch patch = wanted_patch(given);
  if (!given.out.empty()) pending_folder::check(given.out);
  limit_surface surface;
  ellipsoid_error best, asked;
  {
    progress_bar bar(!given.quiet);
    // The points are most of the work, then comes the search for the worst of each ellipsoid.
    const auto told = [&](double from, double to) {
      return [&bar, from, to](double fraction) {
        bar.show(from + (to - from) * fraction);
        return !interrupted().load();
      };
    };
    surface = sample_limit_surface(patch, given.around, given.up, given.tolerance, told(0, 0.6));
    if (!interrupted())
      best = asked = compare_with_ellipsoid(patch, surface, 0, given.tolerance, told(0.6, 0.8));
    if (!interrupted() && given.a > 0)
      asked = compare_with_ellipsoid(patch, surface, given.a * patch.reach(), given.tolerance,
                                     told(0.8, 1));
  }
  if (interrupted()) {
    complain("interrupted; nothing was written");
    return was_interrupted;
  }
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
    const std::string problem = draw_script(
        script_for(patch, surface, asked, given.a > 0 ? given.a * patch.reach() : surface.arm),
        (folder.path() / "limit_surface.png").string(), &interrupted());
    folder.commit();
    if (!problem.empty()) warn(problem);
  }
  if (given.as_json) {
    nlohmann::ordered_json result;
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
         {"torque of spinning about it", fmt::format("{:.9g} m mu f_n = {:.4f} of the reach",
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
  auto* command = app.add_subcommand(
      "limit-surface", "Forces and torques a contact patch can hold, and the ellipsoid's error");
  const auto given = std::make_shared<limit_surface_arguments>();
  command->add_option("FILE", given->file, "A TOML file with a table [patch], such as a scenario");
  add_settings(*command, given->settings,
               "A key of the patch, such as shape=disc or \"radius=20 mm\"; may be repeated");
  command
      ->add_option(
          "--a", given->a,
          "Also judge the ellipsoid whose torque is this part of mu f_n times the reach (0.6)")
      ->check(not_a_number, "")
      ->check(CLI::PositiveNumber);
  command->add_option("--around", given->around, "Directions of the twist around the equator")
      ->check(CLI::Range(4, 720))
      ->capture_default_str();
  command->add_option("--up", given->up, "... and from pole to pole")
      ->check(CLI::Range(3, 361))
      ->capture_default_str();
  command->add_option("--tolerance", given->tolerance, "Of the quadrature, relative to mu f_n")
      ->check(not_a_number, "")
      ->check(CLI::Range(1e-12, 1e-2))
      ->capture_default_str();
  command->add_flag("--json", given->as_json, "For programs, in SI");
  command->add_flag("--quiet", given->quiet, "No progress bar");
  command
      ->add_option("--out", given->out,
                   "Folder for surface.csv and limit_surface.png (3-D), replaced as a whole")
      ->type_name("FOLDER");
  command->footer(
      R"(Everything is about the centre of pressure and for mu f_n = 1 N. Shapes: disc (radius), ring (inner_radius, radius),
ellipse (a, b), rectangle (width, height), polygon (x, y and [[patch.hole]]), line (length, angle), grid (file);
pressure: uniform, hertz, linear (gradient_x, gradient_y), table (pressure_file). See docs/planar.md.

Examples:
  asperity limit-surface --set shape=disc --set "radius=20 mm" --a 0.6
  asperity limit-surface --set shape=rectangle --set width=0.1 --set height=0.02 --out box
  asperity limit-surface examples/pushed_box.toml --out box)");
  command->callback([=, &run] { run = [=] { return show_limit_surface(*given); }; });
}

}  // namespace asperity::cli
