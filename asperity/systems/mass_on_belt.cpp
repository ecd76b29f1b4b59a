// SPDX-License-Identifier: Apache-2.0

// GCC 12 takes the stages of a Runge-Kutta step for empty under ThreadSanitizer, since it cannot see
// that there are at least two states.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <asperity/catalogue/elements_of.hpp>
#include <asperity/integrate/linear_motion.hpp>
#include <asperity/mechanics/rubbing_system.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/systems/mass_on_belt.hpp>

namespace asperity {

namespace {

class belt_system final : public rubbing_system<mass_on_belt<double, any_model>>,
                          public linear_motion {
 public:
  using mass = named_mass_on_belt;
  const mass& mechanics() const { return m_; }

  explicit belt_system(mass mechanics) : rubbing_system("mass_on_belt", std::move(mechanics), 2) {
    add_state("p", units::metre);
    add_state("v", units::speed);
    add_states(m_.friction, "friction_");
    add_output("w", units::speed);
    add_output("f", units::newton);
    set_stage({&m_.friction});
    set_energy({{"kinetic", "spring"}, {"belt"}, {element_with_losses("friction", m_.friction)}});
    set_linear();
  }
  const linear_mass* linear() const override { return not_linear_.empty() ? &linear_ : nullptr; }
  std::string why_not_linear() const override { return not_linear_; }
  void powers_under(double t, const double* y, double f, double* out) const override {
    m_.powers_under(t, y, f, out);
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
  linear_mass linear_;
  std::string not_linear_;  // empty where all is

  // Seen from the belt the end of the spring moves, and k_1 is below 0 where it pulls back.
  void set_linear() {
    not_linear_ = why_not_elements(m_.friction);
    if (m_.k_2 != 0) not_linear_ = fmt::format("its spring is cubic (k_2 = {:g})", m_.k_2);
    if (m_.k_1 > 0)
      not_linear_ = fmt::format("its spring pushes away from the middle (k_1 = {:g})", m_.k_1);
    if (!not_linear_.empty()) return;
    linear_.m = m_.M;
    linear_.k = -m_.k_1;
    linear_.belt = m_.u;
    linear_.friction = *elements_of(m_.friction);
    linear_.pieces = {{.slope = m_.k_1 * m_.u}};
  }
  void energies(double t, const double* y, double* out, workspace&) const override {
    m_.held(y, out);
    out[2] = stored_in(m_.friction, y + 2, m_.drive_at(t, y));
  }
};

std::shared_ptr<system> build(system_builder& b) {
  using namespace units;
  b.axis();
  belt_system::mass mass{b.friction("friction between mass and belt", may_have_memory)};
  b.required("mass", mass.M, kilogram, positive, "mass of the body on the belt");
  b.required("k_1", mass.k_1, newton / metre, any_value,
             "linear coefficient of the spring force, k_1 p - k_2 p^3");
  b.required("k_2", mass.k_2, newton / power(metre, 3), any_value,
             "cubic coefficient of the spring force");
  b.required("speed", mass.u, speed, any_value, "speed of the belt");
  return std::make_shared<belt_system>(std::move(mass));
}

}  // namespace

const named_mass_on_belt* mass_on_belt_in(const system& s) {
  const auto* found = dynamic_cast<const belt_system*>(&s);
  return found == nullptr ? nullptr : &found->mechanics();
}

namespace detail {

extern const system_row mass_on_belt{
    .name = "mass_on_belt", .what = "a mass on a belt, held by a nonlinear spring", .build = build};

}  // namespace detail

}  // namespace asperity
