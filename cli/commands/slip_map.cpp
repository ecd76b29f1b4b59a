// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/analysis/slip_map.hpp>
#include <asperity/draw/gnuplot.hpp>
#include <asperity/error.hpp>
#include <asperity/mechanics/planar_system.hpp>
#include <asperity/run/output.hpp>
#include <asperity/text/csv.hpp>
#include <asperity/text/pending_folder.hpp>
#include <cmath>
#include <memory>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

struct slip_map_arguments {
  std::string file, out;
  std::vector<std::string> settings;
  std::vector<double> times;
  int count = 6;
  bool quiet = false;
};

// A step of 1, 2 or 5 times a power of ten that divides `range` into at most five.
double step_of_tics(double range) {
  double step = std::pow(10.0, std::floor(std::log10(range)) - 1);
  for (int i = 0; range / step > 5; ++i) step *= i % 3 == 1 ? 2.5 : 2;
  return step;
}

std::string script_for(const std::string& title, const slip_map& map) {
  const auto& pictures = map.pictures;
  const double width = map.cell_width, height = map.cell_height;
  // All in millimetres from here on. Panels have the proportions of the patch, within reason.
  double left = unbounded, right = -unbounded, low = unbounded, high = -unbounded;
  for (const double x : map.x) {
    left = std::min(left, 1e3 * (x - width / 2));
    right = std::max(right, 1e3 * (x + width / 2));
  }
  for (const double y : map.y) {
    low = std::min(low, 1e3 * (y - height / 2));
    high = std::max(high, 1e3 * (y + height / 2));
  }
  const double margin = 0.04 * std::max(right - left, high - low);
  const int columns = std::min<int>(3, static_cast<int>(pictures.size()));
  const int rows = (static_cast<int>(pictures.size()) + columns - 1) / columns;
  // In pixels: the label and numbers of each y axis have room on its left; one panel alone is wide
  // enough for the title.
  const int wide = columns == 1 ? 450 : 300, beside = 85, whole = columns * (wide + beside) + 25;
  const int panel =
      std::clamp(static_cast<int>(wide * (high - low) / (right - left)), 90, 450) + 110;
  const int total = panel * rows + 170;
  std::string script = fmt::format(
      "set terminal pngcairo size {},{} font 'Helvetica,12' noenhanced\n"
      "set multiplot layout {},{} title {}.\"\\nshare of its friction limit that each cell uses; "
      "red "
      "cells slip\" margins screen {:.4f},{:.4f},{:.4f},{:.4f} spacing screen {:.4f},{:.4f}\n"
      "set size ratio -1\nset palette defined (0 '#f4f7fb', 0.6 '#9dc0e6', 0.999 '#1f5fa8', 1 "
      "'#c8321e')\n"
      "set xrange [{:.6g}:{:.6g}]\nset yrange [{:.6g}:{:.6g}]\nset cbrange [0:1]\nset cbtics 0.2\n"
      "set xtics {:.6g} out nomirror\nset ytics {:.6g} out nomirror\nset tics font ',9'\n"
      "set xlabel 'x [mm]' offset 0,0.5\nset ylabel 'y [mm]'\nset style fill solid noborder\n"
      "unset colorbox\n",
      whole, total, rows, columns, gnuplot_text(title), 1.0 * beside / whole, 1 - 25.0 / whole,
      130.0 / total, 1 - 80.0 / total, 1.0 * beside / whole, 95.0 / total, left - margin,
      right + margin, low - margin, high + margin, step_of_tics(right - left),
      step_of_tics(high - low));
  for (std::size_t k = 0; k < pictures.size(); ++k) {
    const auto& p = pictures[k];
    script += fmt::format("$cells{} << end_of_data\n", k);
    for (std::size_t i = 0; i < map.x.size(); ++i)
      script += fmt::format("{:.6g} {:.6g} {:.6g}\n", 1e3 * map.x[i], 1e3 * map.y[i],
                            p.share_of_limit[i] >= 1 ? 1.0 : 0.998 * p.share_of_limit[i]);
    script += "end_of_data\n";
    if (k + 1 == pictures.size())  // one scale for all
      script += fmt::format(
          "set colorbox horizontal user origin screen 0.3,{:.4f} size screen 0.4,{:.4f}\n",
          40.0 / total, 14.0 / total);
    script += fmt::format(
        "set title \"t = {:.4g} s, {:.0f} % of the load slips\"\n"
        "plot $cells{} using 1:2:({:.6g}):({:.6g}):3 with boxxyerror lc palette notitle\n",
        p.t, 100 * p.slipping, k, 505 * width, 505 * height);
  }
  return script + "unset multiplot\n";
}

