// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/scenario/machine_parts.hpp>
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

// Share of the highest velocity below which a machine rests; its tolerances are not known here.
constexpr double noise = 1e-9;

// A law that is set-valued or jumps can only chatter at rest under an explicit method.
std::vector<std::string> doubts_about(const std::vector<const any_model*>& models,
                                      const std::string& method) {
  std::vector<std::string> doubts;
  if (method == "trbdf2" || method == "sdirk2" || method == "backward_euler" ||
      method == "switch" || method == "automatic")
    return doubts;
  for (const any_model* each : models)
    if (each->entry().family == "contact" ? is_rigid(*each)
                                          : is_set_valued(*each) || each->has_side())
      doubts.push_back(
          fmt::format("model '{}' is set-valued at rest, where method {} can only chatter",
                      each->key(), method));
  return doubts;
}

// A machine with one friction: what laws that jump (Switch Model), laws whose memory is not an ODE
// and laws that name their losses ask of it. Friction is the last element of its books, whose other
// powers are `flows` many.
template <class System>
class rubbing_machine : public machine_of<System> {
 public:
  rubbing_machine(System system, int flows)
      : machine_of<System>(std::move(system)),
        set_valued_(is_set_valued(this->system_.friction)),
        by_velocity_(reads_velocity(this->system_.friction)),
        flows_(flows) {}

  void powers(double t, const double* y, double* out) const override {
    this->system_.powers(t, y, out);
    add_losses(t, y, out,
               [](const any_model& friction, const double* state, const drive<double>& in,
                  double* rate) { return respond(friction, state, in, rate); });
  }

  std::string memory() const override {
    return this->system_.friction.is_ode() ? "" : this->system_.friction.key();
  }
  void own_step(double t, double h, double* y) const override {
    memory_step(this->system_, t, h, y, 0, nullptr);
  }
  void own_step_with_work(double t, double h, double* y, double* work) const override {
    memory_step(this->system_, t, h, y, this->books().powers(), work);
  }

  int memory_at() const override { return this->system_.friction_states(); }
  double memory_force(double t, const double* y) const override {
    const auto in = this->system_.rub_at(t, y);
    return in.load > 0 ? this->system_.friction.force(y + memory_at(), in) : 0;
  }
  bool implicit_step(double t, double h, double* y, double* work) const override {
    return implicit_memory_step(this->system_, by_velocity_, t, h, y,
                                work != nullptr ? this->books().powers() : 0, work);
  }

  std::string chattering() const override {
    const bool chatters = set_valued_ && !has_sides() && !this->has_stage();
    return chatters ? this->system_.friction.key() : "";
  }
  bool has_sides() const override { return this->system_.friction.has_side(); }
  void side_rates(double t, const double* y, double direction, double* rate) const override {
    this->system_.side_rates(t, y, direction, rate);
  }
  void side_powers(double t, const double* y, double direction, double* out) const override {
    this->system_.side_powers(t, y, direction, out);
    add_losses(t, y, out,
               [direction](const any_model& friction, const double* state, const drive<double>& in,
                           double* rate) { return side(friction, state, in, direction, rate); });
  }
  double slip(const double* y) const override { return this->system_.slip(y); }
  double slip_rate(const double* rate) const override { return this->system_.slip_rate(rate); }
  void add_slip(double* y, double more) const override { this->system_.add_slip(y, more); }
  double slip_grip(double t, const double* y) const override {
    return this->system_.slip_grip(t, y);
  }

 protected:
  double shown(const double* y, const drive<double>& rub, const loose_body& body,
               double least_load = 0) const {
    const auto& s = this->system_;
    return shown_friction(s.friction, set_valued_, y + s.friction_states(), rub, body, least_load);
  }
  double margin(const double* y, const drive<double>& rub, const loose_body& body) const {
    const auto& s = this->system_;
    return slip_margin_of(s.friction, y + s.friction_states(), rub, body);
  }

 private:
  bool set_valued_, by_velocity_;
  int flows_;

