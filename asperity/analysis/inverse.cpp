// SPDX-License-Identifier: Apache-2.0
#include <asperity/analysis/inverse.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/analysis/multiplay_map.hpp>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/integrate/fixed_step.hpp>
#include <asperity/mechanics/spline.hpp>
#include <asperity/run/evaluate.hpp>
#include <asperity/scalar/root.hpp>
#include <cmath>
#include <numeric>
#include <optional>
#include <tuple>

namespace asperity {

namespace {

using state_array = std::array<double, any_model::max_states>;

double size_of(const std::vector<double>& outputs) {
  double size = 0;
  for (const double y : outputs) size = std::max(size, std::abs(y));
  return size;
}

// The plays of a generalised operator behind its envelope, as a plain one.
prandtl_ishlinskii<double> behind_envelope(const generalised_prandtl_ishlinskii<double>& model) {
  prandtl_ishlinskii<double> plain{.elements = model.elements, .q = model.q};
  for (int i = 0; i < model.elements; ++i) {
    plain.r[i] = model.threshold(i);
    plain.p[i] = model.weight(i);
  }
  return plain;
}

// The states of a model without an advance of its own along its input, which is what counts where
// it is rate independent.
struct along_input {
  const any_model& model;
  double direction;

  static constexpr int capacity = any_model::max_states;
  int size() const { return model.states(); }
  void rates(double x, const double* state, double* rate) const {
    model.respond(state, direction * x, direction, 1, rate);
  }
  double output(double x, const double* state) const {
    double rate[capacity];
    return model.respond(state, x, direction, 1, rate);
  }
};

// The output after the input went from one place to another, and the states there: exact where the
// model has an advance, otherwise in steps of which each agrees with two halves to 1e-12.
double moved(const any_model& model, state_array& state, double from, double to) {
  if (model.functions().in_double.advance != nullptr)
    return model.advance(state.data(), {from, 0, 1}, {to, 0, 1}, 0.0);
  constexpr double tolerance = 1e-12, at_rest = 1e-14;
  constexpr int most_steps = 100'000;
  const along_input way{model, to < from ? -1.0 : 1.0};
  const auto n = static_cast<std::size_t>(model.states());
  // How fast the states move where they start: beside it one at its limit rests.
  state_array largest{}, fastest{}, rate{}, start{};
  model.initial(start.data());
  for (const double direction : {-1.0, 1.0}) {
    along_input{model, direction}.rates(0, start.data(), rate.data());
    for (std::size_t i = 0; i < n; ++i) fastest[i] = std::max(fastest[i], std::abs(rate[i]));
  }
  double x = way.direction * from;
  const double end = way.direction * to;
  double h = end - x;
  for (int step = 0; x < end; ++step) {
    if (step >= most_steps) return __builtin_nan("");
    way.rates(x, state.data(), rate.data());
    bool rests = true;
    for (std::size_t i = 0; i < n; ++i) {
      fastest[i] = std::max(fastest[i], std::abs(rate[i]));
      rests = rests && std::abs(rate[i]) <= at_rest * fastest[i];
    }
    if (rests) break;  // and so does all the way ahead
    const bool is_last = x + h >= end;
    if (is_last) h = end - x;
    state_array once = state, twice = state;
    rk4_step(way, x, h, once.data());
    rk4_step(way, x, h / 2, twice.data());
    rk4_step(way, x + h / 2, h / 2, twice.data());
    double error = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double change = twice[i] - once[i];
      twice[i] += change / 15;
      const double size = std::max({largest[i], std::abs(state[i]), std::abs(twice[i])});
      // Nothing but a number below the tolerance is good.
      if (!(std::abs(change) <= tolerance * size)) error = std::max(error, std::abs(change) / size);
      if (!std::isfinite(change)) error = unbounded;
    }
    const bool is_good = error == 0 || h <= 1e-15 * std::abs(x) || h < 1e-200;
    if (is_good) {
      for (std::size_t i = 0; i < n; ++i)
        largest[i] = std::max({largest[i], std::abs(state[i]), std::abs(twice[i])});
      state = twice;
      x = is_last ? end : x + h;
    }
    h *= is_good ? 2 : std::clamp(0.9 * std::pow(tolerance / error, 0.2), 0.1, 0.7);
  }
  return way.output(to, state.data());
}

// An input, and whether it gives what was wanted; where none does, it is the best there is.
struct answer {
  double x;
  bool reaches = true;
};

// An input on a way, and the output there.
struct sample {
  double x, f;
};

// What is less says nothing about which way an output goes.
bool differs(double a, double b) {
  return !(std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b)));
}

