// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/analysis/loops.hpp>
#include <asperity/draw/figure.hpp>
#include <asperity/error.hpp>
#include <asperity/json_text.hpp>
#include <asperity/quantity.hpp>
#include <asperity/run/overlay.hpp>
#include <asperity/text/csv.hpp>
#include <asperity/text/pending_folder.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/record_options.hpp"

namespace asperity::cli {

namespace {

struct loops_arguments {
  std::string file, x_unit, y_unit, out, noise, beside, beside_x = "x", beside_y = "f";
  record_options columns;
  int most = 20;
  bool as_json = false, skip_crossings = false;
};

// The column of an option, and its unit where another option gives it.
std::string with_unit(const std::string& column, const std::string& unit) {
  return unit.empty() ? column : fmt::format("{}:{}", column, unit);
}

// Two channels, x and y. Loops need no times, but for what options do with them.
record read_pair(const std::string& file, record_columns columns) {
  columns.needs_time = false;
  for (auto& each : columns.columns) each.is_required = true;
  return read_record(input_name(file), columns);
}

std::string unit_text(unit in, bool known) { return known ? " " + to_string(in) : ""; }

std::string loops_csv(const loop_analysis& found, bool with_crossings) {
  std::vector<std::pair<const char*, std::function<double(const loop&)>>> columns{
      {"first_row", &loop::first},  {"last_row", &loop::last}, {"x_low", &loop::u_low},
      {"x_high", &loop::u_high},    {"area", &loop::area},     {"gap", &loop::gap},
      {"is_minor", &loop::is_minor}};
  if (with_crossings)
    columns.emplace_back("crossings", [](const loop& each) { return each.crossings.size(); });
  return to_csv(found.loops, columns);
}

int analyse(const loops_arguments& given) {
  const auto column_of = [&](const char* name) {
    for (const auto& [channel, expression] : given.columns.named)
      if (channel == name) return expression;
    return std::string();
  };
  const std::string x_name = column_of("x"), y_name = column_of("y");
  record_columns wanted = columns_of(given.columns, std::vector<record_channel>{{"x"}, {"y"}});
  wanted.columns[0].expression = with_unit(x_name, given.x_unit);
  wanted.columns[1].expression = with_unit(y_name, given.y_unit);
  const record data = read_pair(given.file, wanted);
  const std::vector<double>&u = *data.find("x"), &y = *data.find("y");
  const auto unit_of = [&](const char* name) {
    const auto& in = data.find_channel(name)->in;
    return quantity{1, in.has_value(), in.value_or(units::one)};
  };
  const quantity x_is = unit_of("x"), y_is = unit_of("y");
  if (u.size() < 3)
    throw error(fmt::format("{}: {} rows are too few for a loop: at least 3 are needed", data.name,
                            u.size()));
  std::optional<record> beside;
  if (!given.beside.empty())
    beside = read_pair(given.beside, {{{"x", given.beside_x, data.find_channel("x")->in},
                                       {"y", given.beside_y, data.find_channel("y")->in}}});

  loop_options options;
  options.find_crossings = !given.skip_crossings;
  if (!given.noise.empty()) {
    options.noise = read_option(fmt::format("--noise {}", given.noise),
                                [&] { return in_si(given.noise, x_is.in); });
    if (options.noise < 0)
      throw error(fmt::format("--noise {}: it must be at least 0", given.noise));
  }
  if (!given.out.empty()) pending_folder::check(given.out);
  const loop_analysis found = analyse_loops(u, y, data.pieces, options);
  if (!std::isfinite(found.area) || !std::isfinite(found.work))
    throw error(fmt::format(
        "{}: the areas of the loops overflow: {} goes from {:g} to {:g}, {} from {:g} to {:g}; "
        "give the columns in larger units",
        data.name, x_name, found.u_low, found.u_high, y_name, found.y_low, found.y_high));

  tell(data, given.columns);
  const bool known = x_is.has_unit && y_is.has_unit;
  const std::string in_x = unit_text(x_is.in, x_is.has_unit),
                    in_area = known && x_is.in * y_is.in == units::joule
                                  ? " J"
                                  : unit_text(x_is.in * y_is.in, known);
  const std::size_t majors = found.majors();
  const double per_cycle = found.area_per_cycle();

  if (!given.out.empty()) {
    const auto& interrupt = interrupted();
    pending_folder folder(given.out);
    folder.write("loops.csv", loops_csv(found, !given.skip_crossings));
    folder.write("reversals.csv",
                 to_csv(found.reversals,
                        {{"row", &reversal::row}, {"x", &reversal::u}, {"y", &reversal::y}}));
    figure_panel whole{
        fmt::format("{} over {}", y_name, x_name), {x_name, x_is.in}, {y_name, y_is.in}};
    whole.series = {*measured_series(data, "x", "y")};
    whole.series.front().label = "record";
    whole.series.front().as = figure_series::style::line;
    whole.series.front().size = 2;
    for (const std::size_t which : found.largest(1)) {
      const loop& largest = found.loops[which];
      const auto part = [&](const std::vector<double>& all) {
        return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(largest.first),
                                   all.begin() + static_cast<std::ptrdiff_t>(largest.last) + 1);
      };
      whole.series.push_back({"largest loop", part(u), part(y)});
    }
    if (beside) {
      figure_series other = *measured_series(*beside, "x", "y");
      other.label = beside->name;
      other.as = figure_series::style::line;
      other.size = 1.5;
      whole.series.push_back(std::move(other));
    }
    const std::string problem = draw({"Loops", "", {whole}}, plot_format::svg,
                                     (folder.path() / "plot.svg").string(), &interrupt);
    if (!problem.empty()) warn(problem);
    folder.commit();
  }
  if (given.as_json) {
    auto result = nlohmann::ordered_json::object();
    result["rows"] = u.size();
    result["noise"] = found.noise;
    result["reversals"] = found.reversals.size();
    result["area"] = found.area;
    result["area_per_cycle"] = per_cycle;
    result["work"] = found.work;
    result["loops"] = nlohmann::ordered_json::array();
    for (const auto& each : found.loops) {
      nlohmann::ordered_json crossings = nlohmann::ordered_json::array();
      for (const auto& c : each.crossings) crossings.push_back({c.u, c.y});
      result["loops"].push_back({{"first_row", each.first},
                                 {"last_row", each.last},
                                 {"x_low", each.u_low},
                                 {"x_high", each.u_high},
                                 {"area", each.area},
                                 {"orientation", each.orientation()},
                                 {"gap", each.gap},
                                 {"is_minor", each.is_minor}});
      if (!given.skip_crossings) result["loops"].back()["crossings"] = crossings;
    }
    print(json_text(result));
    return success;
  }
  std::string text =
      fmt::format("{}: {} rows, {} from {:.6g} to {:.6g}{}, {} from {:.6g} to {:.6g}{}\n",
                  data.name, u.size(), x_name, found.u_low, found.u_high, in_x, y_name, found.y_low,
                  found.y_high, unit_text(y_is.in, y_is.has_unit));
  text += fmt::format("noise of {}: {:.3g}{} peak to peak{}\n", x_name, found.noise, in_x,
                      given.noise.empty() ? ", estimated" : "");
  const auto counted = [](std::size_t number, const char* what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
  };
  text += fmt::format("{}, {}, {} of them minor\n", counted(found.reversals.size(), "reversal"),
                      counted(found.loops.size(), "closed loop"), found.loops.size() - majors);
  if (majors > 0)
    text += fmt::format(
        "area of a cycle: {:.6g}{} on average over {}; area of the whole record: {:.6g}{}\n",
        per_cycle, in_area, majors, found.work, in_area);
  if (beside && beside->t.size() >= 3) {
    const loop_analysis other =
        analyse_loops(*beside->find("x"), *beside->find("y"), beside->pieces, {-1, false});
    text += fmt::format("for comparison, {}: area of a cycle: {:.6g}{} on average over {}\n",
                        beside->name, other.area_per_cycle(), in_area, other.majors());
  }
  const auto shown = found.largest(static_cast<std::size_t>(given.most));
  std::vector<std::vector<std::string>> rows{
      {"rows", "x low", "x high", "area", "orientation", "gap in y", "kind", "crossings"}};
  for (const std::size_t which : shown) {
    const loop& each = found.loops[which];
    rows.push_back({fmt::format("{}-{}", each.first, each.last), fmt::format("{:.5g}", each.u_low),
                    fmt::format("{:.5g}", each.u_high), fmt::format("{:.5g}{}", each.area, in_area),
                    each.orientation(), fmt::format("{:.2g}", each.gap),
                    each.is_minor ? "minor" : "major",
                    !given.skip_crossings ? fmt::format("{}", each.crossings.size()) : "-"});
  }
  if (!shown.empty()) text += lined_up(rows);
  if (shown.size() < found.loops.size())
    text += fmt::format("... the {} largest of {}; --most shows more, --out writes all\n",
                        shown.size(), found.loops.size());
  print(text);
  return success;
}

}  // namespace

