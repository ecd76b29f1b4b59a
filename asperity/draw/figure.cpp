// SPDX-License-Identifier: Apache-2.0
#include <asperity/draw/figure.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <asperity/draw/gnuplot.hpp>
#include <asperity/error.hpp>
#include <asperity/integrate/watch.hpp>
#include <asperity/model.hpp>
#include <asperity/quantity.hpp>
#include <asperity/text/pending_folder.hpp>
#include <asperity/text/pieces.hpp>
#include <cmath>
#include <iterator>

namespace asperity {

namespace {

// Neighbours differ in lightness as well as in hue, so that they are told apart by those who see few
// colours, and on grey paper. The pages have the same ones (publish/style.hpp).
constexpr const char* colours[palette_size] = {"#0a66a8", "#d55e00", "#00876b", "#b0508f",
                                               "#5f666b", "#d08a00", "#3f9fdb", "#7a6a00",
                                               "#6b3f1d", "#8b8fd8"};
const char* colour_at(int place) { return colours[place % palette_size]; }

// Of every handful of points the first, lowest, highest and last: no peak is lost, and a long run
// does not make a huge picture. What is not finite is a gap in the line, and stays one.
std::vector<std::size_t> points_to_show(const std::vector<double>& y, std::size_t most = 4000) {
  std::vector<std::size_t> shown;
  const std::size_t handful = y.size() <= most ? 1 : 1 + 4 * y.size() / most;
  for (std::size_t from = 0; from < y.size(); from += handful) {
    const std::size_t to = std::min(from + handful, y.size());
    std::size_t low = from, high = from;
    std::vector<std::size_t> few{from, to - 1};
    for (std::size_t k = from; k < to; ++k) {
      if (!std::isfinite(y[k])) few.push_back(k);
      if (y[k] < y[low] || !std::isfinite(y[low])) low = k;
      if (y[k] > y[high] || !std::isfinite(y[high])) high = k;
    }
    few.push_back(low);
    few.push_back(high);
    std::sort(few.begin(), few.end());
    few.erase(std::unique(few.begin(), few.end()), few.end());
    shown.insert(shown.end(), few.begin(), few.end());
  }
  return shown;
}

// ---- axes ---------------------------------------------------------------------------------------

struct scaled_unit {
  std::string name;
  double size;
};

struct extent {
  double low = unbounded, high = -unbounded;
  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void add(const std::vector<double>& values) {
    for (const double each : values) add(each);
  }
  bool is_empty() const { return low > high; }
  double largest() const { return is_empty() ? 0 : std::max(std::abs(low), std::abs(high)); }
};

// What a panel shows along x, y and z.
std::array<extent, 3> extents_of(const figure_panel& panel) {
  std::array<extent, 3> result;
  for (const auto& each : panel.series) {
    result[0].add(each.x);
    result[1].add(each.y);
  }
  const figure_map& map = panel.map;
  for (std::size_t i = 0; i < map.value.size(); ++i) {
    if (!std::isfinite(map.value[i])) continue;
    for (const double each : {map.x_low[i], map.x_high[i]}) result[0].add(each);
    for (const double each : {map.y_low[i], map.y_high[i]}) result[1].add(each);
    result[2].add(map.value[i]);
  }
  for (const auto& net : panel.nets)
    for (const auto& point : net.points)
      for (std::size_t k = 0; k < 3; ++k) result[k].add(point[k]);
  return result;
}

scaled_unit unit_for(const figure_axis& axis, const extent& of) {
  if (!axis.shown_in.empty()) return {axis.shown_in, in_si("1 " + axis.shown_in, axis.in)};
  if (axis.log) return {to_string(axis.in), 1.0};  // decades need no handy unit
  const auto [name, size] =
      handy_unit(axis.in, std::max({of.largest(), std::abs(axis.from), std::abs(axis.to)}));
  return {name, size};
}

std::string axis_label(const std::string& name, const scaled_unit& u) {
  return gnuplot_text(u.name == "-" ? name : fmt::format("{} [{}]", name, u.name));
}

// A step of 1, 2 or 5 times a power of ten that divides `range` into at most five.
double step_of_tics(double range) {
  double step = std::pow(10.0, std::floor(std::log10(range)) - 1);
  for (int i = 0; range / step > 5; ++i) step *= i % 3 == 1 ? 2.5 : 2;
  return step;
}

// ---- programs for gnuplot -----------------------------------------------------------------------

class program {
 public:
  template <class... Values>
  void say(fmt::format_string<Values...> pattern, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), pattern, std::forward<Values>(values)...);
    text_.push_back('\n');
  }
  std::string text() const { return fmt::to_string(text_); }

