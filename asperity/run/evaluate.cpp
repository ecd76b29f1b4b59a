// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/error.hpp>
#include <asperity/integrate/cvode.hpp>
#include <asperity/integrate/dopri5.hpp>
#include <asperity/integrate/rosenbrock.hpp>
#include <asperity/integrate/run.hpp>
#include <asperity/mechanics/load.hpp>
#include <asperity/mechanics/system_parts.hpp>
#include <asperity/run/evaluate.hpp>
#include <asperity/run/rows.hpp>
#include <asperity/systems/prescribed_motion.hpp>
#include <cmath>
#include <utility>

namespace asperity {

namespace {

struct prepared {
  std::vector<double> times;
  prescribed_motion system;
  double start_x = 0;
};

// "x" or "v": what drives a model along a line.
std::string drive_of(const any_model& model, bool has_x, bool has_v, const std::string& file,
                     const std::vector<std::string>& names, const evaluate_options& options) {
  if (!options.drive.empty()) return options.drive;
  if (!has_x && !has_v)
    throw error(fmt::format("{}:1: there is no column 'v' or 'x', one of which model '{}' needs{}",
                            file, model.key(), known_columns("v", names)));
  const bool prefers_x = !model.at().is_sliding();
  return has_x && (prefers_x || !has_v) ? "x" : "v";
}

prepared prepare(const any_model& model, const record& in, const evaluate_options& options) {
  const std::vector<double>*x = in.find("x"), *v = in.find("v"), *loads = in.find("load");
  const std::string drive =
      drive_of(model, x != nullptr, v != nullptr, in.name, in.file_columns, options);
  const bool by_velocity = drive == "v";
  const std::vector<double>* values = by_velocity ? v : x;
  if (values == nullptr)
    throw error(fmt::format("{}:1: there is no column '{}'{}", in.name, drive,
                            known_columns(drive, in.file_columns)));
  signal load = signal::constant(1);
  if (loads != nullptr) {
    for (std::size_t row = 0; row < loads->size(); ++row)
      if ((*loads)[row] < 0 && !model.load_is_weight())
        in.fail("load", row, "it must be at least 0");
    load = signal::nodes(in.t, *loads, signal::joint::linear);
  }
  const double start_x = by_velocity ? (x != nullptr ? x->front() : 0.0) : values->front();
  signal motion =
      signal::nodes(in.t, *values, by_velocity ? signal::joint::linear : signal::joint::cubic);
  return {in.t, {model, std::move(motion), by_velocity, std::move(load)}, start_x};
}

// The velocity at t, on the side of `before` where it jumps.
double velocity(const prepared& p, double t, double before) {
  return p.system.motion_is_velocity ? p.system.motion.value(t)
                                     : p.system.motion.slope(std::nextafter(t, before));
}

// Models with a Stribeck curve see the slowest instants of a motion only if a step lies there,
// whatever the scale of the curve: pieces that span no more than a factor of two in velocity, down to
// the shortest. Visits each with its ends and the velocity at the second.
template <class Visit>
void for_pieces(const prepared& p, double t0, double t1, double v0, double v1, double shortest,
                const Visit& visit) {
  const double slow = std::min(std::abs(v0), std::abs(v1));
  const double fast = std::max(std::abs(v0), std::abs(v1)), middle = t0 + (t1 - t0) / 2;
  if (slow < 0.499 * fast && t1 - t0 > shortest && t0 < middle && middle < t1) {
    const double v = velocity(p, middle, t0);
    for_pieces(p, t0, middle, v0, v, shortest, visit);
    for_pieces(p, middle, t1, v, v1, shortest, visit);
  } else {
    visit(t0, t1, v1);
  }
}

// Where the velocity changes sign between two rows; the first of them where it does not.
double turn_between(const prepared& p, double t0, double t1, double v0, double v1) {
  return p.system.motion_is_velocity && v0 * v1 < 0 ? t0 + (t1 - t0) * v0 / (v0 - v1) : t0;
}

// The rows, and between them turns and the pieces about them.
std::vector<double> times_to_stop_at(const prepared& p) {
  const double rows = static_cast<double>(p.times.size());
  const double finest = std::pow(0.5, std::clamp(1e6 / rows, 4.0, 33.0));
  std::vector<double> result;
  for (std::size_t row = 1; row < p.times.size(); ++row) {
    const double t0 = p.times[row - 1], t1 = p.times[row];
    const double v0 = velocity(p, t0, t1), v1 = velocity(p, t1, t0);
    const double turn = turn_between(p, t0, t1, v0, v1);
    const auto keep = [&](double from, double, double) { result.push_back(from); };
    if (t0 < turn && turn < t1) {
      for_pieces(p, t0, turn, v0, 0.0, finest * (t1 - t0), keep);
      for_pieces(p, turn, t1, 0.0, v1, finest * (t1 - t0), keep);
    } else {
      for_pieces(p, t0, t1, v0, v1, finest * (t1 - t0), keep);
    }
  }
  result.push_back(p.times.back());
  return result;
}

// Advances a model that has no rates to integrate along the motion, in steps of its own.
class advancer {
 public:
  // Steps are good to the tolerance each.
  advancer(const prepared& p, const evaluate_options& options, double tolerance,
           std::vector<double>& y)
      : p_(p),
        options_(options),
        y_(y),
        tolerance_(tolerance),
        now_{p.system.drive_at(p.times[0], y.data()), {}, 0},
        better_(now_),
        nearly_(now_) {
    std::copy(y.begin() + 1, y.end(), now_.state.begin());
    now_.f = model().advance(now_.state.data(), now_.at, now_.at, 0.0);
    model().state_scale(scale_.data());
    const auto allowed = model().state_ranges();
    for (std::size_t i = 0; i < allowed.size(); ++i)
      if (allowed[i].whole) whole_.push_back(i);
    is_exact_ = (model().describe().claims & rate_independent) != 0 && p.system.load.is_constant();
  }
  double force() const { return now_.f; }
  bool is_exact() const { return is_exact_; }
  outcome how() const { return how_; }
  long steps() const { return steps_; }

