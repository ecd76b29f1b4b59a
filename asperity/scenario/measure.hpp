// SPDX-License-Identifier: Apache-2.0
#pragma once

// One number taken from a run, as a claim about a published figure needs it: the highest force, the
// third rebound, the drift of a position ...

#include <asperity/scenario/reader.hpp>
#include <asperity/scenario/simulate.hpp>
#include <span>

namespace asperity {

struct measure {
  enum class kind {
    first,           // value at `from`
    last,            // value at `to`
    change,          // last - first
    maximum,         // over [from, to]
    minimum,         // over [from, to]
    span,            // maximum - minimum
    mean,            // over time
    drift,           // how far the middle between the extremes moves from the first `window` of
                     // [from, to] to the last
    peak,            // the n-th local maximum that stands out by `prominence`
    peaks,           // how many there are
    share_within,    // part of the time with |value| <= level
    settling_time,   // last time at which the value is further than `level` from its last value
    largest_jump,    // between neighbouring samples
    largest_rise,    // from a sample to the next; below 0 where the values fall all the way
    largest_fall,    // ... and the other way round
    exponent,        // of the power law through the first and the last point of [from, to]
    events,          // how often `event` happens
    event_time,      // time of the n-th `event`; n = -1 is the last
    loop_area,       // integral of column d(over), closed: above 0 is clockwise
    crossings,       // how often the curve of column over `over` crosses itself
    crossing_place,  // where in `over` it does, the n-th from the left
    value_at,        // where `over` passes `level`, the n-th time
    change_at,       // from there to where it passes `level` the next time
    largest_gap,     // largest difference of column and `over`
    // Of motions that repeat; by default over the second half of the run, when they have settled:
    amplitude,          // half of the span
    period,             // mean time between passes upwards through the middle of the extremes
    stick_slip_period,  // mean time from one slip to the next; a body sticks while |column| <=
                        // level
    stick_fraction,     // part of the time in which it sticks
    restitution         // speed after the n-th impact over the speed before it
  };

  kind what = kind::last;
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

// Reads measure, column, event, over, cycle, from, to, window, prominence, level, n, ewma from a
// claim's table; `axis` is the unit of the first column of the runs.
measure read_measure(reader& table, unit axis = units::second);

// The same from text: "maximum(f)", "peak(x, n=2, prominence=0.1)", "loop_area(f, over=x)". What
// stands first is the column, or the event. Throws asperity::error.
measure parse_measure(std::string_view text);

// Every measure there is, for people.
struct measure_word {
  const char* word;
  measure::kind what;
  const char* meaning;
  const char* in;  // unit, in words
};
std::span<const measure_word> measure_words();

// NaN where there is nothing to measure (no such peak, no such event).
double evaluate(const measure&, const run_data&);
unit unit_of(const measure&, const run_data&);
// Local maxima and minima of a column over [from, to], in time: through three samples each. Motions
// smaller than a millionth of the largest value are rest, with the last value as its only one.
std::vector<double> find_extrema(const measure&, const run_data&);
// A measure of one column by name, with the window of another: for ratios.
measure read_plain_measure(reader& table, const std::string& key, const measure& like,
                           const std::string& column);
// "drift of x over 3 s to 10 s"
std::string to_string(const measure&);

}  // namespace asperity