  void add_panel(const figure_panel& panel) {
    ++panels_;
    // Of the one before nothing is left.
    say("reset\nset border lc rgb '#444444'\nset grid lc rgb '#dddddd' lw 1 lt 1\nset title {}",
        gnuplot_text(panel.title));
    if (panel.nets.empty()) say("set lmargin 12");
    const auto shown = extents_of(panel);
    const bool nothing = shown[0].is_empty() || shown[1].is_empty();
    const scaled_unit x = unit_for(panel.x, shown[0]), y = unit_for(panel.y, shown[1]),
                      z = unit_for(panel.z, shown[2]);
    say("set xlabel {}\nset ylabel {}", axis_label(panel.x.name, x), axis_label(panel.y.name, y));
    set_scale('x', panel.x, x);
    set_scale('y', panel.y, y);
    if (nothing) {
      if (panel.x.from == panel.x.to) say("set xrange [0:1]");
      say("set yrange [0:1]\nset key off\nset label 1 'nothing to show: there is no value' at "
          "graph "
          "0.5,0.5 center\nplot NaN");
    } else if (!panel.nets.empty()) {
      add_nets(panel, x, y, z);
    } else if (!panel.map.value.empty()) {
      say("set cblabel {}", axis_label(panel.z.name, z));
      add_map(panel, x, y, z, shown);
    } else {
      add_series(panel, x, y);
    }
  }

  // A panel of a mosaic: what all of them share was said before.
  void add_tile(const figure_panel& panel, const scaled_unit& x, const scaled_unit& y) {
    ++panels_;
    say("set title {}", gnuplot_text(panel.title));
    plot_cells(panel.map, x, y, {"-", 1});
  }
  void set_palette(const figure_map& map) {
    say("set style fill solid 1.0 noborder");
    if (map.as == figure_map::palette::limit) {
      say("set palette defined (0 '#f4f7fb', 0.6 '#9dc0e6', 0.999 '#1f5fa8', 1 '#c8321e')\nset "
          "cbrange [0:1]\nset cbtics 0.2");
      return;
    }
    if (map.as == figure_map::palette::rising) {
      say("set palette defined (0 '#12324f', 0.25 '#1f5fa8', 0.5 '#5fb0a5', 0.75 '#f0c95a', 1 "
          "'#c8321e')");
      return;
    }
    std::vector<std::string> steps;
    steps.reserve(static_cast<std::size_t>(map.kinds));
    for (int k = 0; k < map.kinds; ++k)
      steps.push_back(fmt::format("{}.5 '{}', {}.5 '{}'", k, colour_at(k), k + 1, colour_at(k)));
    say("set palette defined ({})\nset cbrange [0.5:{}.5]\nset cbtics 1", fmt::join(steps, ", "),
        map.kinds);
  }

 private:
  fmt::memory_buffer text_;
  int panels_ = 0;

  void set_scale(char axis, const figure_axis& of, const scaled_unit& in) {
    if (of.log) say("set logscale {0}\nset format {0} '%g'", axis);
    if (of.from < of.to)
      say("set {}range [{:.9g}:{:.9g}]", axis, of.from / in.size, of.to / in.size);
  }

