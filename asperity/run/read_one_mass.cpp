// SPDX-License-Identifier: Apache-2.0
// Systems with one model: a mass that slides, a mass that bounces, a model that is moved.

#include <fmt/format.h>

#include <algorithm>
#include <asperity/integrate/rosenbrock.hpp>
#include <asperity/run/one_mass.hpp>
#include <asperity/run/rows.hpp>
#include <asperity/run/rubbing_system.hpp>
#include <asperity/systems/dual_model.hpp>
#include <asperity/systems/load.hpp>
#include <asperity/systems/memory_motion.hpp>
#include <cmath>

namespace asperity {

namespace {

// The states of the only model have its names; one named f is the force itself, which is shown.
template <class Add>
void add_states_of(const any_model& model, const Add& add) {
  const named_states all = states_of_model(model, "");
  const auto shown = shown_states(model);
  for (std::size_t i = 0; i < all.states.size(); ++i)
    add(all.states[i], all.initial[i],
        std::find(shown.begin(), shown.end(), static_cast<int>(i)) != shown.end());
}

double stage_work_of(const any_model& model) {
  return model.functions().implicit_step != nullptr ? 8 : 1;
}

// ---- a mass that slides -------------------------------------------------------------------------

struct periods {
  double force = unbounded, anchor = unbounded, load = unbounded;
};

class sliding_system final : public rubbing_system<sliding_mass<double, any_model, signal_inputs>>,
                             derivatives {
 public:
  using mass = sliding_mass<double, any_model, signal_inputs>;
  const mass& mechanics() const { return m_; }

  sliding_system(const char* kind, mass mechanics, const periods& of_inputs)
      : rubbing_system(kind, std::move(mechanics), 0),
        motion_(m_),
        audited_motion_(m_, sliding_mass_energy{m_}.terms().powers()),
        in_dual_{any_dual_model::of(m_.friction), m_.m, m_.k, m_.c, {m_.inputs}} {
    // Held by friction alone, under a law that may drift, a body creeps a little with each swing and
    // nothing brings it back: an error of its velocity adds up for as long as it is held.
    const bool may_drift =
        m_.k == 0 && m_.friction.states() > 0 && (m_.friction.describe().claims & no_drift) == 0;
    add_state("x", units::metre);
    add_state("v", units::speed, 0, may_drift ? 1e-5 : 0);
    add_output("f", units::newton);
    card_.add_input("force", units::newton, m_.inputs.push, of_inputs.force);
    card_.add_input("anchor", units::metre, m_.inputs.end_of_spring, of_inputs.anchor);
    card_.add_input("load", units::one, m_.inputs.relative_load, of_inputs.load);
    add_states_of(m_.friction, [this](const system_quantity& state, double start, bool is_shown) {
      card_.add_state(state, is_shown);
      initial_.push_back(start);
    });
    card_.preferred = "automatic";
    card_.begins_explicit = false;
    card_.damped_body = 2;
    card_.stage_work = stage_work_of(m_.friction);
    card_.why_no.implicit = no_implicit_step(m_.friction);
    has_stage_ = m_.friction.has_implicit_step();
    set_energy(sliding_mass_energy{m_}.terms());
    std::vector<std::string> place{"x"}, forces{"f"};
    if (!m_.inputs.end_of_spring.is_constant()) place.emplace_back("anchor");
    if (!m_.inputs.push.is_constant()) forces.emplace_back("force");
    card_.pictures = {{"Position", "t", place},
                      {"Velocity", "t", {"v"}},
                      {forces.size() > 1 ? "Forces" : "Friction force", "t", forces}};
  }

  void observe(double t, const double* y, double* out, workspace& w) const override {
    out[0] = shown(y, m_.rub_at(t, y), m_.loose(t, y), w);
  }
  std::vector<event> events(workspace& w) const override {
    std::vector<event> events{reversal_of(1, w)};
    if (can_tell_slip(m_.friction))
      add_slip_events(events, "", [this, &w](double t, const double* y) {
        return margin(y, m_.rub_at(t, y), m_.loose(t, y), w);
      });
    return events;
  }
  double kink(double t, const double* y) const override { return m_.kink(t, y); }
  const derivatives* exact() const override {
    return in_dual_.friction.functions != nullptr ? this : nullptr;
  }
  complaint check_inputs(double duration) const override {
    return {"load", why_not_load(m_.friction, m_.inputs.relative_load, duration)};
  }
  std::string explain_failure(double from, double to) const override {
    return blame_load(m_.friction, m_.inputs.relative_load, from, to);
  }

 private:
  mass_motion motion_, audited_motion_;
  sliding_mass<model_dual, any_dual_model, dual_signal_inputs> in_dual_;

  void step(double t, double h, double* y, workspace&) const override { m_.advance(t, h, y); }
  void step_with_work(double t, double h, double* y, double* work, workspace&) const override {
    sliding_mass_energy{m_}.advance_with_work(t, h, y, work);
  }
  double memory_force(double t, const double* y) const override { return motion_.force(t, y); }
  double move(double t, double h, double* y, bool to_turn, double* work) const override {
    return (work != nullptr ? audited_motion_ : motion_).move(t, h, y, to_turn);
  }
  bool leap(double t, double h, double* y, double* work) const override {
    return (work != nullptr ? audited_motion_ : motion_).leap(t, h, y);
  }
  void linearise(double t, const double* y, double* rate, double* rate_t, double* jacobian,
                 int stride) const override {
    linearise_in_dual<model_dual>(in_dual_, m_.size(), t, y, rate, rate_t, jacobian, stride);
  }
  void energies(double t, const double* y, double* out, workspace&) const override {
    sliding_mass_energy{m_}.energies(t, y, out);
  }
  void powers(double t, const double* y, double* out, workspace&) const override {
    sliding_mass_energy{m_}.powers(t, y, out);
  }
  void side_powers(double t, const double* y, double direction, double* out,
                   workspace&) const override {
    sliding_mass_energy{m_}.side_powers(t, y, direction, out);
  }
  void stage_powers(double t, double h, const double* start, const double* y, double* out,
                    workspace&) const override {
    sliding_mass_energy{m_}.stage_powers(t, h, start, y, out);
  }
};

// ---- a mass that bounces ------------------------------------------------------------------------

class bouncing_system final : public system_of<bouncing_mass<double, any_model, signal_inputs>>,
                              derivatives {
 public:
  using mass = bouncing_mass<double, any_model, signal_inputs>;

  bouncing_system(mass mechanics, const periods& of_inputs)
      : system_of("bouncing_mass", std::move(mechanics)),
        rigid_(is_rigid(m_.contact)),
        in_dual_{any_dual_model::of(m_.contact), m_.m, {m_.inputs}} {
    add_state("x", units::metre);
    add_state("v", units::speed);
    add_output("f", units::newton);
    card_.add_input("force", units::newton, m_.inputs.push, of_inputs.force);
    card_.add_input("load", units::one, m_.inputs.relative_load, of_inputs.load);
    add_states_of(m_.contact, [this](const system_quantity& state, double start, bool is_shown) {
      card_.add_state(state, is_shown);
      initial_.push_back(start);
    });
    add_contact(m_.contact);
    card_.preferred = "automatic";
    card_.begins_explicit = false;
    card_.damped_body = 2;
    card_.stage_work = stage_work_of(m_.contact);
    card_.why_no.implicit = no_implicit_step(m_.contact);
    if (!m_.contact.is_ode()) card_.memory = m_.contact.key();
    card_.why_no.memory = "a bouncing mass has no step of its own";
    card_.why_no.sides = "the Switch Model needs a mass that slides";
    has_stage_ = m_.contact.has_implicit_step();
    set_energy(bouncing_mass_energy{m_}.terms());
    std::vector<std::string> forces{"f"};
    if (!m_.inputs.push.is_constant()) forces.emplace_back("force");
    card_.pictures = {{"Gap", "t", {"x"}},
                      {"Velocity", "t", {"v"}},
                      {forces.size() > 1 ? "Forces" : "Contact force", "t", forces}};
  }

  void observe(double t, const double* y, double* out, workspace& w) const override {
    out[0] = force(t, y, w);
  }
  std::vector<event> events(workspace& w) const override {
    std::vector<event> events;
    add_side_event(events, m_.contact, 2, [](const double* y) {
      return drive<double>{y[0], y[1]};
    });
    events.push_back(reversal_of(1, w));
    add_contact_events(events, "",
                       [this, &w](double t, const double* y) { return force(t, y, w); });
    // The highest point of a flight. In contact a body turns, too; see `review`.
    event apex = events[events.size() - 3];
    apex.name = "apex";
    apex.crossing = event::direction::falling;
    events.push_back(std::move(apex));
    return events;
  }
  // An apex is a turn in flight, between a liftoff (or the start) and the next touchdown. The events
  // of a run cannot ask for both, since a flight may begin and end inside a step: only the turn
  // itself has a sign on either side. A flight that no step saw has no apex.
  void review(const double* start, std::vector<event_record>& found,
              const std::vector<event>& events, workspace& w) const override {
    bool flies = force(0.0, start, w) == 0;
    std::erase_if(found, [&](const event_record& e) {
      const std::string& name = events[e.which].name;
      if (name == "touchdown" || name == "liftoff") flies = name == "liftoff";
      return name == "apex" && (!flies || force(e.t, e.y.data(), w) != 0);
    });
  }
  const derivatives* exact() const override {
    // A contact whose force jumps remembers on which side it is, which duals do not know.
    const bool is_known = in_dual_.contact.functions != nullptr && !m_.contact.has_side();
    return is_known ? this : nullptr;
  }
  complaint check_inputs(double duration) const override {
    return {"load", why_not_load(m_.contact, m_.inputs.relative_load, duration)};
  }
  std::string explain_failure(double from, double to) const override {
    return blame_load(m_.contact, m_.inputs.relative_load, from, to);
  }

 private:
  bool rigid_;
  bouncing_mass<model_dual, any_dual_model, dual_signal_inputs> in_dual_;

  // On a rigid contact: what the next step will need to keep the mass out.
  double force(double t, const double* y, workspace& w) const {
    if (!rigid_) return m_.contact.force(y + 2, m_.drive_at(t, y));
    const double h = w.setting.step;
    const double gap = y[0] + h * (y[1] + h * m_.inputs.force(t) / m_.m);
    return react(m_.contact, y + 2, m_.inputs.load(t), h, y[0]).solve(gap, -(h * h / m_.m));
  }
  void linearise(double t, const double* y, double* rate, double* rate_t, double* jacobian,
                 int stride) const override {
    linearise_in_dual<model_dual>(in_dual_, m_.size(), t, y, rate, rate_t, jacobian, stride);
  }
  void energies(double t, const double* y, double* out, workspace&) const override {
    bouncing_mass_energy{m_}.energies(t, y, out);
  }
  void powers(double t, const double* y, double* out, workspace&) const override {
    bouncing_mass_energy{m_}.powers(t, y, out);
  }
  void stage_powers(double t, double h, const double* start, const double* y, double* out,
                    workspace&) const override {
    bouncing_mass_energy{m_}.stage_powers(t, h, start, y, out);
  }
};

// ---- a model that is moved ----------------------------------------------------------------------

class moved_system final : public system_of<prescribed_motion> {
 public:
  const prescribed_motion& mechanics() const { return m_; }

