// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/mechanics/load.hpp>
#include <asperity/mechanics/rubbing_system.hpp>
#include <asperity/mechanics/sliding_system.hpp>
#include <asperity/systems/mass_between_walls.hpp>

namespace asperity {

namespace {

// Friction that may be absent.
using walled_mass = mass_between_walls<double, any_model, any_model, signal_inputs>;
using free_mass = mass_between_walls<double, any_model, no_friction<double>, signal_inputs>;

template <class Mass, bool rubs = std::is_same_v<Mass, walled_mass>>
class walls_system final : public std::conditional_t<rubs, rubbing_system<Mass>, system_of<Mass>> {
 public:
  using base = std::conditional_t<rubs, rubbing_system<Mass>, system_of<Mass>>;
  using base::m_;

  explicit walls_system(Mass mass) : base("mass_between_walls", std::move(mass), 4) {
    this->add_state("x", units::metre);
    this->add_state("v", units::speed);
    this->add_states(m_.contact, "left_");
    this->add_states(m_.contact, "right_");
    if constexpr (rubs) this->add_states(m_.friction, "friction_");
    this->add_output("f_left", units::newton);
    this->add_output("f_right", units::newton);
    this->add_output("f", units::newton);
    this->add_input("force", units::newton, m_.inputs.push);
    this->add_input("load", units::one, m_.inputs.relative_load);
    this->add_contact(m_.contact);
    if constexpr (rubs) {
      this->set_stage({&m_.contact, &m_.friction});
    } else {
      this->set_stage({&m_.contact});
    }
    energy_terms terms{{"kinetic"},
                       {"force"},
                       {element_of("left wall", m_.contact), element_of("right wall", m_.contact)}};
    if constexpr (rubs) terms.elements.push_back(element_with_losses("friction", m_.friction));
    this->set_energy(std::move(terms));
  }

  void observe(double t, const double* y, double* out, workspace& w) const override {
    const auto f = forces(y);
    out[0] = f.left;
    out[1] = f.right;
    out[2] = f.friction;
    if constexpr (rubs) out[2] = this->shown(y, m_.rub_at(t, y), m_.loose(t, y), w);
  }
  std::vector<event> events(workspace& w) const override {
    std::vector<event> events;
    add_side_event(events, m_.contact, 2, [this](const double* y) { return m_.left_gap(y); });
    add_side_event(events, m_.contact, m_.right_states(),
                   [this](const double* y) { return m_.right_gap(y); });
    add_contact_events(events, "_left", [this](double, const double* y) { return forces(y).left; });
    add_contact_events(events, "_right",
                       [this](double, const double* y) { return forces(y).right; });
    events.push_back(reversal_of(1, w));
    if constexpr (rubs) {
      if (can_tell_slip(m_.friction))
        add_slip_events(events, "", [this, &w](double t, const double* y) {
          return this->margin(y, m_.rub_at(t, y), m_.loose(t, y), w);
        });
    }
    return events;
  }
  system::complaint check_inputs(double duration) const override {
    if constexpr (rubs)
      return {"load", reason_load_is_refused(m_.friction, m_.inputs.relative_load, duration)};
    else
      return {"load", reason_load_is_refused(m_.inputs.relative_load, duration)};
  }

 private:
  // Of the walls.
  typename Mass::forces forces(const double* y) const {
    double rate[Mass::capacity];
    return m_.forces_under(y, 0.0, rate);
  }
  void energies(double t, const double* y, double* out, workspace&) const override {
    out[0] = 0.5 * m_.m * y[1] * y[1];
    out[1] = stored_in(m_.contact, y + 2, m_.left_gap(y));
    out[2] = stored_in(m_.contact, y + m_.right_states(), m_.right_gap(y));
    if constexpr (rubs) out[3] = stored_in(m_.friction, y + m_.friction_states(), m_.rub_at(t, y));
  }
};

std::shared_ptr<system> build(system_builder& b) {
  using namespace units;
  b.axis();
  free_mass mass{b.contact("contact model of both walls"), {}};
  b.refuse_rigid(mass.contact);
  b.required("mass", mass.m, kilogram, positive, "mass of the body between the walls");
  b.optional("left", mass.left, metre, any_value, "position of the left wall");
  b.optional("right", mass.right, metre, any_value, "position of the right wall, above left");
  if (!(mass.left < mass.right))
    b.refuse("right", fmt::format("it must be above left = {:g}", mass.left));
  b.root.optional("force", mass.inputs.push, newton, "force on the mass");
  b.load(mass.inputs.relative_load);
  if (!b.root.has("friction")) {
    b.check_size(mass.size());
    return std::make_shared<walls_system<free_mass>>(std::move(mass));
  }
  walled_mass rubbing{std::move(mass.contact),
                      b.friction("friction between mass and ground", may_have_memory, is_optional),
                      mass.m,
                      mass.left,
                      mass.right,
                      mass.inputs};
  b.check_size(rubbing.size());
  return std::make_shared<walls_system<walled_mass>>(std::move(rubbing));
}

}  // namespace

namespace detail {

extern const system_row mass_between_walls{
    .name = "mass_between_walls", .what = "a mass between two walls", .build = build};

}  // namespace detail

}  // namespace asperity
