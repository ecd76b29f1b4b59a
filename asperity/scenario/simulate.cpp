// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/integrate/cvode.hpp>
#include <asperity/integrate/dopri5.hpp>
#include <asperity/integrate/run.hpp>
#include <asperity/integrate/switch_model.hpp>
#include <asperity/scenario/reader.hpp>
#include <asperity/scenario/simulate.hpp>
#include <asperity/systems/bouncing_mass.hpp>
#include <asperity/systems/prescribed_motion.hpp>
#include <asperity/systems/signal_inputs.hpp>
#include <asperity/systems/sliding_mass.hpp>
#include <cmath>

namespace asperity {

namespace {

using any_sliding_mass = sliding_mass<double, any_model, signal_inputs>;
using any_bouncing_mass = bouncing_mass<double, any_model, signal_inputs>;

// Where an input ends or jumps at the very end, it is shown as it was just before.
double last_seen(const scenario& s) {
  for (const signal* each : {&s.force, &s.anchor, &s.load, &s.motion})
    for (const double jump : each->breakpoints(0, 2 * s.duration))
      if (jump == s.duration) return std::nextafter(s.duration, 0.0);
  return s.duration;
}

// ---- forces and events --------------------------------------------------------------------------

template <class System>
const any_model& model_of(const System& system) {
  if constexpr (requires { system.friction; }) {
    return system.friction;
  } else if constexpr (requires { system.contact; }) {
    return system.contact;
  } else {
    return system.model;
  }
}

// A set-valued law such as Coulomb's has no force of its own at rest: there the force is the one
// that holds the body. A very short implicit step finds it, and how far it is from the limit.
struct held_force {
  double f, slip_margin;
};
held_force hold(const any_sliding_mass& system, double t, const double* y, double h) {
  const auto stage = system.stage_from(t, h, y);
  const auto law = react(system.friction, y + 2, system.inputs.load(t), h);
  return {law.solve(stage.v_free, stage.mobility), law.excess(stage.v_free, stage.mobility)};
}

// The same for a body at rest on a law that jumps there but has no implicit step: what holds it
// lies between the limits of the force from either side.
double hold_between_sides(const any_sliding_mass& system, double t, const double* y) {
  double rate[any_model::max_states];
  const auto in = system.drive_at(t, y);
  const double back = side(system.friction, y + 2, in, -1.0, rate);
  const double ahead = side(system.friction, y + 2, in, 1.0, rate);
  const double pull = system.inputs.force(t) - system.k * (y[0] - system.inputs.anchor(t));
  return std::clamp(pull, std::min(back, ahead), std::max(back, ahead));
}

// The same for a mass on a rigid contact: what the next step will need to keep it out.
double hold_apart(const any_bouncing_mass& system, double t, const double* y, double h) {
  const double gap = y[0] + h * (y[1] + h * system.inputs.force(t) / system.m);
  return react(system.contact, y + 2, system.inputs.load(t), h, y[0])
      .solve(gap, -(h * h / system.m));
}

// All that is shown of a system at an instant, beyond its state.
template <class System>
class viewer {
 public:
  viewer(const System& system, const scenario& s) : system_(system) {
    latest_ = last_seen(s);
    // Far shorter than a step, yet long enough that rounding of v does not show in m v/h.
    instant_ = is_fixed_step(s.integrator) ? 1e-3 * s.step : 1e-6 * s.max_step;
    const bool continuous_law = (s.model->describe().claims & continuous) != 0;
    set_valued_ =
        std::is_same_v<System, any_sliding_mass> && s.model->has_react() && !continuous_law;
    rigid_step_ = is_rigid_contact(*s.model) ? s.step : 0;
  }

  drive<double> drive_at(double t, const double* y) const {
    return system_.drive_at(std::min(t, latest_), y);
  }

