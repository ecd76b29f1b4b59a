// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/inclusion/inclusion_system.hpp>
#include <asperity/integrate/method.hpp>
#include <asperity/mechanics/regularisation.hpp>
#include <asperity/mechanics/signal.hpp>
#include <asperity/quantity.hpp>
#include <cmath>

namespace asperity {

namespace {

constexpr int explicit_steps_a_look = 8;  // a look costs as much as one of them

unit or_one(const std::optional<unit>& in) { return in.value_or(units::one); }

const char* suffix(std::size_t components, std::size_t k) {
  return components == 1 ? "" : k == 0 ? "_x" : "_y";
}

}  // namespace

struct inclusion_system::registers : workspace {
  std::vector<double> rates, observed, forces;
  std::vector<moving> held;
  frozen_forces parts;
  stage_solver solver;
  double complaint_time = 0;
  double worst_residual = 0, most_sweeps = 0;  // since the last row
  struct depth {
    double deepest = 0, t = 0, widest = 0;
  };
  std::vector<depth> depths;  // of each term
  // Whether a term acts against itself.
  struct looks {
    std::vector<frozen_forces::mobility> mobilities;
    std::vector<double> forces, sizes;                      // the largest ones, of each term
    double last = -HUGE_VAL, next = -HUGE_VAL, margin = 0;  // of the last look
    int steps = 0;                                          // since then
    std::string seen, verdict;  // at the end of the step; what ended the run
  } direction;

