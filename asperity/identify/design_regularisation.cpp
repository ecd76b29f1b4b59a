// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/identify/design_regularisation.hpp>
#include <asperity/integrate/fixed_step.hpp>
#include <asperity/integrate/watch.hpp>
#include <asperity/models/contact/dai_contact.hpp>
#include <asperity/models/friction/dai.hpp>
#include <asperity/systems/bouncing_mass.hpp>
#include <cmath>
#include <numbers>

namespace asperity {

namespace {

using namespace regularisation;
using part = regularisation_design::part;

// Of the limit: a load that comes all at once is passed on with up to 1.135 of its size.
constexpr double load_of_stick = 0.5;
constexpr double settles_in = 25;     // times what the slowest mode takes to fall to 1/e
constexpr double least_decay = 1e-3;  // of a swing, beside its frequency: elastic ones go on
constexpr long most_steps = 20'000'000;

struct pushed : no_inputs<double> {
  double push = 0;
  double force(double) const { return push; }
};

void check(const regularisation_wishes& given) {
  const auto need = [](const char* what, double value, const char* in, bool may_vanish) {
    if (!(std::isfinite(value) && (value > 0 || (may_vanish && value == 0))))
      throw error(fmt::format("{} is {:g}{}: it must be {}", what, value, in,
                              may_vanish ? "at least 0" : "above 0"));
  };
  need("the mass", given.mass, " kg", false);
  need("the load", given.load, " N", false);
  need("the friction limit", given.friction_limit, " N", true);
  need("the step", given.step, " s", true);
  need("the penetration", given.penetration, " m", false);
  need("the creep", given.creep, " m", false);
  need("the frequency", given.frequency, " rad/s", true);
  if (!(given.restitution >= 0 && given.restitution <= 1))
    throw error(fmt::format("restitution is {:g}: it must be from 0 to 1", given.restitution));
}

// Follows y[0] until it has settled, and as long again: where it is then, and how far it went on. Of
// a swing that is hardly damped the middle counts.
template <class System>
void settle(const System& system, double h, double decay_time, const std::atomic<bool>* interrupt,
            part& result) {
  double y[System::capacity] = {};
  const long steps = std::min(most_steps, static_cast<long>(settles_in * decay_time / h) + 100);
  double middle[2] = {0, 0};
  for (double& each : middle) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (long i = 0; i < steps; ++i) {
      if (i % 1024 == 0 && is_set(interrupt)) throw interruption();
      rk4_step(system, 0.0, h, y);
      if (i < steps - steps / 10) continue;
      low = std::min(low, y[0]);
      high = std::max(high, y[0]);
    }
    each = 0.5 * (low + high);
  }
  result.simulated = std::abs(middle[0]);
  result.drift = std::abs(middle[1] - middle[0]);
}

// The rule is for methods of higher order.
void note_euler(const regularisation_wishes& given, part& result) {
  if (given.step > result.longest.euler)
    result.notes.push_back(
        fmt::format("explicit Euler is unstable at this step: it is stable up to {:.4g} s",
                    result.longest.euler));
}

double step_of_check(const regularisation_wishes& given, const part& of) {
  return given.step > 0 ? given.step : 0.1 * std::min(of.longest.rk4, 1 / of.omega);
}

part contact_for(const regularisation_wishes& given) {
  part result;
  result.wished = given.penetration;
  const contact_shape shape = shape_for_restitution(given.restitution);
  result.K = given.load / given.penetration;
  if (given.step > 0) {
    const double stiffest = stiffest_contact(shape, given.mass, given.step);
    if (result.K > stiffest * (1 + 1e-9)) {
      result.why = fmt::format(
          "penetration {:.4g} m and the step of {:.4g} s exclude each other: under the load of "
          "{:.4g} N they need K = {:.4g} N/m, and at that step an explicit method follows at most "
          "{:.4g} N/m; the nearest penetration is {:.4g} m, the nearest step {:.4g} s; implicit "
          "methods have no limit",
          given.penetration, given.step, given.load, result.K, stiffest, given.load / stiffest,
          given.step * std::sqrt(stiffest / result.K));
      return result;
    }
  }
  result.omega = std::sqrt(result.K / given.mass);
  result.beta = shape.beta_omega / result.omega;
  result.alpha = shape.ratio * result.beta;
  result.restitution = restitution_of(shape.beta_omega, shape.ratio);
  if (std::abs(result.restitution - given.restitution) > 0.01)
    result.notes.push_back(fmt::format("restitution {:g} cannot be reached; it is {:.3f}",
                                       given.restitution, result.restitution));
  result.longest = stable_steps_of_contact(given.mass, result.K, result.beta, result.alpha);
  if (given.step > 0) {
    result.margins.push_back({"h/alpha", given.step / result.alpha, steps_per_alpha});
    result.margins.push_back(
        {"h over the longest stable step of RK4", given.step / result.longest.rk4, 1});
    note_euler(given, result);
  }
  const bouncing_mass<double, dai_contact<double>, pushed> pressed{
      {result.K, result.beta, result.alpha}, given.mass, {{}, -given.load}};
  // A swing loses as much in a half period as an impact does.
  const double decay = std::clamp(-std::log(std::max(result.restitution, 1e-3)) / std::numbers::pi,
                                  least_decay, 1.0);
  settle(pressed, step_of_check(given, result), std::max(1 / (decay * result.omega), result.beta),
         given.interrupt, result);
  result.is_met = true;
  return result;
}

part friction_for(const regularisation_wishes& given) {
  part result;
  result.wished = given.creep;
  const double by_creep = given.friction_limit / given.creep;
  const double by_swings = least_for_swings(given.mass, given.frequency);
  result.K = std::max(by_creep, by_swings);
  if (given.step > 0) {
    const double stiffest = stiffest_stick(given.mass, given.step);
    if (result.K > stiffest * (1 + 1e-9)) {
      const char* cause = by_swings > by_creep ? "the frequency" : "creep";
      result.why = fmt::format(
          "{} and the step of {:.4g} s exclude each other: with the friction limit of {:.4g} N "
          "they need K = {:.4g} N/m, and at that step an explicit method follows at most {:.4g} "
          "N/m; the nearest creep is {:.4g} m, the nearest step {:.4g} s; implicit methods have no "
          "limit",
          by_swings > by_creep ? fmt::format("{} of {:.4g} rad/s", cause, given.frequency)
                               : fmt::format("{} {:.4g} m", cause, given.creep),
          given.step, given.friction_limit, result.K, stiffest, given.friction_limit / stiffest,
          given.step * std::sqrt(stiffest / result.K));
      return result;
    }
  }
  result.omega = std::sqrt(result.K / given.mass);
  result.beta = damping_of_stick / result.omega;
  result.longest = stable_steps_of_stick(given.mass, result.K, result.beta);
  if (given.step > 0) {
    result.margins.push_back({"omega h", result.omega * given.step, steps_of_stick});
    result.margins.push_back(
        {"h over the longest stable step of RK4", given.step / result.longest.rk4, 1});
    note_euler(given, result);
  }
  const double excess = transmission_of_stick(damping_of_stick, given.frequency / result.omega) - 1;
  if (given.frequency > 0)
    result.margins.push_back(
        {"relative excess of an oscillating load that is transmitted", excess, most_excess});
  if (by_swings > by_creep)
    result.notes.push_back(
        fmt::format("K follows from the frequency, not from the creep, which is {:.4g} m: loads "
                    "that oscillate at {:.4g} rad/s are then transmitted within {:g} %",
                    given.friction_limit / result.K, given.frequency, 100 * excess_of_stick));
  const sliding_mass<double, dai<double>, pushed> loaded{
      {result.K, given.friction_limit, result.beta},
      given.mass,
      0,
      0,
      {{}, load_of_stick * given.friction_limit}};
  settle(loaded, step_of_check(given, result), result.beta, given.interrupt, result);
  result.simulated /= load_of_stick;
  result.drift /= load_of_stick;
  result.is_met = true;
  return result;
}

}  // namespace

regularisation_design design_regularisation(const regularisation_wishes& given) {
  check(given);
  regularisation_design result;
  result.contact = contact_for(given);
  result.has_friction = given.friction_limit > 0;
  if (result.has_friction) result.friction = friction_for(given);
  return result;
}

}  // namespace asperity
