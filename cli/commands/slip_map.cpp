// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/analysis/slip_map.hpp>
#include <asperity/error.hpp>
#include <asperity/json_text.hpp>
#include <asperity/mechanics/planar_system.hpp>
#include <asperity/run/output.hpp>
#include <asperity/text/csv.hpp>
#include <asperity/text/pending_folder.hpp>
#include <memory>

#include "cli/commands.hpp"
#include "cli/examples.hpp"
#include "cli/free_output.hpp"

namespace asperity::cli {

namespace {

struct slip_map_arguments {
  std::string file, out;
  std::vector<std::string> settings;
  std::vector<double> times;
  int count = 6;
  bool quiet = false, force = false, as_json = false;
};

int draw_slip_map(const slip_map_arguments& given) {
  const scenario s = read_scenario(given.file, given.settings);
  for (const auto& message : s.warnings) warn(message);
  std::string out = given.out.empty() ? free_output(s.name + ".slip", given.force) : given.out;
  pending_folder::check(out);
  slip_map_options options{given.times, given.count, &interrupted()};
  const slip_map map = [&] {
    progress_bar bar(!given.quiet && !given.as_json);
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
  const std::string problem = draw(figure_of(map, s.title), plot_format::png, file, &interrupted());
  if (given.force) {
    folder.commit();
  } else {
    out = folder.commit_beside_others();
  }
  tell();
  if (!problem.empty()) warn(problem);
  if (given.as_json) {
    nlohmann::ordered_json told{{"scenario", s.name}, {"folder", out}, {"cells", map.x.size()}};
    told["pictures"] = nlohmann::ordered_json::array();
    for (const auto& p : pictures)
      told["pictures"].push_back({{"t", p.t}, {"slipping_share_of_load", p.slipping}});
    print(json_text(told));
  } else if (!given.quiet && code == success) {
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
      app.add_subcommand("slip-map", "Show where a contact patch sticks and slips during a run");
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
  add_option(*command, "--out FOLDER", given->out,
             "Folder for slip_map.png and cells.csv (default: NAME.slip in the "
             "current folder)");
  add_force(*command, given->force, "NAME.slip");
  command->add_flag("--json", given->as_json, "Print JSON for programs");
  command->add_flag("--quiet", given->quiet, "Print nothing unless something is wrong");
  command->footer(
      R"(Runs the scenario and draws the patch at each time, with the share of its friction limit
that each cell uses; cells that slip are red. cells.csv has the same numbers.

Examples:
  asperity slip-map examples/pushed_box.toml
  asperity slip-map examples/pushed_box.toml --at 0.05,0.1,0.2 --set patch.cells=40 --out box)");
  command->callback([=, &run] {
    run = [=] {
      given->file = scenario_file(given->file);
      return draw_slip_map(*given);
    };
  });
}

}  // namespace asperity::cli
