// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/integrate/dopri5.hpp>
#include <asperity/integrate/stability.hpp>
#include <asperity/mechanics/impact_map.hpp>
#include <asperity/models/contact/dai_contact.hpp>
#include <asperity/models/contact/dai_contact_nonlinear.hpp>
#include <asperity/models/contact/hunt_crossley.hpp>
#include <asperity/models/contact/kelvin_voigt_clamped.hpp>
#include <asperity/scalar/dual.hpp>
#include <asperity/scalar/root.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace asperity {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// ---- followed step by step ----------------------------------------------------------------------

// Laws in the units of the impact: K = m = v = 1.
struct unit_kelvin_voigt {
  double zeta;
  template <class S>
  auto law() const {
    return kelvin_voigt_clamped<S>{S(1.0), S(2 * zeta)};
  }
};
struct unit_hunt_crossley {
  double b_v, lambda;
  template <class S>
  auto law() const {
    return hunt_crossley<S>{S(1.0), S(lambda), S(b_v)};
  }
};
struct unit_dai {
  double alpha, beta;
  template <class S>
  auto law() const {
    return dai_contact<S>{S(1.0), S(beta), S(alpha)};
  }
};
struct unit_nonlinear {
  double lambda, gamma, beta_1, beta_2;
  template <class S>
  auto law() const {
    return dai_contact_nonlinear<S>{S(1.0), S(lambda), S(gamma), S(beta_1), S(beta_2)};
  }
};

// y = (gap, its rate, states).
template <class Unit>
class unit_flight {
 public:
  unit_flight(const Unit& unit, double weight, bool with_modes)
      : law_(unit.template law<double>()),
        rate_law_(unit.template law<along>()),
        mode_law_(unit.template law<every>()),
        weight_(weight),
        with_modes_(with_modes) {}

  followed_impact run() {
    result_.euler = result_.rk4 = infinite;
    step_.y1[1] = -1;
    for (int i = 2; i < n; ++i) step_.y1[i] = 0;
    step_.y1[0] = 0;
    rates(step_.y1, step_.k[6]);
    numbers().force = force(step_.y1);
    numbers().duration = infinite;
    bool has_pushed = numbers().force > 0;
    double h = 1e-6;
    for (int count = 0; count < most_steps; ++count) {
      begin();
      double error = attempt(h);
      for (int i = 0; error > 1 && i < 60; ++i) {
        h *= std::max(0.2, 0.9 * std::pow(error, -0.2));
        error = attempt(h);
      }
      const bool opens = weight_ > 0 && has_turned_ && step_.y1[0] >= 0;
      const bool loses = has_pushed && !was_lost_ && !(force(step_.y1) > 0);
      double length = h;
      if (opens || loses) {
        length = shortest(h, [&](const double* y) {
          return (weight_ > 0 && has_turned_ && y[0] >= 0) ||
                 (has_pushed && !was_lost_ && !(force(y) > 0));
        });
        attempt(length);
      }
      look_inside(length);
      t_ += length;
      has_pushed = has_pushed || force(step_.y1) > 0;
      if (has_pushed && !was_lost_ && !(force(step_.y1) > 0)) {
        was_lost_ = true;
        numbers().duration = t_;
        if (weight_ == 0) {
          numbers().restitution = std::max(0.0, step_.y1[1]);
          return result_;
        }
      }
      if (weight_ > 0 && has_turned_ && step_.y1[0] >= 0) {
        numbers().restitution = std::max(0.0, step_.y1[1]);
        return result_;
      }
      if (is_at_rest()) return result_;
      if (with_modes_ && force(step_.y1) > 0) look_at_modes();
      h = length < h ? std::max(0.1 * length, 1e-9)
                     : h * std::clamp(0.9 * std::pow(std::max(error, 1e-10), -0.2), 0.2, 4.0);
    }
    result_.is_complete = false;
    return result_;
  }

 private:
  using along = dual<double, 1>;
  static constexpr int own = decltype(std::declval<Unit>().template law<double>())::states;
  static constexpr int n = 2 + own, most_steps = 20'000;
  static constexpr double tolerance = 1e-9;
  using every = dual<double, n>;

