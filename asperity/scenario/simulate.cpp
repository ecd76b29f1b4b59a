// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/integrate/automatic.hpp>
#include <asperity/integrate/cvode.hpp>
#include <asperity/integrate/dopri5.hpp>
#include <asperity/integrate/memory_stepper.hpp>
#include <asperity/integrate/rosenbrock.hpp>
#include <asperity/integrate/run.hpp>
#include <asperity/integrate/step_check.hpp>
#include <asperity/integrate/switch_model.hpp>
#include <asperity/scenario/machine_parts.hpp>
#include <asperity/scenario/memory.hpp>
#include <asperity/scenario/reader.hpp>
#include <asperity/scenario/rows.hpp>
#include <asperity/scenario/simulate.hpp>
#include <asperity/systems/dual_model.hpp>
#include <asperity/systems/load.hpp>
#include <asperity/systems/mass_books.hpp>
#include <asperity/systems/memory_motion.hpp>
#include <asperity/systems/memory_step.hpp>
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
// that holds the body. A very short implicit step finds it.
double hold(const any_sliding_mass& system, double t, const double* y, double h) {
  const auto stage = system.stage_from(t, h, y);
  return react(system.friction, y + 2, system.inputs.load(t), h)
      .solve(stage.u_free, stage.mobility);
}