  void add_series(const figure_panel& panel, const scaled_unit& x, const scaled_unit& y) {
    using style = figure_series::style;
    const std::size_t count = panel.series.size();
    // Many names stand beside the graph; above it they would leave no room for it.
    if (count > 1)
      say("set key outside {} noenhanced",
          count > 4 ? "right center vertical" : "top right horizontal");
    else
      say("set key off");
    // A margin in shares of the graph is none on a logarithmic axis.
    const bool has_boxes = std::any_of(panel.series.begin(), panel.series.end(),
                                       [](const auto& each) { return each.as == style::boxes; });
    if (has_boxes)
      say("set yrange [0:*]\nset style fill solid 0.8 noborder");
    else if (!panel.y.log)
      say("set offsets 0, 0, graph 0.06, graph 0.06");
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& each = panel.series[i];
      say("$series{}_{} << end_of_data", panels_, i);
      say_points(each, x, y, 9);
      say("end_of_data");
      const std::string how = each.as == style::line ? fmt::format("with lines lw {:g}", each.size)
                              : each.as == style::points
                                  ? fmt::format("with points pt 7 ps {:g}", each.size)
                              : each.as == style::line_and_points
                                  ? fmt::format("with linespoints lw {:g} pt 7 ps 0.4", each.size)
                                  : fmt::format("with boxes");
      const std::string columns =
          each.as == style::boxes ? fmt::format("1:2:({:.9g})", each.size / x.size) : "1:2";
      parts.push_back(fmt::format("$series{}_{} using {} {} lc rgb '{}' title {}", panels_, i,
                                  columns, how,
                                  colour_at(each.colour < 0 ? static_cast<int>(i) : each.colour),
                                  gnuplot_text(each.label)));
    }
    say("plot {}", fmt::join(parts, ", "));
  }

  void add_map(const figure_panel& panel, const scaled_unit& x, const scaled_unit& y,
               const scaled_unit& z, const std::array<extent, 3>& shown) {
    say("set key off\nset grid noxtics noytics\nset object 1 rect from graph 0,0 to graph 1,1 "
        "behind "
        "fc rgb '#e4e4e4' fs noborder");
    if (panel.equal_scales) say("set size ratio -1");
    // Cells fill the graph.
    if (panel.x.from == panel.x.to)
      say("set xrange [{:.9g}:{:.9g}]", shown[0].low / x.size, shown[0].high / x.size);
    if (panel.y.from == panel.y.to)
      say("set yrange [{:.9g}:{:.9g}]", shown[1].low / y.size, shown[1].high / y.size);
    set_palette(panel.map);
    plot_cells(panel.map, x, y, z);
  }

  void add_nets(const figure_panel& panel, const scaled_unit& x, const scaled_unit& y,
                const scaled_unit& z) {
    say("set zlabel {} rotate parallel", axis_label(panel.z.name, z));
    set_scale('z', panel.z, z);
    say("set view 62,40\nset xyplane relative 0.05\nset key top right samplen 2");
    say("set pm3d depthorder border lc rgb '#1f5fa8' lw 0.6\nset style fill transparent solid "
        "0.75");
    say("set palette defined (0 '#123a6b', 0.5 '#6fa3d8', 1 '#eaf2fb')\nunset colorbox");
    if (panel.equal_scales) say("set view equal xy\nset xtics 0.5\nset ytics 0.5");
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < panel.nets.size(); ++i) {
      const auto& net = panel.nets[i];
      say("$net{}_{} << end_of_data", panels_, i);
      for (std::size_t k = 0; k < net.points.size(); ++k) {
        const auto& [px, py, pz] = net.points[k];
        say("{:.6g} {:.6g} {:.6g}{}", px / x.size, py / y.size, pz / z.size,
            (k + 1) % net.in_row == 0 ? "\n" : "");
      }
      say("end_of_data");
      const std::string data = fmt::format("$net{}_{} using 1:2:3", panels_, i);
      const std::string label = gnuplot_text(net.label);
      parts.push_back(
          net.is_filled ? fmt::format("{} with pm3d notitle, keyentry with lines lc rgb '#6fa3d8' "
                                      "lw 8 title {}",
                                      data, label)
                        : fmt::format("{} with lines lc rgb '{}' lw 0.8 title {}", data,
                                      colour_at(1), label));
    }
    say("splot {}", fmt::join(parts, ", "));
  }

 public:
  void say_points(const figure_series& each, const scaled_unit& x, const scaled_unit& y,
                  int digits) {
    const auto point = [&](std::size_t k) {
      if (std::isfinite(each.x[k]) && std::isfinite(each.y[k]))
        say("{:.{}g} {:.{}g}", each.x[k] / x.size, digits, each.y[k] / y.size, digits);
      else
        say("");  // a gap in the line
    };
    if (each.as == figure_series::style::line) {
      for (const std::size_t k : points_to_show(each.y)) point(k);
    } else {
      for (std::size_t k = 0; k < each.y.size(); ++k) point(k);
    }
  }
  // Columns: the ends in x, the ends in y, the value.
  void plot_cells(const figure_map& map, const scaled_unit& x, const scaled_unit& y,
                  const scaled_unit& z) {
    say("$cells{} << end_of_data", panels_);
    for (std::size_t i = 0; i < map.value.size(); ++i)
      if (std::isfinite(map.value[i]))
        say("{:.9g} {:.9g} {:.9g} {:.9g} {:.9g}", map.x_low[i] / x.size, map.x_high[i] / x.size,
            map.y_low[i] / y.size, map.y_high[i] / y.size, map.value[i] / z.size);
    say("end_of_data\nplot $cells{} using 1:3:1:2:3:4:5 with boxxyerror lc palette notitle",
        panels_);
  }
};