  impact_numbers& numbers() { return result_.numbers; }

  template <class S, class Law>
  static response<S, own> answer(const Law& law, const S* y) {
    vec<S, own> state;
    for (int i = 0; i < own; ++i) state[i] = y[2 + i];
    return law(state, drive<S>{y[0], y[1], S(1.0)});
  }
  double force(const double* y) const { return answer<double>(law_, y).f; }
  void rates(const double* y, double* rate) const {
    const auto given = answer<double>(law_, y);
    rate[0] = y[1];
    rate[1] = given.f - weight_;
    for (int i = 0; i < own; ++i) rate[2 + i] = given.rate[i];
  }
  double force_rate(const double* y) const {
    double rate[n];
    rates(y, rate);
    along moving[n];
    for (int i = 0; i < n; ++i) {
      moving[i] = along(y[i]);
      moving[i].derivative[0] = rate[i];
    }
    return answer<along>(rate_law_, moving).f.derivative[0];
  }

  void begin() {
    std::copy_n(step_.y1, n, step_.y0);
    std::copy_n(step_.k[6], n, step_.k[0]);
  }
  double attempt(double h) {
    step_.take([this](double, const double* y, double* rate) { rates(y, rate); }, n, 0.0, h);
    double worst = 0;
    for (int i = 0; i < n; ++i) {
      const double size = 1e-3 + std::max(std::abs(step_.y0[i]), std::abs(step_.y1[i]));
      const double e = std::abs(step_.error[i]) / (tolerance * size);
      if (!(e <= worst)) worst = e;
    }
    return std::isfinite(worst) ? worst : 1e10;
  }
  template <class Happened>
  double shortest(double h, const Happened& happened) {
    double before = 0, by_then = h;
    for (int i = 0; i < 50; ++i) {
      const double middle = 0.5 * (before + by_then);
      attempt(middle);
      (happened(step_.y1) ? by_then : before) = middle;
    }
    return by_then;
  }

  // The deepest point, the highest force, and whether the mass turns back in contact.
  void look_inside(double h) {
    const auto inside = [&](double share, const auto& of) {
      double y[n];
      step_.interpolate(n, h, share, y);
      return of(y);
    };
    numbers().depth = std::max({numbers().depth, -step_.y0[0], -step_.y1[0]});
    if (step_.y0[1] < 0 && step_.y1[1] >= 0) {
      const double share = root_between(
          [&](double s) { return inside(s, [](const double* y) { return y[1]; }); }, 0.0, 1.0);
      numbers().depth =
          std::max(numbers().depth, inside(share, [](const double* y) { return -y[0]; }));
      has_turned_ = true;
    } else if (has_turned_ && step_.y0[1] > 0 && step_.y1[1] <= 0) {
      turns_back_ = true;
    }
    numbers().force = std::max(numbers().force, force(step_.y1));
    const auto rise = [this](const double* y) { return force_rate(y); };
    const double low = t_ > 0 ? 0 : 1e-3;
    if (inside(low, rise) > 0 && rise(step_.y1) < 0 && force(step_.y1) > 0) {
      const double share = root_between([&](double s) { return inside(s, rise); }, low, 1.0);
      numbers().force =
          std::max(numbers().force, inside(share, [this](const double* y) { return force(y); }));
    }
  }

  bool is_at_rest() const {
    if (weight_ == 0) return false;
    if (turns_back_) return true;
    return std::abs(step_.y1[1]) < 1e-9 && std::abs(step_.k[6][1]) < 1e-9;
  }

  void look_at_modes() {
    every y[n];
    for (int i = 0; i < n; ++i) y[i] = every::variable(step_.y1[i], i);
    const auto given = answer<every>(mode_law_, y);
    double jacobian[n * n] = {0, 1};
    for (int j = 0; j < n; ++j) {
      jacobian[n + j] = given.f.derivative[j];
      for (int i = 0; i < own; ++i) jacobian[n * (2 + i) + j] = given.rate[i].derivative[j];
    }
    const auto modes = modes_of(jacobian);
    for (const auto mode : modes) result_.fastest = std::max(result_.fastest, std::abs(mode));
    result_.euler = std::min(result_.euler, longest_stable_step(modes, amplification_of_euler));
    result_.rk4 = std::min(result_.rk4, longest_stable_step(modes, amplification_of_rk4));
  }

