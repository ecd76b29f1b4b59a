// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/mechanics/sliding_system.hpp>
#include <asperity/sweep/evaluate.hpp>
#include <asperity/sweep/packs.hpp>
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

point_result nothing_yet(const sweep_plan& plan) {
  point_result result;
  result.values.assign(plan.measures().size(), std::numeric_limits<double>::quiet_NaN());
  return result;
}

void refuse(const error& problem, point_result& result) {
  result.outcome = "refused";
  result.detail = problem.what();
}

void measure_run(const sweep_plan& plan, const run_data& data, point_result& result) {
  const auto& measures = plan.measures();
  result.outcome = to_string(data.result.how);
  if (is_failure(data.result.how)) {
    result.detail = fmt::format("at t = {:g} s{}{}", data.result.t,
                                data.result.detail.empty() ? "" : ": ", data.result.detail);
    return;
  }
  for (std::size_t i = 0; i < measures.size(); ++i) {
    if (measures[i].is_list) {
      result.lists.push_back(distinct_extrema(find_extrema(measures[i].what, data)));
      result.values[i] = static_cast<double>(result.lists.back().size());
    } else {
      result.values[i] = evaluate(measures[i].what, data);
    }
  }
}

// What makes the numbers of a run that came to its end doubtful. What is said of the base, too, is
// told before the sweep.
std::string doubts_about(const sweep_plan& plan, const scenario& s, const run_data& data) {
  const auto& said = plan.base().warnings;
  std::vector<std::string> found;
  for (const auto& each : s.warnings)
    if (std::find(said.begin(), said.end(), each) == said.end()) found.push_back(each);
  found.insert(found.end(), data.doubts.begin(), data.doubts.end());
  return fmt::format("{}", fmt::join(found, "; "));
}

// Returns whether the run was not interrupted. `start` is that of the next run, in a continuation.
bool run_alone(const sweep_plan& plan, const scenario& s, const simulate_options& limits,
               std::vector<double>& start, point_result& result) {
  try {
    const run_data data = simulate(s, limits);
    if (data.result.how == outcome::interrupted) return false;
    measure_run(plan, data, result);
    if (!is_failure(data.result.how)) result.detail = doubts_about(plan, s, data);
    if (plan.along() != continuation::none && !is_failure(data.result.how))
      start = last_state(s, data);
  } catch (const error& problem) {
    refuse(problem, result);
  }
  return true;
}

bool evaluate_point(const sweep_plan& plan, long long point, const simulate_options& limits,
                    std::vector<double>& start, point_result& result) {
  result = nothing_yet(plan);
  try {
    scenario s = plan.at(point);
    if (!start.empty()) s.initial = start;
    start.clear();
    return run_alone(plan, s, limits, start, result);
  } catch (const error& problem) {
    refuse(problem, result);
  }
  return true;
}

// Points of a chunk that are stepped together.
struct pack_of_points {
  std::string key;
  bool is_on_device;
  std::size_t width;
  std::vector<pack_member> members = {};
  std::vector<long long> points = {};
};

// The points of a chunk, in packs where they can be.
class chunk_in_packs {
 public:
  chunk_in_packs(const sweep_plan& plan, long long first, const simulate_options& limits,
                 const pack_device* device, std::vector<point_result>& results)
      : plan_(plan), first_(first), limits_(limits), device_(device), results_(results) {}

  // Returns whether it was not interrupted.
  bool run() {
    for (long long i = 0; i < static_cast<long long>(results_.size()); ++i) {
      result_of(first_ + i) = nothing_yet(plan_);
      if (!take(first_ + i)) return false;
    }
    return std::all_of(packs_.begin(), packs_.end(),
                       [&](pack_of_points& each) { return each.members.empty() || finish(each); });
  }

 private:
  const sweep_plan& plan_;
  long long first_;
  const simulate_options& limits_;
  const pack_device* device_;
  std::vector<point_result>& results_;
  std::vector<pack_of_points> packs_;

  point_result& result_of(long long point) {
    return results_[static_cast<std::size_t>(point - first_)];
  }

  // Packs do not judge their steps: some points are run alone, to see whether all is well with them.
  bool take(long long point) {
    const bool is_alone = plan_.is_corner(point) && device_ == nullptr && !plan_.in_float();
    if (!is_alone && plan_.quick() != nullptr)
      if (auto member = plan_.quick()->at(plan_, point))
        return add(point, plan_.quick()->key(), std::move(*member));
    try {
      scenario s = plan_.at(point);
      const auto key = pack_of(s, plan_.measures(), limits_);
      if (key && !is_alone) return add(point, *key, as_pack_member(std::move(s)));
      std::vector<double> no_start;
      return run_alone(plan_, s, limits_, no_start, result_of(point));
    } catch (const error& problem) {
      refuse(problem, result_of(point));
    }
    return true;
  }

