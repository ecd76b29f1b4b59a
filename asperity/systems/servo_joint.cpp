// SPDX-License-Identifier: Apache-2.0

// GCC 12 takes the stages of a Runge-Kutta step for empty, since it cannot see that there are at
// least two states.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <asperity/mechanics/rubbing_system.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/systems/servo_joint.hpp>

namespace asperity {

namespace {

class servo_system final : public rubbing_system<servo_joint<any_model>> {
 public:
  using joint = servo_joint<any_model>;

  explicit servo_system(joint mechanics)
      : rubbing_system("servo_joint", std::move(mechanics), joint::flows) {
    using namespace units;
    add_state("q", radian);
    add_state("omega", radian / second);
    if (m_.has_play()) {
      add_state("q_m", radian);
      add_state("omega_m", radian / second);
    }
    add_output("duty", one);
    add_output("tau_m", torque);
    add_output("tau_e", torque);
    add_output("limit", torque);
    add_output("f", torque);
    if (m_.has_goal) add_input("goal", radian, m_.goal);
    add_input("supply", one, m_.supply);
    add_input("on", one, m_.on);
    add_input("torque", torque, m_.torque);
    if (!m_.has_goal) add_input("duty", one, m_.duty_given, false);
    add_own_states(m_.friction);
    set_stage({&m_.friction});
    set_energy({{"kinetic", "potential", "gear"},
                {"motor", "torque"},
                {{"resistance", "", true, {{"viscous and one-sided", true}}},
                 element_with_losses("friction", m_.friction)}});
    std::vector<std::string> angles{"q"};
    if (m_.has_goal) angles.emplace_back("goal");
    card_.pictures = {{"Angle", "t", angles},
                      {"Torques", "t", {"tau_m", "tau_e", "limit", "f"}},
                      {"Duty", "t", {"duty"}}};
  }

  void observe(double t, const double* y, double* out, workspace& w) const override {
    const auto now = m_.torques_at(t, y);
    out[0] = now.duty;
    out[1] = now.motor;
    out[2] = now.external;
    out[3] = now.limit;
    out[4] = shown(y, m_.rub_at(t, y), m_.loose(t, y), w);
  }
  std::vector<event> events(workspace& w) const override {
    std::vector<event> events{reversal_of(1, w)};
    if (can_tell_slip(m_.friction))
      add_slip_events(events, "", [this, &w](double t, const double* y) {
        return margin(y, m_.rub_at(t, y), m_.loose(t, y), w);
      });
    return events;
  }