  decltype(std::declval<Unit>().template law<double>()) law_;
  decltype(std::declval<Unit>().template law<along>()) rate_law_;
  decltype(std::declval<Unit>().template law<every>()) mode_law_;
  double weight_, t_ = 0;
  bool with_modes_, has_turned_ = false, turns_back_ = false, was_lost_ = false;
  detail::dopri5_step<n> step_ = {};
  followed_impact result_;
};

template <class Unit>
followed_impact follow(const Unit& unit, double weight, bool with_modes) {
  return unit_flight<Unit>(unit, weight, with_modes).run();
}

}  // namespace

// ---- closed forms -------------------------------------------------------------------------------

impact_numbers impact_on_kelvin_voigt_clamped(double zeta) {
  // d'' + 2 zeta d' + d = 0 until d'' = 0: at 2 theta/omega, twice the time to the deepest point.
  const double inside = 1 - zeta * zeta;
  double angle = 1;  // theta/omega, of theta = acos zeta, or acosh zeta; 1 at zeta = 1
  if (inside > 1e-12) angle = std::acos(zeta) / std::sqrt(inside);
  if (inside < -1e-12) angle = std::acosh(zeta) / std::sqrt(-inside);
  impact_numbers result;
  result.duration = 2 * angle;
  result.restitution = std::exp(-2 * zeta * angle);
  result.depth = std::exp(-zeta * angle);
  // It is highest at (3 theta - pi)/omega, or at touchdown.
  result.force =
      zeta < 0.5 ? std::exp(-zeta * (3 * angle - std::numbers::pi / std::sqrt(inside))) : 2 * zeta;
  return result;
}

namespace {

// q + exp(-q) - 1.
double rest_of_exponential(double q) {
  return q < 1e-2 ? q * q / 2 * (1 - q / 3 * (1 - q / 4 * (1 - q / 5 * (1 - q / 6 * (1 - q / 7)))))
                  : q + std::expm1(-q);
}
// log(1 + x) - x.
double rest_of_logarithm(double x) { return boost::math::log1pmx(x); }

}  // namespace

impact_numbers impact_on_hunt_crossley(double b_v, double lambda) {
  // d^(lambda+1)/(lambda+1) = G(1) - G(u) along the motion, u = d', G(u) = (u - ln(1 + c u)/c)/c.
  const double c = b_v, power = 1 / (lambda + 1);
  impact_numbers result;
  double e = 1, left = 1;  // left = 1 - c e
  double whole = 0.5;      // G(1) - G(0)
  if (c > 0) {
    const double g = -rest_of_logarithm(c);
    const double q = root_between([&](double x) { return rest_of_exponential(x) - g; }, 0.0, g + 1);
    e = -std::expm1(-q) / c;
    left = std::exp(-q);
    whole = g / (c * c);
  }
  result.restitution = e;
  result.depth = std::pow(whole / power, power);
  // G(1) - G(1 - s), and G(-e) - G(s - e), which is the same.
  const auto from_start = [&](double s) {
    return c > 0 ? s / (1 + c) + rest_of_logarithm(-c * s / (1 + c)) / (c * c) : s - s * s / 2;
  };
  const auto from_end = [&](double s) {
    if (c == 0) return s - s * s / 2;
    const double x = c * s / left;
    // Two ways to write it, neither of which loses digits where it is taken.
    return x > 1 ? (std::log1p(x) / c - s) / c : e * s / left + rest_of_logarithm(x) / (c * c);
  };
  // t = the integral of du/(d^lambda (1 + c u)), down to the turn and up to the end.
  const auto pace = [&](double energy, double damping) {
    return 1 / (std::pow(std::max(energy, 1e-300) / power, lambda * power) * damping);
  };
  thread_local boost::math::quadrature::tanh_sinh<double> integrate;
  const double down = integrate.integrate(
      [&](double s) { return pace(from_start(s), 1 + c * (1 - s)); }, 0.0, 1.0, 1e-10);
  const double up =
      integrate.integrate([&](double s) { return pace(from_end(s), left + c * s); }, 0.0, e, 1e-10);
  result.duration = down + up;
  // d f = 0 where lambda u = c d^(lambda+1).
  const double s =
      c > 0 ? root_between(
                  [&](double each) { return lambda * (1 - each) - c / power * from_start(each); },
                  0.0, 1.0)
            : 1.0;
  result.force = std::pow(from_start(s) / power, lambda * power) * (1 + c * (1 - s));
  return result;
}

