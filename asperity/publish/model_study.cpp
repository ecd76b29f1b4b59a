// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/analysis/restitution.hpp>
#include <asperity/error.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/publish/figures.hpp>
#include <asperity/publish/model_study.hpp>
#include <asperity/run/evaluate.hpp>
#include <asperity/run/output.hpp>
#include <asperity/text/toml.hpp>
#include <cmath>
#include <utility>

namespace asperity {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr long most_steps = 300'000;  // of one plot

// ---- motions ------------------------------------------------------------------------------------

// Columns over time, as a file would give them.
record motion_of(
    double duration, std::size_t rows,
    const std::vector<std::pair<std::string, std::function<double(double)>>>& columns) {
  record motion;
  motion.name = "motion";
  for (const auto& [name, value] : columns) motion.channels.push_back({name, {}});
  for (std::size_t i = 0; i < rows; ++i) {
    const double t = duration * static_cast<double>(i) / static_cast<double>(rows - 1);
    motion.t.push_back(t);
    for (std::size_t k = 0; k < columns.size(); ++k)
      motion.channels[k].values.push_back(columns[k].second(t));
  }
  motion.pieces = {{0, rows}};
  return motion;
}

// From node to node in half cosines, each of the same length in time.
std::function<double(double)> through(std::vector<double> nodes, double each) {
  return [nodes = std::move(nodes), each](double t) {
    const auto last = static_cast<double>(nodes.size() - 2);
    const double place = std::clamp(std::floor(t / each), 0.0, last);
    const auto i = static_cast<std::size_t>(place);
    return nodes[i] + (nodes[i + 1] - nodes[i]) * (1 - std::cos(pi * (t / each - place))) / 2;
  };
}

std::vector<double> from(const std::vector<double>& values, std::size_t first) {
  return {values.begin() + static_cast<std::ptrdiff_t>(std::min(first, values.size())),
          values.end()};
}

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& each : values) each *= factor;
  return values;
}

// ---- what a page shows --------------------------------------------------------------------------

class studies {
 public:
  studies(const any_model& model, const std::atomic<bool>* interrupt)
      : model_(model), interrupt_(interrupt) {}

  model_study result;

  void add(figure_panel panel, const std::string& below) {
    result.plots.push_back({std::move(panel), below});
  }
  // A plot that fails leaves the others.
  template <class Make>
  void attempt(const char* name, const Make& make) {
    try {
      make();
    } catch (const interruption&) {
      throw;
    } catch (const error& problem) {
      result.problems.push_back(fmt::format("{}: {}", name, problem.what()));
    }
  }

  run_data along(const record& motion, const std::string& drive = "") const {
    evaluate_options options;
    options.drive = drive;
    options.relative_tolerance = 1e-6;
    options.interrupt = interrupt_;
    run_data data = evaluate(model_, motion, options);
    if (data.result.how == outcome::interrupted) throw interruption();
    refuse_failure(data);
    return data;
  }

  run_data run(const std::string& scenario_text) const {
    run_data data = run_until(scenario_text);
    refuse_failure(data);
    return data;
  }
  // What was computed within so many steps; a limit by the clock would not be the same everywhere.
  run_data run_until(const std::string& scenario_text, long steps = most_steps) const {
    scenario s = read_scenario(parse_toml(scenario_text, model_.key()), model_.key(), "");
    s.max_steps = std::min(s.max_steps, steps);
    simulate_options options;
    options.interrupt = interrupt_;
    run_data data = simulate(s, options);
    if (data.result.how == outcome::interrupted) throw interruption();
    return data;
  }

  const any_model& model() const { return model_; }
  const std::atomic<bool>* interrupt() const { return interrupt_; }

 private:
  const any_model& model_;
  const std::atomic<bool>* interrupt_;

  static void refuse_failure(const run_data& data) {
    if (is_failure(data.result.how))
      throw error(fmt::format("{} at t = {:g} s", to_string(data.result.how), data.result.t));
  }
};

// The parameters of a model as lines of its table, each with its default; lists are left out.
std::string parameter_lines(const any_model& model) {
  std::string lines;
  for (const auto& p : model.describe().parameters) {
    if (p.is_list) continue;
    const double value = model.get(p.name).front();
    const std::string text =
        !p.words.empty() ? fmt::format("\"{}\"", p.words.at(static_cast<std::size_t>(value)))
        : p.count != nullptr || p.whole != nullptr ? fmt::format("{:.0f}", value)
                                                   : fmt::format("{:.10g}", value);
    const std::string setting = fmt::format("{} = {}", p.name, text);
    lines += fmt::format("{:<22} # {}{}\n", setting,
                         is_plain(p.in) ? "" : fmt::format("[{}] ", to_string(p.in)), p.meaning);
  }
  return lines;
}

