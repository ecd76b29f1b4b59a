// SPDX-License-Identifier: Apache-2.0
// Measures as text, "peak(x, n=2, prominence=0.1)", taken of a run that has something of
// everything.

#include <asperity/run/measure.hpp>
#include <asperity/sweep/plan.hpp>

#include "fuzz/fuzz.hpp"

namespace asperity::fuzz {

namespace {

run_data a_run(std::size_t rows, double scale) {
  run_data data;
  data.columns = {{"t", units::second, {}},
                  {"x", units::metre, {}},
                  {"v", units::metre / units::second, {}},
                  {"f", units::newton, {}}};
  for (std::size_t i = 0; i < rows; ++i) {
    const double t = 0.1 * static_cast<double>(i);
    data.columns[0].values.push_back(t);
    data.columns[1].values.push_back(scale * std::sin(3 * t));
    data.columns[2].values.push_back(i % 7 < 3 ? 0 : scale * std::cos(3 * t));
    data.columns[3].values.push_back(scale * (i % 5 == 0 ? -1.0 : 1.0));
    if (i % 9 == 4) data.events.push_back({"slip", t, {0, 0}});
    if (i % 9 == 8) data.events.push_back({"stick", t, {0, 0}});
  }
  data.event_names = {"stick", "slip", "reversal", "touchdown", "liftoff"};
  return data;
}

}  // namespace

void try_input(std::string_view input) {
  static const run_data runs[] = {a_run(60, 1), a_run(1, 1), a_run(2, 0), a_run(3, 1e300)};
  for (const auto& text : split_measures(input)) {
    const measure what = parse_measure(text);
    require(!to_string(what).empty(), "a measure has words");
    for (const auto& run : runs) try {
        (void)evaluate(what, run);
        (void)unit_of(what, run);
        if (!what.column.empty()) (void)find_extrema(what, run);
      } catch (const error&) {
        // This run has no such column or event.
      }
  }
}

}  // namespace asperity::fuzz
