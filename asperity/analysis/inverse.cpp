// SPDX-License-Identifier: Apache-2.0
#include <asperity/analysis/inverse.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/analysis/multiplay_map.hpp>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/run/evaluate.hpp>
#include <asperity/scalar/root.hpp>
#include <cmath>
#include <numeric>
#include <tuple>

namespace asperity {

namespace {

using state_array = std::array<double, any_model::max_states>;

// The plays of a generalised operator behind its envelope, as a plain one.
prandtl_ishlinskii<double> behind_envelope(const generalised_prandtl_ishlinskii<double>& model) {
  prandtl_ishlinskii<double> plain{.elements = model.elements, .q = model.q};
  for (int i = 0; i < model.elements; ++i) {
    plain.r[i] = model.threshold(i);
    plain.p[i] = model.weight(i);
  }
  return plain;
}

// An input, and whether it gives what was wanted; where none does, it is the best there is.
struct answer {
  double x;
  bool reaches = true;
};

// What the output can be on the ways up and down from x, as far as the bounds allow.
std::pair<double, double> reach(const any_model& model, const state_array& state, double x,
                                const inversion_options& options) {
  double low = unbounded, high = -unbounded;
  for (const double direction : {-1.0, 1.0}) {
    double step = 1e-3 * std::max(1.0, std::abs(x)), before = unbounded;
    for (int doubling = 0; doubling < 200; ++doubling, step *= 2) {
      const double to = std::clamp(x + direction * step, options.lower, options.upper);
      state_array trial = state;
      const double f = model.advance(trial.data(), {x, 0, 1}, {to, 0, 1}, 0.0);
      if (!std::isfinite(f)) break;
      // Far out the rounding of large numbers is no change.
      if (!(std::abs(f - before) <= 1e-9 * std::abs(f))) {
        low = std::min(low, f);
        high = std::max(high, f);
        before = f;
      } else if (step > 1e9 * std::max(1.0, std::abs(x))) {
        break;
      }
      if (to == options.lower || to == options.upper) break;
    }
  }
  constexpr double endless = 1e30;  // after 200 doublings it has grown with every one
  return {low < -endless ? -unbounded : low, high > endless ? unbounded : high};
}

// Inputs row by row; next(state, x, y) gives the answer to y.
template <class Next>
inversion run(const any_model& model, const std::vector<double>& wanted,
              const inversion_options& options, Next next) {
  inversion result;
  state_array state{};
  model.initial(state.data());
  double x = std::clamp(0.0, options.lower, options.upper);
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (k % 256 == 0) {
      if (options.interrupt != nullptr && *options.interrupt) {
        result.interrupted = true;
        return result;
      }
      if (options.progress)
        options.progress(static_cast<double>(k) / static_cast<double>(wanted.size()));
    }
    const answer found = next(state, x, wanted[k]);
    const double target = std::clamp(found.x, options.lower, options.upper);
    if (!found.reaches || target != found.x) {
      if (result.cut++ == 0) {
        result.first_cut = k;
        std::tie(result.reach_low, result.reach_high) = reach(model, state, x, options);
      }
    }
    const double f = model.advance(state.data(), {x, 0, 1}, {target, 0, 1}, 0.0);
    x = target;
    result.x.push_back(x);
    result.f.push_back(f);
    if (const double error = std::abs(f - wanted[k]); !(error <= result.error)) {
      result.error = error;
      result.worst = k;
    }
  }
  return result;
}

inversion invert_plain(const any_model& model, const prandtl_ishlinskii<double>& plays,
                       const std::function<answer(double)>& last, const std::vector<double>& wanted,
                       const inversion_options& options) {
  const auto inverse_from = [&](const state_array& state) {
    vec<double, 32> w;
    for (int i = 0; i < std::min(32, model.states()); ++i)
      w[i] = state[static_cast<std::size_t>(i)];
    return inverse_of(plays, w);
  };
  state_array start{};
  model.initial(start.data());
  auto inverted = inverse_from(start);
  bool has_strayed = false;  // the model did not give what its inverse was told
  auto result = run(model, wanted, options, [&](const state_array& state, double, double y) {
    if (has_strayed) inverted = inverse_from(state);
    const answer found = last(inverted.inverse.advance(inverted.state, {}, {y, 0, 1}, 1));
    has_strayed = !found.reaches || found.x < options.lower || found.x > options.upper;
    return found;
  });
  result.found_by = inversion::way::closed_form;
  return result;
}

// All running sums of the weights are above 0, so that there is an inverse in closed form.
bool rises(const prandtl_ishlinskii<double>& plays) {
  try {
    inverse_of(plays);
    return true;
  } catch (const error&) {
    return false;
  }
}

// The input nearest to x at which a Prandtl-Ishlinskii operator gives y. On the way up the play i
// begins to move at w_i + r_i, on the way down at w_i - r_i; between, the output is straight.
answer nearest_on_pieces(const prandtl_ishlinskii<double>& plays, const state_array& state,
                         double x, double y) {
  double here = plays.q * x;
  for (int i = 0; i < plays.elements; ++i) here += plays.p[i] * state[static_cast<std::size_t>(i)];
  if (here == y) return {x};
  answer best{x, false};
  double least = unbounded, nearest = std::abs(y - here);
  for (const double direction : {-1.0, 1.0}) {
    std::vector<std::pair<double, double>> begins;  // distance from x, weight
    begins.reserve(static_cast<std::size_t>(plays.elements) + 1);
    for (int i = 0; i < plays.elements; ++i)
      begins.emplace_back(
          std::max(0.0, plays.r[i] - direction * (x - state[static_cast<std::size_t>(i)])),
          plays.p[i]);
    std::sort(begins.begin(), begins.end());
    begins.emplace_back(unbounded, 0.0);
    double way = 0, f = here, slope = direction * plays.q;
    for (const auto& [end, weight] : begins) {
      const double needed = (y - f) / slope;
      if (slope != 0 && needed >= 0 && way + needed <= end) {
        if (way + needed < least) best = {x + direction * (way + needed), true};
        least = std::min(least, way + needed);
        break;
      }
      if (end == unbounded) break;
      f += slope * (end - way);
      way = end;
      if (!best.reaches && std::abs(y - f) < nearest * (1 - 1e-12)) {
        nearest = std::abs(y - f);
        best.x = x + direction * way;
      }
      slope += direction * weight;
      if (std::abs(slope) <= 1e-12 * std::abs(weight)) slope = 0;
    }
  }
  return best;
}

// The output of a multiplay can be anything at any time, but not with any input.
inversion invert_multiplay(const any_model& model, const std::vector<double>& wanted,
                           const inversion_options& options) {
  if (options.times.size() != wanted.size())
    throw error(fmt::format("model '{}' depends on the rate: the wanted output needs a column t",
                            model.key()));
  const auto& plays = *static_cast<const multiplay<double>*>(model.self());
  inversion result;
  result.found_by = inversion::way::dynamics;
  result.x = dynamic_inverse(plays, options.times, wanted);
  double stiffness = 0;
  for (int i = 0; i < plays.elements; ++i) stiffness += plays.k[i];
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (!std::isfinite(result.x[k]))
      throw error(fmt::format("no inverse: the input grows beyond all bounds before t = {:g} s",
                              options.times[k]));
    const double beyond = result.x[k] - std::clamp(result.x[k], options.lower, options.upper);
    if (beyond == 0) continue;
    result.cut = wanted.size() - k;  // what comes after follows from it
    result.first_cut = result.worst = k;
    const double at_bound = wanted[k] - stiffness * beyond;
    const double other = beyond > 0 ? options.lower - options.upper : options.upper - options.lower;
    std::tie(result.reach_low, result.reach_high) =
        std::minmax({at_bound, at_bound + stiffness * other});
    result.x.resize(k);
    break;
  }
  if (result.x.size() < 2) {
    result.f.assign(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(result.x.size()));
    return result;
  }
  std::vector<double> times = options.times;
  times.resize(result.x.size());
  evaluate_options how;
  how.interrupt = options.interrupt;
  const run_data data = evaluate(model, record{"x", std::move(times), {{"x", result.x}}}, how);
  result.interrupted = data.result.how == outcome::interrupted;
  result.f = data["f"];
  result.x.resize(result.f.size());
  for (std::size_t k = 0; k < result.f.size(); ++k)
    if (const double error = std::abs(result.f[k] - wanted[k]); error > result.error) {
      result.error = error;
      if (result.cut == 0) result.worst = k;
    }
  return result;
}

