// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Core>
#include <asperity/error.hpp>
#include <asperity/inclusion/choice.hpp>
#include <asperity/inclusion/frozen_forces.hpp>
#include <asperity/integrate/stability.hpp>
#include <asperity/quantity.hpp>
#include <cmath>
#include <numbers>

namespace asperity {

using namespace regularisation;

namespace {

constexpr double default_acceleration = 9.8;  // m/s^2, where nothing ever loads a contact
constexpr int looks_at_loads = 200;           // along the run
// A wanted restitution is met within 1 % for drops between these heights [m].
constexpr double lowest_drop = 5e-3, highest_drop = 10;
constexpr double off_restitution = 0.01, aimed_off_restitution = 0.006;
constexpr double least_deflection = 1e-8;  // m: less is near the rounding of a position

std::vector<double> initial_state(const regularised& system) {
  std::vector<double> x;
  for (const auto& each : system.source.states) x.push_back(each.initial);
  return x;
}

// The acceleration that closes each gap when no set-valued force acts, its largest until `duration`
// with the bodies where they start. Below 0: all of them open, the fastest so.
std::vector<double> largest_closing(const regularised& system, frozen_forces& frozen,
                                    const frozen_forces::motion& motion, double duration) {
  const std::vector<double> x = initial_state(system);
  const std::vector<double> lambda(static_cast<std::size_t>(system.forces) + 1, 0.0);
  frozen_forces::values values;
  std::vector<double> closing(static_cast<std::size_t>(system.forces), 0.0), opening = closing;
  const int looks = duration > 0 && depends_on_time(system) ? looks_at_loads : 0;
  for (int look = 0; look <= looks; ++look) {
    const double t = looks > 0 ? duration * look / looks : 0;
    frozen.evaluate(t, x.data(), lambda.data(), values);
    for (std::size_t i = 0; i < closing.size(); ++i) {
      const double now = -motion.u_rate_x.row(static_cast<int>(i)).dot(values.phi);
      if (!std::isfinite(now)) continue;
      closing[i] = std::max(closing[i], now);
      opening[i] = std::min(opening[i], now);
    }
  }
  for (std::size_t i = 0; i < closing.size(); ++i)
    if (closing[i] == 0) closing[i] = opening[i];
  return closing;
}

// Finds mass and load of each term; mass 0 where the term does not act on itself. A load below 0
// would open the contact.
void find_mechanics(regularised& system, double duration) {
  frozen_forces frozen(system);
  const std::vector<double> x = initial_state(system);
  std::vector<double> lambda(static_cast<std::size_t>(system.forces) + 1, 0.0);
  frozen_forces::values values;
  frozen_forces::motion motion;
  frozen.differentiate_motion(0, x.data(), motion);
  const std::vector<double> closing = largest_closing(system, frozen, motion, duration);

  std::vector<frozen_forces::mobility> mobilities;
  frozen.find_mobilities(0, x.data(), lambda.data(), mobilities);

  system.mass.clear();
  system.load.clear();
  for (std::size_t which = 0; which < system.terms.size(); ++which) {
    const auto& t = system.terms[which];
    const auto i = static_cast<std::size_t>(t.first_force);
    const double mobility = mobilities[which].largest;
    double load = 0;
    if (t.is_contact) {
      load = mobility > 0 ? closing[i] / mobility : 0;
      lambda[i] = std::max(0.0, load);  // friction limits see it
    }
    // Whatever its constants are, such a term creates energy without end.
    if (mobilities[which].is_against_itself())
      throw error((t.place.empty() ? "" : t.place + ": ") + t.complaint_about_start());
    system.mass.push_back(mobility > 0 && std::isfinite(mobility) ? 1 / mobility : 0);
    system.load.push_back(load);
  }
  frozen.evaluate(0, x.data(), lambda.data(), values);
  int factor = 0;
  for (std::size_t i = 0; i < system.terms.size(); ++i)
    if (!system.terms[i].is_contact) system.load[i] = values.chi[factor++];
}

void check_wish(const set_valued_term& t, const term_wish& wish) {
  const auto need = [&](const char* key, const std::optional<double>& value, double lowest,
                        bool open, double highest) {
    if (!value) return;
    if (*value < lowest || *value > highest || (open && *value == lowest) || !std::isfinite(*value))
      throw error(
          fmt::format("{}{} of term '{}' is {:g}: it must be {} {:g}{}",
                      wish.place.empty() ? "" : wish.place + ": ", key, t.name, *value,
                      open ? "above" : "at least", lowest,
                      std::isfinite(highest) ? fmt::format(" and at most {:g}", highest) : ""));
  };
  need("K", wish.K, 0, true, HUGE_VAL);
  need("beta", wish.beta, 0, true, HUGE_VAL);
  need("alpha", wish.alpha, 0, true, HUGE_VAL);
  need("deflection", wish.deflection, 0, true, HUGE_VAL);
  need("restitution", wish.restitution, 0, false, 1);
}

}  // namespace

// ---- swinging loads -----------------------------------------------------------------------------

double highest_frequency(const inclusion& source) {
  double shortest = HUGE_VAL;
  for (const auto& each : source.inputs) shortest = std::min(shortest, each.shortest_period);
  return 2 * std::numbers::pi / shortest;
}

std::vector<std::string> warnings_of_transmission(const regularised& system) {
  std::vector<std::string> result;
  const double w = highest_frequency(system.source);
  if (w == 0) return result;
  const auto figures = figures_of(system);
  for (std::size_t i = 0; i < system.terms.size(); ++i) {
    const auto& t = system.terms[i];
    const auto& f = figures[i];
    if (t.is_contact || f.mass == 0) continue;
    const double passed = transmission_of_stick(t.beta * f.omega, w / f.omega);
    if (passed <= 1 + most_excess) continue;
    result.push_back(
        fmt::format("term '{}': inputs oscillate at up to {:.3g} rad/s, and while it sticks, its "
                    "spring of K = {:g} transmits up to {:.3f} of a load that oscillates below "
                    "{:.3g} rad/s (1.414 sqrt(K/m)), so it slips that much below its limit; with K "
                    "of at least {:.2g} the excess is below {:g} %",
                    t.name, w, t.K, passed, std::numbers::sqrt2 * f.omega,
                    least_for_swings(f.mass, w), 100 * excess_of_stick));
  }
  return result;
}

// ---- constants ----------------------------------------------------------------------------------

bool depends_on_time(const regularised& system) {
  const auto moves = [&](const expression::node& n) {
    return n.what == operation::symbol &&
           (n.kind == symbol_kind::time ||
            (n.kind == symbol_kind::input &&
             !system.source.inputs[static_cast<std::size_t>(n.slot)].shape.is_constant()));
  };
  return std::any_of(system.rates.begin(), system.rates.end(),
                     [&](const expression& rate) { return contains(rate, moves); });
}

namespace {

// The load that K of a contact is for.
double load_of_contact(regularised& system, std::size_t i) {
  const set_valued_term& t = system.terms[i];
  if (system.load[i] != 0) return std::abs(system.load[i]);
  if (t.argument_in && t.units_are_declared && !(*t.argument_in == units::metre))
    system.warnings.push_back(
        fmt::format("term '{}', {}: nothing loads it at the start, so its K is only an estimate, "
                    "for {:g} {}/s^2: give K under [terms.{}]",
                    t.name, t.text(), default_acceleration,
                    *t.argument_in == units::one ? "rad" : to_string(*t.argument_in), t.name));
  return system.mass[i] * default_acceleration;
}

// With its weight on it a soft contact gives back less, the slower the impact: of a drop from
// `height` onto a contact that its load deflects by `deflection`.
double restitution_of_drop(const contact_shape& shape, double deflection, double height) {
  return restitution_of(shape.beta_omega, shape.ratio, std::sqrt(deflection / (2 * height)));
}

// The deflection under its load at which the lowest drop still has the wanted restitution: what is
// missing grows in proportion to g/(omega u).
double deflection_for_restitution(const contact_shape& shape, double wanted) {
  constexpr double weight = 2e-3;
  const double missing = wanted - restitution_of(shape.beta_omega, shape.ratio, weight);
  if (!(missing > 0)) return HUGE_VAL;
  const double allowed = weight * aimed_off_restitution * wanted / missing;
  return std::max(least_deflection, 2 * lowest_drop * allowed * allowed);
}

void warn_of_restitution(regularised& system, const set_valued_term& t, double wanted,
                         const contact_shape& shape, double deflection) {
  const double low = restitution_of_drop(shape, deflection, lowest_drop);
  const double high = restitution_of_drop(shape, deflection, highest_drop);
  if (std::abs(low - wanted) <= off_restitution * wanted &&
      std::abs(high - wanted) <= off_restitution * wanted)
    return;
  const std::string in = t.argument_in && !(*t.argument_in == units::one)
                             ? fmt::format(" {}", to_string(*t.argument_in))
                             : "";
  system.warnings.push_back(fmt::format(
      "term '{}': restitution {:g} holds for a mass without weight; under its load, which deflects "
      "the contact by {:.3g}{}, it is {:.3f} after a drop from {:g}{}, {:.3f} from {:g}{} and "
      "{:.3f} from {:g}{}: the loss grows as sqrt(deflection/height); a larger K makes it smaller",
      t.name, wanted, deflection, in, low, lowest_drop, in,
      restitution_of_drop(shape, deflection, 0.1), 0.1, in, high, highest_drop, in));
}

}  // namespace

void choose_constants(regularised& system, double h, double duration) {
  if (system.terms.empty()) return;
  find_mechanics(system, duration);
  const double w = highest_frequency(system.source);
  for (std::size_t i = 0; i < system.terms.size(); ++i) {
    set_valued_term& t = system.terms[i];
    const auto wished = system.source.wishes.find(t.name);
    const term_wish wish = wished == system.source.wishes.end() ? term_wish{} : wished->second;
    check_wish(t, wish);
    const double mass = system.mass[i];
    const bool complete = wish.K && wish.beta && (!t.is_contact || wish.alpha);
    if (mass == 0 && !complete) {
      const std::string where = t.place.empty() ? "" : t.place + ": ";
      const char* all = t.is_contact ? "K, beta and alpha" : "K and beta";
      throw error(fmt::format(
          "{}term '{}', {}: at the initial state the {} does not {}, so {} cannot be chosen: "
          "check the sign of the term in the rates, or give {} under [terms.{}]",
          where, t.name, t.text(), t.is_contact ? "force" : "friction",
          t.is_contact ? "open its own gap" : "oppose its own velocity", all, all, t.name));
    }
    const double wanted = wish.restitution.value_or(default_restitution);
    const contact_shape fitting =
        t.is_contact ? shape_for_restitution(wanted) : contact_shape{damping_of_stick, 1};
    double K = wish.K.value_or(0);
    if (!wish.K) {
      const double load = t.is_contact         ? load_of_contact(system, i)
                          : system.load[i] > 0 ? system.load[i]
                                               : mass * default_acceleration;
      K = load / wish.deflection.value_or(default_deflection);
      if (wish.restitution && wanted > 0 && !wish.deflection && system.load[i] > 0)
        K = std::max(K, load / deflection_for_restitution(fitting, wanted));
      // A stuck mass on its spring swings more than the load: by s = w^2 m/K where that is small.
      if (!t.is_contact && !wish.deflection) K = std::max(K, least_for_swings(mass, w));
      if (h > 0)
        K = std::min(K,
                     t.is_contact ? stiffest_contact(fitting, mass, h) : stiffest_stick(mass, h));
    }
    const double omega = mass > 0 ? std::sqrt(K / mass) : 1;
    t.K = K;
    if (!t.is_contact) {
      t.beta = wish.beta.value_or(damping_of_stick / omega);
      continue;
    }
    if (wish.alpha) {
      t.alpha = *wish.alpha;
      t.beta = wish.beta.value_or(beta_for_restitution(wanted, t.alpha * omega) / omega);
    } else if (wish.beta) {
      t.beta = *wish.beta;
      t.alpha = t.beta * ratio_for_restitution(wanted, t.beta * omega);
    } else {
      t.beta = fitting.beta_omega / omega;
      t.alpha = fitting.ratio * t.beta;
    }
    const double reached = restitution_of(t.beta * omega, t.alpha / t.beta);
    if (wish.restitution && std::abs(reached - wanted) > 0.01)
      system.warnings.push_back(
          fmt::format("term '{}': restitution {:g} cannot be reached; with beta = {:g} s and alpha "
                      "= {:g} s it is {:.3f}",
                      t.name, wanted, t.beta, t.alpha, reached));
    else if (wish.restitution && wanted > 0 && mass > 0 && system.load[i] > 0)
      warn_of_restitution(system, t, wanted, {t.beta * omega, t.alpha / t.beta},
                          system.load[i] / K);
    if (t.alpha > t.beta)
      system.warnings.push_back(fmt::format(
          "term '{}': alpha = {:g} s above beta = {:g} s creates energy in every impact", t.name,
          t.alpha, t.beta));
  }
}

std::vector<term_figures> figures_of(const regularised& system) {
  std::vector<term_figures> result;
  for (std::size_t i = 0; i < system.terms.size(); ++i) {
    const auto& t = system.terms[i];
    term_figures f;
    f.mass = system.mass[i];
    f.load = std::max(0.0, system.load[i]);
    f.deflection = f.load / t.K;
    f.omega = f.mass > 0 ? std::sqrt(t.K / f.mass) : 0;
    if (t.is_contact && f.mass > 0)
      f.restitution = restitution_of(t.beta * f.omega, t.alpha / t.beta);
    result.push_back(f);
  }
  return result;
}

// ---- stability ----------------------------------------------------------------------------------

namespace {

// The Jacobian of the whole ODE where every contact is closed and every friction sticks, with the
// derivatives of the laws taken from the models themselves.
Eigen::MatrixXd closed_and_stuck(const regularised& system) {
  frozen_forces frozen(system);
  const std::vector<double> x = initial_state(system);
  const std::vector<double> lambda(static_cast<std::size_t>(system.forces) + 1, 0.0);
  frozen_forces::values values;
  frozen_forces::derivatives by;
  frozen.differentiate(0, x.data(), lambda.data(), values, by);
  const int n = system.user_states(), m = system.forces;
  column_of_reals f_u(m), f_s(m), r_u(m), r_s(m);
  using number = dual<double, 2>;  // by the argument, by the state
  for (const auto& t : system.terms) {
    number force, rate;
    if (t.is_contact) {
      const dai_contact<number> law{number(t.K), number(t.beta), number(t.alpha)};
      const auto answer =
          law({{number::variable(1.0, 1)}}, {number::variable(-1.0, 0), number(0.0), number(1.0)});
      force = answer.f;
      rate = answer.rate[0];
    } else {
      const dai<number> law{number(t.K), number(1.0), number(t.beta)};
      const auto answer =
          law({{number::variable(0.0, 1)}}, {number(0.0), number::variable(0.0, 0), number(1.0)});
      force = answer.f;
      rate = answer.rate[0];
    }
    for (int k = 0; k < t.dimension(); ++k) {
      f_u[t.first_force + k] = force.derivative[0];
      f_s[t.first_force + k] = force.derivative[1];
      r_u[t.first_force + k] = rate.derivative[0];
      r_s[t.first_force + k] = rate.derivative[1];
    }
  }
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(n + m, n + m);
  J.topLeftCorner(n, n) = by.phi_x + by.phi_l * f_u.asDiagonal() * by.u_x;
  J.topRightCorner(n, m) = by.phi_l * f_s.asDiagonal();
  J.bottomLeftCorner(m, n) = r_u.asDiagonal() * by.u_x;
  J.bottomRightCorner(m, m) = r_s.asDiagonal();
  return J;
}

}  // namespace

step_limits stable_steps(const regularised& system) {
  const Eigen::MatrixXd jacobian = closed_and_stuck(system).transpose();  // row by row
  auto modes = modes_of({jacobian.data(), static_cast<std::size_t>(jacobian.size())});
  // Open and sliding, the states of the terms relax with beta.
  for (const auto& t : system.terms) modes.emplace_back(-1 / t.beta, 0);
  return {longest_stable_step(modes, amplification_of_euler),
          longest_stable_step(modes, amplification_of_rk4)};
}

}  // namespace asperity