std::string title_of(const figure& what) {
  std::string text = gnuplot_text(what.title);
  if (!what.subtitle.empty()) text += ".\"\\n\"." + gnuplot_text(what.subtitle);
  return text;
}

std::string terminal(plot_format format, int width, int height) {
  return format == plot_format::svg
             ? fmt::format(
                   "set terminal svg size {},{} font 'Helvetica,14' background 'white' "
                   "noenhanced",
                   width, height)
             : fmt::format("set terminal pngcairo size {},{} font 'Helvetica,12' noenhanced", width,
                           height);
}

std::string program_for(const figure& what, plot_format format) {
  const auto count = static_cast<int>(what.panels.size());
  const int columns = count > what.most_in_one_column ? 2 : 1;
  const int rows = (count + columns - 1) / columns;
  program out;
  out.say("{}\nset encoding utf8",
          terminal(format, columns == 1 ? 900 : 1400, 90 + what.panel_height * rows));
  out.say("set multiplot layout {},{} title {} font ',16'", rows, columns, title_of(what));
  for (const auto& panel : what.panels) out.add_panel(panel);
  out.say("unset multiplot");
  return out.text();
}

// Panels have the proportions of what they show, within reason.
std::string program_for_mosaic(const figure& what, plot_format format) {
  std::array<extent, 3> shown;
  for (const auto& panel : what.panels) {
    const auto its = extents_of(panel);
    for (std::size_t k = 0; k < 3; ++k)
      for (const double each : {its[k].low, its[k].high}) shown[k].add(each);
  }
  const figure_panel& first = what.panels.front();
  const scaled_unit x = unit_for(first.x, shown[0]), y = unit_for(first.y, shown[1]);
  const double left = shown[0].low / x.size, right = shown[0].high / x.size,
               low = shown[1].low / y.size, high = shown[1].high / y.size;
  const double margin = 0.04 * std::max(right - left, high - low);
  const auto count = static_cast<int>(what.panels.size());
  const int columns = std::min(3, count), rows = (count + columns - 1) / columns;
  // In pixels: the label and numbers of each y axis have room on its left; one panel alone is wide
  // enough for the title.
  const int wide = columns == 1 ? 450 : 300, beside = 85, whole = columns * (wide + beside) + 25;
  const int panel =
      std::clamp(static_cast<int>(wide * (high - low) / (right - left)), 90, 450) + 110;
  const int total = panel * rows + 170;
  program out;
  out.say("{}\nset encoding utf8", terminal(format, whole, total));
  out.say(
      "set multiplot layout {},{} title {} margins screen {:.4f},{:.4f},{:.4f},{:.4f} spacing "
      "screen "
      "{:.4f},{:.4f}\nset size ratio -1",
      rows, columns, title_of(what), 1.0 * beside / whole, 1 - 25.0 / whole, 130.0 / total,
      1 - 80.0 / total, 1.0 * beside / whole, 95.0 / total);
  out.set_palette(first.map);
  out.say(
      "set xrange [{:.6g}:{:.6g}]\nset yrange [{:.6g}:{:.6g}]\nset xtics {:.6g} out nomirror\nset "
      "ytics {:.6g} out nomirror\nset tics font ',9'\nset xlabel {} offset 0,0.5\nset ylabel "
      "{}\nunset colorbox",
      left - margin, right + margin, low - margin, high + margin, step_of_tics(right - left),
      step_of_tics(high - low), axis_label(first.x.name, x), axis_label(first.y.name, y));
  for (const auto& each : what.panels) {
    if (&each == &what.panels.back())  // one scale for all
      out.say("set colorbox horizontal user origin screen 0.3,{:.4f} size screen 0.4,{:.4f}",
              40.0 / total, 14.0 / total);
    out.add_tile(each, x, y);
  }
  out.say("unset multiplot");
  return out.text();
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
      {units::metre, "m", 1},        {units::metre, "mm", 1e-3},  {units::metre, "um", 1e-6},
      {units::metre, "nm", 1e-9},    {speed, "m/s", 1},           {speed, "mm/s", 1e-3},
      {speed, "um/s", 1e-6},         {speed, "nm/s", 1e-9},       {units::newton, "kN", 1e3},
      {units::joule, "J", 1},        {units::joule, "mJ", 1e-3},  {units::joule, "uJ", 1e-6},
      {units::joule, "nJ", 1e-9},    {units::joule, "pJ", 1e-12}, {units::newton, "N", 1},
      {units::newton, "mN", 1e-3},   {units::second, "s", 1},     {units::second, "ms", 1e-3},
      {units::second, "us", 1e-6},   {units::torque, "N m", 1},   {units::torque, "mN m", 1e-3},
      {units::torque, "uN m", 1e-6},
  };
  const choice* best = nullptr;
  for (const auto& each : choices) {
    if (!same_text(each.in, in)) continue;
    if (largest == 0 && each.size != 1) continue;
    best = &each;
    if (largest >= 0.5 * each.size) break;
  }
  if (best == nullptr) return {to_string(in), 1.0};
  return {best->name, best->size};
}

