// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs any stepper to the end: samples on a grid, events located inside steps, jumps of the inputs
// stepped up to and never across, limits, progress, and an outcome in every case.

#include <asperity/integrate/stepper.hpp>
#include <asperity/integrate/watch.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace asperity {

// A function of time and state whose zero is an event: slip begins, a contact opens ...
struct event {
  enum class direction { any, rising, falling };

  std::string name;
  std::function<double(double t, const double* y)> value;
  direction crossing = direction::any;
  bool terminal = false;
  // Where it is there, the step ends at the event, the state is changed, and the method starts
  // afresh: an impact turns a velocity round, a clutch begins to slip. Without a name the change is
  // not reported; other events that it brings about are.
  std::function<void(double t, double* y)> change = nullptr;
  // Where it is there, it sets the state right once, before the run.
  std::function<void(double t, double* y)> prepare = nullptr;
  // Energy that bodies lose in the change goes to this element of the energy balance.
  int element = 0;
};

struct event_record {
  std::size_t which;  // index into the list of events
  double t;
  std::vector<double> y;
};

struct run_options {
  double from = 0, to = 1;         // [s]
  double sample_every = 0;         // [s]; 0 samples every step
  long max_steps = 1'000'000'000;  // or so few steps ahead at the rate of the last million
  double event_tolerance = 1e-12;  // of time, relative to the step
  std::vector<double> jumps;       // increasing times at which inputs jump
  bool stop_at_jumps = false;      // adaptive methods should, fixed steps keep their grid
  run_limits limits;
  std::function<void(double t)> progress;  // called every few milliseconds
};

namespace detail {

// Whether an event happens where its value goes from `was` to `now`.
inline bool happens(const event& which, double was, double now) {
  const bool rises = was < 0 && now >= 0, falls = was > 0 && now <= 0;
  return (rises && which.crossing != event::direction::falling) ||
         (falls && which.crossing != event::direction::rising);
}

// Time of the zero of `g` in [a, b], where it changes sign.
template <class G>
double locate(G&& g, double a, double b, double ga, double gb, double tolerance) {
  if (ga == 0) return a;
  if (gb == 0) return b;
  const double width = b - a;
  std::uintmax_t iterations = 100;
  const auto close = [&](double p, double q) { return std::abs(q - p) <= tolerance * width; };
  const auto bracket = boost::math::tools::toms748_solve(g, a, b, ga, gb, close, iterations);
  return bracket.second;  // the far side: the event has happened there
}

}  // namespace detail

