// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/draw/gnuplot.hpp>
#include <asperity/draw/plot.hpp>
#include <asperity/error.hpp>
#include <asperity/integrate/watch.hpp>
#include <asperity/quantity.hpp>
#include <asperity/text/pending_folder.hpp>
#include <cmath>
#include <iterator>

namespace asperity {

namespace {

// Of every handful of points the first, lowest, highest and last: no peak is lost, and a long run
// does not make a huge picture.
std::vector<std::size_t> points_to_show(const std::vector<double>& y) {
  constexpr std::size_t most = 4000;
  std::vector<std::size_t> shown;
  const std::size_t handful = y.size() <= most ? 1 : 1 + 4 * y.size() / most;
  for (std::size_t from = 0; from < y.size(); from += handful) {
    const std::size_t to = std::min(from + handful, y.size());
    const auto begin = y.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end = y.begin() + static_cast<std::ptrdiff_t>(to);
    const auto [low, high] = std::minmax_element(begin, end);
    std::vector<std::size_t> few{from, static_cast<std::size_t>(low - y.begin()),
                                 static_cast<std::size_t>(high - y.begin()), to - 1};
    std::sort(few.begin(), few.end());
    few.erase(std::unique(few.begin(), few.end()), few.end());
    shown.insert(shown.end(), few.begin(), few.end());
  }
  return shown;
}

struct scaled_unit {
  std::string name;
  double size;
};

scaled_unit axis_unit(const std::string& wanted, unit in, const plot_panel& panel, bool is_x) {
  if (!wanted.empty()) return {wanted, in_si("1 " + wanted, in)};
  if (is_x ? panel.x_log : panel.y_log) return {to_string(in), 1.0};  // decades need no handy unit
  double largest = 0;
  for (const auto& line : panel.lines)
    for (const double value : is_x ? line.x : line.y)
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  const auto [name, size] = handy_unit(in, largest);
  return {name, size};
}

std::string axis_label(const std::string& name, const scaled_unit& u) {
  return gnuplot_text(u.name == "-" ? name : fmt::format("{} [{}]", name, u.name));
}

std::string script_for(const std::string& title, const std::vector<plot_panel>& panels,
                       plot_format format) {
  const int columns = panels.size() > 3 ? 2 : 1;
  const int rows = (static_cast<int>(panels.size()) + columns - 1) / columns;
  const int width = columns == 1 ? 900 : 1400, height = 90 + 300 * rows;

  fmt::memory_buffer script;
  const auto say = [&](const auto& pattern, const auto&... values) {
    fmt::format_to(std::back_inserter(script), fmt::runtime(pattern), values...);
    script.push_back('\n');
  };
  if (format == plot_format::svg)
    say("set terminal svg size {},{} font 'Helvetica,14' background 'white' noenhanced", width,
        height);
  else
    say("set terminal pngcairo size {},{} font 'Helvetica,12' noenhanced", width, height);
  say("set encoding utf8");
  say("set multiplot layout {},{} title {} font ',16'", rows, columns, gnuplot_text(title));
  say("set grid lc rgb '#dddddd' lw 1 lt 1");
  say("set border lc rgb '#444444'");
  say("set lmargin 12");
  constexpr const char* colours[] = {"#1f5fa8", "#d1672a", "#3a8f4b", "#8a4fa0", "#7a7a7a",
                                     "#b8336a", "#2a9d9d", "#a08a1c", "#5b3a1e", "#6aa7e0"};

  for (const auto& panel : panels) {
    const scaled_unit x_unit = axis_unit(panel.x_unit, panel.x_in, panel, true);
    const scaled_unit y_unit = axis_unit(panel.y_unit, panel.y_in, panel, false);
    for (std::size_t i = 0; i < panel.lines.size(); ++i) {
      const auto& line = panel.lines[i];
      say("$line{} << end_of_line", i);
      for (const std::size_t k : points_to_show(line.y))
        say("{:.9g} {:.9g}", line.x[k] / x_unit.size, line.y[k] / y_unit.size);
      say("end_of_line");
    }
    say("set title {}", gnuplot_text(panel.title));
    say("set xlabel {}", axis_label(panel.x_name, x_unit));
    say("set ylabel {}", axis_label(panel.y_name, y_unit));
    // Many names stand beside the graph; above it they would leave no room for it.
    say("set key outside {} noenhanced",
        panel.lines.size() > 4 ? "right center vertical" : "top right horizontal");
    say(panel.lines.size() > 1 ? "set key on" : "set key off");
    say("unset logscale");
    if (panel.x_log) say("set logscale x");
    if (panel.y_log) say("set logscale y");
    say(panel.x_log ? "set format x '%g'" : "set format x");
    say(panel.y_log ? "set format y '%g'" : "set format y");
    // A margin in shares of the graph is none on a logarithmic axis.
    say(panel.y_log ? "set offsets 0, 0, 0, 0" : "set offsets 0, 0, graph 0.06, graph 0.06");
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < panel.lines.size(); ++i)
      parts.push_back(fmt::format("$line{} using 1:2 with lines lw 2 lc rgb '{}' title {}", i,
                                  colours[i % std::size(colours)],
                                  gnuplot_text(panel.lines[i].label)));
    say("plot {}", fmt::join(parts, ", "));
  }
  say("unset multiplot");
  return fmt::to_string(script);
}

}  // namespace