namespace {

// a e''' + e'' + b e' + e = 0 with e = e' = 0 and e'' = 1/a at touchdown: the roots are s, and
// mu +- sqrt(split).
class dai_motion {
 public:
  dai_motion(double a, double b) : a_(a), b_(b) {
    s_ = root_between([&](double x) { return ((a * x + 1) * x + b) * x + 1; }, -1 / a, 0.0);
    pair_of(s_);
    // Of three real roots the one that is farthest from the other two stands alone.
    if (split_ > 0) {
      const double others[] = {mu_ - std::sqrt(split_), mu_ + std::sqrt(split_)};
      double best = s_, distance = std::abs(s_ - mu_);
      for (const double each : others) {
        const double from = std::abs(each - 0.5 * (-1 / a - each));
        if (from > distance) {
          best = each;
          distance = from;
        }
      }
      s_ = best;
      pair_of(s_);
    }
    const double apart = (s_ - mu_) * (s_ - mu_) - split_;
    alone_ = 1 / (a * apart);
  }

  // e and its first two derivatives.
  void at(double t, double* e) const {
    const double r = std::sqrt(std::abs(split_)), x = r * t;
    const double E = std::exp(s_ * t);
    double C = 0, S = 0;  // exp(mu t) cosh(r t), exp(mu t) sinh(r t)/r, or of cos and sin
    if (split_ > 0 && x > 1e-6) {
      const double up = std::exp((mu_ + r) * t), down = std::exp((mu_ - r) * t);
      C = 0.5 * (up + down);
      S = 0.5 * (up - down) / r;
    } else if (x > 1e-6) {
      const double decay = std::exp(mu_ * t);
      C = decay * std::cos(x);
      S = decay * std::sin(x) / r;
    } else {
      C = std::exp(mu_ * t);
      S = C * t;
    }
    // e = alone (exp(s t) - C - (s - mu) S).
    const double d = s_ - mu_;
    e[0] = alone_ * (E - C - d * S);
    const double C1 = mu_ * C + split_ * S, S1 = mu_ * S + C;
    e[1] = alone_ * (s_ * E - C1 - d * S1);
    const double C2 = mu_ * C1 + split_ * S1, S2 = mu_ * S1 + C1;
    e[2] = alone_ * (s_ * s_ * E - C2 - d * S2);
  }
  double force(double t) const {
    double e[3];
    at(t, e);
    return e[0] + b_ * e[1];
  }
  double force_rate(double t) const {
    double e[3];
    at(t, e);
    return e[1] + b_ * e[2];
  }
  double speed(double t) const {  // of the gap
    double e[3];
    at(t, e);
    return -(e[1] + a_ * e[2]);
  }
  double depth(double t) const {
    double e[3];
    at(t, e);
    return e[0] + a_ * e[1];
  }

 private:
  double a_, b_, s_ = 0, mu_ = 0, split_ = 0, alone_ = 0;
  void pair_of(double s) {
    mu_ = 0.5 * (-1 / a_ - s);
    split_ = mu_ * mu_ + 1 / (a_ * s);
  }
};

}  // namespace

impact_numbers impact_on_dai_contact(double alpha, double beta) {
  impact_numbers result;
  if (beta <= alpha) {  // a plain spring
    result.restitution = result.depth = result.force = 1;
    result.duration = std::numbers::pi;
    return result;
  }
  const dai_motion motion(alpha, beta);
  // Times grow by a twentieth: the force may last for long, but then it changes slowly.
  double before = 1e-2 * std::min({1.0, alpha, std::sqrt(alpha / beta)}), after = before;
  while (motion.force(after) > 0 && after < 1e6) {
    before = after;
    after += 0.05 * after;
  }
  const double end = root_between([&](double t) { return motion.force(t); }, before, after);
  result.duration = end;
  result.restitution = std::max(0.0, motion.speed(end));
  const double turn = root_between([&](double t) { return motion.speed(t); }, 0.0, end);
  result.depth = motion.depth(turn);
  const double peak = root_between([&](double t) { return motion.force_rate(t); }, 0.0, end);
  result.force = motion.force(peak);
  return result;
}

