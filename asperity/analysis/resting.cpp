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

// The states that a loop visits, with room around them.
struct state_box {
  vector low, size;
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
bool settle(const rates_of& rates, const state_box& box, vector& state) {
  for (int i = 0; i < 60; ++i) {
    const vector rate = rates(state);
    if (!rate.allFinite()) return false;
    vector step = jacobian(rates, state, box.size).colPivHouseholderQr().solve(-rate);
    if (!step.allFinite()) return false;
    const double length = step.cwiseQuotient(box.size).cwiseAbs().maxCoeff();
    if (length > 0.1) step *= 0.1 / length;
    state += step;
    if (length < 1e-10) return true;
  }
  return false;
}

bool is_stable(const rates_of& rates, const state_box& box, const vector& state) {
  const auto values = jacobian(rates, state, box.size).eigenvalues();
  return std::all_of(values.begin(), values.end(), [](const auto& v) { return v.real() < 0; });
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

std::vector<vector> zeros(const rates_of& rates, const state_box& box,
                          const std::vector<vector>& before) {
  constexpr std::array primes{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
  std::vector<vector> starts = before, found;
  const Eigen::Index n = box.low.size();
  for (int i = 1; i <= starts_per_state * n; ++i) {
    vector start(n);
    for (Eigen::Index k = 0; k < n; ++k)
      start[k] = box.low[k] + box.size[k] * halton(i, primes[static_cast<std::size_t>(k)]);
    starts.push_back(std::move(start));
  }
  for (vector& state : starts) {
    if (!settle(rates, box, state)) continue;
    const vector inside = (state - box.low).cwiseQuotient(box.size);
    if (inside.minCoeff() < -1e-6 || inside.maxCoeff() > 1 + 1e-6) continue;
    const bool known = std::any_of(found.begin(), found.end(), [&](const vector& each) {
      return (each - state).cwiseQuotient(box.size).cwiseAbs().maxCoeff() < 1e-6;
    });
    if (!known) found.push_back(state);
  }
  return found;
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
bool rests_anywhere(const rates_of& rates, const state_box& box) {
  for (const double where : {0.0, 0.3, 0.5, 0.9, 1.0})
    if (rates(box.low + where * box.size).cwiseAbs().maxCoeff() > 0) return false;
  return true;
}

// Runs the loop once more to see which states it visits.
state_box visited(const io_system& system, const periodic_loop& loop, const scenario& s,
                  const resting_options& options) {
  const double period = 2 * std::numbers::pi / loop.omega;
  simulate_options how;
  how.interrupt = options.interrupt;
  const double amplitude = (options.high - options.low) / 2,
               offset = (options.high + options.low) / 2;
  const run_data data = simulate(
      system.under(signal::sines({{amplitude, loop.omega, 0}}, offset), 2 * period, period / 400),
      how);
  const auto names = states_of(s);
  // Prescribed motions have their x in front, which is the input here.
  const std::size_t first = prescribed_motion_in(*s.system) != nullptr ? 1 : 0;
  const auto n = static_cast<Eigen::Index>(names.size() - first);
  state_box box{vector(n), vector(n)};
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto& values = data[names[first + static_cast<std::size_t>(k)].name];
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double span = std::max(*high - *low, 1e-9 * std::max(1.0, std::abs(*high)));
    box.low[k] = *low - span / 4;
    box.size[k] = 1.5 * span;
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
    result.how = "what friction holds against the spring";
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
        "{}: equilibria are found for models under a motion, for masses on a spring (from the "
        "force or the anchor to x), and for systems stated by rates",
        system.name));

  const resting_system start = as_rates(first, system, input(0));
  state_box box;
  if (start.rates) box = visited(system, loop, first, options);
  if (!start.rates || rests_anywhere(start.rates, box)) {
    result.how = "it rests in any state: every output between the branches of the slowest loop";
    for (int i = 0; i < options.points; ++i) {
      const double up = on_branch(loop, input(i), true), down = on_branch(loop, input(i), false);
      result.places.push_back({input(i), std::min(up, down), std::max(up, down), true});
    }
    return result;
  }
  if (box.low.size() > 16)
    throw error(fmt::format("{}: {} states are too many to look for equilibria in, at most 16",
                            system.name, box.low.size()));
  result.how = fmt::format("zeros of the rates, by Newton's method from {} starts each",
                           starts_per_state * box.low.size());
  std::vector<vector> before;
  for (int i = 0; i < options.points; ++i) {
    if (options.interrupt != nullptr && *options.interrupt) {
      result.interrupted = true;
      return result;
    }
    if (options.progress) options.progress(static_cast<double>(i) / options.points);
    const scenario s = held(system, input(i));
    const resting_system here = as_rates(s, system, input(i));
    before = zeros(here.rates, box, before);
    std::vector<resting_place> places;
    for (const vector& state : before) {
      const double y = here.output(state);
      places.push_back({input(i), y, y, is_stable(here.rates, box, state)});
    }
    std::sort(places.begin(), places.end(),
              [](const auto& a, const auto& b) { return a.y_low < b.y_low; });
    result.places.insert(result.places.end(), places.begin(), places.end());
    if (places.empty() && result.failure.empty())
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
