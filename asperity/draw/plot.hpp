// SPDX-License-Identifier: Apache-2.0
#pragma once

// Line plots through gnuplot.

#include <asperity/units.hpp>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

namespace asperity {

enum class plot_format { none, svg, png };

struct plot_line {
  std::string label;
  std::vector<double> x, y;  // in SI
  int colour = 0;            // of draw_inline: a place in its palette
};

// Axes are scaled to the unit given ("um"), or to a handy one where it is empty.
struct plot_panel {
  std::string title;
  std::string x_name, y_name;
  unit x_in, y_in;
  std::string x_unit, y_unit;
  std::vector<plot_line> lines;
  bool x_log = false, y_log = false;  // logarithmic axes, for values above 0
  double x_from = 0, x_to = 0;        // of draw_inline: the part to show, in SI; all where equal
};

// Draws panels one below the other, in two columns where there are more than three. Returns what
// went wrong, or nothing: a missing gnuplot must not cost a run. An interrupt ends gnuplot.
std::string draw(const std::string& title, const std::vector<plot_panel>& panels, plot_format,
                 const std::string& file, const std::atomic<bool>* interrupt = nullptr);

// One panel to stand in a web page, without title and legend. Its lines have the classes series-0,
// series-1 ... by their colour; grid lines the class gridline; all else has the colour of the text
// around it.
struct inline_picture {
  std::string svg, problem;  // one of them
};
inline_picture draw_inline(const plot_panel&, const std::atomic<bool>* interrupt = nullptr);
constexpr int palette_size = 10;

// Runs gnuplot on a script that sets a terminal but no output, and writes `file`. Texts of a user
// are in it only as gnuplot_text() of gnuplot.hpp. Returns what went wrong, or nothing.
std::string draw_script(const std::string& script, const std::string& file,
                        const std::atomic<bool>* interrupt = nullptr);

// "um" and 1e-6 for values up to a few micrometres.
std::pair<std::string, double> handy_unit(unit in, double largest);

}  // namespace asperity
