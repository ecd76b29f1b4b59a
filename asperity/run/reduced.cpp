// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <asperity/run/reduced.hpp>

namespace asperity {

namespace detail {
extern const measure_row first_measure, last_measure, change_measure, maximum_measure,
    minimum_measure, span_measure, amplitude_measure, mean_measure;
}

bool is_reducible(const measure& m) {
  using namespace detail;
  constexpr std::array of_ends_and_extremes{&first_measure,    &last_measure,    &change_measure,
                                            &maximum_measure,  &minimum_measure, &span_measure,
                                            &amplitude_measure};
  const bool is_known =
      m.what == &mean_measure || std::find(of_ends_and_extremes.begin(), of_ends_and_extremes.end(),
                                           m.what) != of_ends_and_extremes.end();
  return is_known && m.ewma == 1;
}

// A stretch of few rows with the same ends and extremes, or the same mean.
double evaluate(const measure& m, const reduced_column& of) {
  static const run_data no_run;
  measured_stretch few{m, no_run};
  if (m.what == &detail::mean_measure) {
    const double mean = of.integral / (of.to - of.from);
    few.t = {0, 1};  // so that nothing is rounded again
    few.y = {mean, mean};
  } else {
    few.t = {of.from, of.from, of.to, of.to};
    few.y = {of.first, of.lowest, of.highest, of.last};
  }
  return m.what->value(few);
}

}  // namespace asperity
