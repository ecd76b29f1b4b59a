// SPDX-License-Identifier: Apache-2.0

#include <asperity/catalogue/elements_of.hpp>
#include <asperity/integrate/linear_motion.hpp>
#include <asperity/integrate/method.hpp>
#include <asperity/integrate/rosenbrock.hpp>
#include <asperity/mechanics/dual_model.hpp>
#include <asperity/mechanics/linear_input.hpp>
#include <asperity/mechanics/load.hpp>
#include <asperity/mechanics/memory_motion.hpp>
#include <asperity/mechanics/rubbing_system.hpp>
#include <asperity/mechanics/sliding_system.hpp>

namespace asperity {

namespace {

class sliding_system final : public rubbing_system<sliding_mass<double, any_model, signal_inputs>>,
                             public linear_motion,
                             derivatives {
 public:
  using mass = sliding_mass<double, any_model, signal_inputs>;
  const mass& mechanics() const { return m_; }

  sliding_system(const char* kind, mass mechanics)
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
    add_outputs(m_.friction);
    add_input("force", units::newton, m_.inputs.push);
    add_input("anchor", units::metre, m_.inputs.end_of_spring);
    add_input("load", units::one, m_.inputs.relative_load);
    add_own_states(m_.friction);
    card_.preferred = &detail::automatic_method;
    card_.begins_explicit = false;
    card_.damped_body = 2;
    card_.stage_work = stage_work_of(m_.friction);
    card_.why_no.implicit = no_implicit_step(m_.friction);
    has_stage_ = m_.friction.has_implicit_step();
    set_energy(sliding_mass_energy{m_}.terms());
    set_linear();
    std::vector<std::string> place{"x"}, forces{"f"};
    if (!m_.inputs.end_of_spring.is_constant()) place.emplace_back("anchor");
    if (!m_.inputs.push.is_constant()) forces.emplace_back("force");
    card_.pictures = {{"Position", "t", place},
                      {"Velocity", "t", {"v"}},
                      {forces.size() > 1 ? "Forces" : "Friction force", "t", forces}};
  }

  void observe(double t, const double* y, double* out, workspace& w) const override {
    out[0] = shown(y, m_.rub_at(t, y), m_.loose(t, y), w);
    m_.friction.observe(y + 2, m_.rub_at(t, y), out + 1);
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
  const linear_mass* linear() const override { return not_linear_.empty() ? &linear_ : nullptr; }
  std::string why_not_linear() const override { return not_linear_; }
  void powers_under(double t, const double* y, double f, double* out) const override {
    sliding_mass_energy{m_}.powers_under(t, y, f, out);
  }
  complaint check_inputs(double duration) const override {
    return {"load", reason_load_is_refused(m_.friction, m_.inputs.relative_load, duration)};
  }
  std::string explain_failure(double from, double to) const override {
    return explain_bad_load(m_.friction, m_.inputs.relative_load, from, to);
  }

 private:
  mass_motion motion_, audited_motion_;
  linear_mass linear_;
  std::string not_linear_;  // empty where all is
  sliding_mass<model_dual, any_dual_model, dual_signal_inputs> in_dual_;

  void set_linear() {
    not_linear_ = why_not_elements(m_.friction);
    if (not_linear_.empty()) not_linear_ = asperity::why_not_linear(m_.inputs);
    if (!not_linear_.empty()) return;
    linear_.m = m_.m;
    linear_.k = m_.k;
    linear_.c = m_.c;
    linear_.friction = *elements_of(m_.friction);
    set_linear_inputs(m_.inputs, m_.k, linear_);
  }
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

}  // namespace

std::shared_ptr<system> make_sliding_system(const char* kind, named_sliding_mass mass) {
  return std::make_shared<sliding_system>(kind, std::move(mass));
}

const named_sliding_mass* sliding_mass_in(const system& s) {
  const auto* found = dynamic_cast<const sliding_system*>(&s);
  return found == nullptr ? nullptr : &found->mechanics();
}

void read_sliding_mass(system_builder& b, named_sliding_mass& mass, bool has_spring) {
  b.required("mass", mass.m, units::kilogram, positive, "mass of the sliding body");
  if (has_spring)
    b.required("stiffness", mass.k, units::newton / units::metre, positive,
               "stiffness of the spring");
  b.optional("damping", mass.c, units::newton * units::second / units::metre, non_negative,
             "damping of the damper parallel to the spring");
}

named_sliding_mass read_what_slides(system_builder& b) {
  b.axis();
  return {b.root
              .one_model(
                  {"friction", "hysteresis"},
                  "friction or hysteresis between mass and ground; an operator takes m and gives N")
              .model};
}

}  // namespace asperity
