// SPDX-License-Identifier: Apache-2.0
#pragma once

// What measures have in common.

#include <asperity/run/measure.hpp>
#include <limits>

namespace asperity::detail {

inline constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
// Smaller than this share of the values, a motion is rounding.
inline constexpr double rest = 1e-6;

inline unit no_unit(unit, unit) { return units::one; }
inline unit in_seconds(unit, unit) { return units::second; }

// Values of a column inside [from, to], with their times.
struct stretch {
  std::vector<double> t, y;
};
stretch cut(const run_data&, const std::string& column, double from, double to, double ewma = 1);

double largest_size(const std::vector<double>& y);

// The n-th of a list, or the last where n is below 0; NaN where there is none.
inline double pick(const std::vector<double>& all, long long n) {
  if (all.empty() || n == 0 || n > static_cast<long long>(all.size())) return nothing;
  return n < 0 ? all.back() : all[static_cast<std::size_t>(n - 1)];
}

// Passes upwards through `level` that go on to `confirmed` before they come back.
struct passes {
  int count = 0;
  double first = 0, last = 0;

  double mean_time() const { return (last - first) / (count - 1); }
};
passes find_passes(const std::vector<double>& t, const std::vector<double>& y, double level,
                   double confirmed);

// Mean time between them; NaN with fewer than three, or where the last is more than two such times
// before the end: it does not go on.
inline double time_between(const passes& found, double end) {
  if (found.count < 3 || end - found.last > 2 * found.mean_time()) return nothing;
  return found.mean_time();
}

}  // namespace asperity::detail
