// SPDX-License-Identifier: Apache-2.0
#include <asperity/analysis/resting.hpp>
//
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <asperity/analysis/equilibria.hpp>
#include <asperity/error.hpp>
#include <asperity/mechanics/sliding_system.hpp>
#include <asperity/systems/prescribed_motion.hpp>
#include <cmath>
#include <numbers>

namespace asperity {

namespace {

using vector = Eigen::VectorXd;
using rates_of = std::function<vector(const vector& state)>;

// Where equilibria are looked for: in boxes about `middle`, each 8 times as wide as the one before.
// `size` is that of the first, which holds what the loop visits; no box goes beyond what the card
// allows.
struct search_box {
  vector middle, size, lower, upper;
  static constexpr int widths = 4;
  vector low(double factor) const { return (middle - factor / 2 * size).cwiseMax(lower); }
  vector high(double factor) const { return (middle + factor / 2 * size).cwiseMin(upper); }
  static double widest() { return std::pow(8.0, widths - 1); }
};

constexpr int starts_per_state = 64;

Eigen::MatrixXd jacobian(const rates_of& rates, const vector& at, const vector& size) {
  Eigen::MatrixXd result(at.size(), at.size());
  for (Eigen::Index k = 0; k < at.size(); ++k) {
    const double step = 1e-6 * size[k];
    vector there = at, back = at;
    there[k] += step;
    back[k] -= step;
    result.col(k) = (rates(there) - rates(back)) / (2 * step);
  }
  return result;
}

// Newton's method, its steps no longer than a tenth of the box. True where it ended at a zero.
bool settle(const rates_of& rates, const vector& size, double factor, vector& state) {
  for (int i = 0; i < 60; ++i) {
    const vector rate = rates(state);
    if (!rate.allFinite()) return false;
    vector step = jacobian(rates, state, size).colPivHouseholderQr().solve(-rate);
    if (!step.allFinite()) return false;
    const double length = step.cwiseQuotient(size).cwiseAbs().maxCoeff();
    if (length > 0.1 * factor) step *= 0.1 * factor / length;
    state += step;
    if (length < 1e-10) return true;
  }
  return false;
}

// Starts that fill a box evenly: a Halton sequence.
double halton(int index, int base) {
  double result = 0, part = 1;
  for (; index > 0; index /= base) {
    part /= base;
    result += part * (index % base);
  }
  return result;
}

// A single state: next to every sign change of its rate on a grid as fine as the starts of all
// boxes together and finer where the loop is.
void add_sign_changes(const rates_of& rates, const search_box& box, std::vector<vector>& starts) {
  constexpr int points = 4000;
  const double reach = std::asinh(search_box::widest());
  vector before;
  double rate_before = 0;
  for (int i = 0; i <= points; ++i) {
    vector state = box.middle;
    state[0] += box.size[0] / 2 * std::sinh(reach * (2.0 * i / points - 1));
    if (state[0] < box.lower[0] || state[0] > box.upper[0]) continue;
    const double rate = rates(state)[0];
    if (before.size() > 0 && ((rate < 0) != (rate_before < 0))) {
      vector low = before, high = state;
      for (int k = 0; k < 60; ++k) {
        const vector half = (low + high) / 2;
        ((rates(half)[0] < 0) == (rate_before < 0) ? low : high) = half;
      }
      starts.push_back(low);
    }
    before = state;
    rate_before = rate;
  }
}

// A zero of the rates, or a stretch of them: what the output is there, and whether it stays.
struct zero {
  vector state;
  double y_low, y_high;
  bool stable;
};

// Where rates are 0 in directions of the state, too, as in a dead zone: the end of the stretch
// towards a higher (sign 1) or lower output. Each round goes on until some rate is not 0.
double end_of_stretch(const rates_of& rates, const std::function<double(const vector&)>& output,
                      const search_box& box, vector state, double sign) {
  const double largest =
      rates(box.high(1)).cwiseAbs().maxCoeff() + rates(box.low(1)).cwiseAbs().maxCoeff();
  const auto rests = [&](const vector& at) {
    const vector low = box.low(search_box::widest()), high = box.high(search_box::widest());
    return rates(at).cwiseAbs().maxCoeff() <= 1e-9 * largest && (at - low).minCoeff() >= 0 &&
           (high - at).minCoeff() >= 0;
  };
  for (Eigen::Index round = 0; round < 2 * state.size() + 1; ++round) {
    const Eigen::MatrixXd scaled = jacobian(rates, state, box.size) * box.size.asDiagonal();
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(scaled, Eigen::ComputeFullV);
    vector slope(state.size()), way = vector::Zero(state.size());
    for (Eigen::Index k = 0; k < state.size(); ++k) {
      vector there = state;
      there[k] += 1e-6 * box.size[k];
      slope[k] = (output(there) - output(state)) / 1e-6;
    }
    const vector& values = svd.singularValues();
    for (Eigen::Index k = 0; k < state.size(); ++k)
      if (values[k] <= 1e-6 * std::max(values[0], largest))
        way += svd.matrixV().col(k) * svd.matrixV().col(k).dot(slope);
    if (way.cwiseAbs().maxCoeff() <= 1e-6 * slope.cwiseAbs().maxCoeff()) break;
    way = sign * way.cwiseProduct(box.size) / way.cwiseAbs().maxCoeff();
    double far = 1e-3;
    while (far < search_box::widest() && rests(state + far * way)) far *= 2;
    double near = 0;
    for (int k = 0; k < 60; ++k) {
      const double half = (near + far) / 2;
      (rests(state + half * way) ? near : far) = half;
    }
    if (near <= 1e-9) break;
    state += near * way;
  }
  return output(state);
}

std::vector<zero> zeros(const rates_of& rates, const std::function<double(const vector&)>& output,
                        const search_box& box, const std::vector<zero>& before) {
  constexpr std::array primes{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
  const Eigen::Index n = box.middle.size();
  std::vector<zero> found;
  const vector low = box.low(search_box::widest()), high = box.high(search_box::widest());
  const auto try_start = [&](vector state, double factor) {
    if (!settle(rates, box.size, factor, state)) return;
    if ((state - low + 1e-6 * box.size).minCoeff() < 0) return;
    if ((high - state + 1e-6 * box.size).minCoeff() < 0) return;
    const vector close = 1e-6 * box.size.cwiseMax(state.cwiseAbs());
    if (std::any_of(found.begin(), found.end(), [&](const zero& each) {
          return (each.state - state).cwiseAbs().cwiseQuotient(close).maxCoeff() < 1;
        }))
      return;
    const auto scaled = jacobian(rates, state, box.size);
    const auto values = scaled.eigenvalues();
    const double largest = scaled.cwiseAbs().maxCoeff(), y = output(state);
    const auto none_above = [&](double bound) {
      return std::all_of(values.begin(), values.end(),
                         [&](const auto& each) { return each.real() <= bound; });
    };
    const bool is_single = std::all_of(values.begin(), values.end(), [&](const auto& each) {
      return std::abs(each) > 1e-6 * largest;
    });
    if (is_single) {
      found.push_back({state, y, y, none_above(0)});
      return;
    }
    for (const zero& each : found)
      if (each.y_low < each.y_high && each.y_low <= y && y <= each.y_high) return;
    found.push_back({state, end_of_stretch(rates, output, box, state, -1),
                     end_of_stretch(rates, output, box, state, 1), none_above(1e-6 * largest)});
  };
  for (const zero& each : before) try_start(each.state, 1);
  double factor = 1;
  for (int width = 0; width < search_box::widths; ++width, factor *= 8) {
    const vector from = box.low(factor), size = box.high(factor) - from;
    for (int i = 1; i <= starts_per_state * n; ++i) {
      vector start(n);
      for (Eigen::Index k = 0; k < n; ++k)
        start[k] = from[k] + size[k] * halton(i, primes[static_cast<std::size_t>(k)]);
      try_start(start, factor);
    }
  }
  std::vector<vector> starts;
  if (n == 1) add_sign_changes(rates, box, starts);
  for (const vector& start : starts) try_start(start, 1e-3);
  double output_scale = 0;
  for (const zero& each : found) output_scale = std::max(output_scale, std::abs(each.y_low));
  // The ends of a stretch, and stretches that meet, are one.
  std::sort(found.begin(), found.end(),
            [](const zero& a, const zero& b) { return a.y_low < b.y_low; });
  std::vector<zero> joined;
  for (const zero& each : found) {
    const bool is_stretch = each.y_low < each.y_high;
    if (!joined.empty()) {
      zero& last = joined.back();
      const bool one_is = is_stretch || last.y_low < last.y_high;
      const double room = 1e-5 * std::max(last.y_high - last.y_low, each.y_high - each.y_low);
      if (one_is && each.y_low <= last.y_high + room) {
        last.y_high = std::max(last.y_high, each.y_high);
        last.stable = is_stretch ? each.stable : last.stable;
        continue;
      }
      // States that differ by what the output does not show, such as a whole turn.
      if (last.stable == each.stable && !one_is &&
          each.y_low - last.y_low <= 1e-9 * std::max(std::abs(each.y_low), output_scale))
        continue;
    }
    joined.push_back(each);
  }
  return joined;
}

// The scenario with its input held. Nothing is run: any duration will do.
scenario held(const io_system& system, double u) {
  return system.under(signal::constant(u), 1, 0.01);
}

// A scenario as rates of its states and an output. Empty rates where holding the input stops all.
struct resting_system {
  rates_of rates;
  std::function<double(const vector&)> output;
};

resting_system as_rates(const scenario& s, const io_system& system, double u) {
  resting_system result;
  const auto n = static_cast<Eigen::Index>(s.initial.size());
  if (const prescribed_motion* moved = prescribed_motion_in(*s.system)) {
    const any_model model = moved->model;
    if (!model.is_ode() || model.states() == 0) return result;
    const Eigen::Index own = model.states();
    result.rates = [model, own, u](const vector& state) {
      vector rate(own);
      model.respond(state.data(), u, 0, 1, rate.data());
      return rate;
    };
    result.output = [model, own, u](const vector& state) {
      vector ignored(own);
      return model.respond(state.data(), u, 0, 1, ignored.data());
    };
    return result;
  }
  const auto which = s.system;
  const std::shared_ptr<workspace> work = which->new_workspace();
  work->setting = s;
  result.rates = [which, work, n](const vector& state) {
    vector rate(n);
    which->rates(0, state.data(), rate.data(), *work);
    return rate;
  };
  result.output = [which, work, wanted = system.y](const vector& state) {
    const auto& states = which->card().states;
    for (std::size_t i = 0; i < states.size(); ++i)
      if (states[i].name == wanted) return state[static_cast<Eigen::Index>(i)];
    const auto& outputs = which->card().outputs;
    std::vector<double> out(outputs.size());
    which->observe(0, state.data(), out.data(), *work);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].name == wanted) return out[i];
    return std::nan("");
  };
  return result;
}

// Any state is at rest: told from rates at the corners and in the middle of the box.
bool rests_anywhere(const rates_of& rates, const search_box& box) {
  const vector low = box.low(1), size = box.high(1) - low;
  for (const double where : {0.0, 0.3, 0.5, 0.9, 1.0})
    if (rates(low + where * size).cwiseAbs().maxCoeff() > 0) return false;
  return true;
}

// Runs the loop once more to see which states it visits.
search_box visited(const io_system& system, const periodic_loop& loop, const scenario& s,
                   const resting_options& options) {
  const double period = 2 * std::numbers::pi / loop.omega;
  simulate_options how;
  how.interrupt = options.interrupt;
  const double amplitude = (options.high - options.low) / 2,
               offset = (options.high + options.low) / 2;
  const run_data data = simulate(
      system.under(signal::sines({{amplitude, loop.omega, 0}}, offset), 2 * period, period / 400),
      how);
  const auto& states = s.system->card().states;
  // Prescribed motions have their x in front, which is the input here.
  const std::size_t first = prescribed_motion_in(*s.system) != nullptr ? 1 : 0;
  const auto n = static_cast<Eigen::Index>(states.size() - first);
  search_box box{vector(n), vector(n), vector(n), vector(n)};
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto& state = states[first + static_cast<std::size_t>(k)];
    const auto& values = data[state.name];
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    // A loop may visit next to nothing: as wide as the state is large, too.
    const double size =
        std::max({1.5 * (*high - *low), 2 * std::abs(*low), 2 * std::abs(*high), state.scale});
    box.middle[k] = (*low + *high) / 2;
    box.size[k] = size > 0 ? size : 1;
    box.lower[k] = state.allowed.lower;
    box.upper[k] = state.allowed.upper;
  }
  return box;
}

