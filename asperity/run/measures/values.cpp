// SPDX-License-Identifier: Apache-2.0
// Measures of the values of one column.
#include <algorithm>
#include <asperity/run/measure_tools.hpp>

namespace asperity::detail {

namespace {

double highest(const measured_stretch& s) { return *std::max_element(s.y.begin(), s.y.end()); }
double lowest(const measured_stretch& s) { return *std::min_element(s.y.begin(), s.y.end()); }

double mean_of(const measured_stretch& s) {
  double sum = 0;
  for (std::size_t i = 1; i < s.t.size(); ++i)
    sum += (s.y[i] + s.y[i - 1]) / 2 * (s.t[i] - s.t[i - 1]);
  return sum / (s.t.back() - s.t.front());
}

double middle(const stretch& s) {
  if (s.y.empty()) return nothing;
  const auto [low, high] = std::minmax_element(s.y.begin(), s.y.end());
  return 0.5 * (*low + *high);
}

double drift_of(const measured_stretch& s) {
  const double start = s.t.front(), end = s.t.back();
  return middle(cut(s.run, s.m.column, end - s.m.window, end, s.m.ewma)) -
         middle(cut(s.run, s.m.column, start, start + s.m.window, s.m.ewma));
}

double share_within_level(const measured_stretch& s) {
  double inside = 0;
  for (std::size_t i = 1; i < s.t.size(); ++i)
    if (std::abs(s.y[i]) <= s.m.level) inside += s.t[i] - s.t[i - 1];
  return inside / (s.t.back() - s.t.front());
}

double last_time_outside(const measured_stretch& s) {
  double last = s.t.front();
  for (std::size_t i = 0; i < s.t.size(); ++i)
    if (std::abs(s.y[i] - s.y.back()) > s.m.level) last = s.t[i];
  return last;
}

double jump_of(const measured_stretch& s) {
  double largest = 0;
  for (std::size_t i = 1; i < s.y.size(); ++i)
    largest = std::max(largest, std::abs(s.y[i] - s.y[i - 1]));
  return largest;
}

template <int Sign>
double rise_of(const measured_stretch& s) {
  double largest = s.y.size() > 1 ? -unbounded : nothing;
  for (std::size_t i = 1; i < s.y.size(); ++i) {
    const double rise = Sign * (s.y[i] - s.y[i - 1]);
    if (!(rise <= largest)) largest = rise;  // a NaN stays
  }
  return largest;
}

}  // namespace

extern const measure_row first_measure{
    .word = "first", .meaning = "value at `from`", .value = [](const measured_stretch& s) {
      return s.y.front();
    }};
extern const measure_row last_measure{
    .word = "last", .meaning = "value at `to`", .value = [](const measured_stretch& s) {
      return s.y.back();
    }};
extern const measure_row change_measure{
    .word = "change", .meaning = "last - first", .value = [](const measured_stretch& s) {
      return s.y.back() - s.y.front();
    }};
extern const measure_row maximum_measure{
    .word = "maximum", .meaning = "highest value", .value = highest};
extern const measure_row minimum_measure{
    .word = "minimum", .meaning = "lowest value", .value = lowest};
extern const measure_row span_measure{
    .word = "span", .meaning = "maximum - minimum", .value = [](const measured_stretch& s) {
      return highest(s) - lowest(s);
    }};
extern const measure_row mean_measure{
    .word = "mean", .meaning = "mean over time", .value = mean_of};
extern const measure_row drift_measure{
    .word = "drift",
    .meaning = "drift of the middle between the extremes, from the first `window` to the last",
    .window = true,
    .value = drift_of};
extern const measure_row share_within_measure{.word = "share_within",
                                              .meaning = "share of the time with |value| <= level",
                                              .in = "-",
                                              .level = measure_row::level_key::positive,
                                              .value = share_within_level,
                                              .unit_in = no_unit};
extern const measure_row settling_time_measure{
    .word = "settling_time",
    .meaning = "last time at which the value differs from its final value by more than `level`",
    .in = "s",
    .level = measure_row::level_key::positive,
    .value = last_time_outside,
    .unit_in = in_seconds};
extern const measure_row largest_jump_measure{
    .word = "largest_jump",
    .meaning = "largest jump between neighbouring samples",
    .value = jump_of};
extern const measure_row largest_rise_measure{
    .word = "largest_rise",
    .meaning = "largest rise from a sample to the next; below 0 if the values fall throughout",
    .value = rise_of<1>};
extern const measure_row largest_fall_measure{
    .word = "largest_fall",
    .meaning = "largest fall from a sample to the next; below 0 if the values rise throughout",
    .value = rise_of<-1>};
extern const measure_row exponent_measure{
    .word = "exponent",
    .meaning = "exponent of the power law through the first and last point",
    .in = "-",
    .value =
        [](const measured_stretch& s) {
          return std::log(s.y.back() / s.y.front()) / std::log(s.t.back() / s.t.front());
        },
    .unit_in = no_unit};

}  // namespace asperity::detail
