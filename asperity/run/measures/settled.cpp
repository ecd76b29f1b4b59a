// SPDX-License-Identifier: Apache-2.0
// Motions that repeat, once they have settled: transients do not belong to them.
#include <algorithm>
#include <asperity/run/measure_tools.hpp>

namespace asperity::detail {

namespace {

constexpr double slowest = 1e-12;  // [m/s] that counts as motion

double half_of_span(const measured_stretch& s) {
  const auto [low, high] = std::minmax_element(s.y.begin(), s.y.end());
  return 0.5 * (*high - *low);
}

double period_of(const measured_stretch& s) {
  const auto [low, high] = std::minmax_element(s.y.begin(), s.y.end());
  if (*high - *low <= rest * largest_size(s.run[s.m.column])) return nothing;
  return time_between(find_passes(s.t, s.y, 0.5 * (*high + *low), 0.6 * *high + 0.4 * *low),
                      s.t.back());
}

// A body sticks while |v| <= level; it slips once |v| exceeds ten times that, so that it may ring
// when it stops. In rounding there is neither.
struct sticking {
  std::vector<double> speed;
  double level;
  bool is_at_rest;
  passes slips;

  explicit sticking(const measured_stretch& s) : speed(s.y) {
    for (double& value : speed) value = std::abs(value);
    const double fastest = largest_size(speed);
    level = s.m.level > 0 ? s.m.level : 0.01 * fastest;
    is_at_rest = fastest <= std::max(rest * largest_size(s.run[s.m.column]), slowest);
    slips = find_passes(s.t, speed, level, 10 * level);
  }
};

double time_from_slip_to_slip(const measured_stretch& s) {
  const sticking found(s);
  return found.is_at_rest ? nothing : time_between(found.slips, s.t.back());
}

double share_of_sticking(const measured_stretch& s) {
  const sticking found(s);
  if (found.is_at_rest) return 1;
  // Over whole cycles, where there are some.
  const bool cycles = found.slips.count > 1;
  const double from = cycles ? found.slips.first : s.t.front();
  const double to = cycles ? found.slips.last : s.t.back();
  double stuck = 0;
  for (std::size_t i = 1; i < s.t.size(); ++i)
    if (std::max(found.speed[i - 1], found.speed[i]) <= found.level)
      stuck += std::max(0.0, std::min(s.t[i], to) - std::max(s.t[i - 1], from));
  return to > from ? stuck / (to - from) : nothing;
}

}  // namespace

extern const measure_row amplitude_measure{.word = "amplitude",
                                           .meaning = "half of the span, settled",
                                           .is_settled = true,
                                           .value = half_of_span};
extern const measure_row period_measure{
    .word = "period",
    .meaning = "mean time between passes upwards through the middle, settled",
    .in = "s",
    .is_settled = true,
    .value = period_of,
    .unit_in = in_seconds};
extern const measure_row stick_slip_period_measure{
    .word = "stick_slip_period",
    .meaning =
        "mean time from slip to slip, settled; sticking is |v| <= level (1 % of the highest), "
        "slipping is ten times that",
    .in = "s",
    .of = measure_row::subject::slip,
    .level = measure_row::level_key::may_be_left_out,
    .is_settled = true,
    .value = time_from_slip_to_slip,
    .unit_in = in_seconds};
extern const measure_row stick_fraction_measure{
    .word = "stick_fraction",
    .meaning = "share of the time in which the body sticks, settled",
    .in = "-",
    .of = measure_row::subject::slip,
    .level = measure_row::level_key::may_be_left_out,
    .is_settled = true,
    .value = share_of_sticking,
    .unit_in = no_unit};

}  // namespace asperity::detail