  // To a row. Rows are cut where the velocity changes sign, so that no step has a turn inside.
  void to_row(std::size_t row) {
    const double t0 = p_.times[row - 1], t1 = p_.times[row], v1 = velocity(p_, t1, t0);
    shortest_ = 1e-9 * (t1 - t0);
    const double turn = turn_between(p_, t0, t1, now_.at.v, v1);
    if (t0 < turn && turn < t1) {
      slide(t0, turn, 0.0);
      slide(turn, t1, v1);
    } else {
      slide(t0, t1, v1);
    }
    y_[0] = now_.at.x;
    std::copy_n(now_.state.begin(), y_.size() - 1, y_.begin() + 1);
  }

 private:
  struct moment {
    drive<double> at;
    std::array<double, any_model::max_states> state;
    double f;
  };
  const any_model& model() const { return p_.system.model; }
  moment step(const moment& from, double t0, double t1, double v1) {
    moment end = from;
    end.at = p_.system.drive_at(t1, y_.data());
    end.at.v = v1;
    // Between rows v is linear (exactly so where it is given), hence the trapezoid.
    if (p_.system.motion_is_velocity) end.at.x = from.at.x + (t1 - t0) * (from.at.v + v1) / 2;
    end.f = model().advance(end.state.data(), from.at, end.at, t1 - t0);
    ++steps_;
    return end;
  }

  void slide(double t0, double t1, double v1) {
    if (is_exact_) {
      now_ = step(now_, t0, t1, v1);
    } else {
      for_pieces(p_, t0, t1, now_.at.v, v1, 1e3 * shortest_,
                 [&](double from, double to, double v) { refine(from, to, v); });
    }
  }

  // Steps so short that what one, two, three and four equal parts tend to is known to the tolerance:
  // whatever the order of the model's own step, all powers of its length are taken off. Where an
  // element begins to slip or a loop closes, rates jump: steps come as near to it as need be, and
  // the shortest one goes across.
  void refine(double t0, double t1, double v1) {
    double h = std::min(next_, t1 - t0), before_switch = 0;
    for (double t = t0; t < t1 && how_ == outcome::completed;) {
      if (steps_ > options_.max_steps) how_ = outcome::step_limit;
      if (is_set(options_.interrupt)) how_ = outcome::interrupted;
      // A step that ends before a switch does so however little is left.
      const bool is_last = t + h >= t1 - (before_switch > 0 ? 0 : shortest_);
      const double end = is_last ? t1 : t + h;
      const double v_end = is_last ? v1 : velocity(p_, end, t);
      // Up to twice as long where it ends the piece, and rounding of the times.
      const bool is_shortest = end - t <= 2.5 * shortest_;
      const moment finest = extrapolate(t, end, v_end);
      if (!is_shortest && switches(finest)) {
        before_switch = std::max(before_switch, h);
        h = std::max(shortest_, step_before_switch(t, end));
        continue;
      }
      const double error = largest_change(better_, nearly_);
      const bool is_good = error <= tolerance_ || is_shortest || !std::isfinite(error);
      const double change = error > 0 ? 0.9 * std::pow(tolerance_ / error, 1.0 / rows) : 4.0;
      h = std::max(shortest_, (end - t) * std::clamp(change, 0.2, 4.0));
      if (is_shortest) h = std::max(h, std::exchange(before_switch, 0.0));
      // A step that the end cut short says less than the one before it.
      next_ = is_last && is_good ? std::max(next_, h) : h;
      if (!is_good) continue;
      // Where something else than powers of the step lies between them, nothing is taken off.
      now_ = !is_shortest && largest_change(better_, finest) <= 1e-3 ? better_ : finest;
      t = end;
    }
  }