  explicit registers(const inclusion_system& of)
      : rates(static_cast<std::size_t>(of.rates_.registers)),
        observed(static_cast<std::size_t>(of.observed_.registers)),
        forces(static_cast<std::size_t>(of.system_.forces) + 1),
        held(static_cast<std::size_t>(of.held_.registers)),
        parts(*of.parts_),
        solver(of.system_, parts),
        depths(of.system_.terms.size()) {
    of.rates_.prepare(rates.data());
    of.observed_.prepare(observed.data());
    of.held_.prepare(held.data());
    direction.forces.resize(forces.size());
    direction.sizes.resize(of.system_.terms.size());
  }
  void note(const stage_solver::report& report, double t) {
    if (!direction.verdict.empty()) return;
    worst_residual = std::max(worst_residual, report.residual);
    most_sweeps = std::max(most_sweeps, static_cast<double>(report.sweeps));
    complaint = report.complaint;
    if (!complaint.empty()) complaint_time = t;
  }
};

std::unique_ptr<workspace> inclusion_system::new_workspace() const {
  return std::make_unique<registers>(*this);
}

inclusion_system::inclusion_system(inclusion source, const plan& wanted)
    : source_(std::move(source)),
      plan_(wanted),
      system_(regularise(source_, wanted.explicit_step, wanted.duration)) {
  build();
  describe();
}

inclusion_system::inclusion_system(const inclusion_system& same, const plan& wanted)
    : source_(same.source_),
      plan_(wanted),
      system_(same.system_),
      affine_(same.affine_),
      layout_(same.layout_),
      observed_layout_(same.observed_layout_),
      rates_(same.rates_),
      observed_(same.observed_),
      held_(same.held_),
      held_layout_(same.held_layout_),
      parts_(std::make_shared<const frozen_forces>(*same.parts_, system_)),
      defined_(same.defined_),
      restitution_(same.restitution_),
      changing_inputs_(same.changing_inputs_),
      checked_(same.checked_),
      turning_(same.turning_) {
  describe();
}

void inclusion_system::build() {
  layout_.states = system_.states;
  layout_.inputs = static_cast<int>(source_.inputs.size());
  layout_.parameters = system_.parameter_values();
  for (std::size_t i = 0; i < source_.inputs.size(); ++i) {
    const signal& shape = source_.inputs[i].shape;
    layout_.constant_inputs.push_back(shape.is_constant() ? std::optional(shape.value(0))
                                                          : std::nullopt);
    if (!shape.is_constant()) changing_inputs_.push_back(static_cast<int>(i));
  }
  const auto terms = system_.to_compile();
  rates_ = compile(system_.rates, terms, layout_);

  observed_layout_ = layout_;
  observed_layout_.states = system_.user_states();
  observed_layout_.given_forces = system_.forces;
  std::vector<expression> shown;
  unit_finder unit_of;
  for (const auto& each : system_.definitions)
    for (std::size_t k = 0; k < each.components.size(); ++k) {
      shown.push_back(each.components[k]);
      defined_.push_back({each.name + suffix(each.components.size(), k),
                          or_one(unit_of(each.components[k]).shown())});
    }
  observed_ = compile(shown, terms, observed_layout_);

  held_layout_ = layout_;
  held_layout_.states = system_.user_states();
  std::vector<expression> held;
  for (const auto& each : source_.energies) held.push_back(each.value);
  for (const auto& t : system_.terms)
    for (const auto& part : t.argument) held.push_back(part);
  held_ = compile(held, {}, held_layout_);

  parts_ = std::make_shared<const frozen_forces>(system_);
  affine_ = parts_->is_affine_in_forces();
  for (std::size_t i = 0; i < system_.terms.size(); ++i) {
    const auto& t = system_.terms[i];
    const auto wish = source_.wishes.find(t.name);
    if (t.is_contact)
      restitution_.push_back(
          wish == source_.wishes.end()
              ? regularisation::default_restitution
              : wish->second.restitution.value_or(regularisation::default_restitution));
    else if (!is_constant(t.factor))
      for (const auto& call : rates_.calls)
        if (call.state[0] == layout_.state_register(t.first_state))
          checked_.push_back({call.factor, i});
    if (parts_->mobility_may_change(i)) turning_.push_back(i);
  }
}

std::shared_ptr<const system> inclusion_system::planned(const run_setting& setting) const {
  const method_row& method = *setting.method;
  const bool is_explicit = method.needs == method_needs::rates && method.is_fixed;
  const plan wanted{is_explicit ? setting.step : 0, method.is_closed_form(),
                    method.needs == method_needs::impulses,
                    depends_on_time(system_) ? setting.duration : plan_.duration};
  // With constants for the same step and loads the formulas are the same.
  if (wanted.explicit_step == plan_.explicit_step && wanted.duration == plan_.duration)
    return std::shared_ptr<const system>(new inclusion_system(*this, wanted));
  return std::make_shared<inclusion_system>(source_, wanted);
}

std::vector<std::string> inclusion_system::doubts(const run_setting& setting) const {
  std::vector<std::string> result = system_.warnings;
  for (auto& each : doubts_about_reactions()) result.push_back(std::move(each));
  if (!plan_.hard)
    for (auto& each : warnings_of_transmission(system_)) result.push_back(std::move(each));
  if (plan_.explicit_step > 0 && !system_.terms.empty()) {
    const step_limits limits = stable_steps(system_);
    const double limit = setting.method->order > 1 ? limits.rk4 : limits.euler;
    if (setting.step > limit)
      result.push_back(describe_instability(*this, setting, limit,
                                            "with all contacts closed and all friction stuck"));
  }
  return result;
}

std::vector<double> inclusion_system::initial() const {
  std::vector<double> result;
  for (const auto& each : source_.states) result.push_back(each.initial);
  result.resize(static_cast<std::size_t>(system_.states), 0.0);
  return result;
}

void inclusion_system::fill(double t, const double* y, double* r) const {
  r[0] = t;
  for (const std::uint16_t at : rates_.states_read) r[at] = y[at - 1];
  for (const int i : changing_inputs_)
    r[layout_.input_register(i)] = source_.inputs[static_cast<std::size_t>(i)].shape.value(t);
}

void inclusion_system::rates(double t, const double* y, double* rate, workspace& w) const {
  auto& own = static_cast<registers&>(w);
  double* r = own.rates.data();
  fill(t, y, r);
  rates_.run(r);
  for (std::size_t i = 0; i < rates_.outputs.size(); ++i) rate[i] = r[rates_.outputs[i]];
  bool good = true;
  for (const auto& each : checked_) {
    good = good && r[each.at] >= 0;
    if (r[each.at] < 0) {
      own.complaint = system_.terms[each.term].complaint_about_factor(r[each.at], t);
      own.complaint_time = t;
    }
  }
  // A shorter step got past it.
  if (good && own.direction.verdict.empty() && t > own.complaint_time && !own.complaint.empty())
    own.complaint.clear();
}

void inclusion_system::solve_stage(double t, double h, const double* start, double* y,
                                   workspace& w) const {
  auto& own = static_cast<registers&>(w);
  // After a stage that failed the complaint about it stays.
  if (!std::all_of(start, start + system_.states, [](double x) { return std::isfinite(x); })) {
    std::fill_n(y, system_.states, __builtin_nan(""));
    return;
  }
  // Each stage begins with the forces of its own start, not with those of whatever was solved
  // before it: what is only looked at must not change the run.
  forces_at(t, start, own.forces.data(), own);
  own.solver.begin_with(own.forces.data());
  own.note(own.solver.solve(t, h, start, y), t);
}

void inclusion_system::step(double t, double h, double* y, workspace& w) const {
  auto& own = static_cast<registers&>(w);
  own.note(own.solver.impulse_step(t, h, restitution_, y), t + h);
}

// ---- what is shown ------------------------------------------------------------------------------

namespace {

// A definition that is a term and nothing else shows its force already.
bool is_shown(const regularised& system, const set_valued_term& t) {
  return std::any_of(system.definitions.begin(), system.definitions.end(), [&](const auto& each) {
    const expression& part = each.components[0];
    return each.name == t.name && part.is(operation::named) &&
           part.argument(0).is(operation::force);
  });
}

}  // namespace

void inclusion_system::describe() {
  card_.kind = "inclusion";
  card_.title = "your own system, stated with sgn and dio";
  for (const auto& each : source_.states) card_.add_state({each.name, or_one(each.in)});
  const auto figures = figures_of(system_);
  for (std::size_t i = 0; i < system_.terms.size(); ++i) {
    const auto& t = system_.terms[i];
    const double size = figures[i].deflection > 0 ? figures[i].deflection : 1e-5;
    for (int k = 0; k < t.dimension(); ++k) card_.add_state({t.state_name(k), t.state_in(), size});
  }

  for (const auto& each : defined_) card_.add_output(each.name, each.in);
  for (const auto& t : system_.terms) {
    if (is_shown(system_, t)) continue;
    for (int k = 0; k < t.dimension(); ++k)
      card_.add_output(t.name + suffix(t.argument.size(), static_cast<std::size_t>(k)),
                       or_one(t.force_in));
  }
  for (const auto& each : source_.inputs)
    card_.add_input(each.name, or_one(each.in), each.shape, each.shortest_period);
  if ((plan_.implicit || plan_.hard) && !system_.terms.empty()) {
    card_.add_output("solver_residual", units::one);
    card_.add_output("solver_sweeps", units::one);
  }

  energy_ = name_energies();
  card_.why_no.energy = energy_.refusal;
  card_.why_no.implicit = "a rate is not linear in the forces of its terms";
  frozen_forces parts = *parts_;
  card_.why_no.impulses = stage_solver(system_, parts).no_impulse_step();
}

void inclusion_system::forces_at(double t, const double* y, double* forces, registers& own) const {
  if (plan_.hard) {
    for (int i = 0; i < system_.forces; ++i) forces[i] = own.solver.forces()[i];
    return;
  }
  double* r = own.rates.data();
  fill(t, y, r);
  rates_.run(r);
  for (const auto& call : rates_.calls)
    for (const auto& term : system_.terms)
      if (1 + term.first_state == call.state[0])
        for (int k = 0; k < term.dimension(); ++k) forces[term.first_force + k] = r[call.force[k]];
}

void inclusion_system::observe(double t, const double* y, double* out, workspace& w) const {
  auto& own = static_cast<registers&>(w);
  forces_at(t, y, own.forces.data(), own);
  double* r = own.observed.data();
  r[0] = t;
  std::copy_n(y, system_.user_states(), r + 1);
  for (const int i : changing_inputs_)
    r[observed_layout_.input_register(i)] =
        source_.inputs[static_cast<std::size_t>(i)].shape.value(t);
  for (int i = 0; i < system_.forces; ++i)
    r[observed_layout_.force_register(i)] = own.forces[static_cast<std::size_t>(i)];
  observed_.run(r);
  for (const auto at : observed_.outputs) *out++ = r[at];
  for (const auto& term : system_.terms) {
    if (is_shown(system_, term)) continue;
    for (int k = 0; k < term.dimension(); ++k)
      *out++ = own.forces[static_cast<std::size_t>(term.first_force + k)];
  }
  if ((plan_.implicit || plan_.hard) && !system_.terms.empty()) {
    *out++ = own.worst_residual;
    *out++ = own.most_sweeps;
    own.worst_residual = own.most_sweeps = 0;
  }
}

double inclusion_system::slip_margin(const set_valued_term& term, double t, const double* y,
                                     registers& own) const {
  double* r = own.rates.data();
  fill(t, y, r);
  rates_.run(r);
  for (const auto& call : rates_.calls) {
    if (1 + term.first_state != call.state[0]) continue;
    if (term.dimension() == 1)
      return dai<double>{call.K, 1.0, call.beta}.slip_margin(
          {{r[call.state[0]]}}, {0.0, r[call.argument[0]], r[call.factor]});
    const vec<double, 2> a{{r[call.state[0]], r[call.state[1]]}};
    const vec<double, 2> v{{r[call.argument[0]], r[call.argument[1]]}};
    return norm(call.K * (a + call.beta * v)) - r[call.factor];
  }
  return 0;
}

// The registers hold the arguments at this instant.
void inclusion_system::note_depth(const set_valued_term& term, double t, registers& own) const {
  auto& [deepest, when, widest] =
      own.depths[static_cast<std::size_t>(&term - system_.terms.data())];
  for (const auto& call : rates_.calls) {
    if (1 + term.first_state != call.state[0]) continue;
    const double gap = own.rates[call.argument[0]];
    widest = std::max(widest, gap);
    if (-gap <= deepest) continue;
    deepest = -gap;
    when = t;
  }
}

std::vector<inclusion_system::depth_note> inclusion_system::depths(const workspace& w) const {
  constexpr double far_deeper = 10, seen = 0.01;  // of what was asked; of the widest gap
  std::vector<depth_note> result;
  const auto& own = static_cast<const registers&>(w);
  const auto figures = figures_of(system_);
  for (std::size_t i = 0; i < system_.terms.size(); ++i) {
    const auto& t = system_.terms[i];
    const auto& [deepest, when, widest] = own.depths[i];
    if (!t.is_contact || deepest == 0) continue;
    const auto wished = source_.wishes.find(t.name);
    const term_wish wish = wished == source_.wishes.end() ? term_wish{} : wished->second;
    const double asked = wish.K ? figures[i].deflection
                                : wish.deflection.value_or(regularisation::default_deflection);
    // A given K may be so stiff that ten times its static depth is still less than the rule asks for.
    const double allowed = wish.K ? std::max(asked, regularisation::default_deflection) : asked;
    const auto in_unit = [&](double value) {
      return t.argument_in && !(*t.argument_in == units::one)
                 ? fmt::format("{:.3g} {}", value, to_string(*t.argument_in))
                 : fmt::format("{:.3g}", value);
    };
    depth_note note{fmt::format("the deepest penetration of contact '{}' was {}, at t = {:.4g} s",
                                t.name, in_unit(deepest), when),
                    asked > 0 && deepest > std::max(far_deeper * allowed, seen * widest)};
    if (asked > 0)
      note.text += fmt::format(", against {} {}", in_unit(asked),
                               wish.K ? "under its load at the start" : "that its K is chosen for");
    // Impacts go as deep as their speed over sqrt(K/m).
    if (note.is_doubtful) {
      const double target = std::max(allowed, seen * widest), softer = deepest / target;
      note.text += fmt::format(
          ", and it opens by {}: with K = {:.2g} under [terms.{}] it would stay within {}",
          in_unit(widest), 1.1 * t.K * softer * softer, t.name, in_unit(target));
    }
    result.push_back(std::move(note));
  }
  return result;
}

std::vector<event> inclusion_system::events(workspace& w) const {
  auto& own = static_cast<registers&>(w);
  std::vector<event> result;
  for (const auto& term : system_.terms) {
    const set_valued_term* which = &term;
    if (term.is_contact) {
      const auto touching = [this, which, &own](double t, const double* y) {
        forces_at(t, y, own.forces.data(), own);
        return own.forces[static_cast<std::size_t>(which->first_force)] > 0 ? 1.0 : -1.0;
      };
      const auto looking = [this, which, touching, &own](double t, const double* y) {
        const double touches = touching(t, y);
        if (!plan_.hard) note_depth(*which, t, own);
        return touches;
      };
      result.push_back({"touchdown " + term.name, looking, event::direction::rising});
      result.push_back({"liftoff " + term.name, touching, event::direction::falling});
    } else if (!plan_.hard) {
      const auto margin = [this, which, &own](double t, const double* y) {
        return slip_margin(*which, t, y, own);
      };
      result.push_back({"slip " + term.name, margin, event::direction::rising});
      result.push_back({"stick " + term.name, margin, event::direction::falling});
    }
  }
  if (!turning_.empty()) result.push_back(turns_driving(own));
  return result;
}

// ---- terms against themselves -------------------------------------------------------------------

bool inclusion_system::is_driving(double t, const double* y, registers& own) const {
  auto& look = own.direction;
  const bool is_cheap = plan_.implicit || plan_.hard;  // beside the stages of a step
  if (!is_cheap && t > look.last && t < look.next && ++look.steps < explicit_steps_a_look)
    return false;
  look.steps = 0;
  forces_at(t, y, look.forces.data(), own);
  own.parts.find_mobilities(t, y, look.forces.data(), look.mobilities);
  bool drives = false;
  double margin = HUGE_VAL;
  for (const std::size_t i : turning_) {
    const auto& found = look.mobilities[i];
    double& size = look.sizes[i];
    size = std::max(size, found.size);
    if (size > 0) margin = std::min(margin, found.least / size);
    if (!found.is_against_itself() || !found.acts || drives) continue;
    drives = true;
    if (look.seen.empty()) look.seen = system_.terms[i].complaint_about_direction(found.least, t);
  }
  // Not again before it can have come a quarter of the way to 0.
  const double slope = t > look.last ? (look.margin - margin) / (t - look.last) : HUGE_VAL;
  look.next = t + (margin > 0 ? 0.25 * margin / std::max(slope, 0.0) : 0.0);
  look.last = t;
  look.margin = margin;
  return drives;
}

event inclusion_system::turns_driving(registers& own) const {
  event result{
      "", [this, &own](double t, const double* y) { return is_driving(t, y, own) ? 1.0 : -1.0; }};
  result.crossing = event::direction::rising;
  // There is no motion beyond it.
  result.change = [this, &own](double, double* y) {
    own.direction.verdict = own.complaint = own.direction.seen;
    std::fill_n(y, system_.states, __builtin_nan(""));
  };
  return result;
}

// ---- energy -------------------------------------------------------------------------------------

energy_terms inclusion_system::name_energies() const {
  energy_terms result;
  if (source_.energies.empty())
    result.refusal =
        "its formulas do not define the energy: state the energy of the bodies, such as [energy] "
        "kinetic = \"M*v^2/2\"";
  else if (plan_.hard)
    result.refusal = "the impulses of moreau_jean have no duration: take trbdf2";
  else if (system_.terms.empty())
    result.refusal = "it has neither sgn nor dio, and so no element that absorbs energy";
  else if (!affine_)
    result.refusal = "a rate is not linear in the forces of its terms";
  for (const auto& each : source_.energies) result.held.push_back(each.name);
  result.supplies.emplace_back("formulas");
  for (const auto& t : system_.terms) {
    result.supplies.push_back("motion of " + t.name);
    if (other_side_rests(t)) result.idle_supplies.push_back(result.supplies.size() - 1);
    std::vector<energy_terms::loss> losses{{"damper"}};
    if (!t.is_contact) losses.push_back({"slider"});
    result.elements.push_back({t.name, t.is_contact ? "dai_contact" : "dai", true, losses});
  }
  return result;
}

bool inclusion_system::other_side_rests(const set_valued_term& term) const {
  if (term.is_contact) return false;
  const auto is_moved = [&](const expression::node& n) {
    if (n.what != operation::symbol) return false;
    const auto slot = static_cast<std::size_t>(n.slot);
    return n.kind == symbol_kind::time ||
           (n.kind == symbol_kind::input && !layout_.constant_inputs[slot]) ||
           (n.kind == symbol_kind::state && !contains(system_.rates[slot], operation::force));
  };
  for (const auto& part : term.argument)
    if (contains(part, is_moved)) return false;
  // A relative velocity as a state hides what it is relative to: there the energy has a slope at 0.
  std::vector<moving> held(static_cast<std::size_t>(held_.registers));
  held_.prepare(held.data());
  moving* r = held.data();
  for (int i = 0; i < system_.user_states(); ++i) {
    moving& x = r[held_layout_.state_register(i)];
    x = lit<moving>(0.0);
    const auto is_it = [i](const expression::node& n) {
      return n.what == operation::symbol && n.kind == symbol_kind::state && n.slot == i;
    };
    for (const auto& part : term.argument)
      if (contains(part, is_it)) x.derivative[0] = 1;
  }
  held_.run(r);
  double slope = 0;
  for (std::size_t e = 0; e < source_.energies.size(); ++e)
    slope += std::abs(r[held_.outputs[e]].derivative[0]);
  if (slope != 0) return false;
  for (int k = 0; k < term.dimension(); ++k)
    if (r[held_.outputs[source_.energies.size() + static_cast<std::size_t>(term.first_force + k)]]
            .value != 0)
      return false;
  return true;
}

// With one velocity at a time: the power of a unit force on the bodies, (dE/dx) B, against that at
// the term's own argument, -theta or psi'. With more at a time it is the sum of these, as long as
// the energy is quadratic in velocities.
std::vector<std::string> inclusion_system::doubts_about_reactions() const {
  std::vector<std::string> result;
  if (energy_.held.empty() || !affine_ || system_.terms.empty()) return result;
  const int n = system_.user_states();
  frozen_forces parts = *parts_;
  std::vector<moving> held(static_cast<std::size_t>(held_.registers));
  held_.prepare(held.data());
  const std::vector<double> none(static_cast<std::size_t>(system_.forces) + 1, 0.0);
  std::vector<double> x(static_cast<std::size_t>(n));
  // Of each component of force, with the velocity `moved` alone, or none at all (-1).
  struct powers {
    column_of_reals on_bodies, own;
    column_of_reals sizes;  // of what adds up to the first, which may cancel
  };
  const auto powers_with = [&](int moved) {
    for (int i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      x[at] = i == moved                                      ? 1
              : contains(system_.rates[at], operation::force) ? 0
                                                              : source_.states[at].initial;
    }
    frozen_forces::values values;
    frozen_forces::derivatives by;
    frozen_forces::motion motion;
    parts.differentiate(0, x.data(), none.data(), values, by);
    parts.differentiate_motion(0, x.data(), motion);
    const column_of_reals zero = column_of_reals::Zero(system_.forces);
    powers found{zero, zero, zero};
    for (int first = 0; first < n; first += directions) {
      held[0] = lit<moving>(0.0);
      for (int i = 0; i < n; ++i) {
        moving& state = held[held_layout_.state_register(i)];
        state = lit<moving>(x[static_cast<std::size_t>(i)]);
        if (i >= first && i < first + directions) state.derivative[i - first] = 1;
      }
      for (const int i : changing_inputs_)
        held[held_layout_.input_register(i)] =
            lit<moving>(source_.inputs[static_cast<std::size_t>(i)].shape.value(0));
      held_.run(held.data());
      for (std::size_t e = 0; e < source_.energies.size(); ++e)
        for (int i = first; i < std::min(n, first + directions); ++i) {
          const column_of_reals part = held[held_.outputs[e]].derivative[i - first] *
                                       by.phi_l.row(i).transpose().head(system_.forces);
          found.on_bodies += part;
          found.sizes += part.cwiseAbs();
        }
    }
    for (const auto& t : system_.terms)
      for (int k = t.first_force; k < t.first_force + t.dimension(); ++k)
        found.own[k] = t.is_contact ? motion.u_rate[k] : -values.u[k];
    return found;
  };
  const auto is_given = [&](const expression::node& s) {
    return s.what == operation::symbol &&
           (s.kind == symbol_kind::time ||
            (s.kind == symbol_kind::input &&
             !layout_.constant_inputs[static_cast<std::size_t>(s.slot)]));
  };
  const powers at_rest = powers_with(-1);
  for (const auto& t : system_.terms) {
    const int k = t.first_force;
    // Where something else moves the other side, the difference is its power.
    const bool rests = t.is_contact ? !contains(t.argument[0], is_given) && at_rest.own[k] == 0 &&
                                          at_rest.on_bodies[k] == 0
                                    : other_side_rests(t);
    if (!rests) continue;
    for (int moved = 0; moved < n; ++moved) {
      if (!contains(system_.rates[static_cast<std::size_t>(moved)], operation::force)) continue;
      const powers now = powers_with(moved);
      double off = 0, size = 0;
      for (int c = k; c < k + t.dimension(); ++c) {
        off = std::max(off, std::abs(now.on_bodies[c] - now.own[c]));
        size = std::max({size, now.sizes[c], std::abs(now.own[c])});
      }
      if (!(off > 1e-6 * size)) continue;
      result.push_back(fmt::format(
          "term '{}', {}: its force does not act on {} in the way that the argument of the term "
          "depends on it, so that energy is created: a reaction is missing, or a sign, a factor or "
          "a lever arm is wrong, in the rate of {}, in the argument or in [energy]",
          t.name, t.text(), source_.states[static_cast<std::size_t>(moved)].name,
          source_.states[static_cast<std::size_t>(moved)].name));
    }
  }
  return result;
}

inclusion_system::term_response inclusion_system::respond_in(const set_valued_term& term, double t,
                                                             const double* y,
                                                             registers& own) const {
  double* r = own.rates.data();
  fill(t, y, r);
  rates_.run(r);
  term_response result;
  for (const auto& call : rates_.calls)
    if (1 + term.first_state == call.state[0])
      for (int k = 0; k < term.dimension(); ++k) {
        result.force[k] = r[call.force[k]];
        result.rate[k] = r[call.rate[k]];
      }
  return result;
}

void inclusion_system::energies(double t, const double* y, double* out, workspace& w) const {
  moving* r = static_cast<registers&>(w).held.data();
  r[0] = lit<moving>(t);
  for (int i = 0; i < system_.user_states(); ++i)
    r[held_layout_.state_register(i)] = lit<moving>(y[i]);
  for (const int i : changing_inputs_)
    r[held_layout_.input_register(i)] =
        lit<moving>(source_.inputs[static_cast<std::size_t>(i)].shape.value(t));
  held_.run(r);
  const auto value = [&](std::size_t i) { return r[held_.outputs[i]].value; };
  const std::size_t count = source_.energies.size();
  for (std::size_t i = 0; i < count; ++i) *out++ = value(i);
  for (const auto& term : system_.terms) {
    const double* state = y + term.first_state;
    if (term.is_contact) {
      const double gap = value(count + static_cast<std::size_t>(term.first_force));
      *out++ =
          dai_contact<double>{term.K, term.beta, term.alpha}.stored_energy({{state[0]}}, {gap});
    } else {
      const vec<double, 2> a{{state[0], term.dimension() == 2 ? state[1] : 0.0}};
      *out++ = dai_vector<double, 2>{term.K, 1.0, term.beta}.stored_energy(a);
    }
  }
}

void inclusion_system::powers(double t, const double* y, double* out, workspace& w) const {
  auto& own = static_cast<registers&>(w);
  const std::size_t terms = system_.terms.size(), held = source_.energies.size();
  const int n = system_.user_states();
  std::vector<term_response> response;
  std::vector<double> forces(static_cast<std::size_t>(system_.forces) + 1);
  for (const auto& term : system_.terms) response.push_back(respond_in(term, t, y, own));

  // Directions: what moves without the terms, time included; then each term by itself.
  std::vector<column_of_reals> direction;
  frozen_forces::values at;
  own.parts.evaluate(t, y, forces.data(), at);
  direction.push_back(at.phi);
  for (std::size_t j = 0; j < terms; ++j) {
    const auto& term = system_.terms[j];
    for (int k = 0; k < term.dimension(); ++k)
      forces[static_cast<std::size_t>(term.first_force + k)] = response[j].force[k];
    own.parts.evaluate(t, y, forces.data(), at);
    direction.emplace_back(at.phi - direction[0]);
    for (int k = 0; k < term.dimension(); ++k)
      forces[static_cast<std::size_t>(term.first_force + k)] = 0;
  }
  // Rates of the energies' sum along each, of the arguments along all together.
  std::vector<double> gained(direction.size(), 0.0), argument_rate(forces.size(), 0.0),
      argument(forces.size(), 0.0);
  moving* r = own.held.data();
  for (std::size_t first = 0; first < direction.size(); first += directions) {
    const std::size_t count = std::min<std::size_t>(directions, direction.size() - first);
    r[0] = lit<moving>(t);
    if (first == 0) r[0].derivative[0] = 1;
    for (int i = 0; i < n; ++i) {
      moving& x = r[held_layout_.state_register(i)];
      x = lit<moving>(y[i]);
      for (std::size_t d = 0; d < count; ++d) x.derivative[d] = direction[first + d][i];
    }
    for (const int i : changing_inputs_) {
      const signal& shape = source_.inputs[static_cast<std::size_t>(i)].shape;
      moving& x = r[held_layout_.input_register(i)];
      x = lit<moving>(shape.value(t));
      if (first == 0) x.derivative[0] = shape.slope(t);
    }
    held_.run(r);
    for (std::size_t d = 0; d < count; ++d) {
      for (std::size_t e = 0; e < held; ++e) gained[first + d] += r[held_.outputs[e]].derivative[d];
      for (std::size_t u = 0; u + 1 < forces.size(); ++u)
        argument_rate[u] += r[held_.outputs[held + u]].derivative[d];
    }
  }
  for (std::size_t u = 0; u + 1 < forces.size(); ++u)
    argument[u] = r[held_.outputs[held + u]].value;

  double* supply = out;
  double* flow = out + 1 + terms;
  *supply++ = gained[0];
  for (std::size_t j = 0; j < terms; ++j) {
    const auto& term = system_.terms[j];
    const auto& now = response[j];
    const auto u = static_cast<std::size_t>(term.first_force);
    double taken = 0, damper = 0, slider = 0;
    for (int k = 0; k < term.dimension(); ++k) {
      const double f = now.force[k], rate = now.rate[k];
      const double theta = argument[u + static_cast<std::size_t>(k)];
      taken += term.is_contact ? -f * argument_rate[u] : f * theta;
      damper += term.K * (term.beta - (term.is_contact ? term.alpha : 0.0)) * rate * rate;
      slider += f * (theta - rate);
    }
    *supply++ = taken + gained[1 + j];
    *flow++ = taken;
    *flow++ = damper;
    if (!term.is_contact) *flow++ = slider;
  }
}

}  // namespace asperity
