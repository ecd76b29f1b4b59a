// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/integrate/method.hpp>
#include <asperity/mechanics/system_parts.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/systems/rigid_bounce.hpp>

namespace asperity {

namespace {

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
        fmt::format("explicit Euler adds {:.3g} m/s in every flight, so that the bounces would "
                    "never end: below {:.3g} m/s the mass is set to rest",
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

std::shared_ptr<system> build(system_builder& b) {
  using namespace units;
  rigid_bounce mass;
  b.optional("mass", mass.m, kilogram, positive, "mass of the bouncing body");
  b.gravity(mass.g, positive);
  b.optional("restitution", mass.e, one, {0.0, 0.999},
             "speed after an impact over the speed before it");
  b.optional("rest_within", mass.rest_within, second, positive,
             "the mass rests once all further bounces would take less than this time");
  return std::make_shared<bounce_system>(mass);
}

}  // namespace

namespace detail {

extern const system_row rigid_bounce{
    .name = "rigid_bounce",
    .what = "a mass on rigid ground that comes to rest after endless bounces",
    .build = build};

}  // namespace detail

}  // namespace asperity