  // Whether an element has begun to slip or stick, or a loop has begun or closed.
  bool switches(const moment& to) const {
    return std::any_of(whole_.begin(), whole_.end(), [&](std::size_t i) {
      return std::isfinite(to.state[i]) && to.state[i] != now_.state[i];
    });
  }
  // About as long a step from t as has no switch in it, to a 64th of the whole one.
  double step_before_switch(double t, double end) {
    double low = t, high = end;
    for (int i = 0; i < 6; ++i) {
      const double middle = low + (high - low) / 2;
      (switches(in_parts(rows, t, middle, velocity(p_, middle, t))) ? high : low) = middle;
    }
    return low > t ? low - t : high - t;
  }

  moment in_parts(std::size_t parts, double t, double end, double v_end) {
    moment at = now_;
    double from = t;
    for (std::size_t part = 1; part <= parts; ++part) {
      const double share = static_cast<double>(part) / static_cast<double>(parts);
      const double to = part == parts ? end : t + (end - t) * share;
      at = step(at, from, to, part == parts ? v_end : velocity(p_, to, from));
      from = to;
    }
    return at;
  }

  // Neville's scheme over the parts: the best of it, what is one order below that, and the answer by
  // the most parts, which is returned.
  moment extrapolate(double t, double end, double v_end) {
    std::array<moment, rows> table;
    for (std::size_t row = 0; row < rows; ++row) table[row] = in_parts(row + 1, t, end, v_end);
    const moment finest = table[rows - 1];
    for (std::size_t order = 1; order < rows; ++order) {
      if (order + 1 == rows) nearly_ = table[rows - 1];
      for (std::size_t row = rows - 1; row >= order; --row) {
        const double more = static_cast<double>(row + 1) / static_cast<double>(row + 1 - order) - 1;
        for (std::size_t i = 0; i < y_.size() - 1; ++i)
          table[row].state[i] += (table[row].state[i] - table[row - 1].state[i]) / more;
      }
    }
    better_ = table[rows - 1];
    for (moment* each : {&better_, &nearly_})
      each->f = model().advance(each->state.data(), each->at, each->at, 0.0);
    largest_ = std::max({largest_, std::abs(now_.f), std::abs(better_.f)});
    return finest;
  }

  // Relative to what they are at most.
  double largest_change(const moment& a, const moment& b) const {
    double error = a.f == b.f ? 0 : std::abs(a.f - b.f) / largest_;
    for (std::size_t i = 0; i < y_.size() - 1; ++i) {
      const double change = std::abs(a.state[i] - b.state[i]);
      if (!std::isfinite(change)) return change;
      if (change > 0) error = std::max(error, change / scale_[i]);
    }
    return error;
  }