// The same for a body at rest on a law that jumps there but has no implicit step.
double pull_on(const any_sliding_mass& system, double t, const double* y) {
  return system.inputs.force(t) - system.k * (y[0] - system.inputs.anchor(t));
}
double hold_between_sides(const any_sliding_mass& system, double t, const double* y) {
  return between_sides(system.friction, y + 2, system.drive_at(t, y), pull_on(system, t, y));
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
    instant_ = has_fixed_step(s) ? 1e-3 * s.step : 1e-6 * s.max_step;
    set_valued_ = std::is_same_v<System, any_sliding_mass> && is_set_valued(*s.model);
    rigid_step_ = is_rigid(*s.model) ? s.step : 0;
  }

  drive<double> drive_at(double t, const double* y) const {
    return system_.drive_at(std::min(t, latest_), y);
  }

  double force(double t, const double* y) const {
    if constexpr (std::is_same_v<System, any_sliding_mass>) {
      if (set_valued_) return hold(system_, std::min(t, latest_), y, instant_);
      if (y[1] == 0 && system_.friction.has_side())
        return hold_between_sides(system_, std::min(t, latest_), y);
    }
    if constexpr (std::is_same_v<System, any_bouncing_mass>) {
      if (rigid_step_ > 0) return hold_apart(system_, std::min(t, latest_), y, rigid_step_);
    }
    return model_of(system_).force(states(y), drive_at(t, y));
  }

  bool has_slip_margin() const { return can_tell_slip(model_of(system_)); }
  double slip_margin(double t, const double* y) const {
    const any_model& model = model_of(system_);
    const auto in = drive_at(t, y);
    if constexpr (std::is_same_v<System, any_sliding_mass>) {
      const double pull = pull_on(system_, std::min(t, latest_), y);
      return slip_margin_of(model, states(y), in, {pull / system_.m, 1 / system_.m}, instant_);
    }
    // What is moved by force sticks where it is neither moving nor about to.
    if (model.has_side()) return std::max(std::abs(in.v), std::abs(drive_at(t + instant_, y).v));
    return model.slip_margin(states(y), in.x, in.v, in.load);
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
  if (s.system == system_kind::bouncing_mass)
    add_side_event(events, *s.model, 2, [](const double* y) { return drive<double>{y[0], y[1]}; });
  if (!s.events) return events;
  // Slower than its tolerance the body is at rest.
  const auto moving = s.is_mass() ? without_noise(s.tolerance.relative, s.tolerance.absolute[1])
                                  : without_noise(0.0);
  events.push_back({"reversal", [&view, moving](double t, const double* y) {
                      return moving(view.drive_at(t, y).v);
                    }});
  if (s.model->entry().family == "contact") {
    const auto touching = [&view](double t, const double* y) {
      return view.force(t, y) != 0 ? 1.0 : -1.0;
    };
    events.push_back({"touchdown", touching, event::direction::rising});
    events.push_back({"liftoff", touching, event::direction::falling});
    // The highest point of a flight. In contact a body turns, too; see drop_turns_in_contact.
    if (s.is_mass())
      events.push_back({"apex", [moving](double, const double* y) { return moving(y[1]); },
                        event::direction::falling});
  } else if (view.has_slip_margin()) {
    add_slip_events(events, "",
                    [&view](double t, const double* y) { return view.slip_margin(t, y); });
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
  // Of the methods for stiff problems the last of these that can run it.
  const bool is_stiff_one = s.integrator == method::trbdf2 || s.integrator == method::cvode ||
                            s.integrator == method::automatic;
  const char* stiff_method = "";
  for (const method each : {method::rosenbrock, method::backward_euler, method::trbdf2})
    if (unfit(s, each).empty()) stiff_method = to_string(each);
  const bool has_other = !is_stiff_one && *stiff_method != '\0' &&
                         std::string_view(to_string(s.integrator)) != stiff_method;
  switch (how) {
    case outcome::not_finite:
      if (has_fixed_step(s) && !is_closed_form(s.integrator))
        return fmt::format("{} at step {:g} s is probably unstable: try {}a step below {:g} s",
                           to_string(s.integrator), s.step,
                           has_other ? fmt::format("method = \"{}\", or ", stiff_method) : "",
                           s.step / 10);
      return "check the parameters, the initial state and the inputs: a force grows beyond all "
             "bounds";
    case outcome::step_limit:
      if (has_other)
        return fmt::format("the problem is probably stiff: try method = \"{}\"; or raise max_steps",
                           stiff_method);
      return "raise integrator.max_steps, or loosen the tolerances";
    case outcome::time_limit:
      return has_other ? fmt::format(
                             "the problem may be stiff: try method = \"{}\"; or raise the "
                             "time limit",
                             stiff_method)
                       : "raise the time limit, or shorten run.duration";
    case outcome::memory_limit:
      return "choose a longer run.sample or a shorter run.duration, or raise run.memory_limit";
    case outcome::step_too_small:
      if (has_other) return fmt::format("try method = \"{}\", or looser tolerances", stiff_method);
      return "try looser tolerances";
    default:
      return "";
  }
}

// ---- memory -------------------------------------------------------------------------------------

// How much a run may record. A number that was recorded takes 8 bytes, twice that in a vector that
// grows, and again as much as text and in a plot when all is written.
class record_limit {
 public:
  static constexpr double bytes_per_number = 64;

  record_limit(const scenario& s, const simulate_options& wanted, std::size_t audit_columns)
      : bytes_(s.memory_limit > 0        ? s.memory_limit
               : wanted.memory_limit > 0 ? wanted.memory_limit
                                         : free_memory()),
        numbers_per_row_(static_cast<double>(columns_of(s).size() + audit_columns)) {}

  // Refuses a run whose rows are known beforehand and do not fit.
  void check(const scenario& s) const {
    const bool counts_steps = s.sample == 0 && is_fixed_step(s.integrator);
    const double every = s.sample > 0 ? s.sample : counts_steps ? s.step : 0;
    if (every == 0) return;
    const double rows = s.duration / every + 1;
    if (!is_above(rows * numbers_per_row_)) return;
    throw error(fmt::format(
        "{} = {:g} s: {:.4g} rows of {} columns need about {:.3g} GB of memory, more than the "
        "{:.3g} "
        "GB allowed: choose a longer run.sample, or raise run.memory_limit",
        s.sample > 0 ? "run.sample" : "run.sample = 0 with integrator.step", every, rows,
        numbers_per_row_, 1e-9 * bytes_per_number * rows * numbers_per_row_, 1e-9 * bytes_));
  }

  bool is_full(std::size_t rows, std::size_t events = 0, std::size_t states = 0) const {
    return is_above(static_cast<double>(rows) * numbers_per_row_ +
                    static_cast<double>(events) * static_cast<double>(states + 8));
  }

 private:
  double bytes_, numbers_per_row_;
  bool is_above(double numbers) const { return bytes_per_number * numbers > bytes_; }
};

run_limits limits_of(const scenario& s, const simulate_options& wanted,
                     std::function<bool()> memory_is_full) {
  return {wanted.interrupt, std::min(s.time_limit, wanted.time_limit), std::move(memory_is_full)};
}

// ---- methods ------------------------------------------------------------------------------------

// The system with its derivatives: exact ones where a mass meets one model, by dual numbers; by
// differences elsewhere.
using some_system = std::unique_ptr<any_differentiable>;

template <class System>
some_system with_derivatives(const System& system, const scenario& s) {
  const auto wrap = [](const auto& whole) -> some_system {
    return std::make_unique<run_time_differentiable<std::decay_t<decltype(whole)>>>(whole);
  };
  if constexpr (std::is_same_v<System, any_sliding_mass> ||
                std::is_same_v<System, any_bouncing_mass>) {
    if (const auto model = any_dual_model::of(model_of(system)); model.functions != nullptr) {
      const dual_signal_inputs inputs{system.inputs};
      if constexpr (std::is_same_v<System, any_sliding_mass>) {
        using dual_mass = sliding_mass<model_dual, any_dual_model, dual_signal_inputs>;
        const dual_mass in_dual{model, system.m, system.k, system.c, inputs};
        return wrap(differentiated<System, model_dual, dual_mass>{system, in_dual});
      } else {
        using dual_mass = bouncing_mass<model_dual, any_dual_model, dual_signal_inputs>;
        const dual_mass in_dual{model, system.m, inputs};
        return wrap(differentiated<System, model_dual, dual_mass>{system, in_dual});
      }
    }
  }
  differenced<System> whole{system, {}};
  for (int i = 0; i < system.size(); ++i)
    whole.scale[static_cast<std::size_t>(i)] =
        s.tolerance.absolute[static_cast<std::size_t>(i)] / s.tolerance.relative;
  return wrap(whole);
}

// Work of a step in steps of dopri5, as measured: for a Jacobian of n states and its factors, and
// for two implicit stages.
double work_of_rosenbrock(int n) { return 2 + 0.25 * n; }
double work_of_trbdf2(const scenario& s) {
  return s.model && s.model->functions().implicit_step != nullptr ? 8 : 1;
}

std::vector<int> velocities_of(const scenario& s) {
  std::vector<int> found;
  const auto states = states_of(s);
  for (std::size_t i = 0; i < states.size(); ++i)
    if (states[i].in == units::metre / units::second) found.push_back(static_cast<int>(i));
  return found;
}

// Runs the pair of methods that suits the system, one explicit and one for stiff problems. Friction
// that jumps at rest goes by the Switch Model, with both inside it or as the explicit one.
template <class System, class Go>
void run_automatic(const System& system, const scenario& s, const Go& go) {
  const int n = system.size();
  const auto explicit_for = [&](const auto& smooth) {
    return dopri5_stepper<std::decay_t<decltype(smooth)>>(smooth, s.tolerance, s.first_step,
                                                          s.max_step);
  };
  const auto stiff_for = [&](const any_differentiable& smooth) {
    return rosenbrock_stepper(smooth, s.tolerance, s.first_step, s.max_step);
  };
  const auto pair = [&](auto one, auto other, double stiff_work) {
    automatic_stepper both(std::move(one), std::move(other), n, stiff_work, s.max_step);
    if (s.assembled) both.begin_explicit();
    // A swing that is damped takes its energy along, which an audit would miss.
    if (s.is_mass() && !s.audit) both.may_damp(velocities_of(s), s.mechanical_states());
    return both;
  };
  const bool jumps = unfit(s, method::switch_model).empty();
  if (unfit(s, method::trbdf2).empty()) {
    if constexpr (closed_form_system<System>) {
      const trbdf2_stepper<System> stiff(system, s.tolerance, s.first_step, s.max_step);
      if constexpr (switched_system<System>) {
        const switch_parameters held{s.switch_eta, s.switch_tau};
        if (jumps)
          return go(
              pair(switch_stepper<System>(system, s.tolerance, s.first_step, s.max_step, held),
                   stiff, work_of_trbdf2(s)));
      }
      go(pair(explicit_for(system), stiff, work_of_trbdf2(s)));
    }
    return;
  }
  if constexpr (switched_system<System>) {
    if (jumps) {
      using field = detail::mode_field<System>;
      using inner =
          automatic_stepper<dopri5_stepper<field>, rosenbrock_stepper<any_differentiable>>;
      some_system smooth;
      return go(switch_stepper<System, inner>(
          system, {s.switch_eta, s.switch_tau}, [&](const field& mode) {
            smooth = with_derivatives(mode, s);
            return pair(explicit_for(mode), stiff_for(*smooth), work_of_rosenbrock(n));
          }));
    }
  }
  const some_system smooth = with_derivatives(system, s);
  go(pair(explicit_for(system), stiff_for(*smooth), work_of_rosenbrock(n)));
}

// How many steps each of the two took.
template <class Stepper>
std::vector<run_data::share> shares_of(const Stepper& stepper, const scenario& s) {
  if constexpr (requires { stepper.inner(); }) {
    return shares_of(stepper.inner(), s);
  } else if constexpr (requires { stepper.stiff_steps(); }) {
    const bool closed = unfit(s, method::trbdf2).empty();
    const bool jumps = closed && unfit(s, method::switch_model).empty();
    return {{to_string(jumps ? method::switch_model : method::dopri5), stepper.explicit_steps()},
            {to_string(closed ? method::trbdf2 : method::rosenbrock), stepper.stiff_steps()}};
  } else {
    return {};
  }
}

// What of a swing was not followed.
template <class Stepper>
void tell_damped(const Stepper& stepper, const scenario& s, run_data& data) {
  if constexpr (requires { stepper.inner(); }) {
    tell_damped(stepper.inner(), s, data);
  } else if constexpr (requires { stepper.damped(); }) {
    const damped_swing& lost = stepper.damped();
    if (lost.times == 0) return;
    std::string widths;
    const auto states = states_of(s);
    for (std::size_t i = 0; i < std::min(states.size(), lost.width.size()); ++i)
      if (i < 2)
        widths += fmt::format("{}{:.2g} {} in {}", i > 0 ? " and " : "", lost.width[i],
                              to_string(states[i].in), states[i].name);
    data.doubts.push_back(fmt::format(
        "from t = {:.3g} s on a fast swing, {} wide, is damped instead of followed, which would "
        "take millions of steps: v and f show its mean; method = \"dopri5\" follows it",
        lost.since, widths));
  }
}

// States of which steps of half the length can tell the error: a memory that is not an ODE may be a
// list or an index.
std::size_t checked_states(const scenario& s) {
  if (s.assembled && s.assembled->records_steps()) return 0;
  if (s.integrator != method::advance) return s.initial.size();
  return static_cast<std::size_t>(s.assembled ? s.assembled->memory_at() : s.mechanical_states());
}

// What half the steps say about a run.
void tell_step_errors(const scenario& s, const step_error& found, run_data& data) {
  constexpr double doubtful = 0.01;  // of the range of a state
  const auto states = states_of(s);
  std::size_t worst = 0;
  double share = 0;
  for (std::size_t i = 0; i < std::min(found.error.size(), states.size()); ++i) {
    data.step_errors.push_back({states[i].name, found.error[i], states[i].in});
    if (!(found.error[i] <= share * found.range[i])) {
      worst = i;
      share = found.range[i] > 0 ? found.error[i] / found.range[i] : 0;
    }
  }
  if (share <= doubtful) return;
  const std::string in = states[worst].in == units::one ? "" : " " + to_string(states[worst].in);
  data.doubts.push_back(fmt::format(
      "steps of {:g} s are long for this run: by steps of half the length {} may be wrong by "
      "{:.2g}{}, while it ranges over {:.2g}{}; try integrator.step = {:g}",
      s.step, states[worst].name, found.error[worst], in, found.range[worst], in, s.step / 10));
}

// Runs the method that the scenario names. observe(data, t, y) fills one row of the columns.
template <class System, class Observe>
run_data run_method(const System& system, const scenario& s, const simulate_options& wanted,
                    const std::vector<event>& events, std::vector<double> jumps,
                    const Observe& observe_into, std::size_t audit_columns = 0) {
  const record_limit memory(s, wanted, audit_columns);
  memory.check(s);
  run_data data;
  for (const auto& header : columns_of(s)) data.columns.push_back({header.name, header.in, {}});
  for (const auto& each : events)
    if (!each.name.empty()) data.event_names.push_back(each.name);

  const auto observe = [&](double t, const double* y) { observe_into(data, t, y); };

  run_options options;
  options.to = s.duration;
  options.sample_every = s.sample;
  options.max_steps = s.max_steps;
  options.jumps = std::move(jumps);
  // A motion through nodes turns at them: a model that remembers reversals must see them.
  options.stop_at_jumps = !is_fixed_step(s.integrator) || s.integrator == method::advance;
  std::vector<event_record> found;
  options.limits = limits_of(s, wanted, [&] {
    return memory.is_full(data.columns.front().values.size(), found.size(), s.initial.size());
  });
  if (wanted.progress) options.progress = [&](double t) { wanted.progress(t / s.duration); };

  // There is a tolerance for each state of a small system only, with room for the flows of its
  // audit; the scenario has seen to that.
  constexpr bool has_tolerances = System::capacity <= tolerances::most_states;
  const int n = system.size();
  const auto go = [&](auto&& stepper) {
    data.result = run(stepper, s.initial.data(), n, options, events, found, observe);
    data.shares = shares_of(stepper, s);
    tell_damped(stepper, s, data);
    // The end is shown even where it is not on the grid of samples.
    const double end = data.result.t;
    if (end > data.columns.front().values.back()) {
      std::vector<double> last(static_cast<std::size_t>(n));
      stepper.at(end, last.data());
      if (detail::all_finite(last.data(), n)) observe(end, last.data());
    }
  };
  // With room for the cells of a patch steppers are too large for the stack, all the more so if
  // those of all methods were there at once.
  const auto go_by = [&]<class Stepper>(std::type_identity<Stepper>) __attribute__((noinline)) {
    const auto stepper = std::make_unique<checked_stepper<Stepper>>(
        Stepper(system, s.step), Stepper(system, 0.5 * s.step), static_cast<std::size_t>(n),
        checked_states(s), s.duration / s.step);
    go(*stepper);
    if (!is_failure(data.result.how)) tell_step_errors(s, stepper->result(), data);
  };
  switch (s.integrator) {
    case method::euler:
      go_by(std::type_identity<euler_stepper<System>>{});
      break;
    case method::rk4:
      go_by(std::type_identity<rk4_stepper<System>>{});
      break;
    case method::backward_euler:
      go_by(std::type_identity<backward_euler_stepper<System>>{});
      break;
    case method::sdirk2:
      go_by(std::type_identity<sdirk2_stepper<System>>{});
      break;
    case method::trbdf2:
      if constexpr (has_tolerances)
        go(trbdf2_stepper<System>(system, s.tolerance, s.first_step, s.max_step));
      break;
    case method::dopri5:
      if constexpr (has_tolerances)
        go(dopri5_stepper<System>(system, s.tolerance, s.first_step, s.max_step));
      break;
    case method::rosenbrock:
      if constexpr (has_tolerances)
        go(rosenbrock_stepper(*with_derivatives(system, s), s.tolerance, s.first_step, s.max_step));
      break;
    case method::automatic:
      if constexpr (has_tolerances) run_automatic(system, s, go);
      break;
    case method::cvode:
      if constexpr (has_tolerances)
        go(cvode_stepper<System>(system, s.tolerance, s.first_step, s.max_step, events));
      break;
    case method::switch_model:
      if constexpr (switched_system<System>)
        go(switch_stepper<System>(system, s.tolerance, s.first_step, s.max_step,
                                  {s.switch_eta, s.switch_tau}));
      break;
    case method::moreau_jean:
    case method::advance:
      if constexpr (requires { memory_motion(system); })
        if (!has_fixed_step(s)) {
          go(memory_stepper(memory_motion(system), s.tolerance, s.first_step, s.max_step));
          break;
        }
      if constexpr (advancing_system<System>) go_by(std::type_identity<advance_stepper<System>>{});
      break;
  }
  for (auto& each : found)
    data.events.push_back({events[each.which].name, each.t, std::move(each.y)});
  data.hint = hint_for(s, data.result.how);
  return data;
}

// The same with the books of the energy, whose flows are integrated as further states.
template <class System, class Books, class Observe>
run_data run_audited(const System& system, const Books& books, const scenario& s,
                     const simulate_options& wanted, const std::vector<event>& events,
                     std::vector<double> jumps, const Observe& observe) {
  const energy_books kept = books.books();
  const std::string kind = s.assembled ? s.assembled_kind : to_string(s.system);
  if (!kept.refusal.empty())
    throw error(
        fmt::format("run.audit = true: a {} keeps no books of its energy: {}", kind, kept.refusal));
  if (kept.empty())
    throw error(fmt::format("run.audit = true: a {} keeps no books of its energy", kind));
  const audited<System, Books> whole{system, books, kept.powers()};
  const auto n = static_cast<std::size_t>(system.size());
  const auto flows = static_cast<std::size_t>(kept.powers());
  constexpr auto most_tolerances = static_cast<std::size_t>(tolerances::most_states);
  if (flows > static_cast<std::size_t>(energy_books::most_flows) ||
      (!has_fixed_step(s) && n + flows > most_tolerances))
    throw error("run.audit = true: this system has too many states and elements for an audit");

  // Flows are as accurate as the rest, relative to the energy that there is.
  std::vector<double> energies(static_cast<std::size_t>(kept.energies()));
  books.energies(0.0, s.initial.data(), energies.data());
  double present = 0;
  for (const double each : energies) present += std::abs(each);
  scenario wide = s;
  wide.initial.resize(n + flows, 0.0);
  for (std::size_t i = n; i < std::min(n + flows, most_tolerances); ++i)
    wide.tolerance.absolute[i] = s.tolerance.relative * (present > 0 ? present : 1e-6);

  // What bodies lose in a change of their state, such as an impact, an element takes and loses.
  std::vector<event> booked = events;
  for (event& each : booked) {
    if (!each.change) continue;
    each.change = [&, change = each.change, element = each.element](double t, double* y) {
      std::vector<double> before(energies.size()), after(energies.size());
      books.energies(t, y, before.data());
      change(t, y);
      books.energies(t, y, after.data());
      double* flow = y + n + kept.supplies.size();
      for (int e = 0; e < element; ++e)
        flow += 1 + kept.elements[static_cast<std::size_t>(e)].losses.size();
      double taken = 0;
      for (std::size_t i = 0; i < kept.held.size(); ++i) taken += before[i] - after[i];
      const auto own = kept.held.size() + static_cast<std::size_t>(element);
      flow[0] += taken;
      if (!kept.elements[static_cast<std::size_t>(element)].losses.empty())
        flow[1] += taken + before[own] - after[own];
    };
  }

  auditor audit(kept, s.audit_tolerance);
  run_data data = run_method(
      whole, wide, wanted, booked, std::move(jumps),
      [&](run_data& into, double t, const double* y) {
        observe(into, t, y);
        books.energies(t, y, energies.data());
        audit.add(t, energies.data(), y + n);
      },
      auditor::column_names(kept).size());
  for (auto& each : data.events) each.state.resize(n);
  data.audit = audit.finish();
  for (const auto& each : data.audit->columns)
    data.audit_columns.push_back({each.name, units::joule, each.values});
  return data;
}

// An apex is a turn in flight, between a liftoff (or the start) and the next touchdown. The events
// of a run cannot ask for both, since a flight may begin and end inside a step: only the turn
// itself has a sign on either side. A flight that no step saw has no apex.
template <class System>
void drop_turns_in_contact(const viewer<System>& view, const double* start, run_data& data) {
  bool flies = view.force(0.0, start) == 0;
  std::erase_if(data.events, [&](const run_event& e) {
    if (e.name == "touchdown" || e.name == "liftoff") flies = e.name == "liftoff";
    return e.name == "apex" && (!flies || view.force(e.t, e.state.data()) != 0);
  });
}

template <class System, class Books>
run_data run_system(const System& system, const Books& books, const scenario& s,
                    const simulate_options& wanted) {
  const viewer<System> view(system, s);
  const double latest = last_seen(s);
  const std::vector<int> shown = shown_states(*s.model);
  const auto observe = [&](run_data& data, double t, const double* y) {
    std::size_t next = 0;
    const auto put = [&](double value) { data.columns[next++].values.push_back(value); };
    const double seen = std::min(t, latest);
    const auto in = view.drive_at(t, y);
    put(t);
    put(in.x);
    put(in.v);
    put(view.force(t, y));
    if (!s.force.is_constant()) put(s.force.value(seen));
    if (!s.anchor.is_constant()) put(s.anchor.value(seen));
    if (!s.load.is_constant()) put(s.load.value(seen));
    for (const int i : shown) put(view.states(y)[i]);
  };
  run_data result =
      s.audit ? run_audited(system, books, s, wanted, events_of(view, s), jumps_of(s), observe)
              : run_method(system, s, wanted, events_of(view, s), jumps_of(s), observe);
  drop_turns_in_contact(view, s.initial.data(), result);
  end_where_not_finite(result);
  if (is_failure(result.result.how)) {
    const double reach = has_fixed_step(s) ? s.step : s.max_step, t = result.result.t;
    const std::string blamed =
        blame_load(*s.model, s.load, std::max(0.0, t - reach), std::min(s.duration, t + reach));
    if (!blamed.empty()) result.hint = blamed;
  }
  return result;
}

// A machine that takes steps of its own.
run_data run_own(const scenario& s, const simulate_options& wanted) {
  const machine& which = *s.assembled;
  const energy_books books = which.books();
  const record_limit memory(s, wanted, s.audit ? auditor::column_names(books).size() : 0);
  memory.check(s);
  const auto moving = which.start(to_string(s.integrator), s.tolerance.relative);
  run_data data;
  for (const auto& header : columns_of(s)) data.columns.push_back({header.name, header.in, {}});
  std::vector<double> outputs(which.outputs().size());
  std::vector<double> energies(static_cast<std::size_t>(books.energies()));
  std::vector<double> flows(static_cast<std::size_t>(books.powers()));
  auditor audit(books, s.audit_tolerance);
  // Says whether there are numbers to show.
  const auto observe = [&](double t) {
    moving->observe(outputs.data());
    if (!detail::all_finite(outputs.data(), static_cast<int>(outputs.size()))) return false;
    data.columns[0].values.push_back(t);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      data.columns[i + 1].values.push_back(outputs[i]);
    if (!s.audit) return true;
    moving->energies(energies.data());
    moving->flows(flows.data());
    audit.add(t, energies.data(), flows.data());
    return true;
  };
  auto& result = data.result;
  const bool adapts = !is_fixed_step(s.integrator);
  const double piece = !adapts ? s.step : s.sample > 0 ? s.sample : s.max_step;
  const double pieces = std::clamp(std::round(s.duration / piece), 1.0, 1e15);
  const double h = s.duration / pieces;
  run_watch watch(
      limits_of(s, wanted, [&] { return memory.is_full(data.columns.front().values.size()); }));
  double t = 0;  // at which the piece begins
  const auto before_each_step = [&](double done) {
    if (moving->steps() >= s.max_steps) return outcome::step_limit;
    if (!watch.is_due()) return outcome::completed;
    if (wanted.progress) wanted.progress((t + done) / s.duration);
    return watch.look();
  };
  bool is_finite = observe(0);
  double samples = 0;
  for (double n = 1; n <= pieces && is_finite && result.how == outcome::completed; ++n) {
    const auto [how, done] = moving->advance(h, before_each_step);
    result.how = how;
    t = how == outcome::completed ? n * h : t + done;
    // What stopped a run in the middle of a piece leaves a state to be shown.
    const bool due = s.sample <= 0 || n == pieces || how != outcome::completed ||
                     t >= (samples + 1) * s.sample - 0.5 * h;
    if (!due || !(t > data.columns[0].values.back())) continue;
    ++samples;
    is_finite = observe(t);
  }
  result.t = t;
  result.steps = moving->steps();
  result.rejected = moving->rejected();
  result.evaluations = moving->evaluations();
  data.hint = hint_for(s, result.how);
  if (!is_finite && !is_failure(result.how)) {
    result.how = outcome::not_finite;
    data.hint = fmt::format("a step of {:g} s is probably too long: try {:g} s", h, h / 10);
  }
  if (s.audit) {
    data.audit = audit.finish();
    for (const auto& each : data.audit->columns)
      data.audit_columns.push_back({each.name, units::joule, each.values});
  }
  return data;
}

template <int Capacity>
run_data run_machine_of(const scenario& s, const simulate_options& wanted) {
  const machine& which = *s.assembled;
  if (which.runs_itself()) return run_own(s, wanted);
  const machine_view<Capacity> system{&which, static_cast<int>(s.initial.size())};
  const int shown = static_cast<int>(which.states().size());
  // Where an input jumps at the very end, it is shown as it was just before.
  double latest = s.duration;
  for (const double jump : which.jumps(0, 2 * s.duration))
    if (jump == s.duration) latest = std::nextafter(s.duration, 0.0);
  std::vector<double> outputs(which.outputs().size());
  // Events that change the state belong to the system and are never left out.
  auto events = which.events();
  if (!s.events) std::erase_if(events, [](const event& each) { return !each.change; });
  const auto observe = [&](run_data& data, double t, const double* y) {
    std::size_t next = 0;
    const auto put = [&](double value) { data.columns[next++].values.push_back(value); };
    which.observe(std::min(t, latest), y, outputs.data());
    put(t);
    for (int i = 0; i < shown; ++i) put(y[i]);
    for (const double each : outputs) put(each);
  };
  const auto jumps = which.jumps(0, s.duration);
  if (!s.audit) return run_method(system, s, wanted, events, jumps, observe);
  return run_audited(system, system, s, wanted, events, jumps, observe);
}

run_data run_machine(const scenario& s, const simulate_options& wanted) {
  if (s.initial.size() <= machine_capacity) return run_machine_of<machine_capacity>(s, wanted);
  if (s.initial.size() <= middle_machine_capacity)
    return run_machine_of<middle_machine_capacity>(s, wanted);
  return run_machine_of<largest_machine_capacity>(s, wanted);
}

// A run that failed may have reached a state, itself finite, where the forces are not numbers.
void drop_last_rows_without_numbers(run_data& data) {
  if (data.columns.empty()) return;
  const auto is_bad = [](const column& each) { return !std::isfinite(each.values.back()); };
  const std::size_t rows = data.columns[0].values.size();
  for (std::size_t left = rows; left > 1; --left) {
    if (std::none_of(data.columns.begin(), data.columns.end(), is_bad)) return;
    for (auto* list : {&data.columns, &data.audit_columns})
      for (auto& each : *list)
        if (each.values.size() == left) each.values.pop_back();
  }
}

}  // namespace