// y on the rising or falling branch of a loop, at u.
double on_branch(const periodic_loop& loop, double u, bool rising) {
  const std::size_t n = loop.u.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t next = (i + 1) % n;
    const double a = loop.u[i], b = loop.u[next];
    if ((b > a) != rising || a == b || (a - u) * (b - u) > 0) continue;
    return loop.y[i] + (loop.y[next] - loop.y[i]) * (u - a) / (b - a);
  }
  const auto nearest = std::min_element(loop.u.begin(), loop.u.end(), [&](double a, double b) {
    return std::abs(a - u) < std::abs(b - u);
  });  // rounding at a turn
  return loop.y[static_cast<std::size_t>(nearest - loop.u.begin())];
}

}  // namespace

resting_map find_resting(const io_system& system, const periodic_loop& loop,
                         const resting_options& options) {
  if (options.points < 2 || !(options.low < options.high))
    throw error("equilibria need at least 2 points and a range of inputs");
  resting_map result;
  const auto input = [&](int i) {
    return options.low + (options.high - options.low) * i / (options.points - 1);
  };
  const scenario first = held(system, input(0));

  const auto* mass = sliding_mass_in(*first.system);
  const std::string& kind = first.system->card().kind;
  const bool on_wall = kind == "wall_spring_mass" && system.input == "force";
  const bool pulled = kind == "pulled_mass" && system.input == "anchor";
  if ((on_wall || pulled) && system.y == "x") {
    result.how = "the positions at which friction can hold the spring";
    const double scale = pulled ? mass->k : 1;  // force of an anchor at 1 m
    equilibria_options wanted;
    wanted.stiffness = mass->k;
    wanted.from = scale * options.low;
    wanted.to = scale * options.high;
    wanted.points = options.points;
    wanted.interrupt = options.interrupt;
    wanted.progress = options.progress;
    const equilibria_map held_by_friction = find_equilibria(mass->friction, wanted);
    for (const auto& each : held_by_friction.intervals)
      result.places.push_back({each.u / scale, each.x_low, each.x_high, true});
    result.failure = held_by_friction.failure;
    result.interrupted = held_by_friction.interrupted;
    return result;
  }
  const prescribed_motion* moved = prescribed_motion_in(*first.system);
  if (mass != nullptr || first.system->march() != nullptr || kind == "bouncing_mass" ||
      (moved != nullptr && moved->motion_is_velocity))
    throw error(fmt::format(
        "{}: equilibria can be found for models under a prescribed motion, for masses on a spring "
        "(from the force or the anchor to x), and for systems stated by their rates",
        system.name));

  const resting_system start = as_rates(first, system, input(0));
  search_box box;
  if (start.rates) box = visited(system, loop, first, options);
  if (!start.rates || rests_anywhere(start.rates, box)) {
    result.how = fmt::format(
        "it can rest in any state: at every output between the branches of the slowest loop, with "
        "inputs from {:g} to {:g}; larger inputs may leave it at other outputs",
        options.low, options.high);
    for (int i = 0; i < options.points; ++i) {
      const double up = on_branch(loop, input(i), true), down = on_branch(loop, input(i), false);
      result.places.push_back({input(i), std::min(up, down), std::max(up, down), true});
    }
    return result;
  }
  const Eigen::Index n = box.middle.size();
  if (n > 16)
    throw error(fmt::format(
        "{}: {} states are too many for a search of equilibria: at most 16 are possible",
        system.name, n));
  result.how = fmt::format("zeros of the rates, by Newton's method from {} starts{}, for",
                           search_box::widths * starts_per_state * n,
                           n == 1 ? " and every change of sign on a grid of 4000" : "");
  const auto& states = first.system->card().states;
  for (Eigen::Index k = 0; k < n; ++k)
    result.how += fmt::format("{} {} from {:.3g} to {:.3g}", k == 0 ? "" : ",",
                              states[states.size() - static_cast<std::size_t>(n - k)].name,
                              box.low(search_box::widest())[k], box.high(search_box::widest())[k]);
  // There and back: what is found at one input is looked for from there at its neighbours.
  std::vector<std::vector<zero>> found(static_cast<std::size_t>(options.points));
  for (const bool back : {false, true})
    for (int i = 0; i < options.points; ++i) {
      if (options.interrupt != nullptr && *options.interrupt) {
        result.interrupted = true;
        return result;
      }
      if (options.progress)
        options.progress((i + (back ? options.points : 0)) / (2.0 * options.points));
      const int which = back ? options.points - 1 - i : i;
      const auto at = [&](int k) -> std::vector<zero>& {
        return found[static_cast<std::size_t>(k)];
      };
      const int neighbour = which + (back ? 1 : -1);
      std::vector<zero> known = at(which);
      if (i > 0) known.insert(known.end(), at(neighbour).begin(), at(neighbour).end());
      if (back && at(which).size() >= known.size() - at(which).size()) continue;
      const resting_system here = as_rates(held(system, input(which)), system, input(which));
      at(which) = zeros(here.rates, here.output, box, known);
    }
  for (int i = 0; i < options.points; ++i) {
    const auto& here = found[static_cast<std::size_t>(i)];
    for (const zero& each : here)
      result.places.push_back({input(i), each.y_low, each.y_high, each.stable});
    if (here.empty() && result.failure.empty())
      result.failure = fmt::format("no equilibrium found at {} = {:g}", system.u, input(i));
  }
  return result;
}

