// SPDX-License-Identifier: Apache-2.0
#include <asperity/integrate/method.hpp>
#include <asperity/mechanics/input_signal.hpp>
#include <asperity/mechanics/load.hpp>
#include <asperity/mechanics/memory_step.hpp>
#include <asperity/mechanics/sliding_system.hpp>
#include <asperity/mechanics/system_parts.hpp>
#include <asperity/systems/prescribed_motion.hpp>
#include <cmath>

namespace asperity {

namespace {

// Whoever moves the model supplies what it takes.
struct prescribed_motion_energy {
  const prescribed_motion& system;

  energy_terms terms() const {
    energy_terms result{{}, {"motion"}, {element_with_losses("model", system.model)}};
    if (!system.model.at().has_units())
      result.refusal =
          "the operator '" + system.model.key() + "' takes plain numbers to plain numbers";
    return result;
  }
  void energies(double t, const double* y, double* out) const {
    out[0] = stored_in(system.model, y + 1, system.drive_at(t, y));
  }
  void powers(double t, const double* y, double* out) const {
    double rate[any_model::max_states];
    const auto in = system.drive_at(t, y);
    const double f = respond(system.model, y + 1, in, rate);
    out[0] = out[1] = sign() * f * in.v;
    book_losses(system.model, y + 1, in, f, rate, out + 2);
  }
  void stage_powers(double t, double h, const double* start, const double* y, double* out) const {
    const auto in = system.drive_at(t, start);
    const double gap = system.motion_is_velocity ? y[0] : in.x;
    const double u = sign() < 0 ? gap : in.v;
    double settled[any_model::max_states];
    const auto end =
        implicit_step(system.model, start + 1, in.load, h, {u, u, 0}, settled, gap - h * in.v);
    out[0] = out[1] = sign() * end.f * in.v;
  }
  void advance_with_work(double t, double h, double* y, double* work) const {
    const auto from = system.drive_at(t, y);
    const double f = system.model.force(y + 1, from);
    const losses_at start(system.model, y + 1, from);
    system.advance(t, h, y);
    const auto to = system.drive_at(t + h, y);
    const losses_at end(system.model, y + 1, to);
    const double done = sign() * 0.5 * (f + system.model.force(y + 1, to)) * (to.x - from.x);
    work[0] += done;
    work[1] += done;
    const int named = system.model.has_losses() ? 2 : 0;
    for (int i = 0; i < named; ++i) work[2 + i] += 0.5 * h * (start.power[i] + end.power[i]);
  }

 private:
  double sign() const { return system.model.at().is_contact() ? -1.0 : 1.0; }
};

class moved_system final : public system_of<prescribed_motion> {
 public:
  const prescribed_motion& mechanics() const { return m_; }

  moved_system(prescribed_motion mechanics, const std::string& key)
      : system_of("prescribed_motion", std::move(mechanics)),
        motion_(m_),
        audited_motion_(m_, prescribed_motion_energy{m_}.terms().powers()) {
    const bool is_operator = !m_.model.at().has_units();
    const bool is_contact = m_.model.at().is_contact();
    // An operator takes plain numbers to plain numbers.
    const unit in = is_operator ? units::one : units::metre;
    system_quantity x{"x", in};
    if (!m_.motion_is_velocity) x.given_by = "motion";
    card_.add_state(x, false);
    initial_.push_back(m_.motion_is_velocity ? 0.0 : m_.motion.value(0));
    add_output("x", in);
    add_output("v", in / units::second);
    add_output("f", is_operator ? units::one : units::newton);
    add_outputs(m_.model);
    add_input("motion", m_.motion_is_velocity ? in / units::second : in, m_.motion, false);
    add_input("load", units::one, m_.load);
    add_own_states(m_.model);
    card_.models.push_back({key, &m_.model});
    // A law that is moved may have unstable branches, which long implicit steps would stay on.
    card_.preferred = &detail::dopri5_method;
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
    m_.model.observe(y + 1, in, out + 3);
  }
  std::vector<event> events(workspace& w) const override {
    std::vector<event> events;
    events.push_back({"reversal", [this, moving = without_noise(0.0)](double t, const double* y) {
                        return moving(m_.drive_at(t, y).v);
                      }});
    if (m_.model.at().is_contact()) {
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
    return {"load", reason_load_is_refused(m_.model, m_.load, duration)};
  }
  std::string explain_failure(double from, double to) const override {
    return explain_bad_load(m_.model, m_.load, from, to);
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

std::shared_ptr<system> build(system_builder& b) {
  b.axis();
  auto [key, model] = b.root.one_model({"friction", "contact", "curve", "hysteresis"},
                                       "model that is moved; for a contact, x is the gap");
  const unit of_position = model.at().has_units() ? units::metre : units::one;
  prescribed_motion moved{std::move(model), {}};
  key_builder motion = b.root.table("motion", "an input, whose keys are given next to `of`");
  moved.motion_is_velocity = motion.word("of", {"position", "velocity"},
                                         "quantity that the input prescribes") == "velocity";
  moved.motion = read_signal_table(
      motion, moved.motion_is_velocity ? of_position / units::second : of_position);
  b.load(moved.load);
  return std::make_shared<moved_system>(std::move(moved), key);
}

}  // namespace

const prescribed_motion* prescribed_motion_in(const system& s) {
  const auto* found = dynamic_cast<const moved_system*>(&s);
  return found == nullptr ? nullptr : &found->mechanics();
}

namespace detail {

extern const system_row prescribed_motion{.name = "prescribed_motion",
                                          .what = "a model that is moved as a function of time",
                                          .build = build};

}  // namespace detail

}  // namespace asperity
