// SPDX-License-Identifier: Apache-2.0
#pragma once

// One number taken from a run, as a claim about a published figure needs it: the highest force, the
// third rebound, the drift of a position ...

#include <asperity/run/simulate.hpp>
#include <asperity/text/reader.hpp>
#include <span>

namespace asperity {

struct measure_row;

struct measure {
  const measure_row* what = nullptr;
  std::string column;               // or the name of an event
  std::string over = {};            // the other column, of measures that need one ...
  bool last_cycle = false;          // ... and whether only its last full cycle counts
  double from = 0, to = unbounded;  // of time, or of whatever the first column is
  bool second_half = false;         // `from` is the middle of the run
  unit axis = units::second;        // its unit
  double window = 0, prominence = 0, level = 0;
  double ewma = 1;  // weight of the newest row in an exponential average of the column; 1 is none
  long long n = 1;
};

// What a measure looks at: the column, and `over` where there is one, inside [from, to].
struct measured_stretch {
  const measure& m;
  const run_data& run;
  std::vector<double> t = {}, y = {}, x = {};
};

// Measures describe themselves: each is a row in asperity/run/measures, in a file of its own or
// with its kin. The build lists them; nothing else names them.
struct measure_row {
  const char* word;
  const char* meaning;               // one line for people
  const char* in = "of the column";  // its unit, in words
  enum class subject { column, two_columns, event, slip, run } of = subject::column;
  enum class level_key { none, any, positive, may_be_left_out } level = level_key::none;
  bool window = false, prominence = false;  // keys that it takes
  enum class number_key { none, from_one, or_last } n = number_key::none;
  // Of motions that repeat; by default over the second half of the run, when they have settled.
  bool is_settled = false;
  double (*value)(const measured_stretch&);  // NaN where there is nothing to measure
  unit (*unit_in)(unit column, unit over) = [](unit column, unit) { return column; };
  std::initializer_list<const char*> events = {};  // that a run must look for
};

std::span<const measure_row* const> measures();
const measure_row* find_measure(std::string_view word);  // null where there is none

// Reads measure, column, event, over, cycle, from, to, window, prominence, level, n, ewma from a
// claim's table; `axis` is the unit of the first column of the runs.
measure read_measure(reader& table, unit axis = units::second);

// The same from text: "maximum(f)", "peak(x, n=2, prominence=0.1)", "loop_area(f, over=x)". What
// stands first is the column, or the event. Throws asperity::error.
measure parse_measure(std::string_view text);

// NaN where there is nothing to measure (no such peak, no such event).
double evaluate(const measure&, const run_data&);
unit unit_of(const measure&, const run_data&);
// Local maxima and minima of a column over [from, to], in time: through three samples each. Motions
// smaller than a millionth of the largest value are rest, with the last value as its only one.
std::vector<double> find_extrema(const measure&, const run_data&);
// Signed area of rows [first, last], closed by a straight line: integral of y du.
double signed_area(const std::vector<double>& u, const std::vector<double>& y, std::size_t first,
                   std::size_t last);
// A measure of one column by name, with the window of another: for ratios.
measure read_plain_measure(reader& table, const std::string& key, const measure& like,
                           const std::string& column);
// "drift of x over 3 s to 10 s"
std::string to_string(const measure&);

}  // namespace asperity
