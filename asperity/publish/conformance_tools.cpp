// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/publish/conformance_tools.hpp>
#include <asperity/publish/conformance_words.hpp>
#include <asperity/run/stepped_model.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace asperity {

double friction_limit(const any_model& model) { return model.force_bound(0, 0, 1); }

std::string why_no_friction_limit(const any_model& model) {
  if (model.entry().family == "curve") return "a Stribeck curve is a part of friction laws";
  if (!model.has_bound()) return "the law does not state a limit of its force";
  const double limit = friction_limit(model);
  if (!(limit > 0 && std::isfinite(limit))) return "the law has no finite limit at rest";
  return {};
}

run_data run_to_the_end(const std::string& text, const std::atomic<bool>* interrupt) {
  simulate_options options;
  options.interrupt = interrupt;
  scenario what = read_scenario(parse_toml(text, "conformance"), "conformance", ".",
                                wanted_of_scenario::numbers);
  what.max_steps = most_steps;
  run_data data = simulate(what, options);
  if (is_set(interrupt)) throw interruption();
  if (data.result.how == outcome::step_limit)
    throw too_many_steps(
        fmt::format("not finished: {} steps reach only t = {:g} s", most_steps, data.result.t));
  if (is_failure(data.result.how))
    throw error(
        fmt::format("{} at t = {:g} s: {}", to_string(data.result.how), data.result.t, data.hint));
  return data;
}

double presliding_way(const any_model& model, double speed, double furthest) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  constexpr double nearest = 1e-11, growth = 1.02;  // [m], of each step
  const double half = 0.5 * friction_limit(model);
  stepped_model law(model);
  double x = 0, f = 0, next = nearest;
  while (next <= furthest) {
    const double in[] = {next, speed, 1};
    if (law.step(in, (next - x) / speed) != outcome::completed) return nothing;
    const double now = law.outputs()[0];
    if (now >= half) return x == 0 ? nothing : x + (next - x) * (half - f) / (now - f);
    x = next;
    f = now;
    next *= growth;
  }
  return nothing;
}

double settling_way(const any_model& model) {
  constexpr double least = 1e-3, slow = 1e-6, furthest = 10;  // [m], [m/s], [m]
  const double way = presliding_way(model, slow, furthest);
  return std::isfinite(way) ? std::max(least, 30 * way) : least;
}

double steady_friction(const any_model& model, double speed, double settling_way,
                       const std::atomic<bool>* interrupt) {
  constexpr double least_time = 1;  // [s]
  constexpr int steps = 1000;
  const double h = std::max(least_time, settling_way / speed) / steps;
  stepped_model law(model);
  for (int i = 1; i <= steps; ++i) {
    if (is_set(interrupt)) throw interruption();
    const double in[] = {speed * h * i, speed, 1};
    if (law.step(in, h) != outcome::completed)
      throw error(fmt::format("the law cannot be integrated at {:g} m/s", speed));
  }
  return law.outputs()[0];
}

rigid_cycle rigid_cycle::of(double F_s, double F_k, double m, double k, double speed) {
  const double drop = F_s - F_k, w = std::sqrt(k / m), pi = std::acos(-1.0);
  const double phase = std::atan2(k * speed / w, drop);
  return {(pi + 2 * phase) / w + 2 * drop / (k * speed), 2 * std::hypot(drop, k * speed / w)};
}

double mean_of(const std::vector<double>& values, std::size_t from, std::size_t count) {
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(from);
  return std::accumulate(first, first + static_cast<std::ptrdiff_t>(count), 0.0) /
         static_cast<double>(count);
}

double drift_between(const std::vector<double>& values, std::size_t early, std::size_t late,
                     std::size_t count) {
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(late);
  const auto [low, high] = std::minmax_element(first, first + static_cast<std::ptrdiff_t>(count));
  const double moved = std::abs(mean_of(values, late, count) - mean_of(values, early, count));
  return std::max(0.0, moved - 0.5 * (*high - *low));
}

}  // namespace asperity
