// SPDX-License-Identifier: Apache-2.0
#pragma once

// Measures of a column that need not see its rows one by one: what is left of them after one pass is
// enough. Many runs at once (asperity/sweep/packs.hpp) keep no rows then.

#include <asperity/run/measure.hpp>

namespace asperity {

// Of the rows that a measure looks at.
struct reduced_column {
  double from = 0, to = 0;  // [s] times of the first and the last
  double first = 0, last = 0, lowest = 0, highest = 0;
  double integral = 0;  // over time, by the trapezoidal rule
};

bool is_reducible(const measure&);
// The value that such a measure has on the rows.
double evaluate(const measure&, const reduced_column&);

}  // namespace asperity