  // What friction loses by its own word, where it answers by `ask`.
  template <class Ask>
  void add_losses(double t, const double* y, double* out, const Ask& ask) const {
    const auto& s = this->system_;
    if (!s.friction.has_losses()) return;
    double rate[any_model::max_states];
    const double* state = y + s.friction_states();
    const auto in = s.rub_at(t, y);
    const double f = ask(s.friction, state, in, rate);
    book_losses(s.friction, state, in, f, rate, out + flows_);
  }
};

// ---- a disc that bounces and rolls --------------------------------------------------------------

class disc_machine : public rubbing_machine<rolling_disc<double, any_model, any_model>> {
 public:
  using system = rolling_disc<double, any_model, any_model>;

  explicit disc_machine(system disc) : rubbing_machine(std::move(disc), 2) {
    using namespace units;
    add_state("x", metre);
    add_state("z", metre, system_.R);
    add_state("theta", one);
    add_state("v_x", speed);
    add_state("v_z", speed);
    add_state("omega", one / second);
    add_states(system_.contact, "contact_");
    add_states(system_.friction, "friction_");
  }

  bool has_stage() const override {
    return system_.contact.has_react() && system_.friction.has_implicit_step();
  }
  bool has_rigid_contact() const override { return is_rigid(system_.contact); }
  void solve_stage(double t, double h, const double* start, double* y) const override {
    system_.solve_stage(t, h, start, y);
  }
  std::vector<std::string> plan(const std::string& method, double h) override {
    step_ = h;
    return doubts_about({&system_.contact, &system_.friction}, method);
  }

  std::vector<machine_quantity> outputs() const override {
    using namespace units;
    return {{"gap", metre}, {"f_n", newton}, {"f_x", newton}, {"slip", speed}, {"elevation", one}};
  }
  void observe(double, const double* y, double* out) const override {
    const double f_n = pressed(y);
    out[0] = y[1] - system_.R;
    out[1] = f_n;
    out[2] = -shown(y, system_.slip_at(y, f_n), system_.loose(), system_.least_load);
    out[3] = system_.slip(y);
    out[4] = std::atan2(y[4], std::abs(y[3]));
  }

  std::vector<event> events() const override {
    const auto press = [this](double, const double* y) { return pressed(y); };
    std::vector<event> events;
    add_side_event(events, system_.contact, system::mechanical,
                   [this](const double* y) { return system_.gap_at(y); });
    add_contact_events(events, "", press);
    add_relax_event(events, system_.friction, system_.friction_states(), 1, press);
    if (can_tell_slip(system_.friction))
      add_slip_events(events, "", [this](double, const double* y) {
        const double f_n = pressed(y);
        return f_n > 0 ? margin(y, system_.slip_at(y, f_n), system_.loose()) : -1.0;
      });
    events.push_back({"apex",
                      [this](double, const double* y) { return pressed(y) > 0 ? -1.0 : y[4]; },
                      event::direction::falling});
    return events;
  }

  energy_books books() const override {
    return {{"kinetic", "rotational", "potential"},
            {},
            {element_of("contact", system_.contact),
             element_with_losses("friction", system_.friction)}};
  }
  void energies(double t, const double* y, double* out) const override {
    system_.energies(t, y, out);
  }
  void stage_powers(double t, double h, const double* start, const double* y,
                    double* out) const override {
    system_.stage_powers(t, h, start, y, is_rigid(system_.contact), out);
  }

 private:
  double step_ = 0;

  double pressed(const double* y) const {
    if (rigid_) return system_.hold_apart(y, step_);
    double rate[system::capacity];
    return system_.press(y, rate);
  }
  bool rigid_ = is_rigid(system_.contact);
};

// ---- a mass between two walls -------------------------------------------------------------------

// Friction that may be absent.
using walled_mass = mass_between_walls<double, any_model, any_model, signal_inputs>;
using free_mass = mass_between_walls<double, any_model, no_friction<double>, signal_inputs>;