// The samples between two, where the output turns in between: equal steps, then the extreme itself.
// Visits neighbours until it is told that it is enough.
template <class Output, class Visit>
bool look_at_turn(const Output& output, const sample& from, const sample& to, bool is_peak,
                  const Visit& visit) {
  constexpr int parts = 32;
  constexpr double golden = 0.3819660112501051;
  const auto above = [&](double a, double b) { return is_peak ? a > b : a < b; };
  std::array<sample, parts + 1> all{from};
  std::size_t best = 0;
  for (int i = 1; i <= parts; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double x = from.x + (to.x - from.x) * i / parts;
    all[at] = i == parts ? to : sample{x, output(x)};
    if (visit(all[at - 1], all[at])) return true;
    if (above(all[at].f, all[best].f)) best = at;
  }
  sample low = all[std::max<std::size_t>(best, 1) - 1],
         high = all[std::min(best + 1, all.size() - 1)];
  const sample first = low, last = high;
  sample middle = all[best];
  for (int i = 0; i < 90 && std::abs(high.x - low.x) > 1e-15 * std::abs(middle.x); ++i) {
    // Into the longer of the two.
    const bool is_low = std::abs(middle.x - low.x) > std::abs(high.x - middle.x);
    const double x = middle.x + golden * ((is_low ? low.x : high.x) - middle.x);
    const sample next{x, output(x)};
    if (above(next.f, middle.f)) {
      (is_low ? high : low) = middle;
      middle = next;
    } else {
      (is_low ? low : high) = next;
    }
  }
  return visit(first, middle) || visit(middle, last);
}

// Looks along the way from x, as far as the bounds allow, at distances that grow by a ratio, and
// closely where the output turns: some fall again behind a peak, and some have one after another.
// visit(near, far) gets neighbours until it says that it is enough.
template <class Output, class Visit>
bool look_along(const Output& output, const sample& start, double direction, double first,
                double last, double ratio, const inversion_options& options, const Visit& visit) {
  constexpr int most_turns = 16;  // those ahead are as those behind
  const double far_out = 1e6 * std::max(1.0, std::abs(start.x));
  sample before = start, now = start;
  int seen = 0;
  for (double distance = first; distance <= last; distance *= ratio) {
    const double far = start.x + direction * distance;
    const double to = std::clamp(far, options.lower, options.upper);
    const bool is_end = to != far || to == options.lower || to == options.upper;
    const sample next{to, output(to)};
    if (!std::isfinite(next.x) || !std::isfinite(next.f)) break;
    const bool turns =
        before.x != now.x && differs(next.f, now.f) && (now.f > before.f) != (next.f > now.f);
    // Far out teeth are lost in the rounding of the input, and what is flat remains so.
    const bool is_flat = std::abs(next.f - now.f) <= 1e-9 * std::abs(next.f);
    if (distance > far_out && now.f != start.f && (turns || is_flat)) break;
    if (visit(now, next)) return true;
    if (turns) {
      if (look_at_turn(output, before, next, now.f > before.f, visit)) return true;
      if (++seen == most_turns) break;
    }
    if (differs(next.f, now.f) || now.f == start.f) {
      before = differs(next.f, now.f) ? now : next;
      now = next;
    }
    if (is_end) break;
  }
  return false;
}

double first_distance(double x) { return 1e-9 * std::max(1.0, std::abs(x)); }
constexpr double last_distance = 1e51;

// What the output can be on the ways up and down from x, as far as the bounds allow.
std::pair<double, double> reach(const any_model& model, const state_array& state, double x,
                                const inversion_options& options) {
  const auto output = [&](double to) {
    state_array trial = state;
    return moved(model, trial, x, to);
  };
  const sample start{x, output(x)};
  double low = start.f, high = start.f;
  const auto widen = [&](const sample& near, const sample& far) {
    // Far out the rounding of large numbers is no change.
    if (std::abs(far.f - near.f) <= 1e-9 * std::abs(far.f)) return false;
    low = std::min(low, far.f);
    high = std::max(high, far.f);
    return false;
  };
  for (const double direction : {-1.0, 1.0})
    look_along(output, start, direction, first_distance(x), last_distance, 2, options, widen);
  constexpr double endless = 1e30;  // it has grown all the way
  return {low < -endless ? -unbounded : low, high > endless ? unbounded : high};
}