  moved_system(prescribed_motion mechanics, const char* key, double motion_period,
               double load_period)
      : system_of("prescribed_motion", std::move(mechanics)),
        motion_(m_),
        audited_motion_(m_, prescribed_motion_energy{m_}.terms().powers()) {
    const bool is_operator = m_.model.entry().family == "hysteresis";
    const bool is_contact = m_.model.entry().family == "contact";
    // An operator takes plain numbers to plain numbers.
    const unit in = is_operator ? units::one : units::metre;
    system_quantity x{"x", in};
    if (!m_.motion_is_velocity) x.given_by = "motion";
    card_.add_state(x, false);
    initial_.push_back(m_.motion_is_velocity ? 0.0 : m_.motion.value(0));
    add_output("x", in);
    add_output("v", in / units::second);
    add_output("f", is_operator ? units::one : units::newton);
    card_.add_input("motion", m_.motion_is_velocity ? in / units::second : in, m_.motion,
                    motion_period, false);
    card_.add_input("load", units::one, m_.load, load_period);
    add_states_of(m_.model, [this](const system_quantity& state, double start, bool is_shown) {
      card_.add_state(state, is_shown);
      initial_.push_back(start);
    });
    card_.models.push_back({key, &m_.model});
    // A law that is moved may have unstable branches, which long implicit steps would stay on.
    card_.preferred = "dopri5";
    card_.begins_explicit = false;
    card_.stage_work = stage_work_of(m_.model);
    card_.why_no.implicit = no_implicit_step(m_.model);
    card_.why_no.sides =
        m_.model.has_side()
            ? "the Switch Model needs a mass that slides"
            : fmt::format("the force of model '{}' does not jump at v = 0", m_.model.key());
    has_stage_ = m_.model.has_implicit_step();
    has_own_step_ = has_memory_ = true;
    if (!m_.model.is_ode()) card_.memory = m_.model.key();
    set_energy(prescribed_motion_energy{m_}.terms());
    if (is_operator) {
      card_.pictures = {
          {"Input", "t", {"x"}}, {"Output", "t", {"f"}}, {"Output over input", "x", {"f"}}};
    } else {
      card_.pictures = {{is_contact ? "Gap" : "Position", "t", {"x"}},
                        {is_contact ? "Contact force" : "Friction force", "t", {"f"}},
                        {is_contact ? "Force over gap" : "Force over position", "x", {"f"}},
                        {is_contact ? "Force over rate" : "Force over velocity", "v", {"f"}}};
    }
  }

