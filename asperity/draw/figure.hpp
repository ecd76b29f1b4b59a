// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every picture is a figure: panels with lines, points, boxes, maps of cells or nets in space, over
// axes with units. Who has something to show fills one in; how it is drawn is known here alone.

#include <array>
#include <asperity/units.hpp>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

namespace asperity {

enum class plot_format { none, svg, png };

struct figure_axis {
  std::string name;
  unit in = units::one;
  std::string shown_in = {};  // "um"; a handy unit where it is empty
  bool log = false;           // for values above 0
  double from = 0, to = 0;    // the part to show, in SI; all of it where they are equal
};

struct figure_series {
  std::string label;
  std::vector<double> x, y;  // in SI; a y that is not finite leaves a gap
  enum class style { line, points, line_and_points, boxes } as = style::line;
  double size = 2;  // of the line, or of the points
  int colour = -1;  // a place in the palette; the place of the series in the panel where below 0
  bool is_dashed = false;  // in web pages: what lies below it is seen through the gaps
};

// Rectangles, each in the colour of its value.
struct figure_map {
  std::vector<double> x_low, x_high, y_low, y_high;  // in SI
  std::vector<double> value;                         // those that are not finite stay empty
  enum class palette {
    rising,  // from the lowest value to the highest
    limit,   // from 0 to 1, where it changes its colour: what is beyond a limit
    kinds    // 1, 2, 3 ..., a colour each
  } as = palette::rising;
  int kinds = 0;
};

// A surface in space through points (row by row), or its lines.
struct figure_net {
  std::string label;
  std::size_t in_row = 0;
  std::vector<std::array<double, 3>> points;  // in SI
  bool is_filled = true;
};

struct figure_panel {
  std::string title;
  figure_axis x, y, z = {};  // z: of nets, and of the values of a map
  std::vector<figure_series> series = {};
  figure_map map = {};
  std::vector<figure_net> nets = {};
  bool equal_scales = false;  // x and y in one scale: shapes
};

struct figure {
  std::string title, subtitle = {};
  std::vector<figure_panel> panels = {};
  int panel_height = 300;      // [pixels]
  int most_in_one_column = 3;  // more panels stand in two columns
  // Maps of one shape at several times or places: small, side by side, one scale for all.
  bool is_mosaic = false;
};

// Writes `file`. Returns what went wrong, or nothing: a missing gnuplot must not cost a run. An
// interrupt ends gnuplot.
std::string draw(const figure&, plot_format, const std::string& file,
                 const std::atomic<bool>* interrupt = nullptr);

// One panel of lines to stand in a web page, without title and legend. Its lines have the classes
// series-0, series-1 ... by their colour; grid lines the class gridline; all else has the colour of
// the text around it.
struct inline_picture {
  std::string svg, problem;  // one of them
};
inline_picture draw_inline(const figure_panel&, const std::atomic<bool>* interrupt = nullptr);
// The same in the size of a stamp, without axes and without gnuplot: what a curve looks like. Empty
// where there is nothing to show.
std::string draw_thumbnail(const figure_panel&);
constexpr int palette_size = 10;

// "um" and 1e-6 for values up to a few micrometres.
std::pair<std::string, double> handy_unit(unit in, double largest);

}  // namespace asperity