template <class System, bool rubs = std::is_same_v<System, walled_mass>>
class walls_machine : public std::conditional_t<rubs, rubbing_machine<System>, machine_of<System>> {
 public:
  using base = std::conditional_t<rubs, rubbing_machine<System>, machine_of<System>>;

  walls_machine(System mass, double shortest_period)
      : base(make_base(std::move(mass))), shortest_period_(shortest_period) {
    this->add_state("x", units::metre);
    this->add_state("v", units::speed);
    this->add_states(this->system_.contact, "left_");
    this->add_states(this->system_.contact, "right_");
    if constexpr (rubs) this->add_states(this->system_.friction, "friction_");
  }

  std::vector<machine_quantity> outputs() const override {
    return {{"f_left", units::newton}, {"f_right", units::newton}, {"f", units::newton}};
  }
  void observe(double t, const double* y, double* out) const override {
    const auto f = forces(t, y);
    out[0] = f.left;
    out[1] = f.right;
    out[2] = f.friction;
    if constexpr (rubs)
      out[2] = this->shown(y, this->system_.rub_at(t, y), this->system_.loose(t, y));
  }
  std::vector<event> events() const override {
    const auto& s = this->system_;
    std::vector<event> events;
    add_side_event(events, s.contact, 2, [&s](const double* y) { return s.left_gap(y); });
    add_side_event(events, s.contact, s.right_states(),
                   [&s](const double* y) { return s.right_gap(y); });
    add_contact_events(events, "_left",
                       [this](double t, const double* y) { return forces(t, y).left; });
    add_contact_events(events, "_right",
                       [this](double t, const double* y) { return forces(t, y).right; });
    events.push_back({"reversal", [moving = without_noise(noise)](double, const double* y) {
                        return moving(y[1]);
                      }});
    if constexpr (rubs) {
      if (can_tell_slip(s.friction))
        add_slip_events(events, "", [this](double t, const double* y) {
          return this->margin(y, this->system_.rub_at(t, y), this->system_.loose(t, y));
        });
    }
    return events;
  }
  std::vector<double> jumps(double from, double to) const override {
    std::vector<double> all = this->system_.inputs.push.breakpoints(from, to);
    const auto more = this->system_.inputs.relative_load.breakpoints(from, to);
    all.insert(all.end(), more.begin(), more.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }
  double shortest_period() const override { return shortest_period_; }
  machine::input_complaint check_inputs(double duration) const override {
    const signal& load = this->system_.inputs.relative_load;
    if constexpr (std::is_same_v<std::decay_t<decltype(this->system_.friction)>, any_model>)
      return {"load", why_not_load(this->system_.friction, load, duration)};
    else
      return {"load", why_not_load(load, duration)};
  }
  std::vector<std::string> plan(const std::string& method, double) override {
    if constexpr (rubs)
      return doubts_about({&this->system_.contact, &this->system_.friction}, method);
    return doubts_about({&this->system_.contact}, method);
  }

  energy_books books() const override {
    energy_books result{{"kinetic"},
                        {"force"},
                        {element_of("left wall", this->system_.contact),
                         element_of("right wall", this->system_.contact)}};
    if constexpr (rubs)
      result.elements.push_back(element_with_losses("friction", this->system_.friction));
    return result;
  }
  void energies(double t, const double* y, double* out) const override {
    const auto& s = this->system_;
    out[0] = 0.5 * s.m * y[1] * y[1];
    out[1] = stored_in(s.contact, y + 2, s.left_gap(y));
    out[2] = stored_in(s.contact, y + s.right_states(), s.right_gap(y));
    if constexpr (rubs) out[3] = stored_in(s.friction, y + s.friction_states(), s.rub_at(t, y));
  }

 private:
  double shortest_period_;

  static base make_base(System mass) {
    if constexpr (rubs) {
      return base(std::move(mass), 4);
    } else {
      return base(std::move(mass));
    }
  }
  // Of the walls.
  typename System::forces forces(double, const double* y) const {
    double rate[System::capacity];
    return this->system_.forces_under(y, 0.0, rate);
  }
};

// ---- a mass on a belt ---------------------------------------------------------------------------

class belt_machine : public rubbing_machine<mass_on_belt<double, any_model>> {
 public:
  using system = mass_on_belt<double, any_model>;

