// SPDX-License-Identifier: Apache-2.0
#pragma once

// Loops in a record of an input u and an output y, simulated or measured: where the input reverses,
// which excursions close into loops, how large, which way round, and whether they cross themselves.

#include <asperity/run/crossings.hpp>
#include <asperity/text/record.hpp>
#include <atomic>
#include <string>
#include <vector>

namespace asperity {

struct reversal {
  std::size_t row;  // of the extremum itself
  double u, y;
  bool is_maximum;
};

// A turn counts only if the input comes back from it by more than `noise`; so noise of less than
// that, peak to peak, makes none. The first and last row are not reversals.
std::vector<reversal> find_reversals(const std::vector<double>& u, const std::vector<double>& y,
                                     double noise);

// A guess at the noise of a record, peak to peak: what is left in differences of higher and higher
// order, taking it to be independent from row to row; in records in whole counts at least two of
// them. 0 for smooth records.
double guess_noise(const std::vector<double>& u);

// A closed piece of the record: from its first row to its last, and straight back.
struct loop {
  std::size_t first = 0, last = 0;  // rows
  double u_low = 0, u_high = 0;     // the ends between which it swings
  double area = 0;                  // integral of y du: above 0 is clockwise; minor loops inside it
                                    // count, cycles as wide as itself do not
  double gap = 0;                   // how far it is from closed, in y at its beginning
  bool is_minor = false;            // inside another loop that is wider by a tenth or more
  std::vector<crossing> crossings = {};  // where it crosses itself
  const char* orientation() const {
    return area > 0 ? "clockwise" : area < 0 ? "counterclockwise" : "none";
  }
};

struct loop_options {
  double noise = -1;  // of the input, peak to peak; below 0: guessed
  bool find_crossings = true;
  const std::atomic<bool>* interrupt = nullptr;  // where it becomes true: asperity::interruption
};

struct loop_analysis {
  double noise = 0;  // that was used
  std::vector<reversal> reversals;
  std::vector<loop> loops;  // in the order in which they close; minor ones before their major
  double area = 0;          // of all that is closed: the sum over loops that are not minor,
                            // whose areas contain those of the minor loops inside
  double work = 0;          // integral of y du over the whole record
  double u_low = 0, u_high = 0, y_low = 0, y_high = 0;

  std::size_t majors() const;     // loops that are not minor
  double area_per_cycle() const;  // of a major loop on average; 0 where there is none
  // Places in `loops`, the greatest area first, at most so many; those whose areas are equal to a
  // thousandth in the order in which they begin.
  std::vector<std::size_t> largest(std::size_t most) const;
};

// Loops by wiping-out, as cycles of a load history are counted: an excursion closes when the input
// comes back to where it began. What is left open at the end makes no loop.
// Throws asperity::error where the lengths differ or there are fewer than 3 rows.
loop_analysis analyse_loops(const std::vector<double>& u, const std::vector<double>& y,
                            const loop_options& = {});
// The same of a record with gaps, each piece by itself: no loop closes across a gap. Pieces of
// fewer than 3 rows have none.
loop_analysis analyse_loops(const std::vector<double>& u, const std::vector<double>& y,
                            const std::vector<record::piece>& pieces, const loop_options& = {});

}  // namespace asperity