std::pair<std::string, double> handy_unit(unit in, double largest) {
  struct choice {
    unit in;
    const char* name;
    double size;
  };
  constexpr unit speed = units::metre / units::second;
  // From large to small: the first in which the largest value is above a half.
  static const choice choices[] = {
      {units::metre, "m", 1},      {units::metre, "mm", 1e-3},  {units::metre, "um", 1e-6},
      {units::metre, "nm", 1e-9},  {speed, "m/s", 1},           {speed, "mm/s", 1e-3},
      {speed, "um/s", 1e-6},       {speed, "nm/s", 1e-9},       {units::newton, "kN", 1e3},
      {units::joule, "J", 1},      {units::joule, "mJ", 1e-3},  {units::joule, "uJ", 1e-6},
      {units::joule, "nJ", 1e-9},  {units::joule, "pJ", 1e-12}, {units::newton, "N", 1},
      {units::newton, "mN", 1e-3}, {units::second, "s", 1},     {units::second, "ms", 1e-3},
      {units::second, "us", 1e-6},
  };
  const choice* best = nullptr;
  for (const auto& each : choices) {
    if (!(each.in == in)) continue;
    if (largest == 0 && each.size != 1) continue;
    best = &each;
    if (largest >= 0.5 * each.size) break;
  }
  if (best == nullptr) return {to_string(in), 1.0};
  return {best->name, best->size};
}

std::string draw(const std::string& title, const std::vector<plot_panel>& panels,
                 plot_format format, const std::string& file, const std::atomic<bool>* interrupt) {
  if (format == plot_format::none || panels.empty()) return "";
  return draw_script(script_for(title, panels, format), file, interrupt);
}

namespace {

// Colours by which a line is known again in gnuplot's picture, where its class takes their place.
std::string marking_colour(int colour) { return fmt::format("#0102{:02x}", colour); }
std::string marking_in_svg(int colour) {
  return fmt::format("stroke='rgb(  1,   2, {:3})'", colour);
}

std::string spelt_out(const std::string& name, unit in) {
  if (name == "t" && in == units::second) return "time t";
  if (name == "x" && in == units::metre) return "position x";
  if (name == "v" && in == units::metre / units::second) return "velocity v";
  if (name == "f" && in == units::newton) return "force f";
  return name;
}

void replace_all(std::string& text, std::string_view old, std::string_view with) {
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at)) {
    text.replace(at, old.size(), with);
    at += with.size();
  }
}

