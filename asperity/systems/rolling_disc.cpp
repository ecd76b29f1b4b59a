// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/mechanics/rubbing_system.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/systems/rolling_disc.hpp>
#include <cmath>

namespace asperity {

namespace {

class disc_system final : public rubbing_system<rolling_disc<double, any_model, any_model>> {
 public:
  using disc = rolling_disc<double, any_model, any_model>;

  explicit disc_system(disc mechanics)
      : rubbing_system("rolling_disc", std::move(mechanics), 2), rigid_(is_rigid(m_.contact)) {
    using namespace units;
    add_state("x", metre);
    add_state("z", metre, m_.R);
    add_state("theta", radian);
    add_state("v_x", speed);
    add_state("v_z", speed);
    add_state("omega", radian / second);
    add_states(m_.contact, "contact_");
    add_states(m_.friction, "friction_");
    add_output("gap", metre);
    add_output("f_n", newton);
    add_output("f_x", newton);
    add_output("slip", speed);
    add_output("elevation", radian);
    add_contact(m_.contact);
    set_stage({&m_.contact, &m_.friction});
    set_energy({{"kinetic", "rotational", "potential"},
                {},
                {element_of("contact", m_.contact), element_with_losses("friction", m_.friction)}});
  }

  void observe(double, const double* y, double* out, workspace& w) const override {
    const double f_n = pressed(y, w);
    out[0] = y[1] - m_.R;
    out[1] = f_n;
    out[2] = f_n > 0 ? -shown(y, m_.slip_at(y, f_n), m_.loose(), w, m_.least_load) : 0.0;
    out[3] = m_.slip(y);
    out[4] = std::atan2(y[4], std::abs(y[3]));
  }

  std::vector<event> events(workspace& w) const override {
    const auto press = [this, &w](double, const double* y) { return pressed(y, w); };
    std::vector<event> events;
    add_side_event(events, m_.contact, disc::mechanical,
                   [this](const double* y) { return m_.gap_at(y); });
    add_contact_events(events, "", press);
    add_relax_event(events, m_.friction, m_.friction_states(), 1, press);
    if (can_tell_slip(m_.friction))
      add_slip_events(events, "", [this, &w](double, const double* y) {
        const double f_n = pressed(y, w);
        return f_n > 0 ? margin(y, m_.slip_at(y, f_n), m_.loose(), w) : -1.0;
      });
    events.push_back(
        {"apex", [this, &w](double, const double* y) { return pressed(y, w) > 0 ? -1.0 : y[4]; },
         event::direction::falling});
    return events;
  }

 private:
  bool rigid_;

  double pressed(const double* y, workspace& w) const {
    if (rigid_) return m_.hold_apart(y, w.setting.step);
    double rate[disc::capacity];
    return m_.press(y, rate);
  }
  void energies(double t, const double* y, double* out, workspace&) const override {
    m_.energies(t, y, out);
  }
  void stage_powers(double t, double h, const double* start, const double* y, double* out,
                    workspace&) const override {
    m_.stage_powers(t, h, start, y, rigid_, out);
  }
};

std::shared_ptr<system> build(system_builder& b) {
  using namespace units;
  any_model contact = b.contact("contact between disc and ground");
  any_model friction = b.friction("friction between disc and ground", may_have_memory);
  if (is_rigid(contact) && !friction.has_implicit_step()) {
    std::vector<std::string> fit;
    for (const catalogue_entry* entry : catalogue())
      if (entry->family == "friction" && any_model(*entry).has_implicit_step())
        fit.push_back(entry->key);
    b.root.refuse("friction.model",
                  fmt::format("impacts on '{}' need friction with an implicit step in closed form, "
                              "which '{}' does not have; allowed: {}",
                              contact.key(), friction.key(), fmt::join(fit, ", ")));
  }
  b.check_size(6 + contact.states() + friction.states());
  disc_system::disc disc{std::move(contact), std::move(friction)};
  b.required("mass", disc.m, kilogram, positive, "mass of the disc");
  b.required("radius", disc.R, metre, positive, "radius of the disc");
  disc.I = 0.4 * disc.m * disc.R * disc.R;
  b.optional("inertia", disc.I, moment_of_inertia, positive, "moment of inertia about its axis",
             "that of a solid sphere");
  b.gravity(disc.g);
  b.optional("slope", disc.slope, one, {-1.5, 1.5}, "slope of the ground, falling towards +x");
  b.reference_load(disc.reference_load);
  disc.least_load = least_load_of(disc.friction);
  return std::make_shared<disc_system>(std::move(disc));
}

}  // namespace

namespace detail {

extern const system_row rolling_disc{
    .name = "rolling_disc",
    .what = "a disc or sphere in a plane, any contact and any friction",
    .build = build};

}  // namespace detail

}  // namespace asperity