  bool add(long long point, const std::string& key, pack_member member) {
    auto found = std::find_if(packs_.begin(), packs_.end(),
                              [&](const pack_of_points& each) { return each.key == key; });
    if (found == packs_.end()) found = packs_.insert(found, new_pack(key, *member.like));
    found->members.push_back(std::move(member));
    found->points.push_back(point);
    return found->members.size() < found->width || finish(*found);
  }

  pack_of_points new_pack(const std::string& key, const scenario& like) const {
    const bool is_on_device =
        device_ != nullptr && why_not_on_device(*device_, like, plan_.measures()).empty();
    const int width =
        is_on_device ? widest_pack_on_device(like, plan_.measures(), limits_) : widest_pack();
    return {key, is_on_device, static_cast<std::size_t>(width)};
  }

  bool finish(pack_of_points& p) {
    std::vector<long long> alone;
    const tell_of_run tell = [&](std::size_t i, const run_data* data) {
      if (data == nullptr) {
        alone.push_back(p.points[i]);
      } else {
        measure_run(plan_, *data, result_of(p.points[i]));
      }
    };
    const tell_of_values tell_values = [&](std::size_t i, const std::vector<double>& values) {
      result_of(p.points[i]).outcome = to_string(outcome::completed);
      result_of(p.points[i]).values = values;
    };
    const auto& measures = plan_.measures();
    const bool is_done =
        p.is_on_device ? simulate_pack(*device_, p.members, measures, limits_, tell, tell_values)
                       : simulate_pack(p.members, measures, limits_, tell);
    p.members.clear();
    p.points.clear();
    std::vector<double> no_start;
    return is_done && std::all_of(alone.begin(), alone.end(), [&](long long point) {
             return evaluate_point(plan_, point, limits_, no_start, result_of(point));
           });
  }
};

}  // namespace

std::optional<std::vector<point_result>> evaluate_chunk(const sweep_plan& plan, long long chunk,
                                                        const simulate_options& limits,
                                                        bool in_packs, const pack_device* device) {
  const long long first = chunk * plan.chunk_size();
  const long long count = std::min(plan.chunk_size(), plan.points() - first);
  std::vector<point_result> results(static_cast<std::size_t>(count));
  if (in_packs && plan.along() == continuation::none) {
    if (!chunk_in_packs(plan, first, limits, device, results).run()) return std::nullopt;
    return results;
  }
  std::vector<double> start;  // of the next run, in a continuation
  const bool up = plan.goes_up(first);
  for (long long k = 0; k < count; ++k) {
    const long long i = up ? k : count - 1 - k;
    if (!evaluate_point(plan, first + i, limits, start, results[static_cast<std::size_t>(i)]))
      return std::nullopt;
  }
  return results;
}

long long fitting_chunk(const sweep_plan& plan, const pack_device* device) {
  using clock = std::chrono::steady_clock;
  constexpr double wanted = 0.25;  // [s]
  constexpr long long largest = 1024, fewest_chunks = 64;
  // A continuation cannot be cut.
  if (plan.along() != continuation::none) return plan.chunk_size();
  if (device != nullptr) {
    constexpr long long few_chunks = 32, enough_points = 65536;
    return std::clamp((plan.points() + few_chunks - 1) / few_chunks, 1LL, enough_points);
  }
  const auto start = clock::now();
  const auto taken = [&] { return std::chrono::duration<double>(clock::now() - start).count(); };
  double fraction_done = 1;
  std::size_t together = 1;
  try {
    std::atomic<bool> enough{false};
    const simulate_options limits{.interrupt = &enough, .progress = [&](double fraction) {
                                    if (fraction <= 0 || taken() < wanted) return;
                                    fraction_done = fraction;
                                    enough = true;
                                  }};
    const scenario first = plan.at(0);
    if (pack_of(first, plan.measures(), limits)) {
      together = static_cast<std::size_t>(std::min<long long>(widest_pack(), plan.points()));
      const std::vector<pack_member> pack(together, as_pack_member(first));
      static_cast<void>(
          simulate_pack(pack, plan.measures(), limits, [](std::size_t, const run_data*) {}));
    } else {
      static_cast<void>(simulate(first, limits));
    }
  } catch (const error&) {
    // It will be refused again in its place.
  }
  const auto least = static_cast<long long>(together);
  const double each = std::max(taken(), 1e-6) / fraction_done / static_cast<double>(least);
  const auto fitting = static_cast<long long>(wanted / each);
  const long long most = std::max((plan.points() + fewest_chunks - 1) / fewest_chunks, least);
  const long long size = std::clamp(fitting, least, std::min(largest, most));
  return (size + least - 1) / least * least;  // whole packs
}

}  // namespace asperity