run_data simulate(const scenario& s, const simulate_options& wanted) {
  // The start may have been changed since the scenario was read.
  const std::size_t states =
      s.assembled ? s.assembled->initial().size()
                  : static_cast<std::size_t>(s.mechanical_states() + s.model->states());
  if (s.initial.size() != states)
    throw error(fmt::format("the initial state has {} values, but the system has {} states",
                            s.initial.size(), states));
  const signal_inputs inputs{s.force, s.anchor, s.load};
  switch (s.system) {
    case system_kind::machine: {
      run_data data = run_machine(s, wanted);
      if (is_failure(data.result.how)) {
        data.result.detail = s.assembled->complaint();
        // It knows better than a guess by the method.
        if (!data.result.detail.empty()) data.hint.clear();
        drop_last_rows_without_numbers(data);
      }
      return data;
    }
    case system_kind::bouncing_mass: {
      const any_bouncing_mass mass{*s.model, s.mass, inputs};
      return run_system(mass, bouncing_mass_books{mass}, s, wanted);
    }
    case system_kind::prescribed_motion: {
      const prescribed_motion moved{*s.model, s.motion, s.motion_is_velocity, s.load};
      return run_system(moved, prescribed_motion_books{moved}, s, wanted);
    }
    default: {
      const any_sliding_mass mass{*s.model, s.mass, s.stiffness, s.damping, inputs};
      return run_system(mass, sliding_mass_books{mass}, s, wanted);
    }
  }
}

// ---- results ------------------------------------------------------------------------------------

const column* run_data::find(std::string_view column_name) const {
  for (const auto* list : {&columns, &audit_columns})
    for (const auto& each : *list)
      if (each.name == column_name) return &each;
  return nullptr;
}

const std::vector<double>& run_data::operator[](std::string_view column_name) const {
  if (const column* found = find(column_name)) return found->values;
  std::vector<std::string> names;
  for (const auto* list : {&columns, &audit_columns})
    for (const auto& each : *list) names.push_back(each.name);
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