std::vector<resting_branch> branches_of(const resting_map& map, bool stable) {
  constexpr double longest_jump = 0.15;  // of the span of the outputs
  double low = 0, high = 0;
  for (const auto& each : map.places) {
    low = std::min(low, each.y_low);
    high = std::max(high, each.y_high);
  }
  struct growing : resting_branch {
    bool grew = true;  // at this input
  };
  std::vector<growing> open;
  const auto extend = [&](double u, double y) {
    growing* best = nullptr;
    const auto distance = [&](const growing& each) { return std::abs(each.y.back() - y); };
    for (auto& each : open)
      if (!each.grew && (best == nullptr || distance(each) < distance(*best))) best = &each;
    if (best == nullptr || distance(*best) > longest_jump * (high - low))
      best = &open.emplace_back();
    best->u.push_back(u);
    best->y.push_back(y);
    best->grew = true;
  };
  std::vector<resting_branch> ended;
  for (std::size_t i = 0; i < map.places.size(); ++i) {
    const auto& each = map.places[i];
    if (i > 0 && each.u != map.places[i - 1].u) {
      for (const auto& branch : open)
        if (!branch.grew) ended.push_back(branch);
      std::erase_if(open, [](const growing& branch) { return !branch.grew; });
      for (auto& branch : open) branch.grew = false;
    }
    if (each.stable != stable) continue;
    extend(each.u, each.y_low);
    if (each.y_high > each.y_low) extend(each.u, each.y_high);
  }
  ended.insert(ended.end(), open.begin(), open.end());
  return ended;
}

}  // namespace asperity