std::string model_table(const std::string& table, const any_model& model) {
  return fmt::format("[{}]\nmodel = \"{}\"\n{}", table, model.key(), parameter_lines(model));
}

// ---- friction and curves ------------------------------------------------------------------------

// The speed to show: that of the card, where something happens to the friction force.
double top_speed(const any_model& model, const friction_scales& s) {
  double least = unbounded;
  for (const auto& p : model.describe().parameters)
    if (p.in == units::metre / units::second && !p.is_list) {
      const double value = model.get(p.name).front();
      if (value > 0) least = std::min(least, value);
    }
  return rounded(least < unbounded ? 6 * least : 10 * s.slow);
}

// The row from which a few cycles of a pulled mass are left: the steps of many are too small to be seen.
std::size_t last_cycles(const std::vector<double>& anchor, const std::vector<double>& x) {
  constexpr int shown = 6;
  std::vector<double> stretch(x.size());
  std::transform(anchor.begin(), anchor.end(), x.begin(), stretch.begin(), std::minus<>());
  const auto half = stretch.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  const auto [least, most] = std::minmax_element(half, stretch.end());
  const double middle = (*least + *most) / 2;
  int cycles = 0;
  for (std::size_t i = x.size() - 1; i > 0; --i)
    if (stretch[i - 1] < middle && stretch[i] >= middle && ++cycles > shown) return i;
  return 0;
}

// How well stick-slip can be seen in the second half of a run: the share of the time at rest if there
// are slips enough, otherwise 0. Rows are too far apart for the speed of a slip, not for its length.
double clearness(const run_data& data, double pull) {
  const auto &t = data["t"], &x = data["x"];
  double at_rest = 0;
  int slips = 0;
  bool rested = false;
  const std::size_t first = t.size() / 2 + 1;
  for (std::size_t i = first; i < t.size(); ++i) {
    const double step = t[i] - t[i - 1], way = std::abs(x[i] - x[i - 1]);
    if (way < 0.1 * pull * step) {
      at_rest += step;
      rested = true;
    } else if (way > 1.5 * pull * step && std::exchange(rested, false)) {
      ++slips;
    }
  }
  return slips < 3 ? 0 : at_rest / (t.back() - t[first - 1]);
}

void show_force_and_speed(studies& to, const friction_scales& s) {
  const double top = top_speed(to.model(), s);
  const double period = std::max(6000 * s.length / top, 50 * s.time);
  constexpr std::size_t rows = 1251;  // a quarter more than a period
  const run_data data = to.along(motion_of(
      1.25 * period, rows, {{"v", [=](double t) { return top * std::sin(2 * pi * t / period); }}}));
  const std::size_t first = rows / 5;
  to.add({"Force over velocity",
          {"v", units::metre / units::second},
          {"f", units::newton},
          {},
          {{"f", from(data["v"], first), from(data["f"], first)}}},
         fmt::format("The velocity is a sine with a period of {:g} s.", rounded(period)));
}

void show_presliding(studies& to, const friction_scales& s) {
  const double size = 3 * s.length;
  const std::vector<double> nodes{0, size, -size, 0.4 * size, -0.3 * size, size, -size, size};
  const double each = pi / 2 * 2 * size / (0.05 * s.slow);
  const double duration = each * static_cast<double>(nodes.size() - 1);
  const run_data data = to.along(motion_of(duration, 1401, {{"x", through(nodes, each)}}), "x");
  to.add({"Presliding: force over displacement",
          {"x", units::metre},
          {"f", units::newton},
          {},
          {{"f", data["x"], data["f"]}}},
         "Pushed slowly back and forth, with an inner loop.");
}