// ---- laws ---------------------------------------------------------------------------------------

namespace {

double parameter(const any_model& model, const char* name) { return model.get(name).front(); }

unit_nonlinear unit_of(const impact_shape& s, double lambda) {
  return {lambda, 1 / s[1], s[0] * s[1], s[2] * s[1]};
}

impact_shape same_at_every_speed(const impact_shape& s, double, double) { return s; }

const std::array<impact_law, 4>& laws() {
  static const std::array<impact_law, 4> all{
      impact_law{
          .key = "dai_contact",
          .shape = {{"beta/alpha - 1", 1e-6, 1e4, true}, {"alpha/T", 1e-3, 30, false}},
          .has_exponent = false,
          .without_weight = [](const impact_shape& s,
                               double) { return impact_on_dai_contact(s[1], s[1] * (1 + s[0])); },
          .follow =
              [](const impact_shape& s, double, double weight, bool with_modes) {
                return follow(unit_dai{s[1], s[1] * (1 + s[0])}, weight, with_modes);
              },
          .at_speed = same_at_every_speed,
          .write =
              [](any_model& model, const impact_shape& s, double mass, double, double T) {
                model.set("K", mass / (T * T));
                model.set("alpha", s[1] * T);
                model.set("beta", s[1] * T * (1 + s[0]));
              },
          .read =
              [](const any_model& model, double, double, double T) {
                const double alpha = parameter(model, "alpha");
                return impact_shape{parameter(model, "beta") / alpha - 1, alpha / T, 0};
              }},
      impact_law{
          .key = "dai_contact_nonlinear",
          .shape = {{"gamma beta_1", 1e-6, 300, true},
                    {"1/(gamma T)", 5e-3, 10, false},
                    {"gamma beta_2 L^lambda", 1e-6, 1e3, true}},
          .has_exponent = true,
          .without_weight =
              [](const impact_shape& s, double lambda) {
                return follow(unit_of(s, lambda), 0, false).numbers;
              },
          .follow = [](const impact_shape& s, double lambda, double weight,
                       bool with_modes) { return follow(unit_of(s, lambda), weight, with_modes); },
          .at_speed =
              [](const impact_shape& s, double ratio, double lambda) {
                return impact_shape{s[0], s[1] * std::pow(ratio, (lambda - 1) / (lambda + 1)),
                                    s[2] * std::pow(ratio, 2 * lambda / (lambda + 1))};
              },
          .write =
              [](any_model& model, const impact_shape& s, double mass, double speed, double T) {
                const double lambda = parameter(model, "lambda"), gamma = 1 / (s[1] * T);
                model.set("K", mass / (T * T * std::pow(speed * T, lambda - 1)));
                model.set("gamma", gamma);
                model.set("beta_1", s[0] / gamma);
                model.set("beta_2", s[2] / (gamma * std::pow(speed * T, lambda)));
              },
          .read =
              [](const any_model& model, double, double speed, double T) {
                const double gamma = parameter(model, "gamma");
                return impact_shape{gamma * parameter(model, "beta_1"), 1 / (gamma * T),
                                    gamma * parameter(model, "beta_2") *
                                        std::pow(speed * T, parameter(model, "lambda"))};
              }},
      impact_law{
          .key = "hunt_crossley",
          .shape = {{"b v", 1e-6, 600, true}},
          .has_exponent = true,
          .without_weight = [](const impact_shape& s,
                               double lambda) { return impact_on_hunt_crossley(s[0], lambda); },
          .follow =
              [](const impact_shape& s, double lambda, double weight, bool with_modes) {
                return follow(unit_hunt_crossley{s[0], lambda}, weight, with_modes);
              },
          .at_speed =
              [](const impact_shape& s, double ratio, double) {
                return impact_shape{s[0] * ratio, 0, 0};
              },
          .write =
              [](any_model& model, const impact_shape& s, double mass, double speed, double T) {
                model.set("K",
                          mass / (T * T * std::pow(speed * T, parameter(model, "lambda") - 1)));
                model.set("b", s[0] / speed);
              },
          .read =
              [](const any_model& model, double, double speed, double) {
                return impact_shape{parameter(model, "b") * speed, 0, 0};
              }},
      impact_law{.key = "kelvin_voigt_clamped",
                 .shape = {{"zeta", 1e-6, 50, true}},
                 .has_exponent = false,
                 .without_weight = [](const impact_shape& s,
                                      double) { return impact_on_kelvin_voigt_clamped(s[0]); },
                 .follow =
                     [](const impact_shape& s, double, double weight, bool with_modes) {
                       return follow(unit_kelvin_voigt{s[0]}, weight, with_modes);
                     },
                 .at_speed = same_at_every_speed,
                 .write =
                     [](any_model& model, const impact_shape& s, double mass, double, double T) {
                       model.set("K", mass / (T * T));
                       model.set("B", 2 * s[0] * mass / T);
                     },
                 .read =
                     [](const any_model& model, double mass, double, double T) {
                       return impact_shape{parameter(model, "B") * T / (2 * mass), 0, 0};
                     }}};
  return all;
}

}  // namespace

