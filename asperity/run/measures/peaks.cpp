// SPDX-License-Identifier: Apache-2.0
// Local maxima of a column.
#include <algorithm>
#include <asperity/run/measure_tools.hpp>

namespace asperity::detail {

namespace {

// Local maxima that rise by at least `prominence` above the valleys on both sides.
std::vector<double> find_peaks(const std::vector<double>& y, double prominence) {
  std::vector<double> peaks;
  if (y.empty()) return peaks;
  double valley = y.front(), top = y.front();
  bool climbing = false;
  for (const double value : y) {
    if (climbing) {
      if (value > top) top = value;
      if (top - value > prominence) {
        peaks.push_back(top);
        climbing = false;
        valley = value;
      }
    } else {
      valley = std::min(valley, value);
      if (value - valley > prominence) {
        climbing = true;
        top = value;
      }
    }
  }
  return peaks;
}

}  // namespace

extern const measure_row peak_measure{
    .word = "peak",
    .meaning = "the n-th local maximum that stands out by `prominence`; n = -1 is the last",
    .prominence = true,
    .n = measure_row::number_key::or_last,
    .value = [](const measured_stretch& s) {
      return pick(find_peaks(s.y, s.m.prominence), s.m.n);
    }};
extern const measure_row peaks_measure{
    .word = "peaks",
    .meaning = "number of such peaks",
    .in = "-",
    .prominence = true,
    .value =
        [](const measured_stretch& s) {
          return static_cast<double>(find_peaks(s.y, s.m.prominence).size());
        },
    .unit_in = no_unit};

}  // namespace asperity::detail
