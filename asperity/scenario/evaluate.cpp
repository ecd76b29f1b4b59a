// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/integrate/cvode.hpp>
#include <asperity/integrate/dopri5.hpp>
#include <asperity/integrate/run.hpp>
#include <asperity/scenario/evaluate.hpp>
#include <asperity/systems/prescribed_motion.hpp>
#include <cmath>

namespace asperity {

namespace {

struct prepared {
  std::vector<double> times;
  prescribed_motion system;
  double start_x = 0;
};

prepared prepare(const any_model& model, const csv_table& in, const evaluate_options& options) {
  const bool has_x = in.has("x"), has_v = in.has("v");
  std::string drive = options.drive;
  if (drive.empty()) {
    if (!has_x && !has_v)
      throw error(fmt::format("{}:1: there is no column 'v' or 'x'; there are: {}", in.file(),
                              fmt::join(in.names(), ", ")));
    const bool prefers_x =
        model.entry().family == "contact" || model.entry().family == "hysteresis";
    drive = has_x && (prefers_x || !has_v) ? "x" : "v";
  }
  auto times = in.increasing_column("t");
  auto values = in.column(drive);
  signal load = signal::constant(1);
  if (in.has("load")) {
    auto loads = in.column("load");
    for (std::size_t row = 0; row < loads.size(); ++row)
      if (loads[row] < 0) in.fail("load", row, "it must be at least 0");
    load = signal::nodes(times, std::move(loads), signal::joint::linear);
  }
  const bool by_velocity = drive == "v";
  const double start_x = by_velocity ? (has_x ? in.column("x").front() : 0.0) : values.front();
  signal motion = signal::nodes(times, std::move(values),
                                by_velocity ? signal::joint::linear : signal::joint::cubic);
  return {std::move(times), {model, std::move(motion), by_velocity, std::move(load)}, start_x};
}

// A motion without reversal inside a row, as models with their own advance want it: rows are cut
// where the velocity changes sign.
void advance_rows(const prepared& p, std::vector<double>& y,
                  const std::function<void(std::size_t, const double*, double)>& show) {
  const auto& model = p.system.model;
  std::vector<double> state(y.begin() + 1, y.end());
  state.resize(any_model::max_states);
  drive<double> from = p.system.drive_at(p.times[0], y.data());
  const auto go = [&](double t0, double t1, double v_end) {
    const double h = t1 - t0;
    // Between rows v is linear (exactly so where it is given), hence the trapezoid.
    drive<double> to = p.system.drive_at(t1, y.data());
    to.v = v_end;
    if (p.system.motion_is_velocity) to.x = from.x + h * (from.v + to.v) / 2;
    const double f = model.advance(state.data(), from, to, h);
    from = to;
    y[0] = to.x;
    std::copy_n(state.begin(), y.size() - 1, y.begin() + 1);
    return f;
  };
  show(0, y.data(), model.advance(state.data(), from, from, 0.0));
  for (std::size_t row = 1; row < p.times.size(); ++row) {
    const double t0 = p.times[row - 1], t1 = p.times[row];
    const double v1 = p.system.motion_is_velocity ? p.system.motion.value(t1)
                                                  : p.system.motion.slope(std::nextafter(t1, t0));
    if (p.system.motion_is_velocity && from.v * v1 < 0) {
      const double turn = t0 + (t1 - t0) * from.v / (from.v - v1);
      if (t0 < turn && turn < t1) {
        go(t0, turn, 0.0);
        show(row, y.data(), go(turn, t1, v1));
        continue;
      }
    }
    show(row, y.data(), go(t0, t1, v1));
  }
}

}  // namespace

run_data evaluate(const any_model& model, const csv_table& in, const evaluate_options& options) {
  const prepared p = prepare(model, in, options);
  const bool shows_load = in.has("load");
  const bool is_operator = model.entry().family == "hysteresis";
  const int n = p.system.size();
  const double latest =
      p.times.size() > 1 ? std::nextafter(p.times.back(), p.times.front()) : p.times.back();

  run_data data;
  const auto empty_columns = [&] {
    const unit x_in = is_operator ? units::one : units::metre;
    data.columns = {{"t", units::second, {}}, {"x", x_in, {}}, {"v", x_in / units::second, {}}};
    if (shows_load) data.columns.push_back({"load", units::one, {}});
    const auto names = model.state_names();
    const auto in_units = model.state_units();
    for (std::size_t i = 0; i < names.size(); ++i)
      data.columns.push_back({names[i], in_units[i], {}});
    data.columns.push_back({"f", is_operator ? units::one : units::newton, {}});
  };
  const auto show = [&](std::size_t row, const double* y, double f) {
    const auto drive = p.system.drive_at(std::min(p.times[row], latest), y);
    std::size_t next = 0;
    const auto put = [&](double value) { data.columns[next++].values.push_back(value); };
    put(p.times[row]);
    put(drive.x);
    put(drive.v);
    if (shows_load) put(drive.load);
    for (int i = 1; i < n; ++i) put(y[i]);
    put(f);
  };
  const auto force = [&](double t, const double* y) {
    double rate[any_model::max_states];
    return respond(model, y + 1, p.system.drive_at(std::min(t, latest), y), rate);
  };

  std::vector<double> y(static_cast<std::size_t>(n));
  y[0] = p.start_x;
  model.initial(y.data() + 1);
  empty_columns();
  if (!model.is_ode()) {
    advance_rows(p, y, show);
    data.result.t = p.times.back();
    return data;
  }
  if (p.times.size() == 1) {
    show(0, y.data(), force(p.times[0], y.data()));
    data.result.t = p.times.back();
    return data;
  }

  const double duration = p.times.back() - p.times.front();
  const tolerances wanted = default_tolerances(model, 1, options.relative_tolerance);
  run_options how;
  how.from = p.times.front();
  how.to = p.times.back();
  how.jumps = p.times;  // so that a step ends at every row
  how.stop_at_jumps = true;
  how.interrupt = options.interrupt;

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
  const bool has_other = model.has_react() || has_cvode();
  // A stiff model makes an explicit method crawl. It gets a fair chance first, being exact.
  const long fair = 1'000'000 + 20 * static_cast<long>(p.times.size());
  const long budget = has_other ? std::min(options.max_steps, fair) : options.max_steps;
  integrate(dopri5_stepper<prescribed_motion>(p.system, wanted, first, duration), budget);
  if (is_failure(data.result.how) && model.has_react()) {
    integrate(trbdf2_stepper<prescribed_motion>(p.system, wanted, first, duration),
              options.max_steps);
  } else if (is_failure(data.result.how) && has_cvode()) {
    integrate(cvode_stepper<prescribed_motion>(p.system, wanted, first, duration),
              options.max_steps);
  }
  if (is_failure(data.result.how))
    data.hint =
        "the model is too stiff for this motion: check its parameters, or shorten the input";
  return data;
}

}  // namespace asperity