  double force(double t, const double* y) const {
    if constexpr (std::is_same_v<System, any_sliding_mass>) {
      if (set_valued_) return hold(system_, std::min(t, latest_), y, instant_).f;
      if (y[1] == 0 && system_.friction.has_side())
        return hold_between_sides(system_, std::min(t, latest_), y);
    }
    if constexpr (std::is_same_v<System, any_bouncing_mass>) {
      if (rigid_step_ > 0) return hold_apart(system_, std::min(t, latest_), y, rigid_step_);
    }
    return model_of(system_).force(states(y), drive_at(t, y));
  }

  bool has_slip_margin() const { return set_valued_ || model_of(system_).has_slip_margin(); }
  double slip_margin(double t, const double* y) const {
    if constexpr (std::is_same_v<System, any_sliding_mass>) {
      if (set_valued_) return hold(system_, std::min(t, latest_), y, instant_).slip_margin;
    }
    const auto in = drive_at(t, y);
    return model_of(system_).slip_margin(states(y), in.x, in.v, in.load);
  }

  const double* states(const double* y) const {
    return y + (system_.size() - model_of(system_).states());
  }

 private:
  const System& system_;
  double latest_, instant_;
  double rigid_step_ = 0;  // above 0 for a mass on a rigid contact
  bool set_valued_;
};

template <class System>
std::vector<event> events_of(const viewer<System>& view, const scenario& s) {
  std::vector<event> events;
  if (!s.events) return events;
  // Slower than its tolerance the body is at rest: what is left of v there is rounding.
  const double still = s.is_mass() ? s.tolerance.absolute[1] : 0.0;
  events.push_back({"reversal", [&view, still](double t, const double* y) {
                      const double v = view.drive_at(t, y).v;
                      return std::abs(v) <= still ? 0.0 : v;
                    }});
  if (s.model->entry().family == "contact") {
    const auto touching = [&view](double t, const double* y) {
      return view.force(t, y) != 0 ? 1.0 : -1.0;
    };
    events.push_back({"touchdown", touching, event::direction::rising});
    events.push_back({"liftoff", touching, event::direction::falling});
    // The highest point of a flight. In contact a body turns, too; see drop_turns_in_contact.
    if (s.is_mass())
      events.push_back(
          {"apex",
           [still](double, const double* y) { return std::abs(y[1]) <= still ? 0.0 : y[1]; },
           event::direction::falling});
  } else if (view.has_slip_margin()) {
    const auto margin = [&view](double t, const double* y) { return view.slip_margin(t, y); };
    events.push_back({"slip", margin, event::direction::rising});
    events.push_back({"stick", margin, event::direction::falling});
  }
  return events;
}

// ---- running ------------------------------------------------------------------------------------

std::vector<double> jumps_of(const scenario& s) {
  std::vector<double> jumps;
  for (const signal* each : {&s.force, &s.anchor, &s.load, &s.motion}) {
    const auto its = each->breakpoints(0, s.duration);
    jumps.insert(jumps.end(), its.begin(), its.end());
  }
  std::sort(jumps.begin(), jumps.end());
  jumps.erase(std::unique(jumps.begin(), jumps.end()), jumps.end());
  return jumps;
}

std::string hint_for(const scenario& s, outcome how) {
  const bool closed = s.assembled ? s.assembled->has_stage() : s.model->has_react();
  const char* stiff_method = closed ? "trbdf2" : has_cvode() ? "cvode" : "dopri5";
  const bool has_other = s.integrator != method::trbdf2 && s.integrator != method::cvode &&
                         std::string_view(to_string(s.integrator)) != stiff_method;
  switch (how) {
    case outcome::not_finite:
      if (is_fixed_step(s.integrator) && !is_closed_form(s.integrator))
        return fmt::format(
            "{} at step {:g} s is probably unstable: try method = \"{}\", or a step below {:g} s",
            to_string(s.integrator), s.step, stiff_method, s.step / 10);
      return "check the parameters, the initial state and the inputs: a force grows beyond all "
             "bounds";
    case outcome::step_limit:
      if (has_other)
        return fmt::format("the problem is probably stiff: try method = \"{}\"; or raise max_steps",
                           stiff_method);
      return "raise integrator.max_steps, or loosen the tolerances";
    case outcome::step_too_small:
      if (has_other) return fmt::format("try method = \"{}\", or looser tolerances", stiff_method);
      return "try looser tolerances";
    default:
      return "";
  }
}

// Runs the method that the scenario names. observe(data, t, y) fills one row of the columns.
template <class System, class Observe>
run_data run_method(const System& system, const scenario& s, const simulate_options& wanted,
                    const std::vector<event>& events, std::vector<double> jumps,
                    const Observe& observe_into) {
  run_data data;
  for (const auto& header : columns_of(s)) data.columns.push_back({header.name, header.in, {}});
  for (const auto& each : events) data.event_names.push_back(each.name);

  const auto observe = [&](double t, const double* y) { observe_into(data, t, y); };

  run_options options;
  options.to = s.duration;
  options.sample_every = s.sample;
  options.max_steps = s.max_steps;
  options.jumps = std::move(jumps);
  // A motion through nodes turns at them: a model that remembers reversals must see them.
  options.stop_at_jumps = !is_fixed_step(s.integrator) || s.integrator == method::advance;
  options.interrupt = wanted.interrupt;
  if (wanted.progress) options.progress = [&](double t) { wanted.progress(t / s.duration); };

  std::vector<event_record> found;
  const auto go = [&](auto stepper) {
    const int n = system.size();
    data.result = run(stepper, s.initial.data(), n, options, events, found, observe);
    // The end is shown even where it is not on the grid of samples.
    const double end = data.result.t;
    if (end > data.columns.front().values.back()) {
      std::vector<double> last(static_cast<std::size_t>(n));
      stepper.at(end, last.data());
      if (detail::all_finite(last.data(), n)) observe(end, last.data());
    }
  };
  switch (s.integrator) {
    case method::euler:
      go(euler_stepper<System>(system, s.step));
      break;
    case method::rk4:
      go(rk4_stepper<System>(system, s.step));
      break;
    case method::backward_euler:
      go(backward_euler_stepper<System>(system, s.step));
      break;
    case method::sdirk2:
      go(sdirk2_stepper<System>(system, s.step));
      break;
    case method::trbdf2:
      go(trbdf2_stepper<System>(system, s.tolerance, s.first_step, s.max_step));
      break;
    case method::dopri5:
      go(dopri5_stepper<System>(system, s.tolerance, s.first_step, s.max_step));
      break;
    case method::cvode:
      go(cvode_stepper<System>(system, s.tolerance, s.first_step, s.max_step, events));
      break;
    case method::switch_model:
      if constexpr (switched_system<System>)
        go(switch_stepper<System>(system, s.tolerance, s.first_step, s.max_step,
                                  {s.switch_eta, s.switch_tau}));
      break;
    case method::moreau_jean:
    case method::advance:
      if constexpr (advancing_system<System>) go(advance_stepper<System>(system, s.step));
      break;
  }
  for (auto& each : found)
    data.events.push_back({events[each.which].name, each.t, std::move(each.y)});
  data.hint = hint_for(s, data.result.how);
  return data;
}

// An apex is a turn in flight. The events of a run cannot ask for both, since a flight may begin
// and end inside a step: only the turn itself has a sign on either side.
template <class System>
void drop_turns_in_contact(const viewer<System>& view, run_data& data) {
  std::erase_if(data.events, [&](const run_event& e) {
    return e.name == "apex" && view.force(e.t, e.state.data()) != 0;
  });
}

template <class System>
run_data run_system(const System& system, const scenario& s, const simulate_options& wanted) {
  const viewer<System> view(system, s);
  const double latest = last_seen(s);
  run_data result = run_method(system, s, wanted, events_of(view, s), jumps_of(s),
                               [&](run_data& data, double t, const double* y) {
                                 std::size_t next = 0;
                                 const auto put = [&](double value) {
                                   data.columns[next++].values.push_back(value);
                                 };
                                 const double seen = std::min(t, latest);
                                 const auto in = view.drive_at(t, y);
                                 put(t);
                                 put(in.x);
                                 put(in.v);
                                 put(view.force(t, y));
                                 if (!s.force.is_constant()) put(s.force.value(seen));
                                 if (!s.anchor.is_constant()) put(s.anchor.value(seen));
                                 if (!s.load.is_constant()) put(s.load.value(seen));
                                 for (int i = 0; i < s.model->states(); ++i) put(view.states(y)[i]);
                               });
  drop_turns_in_contact(view, result);
  return result;
}

run_data run_machine(const scenario& s, const simulate_options& wanted) {
  const machine& which = *s.assembled;
  const machine_view<machine_capacity> system{&which, static_cast<int>(s.initial.size())};
  // Where an input jumps at the very end, it is shown as it was just before.
  double latest = s.duration;
  for (const double jump : which.jumps(0, 2 * s.duration))
    if (jump == s.duration) latest = std::nextafter(s.duration, 0.0);
  std::vector<double> outputs(which.outputs().size());
  return run_method(system, s, wanted, s.events ? which.events() : std::vector<event>{},
                    which.jumps(0, s.duration), [&](run_data& data, double t, const double* y) {
                      std::size_t next = 0;
                      const auto put = [&](double value) {
                        data.columns[next++].values.push_back(value);
                      };
                      which.observe(std::min(t, latest), y, outputs.data());
                      put(t);
                      for (int i = 0; i < system.size(); ++i) put(y[i]);
                      for (const double each : outputs) put(each);
                    });
}

}  // namespace

run_data simulate(const scenario& s, const simulate_options& wanted) {
  const signal_inputs inputs{s.force, s.anchor, s.load};
  switch (s.system) {
    case system_kind::machine: {
      run_data data = run_machine(s, wanted);
      if (is_failure(data.result.how)) data.result.detail = s.assembled->complaint();
      return data;
    }
    case system_kind::bouncing_mass:
      return run_system(any_bouncing_mass{*s.model, s.mass, inputs}, s, wanted);
    case system_kind::prescribed_motion:
      return run_system(prescribed_motion{*s.model, s.motion, s.motion_is_velocity, s.load}, s,
                        wanted);
    default:
      return run_system(any_sliding_mass{*s.model, s.mass, s.stiffness, s.damping, inputs}, s,
                        wanted);
  }
}

// ---- results ------------------------------------------------------------------------------------

const column* run_data::find(std::string_view column_name) const {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const column& c) { return c.name == column_name; });
  return found == columns.end() ? nullptr : &*found;
}

const std::vector<double>& run_data::operator[](std::string_view column_name) const {
  if (const column* found = find(column_name)) return found->values;
  std::vector<std::string> names;
  for (const auto& each : columns) names.push_back(each.name);
  throw error(fmt::format("no such column '{}': {}", column_name, suggest(column_name, names)));
}

std::vector<double> run_data::times_of(std::string_view event_name) const {
  std::vector<double> times;
  for (const auto& each : events)
    if (each.name == event_name) times.push_back(each.t);
  return times;
}

std::vector<named_scalar> run_data::scalars() const {
  std::vector<named_scalar> result;
  for (const auto& c : columns) {
    if (c.values.empty()) continue;
    const auto [lowest, highest] = std::minmax_element(c.values.begin(), c.values.end());
    result.push_back({c.name + "_first", c.values.front(), c.in});
    result.push_back({c.name + "_last", c.values.back(), c.in});
    result.push_back({c.name + "_min", *lowest, c.in});
    result.push_back({c.name + "_max", *highest, c.in});
  }
  return result;
}

}  // namespace asperity