 private:
  void energies(double t, const double* y, double* out, workspace&) const override {
    m_.held(y, out);
    out[3] = 0;
    out[4] = stored_in(m_.friction, y + m_.friction_states(), m_.rub_at(t, y));
  }
};

// M3 and M4 name one factor for both torques.
void read_shared(system_builder& b, const char* shared, const char* of_motor, const char* of_load,
                 double& motor, double& load, const std::string& where) {
  double both = motor;
  b.optional(shared, both, units::one, non_negative,
             fmt::format("coefficient of |tau_m - tau_e| {}: sets both {} and {}", where, of_motor,
                         of_load));
  b.optional(of_motor, motor, units::one, non_negative, "coefficient of the motor torque " + where);
  b.optional(of_load, load, units::one, non_negative, "of the external torque " + where);
  if (!b.has(shared) || b.lists()) return;
  for (const char* own : {of_motor, of_load})
    if (b.has(own))
      b.refuse(
          own,
          fmt::format("{} is given as well, which stands for both {} and {}: give only one of them",
                      shared, of_motor, of_load));
  motor = load = both;
}

std::shared_ptr<system> build(system_builder& b) {
  using namespace units;
  // Friction is a torque; the keys of [system] have units of their own.
  if (!b.lists()) b.root.source()->make_rotary();
  servo_system::joint s{b.friction(
      "friction of motor and gear, under the load limit/reference_torque", may_have_memory)};
  b.required("stall_torque", s.tau_0, torque, positive,
             "stall torque of the motor at the joint, k_t V/R at the nominal supply");
  b.required("no_load_speed", s.omega_0, radian / second, positive,
             "speed of the joint without any load, V/k_t at the nominal supply");
  b.optional("supply_resistance", s.r, one, non_negative,
             "resistance of supply and bridge over that of the winding");
  double inertia = 0;
  b.optional("mass", s.m, kilogram, non_negative, "mass of the pendulum");
  b.optional("length", s.l, metre, non_negative, "distance from the axis to the mass");
  b.gravity(s.g);
  b.optional("zero_angle", s.q_0, radian, any_value, "angle at which the pendulum hangs");
  b.optional("inertia", inertia, moment_of_inertia, non_negative,
             "further moment of inertia on the load side of the gear");
  s.J = inertia + s.m * s.l * s.l;
  b.optional("rotor_inertia", s.I, moment_of_inertia, non_negative,
             "moment of inertia of rotor and gear, reflected to the joint");
  b.optional("K_v", s.K_v, torque * second / radian, non_negative, "viscous friction");
  b.optional("K_c", s.K_c, torque, non_negative, "limit of friction without any torque");
  b.optional("K_cs", s.K_cs, torque, non_negative, "additional friction limit at rest (Stribeck)");
  read_shared(b, "K_l", "K_m", "K_e", s.K_m, s.K_e, "in the limit");
  read_shared(b, "K_ls", "K_ms", "K_es", s.K_ms, s.K_es, "in the additional limit at rest");
  b.optional("K_mq", s.K_mq, one / torque, non_negative,
             "coefficient of the square of the motor torque, at rest, where it is the smaller one");
  b.optional(
      "K_eq", s.K_eq, one / torque, non_negative,
      "coefficient of the square of the external torque, at rest, where it is the smaller one");
  b.optional("omega_s", s.omega_s, radian / second, positive, "Stribeck speed");
  b.optional("alpha", s.alpha, one, positive, "exponent of the Stribeck curve");
  b.optional("one_sided", s.b, one, {-1, 1},
             "relative increase of the limit against the positive direction");
  b.optional("reference_torque", s.reference, torque, positive,
             "limit for which the friction parameters hold");
  b.optional("play", s.play, radian, non_negative, "play of the gear (backlash), at the joint");
  b.optional("gear_stiffness", s.k, torque / radian, positive, "stiffness of the teeth, with play",
             "none: required with play");
  s.has_goal = !b.root.has("duty") || b.lists();
  if (s.has_goal) {
    b.optional("gain", s.gain, one / radian, non_negative, "duty cycle per radian of error");
    b.root.optional("goal", s.goal, radian, "reference of the position control");
  }
  if (!s.has_goal || b.lists())
    b.root.optional("duty", s.duty_given, one,
                    "duty cycle of the bridge, -1 to 1, instead of goal and gain");
  b.root.optional("supply", s.supply, one, "supply voltage over the nominal one");
  b.root.optional("on", s.on, one,
                  "above 0.5: the motor is on; otherwise its circuit is open (no current)");
  b.root.optional("torque", s.torque, torque, "torque on the load");

  if (s.has_play()) {
    if (!b.lists() && !b.has("gear_stiffness"))
      b.miss("gear_stiffness", "the stiffness of the teeth, since there is play");
    if (!(s.J > 0))
      b.refuse("inertia", "with play the load needs an inertia: give mass and length, or inertia");
    if (!(s.I > 0)) b.refuse("rotor_inertia", "with play it must be above 0");
  } else if (!(s.J + s.I > 0)) {
    b.refuse("inertia",
             "no rotating part has an inertia: give mass and length, inertia or rotor_inertia");
  }
  b.check_size(s.size());
  return std::make_shared<servo_system>(std::move(s));
}

}  // namespace

namespace detail {

extern const system_row servo_joint{
    .name = "servo_joint",
    .what = "a geared servo with a pendulum, friction by the torques of both sides",
    .build = build};

}  // namespace detail

}  // namespace asperity