// Where f(x) = y on the way from x: doubling steps until it is passed, then the root. Where it is
// never passed, the nearest input that gives as much as any.
answer search(const any_model& model, const state_array& state, double x, double y,
              const inversion_options& options) {
  const auto output = [&](double to) {
    state_array trial = state;
    return model.advance(trial.data(), {x, 0, 1}, {to, 0, 1}, 0.0);
  };
  const double here = output(x);
  if (here == y) return {x};
  const double direction = y > here ? 1 : -1;
  double near = x, step = 1e-9 * std::max(1.0, std::abs(x));
  std::vector<std::pair<double, double>> tried{{x, here}};  // input and output
  for (int doubling = 0; doubling < 200; ++doubling, step *= 2) {
    double far = x + direction * step;
    const bool at_end = far <= options.lower || far >= options.upper;
    far = std::clamp(far, options.lower, options.upper);
    const double f = output(far);
    if (!std::isfinite(f) || !std::isfinite(far)) break;
    if (direction * (f - y) >= 0)
      return {root_between([&](double to) { return output(to) - y; }, near, far)};
    tried.emplace_back(far, f);
    if (at_end) break;
    near = far;
  }
  double best = here;
  for (const auto& each : tried)
    best = direction * std::max(direction * best, direction * each.second);
  const double rounding = 1e-12 * std::max(std::abs(best), std::abs(best - here));
  for (const auto& [input, f] : tried)
    if (direction * (best - f) <= rounding) return {input, false};
  return {x, false};
}

}  // namespace