  explicit belt_machine(system mass) : rubbing_machine(std::move(mass), 2) {
    add_state("p", units::metre);
    add_state("v", units::speed);
    add_states(system_.friction, "friction_");
  }
  std::vector<machine_quantity> outputs() const override {
    return {{"w", units::speed}, {"f", units::newton}};
  }
  void observe(double t, const double* y, double* out) const override {
    out[0] = -system_.slip(y);
    out[1] = shown(y, system_.rub_at(t, y), system_.loose(y));
  }
  std::vector<event> events() const override {
    std::vector<event> events;
    if (can_tell_slip(system_.friction))
      add_slip_events(events, "", [this](double t, const double* y) {
        return margin(y, system_.rub_at(t, y), system_.loose(y));
      });
    events.push_back({"reversal", [moving = without_noise(noise)](double, const double* y) {
                        return moving(y[1]);
                      }});
    return events;
  }
  std::vector<std::string> plan(const std::string& method, double) override {
    return doubts_about({&system_.friction}, method);
  }
  energy_books books() const override {
    return {{"kinetic", "spring"}, {"belt"}, {element_with_losses("friction", system_.friction)}};
  }
  void energies(double t, const double* y, double* out) const override {
    system_.held(y, out);
    out[2] = stored_in(system_.friction, y + 2, system_.drive_at(t, y));
  }
};

// ---- two bodies, wall, conveyor -----------------------------------------------------------------

class conveyor_machine : public machine_of<two_bodies_wall_conveyor<double, any_model, any_model>> {
 public:
  using system = two_bodies_wall_conveyor<double, any_model, any_model>;

  explicit conveyor_machine(system bodies) : machine_of(std::move(bodies)) {
    for (const char* name : {"p_1x", "p_1y", "p_2x", "p_2y"}) add_state(name, units::metre);
    for (const char* name : {"v_1x", "v_1y", "v_2x", "v_2y"}) add_state(name, units::speed);
    for (int i = 1; i <= 3; ++i) add_states(system_.contact, fmt::format("contact_{}_", i));
    for (int i = 1; i <= 3; ++i) add_states(system_.friction, fmt::format("friction_{}_", i));
  }
  std::vector<machine_quantity> outputs() const override {
    std::vector<machine_quantity> result;
    for (int i = 1; i <= 3; ++i) result.push_back({fmt::format("f_{}", i), units::newton});
    for (int i = 1; i <= 3; ++i) result.push_back({fmt::format("theta_{}", i), units::newton});
    return result;
  }
  void observe(double t, const double* y, double* out) const override {
    const auto f = forces(t, y);
    std::copy_n(f.psi, 3, out);
    std::copy_n(f.theta, 3, out + 3);
  }
  std::vector<event> events() const override {
    std::vector<event> events;
    for (int i = 0; i < 3; ++i) {
      const std::string suffix = fmt::format("_{}", i + 1);
      add_side_event(events, system_.contact, system_.contact_states(i),
                     [this, i](const double* y) { return system_.gap(y, i); });
      const auto press = [this, i](double t, const double* y) { return forces(t, y).psi[i]; };
      add_contact_events(events, suffix, press);
      add_relax_event(events, system_.friction, system_.friction_states(i), 3 + i, press);
      if (system_.friction.has_slip_margin())
        add_slip_events(events, suffix, [this, i](double t, const double* y) {
          const double psi = forces(t, y).psi[i];
          if (!(psi > 0)) return -1.0;
          const auto in = system_.rub(t, y, i, psi);
          return system_.friction.slip_margin(y + system_.friction_states(i), in.x, in.v, in.load);
        });
    }
    return events;
  }
  std::vector<std::string> plan(const std::string& method, double) override {
    return doubts_about({&system_.contact, &system_.friction}, method);
  }
  std::string chattering() const override {
    return is_set_valued(system_.friction) || system_.friction.has_side() ? system_.friction.key()
                                                                          : "";
  }
  energy_books books() const override {
    energy_books result{{"kinetic", "spring", "potential"}, {"belt"}, {}};
    for (const char* name : {"contact 1 (wall)", "contact 2 (bodies)", "contact 3 (conveyor)"})
      result.elements.push_back(element_of(name, system_.contact));
    for (const char* name : {"friction 1 (wall)", "friction 2 (bodies)", "friction 3 (conveyor)"})
      result.elements.push_back(element_of(name, system_.friction));
    return result;
  }
  void energies(double t, const double* y, double* out) const override {
    system_.held(y, out);
    const auto f = forces(t, y);
    for (int i = 0; i < 3; ++i) {
      out[3 + i] = stored_in(system_.contact, y + system_.contact_states(i), system_.gap(y, i));
      out[6 + i] = stored_in(system_.friction, y + system_.friction_states(i),
                             system_.rub(t, y, i, f.psi[i]));
    }
  }