// Inputs row by row; next(state, x, y) gives the answer to y.
template <class Next>
inversion run(const any_model& model, const std::vector<double>& wanted,
              const inversion_options& options, Next next) {
  inversion result;
  state_array state{};
  model.initial(state.data());
  const double allowed = options.tolerance.value_or(tolerance_by_rows) * size_of(wanted);
  double x = std::clamp(0.0, options.lower, options.upper);
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (k % 16 == 0) {
      if (options.interrupt != nullptr && *options.interrupt) {
        result.interrupted = true;
        return result;
      }
      if (options.progress)
        options.progress(static_cast<double>(k) / static_cast<double>(wanted.size()));
    }
    const answer found = next(state, x, wanted[k]);
    const double target = std::clamp(found.x, options.lower, options.upper);
    const state_array before = state;
    if (k == 0) {
      state_array at_rest = state;
      result.at_first = moved(model, at_rest, target, target);
    }
    const double f = moved(model, state, x, target);
    if (k == 0) result.needs_way_to_first = !(std::abs(f - result.at_first) <= allowed);
    // One that misses by less than is allowed is as good as reached: a peak to its last digits.
    if ((!found.reaches || target != found.x) && !(std::abs(f - wanted[k]) <= allowed)) {
      if (result.cut++ == 0) {
        result.first_cut = k;
        std::tie(result.reach_low, result.reach_high) = reach(model, before, x, options);
      }
    }
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
                         double x, double y, const inversion_options& options) {
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
    const double room = direction > 0 ? options.upper - x : x - options.lower;
    double way = 0, f = here, slope = direction * plays.q;
    for (const auto& [begin, weight] : begins) {
      const double end = std::min(begin, room);
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
      if (end == room) break;
      slope += direction * weight;
      if (std::abs(slope) <= 1e-12 * std::abs(weight)) slope = 0;
    }
  }
  return best;
}

// Where f(x) = y on a way from x; that on which a rising output comes to y is tried first. Where
// there is no such place, the nearest input whose output is as near as any.
answer search(const any_model& model, const state_array& state, double x, double y,
              const inversion_options& options) {
  const auto output = [&](double to) {
    state_array trial = state;
    return moved(model, trial, x, to);
  };
  const sample start{x, output(x)};
  if (start.f == y) return {x};
  std::vector<sample> tried{start};
  std::optional<double> found;
  double first = unbounded, last = 0;  // distances between which the output changes
  const auto crosses = [&](const sample& near, const sample& far) {
    tried.push_back(far);
    if (differs(near.f, far.f)) {
      first = std::min(first, std::abs(near.x - x));
      last = std::max(last, std::abs(far.x - x));
    }
    if (far.f == y) {
      found = far.x;
      return true;
    }
    if ((near.f < y) == (far.f < y)) return false;
    const double root = root_between([&](double to) { return output(to) - y; }, near.x, far.x);
    // Where the output jumps over y there is no root.
    const double error = std::abs(output(root) - y);
    if (error > tolerance_by_rows * std::max(std::abs(near.f), std::abs(far.f))) return false;
    found = root;
    return true;
  };
  const double sign = y > start.f ? 1 : -1;
  for (const double direction : {sign, -sign})
    if (look_along(output, start, direction, first_distance(x), last_distance, 2, options, crosses))
      return {*found};
  // A peak may lie between two places of which neither shows it.
  const double shortest = std::max(first, first_distance(x)), longest = last;
  for (const double direction : {sign, -sign})
    if (look_along(output, start, direction, shortest, longest, 1.05, options, crosses))
      return {*found};
  double nearest = unbounded;
  for (const auto& each : tried) nearest = std::min(nearest, std::abs(each.f - y));
  const double rounding = 1e-12 * std::max(std::abs(y) + nearest, std::abs(start.f));
  answer best{x, false};
  double least = unbounded;
  for (const auto& each : tried) {
    const double way = std::abs(each.x - x);
    if (!(std::abs(each.f - y) <= nearest + rounding) || !(way < least)) continue;
    least = way;
    best.x = each.x;
  }
  return best;
}

