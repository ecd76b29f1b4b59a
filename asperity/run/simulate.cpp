// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/inclusion/inclusion_system.hpp>
#include <asperity/mechanics/load.hpp>
#include <asperity/mechanics/memory_step.hpp>
#include <asperity/mechanics/planar_system.hpp>
#include <asperity/mechanics/signal.hpp>
#include <asperity/mechanics/sliding_system.hpp>
#include <asperity/run/jumps.hpp>
#include <asperity/run/memory.hpp>
#include <asperity/run/rows.hpp>
#include <asperity/run/simulate.hpp>
#include <asperity/text/reader.hpp>
#include <cmath>
#include <numbers>

namespace asperity {

namespace {

// ---- after a failure ----------------------------------------------------------------------------

bool is_unstable(const scenario& s, const stability_report& found) {
  return found.diverges || found.limit < s.step;
}

std::string hint_for(const scenario& s, outcome how, const stability_report& stability = {}) {
  const method_row& own = *s.method;
  // Where friction jumps at rest, every other method shrinks its steps without end.
  const bool jumps = !s.system->card().chatters.empty();
  const auto may_take = [&](const method_row& each) {
    return (!jumps || each.holds_at_rest) && why_not(*s.system, each).empty();
  };
  const method_row* advised = nullptr;
  for (const method_row* each : methods())
    if (each->stiff_advice > (advised != nullptr ? advised->stiff_advice : 0) && may_take(*each))
      advised = each;
  const bool chatters = jumps && !own.holds_at_rest;
  if (const method_row* other = find_method("switch");
      chatters && advised == nullptr && may_take(*other))
    advised = other;
  // One that chooses its steps and copes with stiffness, but is not advised itself, needs no advice.
  const bool copes = !chatters && !own.is_fixed && own.when_stiff != stiff_steps::short_ones &&
                     own.stiff_advice == 0;
  const bool has_other = !copes && advised != nullptr && advised != &own;
  const char* stiff_method = has_other ? advised->name : "";
  constexpr const char* chattering = "friction that jumps at rest makes it chatter";
  if (is_failure(how) && is_unstable(s, stability))
    return describe_instability(*s.system, s, stability);
  switch (how) {
    case outcome::not_finite:
      if (has_fixed_step(s) && !s.method->is_closed_form())
        return fmt::format("{} at step {:g} s is probably unstable; {}", s.method->name, s.step,
                           advice_on_steps(*s.system));
      return "check the parameters, the initial state and the inputs: a force grows without bound";
    case outcome::step_limit:
      if (has_other)
        return fmt::format("{}: try method = \"{}\"; or raise max_steps",
                           chatters ? chattering : "the problem is probably stiff", stiff_method);
      return "raise integrator.max_steps";
    case outcome::time_limit:
      if (has_other)
        return fmt::format("{}: try method = \"{}\"; or raise the time limit",
                           chatters ? chattering : "the problem may be stiff", stiff_method);
      return "raise the time limit, or shorten run.duration";
    case outcome::memory_limit:
      return "choose a longer run.sample or a shorter run.duration, or raise run.memory_limit";
    case outcome::step_too_small:
      if (has_other) return fmt::format("try method = \"{}\"", stiff_method);
      return "no step meets the tolerances there: check the parameters and inputs for a force that "
             "jumps or grows without bound, or try another method of `asperity methods`";
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
    const bool counts_steps = s.sample == 0 && s.method->is_fixed;
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

void tell_progress(const simulate_options& wanted, double fraction, const run_data& so_far) {
  if (wanted.progress) wanted.progress(fraction);
  if (wanted.glimpse) wanted.glimpse(so_far);
}

// Whether a warning before the run says so already.
bool is_said(const scenario& s, const char* words) {
  return std::any_of(s.warnings.begin(), s.warnings.end(),
                     [&](const auto& each) { return each.find(words) != std::string::npos; });
}

// What half the steps say about a run.
void tell_step_errors(const scenario& s, const step_error& found, run_data& data) {
  constexpr double doubtful = 0.01;  // of the range of a state
  const auto states = states_of(s);
  std::size_t worst = 0;
  double share = 0;
  for (std::size_t i = 0; i < std::min(found.error.size(), states.size()); ++i) {
    data.step_errors.push_back({states[i].name, found.error[i], states[i].in});
    // What rounding alone moves is no motion.
    const double rounding =
        1e-7 * s.tolerance.absolute[std::min(i, s.tolerance.absolute.size() - 1)];
    if (found.range[i] > rounding && !(found.error[i] <= share * found.range[i])) {
      worst = i;
      share = found.range[i] > 0 ? found.error[i] / found.range[i] : 0;
    }
  }
  if (share <= doubtful) return;
  const std::string in =
      is_plain(states[worst].in) ? "" : fmt::format(" {}", to_string(states[worst].in));
  data.doubts.push_back(
      fmt::format("steps of {:g} s are long for this run: compared with steps of half the length, "
                  "{} may be wrong by {:.2g}{}, while it ranges over {:.2g}{}; {}",
                  s.step, states[worst].name, found.error[worst], in, found.range[worst], in,
                  advice_on_steps(*s.system)));
}

// What the energy says about steps of fixed length of a system that takes its own.
void tell_energy_gap(const scenario& s, double h, const audit_report& found, run_data& data) {
  constexpr double doubtful = 0.01;
  if (!(found.relative_residual() > doubtful)) return;
  data.doubts.push_back(fmt::format(
      "steps of {:g} s are too long for this run: the energy balance is off by {:.2g} J at t = "
      "{:.4g} s, of {:.2g} J that were exchanged; {}",
      h, found.residual, found.residual_at, found.exchanged, advice_on_steps(*s.system)));
}

// A method that follows a swing of that many radians, and how: an explicit one of fifth order makes
// it smaller by about 0.7 of its relative tolerance with every radian.
std::string what_follows(const scenario& s, double radians) {
  const double loses_little =
      std::clamp(std::pow(10, std::floor(std::log10(0.01 / radians))), 1e-13, 1e-9);
  for (const char* name : {"dopri5", "switch"}) {
    const method_row* row = find_method(name);
    if (!why_not(*s.system, *row).empty()) continue;
    if (!s.system->card().chatters.empty() && !row->holds_at_rest) continue;
    return fmt::format("method = \"{}\" with relative_tolerance = {:g} resolves it", name,
                       loses_little);
  }
  return "a run with a shorter run.duration resolves it";
}

// What of a swing was not followed.
void tell_damped(const scenario& s, const damped_swing& lost, run_data& data) {
  if (lost.times == 0) return;
  std::string widths;
  const auto states = states_of(s);
  for (std::size_t i = 0; i < std::min(states.size(), lost.width.size()); ++i)
    if (i < 2)
      widths += fmt::format("{}{:.2g} {} in {}", i > 0 ? " and " : "", lost.width[i],
                            to_string(states[i].in), states[i].name);
  // A body's place and its velocity tell the frequency.
  const bool is_known = lost.width.size() > 1 && lost.width[0] > 0 && lost.width[1] > 0;
  const double radians = is_known ? lost.width[1] / lost.width[0] * (s.duration - lost.since) : 1e9;
  data.doubts.push_back(
      fmt::format("from t = {:.3g} s on, a fast oscillation with a width of {} is damped instead "
                  "of resolved, which would take millions of steps: v and f show its mean{}; {}",
                  lost.since, widths,
                  s.audit ? ", and the energy balance lacks the energy of the oscillation" : "",
                  what_follows(s, radians)));
}

// How deep the contacts of an inclusion went.
void tell_depths(const scenario& s, const workspace& work, run_data& data) {
  const auto* stated = dynamic_cast<const inclusion_system*>(s.system.get());
  if (stated == nullptr) return;
  for (auto& each : stated->depths(work)) {
    if (each.is_doubtful) {
      data.doubts.push_back(std::move(each.text));
    } else {
      data.result.detail += fmt::format("{}{}", data.result.detail.empty() ? "" : "; ", each.text);
    }
  }
}

// A body that friction without drift should hold slips all the same: what acts on it is below what
// the friction holds at rest, but what swings on its bristles feels more than that.
struct slip_below_limit {
  std::string what;                // it does, such as "it slips at t = 1 s"
  const char* by;                  // what acts: "force"
  double share;                    // of what the friction holds, at most
  std::string own_frequency = {};  // of the body on its bristles
};
void tell_slip_below_limit(const slip_below_limit& found, run_data& data) {
  data.doubts.push_back(
      fmt::format("{}, although the {} never exceeds {:.3g} % of the static friction: a body that "
                  "vibrates on its bristles loads the friction with more than the {}{}, and a "
                  "friction limit that falls with the speed also falls with the speed of the "
                  "vibration (docs/reliability.md, \"Under vibration\")",
                  found.what, found.by, 100 * found.share, found.by, found.own_frequency));
}

double in_hertz(double omega) { return omega / (2 * std::numbers::pi); }

std::string slips_at(const std::vector<double>& slips, bool has_events) {
  if (slips.size() == 1) return fmt::format("the body slips at t = {:.4g} s", slips.front());
  return fmt::format("the body slips {}{} {}, first at t = {:.4g} s", has_events ? "" : "in ",
                     slips.size(), has_events ? "times" : "rows", slips.front());
}

// How far bristles lean under their limit, as stiff as they are up to half of it: they are pulled so
// slowly that no damper matters. Laws without states have none.
double deflection_of(const any_model& friction, double load) {
  if (friction.states() == 0) return 0;
  const double limit = friction.force_bound(0, 0, load);
  const auto holds = [&](double way) {
    constexpr double v = 1e-12;
    double state[any_model::max_states];
    friction.initial(state);
    return friction.advance(state, {0, v, load}, {way, v, load}, way / v) < 0.5 * limit;
  };
  double least = 1e-30, most = 1e10;
  while (most > 1.01 * least) {
    const double way = std::sqrt(least * most);
    (holds(way) ? least : most) = way;
  }
  return 2 * most;
}

void look_for_slip_below_limit(const scenario& s, const named_sliding_mass& body, run_data& data) {
  if (body.k != 0 || !body.friction.has_bound() ||
      (body.friction.describe().claims & no_drift) == 0)
    return;
  auto slips = data.times_of("slip");
  const bool has_events = can_tell_slip(body.friction);
  if (!has_events) {  // it slips where its force is at the limit
    const auto &t = data["t"], &f = data["f"];
    for (std::size_t i = 0; i < t.size(); ++i)
      if (std::abs(f[i]) >= (1 - 1e-9) * body.friction.force_bound(0, 0, body.inputs.load(t[i])))
        slips.push_back(t[i]);
  }
  if (slips.empty()) return;
  const double looks =
      std::min(2e6, std::max(1e3, 32 * s.duration / body.inputs.push.shortest_period()));
  double share = 0, load = 0;
  for (double i = 0; i <= looks && share < 1; ++i) {
    const double t = s.duration * i / looks;
    load = std::max(load, body.inputs.load(t));
    share = std::max(share, std::abs(body.inputs.force(t)) /
                                body.friction.force_bound(0, 0, body.inputs.load(t)));
  }
  // Where nothing pushes it, it slips as it was thrown.
  if (!(share > 0 && share < 1)) return;
  // So does one that starts faster than any swing that loads its bristles by more than the force:
  // those are below sqrt(2) times its own frequency.
  const double v = s.initial[1];
  if (body.m * v * v >
      2 * body.friction.force_bound(0, 0, load) * deflection_of(body.friction, load))
    return;
  const auto work = s.system->new_workspace();
  work->setting = s;
  const system_view view(*s.system, *work, static_cast<int>(s.initial.size()), false);
  double own = 0;  // [rad/s] of the body on its bristles
  if (body.friction.is_ode())
    for (const auto mode : modes_of(view, 0, s.initial.data()))
      if (mode.imag() > 0) own = std::max(own, std::abs(mode));
  tell_slip_below_limit(
      {slips_at(slips, has_events), "force", share,
       own > 0
           ? fmt::format(", most of all near their natural frequency of {:.3g} Hz", in_hertz(own))
           : ""},
      data);
}

// Cells of a patch may slip one by one while the others hold: what counts is that all do, or that
// the body goes farther than its cells can lean to either side.
void look_for_slip_below_limit(const scenario& s, const planar_contact_system& body,
                               workspace& work, run_data& data) {
  const auto cells = body.what_holds(s.initial.data(), s.duration);
  if (!cells || cells->is_thrown) return;
  constexpr double all = 1 - 1e-9, nearly = 1 - 1e-3;
  std::vector<double> slips;
  for (const auto& each : data.events) {
    if (each.name != "slip") continue;
    // It is found where the first cell begins; all begin together where the body does not turn.
    const auto loaded = body.utilisation(each.t, each.state.data(), work);
    if (*std::min_element(loaded.begin(), loaded.end()) >= nearly) slips.push_back(each.t);
  }
  const bool has_events = !slips.empty();
  const auto &t = data["t"], &x = data["x"], &y = data["y"], &theta = data["theta"],
             &share = data["slipping"];
  double way = 0, turn = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (!has_events && share[i] >= all) slips.push_back(t[i]);
    way = std::max(way, std::hypot(x[i] - x[0], y[i] - y[0]));
    turn = std::max(turn, std::abs(theta[i] - theta[0]));
  }
  if (slips.empty() && way + cells->reach * turn <= 2 * cells->deflection) return;
  const double most = cells->share();
  if (!(most > 0 && most < 1)) return;  // what nothing pushes was thrown
  tell_slip_below_limit(
      {slips.empty()
           ? fmt::format("the cells slip in turn, and the body moves by {:.2g} m and {:.2g} rad",
                         way, turn)
           : slips_at(slips, has_events),
       "push", most,
       fmt::format(", most of all near their natural frequencies of {:.3g} Hz along the surface "
                   "and {:.3g} Hz about the centre of mass",
                   in_hertz(cells->along), in_hertz(cells->about))},
      data);
}

void look_for_slip_below_limit(const scenario& s, workspace& work, run_data& data) {
  if (const auto* mass = sliding_mass_in(*s.system)) look_for_slip_below_limit(s, *mass, data);
  if (const auto* body = dynamic_cast<const planar_contact_system*>(s.system.get()))
    look_for_slip_below_limit(s, *body, work, data);
}

// Rates do not see how a load changes, so that what a falling load alone moves stays where it was.
void tell_load_not_followed(const scenario& s, run_data& data) {
  if (s.method == &detail::advance_method) return;
  const auto& card = s.system->card();
  const auto is_load = [](const auto& in) { return in.name == "load" && !in.shape->is_constant(); };
  if (std::none_of(card.inputs.begin(), card.inputs.end(), is_load)) return;
  for (const auto& each : card.models)
    if (is_moved_by_load(*each.model))
      data.doubts.push_back(fmt::format(
          "{}: a falling load moves its sliders, which method {} does not resolve{}",
          each.model->key(), s.method->name,
          why_not(*s.system, detail::advance_method).empty() ? ": method = \"advance\" does" : ""));
}

// Positions and velocities have absolute tolerances that suit metres: of a motion over nanometres
// they leave nothing to see. Of several bodies the one that moves most counts, since others may rest.
void tell_coarse_tolerances(const scenario& s, run_data& data) {
  constexpr double doubtful = 0.1;  // of the range
  if (has_fixed_step(s) || s.method->needs == method_needs::linear) return;
  const auto& states = s.system->card().states;
  const auto range_of = [&](std::size_t i) {
    const column* found = data.find(states[i].name);
    if (found == nullptr || found->values.empty()) return 0.0;
    const auto [low, high] = std::minmax_element(found->values.begin(), found->values.end());
    return *high - *low;
  };
  std::size_t farthest = 0;
  double range = 0;
  bool is_body = false;  // where the motion is given there is no velocity among the states
  std::string advice;
  for (std::size_t i = 0; i < std::min(states.size(), s.tolerance.absolute.size()); ++i) {
    const bool is_place = states[i].in == units::metre;
    if (states[i].scale != 0 || (!is_place && states[i].in != units::metre / units::second))
      continue;
    const double its = range_of(i);
    is_body = is_body || !is_place;
    if (its > 0)
      advice += fmt::format("{}{} = {:.1g}", advice.empty() ? "" : ", ", states[i].name,
                            s.tolerance.relative * its);
    if (is_place && its > range) {
      range = its;
      farthest = i;
    }
  }
  // What rounding alone moves is no motion.
  const double allowed = s.tolerance.absolute[farthest];
  if (!is_body || range <= 1e-7 * allowed || allowed <= doubtful * range) return;
  const std::string in = to_string(states_of(s)[farthest].in);
  data.doubts.push_back(fmt::format(
      "{0} ranges over {1:.2g} {2} only, but its absolute tolerance is {3:.2g} {2}: the motion is "
      "too small to be resolved; set integrator.absolute_tolerance = {{ {4} }}",
      states[farthest].name, range, in, allowed, advice));
}

// A law that creates energy makes what disturbs a body grow, the errors of steps as well.
void tell_created_energy(const scenario& s, run_data& data) {
  const energy_balance* energy = s.system->energy();
  if (energy == nullptr || energy->terms().held.empty()) return;  // its motion is given
  for (const auto& each : s.system->card().models) {
    const any_model& model = *each.model;
    if (*model.no_energy() == 0) continue;
    data.doubts.push_back(
        fmt::format("{}: {}, so that small disturbances of the body grow: `asperity run --refine` "
                    "shows how far the results may be wrong",
                    model.key(), model.no_energy()));
  }
}

// ---- one run ------------------------------------------------------------------------------------

energy_terms audited_terms(const scenario& s) {
  if (const std::string why = why_no_audit(s); !why.empty())
    throw error(fmt::format("run.audit = true: {}", why));
  return s.system->energy()->terms();
}

// What bodies lose in a change of their state, such as an impact, an element takes and loses.
void add_change_to_flows(event& which, const energy_balance& energy, std::size_t states,
                         workspace& work) {
  which.change = [&energy, &work, states, change = which.change, element = which.element](
                     double t, double* y) {
    const energy_terms& terms = energy.terms();
    std::vector<double> before(static_cast<std::size_t>(terms.energies())), after(before.size());
    energy.energies(t, y, before.data(), work);
    change(t, y);
    energy.energies(t, y, after.data(), work);
    double* flow = y + states + terms.supplies.size();
    for (int e = 0; e < element; ++e)
      flow += 1 + terms.elements[static_cast<std::size_t>(e)].losses.size();
    double taken = 0;
    for (std::size_t i = 0; i < terms.held.size(); ++i) taken += before[i] - after[i];
    const auto own = terms.held.size() + static_cast<std::size_t>(element);
    flow[0] += taken;
    if (!terms.elements[static_cast<std::size_t>(element)].losses.empty())
      flow[1] += taken + before[own] - after[own];
  };
}

run_data run_by_method(const scenario& s, const simulate_options& wanted) {
  const system& which = *s.system;
  const auto work = which.new_workspace();
  work->setting = s;
  const energy_terms terms = s.audit ? audited_terms(s) : energy_terms{};
  const system_view view(which, *work, static_cast<int>(s.initial.size()), s.audit);

  const record_limit memory(s, wanted, s.audit ? auditor::column_names(terms).size() : 0);
  memory.check(s);
  run_data data;
  for (const auto& header : columns_of(s)) data.columns.push_back({header.name, header.in, {}});

  // Events that change the state belong to the system and are never left out.
  auto events = which.events(*work);
  if (!s.events) std::erase_if(events, [](const event& each) { return !each.change; });
  events.insert(events.end(), wanted.events.begin(), wanted.events.end());
  const double latest = last_seen(which.card(), s.duration);
  for (event& each : events) {
    if (!each.name.empty()) data.event_names.push_back(each.name);
    if (each.change && s.audit) add_change_to_flows(each, *which.energy(), s.initial.size(), *work);
    if (latest < s.duration)
      each.value = [value = each.value, latest](double t, const double* y) {
        return value(std::min(t, latest), y);
      };
  }

  row_writer rows(s, *work);
  std::vector<double> row(data.columns.size());
  auditor audit(terms, s.audit_tolerance);
  std::vector<double> energies(static_cast<std::size_t>(terms.energies()));
  const std::function<void(double, const double*)> observe = [&](double t, const double* y) {
    rows.fill(t, y, row.data());
    for (std::size_t i = 0; i < row.size(); ++i) data.columns[i].values.push_back(row[i]);
    if (!s.audit) return;
    which.energy()->energies(std::min(t, latest), y, energies.data(), *work);
    audit.add(t, energies.data(), y + s.initial.size());
  };

  run_options options;
  options.to = s.duration;
  options.sample_every = s.sample;
  options.max_steps = s.max_steps;
  options.jumps = jumps_of(which.card(), 0, s.duration);
  // A motion through nodes turns at them: a model that remembers reversals must see them.
  options.stop_at_jumps = s.method->stops_at_jumps;
  std::vector<event_record> found;
  options.limits = limits_of(s, wanted, [&] {
    return memory.is_full(data.columns.front().values.size(), found.size(), s.initial.size());
  });
  options.progress = [&](double t) { tell_progress(wanted, t / s.duration, data); };

  std::vector<double> start = s.initial;
  start.resize(static_cast<std::size_t>(view.size()), 0.0);
  const method_report report =
      s.method->run({view, s, start.data(), options, events, found, observe});
  data.result = report.result;
  for (const auto& each : report.shares) data.shares.push_back({each.method, each.steps});
  tell_damped(s, report.damped, data);
  if (!is_failure(data.result.how)) tell_depths(s, *work, data);
  const bool unstable = is_unstable(s, report.stability);
  if (!is_failure(data.result.how) && has_fixed_step(s)) {
    if (unstable && !is_said(s, "is unstable"))
      data.doubts.push_back(describe_instability(which, s, report.stability));
    tell_step_errors(s, report.errors, data);
  }

  which.review(s.initial.data(), found, events, *work);
  for (auto& each : found) {
    each.y.resize(s.initial.size());
    data.events.push_back({events[each.which].name, each.t, std::move(each.y)});
  }
  if (s.audit) {
    data.audit = audit.finish();
    for (const auto& each : data.audit->columns)
      data.audit_columns.push_back({each.name, units::joule, each.values});
  }
  if (report.stability.diverges)
    data.result.detail = "the state grew beyond any physical magnitude";
  if (!is_failure(data.result.how)) {
    look_for_slip_below_limit(s, *work, data);
    tell_created_energy(s, data);
    tell_coarse_tolerances(s, data);
    tell_load_not_followed(s, data);
  }
  const bool has_gap = end_where_not_finite(data);
  if (!has_gap || unstable) {
    data.hint = hint_for(s, data.result.how, report.stability);
  } else if (s.method->is_explicit() && data.result.t > 0) {
    // Too many states to be looked at, say: outputs may overflow before the states do.
    data.hint = fmt::format("{}; if that does not help, {}",
                            hint_for(s, data.result.how, report.stability), data.hint);
  }
  if (!is_failure(data.result.how) || unstable) return data;
  const double reach = has_fixed_step(s) ? s.step : s.max_step, t = data.result.t;
  const std::string blamed =
      which.explain_failure(std::max(0.0, t - reach), std::min(s.duration, t + reach));
  if (!blamed.empty()) {
    data.hint = blamed;
  } else if (data.result.how == outcome::not_finite || data.result.how == outcome::step_too_small) {
    for (const auto& each : which.card().models)
      if (const std::string full = blame_memory(*each.model, data); !full.empty()) data.hint = full;
  }
  // The system knows better than a guess by the method.
  if (!work->complaint.empty()) {
    data.result.detail = work->complaint;
    data.hint.clear();
  }
  return data;
}

// A system that takes steps of its own.
run_data run_marching(const scenario& s, const simulate_options& wanted) {
  const system& which = *s.system;
  const marching& march = *which.march();
  const auto work = which.new_workspace();
  work->setting = s;
  // Of explicit steps of fixed length the energy tells whether they are short enough.
  const bool is_judged = s.method->is_explicit() && why_no_audit(s).empty();
  const energy_terms terms = s.audit || is_judged ? audited_terms(s) : energy_terms{};
  const record_limit memory(s, wanted, s.audit ? auditor::column_names(terms).size() : 0);
  memory.check(s);
  run_data data;
  for (const auto& header : columns_of(s)) data.columns.push_back({header.name, header.in, {}});
  std::vector<double> outputs(which.card().outputs.size());
  std::vector<double> energies(static_cast<std::size_t>(terms.energies()));
  std::vector<double> flows(static_cast<std::size_t>(terms.powers()));
  auditor audit(terms, s.audit_tolerance);
  // Says whether there are numbers to show.
  const auto observe = [&](double t) {
    which.observe(t, nullptr, outputs.data(), *work);
    if (!detail::all_finite(outputs.data(), static_cast<int>(outputs.size()))) return false;
    data.columns[0].values.push_back(t);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      data.columns[i + 1].values.push_back(outputs[i]);
    if (!s.audit && !is_judged) return true;
    which.energy()->energies(t, nullptr, energies.data(), *work);
    march.flows(flows.data(), *work);
    audit.add(t, energies.data(), flows.data());
    return true;
  };
  auto& result = data.result;
  const bool adapts = !has_fixed_step(s);
  const double piece = !adapts ? s.step : s.sample > 0 ? s.sample : s.max_step;
  const double pieces = std::clamp(std::round(s.duration / piece), 1.0, 1e15);
  const double h = s.duration / pieces;
  run_watch watch(
      limits_of(s, wanted, [&] { return memory.is_full(data.columns.front().values.size()); }));
  double t = 0;  // at which the piece begins
  const auto before_each_step = [&](double done) {
    if (march.count(*work).steps >= s.max_steps) return outcome::step_limit;
    if (!watch.is_due()) return outcome::completed;
    tell_progress(wanted, (t + done) / s.duration, data);
    return watch.look();
  };
  bool is_finite = observe(0);
  double samples = 0;
  for (double n = 1; n <= pieces && is_finite && result.how == outcome::completed; ++n) {
    const auto [how, done] = march.onward(h, before_each_step, *work);
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
  const auto counts = march.count(*work);
  result.steps = counts.steps;
  result.rejected = counts.rejected;
  result.evaluations = counts.evaluations;
  data.hint = hint_for(s, result.how);
  if (!is_finite && !is_failure(result.how)) {
    result.how = outcome::not_finite;
    data.hint = fmt::format("a step of {:g} s is probably too long; {}", h, advice_on_steps(which));
  }
  if (is_judged) tell_energy_gap(s, h, audit.finish(), data);
  if (s.audit) {
    data.audit = audit.finish();
    for (const auto& each : data.audit->columns)
      data.audit_columns.push_back({each.name, units::joule, each.values});
  }
  return data;
}

}  // namespace

std::string why_no_audit(const scenario& s) {
  const energy_balance* energy = s.system->energy();
  if (energy == nullptr)
    return fmt::format("the energy balance of a {} cannot be checked: {}", s.system->card().kind,
                       s.system->card().why_no.energy);
  if (s.system->march() != nullptr) return "";
  const int flows = energy->terms().powers();
  if (flows > energy_terms::most_flows ||
      (!has_fixed_step(s) && static_cast<int>(s.initial.size()) + flows > tolerances::most_states))
    return "this system has too many states and elements for an audit";
  return "";
}

run_data simulate(const scenario& s, const simulate_options& wanted) {
  // The start may have been changed since the scenario was read.
  if (const std::size_t states = s.system->initial().size(); s.initial.size() != states)
    throw error(fmt::format("the initial state has {} values, but the system has {} states",
                            s.initial.size(), states));
  return s.system->march() != nullptr ? run_marching(s, wanted) : run_by_method(s, wanted);
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
  throw error(fmt::format("unknown column '{}': {}", column_name, suggest(column_name, names)));
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