void study_friction(studies& to) {
  friction_scales s;
  const any_model& model = to.model();
  to.result.properties = properties_of(model, 0.01, to.interrupt(), &s);
  const bool is_curve = model.entry().family == "curve";
  to.attempt("force over velocity", [&] { show_force_and_speed(to, s); });
  if (!is_curve) to.attempt("presliding", [&] { show_presliding(to, s); });

  const std::string friction =
      is_curve ? fmt::format("[friction]\nmodel = \"lugre\"\ncurve = \"{}\"\n{}", model.key(),
                             parameter_lines(model))
               : model_table("friction", model);
  const auto scenario_of = [&](double softness, double duration) {
    return fmt::format(
        "title = \"A mass on a spring whose other end moves evenly\"\n\n[system]\nkind = "
        "\"pulled_mass\"\nmass = {:g}\nstiffness = {:g}\nspeed = {:g}\n\n{}\n[run]\nduration = "
        "{:g}\nsample = {:g}\n",
        rounded(s.mass), rounded(s.stiffness / softness), rounded(s.pull), friction,
        rounded(duration), rounded(duration) / 1500);
  };
  to.result.scenario = scenario_of(1, s.duration);
  if (is_curve) return;
  to.attempt("stick-slip", [&] {
    run_data data = to.run_until(to.result.scenario);
    if (is_failure(data.result.how)) {
      // It takes too many steps: a part of it must do.
      to.result.scenario = scenario_of(1, 0.9 * data.result.t);
      data = to.run(to.result.scenario);
    }
    // The spring with which the mass was found to stick and slip may leave it hardly at rest, and the
    // time may be too short.
    constexpr double clear = 0.4;
    constexpr std::pair<double, double> others[] = {
        {10, 10}, {0.1, 0.1}, {1, 20}, {100, 100}, {0.01, 0.01}};
    double best = to.result.properties->stick_slip ? clearness(data, s.pull) : unbounded;
    for (const auto& [softness, times] : others) {
      if (best >= clear) break;
      const std::string other = scenario_of(softness, times * s.duration);
      run_data seen = to.run_until(other, most_steps / 3);
      if (is_failure(seen.result.how)) continue;
      if (const double found = clearness(seen, s.pull); found > best) {
        best = found;
        to.result.scenario = other;
        data = std::move(seen);
      }
    }
    const bool slips = to.result.properties->stick_slip;
    const std::size_t first = slips ? last_cycles(data["anchor"], data["x"]) : 0;
    const std::vector<double> t = from(data["t"], first);
    to.add({slips ? "Stick-slip: a mass pulled by a spring"
                  : "A mass pulled by a spring: it slides steadily",
            {"t", units::second},
            {"x", units::metre},
            {},
            {{"end of the spring", t, from(data["anchor"], first)},
             {"mass", t, from(data["x"], first)}}},
           first > 0 ? "The last cycles of the scenario below." : "The scenario below.");
  });
}

// ---- contact ------------------------------------------------------------------------------------

void show_impacts(studies& to, const impact& at_one) {
  figure_panel panel{"Force over indentation, in an impact of 1 kg",
                     {"indentation", units::metre},
                     {"f", units::newton}};
  for (const double speed : {0.5, 1.0}) {
    const run_data data = to.run(fmt::format(
        "force = 0\nsystem = {{ kind = 'bouncing_mass', mass = 1 }}\ncontact = {{ model = '{}' }}\n"
        "initial = {{ x = 0, v = {} }}\nrun = {{ duration = {:.6g}, sample = {:.6g} }}\n",
        to.model().key(), -speed, 1.6 * at_one.contact_time, at_one.contact_time / 400));
    panel.series.push_back({fmt::format("{:g} m/s", speed), scaled(data["x"], -1), data["f"]});
  }
  panel.x.from = -0.1 * at_one.deepest;
  panel.x.to = 1.05 * at_one.deepest;
  to.add(std::move(panel), "The area of the loop is the energy lost in the impact.");
}