  void observe(double t, const double* y, double* out, workspace&) const override {
    const auto in = m_.drive_at(t, y);
    out[0] = in.x;
    out[1] = in.v;
    out[2] = m_.model.force(y + 1, in);
  }
  std::vector<event> events(workspace& w) const override {
    std::vector<event> events;
    events.push_back({"reversal", [this, moving = without_noise(0.0)](double t, const double* y) {
                        return moving(m_.drive_at(t, y).v);
                      }});
    if (m_.model.entry().family == "contact") {
      add_contact_events(events, "", [this](double t, const double* y) {
        return m_.model.force(y + 1, m_.drive_at(t, y));
      });
    } else if (can_tell_slip(m_.model)) {
      add_slip_events(events, "", [this, &w](double t, const double* y) {
        const auto in = m_.drive_at(t, y);
        // What is moved by force sticks where it is neither moving nor about to.
        if (m_.model.has_side())
          return std::max(std::abs(in.v), std::abs(m_.drive_at(t + w.setting.instant(), y).v));
        return m_.model.slip_margin(y + 1, in.x, in.v, in.load);
      });
    }
    return events;
  }
  complaint check_inputs(double duration) const override {
    return {"load", why_not_load(m_.model, m_.load, duration)};
  }
  std::string explain_failure(double from, double to) const override {
    return blame_load(m_.model, m_.load, from, to);
  }

