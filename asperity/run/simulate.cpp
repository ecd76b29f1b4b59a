// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/inclusion/inclusion_system.hpp>
#include <asperity/mechanics/load.hpp>
#include <asperity/mechanics/memory_step.hpp>
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
  const method_row* advised = nullptr;
  for (const method_row* each : methods())
    if (each->stiff_advice > (advised != nullptr ? advised->stiff_advice : 0) &&
        why_not(*s.system, *each).empty())
      advised = each;
  // One that chooses its steps and copes with stiffness, but is not advised itself, needs no advice.
  const bool copes =
      !own.is_fixed && own.when_stiff != stiff_steps::short_ones && own.stiff_advice == 0;
  const bool has_other = !copes && advised != nullptr && advised != &own;
  const char* stiff_method = has_other ? advised->name : "";
  if (is_failure(how) && is_unstable(s, stability))
    return describe_instability(*s.system, s, stability);
  switch (how) {
    case outcome::not_finite:
      if (has_fixed_step(s) && !s.method->is_closed_form())
        return fmt::format("{} at step {:g} s is probably unstable; {}", s.method->name, s.step,
                           advice_on_steps(*s.system));
      return "check the parameters, the initial state and the inputs: a force grows beyond all "
             "bounds";
    case outcome::step_limit:
      if (has_other)
        return fmt::format("the problem is probably stiff: try method = \"{}\"; or raise max_steps",
                           stiff_method);
      return "raise integrator.max_steps";
    case outcome::time_limit:
      return has_other ? fmt::format(
                             "the problem may be stiff: try method = \"{}\"; or raise the "
                             "time limit",
                             stiff_method)
                       : "raise the time limit, or shorten run.duration";
    case outcome::memory_limit:
      return "choose a longer run.sample or a shorter run.duration, or raise run.memory_limit";
    case outcome::step_too_small:
      if (has_other) return fmt::format("try method = \"{}\"", stiff_method);
      return "no step meets the tolerances there: check the parameters and inputs for a force that "
             "jumps or grows beyond all bounds, or try another of `asperity methods`";
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
    if (!(found.error[i] <= share * found.range[i])) {
      worst = i;
      share = found.range[i] > 0 ? found.error[i] / found.range[i] : 0;
    }
  }
  if (share <= doubtful) return;
  const std::string in =
      is_plain(states[worst].in) ? "" : fmt::format(" {}", to_string(states[worst].in));
  data.doubts.push_back(fmt::format(
      "steps of {:g} s are long for this run: by steps of half the length {} may be wrong by "
      "{:.2g}{}, while it ranges over {:.2g}{}; {}",
      s.step, states[worst].name, found.error[worst], in, found.range[worst], in,
      advice_on_steps(*s.system)));
}

// What the energy says about steps of fixed length of a system that takes its own.
void tell_energy_gap(const scenario& s, double h, const audit_report& found, run_data& data) {
  constexpr double doubtful = 0.01;
  if (!(found.relative_residual() > doubtful)) return;
  data.doubts.push_back(fmt::format(
      "steps of {:g} s are too long for this run: {:.2g} J came from nowhere or went nowhere by "
      "t = {:.4g} s, of {:.2g} J that changed hands; {}",
      h, found.residual, found.residual_at, found.exchanged, advice_on_steps(*s.system)));
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
  data.doubts.push_back(fmt::format(
      "from t = {:.3g} s on a fast swing, {} wide, is damped instead of followed, which would "
      "take millions of steps: v and f show its mean{}; method = \"dopri5\" follows it",
      lost.since, widths,
      s.audit ? ", and the energy balance is short of what the swing had" : ""));
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

// A body that friction without drift should hold, and that slips all the same: the force is below
// what the friction holds at rest, but what swings on its bristles feels more than the force.
void tell_slip_below_limit(const scenario& s, run_data& data) {
  const auto* body = sliding_mass_in(*s.system);
  if (body == nullptr || body->k != 0 || !body->friction.has_bound() ||
      (body->friction.describe().claims & no_drift) == 0)
    return;
  auto slips = data.times_of("slip");
  const bool has_events = can_tell_slip(body->friction);
  if (!has_events) {  // it slips where its force is at the limit
    const auto &t = data["t"], &f = data["f"];
    for (std::size_t i = 0; i < t.size(); ++i)
      if (std::abs(f[i]) >= (1 - 1e-9) * body->friction.force_bound(0, 0, body->inputs.load(t[i])))
        slips.push_back(t[i]);
  }
  if (slips.empty()) return;
  const double looks =
      std::min(2e6, std::max(1e3, 32 * s.duration / body->inputs.push.shortest_period()));
  double share = 0;
  for (double i = 0; i <= looks && share < 1; ++i) {
    const double t = s.duration * i / looks;
    share = std::max(share, std::abs(body->inputs.force(t)) /
                                body->friction.force_bound(0, 0, body->inputs.load(t)));
  }
  if (!(share < 1)) return;
  const auto work = s.system->new_workspace();
  work->setting = s;
  const system_view view(*s.system, *work, static_cast<int>(s.initial.size()), false);
  double own = 0;  // [rad/s] of the body on its bristles
  if (body->friction.is_ode())
    for (const auto mode : modes_of(view, 0, s.initial.data()))
      if (mode.imag() > 0) own = std::max(own, std::abs(mode));
  const std::string slipping =
      slips.size() == 1
          ? fmt::format("it slips at t = {:.4g} s", slips.front())
          : fmt::format("it slips {}{} {}, first at t = {:.4g} s", has_events ? "" : "in ",
                        slips.size(), has_events ? "times" : "rows", slips.front());
  data.doubts.push_back(fmt::format(
      "{}, though the force never exceeds {:.3g} % of what the friction holds at rest: a body that "
      "vibrates on its bristles loads the friction by more than the force{}, and a limit that "
      "falls with the speed falls with that of the vibration, too (docs/reliability.md, \"Under "
      "vibration\")",
      slipping, 100 * share,
      own > 0 ? fmt::format(", most near their own frequency of {:.3g} Hz",
                            own / (2 * std::numbers::pi))
              : ""));
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
          "{}: a load that falls moves its sliders, which method {} does not follow{}",
          each.model->key(), s.method->name,
          why_not(*s.system, detail::advance_method).empty() ? ": method = \"advance\" does" : ""));
}

// A law that creates energy makes what disturbs a body grow, the errors of steps as well.
void tell_created_energy(const scenario& s, run_data& data) {
  const energy_balance* energy = s.system->energy();
  if (energy == nullptr || energy->terms().held.empty()) return;  // its motion is given
  for (const auto& each : s.system->card().models) {
    const any_model& model = *each.model;
    if (*model.no_energy() == 0) continue;
    data.doubts.push_back(
        fmt::format("{}: {}, so that small differences of a body that it moves grow: asperity run "
                    "--refine says by how much the results may be wrong",
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
  if (wanted.progress) options.progress = [&](double t) { wanted.progress(t / s.duration); };

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
  if (report.stability.diverges) data.result.detail = "the state grew beyond every physical size";
  if (!is_failure(data.result.how)) {
    tell_slip_below_limit(s, data);
    tell_created_energy(s, data);
    tell_load_not_followed(s, data);
  }
  if (!end_where_not_finite(data) || unstable)
    data.hint = hint_for(s, data.result.how, report.stability);
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
    if (wanted.progress) wanted.progress((t + done) / s.duration);
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