void study_contact(studies& to) {
  const any_model& model = to.model();
  const impact at_one = find_impact(model, 1, {.interrupt = to.interrupt()});
  // A rigid law has no force before a step was chosen.
  const bool is_rigid = at_one.how == impact::outcome::undetermined;
  to.result.scenario = fmt::format(
      "title = \"A mass that falls and bounces\"\nforce = \"-9.81 N\"\n\n[system]\nkind = "
      "\"bouncing_mass\"\nmass = 1\n\n{}\n[initial]\nx = 0.1\n{}\n[run]\nduration = 1.5\nsample = "
      "0.001\n",
      model_table("contact", model), is_rigid ? "\n[integrator]\nstep = 1e-3\n" : "");
  if (at_one.how == impact::outcome::separated) {
    to.attempt("impact", [&] { show_impacts(to, at_one); });
    to.attempt("restitution", [&] {
      impact_sweep sweep{model, {}, "", {0}, {}};
      for (int i = 0; i <= 30; ++i) sweep.speeds.push_back(0.01 * std::pow(10.0, 0.1 * i));
      figure_series line{"restitution", {}, {}};
      for (const auto& row : find_impacts(sweep, to.interrupt())) {
        line.x.push_back(row.speed);
        line.y.push_back(row.what.restitution);
      }
      figure_panel panel{"Restitution over the speed of impact",
                         {"speed", units::metre / units::second},
                         {"restitution", units::one, "", false, 0, 1.05}};
      panel.x.log = true;
      panel.series.push_back(std::move(line));
      to.add(std::move(panel), "Speed after the impact over speed before it, for 1 kg.");
    });
  }
  to.attempt("bouncing", [&] {
    const run_data data = to.run(to.result.scenario);
    to.add({"A mass that falls and bounces",
            {"t", units::second},
            {"x", units::metre},
            {},
            {{"x", data["t"], data["x"]}}},
           "The scenario below.");
  });
}

// ---- operators ----------------------------------------------------------------------------------

// How much of its bounding box a loop fills.
double fullness(const std::vector<double>& x, const std::vector<double>& f) {
  double area = 0, x_low = unbounded, x_high = -unbounded, f_low = unbounded, f_high = -unbounded;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i > 0) area += (x[i] - x[i - 1]) * (f[i] + f[i - 1]) / 2;
    x_low = std::min(x_low, x[i]), x_high = std::max(x_high, x[i]);
    f_low = std::min(f_low, f[i]), f_high = std::max(f_high, f[i]);
  }
  const double box = (x_high - x_low) * (f_high - f_low);
  return box > 0 ? std::abs(area) / box : 0;
}

run_data sine_cycles(const studies& to, double amplitude, double frequency, double cycles) {
  return to.along(
      motion_of(cycles / frequency, 1 + static_cast<std::size_t>(400 * cycles),
                {{"x", [=](double t) { return amplitude * std::sin(2 * pi * frequency * t); }}}),
      "x");
}

// The amplitude at which the loop is fullest.
double best_amplitude(const studies& to) {
  double best = 1, most = 0;
  for (const double amplitude : {1.0, 0.3, 3.0, 0.1, 10.0, 0.03, 30.0, 0.01, 100.0}) {
    const run_data data = sine_cycles(to, amplitude, 1, 3);
    const double now = fullness(from(data["x"], 800), from(data["f"], 800));
    if (now > 1.2 * most) {
      most = now;
      best = amplitude;
    }
  }
  return best;
}

void study_operator(studies& to) {
  const double amplitude = best_amplitude(to);
  to.result.scenario = fmt::format(
      "title = \"An input that swings\"\n\n[system]\nkind = \"prescribed_motion\"\n\n{}\n"
      "[motion]\nof = \"position\"\nkind = \"sine\"\namplitude = {:g}\nfrequency = 1\n\n[run]\n"
      "duration = 3\nsample = 0.0025\n",
      model_table("hysteresis", to.model()), amplitude);
  to.attempt("loops", [&] {
    const double a = amplitude;
    const run_data data =
        to.along(motion_of(12, 2401,
                           {{"x", through({0, a, -a, a, -0.7 * a, 0.7 * a, -0.4 * a, 0.4 * a,
                                           -0.15 * a, a, -a, a, -a},
                                          1)}}),
                 "x");
    to.add({"Loops: output over input",
            {"input x", units::one},
            {"output f", units::one},
            {},
            {{"f", from(data["x"], 200), from(data["f"], 200)}}},
           "The amplitude of the input decreases, and then returns to its first value.");
  });
  to.attempt("rates", [&] {
    figure_panel panel{
        "The same loop at three rates", {"input x", units::one}, {"output f", units::one}};
    for (const double frequency : {0.1, 1.0, 10.0}) {
      const run_data data = sine_cycles(to, amplitude, frequency, 3);
      panel.series.push_back(
          {fmt::format("{:g} Hz", frequency), from(data["x"], 800), from(data["f"], 800)});
    }
    to.add(std::move(panel), "Where the loops coincide, the output does not depend on the rate.");
  });
  to.attempt("time", [&] {
    const run_data data = to.run(to.result.scenario);
    to.add({"Input and output in time",
            {"t", units::second},
            {"value", units::one},
            {},
            {{"input x", data["t"], data["x"]}, {"output f", data["t"], data["f"]}}},
           "The scenario below.");
  });
}