 private:
  prescribed_steps motion_, audited_motion_;

  void step(double t, double h, double* y, workspace&) const override { m_.advance(t, h, y); }
  void step_with_work(double t, double h, double* y, double* work, workspace&) const override {
    prescribed_motion_energy{m_}.advance_with_work(t, h, y, work);
  }
  int memory_at() const override { return 1; }
  bool is_prescribed() const override { return true; }
  double memory_force(double t, const double* y) const override { return motion_.force(t, y); }
  double move(double t, double h, double* y, bool to_turn, double* work) const override {
    return (work != nullptr ? audited_motion_ : motion_).move(t, h, y, to_turn);
  }
  void energies(double t, const double* y, double* out, workspace&) const override {
    prescribed_motion_energy{m_}.energies(t, y, out);
  }
  void powers(double t, const double* y, double* out, workspace&) const override {
    prescribed_motion_energy{m_}.powers(t, y, out);
  }
  void stage_powers(double t, double h, const double* start, const double* y, double* out,
                    workspace&) const override {
    prescribed_motion_energy{m_}.stage_powers(t, h, start, y, out);
  }
};

// ---- reading ------------------------------------------------------------------------------------

struct keyed_model {
  std::string key;
  any_model model;
};

// The model of a system that has one, in one of these tables.
keyed_model read_only_model(const system_context& from, const std::vector<std::string>& tables) {
  std::string found;
  for (const auto& key : tables) {
    if (from.root.find(key) == nullptr) continue;
    if (!found.empty())
      from.root.fail(key, fmt::format("there is also [{}]: give only one model", found));
    found = key;
  }
  if (found.empty())
    from.root.fail_missing(tables.front(),
                           fmt::format("a table [{}] with model = ...", fmt::join(tables, "], [")));
  reader table = from.root.table(found);
  return {found, read_model(table, found, from.warnings)};
}

// An operator that is plugged into a mass is read in SI: metres in, newtons out.
const std::vector<std::string> what_slides{"friction", "hysteresis"};
constexpr unit damping_unit = units::newton * units::second / units::metre;

double read_force(const system_context& from, signal& shape) {
  const input found = read_input(from.root, "force", units::newton, from.files);
  shape = found.shape;
  return found.shortest_period;
}

}  // namespace

const sliding_mass<double, any_model, signal_inputs>* sliding_mass_in(const system& s) {
  const auto* found = dynamic_cast<const sliding_system*>(&s);
  return found == nullptr ? nullptr : &found->mechanics();
}
const prescribed_motion* prescribed_motion_in(const system& s) {
  const auto* found = dynamic_cast<const moved_system*>(&s);
  return found == nullptr ? nullptr : &found->mechanics();
}
std::shared_ptr<system> make_mass_under_force(sliding_mass<double, any_model, signal_inputs> mass) {
  return std::make_shared<sliding_system>("mass_under_force", std::move(mass), periods{});
}

std::shared_ptr<system> read_mass_under_force(const system_context& from) {
  sliding_system::mass mass{read_only_model(from, what_slides).model};
  periods found;
  mass.m = from.system.number("mass", units::kilogram, positive);
  mass.c = from.system.number("damping", damping_unit, non_negative, 0);
  found.force = read_force(from, mass.inputs.push);
  found.load = read_input_or(from, "load", units::one, mass.inputs.relative_load);
  return std::make_shared<sliding_system>("mass_under_force", std::move(mass), found);
}

std::shared_ptr<system> read_pulled_mass(const system_context& from) {
  sliding_system::mass mass{read_only_model(from, what_slides).model};
  periods found;
  reader& table = from.system;
  mass.m = table.number("mass", units::kilogram, positive);
  mass.k = table.number("stiffness", units::newton / units::metre, positive);
  mass.c = table.number("damping", damping_unit, non_negative, 0);
  if (from.root.find("anchor") != nullptr) {
    if (table.has("speed")) table.fail("speed", "there is also an [anchor]: give only one");
    const input anchor = read_input(from.root, "anchor", units::metre, from.files);
    mass.inputs.end_of_spring = anchor.shape;
    found.anchor = anchor.shortest_period;
  } else {
    mass.inputs.end_of_spring = signal::ramp(table.number("speed", units::speed, any_value));
  }
  found.force = read_input_or(from, "force", units::newton, mass.inputs.push);
  found.load = read_input_or(from, "load", units::one, mass.inputs.relative_load);
  return std::make_shared<sliding_system>("pulled_mass", std::move(mass), found);
}

std::shared_ptr<system> read_wall_spring_mass(const system_context& from) {
  sliding_system::mass mass{read_only_model(from, what_slides).model};
  periods found;
  mass.m = from.system.number("mass", units::kilogram, positive);
  mass.k = from.system.number("stiffness", units::newton / units::metre, positive);
  mass.c = from.system.number("damping", damping_unit, non_negative, 0);
  found.force = read_input_or(from, "force", units::newton, mass.inputs.push);
  found.load = read_input_or(from, "load", units::one, mass.inputs.relative_load);
  return std::make_shared<sliding_system>("wall_spring_mass", std::move(mass), found);
}

std::shared_ptr<system> read_bouncing_mass(const system_context& from) {
  bouncing_system::mass mass{read_only_model(from, {"contact"}).model};
  mass.contact.hold_side();
  periods found;
  mass.m = from.system.number("mass", units::kilogram, positive);
  found.force = read_input_or(from, "force", units::newton, mass.inputs.push);
  found.load = read_input_or(from, "load", units::one, mass.inputs.relative_load);
  return std::make_shared<bouncing_system>(std::move(mass), found);
}

std::shared_ptr<system> read_prescribed_motion(const system_context& from) {
  auto [key, model] = read_only_model(from, {"friction", "contact", "curve", "hysteresis"});
  const unit of_position = model.entry().family == "hysteresis" ? units::one : units::metre;
  prescribed_motion moved{std::move(model), {}};
  reader motion = from.root.table("motion");
  moved.motion_is_velocity = motion.word("of", {"position", "velocity"}) == "velocity";
  const input given = read_input_table(
      motion, moved.motion_is_velocity ? of_position / units::second : of_position, from.files);
  moved.motion = given.shape;
  const double load_period = read_input_or(from, "load", units::one, moved.load);
  return std::make_shared<moved_system>(std::move(moved), key.c_str(), given.shortest_period,
                                        load_period);
}

}  // namespace asperity
