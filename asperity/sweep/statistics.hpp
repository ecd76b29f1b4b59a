// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a sweep found, in a few numbers for each measure.

#include <asperity/sweep/store.hpp>

namespace asperity {

// The value below which this share of the values lies, by lines between those next to it; values
// that are not numbers are left out. NaN where none is left.
double quantile(std::vector<double> values, double share);

struct measure_statistics {
  std::size_t measure = 0;               // of the table
  std::size_t points = 0;                // that have a value
  std::size_t lowest = 0, highest = 0;   // rows of the extreme values
  double mean = 0, deviation = 0;        // the latter of a sample; NaN for one point
  double low = 0, median = 0, high = 0;  // quantiles at 5, 50 and 95 %
};
// One for each measure; all but `measure` is 0 where no run has a value.
std::vector<measure_statistics> statistics_of(const sweep_table&);

// Whether the run of a row came to no end of its own.
bool has_failed(const sweep_table&, std::size_t row);
struct some_points {
  std::size_t count = 0, first = 0;  // the latter a row
};
some_points failures_of(const sweep_table&);
// Points that came to their end, but whose numbers may be wrong: `detail` says why.
some_points doubts_of(const sweep_table&);

}  // namespace asperity
