// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/run/refine.hpp>
#include <cmath>

namespace asperity {

scenario in_finer_steps(scenario s) {
  if (has_fixed_step(s)) {
    s.step /= 2;
    return s;
  }
  s.tolerance.relative /= 4;
  for (double& each : s.tolerance.absolute) each /= 4;
  s.max_step /= 2;
  s.first_step /= 2;
  return s;
}

const char* what_is_finer(const scenario& s) {
  return has_fixed_step(s) ? "half the step" : "a quarter of the tolerances";
}

double column_difference::largest() const { return std::max({at_end, lowest, highest}); }

double column_difference::part_of_range() const {
  return largest() > 0 ? largest() / range : 0;  // infinite where only one of the runs moves
}

const column_difference* refinement::worst() const {
  const auto found = std::max_element(
      columns.begin(), columns.end(),
      [](const auto& a, const auto& b) { return a.part_of_range() < b.part_of_range(); });
  return found == columns.end() ? nullptr : &*found;
}

refinement differences(const run_data& usual, const run_data& finer) {
  refinement result;
  for (const column& each : usual.columns) {
    const column* other = finer.find(each.name);
    if (each.name == "t" || each.name.rfind("solver_", 0) == 0 || other == nullptr ||
        each.values.empty() || other->values.empty())
      continue;
    const auto [low, high] = std::minmax_element(each.values.begin(), each.values.end());
    const auto [lowest, highest] = std::minmax_element(other->values.begin(), other->values.end());
    result.columns.push_back(
        {each.name, each.in, std::abs(each.values.back() - other->values.back()),
         std::abs(*low - *lowest), std::abs(*high - *highest), *highest - *lowest});
  }
  for (const std::string& name : usual.event_names)
    result.events.push_back({name, usual.times_of(name).size(), finer.times_of(name).size()});
  return result;
}

std::vector<std::string> in_words(const refinement& found, const scenario& s) {
  constexpr double shown = 1e-3;  // of a range: what one sees in a plot
  const auto difference = [](const column_difference& each) {
    return fmt::format("{:.2g}{}{} ({:.2g} of its range)", each.largest(),
                       is_plain(each.in) ? "" : " ", is_plain(each.in) ? "" : to_string(each.in),
                       each.part_of_range());
  };
  std::vector<std::string> result;
  for (const auto& each : found.columns)
    if (!(each.part_of_range() <= shown))
      result.push_back(
          fmt::format("with {} {} differs by {}{}", what_is_finer(s), each.name, difference(each),
                      each.at_end >= each.largest() ? ", at the end" : ", in its extremes"));
  const auto* worst = found.worst();
  if (result.empty() && worst != nullptr)
    result.push_back(worst->largest() > 0
                         ? fmt::format("with {} {} differs most, by {}", what_is_finer(s),
                                       worst->name, difference(*worst))
                         : fmt::format("with {} nothing differs", what_is_finer(s)));
  for (const auto& each : found.events)
    if (each.count != each.finer)
      result.push_back(fmt::format("with {} there are {} {} events instead of {}", what_is_finer(s),
                                   each.finer, each.name, each.count));
  return result;
}

}  // namespace asperity