std::string draw(const figure& what, plot_format format, const std::string& file,
                 const std::atomic<bool>* interrupt) {
  if (what.panels.empty()) return "no plot: there is nothing to show";
  const gnuplot_picture drawn = run_gnuplot(
      what.is_mosaic ? program_for_mosaic(what, format) : program_for(what, format), interrupt);
  if (!drawn.problem.empty()) return drawn.problem;
  try {
    replace_file(file, drawn.bytes);
  } catch (const error& problem) {
    return fmt::format("no plot: {}", problem.what());
  }
  return "";
}

// ---- in pages -----------------------------------------------------------------------------------

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
  if (name == "x" && same_text(in, units::radian)) return "angle x";
  if (name == "v" && same_text(in, units::radian / units::second)) return "angular velocity v";
  if (name == "f" && same_text(in, units::torque)) return "torque f";
  return name;
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

inline_picture draw_inline(const figure_panel& panel, const std::atomic<bool>* interrupt) {
  const auto shown = extents_of(panel);
  const scaled_unit x = unit_for(panel.x, shown[0]), y = unit_for(panel.y, shown[1]);
  const auto label = [](const figure_axis& axis, scaled_unit u) {
    replace_all(u.name, "um", "µm");
    return axis_label(spelt_out(axis.name, axis.in), u);
  };
  program out;
  out.say("set terminal svg size 520,345 font 'sans-serif,15' noenhanced\nset encoding utf8");
  out.say("set grid lc rgb '#dddddd' lw 1 lt 1\nset border lc rgb '#444444'\nset key off");
  out.say("set xlabel {}\nset ylabel {}", label(panel.x, x), label(panel.y, y));
  if (panel.x.log) out.say("set logscale x\nset format x '%g'");
  if (panel.y.log) out.say("set logscale y\nset format y '%g'");
  if (!panel.y.log && panel.y.from == panel.y.to)
    out.say("set offsets 0, 0, graph 0.05, graph 0.05");
  const bool is_part = panel.x.from < panel.x.to;
  if (is_part) out.say("set xrange [{:.9g}:{:.9g}]", panel.x.from / x.size, panel.x.to / x.size);
  if (panel.y.from < panel.y.to)
    out.say("set yrange [{:.9g}:{:.9g}]", panel.y.from / y.size, panel.y.to / y.size);
  const extent across = is_part ? extent{panel.x.from, panel.x.to} : shown[0];
  // Long numbers below the axis would run into each other.
  if (!panel.x.log && across.low < across.high && across.largest() / x.size >= 1e4)
    out.say("set xtics {:.9g}", step_of_tics((across.high - across.low) / x.size));
  std::vector<std::string> parts;
  const auto count = static_cast<int>(panel.series.size());
  for (int i = 0; i < count; ++i) {
    const auto& line = panel.series[static_cast<std::size_t>(i)];
    out.say("$line{} << end_of_line", i);
    out.say_points(line, x, y, 7);
    out.say("end_of_line");
    // Of few lines the first are the widest, so that one below another is still seen.
    const double width = count > 4 ? 1.6 : 1.6 + 1.1 * (count - 1 - i);
    parts.push_back(fmt::format("$line{} using 1:2 with lines lw {:.1f} lc rgb '{}'{}", i, width,
                                marking_colour((line.colour < 0 ? i : line.colour) % palette_size),
                                line.is_dashed ? " dt (8,6)" : ""));
  }
  out.say("plot {}", fmt::join(parts, ", "));
  const gnuplot_picture drawn = run_gnuplot(out.text(), interrupt);
  return {drawn.problem.empty() ? cleaned_svg(drawn.bytes) : "", drawn.problem};
}