int draw_slip_map(const slip_map_arguments& given) {
  const scenario s = read_scenario(given.file, given.settings);
  for (const auto& message : s.warnings) warn(message);
  const std::string out = given.out.empty() ? default_output(s.name + ".slip") : given.out;
  pending_folder::check(out);
  slip_map_options options{given.times, given.count, &interrupted()};
  const slip_map map = [&] {
    progress_bar bar(!given.quiet);
    options.progress = [&](double fraction) { bar.show(fraction); };
    return find_slip_map(s, options);
  }();
  const auto& pictures = map.pictures;
  const auto& result = map.result;
  const int code = is_failure(result.how)               ? numerical_failure
                   : result.how == outcome::interrupted ? was_interrupted
                                                        : success;
  const auto tell = [&] {
    if (code == success) return;
    std::string why = fmt::format("{}: {} at t = {:g} s of {:g} s", given.file,
                                  to_string(result.how), result.t, s.duration);
    for (const auto& each : {result.detail, map.hint})
      if (!each.empty()) why += ": " + each;
    complain(fmt::format("{}; {} of {} times were reached{}", why, pictures.size(), map.wanted,
                         pictures.empty() ? ": nothing was written" : ", which are in " + out));
  };
  if (pictures.empty()) {
    tell();
    return code;
  }

  std::vector<double> t, x, y, used;
  for (const auto& p : pictures)
    for (std::size_t i = 0; i < map.x.size(); ++i) {
      t.push_back(p.t);
      x.push_back(map.x[i]);
      y.push_back(map.y[i]);
      used.push_back(p.share_of_limit[i]);
    }
  pending_folder folder(out);
  folder.write("cells.csv", to_csv({{"t", &t}, {"x", &x}, {"y", &y}, {"share_of_limit", &used}}));
  const std::string file = (folder.path() / "slip_map.png").string();
  const std::string problem = draw_script(script_for(s.title, map), file, &interrupted());
  folder.commit();
  tell();
  if (!problem.empty()) warn(problem);
  if (!given.quiet && code == success) {
    std::vector<std::vector<std::string>> rows{{"t [s]", "load on slipping cells"}};
    for (const auto& p : pictures)
      rows.push_back({fmt::format("{:.6g}", p.t), fmt::format("{:.1f} %", 100 * p.slipping)});
    print(lined_up(rows) + out + "\n");
  }
  return code;
}

}  // namespace

void add_slip_map(CLI::App& app, action& run) {
  auto* command =
      app.add_subcommand("slip-map", "Where a contact patch sticks and slips during a run");
  const auto given = std::make_shared<slip_map_arguments>();
  command
      ->add_option("SCENARIO", given->file,
                   "Scenario file with a planar system and the friction model patch_dai")
      ->required();
  add_settings(*command, given->settings,
               "Change a value of the file, such as patch.cells=40; may be repeated");
  command
      ->add_option(
          "--at", given->times,
          "Times to show, in s, separated by commas (default: --count times, evenly spaced)")
      ->delimiter(',');
  command->add_option("--count", given->count, "Number of evenly spaced times")
      ->check(CLI::Range(1, 24))
      ->capture_default_str();
  command
      ->add_option(
          "--out", given->out,
          "Folder for slip_map.png and cells.csv; replaced if it exists (default: NAME.slip in the "
          "current folder)")
      ->type_name("FOLDER");
  command->add_flag("--quiet", given->quiet, "Say nothing unless something is wrong");
  command->footer(
      R"(Runs the scenario and draws the patch at each time: how much of its friction limit every cell uses; cells that slip are
red. cells.csv has the same numbers.

Examples:
  asperity slip-map examples/pushed_box.toml
  asperity slip-map examples/pushed_box.toml --at 0.05,0.1,0.2 --set patch.cells=40 --out box)");
  command->callback([=, &run] { run = [=] { return draw_slip_map(*given); }; });
}

}  // namespace asperity::cli
