// SPDX-License-Identifier: Apache-2.0
#include <asperity/analysis/map.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/integrate/watch.hpp>
#include <asperity/run/one_mass.hpp>
#include <cmath>
#include <numbers>

namespace asperity {

namespace {

constexpr double turn = 2 * std::numbers::pi;

// A stage of the input: offset + amplitude sin(omega t), until some time.
struct stage {
  double amplitude, until;
};

toml_value sine_table(double amplitude, double offset, double omega) {
  toml_value table;
  assign(table, "kind", toml_value::of(std::string("sine")));
  assign(table, "amplitude", toml_value::of(amplitude));
  assign(table, "omega", toml_value::of(omega));
  assign(table, "offset", toml_value::of(offset));
  return table;
}

toml_value input_table(const std::vector<stage>& stages, double offset, double omega) {
  if (stages.size() == 1) return sine_table(stages[0].amplitude, offset, omega);
  toml_value table;
  assign(table, "kind", toml_value::of(std::string("piecewise")));
  toml_value pieces;
  pieces.is = toml_value::kind::list;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    toml_value piece = sine_table(stages[i].amplitude, offset, omega);
    if (i + 1 < stages.size()) assign(piece, "until", toml_value::of(stages[i].until));
    pieces.items.push_back(std::move(piece));
  }
  assign(table, "piece", std::move(pieces));
  return table;
}

// Runs the scenario under the input; rows at multiples of the sample.
run_data run_under(const io_system& system, const std::vector<stage>& stages, double omega,
                   double duration, const map_options& options) {
  toml_value document = system.document;
  const double period = turn / omega, sample = period / options.samples;
  toml_value input = input_table(stages, options.offset, omega);
  if (system.input == "motion") assign(input, "of", toml_value::of(std::string("position")));
  document.take(system.input);
  assign(document, system.input, std::move(input));
  document.take("run");
  assign(document, "run.duration", toml_value::of(duration));
  assign(document, "run.sample", toml_value::of(sample));
  assign(document, "run.events", toml_value::of(false));
  const toml_value* integrator = document.find("integrator");
  const auto gives = [&](const char* key) {
    return integrator != nullptr && integrator->find(key) != nullptr;
  };
  const bool has_method = gives("method"), has_step = gives("step");
  if (!gives("relative_tolerance"))
    assign(document, "integrator.relative_tolerance", toml_value::of(1e-7));
  // Fixed steps keep their length relative to the period: turning points must be hit.
  const auto in_steps = [&] {
    assign(document, "integrator.step", toml_value::of(sample));
    return read_scenario(document, system.name, system.folder);
  };
  const scenario s = [&] {
    if (has_step) return in_steps();
    try {
      return read_scenario(document, system.name, system.folder);
    } catch (const error&) {
      // The default method may be one that needs a step.
      if (has_method) throw;
      return in_steps();
    }
  }();
  simulate_options how;
  how.interrupt = options.interrupt;
  return simulate(s, how);
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

void measure(periodic_loop& loop) {
  const std::size_t n = loop.u.size();
  const double span = span_of(loop.y);
  loop.area = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t next = (i + 1) % n;
    loop.area += (loop.y[i] + loop.y[next]) / 2 * (loop.u[next] - loop.u[i]);
  }
  // Sample i rises through the u that sample n/2 - i falls through.
  double widest = 0;
  for (std::size_t i = 0; i < n; ++i)
    widest = std::max(widest, std::abs(loop.y[i] - loop.y[(n / 2 + n - i) % n]));
  loop.width = span > 0 ? widest / span : 0;
}

// The steady loop after the stages before the last one, whose period is repeated until it is.
periodic_loop steady_loop(const io_system& system, const std::vector<double>& before_in_periods,
                          const std::vector<double>& amplitudes, double omega,
                          const map_options& options) {
  periodic_loop loop;
  loop.omega = omega;
  const double period = turn / omega;
  const auto n = static_cast<std::size_t>(options.samples);
  std::vector<stage> stages;
  double start = 0;
  for (std::size_t i = 0; i < amplitudes.size(); ++i) {
    const bool last = i + 1 == amplitudes.size();
    if (!last) start += before_in_periods[i];
    stages.push_back({amplitudes[i], start * period});
  }
  const auto skipped = static_cast<std::size_t>(std::lround(start * options.samples));
  for (int periods = 3;; periods = std::min(2 * periods, options.most_periods)) {
    const run_data data = run_under(system, stages, omega, (start + periods) * period, options);
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
    for (std::size_t i = 0; i < n; ++i) {
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
    if (loop.steady || periods >= options.most_periods) {
      const std::size_t first = period_of(periods - 1, 0);
      // Rotated so that it begins at sin = 0, rising.
      const std::size_t phase = skipped % n;
      loop.u.resize(n);
      loop.y.resize(n);
      for (std::size_t i = 0; i < n; ++i) {
        loop.u[(i + phase) % n] = u[first + i];
        loop.y[(i + phase) % n] = y[first + i];
      }
      measure(loop);
      return loop;
    }
  }
}

double distance_to_segment(double x, double y, double x0, double y0, double x1, double y1) {
  const double dx = x1 - x0, dy = y1 - y0, length = dx * dx + dy * dy;
  const double s = length > 0 ? std::clamp(((x - x0) * dx + (y - y0) * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(x - x0 - s * dx, y - y0 - s * dy);
}

double one_sided(const periodic_loop& a, const periodic_loop& b, double u_scale, double y_scale,
                 const std::atomic<bool>* interrupt) {
  double farthest = 0;
  const std::size_t n = b.u.size();
  for (std::size_t i = 0; i < a.u.size(); ++i) {
    if (is_set(interrupt)) throw interruption();
    double nearest = unbounded;
    // From the same phase of the period to both sides: what is near is found there, and soon.
    const std::size_t start = i * n / a.u.size();
    for (std::size_t tried = 0; tried < n && nearest > farthest; ++tried) {
      const std::size_t k = (start + (tried % 2 == 0 ? n - tried / 2 : (tried + 1) / 2)) % n;
      const std::size_t next = (k + 1) % n;
      nearest = std::min(
          nearest, distance_to_segment(a.u[i] / u_scale, a.y[i] / y_scale, b.u[k] / u_scale,
                                       b.y[k] / y_scale, b.u[next] / u_scale, b.y[next] / y_scale));
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

// The limit of a sequence that approaches it geometrically, from its last three terms; the last
// term itself where they do not.
double limit_of(const std::vector<double>& values) {
  const std::size_t n = values.size();
  if (n < 3) return values.back();
  const double a = values[n - 3], b = values[n - 2], c = values[n - 1];
  const double ratio = (c - b) / (b - a);
  if (!(ratio > 0) || !(ratio < 0.9)) return c;
  return c + (c - b) * ratio / (1 - ratio);
}

void note_slowest_speed(io_system& system, const any_model& model) {
  for (const auto& p : model.describe().parameters) {
    if (!(p.in == units::metre / units::second)) continue;
    for (const double value : model.get(p.name)) {
      if (!(value > 0) || (system.speed > 0 && value >= system.speed)) continue;
      system.speed = value;
      system.speed_name = p.name;
    }
  }
}

}  // namespace

io_system io_of(const any_model& model) {
  io_system result;
  result.name = model.key();
  const std::string& family = model.entry().family;
  const std::string table = family == "curve" ? "friction" : family;
  assign(result.document, "system.kind", toml_value::of(std::string("prescribed_motion")));
  assign(result.document, table + ".model", toml_value::of(model.key()));
  if (!model.curve().empty() && family != "curve")
    assign(result.document, table + ".curve", toml_value::of(model.curve()));
  for (const auto& p : model.describe().parameters) {
    const auto values = model.get(p.name);
    toml_value value = p.count != nullptr ? toml_value::of(static_cast<long long>(values.front()))
                       : p.is_list        ? toml_value::of(values)
                                          : toml_value::of(values.front());
    assign(result.document, table + "." + p.name, std::move(value));
  }
  result.input = "motion";
  // Twice the largest deflection that the model speaks of; operators have inputs of about 1.
  std::array<double, any_model::max_states> scale{};
  double largest = 0;
  const auto in = model.state_units();
  if (model.state_scale(scale.data()))
    for (std::size_t i = 0; i < in.size(); ++i)
      if (in[i] == units::metre || !model.at().has_units()) largest = std::max(largest, scale[i]);
  if (largest > 0) result.amplitude = 2 * largest;
  note_slowest_speed(result, model);
  return result;
}

io_system io_of(toml_value document, const std::string& name, const std::string& folder,
                const std::string& input, const std::string& output) {
  io_system result;
  result.name = name;
  result.document = std::move(document);
  result.folder = folder;
  result.input = input;
  result.y = output;
  result.u = input == "motion" ? "x" : input;
  // Read once with our input, so that a wrong name is told before anything runs.
  toml_value probe = result.document;
  if (probe.find(input) == nullptr)
    throw error(fmt::format("{}: there is no input [{}] to take over", name, input));
  probe.take(input);
  toml_value sine = sine_table(1, 0, 1);
  if (input == "motion") assign(sine, "of", toml_value::of(std::string("position")));
  assign(probe, input, std::move(sine));
  const scenario read = read_scenario(probe, name, folder);
  if (const prescribed_motion* moved = prescribed_motion_in(*read.system); moved != nullptr)
    note_slowest_speed(result, moved->model);
  const auto columns = columns_of(read);
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const auto& each : columns) names.push_back(each.name);
  for (const std::string& wanted : {result.u, result.y})
    if (std::find(names.begin(), names.end(), wanted) == names.end())
      throw error(fmt::format("{}: there is no column '{}': {}", name, wanted,
                              nearest_names(wanted, names)));
  return result;
}

periodic_loop loop_at(const io_system& system, double omega, const map_options& options) {
  check(options);
  return steady_loop(system, {}, {options.amplitude}, omega, options);
}

double distance_between(const periodic_loop& a, const periodic_loop& b,
                        const std::atomic<bool>* interrupt) {
  if (a.u.empty() || b.u.empty()) return unbounded;
  const double u = box(a.u, b.u), y = box(a.y, b.y);
  return std::max(one_sided(a, b, u, y, interrupt), one_sided(b, a, u, y, interrupt));
}

namespace {

void find_limit(const io_system& system, const map_options& options, hysteresis_map& map) {
  check(options);
  std::vector<double> changes, widths, areas, spans;
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
      map.note = !loop.failure.empty()
                     ? fmt::format("at {:g} rad/s: {}", omega, loop.failure)
                     : fmt::format(
                           "at {:g} rad/s there is no steady state after {} periods: the "
                           "output still changes by {:.2g} of its span",
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
      for (auto* each : {&changes, &widths, &areas, &spans, &spans_left}) each->clear();
    leapt = false;
    widths.push_back(loop.width);
    areas.push_back(loop.area);
    spans.push_back(span_of(loop.y));
    if (spans.size() > 2) spans_left.push_back(std::abs(limit_of(spans)) / spans.back());
    map.loops.push_back(std::move(loop));
    map.limit_width = std::max(0.0, limit_of(widths));
    map.limit_area = limit_of(areas);
    wanted = unbounded;
    if (changes.size() < 2) continue;
    // Loops that approach their limit by a ratio each are further from it by a sum of that series.
    const double now = changes.back(), before = changes[changes.size() - 2];
    const double ratio = before > 0 ? now / before : 0;
    map.error = unbounded;
    if (ratio < 1) map.error = std::max(now * ratio / (1 - ratio), 0.0);
    const bool settled = now <= options.tolerance && map.error <= options.tolerance;
    const bool same = unchanged && before <= equal;
    if (settled || same) {
      if (same) map.error = std::max(now, before);
      wanted = std::min(slow_enough, same ? 0.01 * plateau : unbounded);
      map.converged = omega <= wanted * (1 + 1e-9);
      if (map.converged) break;
      next = std::min(next, wanted);
      leapt = true;
    }
    const std::size_t n = spans_left.size();
    if (n > 1 && std::max(spans_left[n - 1], spans_left[n - 2]) <= 0.01 * options.tolerance) {
      map.vanishes = map.converged = true;
      map.limit_width = map.error = 0;
      break;
    }
  }
  if (!map.converged && wanted < unbounded) {
    map.note = fmt::format(
        "down to {:g} rad/s the loop has stopped changing, but it must do so down to {:g} rad/s{}: "
        "allow more loops, or begin slower",
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

const char* to_string(classification::memory kind) {
  switch (kind) {
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
  // Wider than what may still vanish.
  result.hysteretic = result.map.limit_width > std::max(0.02, 3 * result.map.error);
  result.rate_effect = distance_between(loops.front(), slowest, options.interrupt);
  result.rate_dependent = result.rate_effect > 1e-3;
  if (!result.hysteretic) return;

  result.kind = classification::memory::local;
  const double omega = result.rate_dependent ? slowest.omega : loops.front().omega;
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
      if (!each->failure.empty() || !each->steady) {
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
