// SPDX-License-Identifier: Apache-2.0
#pragma once

// Periodic input-output maps, their limit as the period grows (the hysteresis map), and what they
// tell of a model or system: hysteretic or not, rate dependent or not, local or nonlocal memory
// (Drincic 2012, Definitions 1.1.3 to 1.1.6). Everything is found by simulation: nothing is read
// from names or claims.

#include <asperity/run/driven.hpp>
#include <asperity/run/simulate.hpp>

namespace asperity {

struct map_options {
  double amplitude = 1, offset = 0;
  double omega = 10;                    // of the first and fastest loop [rad/s]
  double slower = 3.16227766016837933;  // each next one is slower by this
  int loops = 13;                       // at most
  int samples = 400;                    // a period; a multiple of 4
  double tolerance = 0.01;              // of the limit, relative to the size of the loop
  double steady = 1e-4;    // of the output from one period to the next, relative to its span
  int most_periods = 200;  // until it must have become steady
  long most_steps = 0;     // of a run, which fails beyond; 0: as many as the system allows
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(double fraction)> progress = {};
};

// One period of u = offset + amplitude sin(omega t) in steady state, beginning at sin = 0, rising.
struct periodic_loop {
  double omega = 0;
  std::vector<double> u, y;
  // The same loop with points added where it is steep, so that the line through them is within 1e-4
  // of its box.
  std::vector<double> line_u, line_y;
  int periods = 0;  // simulated until it was steady
  bool steady = false;
  double unsteadiness = 0;  // what is left of its approach, estimated, relative to the span of y
  // From 16 times as many samples as above, or more where it jumps, each with a bound of its error.
  double area = 0, area_error = 0;    // integral of y du: above 0 is clockwise
  double width = 0, width_error = 0;  // largest difference of y at one u, relative to the span of y
  double change = 0;                  // distance to the loop before, relative to its size
  std::string failure;                // of the simulation; empty otherwise
};

// Throws asperity::error for options out of range and for scenarios that cannot be read.
periodic_loop loop_at(const io_system&, double omega, const map_options&);

// The farthest any point of one loop is from the other, in units of the box around both.
double distance_between(const periodic_loop&, const periodic_loop&,
                        const std::atomic<bool>* interrupt = nullptr);

// The limit of a sequence that approaches it by a ratio each time, from its last terms and the
// errors they have; the last term itself where there is no such ratio. The error is that of the
// terms, magnified as the extrapolation does, and twice how far the last term has moved the limit;
// more where the ratio has not settled, and unbounded where the terms do not approach anything.
struct limit_value {
  double value = 0, error = unbounded;
};
limit_value limit_of(const std::vector<double>& terms, const std::vector<double>& errors);

struct hysteresis_map {
  std::vector<periodic_loop> loops;  // ever slower; the last is the best
  bool converged = false;
  double error = 0;              // distance of the last loop from the limit, at most
  limit_value limit_width = {};  // of the loop as the period grows, extrapolated
  limit_value limit_area = {};
  bool vanishes = false;  // the output does: its span falls to 0, as that of a function of v
  bool interrupted = false;
  std::string note;  // why it did not converge
};

// Equal loops are not yet a limit: a loop 100 times slower must be the same, and where the system
// has a speed of its own, loops must be a hundred times slower than that.
hysteresis_map limiting_map(const io_system&, const map_options&);

enum class decision { undecided, no, yes };
const char* to_string(decision);

struct classification {
  hysteresis_map map;
  // No: a loop is narrower than `widest`, if there is one, and no loop is clear at amplitudes up to
  // 1e12 times smaller or larger, as far as the system runs there.
  decision hysteretic = decision::undecided;
  double widest = 1;  // that the loop can be, relative to the span of the output
  decision rate_dependent = decision::undecided;
  double rate_effect = 0;  // distance of the fastest loop from the slowest
  enum class memory { undecided, none, local, nonlocal } kind = memory::undecided;
  // Minor loops of the same input after one and after one and a half major periods.
  struct minor_pair {
    double amplitude = 0;
    periodic_loop after_one, after_one_and_a_half;
    double apart = 0;     // their distance
    double shift = 0;     // mean difference of the output, relative to its span
    double residual = 0;  // what is left after that shift: 0 where they are congruent
  };
  std::vector<minor_pair> minors;
  std::string doubt;  // what could not be decided; empty otherwise
};
const char* to_string(classification::memory);

classification classify(const io_system&, const map_options&);

}  // namespace asperity
