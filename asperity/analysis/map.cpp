// SPDX-License-Identifier: Apache-2.0
#include <asperity/analysis/map.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/integrate/watch.hpp>
#include <cmath>
#include <numbers>
#include <optional>

namespace asperity {

namespace {

constexpr double turn = 2 * std::numbers::pi;
constexpr std::size_t most_rows = 2'000'000;  // of a run, for loops that jump
constexpr double line_error = 1e-4;           // of the line through a loop, in units of its box

// A stage of the input: offset + amplitude sin(omega t), until some time.
struct stage {
  double amplitude, until;
};

signal input_of(const std::vector<stage>& stages, double offset, double omega) {
  const auto sine = [&](const stage& each) {
    return signal::sines({{each.amplitude, omega, 0}}, offset);
  };
  if (stages.size() == 1) return sine(stages[0]);
  std::vector<signal::piece> pieces;
  pieces.reserve(stages.size());
  for (const auto& each : stages) pieces.push_back({each.until, sine(each)});
  return signal::pieces(std::move(pieces));
}

void check(const map_options& o) {
  const auto refuse = [](const char* what, double value, const char* allowed) {
    throw error(fmt::format("{} = {:g} must be {}", what, value, allowed));
  };
  if (!(o.amplitude > 0) || !std::isfinite(o.amplitude))
    refuse("amplitude", o.amplitude, "above 0");
  if (!std::isfinite(o.offset)) refuse("offset", o.offset, "finite");
  if (!(o.omega > 0) || !std::isfinite(o.omega)) refuse("omega", o.omega, "above 0 rad/s");
  if (!(o.slower > 1) || !(o.slower <= 1000)) refuse("slower", o.slower, "above 1, at most 1000");
  if (o.loops < 2 || o.loops > 100) refuse("loops", o.loops, "2 to 100");
  if (o.samples < 8 || o.samples % 4 != 0 || o.samples > 100000)
    refuse("samples", o.samples, "a multiple of 4, 8 to 100000");
  if (!(o.tolerance > 0) || !(o.tolerance < 1)) refuse("tolerance", o.tolerance, "0 to 1");
  if (!(o.steady > 0) || !(o.steady < 1)) refuse("steady", o.steady, "0 to 1");
  if (o.most_periods < 3) refuse("most_periods", o.most_periods, "at least 3");
}

double span_of(const std::vector<double>& y) {
  const auto [low, high] = std::minmax_element(y.begin(), y.end());
  return *high - *low;
}

double distance_to_segment(double x, double y, double x0, double y0, double x1, double y1) {
  const double dx = x1 - x0, dy = y1 - y0, length = dx * dx + dy * dy;
  const double s = length > 0 ? std::clamp(((x - x0) * dx + (y - y0) * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(x - x0 - s * dx, y - y0 - s * dy);
}

double one_sided(const periodic_loop& a, const periodic_loop& b, double u_scale, double y_scale,
                 const std::atomic<bool>* interrupt) {
  double farthest = 0;
  const std::size_t n = b.line_u.size();
  for (std::size_t i = 0; i < a.line_u.size(); ++i) {
    if (is_set(interrupt)) throw interruption();
    double nearest = unbounded;
    // From the same phase of the period to both sides: what is near is found there, and soon.
    const std::size_t start = i * n / a.line_u.size();
    for (std::size_t tried = 0; tried < n && nearest > farthest; ++tried) {
      const std::size_t k = (start + (tried % 2 == 0 ? n - tried / 2 : (tried + 1) / 2)) % n;
      const std::size_t next = (k + 1) % n;
      nearest = std::min(nearest,
                         distance_to_segment(a.line_u[i] / u_scale, a.line_y[i] / y_scale,
                                             b.line_u[k] / u_scale, b.line_y[k] / y_scale,
                                             b.line_u[next] / u_scale, b.line_y[next] / y_scale));
    }
    farthest = std::max(farthest, nearest);
  }
  return farthest;
}

double box(const std::vector<double>& a, const std::vector<double>& b) {
  const auto [a_low, a_high] = std::minmax_element(a.begin(), a.end());
  const auto [b_low, b_high] = std::minmax_element(b.begin(), b.end());
  const double size = std::max(*a_high, *b_high) - std::min(*a_low, *b_low);
  return size > 0 ? size : 1;
}

// Area and width of a period whose samples are equally far apart in time, from sin = 0 on.
void measure(periodic_loop& loop, const std::vector<double>& u, const std::vector<double>& y) {
  const std::size_t n = u.size();
  if (n == 0) return;
  const double span = span_of(y);
  const auto bend = [&](std::size_t i) {
    return std::abs(y[(i + 1) % n] - 2 * y[i] + y[(i + n - 1) % n]);
  };
  loop.area = loop.area_error = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t next = (i + 1) % n;
    const double way = u[next] - u[i];
    loop.area += (y[i] + y[next]) / 2 * way;
    // A twelfth of the bend where y is smooth. Where it jumps between two samples half the jump is
    // the most there can be.
    loop.area_error +=
        std::abs(way) / 2 * std::min(std::abs(y[next] - y[i]), std::max(bend(i), bend(next)));
  }
  // Sample i rises through the u that sample n/2 - i falls through.
  const auto apart = [&](std::size_t i) { return std::abs(y[i % n] - y[(n / 2 + 2 * n - i) % n]); };
  std::size_t widest = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (apart(i) > apart(widest)) widest = i;
  loop.width = span > 0 ? apart(widest) / span : 0;
  const double next_to_it = std::max(apart(widest + 1), apart(widest + n - 1));
  // A peak between two samples, such as an overshoot, is below the lines through the two samples
  // before it and through the two behind it. Beside a jump only one of them tells.
  const auto beyond = [&](std::size_t i) {
    const auto at = [&](std::size_t k) { return y[(k + n) % n]; };
    const auto in_between = [&](std::size_t left) {  // of it and the next, from y[i]
      const double rising = 2 * at(left) - at(left + n - 1),
                   falling = 2 * at(left + 1) - at(left + 2);
      return std::min(std::abs(rising - y[i]), std::abs(falling - y[i]));
    };
    return std::max(in_between(i), in_between(i + n - 1));
  };
  const auto [lowest, highest] = std::minmax_element(y.begin(), y.end());
  const double span_error = beyond(static_cast<std::size_t>(lowest - y.begin())) +
                            beyond(static_cast<std::size_t>(highest - y.begin()));
  loop.width_error = span > 0 ? (apart(widest) - next_to_it + loop.width * span_error) / span : 0;
}

// Adds to `kept` the samples between two of them that are farther than `line_error` from the line through
// those kept, in units of the box.
void refine(const std::vector<double>& u, const std::vector<double>& y, double u_scale,
            double y_scale, std::size_t from, std::size_t to, std::vector<std::size_t>& kept) {
  const std::size_t n = u.size();
  std::size_t farthest = from;
  double distance = line_error;
  for (std::size_t i = from + 1; i < to; ++i) {
    const double away =
        distance_to_segment(u[i] / u_scale, y[i] / y_scale, u[from] / u_scale, y[from] / y_scale,
                            u[to % n] / u_scale, y[to % n] / y_scale);
    if (away <= distance) continue;
    distance = away;
    farthest = i;
  }
  if (farthest == from) {
    kept.push_back(to);
    return;
  }
  refine(u, y, u_scale, y_scale, from, farthest, kept);
  refine(u, y, u_scale, y_scale, farthest, to, kept);
}

// Fills in a loop from a period with `dense` times the samples that are kept of it.
void take(periodic_loop& loop, const std::vector<double>& u, const std::vector<double>& y,
          std::size_t dense) {
  const double u_scale = box(u, u), y_scale = box(y, y);
  for (auto* each : {&loop.u, &loop.y, &loop.line_u, &loop.line_y}) each->clear();
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < u.size(); i += dense) {
    loop.u.push_back(u[i]);
    loop.y.push_back(y[i]);
    refine(u, y, u_scale, y_scale, i, i + dense, kept);
  }
  for (const std::size_t i : kept) {
    loop.line_u.push_back(u[i % u.size()]);
    loop.line_y.push_back(y[i % u.size()]);
  }
  measure(loop, u, y);
}

// The steady loop after the stages before the last one, whose period is repeated until it is.
periodic_loop steady_loop(const io_system& system, const std::vector<double>& before_in_periods,
                          const std::vector<double>& amplitudes, double omega,
                          const map_options& options) {
  periodic_loop loop;
  loop.omega = omega;
  const double period = turn / omega;
  std::vector<stage> stages;
  double start = 0;
  for (std::size_t i = 0; i < amplitudes.size(); ++i) {
    const bool last = i + 1 == amplitudes.size();
    if (!last) start += before_in_periods[i];
    stages.push_back({amplitudes[i], start * period});
  }
  // Whether it is steady shows in few samples; then it is measured in more. Minor loops are compared
  // with each other, sample by sample, and not measured.
  std::size_t dense = 1;
  const bool is_measured = stages.size() == 1;
  simulate_options how;
  how.interrupt = options.interrupt;
  for (int periods = 3;;) {
    const std::size_t n = dense * static_cast<std::size_t>(options.samples);
    const auto skipped = static_cast<std::size_t>(std::lround(start * static_cast<double>(n)));
    scenario s = system.under(input_of(stages, options.offset, omega), (start + periods) * period,
                              period / static_cast<double>(n));
    if (options.most_steps > 0) s.max_steps = std::min(s.max_steps, options.most_steps);
    const run_data data = simulate(s, how);
    loop.periods = periods;
    const auto& u = data[system.u];
    const auto& y = data[system.y];
    if (is_failure(data.result.how) || data.result.how == outcome::interrupted) {
      loop.failure = fmt::format("{} at t = {:g} s", to_string(data.result.how), data.result.t);
      return loop;
    }
    const std::size_t rows = skipped + static_cast<std::size_t>(periods) * n;
    if (u.size() < rows) throw error("a run ended before its last period");
    const auto period_of = [&](int which, std::size_t i) {
      return skipped + static_cast<std::size_t>(which) * n + i;
    };
    // Compared at whole periods of the sine, whatever the phase the stage began with.
    double change = 0, before = 0, low = y[period_of(periods - 1, 0)], high = low;
    for (std::size_t i = 0; i < n; i += dense) {
      // At the turns v is 0 but for rounding, which decides where a force jumps there.
      if (const std::size_t phase = (i + skipped) % n; phase == n / 4 || phase == 3 * n / 4)
        continue;
      const double last = y[period_of(periods - 1, i)], one = y[period_of(periods - 2, i)],
                   two = y[period_of(periods - 3, i)];
      change = std::max(change, std::abs(last - one));
      before = std::max(before, std::abs(one - two));
      low = std::min(low, last);
      high = std::max(high, last);
    }
    const double scale = high > low ? high - low : std::max(std::abs(high), 1e-300);
    const double ratio = before > 0 ? std::min(change / before, 1.0) : 0;
    const double left = ratio < 1 ? change * ratio / (1 - ratio) : unbounded;
    loop.unsteadiness = std::max(change, std::isfinite(left) ? left : change) / scale;
    loop.steady = change / scale <= options.steady &&
                  (left / scale <= options.steady || change / scale <= 1e-3 * options.steady);
    if (!loop.steady && periods < options.most_periods) {
      periods = std::min(2 * periods, options.most_periods);
      continue;
    }
    // Rotated so that it begins at sin = 0, rising.
    std::vector<double> last_u(n), last_y(n);
    for (std::size_t i = 0; i < n; ++i) {
      last_u[(i + skipped) % n] = u[period_of(periods - 1, i)];
      last_y[(i + skipped) % n] = y[period_of(periods - 1, i)];
    }
    take(loop, last_u, last_y, dense);
    const double area_of_box = 2 * options.amplitude * (high - low);
    const bool is_rough = loop.area_error > 0.01 * options.tolerance * area_of_box ||
                          loop.width_error > 0.2 * options.tolerance;
    if (is_measured && loop.steady && (dense < 16 || (is_rough && 4 * rows < most_rows))) {
      dense *= dense < 16 ? 16 : 4;
      continue;
    }
    // What the samples do not tell: the approach to the steady state, and the errors of the method.
    double of_output = (loop.unsteadiness + 10 * s.tolerance.relative) * (high - low);
    for (const auto& each : data.step_errors)
      if (each.name == system.y) of_output += each.value;
    loop.area_error += 2 * of_output * 2 * options.amplitude;
    if (high > low) loop.width_error += 2 * of_output / (high - low);
    return loop;
  }
}

}  // namespace

periodic_loop loop_at(const io_system& system, double omega, const map_options& options) {
  check(options);
  return steady_loop(system, {}, {options.amplitude}, omega, options);
}

limit_value limit_of(const std::vector<double>& terms, const std::vector<double>& errors) {
  if (terms.size() < 3) return {terms.empty() ? 0 : terms.back(), unbounded};
  // From the three terms that end with the last but `before`.
  struct extrapolation {
    double value, noise, change, ratio;
    bool is_geometric;
  };
  const auto from_three = [&](std::size_t before) -> extrapolation {
    const std::size_t i = terms.size() - 1 - before;
    const double change = terms[i] - terms[i - 1], ratio = change / (terms[i - 1] - terms[i - 2]);
    if (!(ratio > 0) || !(ratio < 0.9)) return {terms[i], errors[i], change, ratio, false};
    const double magnified = ratio * ratio * errors[i - 2] + 2 * ratio * errors[i - 1] + errors[i];
    return {terms[i] + change * ratio / (1 - ratio), magnified / ((1 - ratio) * (1 - ratio)),
            change, ratio, true};
  };
  const std::size_t n = terms.size();
  const extrapolation last = from_three(0);
  const double noise = errors[n - 1] + errors[n - 2];
  if (std::abs(last.change) <= noise)
    return {terms[n - 1], errors[n - 1] + std::abs(last.change) + noise};
  double highest = std::abs(last.ratio);  // of the last ratios
  if (n > 3) highest = std::max(highest, std::abs(from_three(1).ratio));
  if (n > 4) {
    const extrapolation one = from_three(1), two = from_three(2);
    highest = std::max(highest, std::abs(two.ratio));
    // Only ratios that have settled tell how far the limit still moves.
    if (last.is_geometric && one.is_geometric && two.is_geometric &&
        std::max(last.ratio, one.ratio) < 1.5 * std::min(last.ratio, one.ratio))
      return {last.value, last.noise + std::max(2 * std::abs(last.value - one.value),
                                                std::abs(last.value - two.value))};
  }
  if (!(highest < 0.9)) return {last.value, unbounded};
  const double farther =
      std::max(std::abs(last.change), highest * std::abs(terms[n - 2] - terms[n - 3]));
  return {last.value, last.noise + farther * std::max(1.0, highest / (1 - highest))};
}

double distance_between(const periodic_loop& a, const periodic_loop& b,
                        const std::atomic<bool>* interrupt) {
  if (a.line_u.empty() || b.line_u.empty()) return unbounded;
  const double u = box(a.line_u, b.line_u), y = box(a.line_y, b.line_y);
  return std::max(one_sided(a, b, u, y, interrupt), one_sided(b, a, u, y, interrupt));
}

namespace {

void find_limit(const io_system& system, const map_options& options, hysteresis_map& map) {
  check(options);
  std::vector<double> changes, widths, areas, spans, width_errors, area_errors, span_errors;
  std::vector<double> spans_left;  // limit of the spans, relative to the last of them
  // What may count as a limit must have been seen at this frequency, or below.
  const double slow_enough = system.speed > 0 ? 0.1 * system.speed / options.amplitude : unbounded;
  // A force that jumps where v = 0 has, by rounding, jumped at the turn itself or has not: loops
  // cannot be told apart by less than the last sample's way.
  const double equal = std::clamp(2 * (1 - std::cos(turn / options.samples)),
                                  0.01 * options.tolerance, 0.1 * options.tolerance);
  double plateau = 0;  // where the loop stopped changing, 0: it changes
  bool leapt = false;
  double omega = options.omega, next = 0, wanted = unbounded;
  for (int i = 0; i < options.loops; ++i, omega = next) {
    next = omega / options.slower;
    if (options.progress) options.progress(static_cast<double>(i) / options.loops);
    periodic_loop loop = steady_loop(system, {}, {options.amplitude}, omega, options);
    if (is_set(options.interrupt)) throw interruption();
    if (!loop.failure.empty() || !loop.steady) {
      map.note = !loop.failure.empty() ? fmt::format("at {:g} rad/s: {}", omega, loop.failure)
                                       : fmt::format(
                                             "at {:g} rad/s the output is not steady after {} "
                                             "periods: it still changes by {:.2g} of its span",
                                             omega, loop.periods, loop.unsteadiness);
      map.loops.push_back(std::move(loop));
      return;
    }
    if (!map.loops.empty()) {
      loop.change = distance_between(loop, map.loops.back(), options.interrupt);
      changes.push_back(loop.change);
    }
    const bool unchanged = !changes.empty() && changes.back() <= equal;
    if (!unchanged) plateau = 0;
    if (unchanged && plateau == 0) plateau = omega;
    if (leapt && !unchanged)  // sequences begin again: their terms must be equally far apart
      for (auto* each : {&changes, &widths, &areas, &spans, &spans_left, &width_errors,
                         &area_errors, &span_errors})
        each->clear();
    leapt = false;
    widths.push_back(loop.width);
    width_errors.push_back(loop.width_error);
    areas.push_back(loop.area);
    area_errors.push_back(loop.area_error);
    spans.push_back(span_of(loop.y));
    span_errors.push_back(0);
    if (spans.size() > 2)
      spans_left.push_back(std::abs(limit_of(spans, span_errors).value) / spans.back());
    const double area_of_box = 2 * options.amplitude * spans.back();
    map.loops.push_back(std::move(loop));
    map.limit_width = limit_of(widths, width_errors);
    map.limit_width.value = std::max(0.0, map.limit_width.value);
    map.limit_area = limit_of(areas, area_errors);
    wanted = unbounded;
    if (changes.size() < 2) continue;
    // Loops that approach their limit by a ratio each are further from it by a sum of that series.
    const auto ratio_of = [&](std::size_t i) {
      return changes[i - 1] > 0 ? changes[i] / changes[i - 1] : 0.0;
    };
    const double now = changes.back(), before = changes[changes.size() - 2];
    double ratio = ratio_of(changes.size() - 1);
    if (changes.size() > 2) ratio = std::max(ratio, ratio_of(changes.size() - 2));
    map.error = ratio < 1 ? now * ratio / (1 - ratio) + 2 * line_error : unbounded;
    const bool settled =
        std::max({now, map.error, map.limit_area.error / area_of_box}) <= options.tolerance;
    const bool same = unchanged && before <= equal;
    if (settled || same) {
      if (same) map.error = std::max(now, before);
      wanted = same ? std::min(slow_enough, 0.01 * plateau) : slow_enough;
      map.converged = omega <= wanted * (1 + 1e-9);
      if (map.converged) break;
      next = std::min(next, wanted);
      leapt = true;
    }
    const std::size_t n = spans_left.size();
    if (n > 1 && std::max(spans_left[n - 1], spans_left[n - 2]) <= 0.01 * options.tolerance) {
      map.vanishes = map.converged = true;
      map.error = 0;
      map.limit_width = {0, 0};
      map.limit_area = {0, std::abs(areas.back())};
      break;
    }
  }
  if (!map.converged && wanted < unbounded) {
    map.note = fmt::format(
        "the loop has stopped changing down to {:g} rad/s, but it must do so down to {:g} rad/s{}: "
        "allow more loops, or start with a slower one",
        map.loops.back().omega, wanted,
        wanted == slow_enough
            ? fmt::format(", a tenth of {} = {:g} m/s", system.speed_name, system.speed)
            : "");
    return;
  }
  if (!map.converged)
    map.note = fmt::format("down to {:g} rad/s the last step still changed the loop by {:.2g}",
                           map.loops.back().omega, map.loops.back().change);
}

}  // namespace

hysteresis_map limiting_map(const io_system& system, const map_options& options) {
  hysteresis_map map;
  try {
    find_limit(system, options, map);
  } catch (const interruption&) {
    map.interrupted = true;
    map.note = "interrupted";
  }
  return map;
}

const char* to_string(decision which) {
  return which == decision::yes ? "yes" : which == decision::no ? "no" : "not decided";
}

const char* to_string(classification::memory kind) {
  switch (kind) {
    case classification::memory::undecided:
      return "not decided";
    case classification::memory::none:
      return "none";
    case classification::memory::local:
      return "local";
    case classification::memory::nonlocal:
      return "nonlocal";
  }
  return "";
}

namespace {

// An amplitude at which a clear loop remains, where the one asked for shows none: a spring that hardly
// yields and a play that hardly moves look like straight lines, and so does a play that is long
// against its gap. The nearest of some that are a power of ten away, either way; 0: there is none.
struct clear_loop {
  double amplitude = 0, width = 0;
};
clear_loop amplitude_with_loop(const io_system& system, const periodic_loop& slowest,
                               const map_options& options) {
  constexpr double clear = 0.1, same = 0.1;  // width; how far one ten times slower may be off
  map_options trial = options;
  trial.tolerance = 0.5;  // whether there is a loop shows without fine samples
  trial.most_periods = 12;
  trial.most_steps = 200'000;  // far from what the system is for, a run may take forever
  const auto loop_with = [&](double amplitude, double omega) {
    trial.amplitude = amplitude;
    periodic_loop loop;
    try {
      loop = steady_loop(system, {}, {amplitude}, omega, trial);
    } catch (const interruption&) {
      throw;
    } catch (const error& problem) {  // the system does not allow it
      loop.failure = problem.what();
    }
    if (is_set(options.interrupt)) throw interruption();
    return loop;
  };
  const auto is_clear = [&](const periodic_loop& loop) {
    return loop.failure.empty() && loop.steady && loop.width > clear + loop.width_error;
  };
  // Whether there is one at this amplitude; nothing where no run came to its end.
  const auto look_at = [&](double amplitude) -> std::optional<clear_loop> {
    // Neither faster nor of a shorter period than the loop that has none, unless that takes forever.
    const double slow = slowest.omega * std::min(1.0, options.amplitude / amplitude);
    for (const double omega : {slow, slowest.omega, options.omega}) {
      const periodic_loop loop = loop_with(amplitude, omega);
      if (!loop.failure.empty()) continue;
      if (!is_clear(loop)) return clear_loop{};
      const periodic_loop slower = loop_with(amplitude, 0.1 * omega);
      if (!slower.failure.empty()) continue;
      // One that vanishes with any power of the frequency becomes narrower.
      const bool remains = is_clear(slower) && slower.width > (1 - same) * loop.width &&
                           distance_between(loop, slower, options.interrupt) <= same;
      return remains ? clear_loop{amplitude, slower.width} : clear_loop{};
    }
    return std::nullopt;
  };
  int failed[2] = {};  // in a row, up and down
  for (int decade = 1; decade <= 12; ++decade)
    for (const int down : {0, 1}) {
      if (failed[down] == 2) continue;
      const double amplitude = options.amplitude * std::pow(10, down == 1 ? -decade : decade);
      const auto found = look_at(amplitude);
      failed[down] = found ? 0 : failed[down] + 1;
      if (found && found->amplitude > 0) return *found;
    }
  return {};
}

// The most that the width can be in the limit. Where loops become narrower and narrower, the last one is
// a bound, too.
double widest_of(const hysteresis_map& map) {
  const double extrapolated = map.limit_width.value + map.limit_width.error;
  const auto& loops = map.loops;
  const std::size_t n = loops.size();
  const bool falls =
      n > 2 && loops[n - 1].width <= loops[n - 2].width && loops[n - 2].width <= loops[n - 3].width;
  const double last = falls ? loops.back().width + loops.back().width_error : 1.0;
  return std::min({1.0, extrapolated, last});
}

// Whether a loop remains. One that is the same at every speed is told by its error alone; where its
// limit is extrapolated it must be wider than what may still vanish.
void judge_loop(classification& result, const io_system& system, const map_options& options) {
  constexpr double narrow = 0.05;
  const hysteresis_map& map = result.map;
  const double error = std::max(map.error, map.limit_width.error), width = map.limit_width.value;
  const bool is_extrapolated = result.rate_dependent != decision::no;
  result.widest = widest_of(map);
  if (width > std::max(3 * error, is_extrapolated ? 0.02 : 0.0)) {
    result.hysteretic = decision::yes;
    return;
  }
  if (!map.converged) return;
  if (map.vanishes) {
    result.hysteretic = decision::no;
    return;
  }
  if (result.widest > narrow) {
    result.doubt = fmt::format(
        "the loop may be up to {:.2g} of the span of the output wide in the limit, or vanish: "
        "begin "
        "with a slower one (--omega), or ask for a smaller --tolerance",
        result.widest);
    return;
  }
  const clear_loop other = amplitude_with_loop(system, map.loops.back(), options);
  if (other.amplitude == 0) {
    result.hysteretic = decision::no;
    return;
  }
  const std::string seen =
      span_of(map.loops.back().y) > 0
          ? fmt::format("a loop is narrower than {:.2g} of the span of the output, if there is one",
                        result.widest)
          : "the output does not change";
  result.doubt = fmt::format(
      "with an amplitude of {:g} {}, but with {:g} a loop is {:.2g} of the span wide: the "
      "amplitude "
      "is too {} to tell; use --amplitude {:g}",
      options.amplitude, seen, other.amplitude, other.width,
      other.amplitude > options.amplitude ? "small" : "large", other.amplitude);
}

void classify_into(classification& result, const io_system& system, const map_options& options) {
  map_options first = options;
  if (options.progress) first.progress = [&](double fraction) { options.progress(0.7 * fraction); };
  result.map = limiting_map(system, first);
  const auto& loops = result.map.loops;
  if (!result.map.converged) {
    result.doubt = "the map did not converge: " + result.map.note;
    if (result.map.interrupted || loops.empty() || loops.back().u.empty()) return;
  }
  const periodic_loop& slowest = loops.back();
  result.rate_effect = distance_between(loops.front(), slowest, options.interrupt);
  if (result.rate_effect > 1e-3)
    result.rate_dependent = decision::yes;
  else if (result.map.converged)
    result.rate_dependent = decision::no;
  judge_loop(result, system, options);
  if (result.hysteretic == decision::no) result.kind = classification::memory::none;
  if (result.hysteretic != decision::yes) return;

  result.kind = classification::memory::local;
  const double omega = result.rate_dependent == decision::yes ? slowest.omega : loops.front().omega;
  int done = 0;
  for (const double part : {0.5, 0.25, 0.1}) {
    if (options.progress) options.progress(0.7 + 0.1 * done++);
    classification::minor_pair pair;
    pair.amplitude = part * options.amplitude;
    const std::vector<double> amplitudes{options.amplitude, pair.amplitude};
    pair.after_one = steady_loop(system, {1.0}, amplitudes, omega, options);
    pair.after_one_and_a_half = steady_loop(system, {1.5}, amplitudes, omega, options);
    if (is_set(options.interrupt)) throw interruption();
    for (const periodic_loop* each : {&pair.after_one, &pair.after_one_and_a_half})
      // A tenth of what tells loops apart below.
      if (!each->failure.empty() || (!each->steady && each->unsteadiness > 5e-4)) {
        result.doubt =
            fmt::format("the minor loop of amplitude {:g} has no steady state: {}", pair.amplitude,
                        each->failure.empty()
                            ? fmt::format("after {} periods it still changes by {:.2g} of its span",
                                          each->periods, each->unsteadiness)
                            : each->failure);
        return;
      }
    // Distances are told by the size of the major loop: small loops may be flat.
    const double span = span_of(slowest.y);
    const auto& a = pair.after_one.y;
    const auto& b = pair.after_one_and_a_half.y;
    const std::size_t n = a.size();
    // At the turns v is 0 but for rounding, which decides where a force jumps there.
    const auto turns = [&](std::size_t i) { return i == n / 4 || i == 3 * n / 4; };
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (!turns(i)) mean += (a[i] - b[i]) / static_cast<double>(n - 2);
    pair.shift = mean / span;
    for (std::size_t i = 0; i < n; ++i) {
      if (turns(i)) continue;
      pair.apart = std::max(pair.apart, std::abs(a[i] - b[i]) / span);
      pair.residual = std::max(pair.residual, std::abs(a[i] - b[i] - mean) / span);
    }
    if (pair.apart > 5e-3) result.kind = classification::memory::nonlocal;
    result.minors.push_back(std::move(pair));
  }
}

}  // namespace

classification classify(const io_system& system, const map_options& options) {
  classification result;
  try {
    classify_into(result, system, options);
  } catch (const interruption&) {
    result.map.interrupted = true;
    result.doubt = "interrupted";
  }
  return result;
}

}  // namespace asperity