  static constexpr std::size_t rows = 4;
  const prepared& p_;
  const evaluate_options& options_;
  std::vector<double>& y_;
  double tolerance_;
  moment now_, better_, nearly_;
  bool is_exact_ = false;
  std::array<double, any_model::max_states> scale_{};
  std::vector<std::size_t> whole_;  // states that jump where the model switches
  double shortest_ = 0, next_ = unbounded, largest_ = 0;
  long steps_ = 0;
  outcome how_ = outcome::completed;
};

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

// Tolerances bound the error of a step. What the steps add up to shows when they are 16 times as
// sharp: so sharp that the force, the last column, moves by no more than is asked for. `again` fills
// the data at another tolerance.
template <class Again>
void sharpen(run_data& data, double wanted, const Again& again) {
  double tolerance = wanted;
  while (data.result.how == outcome::completed) {
    run_data coarse = std::move(data);
    tolerance /= 16;
    data = {};
    again(tolerance);
    if (data.result.how != outcome::completed && data.result.how != outcome::interrupted) {
      data = std::move(coarse);  // sharper than it can be had
      data.doubts.emplace_back("the accuracy of the force could not be checked with smaller steps");
      break;
    }
    const auto &was = coarse["f"], &is = data["f"];
    double change = 0, largest = 0;
    for (std::size_t row = 0; row < std::min(was.size(), is.size()); ++row) {
      change = std::max(change, std::abs(is[row] - was[row]));
      largest = std::max(largest, std::abs(is[row]));
    }
    if (!(change > 0.25 * wanted * largest)) break;
    if (tolerance < 1e-15) {
      data.doubts.push_back(
          fmt::format("the force is accurate to only {:.2g} of its greatest value: it still "
                      "changes with smaller steps",
                      change / largest));
      break;
    }
  }
}

}  // namespace

run_data evaluate(const any_model& model, const csv_table& in, const evaluate_options& options) {
  const bool is_line = model.at().is_line();
  const std::string drive =
      is_line ? drive_of(model, in.has("x"), in.has("v"), in.file(), in.names(), options) : "";
  record motion{in.file(), in.increasing_column("t"), {}};
  if (is_line) in.column(drive);  // refuses it where it is missing
  for (const channel& each : model.at().inputs)
    if (in.has(each.name) && !(drive == "x" && each.name == std::string_view("v")))
      motion.channels.push_back({each.name, in.column(each.name)});
  motion.lines = in.lines();
  motion.file_columns = in.names();
  return evaluate(model, motion, options);
}

run_data evaluate(const any_model& model, const record& in, const evaluate_options& options) {
  if (in.pieces.size() > 1) {
    run_data all;
    for (const auto& piece : in.pieces) {
      run_data next = evaluate(model, in.part(piece), options);
      if (all.columns.empty()) {
        all = std::move(next);
      } else {
        for (std::size_t i = 0; i < all.columns.size(); ++i)
          all.columns[i].values.insert(all.columns[i].values.end(), next.columns[i].values.begin(),
                                       next.columns[i].values.end());
        const long steps = all.result.steps + next.result.steps;
        all.result = next.result;
        all.result.steps = steps;
        all.hint = next.hint;
        for (const auto& each : next.doubts)
          if (std::find(all.doubts.begin(), all.doubts.end(), each) == all.doubts.end())
            all.doubts.push_back(each);
      }
      if (all.result.how != outcome::completed) break;
    }
    return all;
  }
  if (!model.at().is_line()) return evaluate_at_port(model, in, options);
  const prepared p = prepare(model, in, options);
  const bool shows_load = in.find("load") != nullptr;
  const std::vector<int> shown = shown_states(model);
  const auto seen = model.describe().outputs;
  const int n = p.system.size();
  const double latest =
      p.times.size() > 1 ? std::nextafter(p.times.back(), p.times.front()) : p.times.back();

  run_data data;
  const auto empty_columns = [&] {
    const port& at = model.at();
    data.columns = {
        {"t", units::second, {}}, {"x", at.inputs[0].in, {}}, {"v", at.inputs[1].in, {}}};
    if (shows_load) data.columns.push_back({"load", units::one, {}});
    const auto names = model.state_names();
    const auto in_units = model.state_units();
    for (const int i : shown)
      data.columns.push_back(
          {names[static_cast<std::size_t>(i)], in_units[static_cast<std::size_t>(i)], {}});
    data.columns.push_back({"f", at.outputs[0].in, {}});
    for (const auto& each : seen) data.columns.push_back({each.name, each.in, {}});
  };
  const auto show = [&](std::size_t row, const double* y, double f) {
    const auto drive = p.system.drive_at(std::min(p.times[row], latest), y);
    std::size_t next = 0;
    const auto put = [&](double value) { data.columns[next++].values.push_back(value); };
    put(p.times[row]);
    put(drive.x);
    put(drive.v);
    if (shows_load) put(drive.load);
    for (const int i : shown) put(y[1 + i]);
    put(f);
    std::vector<double> values(seen.size());
    model.observe(y + 1, drive, values.data());
    for (const double each : values) put(each);
  };
  const auto force = [&](double t, const double* y) {
    double rate[any_model::max_states];
    return respond(model, y + 1, p.system.drive_at(std::min(t, latest), y), rate);
  };

  const auto finish = [&] {
    if (is_failure(data.result.how)) data.hint = hint_for_motion(data.result.how);
    end_where_not_finite(data);
    if (!is_failure(data.result.how)) return data;
    const double t = data.result.t;
    const auto after = std::upper_bound(p.times.begin(), p.times.end(), t);
    const std::string blamed =
        explain_bad_load(model, p.system.load, t, after == p.times.end() ? t : *after);
    if (!blamed.empty()) {
      data.hint = blamed;
    } else if (const std::string full = blame_memory(model, data); !full.empty()) {
      data.hint = full;
    }
    return data;
  };

  std::vector<double> y(static_cast<std::size_t>(n));
  y[0] = p.start_x;
  model.initial(y.data() + 1);
  empty_columns();
  if (!model.is_ode() || (!p.system.load.is_constant() && is_moved_by_load(model))) {
    const std::vector<double> start = y;
    bool is_exact = false;
    const auto advance_at = [&](double tolerance) {
      y = start;
      empty_columns();
      advancer forward(p, options, tolerance, y);
      is_exact = forward.is_exact();
      show(0, y.data(), forward.force());
      for (std::size_t row = 1; row < p.times.size(); ++row) {
        forward.to_row(row);
        data.result.how = forward.how();
        if (data.result.how != outcome::completed) break;
        data.result.t = p.times[row];
        show(row, y.data(), forward.force());
      }
      data.result.steps = forward.steps();
    };
    advance_at(options.relative_tolerance);
    if (!is_exact && all_finite(data["f"])) sharpen(data, options.relative_tolerance, advance_at);
    return finish();
  }
  if (p.times.size() == 1) {
    show(0, y.data(), force(p.times[0], y.data()));
    data.result.t = p.times.back();
    return finish();
  }

  const double duration = p.times.back() - p.times.front();
  system_card whole;
  whole.states = {{"x", units::metre}};
  for (const auto& each : states_of_model(model, "").states) whole.states.push_back(each);
  run_options how;
  how.from = p.times.front();
  how.to = p.times.back();
  how.jumps = times_to_stop_at(p);
  how.stop_at_jumps = true;
  how.limits.interrupt = options.interrupt;

  const auto integrate = [&](auto stepper, long max_steps) {
    empty_columns();
    how.max_steps = max_steps;
    std::size_t row = 0;
    std::vector<event_record> no_events;
    data.result = run(stepper, y.data(), n, how, {}, no_events, [&](double t, const double* now) {
      if (row < p.times.size() && t == p.times[row]) show(row++, now, force(t, now));
    });
  };
  const double first = 1e-3 * (p.times[1] - p.times[0]);
  // A stiff model makes an explicit method crawl. It gets a fair chance first, being exact.
  const long fair = 1'000'000 + 20 * static_cast<long>(how.jumps.size());
  const long budget = std::min(options.max_steps, fair);
  bool is_stiff = false;
  const auto integrate_at = [&](double tolerance, bool may_be_stiff) {
    tolerances wanted = default_tolerances(whole, tolerance);
    for (std::size_t i = 0; i < whole.states.size(); ++i)
      if (whole.states[i].scale == unknown_scale) wanted.absolute[i] = 1e-3 * tolerance;
    if (!is_stiff)
      integrate(dopri5_stepper<prescribed_motion>(p.system, wanted, first, duration),
                may_be_stiff ? budget : options.max_steps);
    is_stiff = is_stiff || (may_be_stiff && is_failure(data.result.how));
    if (is_stiff && model.has_implicit_step()) {
      integrate(trbdf2_stepper<prescribed_motion>(p.system, wanted, first, duration),
                options.max_steps);
    } else if (is_stiff && has_cvode()) {
      integrate(cvode_stepper<prescribed_motion>(p.system, wanted, first, duration),
                options.max_steps);
    } else if (is_stiff) {
      differenced<prescribed_motion> derived{p.system};
      for (std::size_t i = 0; i < whole.states.size(); ++i)
        derived.scale[i] = wanted.absolute[i] / tolerance;
      integrate(
          rosenbrock_stepper<differenced<prescribed_motion>>(derived, wanted, first, duration),
          options.max_steps);
    }
  };
  integrate_at(options.relative_tolerance, true);
  sharpen(data, options.relative_tolerance,
          [&](double tolerance) { integrate_at(tolerance, false); });
  return finish();
}

}  // namespace asperity