 private:
  system::forces forces(double t, const double* y) const {
    double rate[system::capacity];
    return system_.respond_at(t, y, rate);
  }
};

// ---- bouncing on rigid ground -------------------------------------------------------------------

class bounce_machine : public machine {
 public:
  explicit bounce_machine(const rigid_bounce& mass) : mass_(mass) {}

  std::vector<machine_quantity> states() const override {
    return {{"x", units::metre, 0, non_negative},
            {"v", units::speed},
            {"rests", units::one, 0, whole(0, 1)}};
  }
  std::vector<double> initial() const override { return {0, 0, 0}; }
  void rates(double t, const double* y, double* rate) const override { mass_.rates(t, y, rate); }
  bool has_stage() const override { return true; }
  void solve_stage(double t, double h, const double* start, double* y) const override {
    mass_.solve_stage(t, h, start, y);
  }
  std::vector<std::string> plan(const std::string& method, double h) override {
    if (method != "euler") return {};
    const double least = mass_.rest_below(h);
    return {
        fmt::format("explicit Euler gives every flight {:.3g} m/s more, so that bounces would "
                    "never end: below {:.3g} m/s the mass is put to rest",
                    mass_.g * h, least)};
  }

  initial_complaint check_initial(const double* y) const override {
    if (y[2] == 1 && (y[0] != 0 || y[1] != 0))
      return {"rests", "it is 0, or 1 for a mass at x = 0 with v = 0"};
    return {};
  }
  std::vector<event> events() const override {
    // Under the ground it can only be on its way down: what is left there is rounding.
    const auto above = [](double, const double* y) { return y[2] > 0.5 || y[1] > 0 ? 1.0 : y[0]; };
    // What starts on the ground and does not rise has its impact before anything else.
    const auto land = [this](double, double* y) {
      if (y[0] == 0 && y[1] <= 0 && y[2] < 0.5) mass_.impact(y);
    };
    return {{"impact", above, event::direction::falling, false,
             [this](double, double* y) { mass_.impact(y); }, land},
            {"rest", [](double, const double* y) { return y[2] - 0.5; }, event::direction::rising},
            {"apex", [](double, const double* y) { return y[2] > 0.5 ? -1.0 : y[1]; },
             event::direction::falling}};
  }

  // In flight nothing is taken; what an impact takes is booked by the run.
  energy_books books() const override {
    return {{"kinetic", "potential"}, {}, {{"ground", "", true, {{"impacts"}}}}};
  }
  void energies(double, const double* y, double* out) const override {
    out[0] = 0.5 * mass_.m * y[1] * y[1];
    out[1] = mass_.m * mass_.g * y[0];
    out[2] = 0;
  }
  void powers(double, const double*, double* out) const override { out[0] = out[1] = 0; }

 private:
  rigid_bounce mass_;
};

}  // namespace

// ---- reading ------------------------------------------------------------------------------------