// ---- contact with friction ----------------------------------------------------------------------

// The depth at which the normal force is 10 N.
double depth_of_ten_newton(const any_model& model) {
  std::vector<double> state(any_model::max_states), rate(any_model::max_states), out(3);
  double depth = 1e-8;
  while (depth < 1) {
    const double in[] = {-depth, 0, 0, 0};
    model.initial(in, state.data());
    model.respond(in, state.data(), out.data(), rate.data());
    if (out[0] >= 10) return rounded(depth);
    depth *= 1.2;
  }
  return 1e-4;
}

void study_touch(studies& to) {
  const any_model& model = to.model();
  const double depth = depth_of_ten_newton(model);
  to.result.scenario = fmt::format(
      "title = \"A sphere that is thrown on a plane\"\n\n[system]\nkind = \"sphere_on_plane\"\n"
      "mass = 1\nradius = 0.1\n\n{}\n[initial]\nz = 0.12\nv_x = 1\n\n[run]\nduration = 0.5\n",
      model_table("contact", model));
  to.attempt("pressing", [&] {
    const run_data data =
        to.along(motion_of(1, 801,
                           {{"gap", [=](double t) { return -depth * std::sin(2 * pi * t); }},
                            {"slip_x", [](double) { return 0.0; }},
                            {"slip_y", [](double) { return 0.0; }}}));
    to.add({"Pressed and lifted: normal force over the gap",
            {"gap", units::metre},
            {"f_n", units::newton},
            {},
            {{"f_n", data["gap"], data["f_n"]}}},
           "Pressed once and lifted again by the same distance, within a second.");
  });
  const auto slipping = [&](double amplitude, double period) {
    const double top = amplitude * 2 * pi / period;
    return to.along(
        motion_of(2 * period, 1601,
                  {{"gap", [=](double) { return -depth; }},
                   {"slip_x", [=](double t) { return top * std::cos(2 * pi * t / period); }},
                   {"slip_y", [](double) { return 0.0; }}}));
  };
  to.attempt("slipping", [&] {
    figure_panel panel{"Slipping back and forth: friction over displacement",
                       {"way", units::metre},
                       {"f_x", units::newton}};
    for (const double amplitude : {0.3 * depth, depth}) {
      const run_data data = slipping(amplitude, 1);
      std::vector<double> way{0};
      for (std::size_t i = 1; i < data["t"].size(); ++i)
        way.push_back(way.back() + (data["t"][i] - data["t"][i - 1]) *
                                       (data["slip_x"][i] + data["slip_x"][i - 1]) / 2);
      panel.series.push_back({fmt::format("{:g} um", rounded(1e6 * amplitude)), way, data["f_x"]});
    }
    to.add(std::move(panel), "At the depth at which the normal force is 10 N.");
  });
  to.attempt("friction", [&] {
    const run_data data = slipping(0.1, 1);
    const std::size_t half = data["t"].size() / 2;
    to.add({"Friction over the slip speed",
            {"slip", units::metre / units::second},
            {"f_x", units::newton},
            {},
            {{"f_x", from(data["slip_x"], half), from(data["f_x"], half)}}},
           "Slipping 10 cm back and forth within a second.");
  });
}

// ---- planar friction ----------------------------------------------------------------------------