// Without all that only a picture of its own needs, or that would stand twice in a page.
std::string cleaned_svg(std::string svg) {
  const auto cut = [&](std::string_view from, std::string_view to) {
    const std::size_t begin = svg.find(from);
    if (begin == std::string::npos) return false;
    const std::size_t end = svg.find(to, begin + from.size());
    if (end == std::string::npos) return false;
    svg.erase(begin, end + to.size() - begin);
    return true;
  };
  cut("<?xml", "?>");
  cut("<title>", "</title>");
  cut("<desc>", "</desc>");
  cut("<defs>", "</defs>");
  while (cut(" id=\"", "\"")) {
  }
  while (cut("<title>", "</title>")) {
  }
  cut(" width=\"", "\"");
  cut(" height=\"", "\"");
  for (int i = 0; i < palette_size; ++i)
    replace_all(svg, marking_in_svg(i), fmt::format("class='series-{}'", i));
  replace_all(svg, "stroke='rgb(221, 221, 221)' class=\"gridline\"", "class=\"gridline\"");
  replace_all(svg, "stroke='rgb( 68,  68,  68)'", "");
  replace_all(svg, "fill=\"rgb(68,68,68)\"", "fill=\"currentColor\"");
  replace_all(svg, "fill=\"black\"", "fill=\"currentColor\"");
  replace_all(svg, "color=\"black\" ", "");
  replace_all(svg, " font-family=\"sans-serif\"", "");
  // Groups that hold nothing.
  replace_all(svg,
              "<g fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.00\" "
              "stroke-linecap=\"butt\" stroke-linejoin=\"miter\">\n</g>\n",
              "");
  return svg;
}

}  // namespace

inline_picture draw_inline(const plot_panel& panel, const std::atomic<bool>* interrupt) {
  const scaled_unit x_unit = axis_unit(panel.x_unit, panel.x_in, panel, true);
  const scaled_unit y_unit = axis_unit(panel.y_unit, panel.y_in, panel, false);
  fmt::memory_buffer script;
  const auto say = [&](const auto& pattern, const auto&... values) {
    fmt::format_to(std::back_inserter(script), fmt::runtime(pattern), values...);
    script.push_back('\n');
  };
  const auto label = [](const std::string& name, unit in, scaled_unit u) {
    replace_all(u.name, "um", "µm");
    return axis_label(spelt_out(name, in), u);
  };
  say("set terminal svg size 520,345 font 'sans-serif,15' noenhanced");
  say("set encoding utf8");
  say("set grid lc rgb '#dddddd' lw 1 lt 1");
  say("set border lc rgb '#444444'");
  say("set key off");
  say("set xlabel {}", label(panel.x_name, panel.x_in, x_unit));
  say("set ylabel {}", label(panel.y_name, panel.y_in, y_unit));
  if (panel.x_log) say("set logscale x\nset format x '%g'");
  if (panel.y_log) say("set logscale y\nset format y '%g'");
  if (!panel.y_log) say("set offsets 0, 0, graph 0.05, graph 0.05");
  if (panel.x_from < panel.x_to)
    say("set xrange [{:.9g}:{:.9g}]", panel.x_from / x_unit.size, panel.x_to / x_unit.size);
  std::vector<std::string> parts;
  const auto count = static_cast<int>(panel.lines.size());
  for (int i = 0; i < count; ++i) {
    const auto& line = panel.lines[static_cast<std::size_t>(i)];
    say("$line{} << end_of_line", i);
    for (const std::size_t k : points_to_show(line.y))
      say("{:.7g} {:.7g}", line.x[k] / x_unit.size, line.y[k] / y_unit.size);
    say("end_of_line");
    // Of few lines the first are the widest, so that one below another is still seen.
    const double width = count > 4 ? 1.6 : 1.6 + 1.1 * (count - 1 - i);
    parts.push_back(fmt::format("$line{} using 1:2 with lines lw {:.1f} lc rgb '{}'", i, width,
                                marking_colour(line.colour % palette_size)));
  }
  say("plot {}", fmt::join(parts, ", "));
  const gnuplot_picture drawn = run_gnuplot(fmt::to_string(script), interrupt);
  return {drawn.problem.empty() ? cleaned_svg(drawn.bytes) : "", drawn.problem};
}

std::string draw_script(const std::string& script, const std::string& file,
                        const std::atomic<bool>* interrupt) {
  const gnuplot_picture drawn = run_gnuplot(script, interrupt);
  if (!drawn.problem.empty()) return drawn.problem;
  try {
    replace_file(file, drawn.bytes);
  } catch (const error& problem) {
    return fmt::format("no plot: {}", problem.what());
  }
  return "";
}

}  // namespace asperity
