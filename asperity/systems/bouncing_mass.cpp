// SPDX-License-Identifier: Apache-2.0
#include <asperity/catalogue/elements_of.hpp>
#include <asperity/integrate/linear_motion.hpp>
#include <asperity/integrate/method.hpp>
#include <asperity/integrate/rosenbrock.hpp>
#include <asperity/mechanics/dual_model.hpp>
#include <asperity/mechanics/linear_input.hpp>
#include <asperity/mechanics/load.hpp>
#include <asperity/mechanics/sliding_system.hpp>
#include <asperity/mechanics/system_parts.hpp>
#include <asperity/systems/bouncing_mass.hpp>

namespace asperity {

namespace {

struct bouncing_mass_energy {
  using mass = named_bouncing_mass;
  const mass& system;

  energy_terms terms() const {
    return {{"kinetic"}, {"force"}, {element_of("contact", system.contact)}};
  }
  void energies(double t, const double* y, double* out) const {
    out[0] = 0.5 * system.m * y[1] * y[1];
    out[1] = stored_in(system.contact, y + 2, system.drive_at(t, y));
  }
  void powers(double t, const double* y, double* out) const {
    double rate[any_model::max_states];
    at_velocity(t, y[1], respond(system.contact, y + 2, system.drive_at(t, y), rate), out);
  }
  void stage_powers(double t, double h, const double* start, const double* y, double* out) const {
    // The same force as in the stage: that of the change of velocity would be lost in rounding.
    const double v_free = start[1] + h * system.inputs.force(t) / system.m;
    const double f = react(system.contact, start + 2, system.inputs.load(t), h, start[0])
                         .solve(start[0] + h * v_free, -(h * h / system.m));
    // An impulse works on the mean of the velocities before and after it.
    const double v = is_rigid(system.contact) ? 0.5 * (start[1] + y[1]) : y[1];
    at_velocity(t, v, f, out);
  }
  void at_velocity(double t, double v, double f, double* out) const {
    out[0] = system.inputs.force(t) * v;
    out[1] = -f * v;
  }
};

class bouncing_system final : public system_of<named_bouncing_mass>,
                              public linear_motion,
                              derivatives {
 public:
  using mass = named_bouncing_mass;
  const mass& mechanics() const { return m_; }

  bouncing_system(mass mechanics)
      : system_of("bouncing_mass", std::move(mechanics)),
        rigid_(is_rigid(m_.contact)),
        in_dual_{any_dual_model::of(m_.contact), m_.m, {m_.inputs}} {
    add_state("x", units::metre);
    add_state("v", units::speed);
    add_output("f", units::newton);
    add_input("force", units::newton, m_.inputs.push);
    add_input("load", units::one, m_.inputs.relative_load);
    add_own_states(m_.contact);
    add_contact(m_.contact);
    card_.preferred = &detail::automatic_method;
    card_.begins_explicit = false;
    card_.damped_body = 2;
    card_.stage_work = stage_work_of(m_.contact);
    card_.why_no.implicit = no_implicit_step(m_.contact);
    if (!m_.contact.is_ode()) card_.memory = m_.contact.key();
    card_.why_no.memory = "a bouncing mass does not have its own stepper";
    card_.why_no.sides = "the Switch Model needs a mass that slides";
    has_stage_ = m_.contact.has_implicit_step();
    set_energy(bouncing_mass_energy{m_}.terms());
    set_linear();
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
  const linear_mass* linear() const override { return nullptr; }
  const linear_contact* linear_touch() const override {
    return not_linear_.empty() ? &linear_ : nullptr;
  }
  std::string why_not_linear() const override { return not_linear_; }
  void powers_under(double t, const double* y, double f, double* out) const override {
    bouncing_mass_energy{m_}.at_velocity(t, y[1], f, out);
  }
  complaint check_inputs(double duration) const override {
    return {"load", reason_load_is_refused(m_.contact, m_.inputs.relative_load, duration)};
  }
  std::string explain_failure(double from, double to) const override {
    return explain_bad_load(m_.contact, m_.inputs.relative_load, from, to);
  }

 private:
  bool rigid_;
  linear_contact linear_;
  std::string not_linear_;  // empty where all is
  bouncing_mass<model_dual, any_dual_model, dual_signal_inputs> in_dual_;

  void set_linear() {
    not_linear_ = why_no_contact_element(m_.contact);
    if (not_linear_.empty()) not_linear_ = asperity::why_not_linear(m_.inputs, false);
    if (!not_linear_.empty()) return;
    linear_.body.m = m_.m;
    linear_.contact = *contact_element_of(m_.contact);
    set_linear_inputs(m_.inputs, 0, linear_.body);
  }
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

std::shared_ptr<system> build(system_builder& b) {
  b.axis();
  bouncing_system::mass mass{
      b.root.one_model({"contact"}, "contact between mass and surface").model};
  mass.contact.hold_side();
  b.required("mass", mass.m, units::kilogram, positive, "mass of the bouncing body");
  b.root.optional("force", mass.inputs.push, units::newton,
                  "force on the mass, away from the surface: weight is negative");
  b.load(mass.inputs.relative_load);
  return std::make_shared<bouncing_system>(std::move(mass));
}

}  // namespace

const named_bouncing_mass* bouncing_mass_in(const system& s) {
  const auto* found = dynamic_cast<const bouncing_system*>(&s);
  return found == nullptr ? nullptr : &found->mechanics();
}

namespace detail {

extern const system_row bouncing_mass{
    .name = "bouncing_mass", .what = "a mass that may touch a surface", .build = build};

}  // namespace detail

}  // namespace asperity