void study_twist(studies& to) {
  const any_model& model = to.model();
  // Sliding for a while, then spinning, gives the scales: force, and torque by force.
  const run_data slide = to.along(motion_of(1, 201,
                                            {{"v_x", [](double) { return 0.1; }},
                                             {"v_y", [](double) { return 0.0; }},
                                             {"omega", [](double) { return 0.0; }}}));
  const run_data spin = to.along(motion_of(1, 201,
                                           {{"v_x", [](double) { return 0.0; }},
                                            {"v_y", [](double) { return 0.0; }},
                                            {"omega", [](double) { return 10.0; }}}));
  const double force = std::abs(slide["f_x"].back()), torque = std::abs(spin["torque"].back());
  const double radius = rounded(1.5 * torque / force), mass = 1,
               speed = rounded(0.5 * force / mass);
  // A law over cells has the shape of its contact in a table of its own.
  const bool has_cells = model.functions().build != nullptr;
  const std::string friction =
      has_cells ? fmt::format(
                      "[friction]\nmodel = \"{}\"\n\n[patch]\nshape = \"disc\"\nradius = "
                      "{:.10g}\ncells = 20\n",
                      model.key(), model.get("radius").front())
                : model_table("friction", model);
  to.result.scenario = fmt::format(
      "title = \"A body that slides and spins\"\n\n[system]\nkind = \"planar_body\"\nmass = {:g}\n"
      "inertia = {:g}\n\n{}\n[initial]\nv_x = {:g}\nomega = {:g}\n{}\n[run]\nduration = 1\n",
      mass, rounded(mass * radius * radius / 2), friction, speed, rounded(speed / radius),
      model.states() > most_states_of_adaptive_steps ? "\n[integrator]\nstep = 2e-5\n" : "");
  to.attempt("slide and spin", [&] {
    constexpr double duration = 4, begin = 1;  // the first second is for the start
    const auto angle = [=](double t) {
      return pi / 2 * std::clamp((t - begin) / (duration - begin), 0.0, 1.0);
    };
    const run_data data = to.along(
        motion_of(duration, 801,
                  {{"v_x", [=](double t) { return 0.1 * std::cos(angle(t)); }},
                   {"v_y", [](double) { return 0.0; }},
                   {"omega", [=](double t) { return 0.1 / radius * std::sin(angle(t)); }}}));
    const std::size_t first = 201;
    std::vector<double> ratio;
    for (const double t : from(data["t"], first)) ratio.push_back(angle(t) * 180 / pi);
    to.add({"From sliding (0) to spinning (90)",
            {"angle [deg]", units::one},
            {"share", units::one},
            {},
            {{"force", ratio, scaled(from(data["f_x"], first), 1 / force)},
             {"torque", ratio, scaled(from(data["torque"], first), 1 / torque)}}},
           fmt::format("The angle between v and omega times {:g} m; shares of the force of pure "
                       "sliding and the torque of pure spinning.",
                       radius));
    to.add({"Limit curve: torque over force",
            {"force f", units::newton},
            {"torque", units::torque},
            {},
            {{"torque", from(data["f_x"], first), from(data["torque"], first)}}},
           "The greatest load that the contact carries while it slides and spins.");
  });
  to.attempt("body", [&] {
    const run_data data = to.run(to.result.scenario);
    to.add({"A body that slides and spins comes to rest",
            {"t", units::second},
            {"speed", units::metre / units::second},
            {},
            {{"v_x", data["t"], data["v_x"]},
             {fmt::format("omega x {:g} m", radius), data["t"], scaled(data["omega"], radius)}}},
           "The scenario below: both motions end at the same time.");
  });
}

}  // namespace

double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double power = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 1);
  return std::round(value / power) * power;
}

model_study study_of(const catalogue_entry& entry, const std::atomic<bool>* interrupt) {
  any_model model(entry);
  model.build();
  studies to(model, interrupt);
  const port& at = model.at();
  if (at.is_sliding()) {
    study_friction(to);
  } else if (at.is_line() && at.is_contact()) {
    study_contact(to);
  } else if (at.is_line()) {
    study_operator(to);
  } else if (at.is_contact()) {
    study_touch(to);
  } else {
    study_twist(to);
  }
  // Loops tell more than curves of one value.
  const bool is_second = at.is_sliding() || !at.is_line();
  if (is_second && to.result.plots.size() > 1) to.result.telling = 1;
  for (auto& each : to.result.plots) {
    std::vector<figure_panel> one{std::move(each.shown)};
    choose_looks(one);
    each.shown = std::move(one.front());
  }
  return std::move(to.result);
}

model_study study_of(const system_row& row, const std::atomic<bool>* interrupt) {
  model_study result;
  result.scenario = example_of(row);
  const scenario s = read_scenario(parse_toml(result.scenario, row.name), row.name, "");
  simulate_options options;
  options.interrupt = interrupt;
  const run_data data = simulate(s, options);
  if (data.result.how == outcome::interrupted) throw interruption();
  constexpr std::size_t most = 4;
  std::vector<figure_panel> panels = figure_of(s, data).panels;
  if (panels.size() > most) panels.resize(most);
  choose_looks(panels);
  for (auto& each : panels) result.plots.push_back({std::move(each), ""});
  return result;
}

}  // namespace asperity
