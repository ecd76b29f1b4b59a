// SPDX-License-Identifier: Apache-2.0
// What happens in a run.
#include <asperity/run/measure_tools.hpp>

namespace asperity::detail {

namespace {

std::vector<double> times_of(const measured_stretch& s) {
  std::vector<double> times = s.run.times_of(s.m.column);
  std::erase_if(times, [&](double t) { return t < s.m.from || t > s.m.to; });
  return times;
}

// Speeds are those of the events themselves, not of the samples around them. Columns of states
// follow that of the time.
double restitution_of(const measured_stretch& s) {
  const column* v = s.run.find("v");
  if (v == nullptr) return nothing;
  const auto state = static_cast<std::size_t>(v - s.run.columns.data()) - 1;
  long long impacts = 0;
  double before = nothing;
  for (const auto& each : s.run.events) {
    if (each.t < s.m.from || each.t > s.m.to || state >= each.state.size()) continue;
    if (each.name == "touchdown") before = each.state[state];
    if (each.name != "liftoff" || std::isnan(before)) continue;
    if (++impacts == s.m.n) return -each.state[state] / before;
    before = nothing;
  }
  return nothing;
}

}  // namespace

extern const measure_row events_measure{
    .word = "events",
    .meaning = "number of times that an event happens",
    .in = "-",
    .of = measure_row::subject::event,
    .value = [](const measured_stretch& s) { return static_cast<double>(times_of(s).size()); },
    .unit_in = no_unit};
extern const measure_row event_time_measure{
    .word = "event_time",
    .meaning = "time of the n-th event; n = -1 is the last",
    .in = "s",
    .of = measure_row::subject::event,
    .n = measure_row::number_key::or_last,
    .value = [](const measured_stretch& s) { return pick(times_of(s), s.m.n); },
    .unit_in = in_seconds};
extern const measure_row restitution_measure{
    .word = "restitution",
    .meaning = "speed after over speed before the n-th impact",
    .in = "-",
    .of = measure_row::subject::run,
    .n = measure_row::number_key::from_one,
    .value = restitution_of,
    .unit_in = no_unit,
    .events = {"touchdown", "liftoff"}};

}  // namespace asperity::detail
