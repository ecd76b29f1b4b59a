// SPDX-License-Identifier: Apache-2.0
// One column over another.
#include <algorithm>
#include <asperity/run/crossings.hpp>
#include <asperity/run/measure_tools.hpp>

namespace asperity::detail {

namespace {

// y where x passes `level` the n-th time, or nothing.
double value_where(const measured_stretch& s, long long n) {
  long long passed = 0;
  for (std::size_t i = 1; i < s.x.size(); ++i) {
    const double a = s.x[i - 1] - s.m.level, b = s.x[i] - s.m.level;
    if ((a < 0) == (b < 0) || ++passed < n) continue;
    return s.y[i - 1] + (s.y[i] - s.y[i - 1]) * a / (a - b);
  }
  return nothing;
}

std::vector<double> places_of_crossings(const measured_stretch& s) {
  std::vector<double> places;
  for (const auto& each : self_crossings(s.x, s.y, 0, s.y.size() - 1)) places.push_back(each.u);
  std::sort(places.begin(), places.end());
  return places;
}

double gap_of(const measured_stretch& s) {
  double largest = 0;
  for (std::size_t i = 0; i < s.x.size(); ++i)
    largest = std::max(largest, std::abs(s.y[i] - s.x[i]));
  return largest;
}

constexpr auto two = measure_row::subject::two_columns;
constexpr auto numbered = measure_row::number_key::from_one;
constexpr auto any_level = measure_row::level_key::any;

}  // namespace

extern const measure_row loop_area_measure{
    .word = "loop_area",
    .meaning = "integral of the column d(over), closed: above 0 is clockwise",
    .in = "of column times over",
    .of = two,
    .value = [](const measured_stretch& s) { return signed_area(s.x, s.y, 0, s.y.size() - 1); },
    .unit_in = [](unit column, unit over) { return column * over; }};
extern const measure_row crossings_measure{
    .word = "crossings",
    .meaning = "number of times that the curve crosses itself",
    .in = "-",
    .of = two,
    .value =
        [](const measured_stretch& s) {
          return static_cast<double>(places_of_crossings(s).size());
        },
    .unit_in = no_unit};
extern const measure_row crossing_place_measure{
    .word = "crossing_place",
    .meaning = "value of `over` at the n-th self-crossing from the left",
    .in = "of over",
    .of = two,
    .n = numbered,
    .value = [](const measured_stretch& s) { return pick(places_of_crossings(s), s.m.n); },
    .unit_in = [](unit, unit over) { return over; }};
extern const measure_row value_at_measure{
    .word = "value_at",
    .meaning = "value of the column where `over` passes `level` for the n-th time",
    .of = two,
    .level = any_level,
    .n = numbered,
    .value = [](const measured_stretch& s) { return value_where(s, s.m.n); }};
extern const measure_row change_at_measure{
    .word = "change_at",
    .meaning = "change of value_at from the n-th to the next time that `over` passes `level`",
    .of = two,
    .level = any_level,
    .n = numbered,
    .value = [](const measured_stretch& s) {
      return value_where(s, s.m.n + 1) - value_where(s, s.m.n);
    }};
extern const measure_row largest_gap_measure{
    .word = "largest_gap",
    .meaning = "largest difference between the column and `over`",
    .of = two,
    .value = gap_of};

}  // namespace asperity::detail
