// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/integrate/method.hpp>
#include <asperity/run/rubbing_system.hpp>
#include <asperity/systems/load.hpp>
#include <asperity/systems/mass_between_walls.hpp>
#include <asperity/systems/mass_on_belt.hpp>
#include <asperity/systems/rigid_bounce.hpp>
#include <asperity/systems/rolling_disc.hpp>
#include <asperity/systems/signal_inputs.hpp>
#include <asperity/systems/two_bodies_wall_conveyor.hpp>
#include <cmath>

namespace asperity {

namespace {

// ---- a disc that bounces and rolls --------------------------------------------------------------

class disc_system final : public rubbing_system<rolling_disc<double, any_model, any_model>> {
 public:
  using disc = rolling_disc<double, any_model, any_model>;

  explicit disc_system(disc mechanics)
      : rubbing_system("rolling_disc", std::move(mechanics), 2), rigid_(is_rigid(m_.contact)) {
    using namespace units;
    add_state("x", metre);
    add_state("z", metre, m_.R);
    add_state("theta", one);
    add_state("v_x", speed);
    add_state("v_z", speed);
    add_state("omega", one / second);
    add_states(m_.contact, "contact_");
    add_states(m_.friction, "friction_");
    add_output("gap", metre);
    add_output("f_n", newton);
    add_output("f_x", newton);
    add_output("slip", speed);
    add_output("elevation", one);
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

// ---- a mass between two walls -------------------------------------------------------------------

// Friction that may be absent.
using walled_mass = mass_between_walls<double, any_model, any_model, signal_inputs>;
using free_mass = mass_between_walls<double, any_model, no_friction<double>, signal_inputs>;

template <class Mass, bool rubs = std::is_same_v<Mass, walled_mass>>
class walls_system final : public std::conditional_t<rubs, rubbing_system<Mass>, system_of<Mass>> {
 public:
  using base = std::conditional_t<rubs, rubbing_system<Mass>, system_of<Mass>>;
  using base::m_;

  walls_system(Mass mass, double force_period, double load_period)
      : base("mass_between_walls", std::move(mass), 4) {
    this->add_state("x", units::metre);
    this->add_state("v", units::speed);
    this->add_states(m_.contact, "left_");
    this->add_states(m_.contact, "right_");
    if constexpr (rubs) this->add_states(m_.friction, "friction_");
    this->add_output("f_left", units::newton);
    this->add_output("f_right", units::newton);
    this->add_output("f", units::newton);
    this->card_.add_input("force", units::newton, m_.inputs.push, force_period);
    this->card_.add_input("load", units::one, m_.inputs.relative_load, load_period);
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
      return {"load", why_not_load(m_.friction, m_.inputs.relative_load, duration)};
    else
      return {"load", why_not_load(m_.inputs.relative_load, duration)};
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

// ---- a mass on a belt ---------------------------------------------------------------------------

class belt_system final : public rubbing_system<mass_on_belt<double, any_model>> {
 public:
  using mass = mass_on_belt<double, any_model>;

  explicit belt_system(mass mechanics) : rubbing_system("mass_on_belt", std::move(mechanics), 2) {
    add_state("p", units::metre);
    add_state("v", units::speed);
    add_states(m_.friction, "friction_");
    add_output("w", units::speed);
    add_output("f", units::newton);
    set_stage({&m_.friction});
    set_energy({{"kinetic", "spring"}, {"belt"}, {element_with_losses("friction", m_.friction)}});
  }
  void observe(double t, const double* y, double* out, workspace& w) const override {
    out[0] = -m_.slip(y);
    out[1] = shown(y, m_.rub_at(t, y), m_.loose(y), w);
  }
  std::vector<event> events(workspace& w) const override {
    std::vector<event> events;
    if (can_tell_slip(m_.friction))
      add_slip_events(events, "", [this, &w](double t, const double* y) {
        return margin(y, m_.rub_at(t, y), m_.loose(y), w);
      });
    events.push_back(reversal_of(1, w));
    return events;
  }

 private:
  void energies(double t, const double* y, double* out, workspace&) const override {
    m_.held(y, out);
    out[2] = stored_in(m_.friction, y + 2, m_.drive_at(t, y));
  }
};

// ---- two bodies, wall, conveyor -----------------------------------------------------------------

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

// ---- bouncing on rigid ground -------------------------------------------------------------------

class bounce_system final : public system_of<rigid_bounce> {
 public:
  explicit bounce_system(const rigid_bounce& mass) : system_of("rigid_bounce", mass) {
    add_state("x", units::metre, 0, 0, non_negative);
    add_state("v", units::speed);
    add_state("rests", units::one, 0, 0, whole(0, 1));
    has_stage_ = true;
    // In flight nothing is taken; what an impact takes is added by the run.
    set_energy({{"kinetic", "potential"}, {}, {{"ground", "", true, {{"impacts"}}}}});
  }

  std::vector<std::string> doubts(const run_setting& s) const override {
    if (euler_step(s) == 0) return {};
    return {
        fmt::format("explicit Euler gives every flight {:.3g} m/s more, so that bounces would "
                    "never end: below {:.3g} m/s the mass is put to rest",
                    m_.g * s.step, m_.rest_below(s.step))};
  }
  complaint check_initial(const double* y) const override {
    if (y[2] == 1 && (y[0] != 0 || y[1] != 0))
      return {"rests", "it is 0, or 1 for a mass at x = 0 with v = 0"};
    return {};
  }
  std::vector<event> events(workspace& w) const override {
    const double h = euler_step(w.setting);
    // Under the ground it can only be on its way down: what is left there is rounding.
    const auto above = [](double, const double* y) { return y[2] > 0.5 || y[1] > 0 ? 1.0 : y[0]; };
    // What starts on the ground and does not rise has its impact before anything else.
    const auto land = [this, h](double, double* y) {
      if (y[0] == 0 && y[1] <= 0 && y[2] < 0.5) m_.impact(y, h);
    };
    return {{"impact", above, event::direction::falling, false,
             [this, h](double, double* y) { m_.impact(y, h); }, land},
            {"rest", [](double, const double* y) { return y[2] - 0.5; }, event::direction::rising},
            {"apex", [](double, const double* y) { return y[2] > 0.5 ? -1.0 : y[1]; },
             event::direction::falling}};
  }

 private:
  static double euler_step(const run_setting& s) {
    return s.method->order == 1 && s.method->needs == method_needs::rates ? s.step : 0;
  }
  void energies(double, const double* y, double* out, workspace&) const override {
    out[0] = 0.5 * m_.m * y[1] * y[1];
    out[1] = m_.m * m_.g * y[0];
    out[2] = 0;
  }
  void powers(double, const double*, double* out, workspace&) const override {
    out[0] = out[1] = 0;
  }
};

}  // namespace

// ---- reading ------------------------------------------------------------------------------------

std::shared_ptr<system> read_rolling_disc(const system_context& from) {
  using namespace units;
  reader& table = from.system;
  any_model contact = read_system_model(from, "contact", "contact");
  any_model friction = read_system_model(from, "friction", "friction", may_have_memory);
  if (is_rigid(contact) && !friction.has_implicit_step()) {
    std::vector<std::string> fit;
    for (const catalogue_entry* entry : catalogue())
      if (entry->family == "friction" && any_model(*entry).has_implicit_step())
        fit.push_back(entry->key);
    from.root.table("friction")
        .fail("model",
              fmt::format("impacts on '{}' need friction with an implicit step in closed form, "
                          "which '{}' has not; allowed: {}",
                          contact.key(), friction.key(), fmt::join(fit, ", ")));
  }
  check_size(from, static_cast<std::size_t>(6 + contact.states() + friction.states()));
  const double m = table.number("mass", kilogram, positive);
  const double R = table.number("radius", metre, positive);
  const double I = table.number("inertia", moment_of_inertia, positive, 0.4 * m * R * R);
  const double g = table.number("gravity", acceleration, non_negative, 9.81);
  const double slope = table.number("slope", one, {-1.5, 1.5}, 0.0);
  const double reference = table.number("reference_load", newton, positive, 1.0);
  const double least = least_load_of(friction);
  return std::make_shared<disc_system>(disc_system::disc{std::move(contact), std::move(friction), m,
                                                         R, I, g, slope, reference, least});
}

std::shared_ptr<system> read_mass_between_walls(const system_context& from) {
  using namespace units;
  reader& table = from.system;
  any_model contact = read_system_model(from, "contact", "contact");
  refuse_rigid(from, contact);
  const double m = table.number("mass", kilogram, positive);
  const double left = table.number("left", metre, any_value, -1.0);
  const double right = table.number("right", metre, any_value, 1.0);
  if (!(left < right)) table.fail("right", fmt::format("it must be above left = {:g} m", left));
  signal_inputs inputs;
  const double force_period = read_input_or(from, "force", newton, inputs.push);
  const double load_period = read_input_or(from, "load", one, inputs.relative_load);
  if (from.root.find("friction") == nullptr) {
    check_size(from, static_cast<std::size_t>(2 + 2 * contact.states()));
    return std::make_shared<walls_system<free_mass>>(
        free_mass{std::move(contact), {}, m, left, right, inputs}, force_period, load_period);
  }
  any_model friction = read_system_model(from, "friction", "friction", may_have_memory);
  check_size(from, static_cast<std::size_t>(2 + 2 * contact.states() + friction.states()));
  return std::make_shared<walls_system<walled_mass>>(
      walled_mass{std::move(contact), std::move(friction), m, left, right, inputs}, force_period,
      load_period);
}

std::shared_ptr<system> read_mass_on_belt(const system_context& from) {
  using namespace units;
  reader& table = from.system;
  any_model friction = read_system_model(from, "friction", "friction", may_have_memory);
  const double m = table.number("mass", kilogram, positive);
  const double k_1 = table.number("k_1", newton / metre, any_value);
  const double k_2 = table.number("k_2", newton / power(metre, 3), any_value);
  const double u = table.number("speed", speed, any_value);
  return std::make_shared<belt_system>(belt_system::mass{std::move(friction), m, k_1, k_2, u});
}

std::shared_ptr<system> read_two_bodies_wall_conveyor(const system_context& from) {
  using namespace units;
  reader& table = from.system;
  any_model contact = read_system_model(from, "contact", "contact");
  refuse_rigid(from, contact);
  any_model friction = read_system_model(from, "friction", "friction");
  check_size(from, static_cast<std::size_t>(8 + 3 * contact.states() + 3 * friction.states()));
  const double m_1 = table.number("mass_1", kilogram, positive);
  const double m_2 = table.number("mass_2", kilogram, positive);
  const double k = table.number("stiffness", newton / metre, non_negative);
  const double u = table.number("speed", speed, any_value);
  const double g = table.number("gravity", acceleration, non_negative, 9.81);
  const double reference = table.number("reference_load", newton, positive, 1.0);
  const double least = least_load_of(friction);
  return std::make_shared<conveyor_system>(conveyor_system::bodies{
      std::move(contact), std::move(friction), m_1, m_2, k, u, g, reference, least});
}

std::shared_ptr<system> read_rigid_bounce(const system_context& from) {
  using namespace units;
  rigid_bounce mass;
  mass.m = from.system.number("mass", kilogram, positive, 1.0);
  mass.g = from.system.number("gravity", acceleration, positive, 9.81);
  mass.e = from.system.number("restitution", one, {0.0, 0.999}, 0.5);
  mass.rest_within = from.system.number("rest_within", second, positive, 1e-9);
  return std::make_shared<bounce_system>(mass);
}

}  // namespace asperity