std::string draw_thumbnail(const figure_panel& panel) {
  constexpr double width = 120, height = 80, margin = 4;
  constexpr std::size_t most = 240;  // points of a line
  const auto place = [](const figure_axis& axis, double value) {
    return axis.log ? (value > 0 ? std::log(value) : std::nan("")) : value;
  };
  const bool is_part = panel.x.from < panel.x.to;
  const auto is_shown = [&](double x) {
    return !is_part || (panel.x.from <= x && x <= panel.x.to);
  };
  extent across, up;
  for (const auto& line : panel.series)
    for (std::size_t k = 0; k < line.y.size(); ++k) {
      if (!is_shown(line.x[k])) continue;
      across.add(place(panel.x, line.x[k]));
      up.add(place(panel.y, line.y[k]));
    }
  if (across.is_empty() || up.is_empty()) return "";
  const auto share = [](double value, const extent& of) {
    return of.high > of.low ? (value - of.low) / (of.high - of.low) : 0.5;
  };
  std::string paths;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    const auto& line = panel.series[i];
    std::vector<std::size_t> shown;
    for (std::size_t k = 0; k < line.y.size(); ++k)
      if (is_shown(line.x[k])) shown.push_back(k);
    std::vector<double> heights;
    heights.reserve(shown.size());
    for (const std::size_t k : shown) heights.push_back(line.y[k]);
    std::string path, last;
    bool has_begun = false;
    for (const std::size_t k : points_to_show(heights, most)) {
      const double x = share(place(panel.x, line.x[shown[k]]), across);
      const double y = share(place(panel.y, line.y[shown[k]]), up);
      if (!std::isfinite(x) || !std::isfinite(y)) {
        has_begun = false;
        continue;
      }
      const std::string point = fmt::format("{:.1f} {:.1f}", margin + x * (width - 2 * margin),
                                            height - margin - y * (height - 2 * margin));
      if (has_begun && point == last) continue;
      path += fmt::format("{}{}", has_begun ? "L" : "M", point);
      last = point;
      has_begun = true;
    }
    paths += fmt::format("<path class=\"series-{}\" d=\"{}\"{}/>",
                         (line.colour < 0 ? static_cast<int>(i) : line.colour) % palette_size, path,
                         line.is_dashed ? " stroke-dasharray=\"5 4\"" : "");
  }
  return fmt::format(
      "<svg class=\"stamp\" viewBox=\"0 0 {} {}\" fill=\"none\" stroke-width=\"1.8\" "
      "stroke-linejoin=\"round\" aria-hidden=\"true\">{}</svg>",
      width, height, paths);
}

}  // namespace asperity