// observe(t, y) is called for each sample. Events found are appended to `found`.
template <class Stepper, class Observer>
integration_result run(Stepper& stepper, const double* start, int n, const run_options& options,
                       std::span<const event> events, std::vector<event_record>& found,
                       Observer&& observe) {
  integration_result result;
  std::vector<double> buffer(start, start + n);
  for (const event& each : events)
    if (each.prepare) each.prepare(options.from, buffer.data());
  stepper.start(options.from, buffer.data());
  observe(options.from, buffer.data());

  std::vector<double> previous(events.size()), began(events.size()), before_change(events.size());
  for (std::size_t i = 0; i < events.size(); ++i)
    previous[i] = events[i].value(options.from, buffer.data());

  long samples = 0;
  int changes_at_once = 0;
  double last_change = options.from;
  double last_observed = options.from;
  const auto show = [&](double t, const double* y) {
    if (t > last_observed) observe(t, y);
    last_observed = t;
  };
  // The state at an event: where it can be had, without what the rest of the step did.
  const auto look = [&](double t, double* out) {
    if constexpr (requires { stepper.again(t, out); }) {
      stepper.again(t, out);
    } else {
      stepper.at(t, out);
    }
  };
  std::size_t next_jump = 0;
  double million_began = options.from;
  const auto finish = [&](outcome how, double t) {
    result.how = how;
    result.t = t;
    result.evaluations = stepper.evaluations();
    result.rejected = stepper.rejected();
    return result;
  };

  run_watch watch(options.limits);
  while (stepper.t() < options.to) {
    if (result.steps >= options.max_steps) return finish(outcome::step_limit, stepper.t());
    // A run that would end in years ends now.
    if (result.steps > 0 && result.steps % 1'000'000 == 0) {
      const double gone = stepper.t() - million_began, ahead = options.to - stepper.t();
      const double steps_ahead = 1e6 * ahead / gone;
      million_began = stepper.t();
      if (steps_ahead > 10 * static_cast<double>(options.max_steps)) {
        char words[120];
        std::snprintf(words, sizeof words,
                      "the last million steps advanced the time by %.2g s, so that the rest would "
                      "take %.1g steps",
                      gone, steps_ahead);
        result.detail = words;
        return finish(outcome::step_limit, stepper.t());
      }
    }
    if (watch.is_due()) {
      if (const outcome ends = watch.look(); ends != outcome::completed)
        return finish(ends, stepper.t());
      if (options.progress) options.progress(stepper.t());
    }

    double limit = options.to, latest = options.to;
    while (next_jump < options.jumps.size() && options.jumps[next_jump] <= stepper.t()) ++next_jump;
    const bool jump_ahead = options.stop_at_jumps && next_jump < options.jumps.size() &&
                            options.jumps[next_jump] <= options.to;
    if (jump_ahead) {
      limit = options.jumps[next_jump];
      latest = std::nextafter(limit, options.from);
    }

    const outcome how = stepper.step(limit, latest);
    if (how != outcome::completed) return finish(how, stepper.before());
    ++result.steps;

    // Events of this step, in the order of their times; a terminal one cuts the step short.
    double stop = stepper.t();
    bool terminal = false;
    std::size_t changing = events.size();
    const std::size_t first_found = found.size();
    for (std::size_t i = 0; i < events.size(); ++i) {
      const double now = events[i].value(stepper.t(), stepper.y());
      const double was = began[i] = previous[i];
      previous[i] = now;
      if (!detail::happens(events[i], was, now)) continue;
      const auto g = [&](double t) {
        look(t, buffer.data());
        return events[i].value(t, buffer.data());
      };
      const double a = stepper.before(), b = stepper.t();
      const double at_start = g(a), at_end = g(b);
      // Interpolation may miss the sign at an end by rounding; then the event lies at that end.
      double t_event = at_start * at_end < 0
                           ? detail::locate(g, a, b, at_start, at_end, options.event_tolerance)
                       : at_end == 0 || at_start * was > 0 ? b
                                                           : a;
      look(t_event, buffer.data());
      if (!events[i].name.empty()) found.push_back({i, t_event, buffer});
      const bool changes = events[i].change != nullptr;
      if ((events[i].terminal || changes) && t_event <= stop) {
        stop = t_event;
        terminal = events[i].terminal;
        changing = changes ? i : events.size();
      }
    }
    const auto from_here = found.begin() + static_cast<std::ptrdiff_t>(first_found);
    std::sort(from_here, found.end(), [](const auto& a, const auto& b) { return a.t < b.t; });
    const bool is_cut = terminal || changing < events.size();
    if (is_cut) std::erase_if(found, [&](const auto& e) { return e.t > stop; });

    if (options.sample_every > 0) {
      const double slack = 1e-9 * options.sample_every;
      for (;;) {
        const double next = options.from + static_cast<double>(samples + 1) * options.sample_every;
        if (next > stop + slack) break;
        // One step may hold millions of samples.
        if (const outcome ends = watch.ask(); ends != outcome::completed) {
          std::erase_if(found, [&](const auto& e) { return e.t > last_observed; });
          return finish(ends, last_observed);
        }
        ++samples;
        if (next >= stepper.t() - slack && !is_cut) {
          show(stepper.t(), stepper.y());
        } else {
          stepper.at(std::min(next, stop), buffer.data());
          show(next, buffer.data());
        }
      }
    } else if (!is_cut) {
      show(stepper.t(), stepper.y());
    }
    if (terminal) {
      look(stop, buffer.data());
      show(stop, buffer.data());
      return finish(outcome::stopped_by_event, stop);
    }
    if (changing < events.size()) {
      look(stop, buffer.data());
      if (options.sample_every == 0) show(stop, buffer.data());
      for (std::size_t i = 0; i < events.size(); ++i) {
        before_change[i] = events[i].value(stop, buffer.data());
        // One that comes with the change may have been found a little behind it, and dropped.
        const bool is_found =
            std::any_of(found.begin() + static_cast<std::ptrdiff_t>(first_found), found.end(),
                        [i](const event_record& e) { return e.which == i; });
        if (!events[i].change && !is_found &&
            detail::happens(events[i], began[i], before_change[i]))
          found.push_back({i, stop, buffer});
      }
      events[changing].change(stop, buffer.data());
      // Changes that follow each other at once would never let time go on.
      changes_at_once = stop > last_change ? 0 : changes_at_once + 1;
      last_change = stop;
      if (changes_at_once > 100) return finish(outcome::step_too_small, stop);
      for (std::size_t i = 0; i < events.size(); ++i) {
        const double now = events[i].value(stop, buffer.data());
        if (!events[i].change && detail::happens(events[i], before_change[i], now))
          found.push_back({i, stop, buffer});
        previous[i] = now;
      }
      stepper.start(stop, buffer.data());
      continue;
    }
    if (jump_ahead && stepper.t() >= limit) {
      std::copy_n(stepper.y(), n, buffer.begin());
      stepper.start(limit, buffer.data());
    }
  }
  return finish(outcome::completed, stepper.t());
}

}  // namespace asperity
