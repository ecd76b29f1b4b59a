// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/mechanics/system_parts.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/systems/two_bodies_wall_conveyor.hpp>

namespace asperity {

namespace {

class conveyor_system final
    : public system_of<two_bodies_wall_conveyor<double, any_model, any_model>> {
 public:
  using bodies = two_bodies_wall_conveyor<double, any_model, any_model>;

  explicit conveyor_system(bodies mechanics)
      : system_of("two_bodies_wall_conveyor", std::move(mechanics)) {
    for (const char* name : {"p_1x", "p_1y", "p_2x", "p_2y"}) add_state(name, units::metre);
    for (const char* name : {"v_1x", "v_1y", "v_2x", "v_2y"}) add_state(name, units::speed);
    for (int i = 1; i <= 3; ++i) add_states(m_.contact, fmt::format("contact_{}_", i));
    for (int i = 1; i <= 3; ++i) add_states(m_.friction, fmt::format("friction_{}_", i));
    for (int i = 1; i <= 3; ++i) add_output(fmt::format("f_{}", i), units::newton);
    for (int i = 1; i <= 3; ++i) add_output(fmt::format("theta_{}", i), units::newton);
    add_contact(m_.contact);
    set_stage({&m_.contact, &m_.friction});
    card_.models.push_back({"friction", &m_.friction});
    if (is_set_valued(m_.friction) || m_.friction.has_side())
      card_.chatters.push_back(m_.friction.key());
    energy_terms terms{{"kinetic", "spring", "potential"}, {"belt"}, {}};
    for (const char* name : {"contact 1 (wall)", "contact 2 (bodies)", "contact 3 (conveyor)"})
      terms.elements.push_back(element_of(name, m_.contact));
    for (const char* name : {"friction 1 (wall)", "friction 2 (bodies)", "friction 3 (conveyor)"})
      terms.elements.push_back(element_of(name, m_.friction));
    set_energy(std::move(terms));
  }
  void observe(double t, const double* y, double* out, workspace&) const override {
    const auto f = forces(t, y);
    std::copy_n(f.psi, 3, out);
    std::copy_n(f.theta, 3, out + 3);
  }
  std::vector<event> events(workspace&) const override {
    std::vector<event> events;
    for (int i = 0; i < 3; ++i) {
      const std::string suffix = fmt::format("_{}", i + 1);
      add_side_event(events, m_.contact, m_.contact_states(i),
                     [this, i](const double* y) { return m_.gap(y, i); });
      const auto press = [this, i](double t, const double* y) { return forces(t, y).psi[i]; };
      add_contact_events(events, suffix, press);
      add_relax_event(events, m_.friction, m_.friction_states(i), 3 + i, press);
      if (m_.friction.has_slip_margin())
        add_slip_events(events, suffix, [this, i](double t, const double* y) {
          const double psi = forces(t, y).psi[i];
          if (!(psi > 0)) return -1.0;
          const auto in = m_.rub(t, y, i, psi);
          return m_.friction.slip_margin(y + m_.friction_states(i), in.x, in.v, in.load);
        });
    }
    return events;
  }

 private:
  bodies::forces forces(double t, const double* y) const {
    double rate[bodies::capacity];
    return m_.respond_at(t, y, rate);
  }
  void energies(double t, const double* y, double* out, workspace&) const override {
    m_.held(y, out);
    const auto f = forces(t, y);
    for (int i = 0; i < 3; ++i) {
      out[3 + i] = stored_in(m_.contact, y + m_.contact_states(i), m_.gap(y, i));
      out[6 + i] = stored_in(m_.friction, y + m_.friction_states(i), m_.rub(t, y, i, f.psi[i]));
    }
  }
};

std::shared_ptr<system> build(system_builder& b) {
  using namespace units;
  any_model contact = b.contact("contact with the wall, between the bodies and with the conveyor");
  b.refuse_rigid(contact);
  any_model friction = b.friction("friction at the same three places", !may_have_memory);
  conveyor_system::bodies bodies{std::move(contact), std::move(friction)};
  b.check_size(bodies.size());
  b.required("mass_1", bodies.M_1, kilogram, positive, "mass of the body at the wall");
  b.required("mass_2", bodies.M_2, kilogram, positive, "mass of the body on the conveyor");
  b.required("stiffness", bodies.K_s, newton / metre, non_negative,
             "stiffness of the spring at the first body");
  b.required("speed", bodies.u, speed, any_value, "speed of the conveyor, towards the wall");
  b.gravity(bodies.g);
  b.reference_load(bodies.reference_load);
  bodies.least_load = least_load_of(bodies.friction);
  return std::make_shared<conveyor_system>(std::move(bodies));
}

}  // namespace

namespace detail {

extern const system_row two_bodies_wall_conveyor{.name = "two_bodies_wall_conveyor",
                                                 .what = "two bodies beside a wall on a conveyor",
                                                 .build = build};

}  // namespace detail

}  // namespace asperity
