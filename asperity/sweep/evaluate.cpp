// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/mechanics/sliding_system.hpp>
#include <asperity/sweep/evaluate.hpp>
#include <chrono>
#include <limits>

namespace asperity {

namespace {

// Extrema that differ by less than this share of their span are one and the same in each period.
constexpr double same_extremum = 1e-3;
// A diagram shows a band where a motion never repeats; so many values draw it.
constexpr std::size_t most_extrema = 256;

std::vector<double> distinct_extrema(std::vector<double> found) {
  std::sort(found.begin(), found.end());
  std::vector<double> result;
  if (found.empty()) return result;
  const double near = same_extremum * (found.back() - found.front());
  for (std::size_t from = 0; from < found.size();) {
    std::size_t to = from + 1;
    while (to < found.size() && found[to] - found[from] <= near) ++to;
    result.push_back(found[from + (to - from) / 2]);
    from = to;
  }
  if (result.size() > most_extrema) result.resize(most_extrema);
  return result;
}

// The state at the end of a run, to start the next one from.
std::vector<double> last_state(const scenario& s, const run_data& data) {
  std::vector<double> state;
  for (const auto& each : states_of(s)) state.push_back(data[each.name].back());
  // The next run begins at t = 0, where the pulled end of the spring is back at its start: the body
  // is moved back with it.
  if (const auto* mass = sliding_mass_in(*s.system))
    state[0] -= mass->inputs.anchor(s.duration) - mass->inputs.anchor(0);
  return state;
}

// Returns whether the run was not interrupted.
bool evaluate_point(const sweep_plan& plan, long long point, const simulate_options& limits,
                    std::vector<double>& start, point_result& result) {
  const auto& measures = plan.measures();
  result.values.assign(measures.size(), std::numeric_limits<double>::quiet_NaN());
  try {
    scenario s = plan.at(point);
    if (!start.empty()) s.initial = start;
    start.clear();
    const run_data data = simulate(s, limits);
    if (data.result.how == outcome::interrupted) return false;
    result.outcome = to_string(data.result.how);
    if (is_failure(data.result.how)) {
      result.detail = fmt::format("at t = {:g} s{}{}", data.result.t,
                                  data.result.detail.empty() ? "" : ": ", data.result.detail);
      return true;
    }
    for (std::size_t i = 0; i < measures.size(); ++i) {
      if (measures[i].is_list) {
        result.lists.push_back(distinct_extrema(find_extrema(measures[i].what, data)));
        result.values[i] = static_cast<double>(result.lists.back().size());
      } else {
        result.values[i] = evaluate(measures[i].what, data);
      }
    }
    if (plan.along() != continuation::none) start = last_state(s, data);
  } catch (const error& problem) {
    result.outcome = "refused";
    result.detail = problem.what();
  }
  return true;
}

}  // namespace

std::optional<std::vector<point_result>> evaluate_chunk(const sweep_plan& plan, long long chunk,
                                                        const simulate_options& limits) {
  const long long first = chunk * plan.chunk_size();
  const long long count = std::min(plan.chunk_size(), plan.points() - first);
  std::vector<point_result> results(static_cast<std::size_t>(count));
  std::vector<double> start;  // of the next run, in a continuation
  const bool up = plan.goes_up(first);
  for (long long k = 0; k < count; ++k) {
    const long long i = up ? k : count - 1 - k;
    if (!evaluate_point(plan, first + i, limits, start, results[static_cast<std::size_t>(i)]))
      return std::nullopt;
  }
  return results;
}

long long fitting_chunk(const sweep_plan& plan) {
  using clock = std::chrono::steady_clock;
  constexpr double wanted = 0.25;  // [s]
  constexpr long long largest = 1024, fewest_chunks = 64;
  // A continuation cannot be cut.
  if (plan.along() != continuation::none) return plan.chunk_size();
  const auto start = clock::now();
  const auto taken = [&] { return std::chrono::duration<double>(clock::now() - start).count(); };
  double fraction_done = 1;
  try {
    std::atomic<bool> enough{false};
    const auto watch = [&](double fraction) {
      if (fraction <= 0 || taken() < wanted) return;
      fraction_done = fraction;
      enough = true;
    };
    static_cast<void>(simulate(plan.at(0), {&enough, watch}));
  } catch (const error&) {
    // It will be refused again in its place.
  }
  const double each = std::max(taken(), 1e-6) / fraction_done;
  const auto fitting = static_cast<long long>(wanted / each);
  const long long most = std::max((plan.points() + fewest_chunks - 1) / fewest_chunks, 1LL);
  return std::clamp(fitting, 1LL, std::min(largest, most));
}

}  // namespace asperity