double impact_law::lambda(const any_model& model) const {
  return has_exponent ? parameter(model, "lambda") : 1.0;
}

double impact_law::stiffness(double mass, double speed, double T, double lambda) const {
  return mass / (T * T * std::pow(speed * T, lambda - 1));
}

double impact_law::time_scale(const any_model& model, double mass, double speed) const {
  const double L = std::pow(mass * speed * speed / parameter(model, "K"), 1 / (lambda(model) + 1));
  return L / speed;
}

std::span<const impact_law> impact_laws() { return laws(); }

const impact_law* find_impact_law(std::string_view key) {
  for (const impact_law& each : laws())
    if (key == each.key) return &each;
  return nullptr;
}

// ---- dai_contact as the regularisation of rigid contact -----------------------------------------

double restitution_of(double beta_omega, double ratio, double weight) {
  const double alpha = ratio * beta_omega;
  if (weight == 0 && ratio <= 1) return impact_on_dai_contact(alpha, beta_omega).restitution;
  return follow(unit_dai{alpha, beta_omega}, weight, false).numbers.restitution;
}

namespace {

// Restitution falls from 1 as beta grows from alpha, down to about `least` at the end of the range.
struct damping_range {
  double alpha_omega, last_beta_omega, least;
};
constexpr std::array ranges{damping_range{0.4, 3, 0.36}, damping_range{0.2, 3, 0.19},
                            damping_range{0.1, 5, 0.09}, damping_range{0.05, 5, 0.04}};

double beta_up_to(double restitution, double alpha_omega, double last) {
  double low = alpha_omega, high = last;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    (restitution_of(middle, alpha_omega / middle) > restitution ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

contact_shape shape_for_restitution(double restitution) {
  // The longest alpha that reaches it: a short one is one more stiff mode.
  const damping_range* range = &ranges.back();
  for (const auto& each : ranges)
    if (each.least < restitution && range->alpha_omega < each.alpha_omega) range = &each;
  if (restitution >= 1) return {range->alpha_omega, 1};
  const double beta = beta_up_to(restitution, range->alpha_omega, range->last_beta_omega);
  return {beta, range->alpha_omega / beta};
}

double beta_for_restitution(double restitution, double alpha_omega) {
  return beta_up_to(restitution, alpha_omega, std::max(5.0, 10 * alpha_omega));
}

double ratio_for_restitution(double restitution, double beta_omega) {
  // Restitution falls as alpha falls below beta.
  if (restitution >= 1) return 1;
  double low = 0.02, high = 1;
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (low + high);
    (restitution_of(beta_omega, middle) < restitution ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// ---- restitution of a model ---------------------------------------------------------------------

namespace {

// The shapes with a damping x, along which the restitution falls from 1 or below, at first.
template <class Shape>
impact_shape shape_with(const impact_law& law, double restitution, double lambda,
                        const Shape& shape_of, const char* fixed) {
  const auto at = [&](double x) { return law.without_weight(shape_of(x), lambda).restitution; };
  const double undamped = at(0);
  // Equal within the rounding of the maps.
  if (std::abs(undamped - restitution) < 1e-9) return shape_of(0);
  if (undamped < restitution)
    throw error(fmt::format("{} keep the restitution below {:.4g}: damping can only lower it",
                            fixed, undamped));
  double least = undamped, before = 0, x = law.shape[0].least;
  while (x <= law.shape[0].most) {
    const double reached = at(x);
    if (reached <= restitution)
      return shape_of(root_between([&](double each) { return at(each) - restitution; }, before, x));
    least = std::min(least, reached);
    before = x;
    x *= 1.2;
  }
  throw error(
      fmt::format("it cannot be reached: with {} the lowest restitution is {:.4g}", fixed, least));
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<std::string> damping_parameters(std::string_view key) {
  if (key == "dai_contact") return {"beta", "alpha"};
  if (key == "dai_contact_nonlinear") return {"beta_1", "beta_2"};
  if (key == "hunt_crossley") return {"b"};
  if (key == "kelvin_voigt_clamped") return {"B"};
  return {};
}

void set_restitution(any_model& model, double restitution, double mass,
                     std::optional<double> given_speed, const std::vector<std::string>& given) {
  const impact_law* law = find_impact_law(model.key());
  if (law == nullptr) {
    std::vector<std::string> names;
    for (const auto& each : laws()) names.emplace_back(each.key);
    throw error(
        fmt::format("the damping of '{}' cannot be found from the restitution: choose one of {}",
                    model.key(), fmt::join(names, ", ")));
  }
  const auto damping = damping_parameters(model.key());
  if (std::all_of(damping.begin(), damping.end(),
                  [&](const std::string& each) { return contains(given, each); }))
    throw error(fmt::format("{} {} given as well, and determine{} the restitution: leave one out",
                            fmt::join(damping, " and "), damping.size() > 1 ? "are" : "is",
                            damping.size() > 1 ? "" : "s"));
  if (law->has_exponent && !given_speed)
    throw error(
        "with this law the restitution depends on the speed of impact: give restitution_speed");
  const double speed = given_speed.value_or(1.0), lambda = law->lambda(model);
  const double T = law->time_scale(model, mass, speed);
  const impact_shape now = law->read(model, mass, speed, T);
  impact_shape found{};
  if (damping.size() == 1) {
    found = shape_with(
        *law, restitution, lambda,
        [](double x) {
          return impact_shape{x, 0, 0};
        },
        "this law");
  } else if (model.key() == "dai_contact") {
    if (contains(given, "alpha")) {
      found = shape_with(
          *law, restitution, lambda,
          [&](double x) {
            return impact_shape{x, now[1], 0};
          },
          "this alpha");
    } else if (contains(given, "beta")) {
      const double beta = now[1] * (1 + now[0]);
      found = shape_with(
          *law, restitution, lambda,
          [&](double x) {
            return impact_shape{x, beta / (1 + x), 0};
          },
          "this beta");
    } else {
      const contact_shape chosen = shape_for_restitution(restitution);
      const double alpha = chosen.beta_omega * chosen.ratio;
      found = shape_with(
          *law, restitution, lambda,
          [&](double x) {
            return impact_shape{x, alpha, 0};
          },
          "the alpha that is chosen");
    }
  } else if (contains(given, "beta_1")) {
    found = shape_with(
        *law, restitution, lambda,
        [&](double x) {
          return impact_shape{now[0], now[1], x};
        },
        "this beta_1 and gamma");
  } else {
    const double growing = contains(given, "beta_2") ? now[2] : 0;
    found = shape_with(
        *law, restitution, lambda,
        [&](double x) {
          return impact_shape{x, now[1], growing};
        },
        "this gamma and beta_2");
  }
  const double K = parameter(model, "K");
  law->write(model, found, mass, speed, T);
  model.set("K", K);  // to the last bit
}

}  // namespace asperity