void add_loops(CLI::App& app, action& run) {
  auto* command = app.add_subcommand("loops", "Find hysteresis loops in a record of two columns");
  const auto given = std::make_shared<loops_arguments>();
  command->add_option("DATA", given->file, "CSV or HDF5 file, simulated or measured")->required();
  command->add_option("--x-unit", given->x_unit,
                      "Unit of the input column, such as mm; its numbers are converted to SI");
  command->add_option("--y-unit", given->y_unit,
                      "Unit of the output column, such as N; its numbers are converted to SI");
  add_option(*command, "--noise QUANTITY", given->noise,
             "Ignore reversals of the input smaller than this, peak to peak (default: estimated)");
  command->add_option(
      "--most", given->most,
      "Maximum number of loops to print, largest first, equal ones in the order of time "
      "(default 20)");
  command->add_flag("--no-crossings", given->skip_crossings,
                    "Do not search for self-intersections");
  command->add_flag("--json", given->as_json, "Print JSON for programs, with all loops");
  add_option(*command, "--out FOLDER", given->out,
             "Folder for loops.csv, reversals.csv and a plot");
  add_option(*command, "--beside FILE", given->beside,
             "Another record to compare with and to draw, such as series.csv of a run");
  command->add_option("--beside-x", given->beside_x, "Column of the input of that record")
      ->capture_default_str();
  command->add_option("--beside-y", given->beside_y, "Column of the output of that record")
      ->capture_default_str();
  add_record_options(*command, given->columns, {"x", "y"});
  command->get_option("--x")->required();
  command->get_option("--y")->required();
  command->footer(
      R"(A loop closes when the input returns to where an excursion began; loops inside others are
minor. The area is the integral of y dx with its sign: above 0 is clockwise. If x is a displacement
in m and y a force in N, the area is the energy dissipated in a cycle.

Examples:
  asperity run hysteresis_loop
  asperity loops hysteresis_loop.run/series.csv --x x --y f
  asperity loops rig.csv --x position_mm --y force --x-unit mm --y-unit N --noise "0.2 um" --out rig.loops
  asperity loops rig.csv --x "position [mm]" --y=-friction_N --detrend y=mean --beside rig.run/series.csv \
      --out rig.loops)");
  command->callback([=, &run] { run = [=] { return analyse(*given); }; });
}

}  // namespace asperity::cli