// ---- by dynamics ---------------------------------------------------------------------------------

// What `eval`, which joins rows in its own way, makes of an input. False where it did not come to the
// end.
bool evaluate_rows(const any_model& model, const std::vector<double>& wanted,
                   const inversion_options& options, inversion& of) {
  evaluate_options how;
  how.interrupt = options.interrupt;
  std::vector<double> times = options.times;
  times.resize(of.x.size());
  const run_data data = evaluate(model, record{"x", std::move(times), {{"x", of.x}}}, how);
  of.interrupted = data.result.how == outcome::interrupted;
  of.f = data["f"];
  of.x.resize(of.f.size());
  of.error = 0;
  for (std::size_t k = 0; k < of.f.size(); ++k)
    if (const double error = std::abs(of.f[k] - wanted[k]); !(error <= of.error)) {
      of.error = error;
      if (of.cut == 0) of.worst = k;
    }
  if (data.result.how == outcome::completed) return true;
  if (of.interrupted) return false;
  of.error = unbounded;  // it broke down on the way
  of.worst = of.f.size();
  return false;
}

// Asks for what was missing as well, for as long as that helps. `rows(asked, into)` finds inputs, and
// says whether there are any.
template <class Rows>
void put_right(const any_model& model, const std::vector<double>& wanted,
               const inversion_options& options, Rows rows, inversion& result) {
  const double size = size_of(wanted);
  evaluate_rows(model, wanted, options, result);
  std::vector<double> asked = wanted;
  inversion next = result;
  for (int round = 0; round < 30 && !result.interrupted && result.error > 1e-10 * size; ++round) {
    if (next.f.size() != wanted.size()) break;
    for (std::size_t k = 1; k < wanted.size(); ++k) asked[k] += wanted[k] - next.f[k];
    if (!rows(asked, next) || !evaluate_rows(model, wanted, options, next)) break;
    if (!(next.error < result.error)) break;
    result = next;
  }
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
      throw error(fmt::format("no inverse: the input grows without bound before t = {:g} s",
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
  if (result.cut > 0) {
    evaluate_rows(model, wanted, options, result);
    return result;
  }
  const auto rows = [&](const std::vector<double>& asked, inversion& into) {
    into.x = dynamic_inverse(plays, options.times, asked);
    return std::all_of(into.x.begin(), into.x.end(), [&](double x) {
      return std::isfinite(x) && x >= options.lower && x <= options.upper;
    });
  };
  put_right(model, wanted, options, rows, result);
  return result;
}

bool outputs_its_state(const any_model& model) {
  return model.states() == 1 && model.state_names()[0] == model.at().outputs[0].name;
}

// A model whose output is its only state, so that the wanted output says how fast it moves, and that
// says where the input is. Between the rows the output goes as a spline; what `eval` makes of the
// input between its rows differs a little, and is put right by asking for the difference as well.
inversion invert_rate(const any_model& model, const std::vector<double>& wanted,
                      const inversion_options& options) {
  if (options.times.size() != wanted.size() || wanted.size() < 2)
    throw error(fmt::format("model '{}' depends on the rate: the wanted output needs a column t {}",
                            model.key(), "and two rows or more"));
  for (std::size_t k = 1; k < wanted.size(); ++k)
    if (!(options.times[k] > options.times[k - 1]))
      throw error(fmt::format("t = {:g} s must be above the time before", options.times[k]));
  double start = 0;
  model.initial(&start);
  const double size = size_of(wanted);
  inversion result;
  result.found_by = inversion::way::dynamics;
  result.reach_low = result.reach_high = start;
  if (std::abs(wanted[0] - start) > 1e-9 * size) {
    result.cut = wanted.size();  // an output that begins elsewhere is another one all along
    result.error = std::abs(wanted[0] - start);
    return result;
  }
  const auto rate_at = [&](double f, double x) {
    double rate = 0;
    model.respond(&f, x, 0, 1, &rate);
    return rate;
  };
  // The input nearest to the last one that moves the output so fast.
  const auto input = [&](double f, double slope, double last) -> std::optional<double> {
    const auto missing = [&](double x) { return rate_at(f, x) - slope; };
    const double here = missing(last);
    if (here == 0) return last;
    const double smallest = 1e-9 * std::max(1.0, std::abs(last));
    double below = last, above = last, step = smallest;
    while (step < 1e30) {
      const double low = std::max(last - step, options.lower);
      const double high = std::min(last + step, options.upper);
      if ((missing(high) < 0) != (here < 0)) return root_between(missing, above, high);
      if ((missing(low) < 0) != (here < 0)) return root_between(missing, low, below);
      if (low == options.lower && high == options.upper) break;
      below = low;
      above = high;
      step *= 1.1;
    }
    return {};
  };
  const auto rows = [&](const std::vector<double>& asked, inversion& into) {
    const auto slope = spline_slopes(options.times, asked, spline_end::not_a_knot);
    into.x.clear();
    double last = std::clamp(0.0, options.lower, options.upper);
    for (std::size_t k = 0; k < asked.size(); ++k) {
      const auto x = input(asked[k], slope[k], last);
      if (!x) return k;
      into.x.push_back(last = *x);
    }
    return asked.size();
  };
  const std::size_t reached = rows(wanted, result);
  if (reached < wanted.size()) {
    result.cut = wanted.size() - reached;
    result.first_cut = result.worst = reached;
    const double before = reached > 0 ? wanted[reached - 1] : start;
    const double h = reached > 0 ? options.times[reached] - options.times[reached - 1] : 0.0;
    double slowest = unbounded, fastest = -unbounded;
    const double width = 1e6 * std::max(1.0, size);
    for (int i = 0; i <= 2000; ++i) {
      const double x = std::clamp(width * (i - 1000) / 1000, options.lower, options.upper);
      slowest = std::min(slowest, rate_at(before, x));
      fastest = std::max(fastest, rate_at(before, x));
    }
    result.reach_low = before + h * slowest;
    result.reach_high = before + h * fastest;
    if (reached > 0) evaluate_rows(model, wanted, options, result);
    result.error = std::max(
        {result.error, result.reach_low - wanted[reached], wanted[reached] - result.reach_high});
    return result;
  }
  const auto all_rows = [&](const std::vector<double>& asked, inversion& into) {
    return rows(asked, into) == wanted.size();
  };
  put_right(model, wanted, options, all_rows, result);
  return result;
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
          fmt::format("no inverse: the slope of the output is {:g} {}{:g}, but it must be above 0",
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

namespace {

inversion invert_as_it_can(const any_model& model, const std::vector<double>& wanted,
                           const inversion_options& options) {
  if (!(options.lower < options.upper))
    throw error(fmt::format("the bounds {:g} and {:g} of the input must be in this order",
                            options.lower, options.upper));
  if (model.key() == "multiplay") return invert_multiplay(model, wanted, options);
  const bool is_free = (model.describe().claims & rate_independent) == 0;
  if (is_free && model.at().is_line() && model.is_ode() && outputs_its_state(model))
    return invert_rate(model, wanted, options);
  const auto refuse = [&](const char* why) {
    throw error(fmt::format("model '{}' cannot be inverted: {}", model.key(), why));
  };
  if (!model.at().is_line() || model.at().is_contact())
    refuse("only models with one input and a memory of it can be inverted");
  if (is_free) refuse("its output depends on time as well as on the path of the input");
  if (model.functions().in_double.advance == nullptr && (!model.is_ode() || model.states() == 0))
    refuse("it has no memory, and its output jumps where the input turns");
  if (model.key() == "prandtl_ishlinskii") {
    const auto& plays = *static_cast<const prandtl_ishlinskii<double>*>(model.self());
    if (!rises(plays))
      return run(model, wanted, options, [&](const state_array& state, double x, double y) {
        return nearest_on_pieces(plays, state, x, y, options);
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

}  // namespace

inversion invert(const any_model& model, const std::vector<double>& wanted,
                 const inversion_options& options) {
  inversion found = invert_as_it_can(model, wanted, options);
  found.tolerance = options.tolerance                            ? *options.tolerance
                    : found.found_by == inversion::way::dynamics ? tolerance_by_dynamics
                                                                 : tolerance_by_rows;
  return found;
}

double inversion::allowed(const std::vector<double>& wanted) const {
  return tolerance * std::max(size_of(wanted), 1e-300);
}

bool inversion::reaches_all(const std::vector<double>& wanted) const {
  return cut == 0 && error <= allowed(wanted);
}

}  // namespace asperity