std::shared_ptr<machine> read_rolling_disc(const machine_context& from) {
  using namespace units;
  reader& table = from.system;
  any_model contact = read_machine_model(from, "contact", "contact");
  any_model friction = read_machine_model(from, "friction", "friction", may_have_memory);
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
  return std::make_shared<disc_machine>(disc_machine::system{
      std::move(contact), std::move(friction), m, R, I, g, slope, reference, least});
}

std::shared_ptr<machine> read_mass_between_walls(const machine_context& from) {
  using namespace units;
  reader& table = from.system;
  any_model contact = read_machine_model(from, "contact", "contact");
  refuse_rigid(from, contact);
  const double m = table.number("mass", kilogram, positive);
  const double left = table.number("left", metre, any_value, -1.0);
  const double right = table.number("right", metre, any_value, 1.0);
  if (!(left < right)) table.fail("right", fmt::format("it must be above left = {:g} m", left));
  signal_inputs inputs;
  double shortest = unbounded;
  const auto take = [&](const char* key, unit in, signal& shape) {
    if (from.root.find(key) == nullptr) {
      from.root.keep(key, toml_value::of(shape.value(0), in));
      return;
    }
    const input found = read_input(from.root, key, in, from.files);
    shortest = std::min(shortest, found.shortest_period);
    shape = found.shape;
  };
  take("force", newton, inputs.push);
  take("load", one, inputs.relative_load);
  if (from.root.find("friction") == nullptr) {
    check_size(from, static_cast<std::size_t>(2 + 2 * contact.states()));
    return std::make_shared<walls_machine<free_mass>>(
        free_mass{std::move(contact), {}, m, left, right, inputs}, shortest);
  }
  any_model friction = read_machine_model(from, "friction", "friction", may_have_memory);
  check_size(from, static_cast<std::size_t>(2 + 2 * contact.states() + friction.states()));
  return std::make_shared<walls_machine<walled_mass>>(
      walled_mass{std::move(contact), std::move(friction), m, left, right, inputs}, shortest);
}

std::shared_ptr<machine> read_mass_on_belt(const machine_context& from) {
  using namespace units;
  reader& table = from.system;
  any_model friction = read_machine_model(from, "friction", "friction", may_have_memory);
  const double m = table.number("mass", kilogram, positive);
  const double k_1 = table.number("k_1", newton / metre, any_value);
  const double k_2 = table.number("k_2", newton / power(metre, 3), any_value);
  const double u = table.number("speed", speed, any_value);
  return std::make_shared<belt_machine>(belt_machine::system{std::move(friction), m, k_1, k_2, u});
}

std::shared_ptr<machine> read_two_bodies_wall_conveyor(const machine_context& from) {
  using namespace units;
  reader& table = from.system;
  any_model contact = read_machine_model(from, "contact", "contact");
  refuse_rigid(from, contact);
  any_model friction = read_machine_model(from, "friction", "friction");
  check_size(from, static_cast<std::size_t>(8 + 3 * contact.states() + 3 * friction.states()));
  const double m_1 = table.number("mass_1", kilogram, positive);
  const double m_2 = table.number("mass_2", kilogram, positive);
  const double k = table.number("stiffness", newton / metre, non_negative);
  const double u = table.number("speed", speed, any_value);
  const double g = table.number("gravity", acceleration, non_negative, 9.81);
  const double reference = table.number("reference_load", newton, positive, 1.0);
  const double least = least_load_of(friction);
  return std::make_shared<conveyor_machine>(conveyor_machine::system{
      std::move(contact), std::move(friction), m_1, m_2, k, u, g, reference, least});
}

std::shared_ptr<machine> read_rigid_bounce(const machine_context& from) {
  using namespace units;
  rigid_bounce mass;
  mass.m = from.system.number("mass", kilogram, positive, 1.0);
  mass.g = from.system.number("gravity", acceleration, positive, 9.81);
  mass.e = from.system.number("restitution", one, {0.0, 0.999}, 0.5);
  mass.rest_within = from.system.number("rest_within", second, positive, 1e-9);
  return std::make_shared<bounce_machine>(mass);
}

}  // namespace asperity