inverted_operator inverse_of(const prandtl_ishlinskii<double>& model,
                             const vec<double, 32>& state) {
  const int n = model.elements;
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return model.r[a] < model.r[b]; });
  const auto r = [&](int i) { return model.r[order[static_cast<std::size_t>(i)]]; };
  const auto p = [&](int i) { return model.p[order[static_cast<std::size_t>(i)]]; };
  const auto w = [&](int i) { return state[order[static_cast<std::size_t>(i)]]; };

  inverted_operator result;
  result.inverse.elements = n;
  double slope = model.q;
  const auto check = [&](const char* where, double threshold) {
    if (!(slope > 0))
      throw error(
          fmt::format("no inverse: the slope of the output is {:g} {}{:g}, it must be above "
                      "0",
                      slope, where, threshold));
  };
  check("below the first threshold ", n > 0 ? r(0) : 0.0);
  result.inverse.q = 1 / model.q;
  double passed_weight = 0, passed_moment = 0;  // of the operators before
  double ahead = 0;                             // sum of p w over the operators after
  for (int i = 0; i < n; ++i) ahead += p(i) * w(i);
  for (int i = 0; i < n; ++i) {
    const double before = slope;
    slope += p(i);
    check("above the threshold ", r(i));
    result.inverse.p[i] = -p(i) / (slope * before);
    result.inverse.r[i] = model.q * r(i) + passed_weight * r(i) - passed_moment;
    passed_weight += p(i);
    passed_moment += p(i) * r(i);
    ahead -= p(i) * w(i);
    result.state[i] = slope * w(i) + ahead;  // play of r'_i on the output is s_i w_i + the rest
  }
  return result;
}

inversion invert(const any_model& model, const std::vector<double>& wanted,
                 const inversion_options& options) {
  if (!(options.lower < options.upper))
    throw error(fmt::format("the bounds {:g} and {:g} of the input must be in this order",
                            options.lower, options.upper));
  if (model.key() == "multiplay") return invert_multiplay(model, wanted, options);
  if (model.at().is_contact() || model.functions().in_double.advance == nullptr)
    throw error(
        fmt::format("model '{}' cannot be inverted row by row: it has no advance of its own "
                    "by which the output follows from the input alone",
                    model.key()));
  if ((model.describe().claims & rate_independent) == 0)
    throw error(fmt::format("model '{}' cannot be inverted row by row: its output depends on time",
                            model.key()));
  if (model.key() == "prandtl_ishlinskii") {
    const auto& plays = *static_cast<const prandtl_ishlinskii<double>*>(model.self());
    if (!rises(plays))
      return run(model, wanted, options, [&](const state_array& state, double x, double y) {
        return nearest_on_pieces(plays, state, x, y);
      });
    return invert_plain(
        model, plays, [](double x) { return answer{x}; }, wanted, options);
  }
  if (model.key() == "generalised_prandtl_ishlinskii") {
    const auto& general = *static_cast<const generalised_prandtl_ishlinskii<double>*>(model.self());
    const auto through_envelope = [&](double gamma) {
      const double share = (gamma - general.c_3) / general.c_0;
      // The envelope comes as near to 1 as rounding lets it, but not beyond.
      constexpr double most = 1 - 1e-12;
      const double within = std::clamp(share, -most, most);
      return answer{(std::atanh(within) - general.c_2) / general.c_1, std::abs(share) < 1};
    };
    const auto plays = behind_envelope(general);
    if (rises(plays)) return invert_plain(model, plays, through_envelope, wanted, options);
  }
  return run(model, wanted, options, [&](const state_array& state, double x, double y) {
    return search(model, state, x, y, options);
  });
}

bool inversion::reaches_all(const std::vector<double>& wanted) const {
  double size = 0;
  for (const double y : wanted) size = std::max(size, std::abs(y));
  return cut == 0 && (found_by == way::dynamics || error <= 1e-6 * std::max(size, 1e-300));
}

}  // namespace asperity
