// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <asperity/analysis/restitution.hpp>
#include <asperity/card.hpp>
#include <asperity/error.hpp>
#include <asperity/identify/design_contact.hpp>
#include <asperity/integrate/watch.hpp>
#include <asperity/mechanics/impact_map.hpp>
#include <asperity/mechanics/regularisation.hpp>
#include <asperity/quantity.hpp>
#include <asperity/text.hpp>
#include <asperity/text/toml.hpp>
#include <cmath>
#include <limits>
#include <map>

namespace asperity {

namespace {

using kind = contact_wish::kind;

constexpr unit metres_per_second = units::metre / units::second;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
// A design counts as met when the map is this near to every wish, relative to it.
constexpr double met = 2e-3;
// |s| h at most, s the fastest mode in contact: a half of what Euler bears of a mode that decays,
// and a third of what RK4 does.
constexpr double most_per_step = 1.0;
// alpha/T and 1/(gamma T) where no wish sets them, the longest first: a short one is one more stiff
// mode.
constexpr double usual_lags[] = {0.4, 0.2, 0.1, 0.05, 0.02, 0.01};

bool sets_scale(kind is) { return is != kind::restitution; }

std::string shown(double value, unit in) {
  return is_plain(in) ? fmt::format("{:.4g}", value)
                      : fmt::format("{:.4g} {}", value, to_string(in));
}

const char* name_of(kind is) {
  switch (is) {
    case kind::restitution:
      return "restitution";
    case kind::time:
      return "time";
    case kind::penetration:
      return "penetration";
    case kind::force:
      return "force";
    case kind::resting_penetration:
      break;
  }
  return "resting penetration";
}

// ---- a law and its wishes -----------------------------------------------------------------------

// A point of the map: the time scale at the speed of reference, and the shape there.
struct point {
  double T = 1;
  impact_shape shape{};
};

class problem {
 public:
  problem(const impact_law& law, const contact_wishes& given, double lambda)
      : law_(law), given_(given), lambda_(lambda) {
    for (const auto& each : given.wishes)
      if (each.is != kind::resting_penetration) {
        reference_ = each.speed;
        break;
      }
  }

  const impact_law& law() const { return law_; }
  double lambda() const { return lambda_; }
  double reference() const { return reference_; }
  double time_scale(const point& at, double speed) const {
    return at.T * std::pow(speed / reference_, -(lambda_ - 1) / (lambda_ + 1));
  }
  double weight(const point& at, double speed) const {
    return given_.under_weight ? given_.gravity * time_scale(at, speed) / speed : 0;
  }
  bool is_under_weight() const { return given_.under_weight; }
  double stiffness(const point& at) const {
    return law_.stiffness(given_.mass, reference_, at.T, lambda_);
  }
  impact_shape shape_at(const point& at, double speed) const {
    return law_.at_speed(at.shape, speed / reference_, lambda_);
  }

  impact_numbers numbers(const point& at, double speed) const {
    if (is_set(given_.interrupt)) throw interruption();
    return law_.numbers(shape_at(at, speed), lambda_, weight(at, speed));
  }
  // What the wish asks for, as it is at this point [SI].
  double value(const contact_wish& wish, const point& at) const {
    if (wish.is == kind::resting_penetration) return resting(at);
    return value(wish, at, numbers(at, wish.speed));
  }
  // The difference of each wish, relative to it.
  Eigen::VectorXd residuals(const std::vector<contact_wish>& wishes, const point& at) const {
    Eigen::VectorXd result(static_cast<Eigen::Index>(wishes.size()));
    std::map<double, impact_numbers> known;
    Eigen::Index i = 0;
    for (const auto& wish : wishes) {
      double reached = 0;
      if (wish.is == kind::resting_penetration) {
        reached = resting(at);
      } else {
        auto found = known.find(wish.speed);
        if (found == known.end()) found = known.emplace(wish.speed, numbers(at, wish.speed)).first;
        reached = value(wish, at, found->second);
      }
      const double r =
          sets_scale(wish.is) ? std::log(reached / wish.value) : reached / wish.value - 1;
      result[i++] = std::isfinite(r) ? std::clamp(r, -30.0, 30.0) : 30.0;
    }
    return result;
  }

 private:
  const impact_law& law_;
  const contact_wishes& given_;
  double lambda_, reference_ = 1;

  double resting(const point& at) const {
    return std::pow(given_.mass * given_.gravity / stiffness(at), 1 / lambda_);
  }
  double value(const contact_wish& wish, const point& at, const impact_numbers& n) const {
    const double T = time_scale(at, wish.speed);
    switch (wish.is) {
      case kind::time:
        return n.duration * T;
      case kind::penetration:
        return n.depth * wish.speed * T;
      case kind::force:
        return n.force * given_.mass * wish.speed / T;
      default:
        return n.restitution;
    }
  }
};

// ---- the solver ---------------------------------------------------------------------------------

// Which numbers of the map are free; the others stay as they are.
struct freedom {
  bool scale = false;
  std::vector<std::size_t> shape;
  int count() const { return static_cast<int>(shape.size()) + (scale ? 1 : 0); }
};

struct solution {
  point at;
  Eigen::VectorXd residuals;
  double worst() const { return residuals.size() == 0 ? 0 : residuals.cwiseAbs().maxCoeff(); }
};

class solver {
 public:
  solver(const problem& of, std::vector<contact_wish> wishes, const freedom& free,
         Eigen::VectorXd weights)
      : of_(of), wishes_(std::move(wishes)), free_(free), weights_(std::move(weights)) {}

  // Levenberg and Marquardt's method on the logarithms, which a start out of reach only brings to
  // the nearest point.
  solution from(const point& start) const {
    point at = start;
    Eigen::VectorXd x = logarithms(at), r = weighted(at);
    double damping = 1e-3;
    int slow = 0;
    for (int count = 0; count < 60 && r.squaredNorm() > 1e-20; ++count) {
      const Eigen::MatrixXd J = jacobian(at, x, r);
      const Eigen::MatrixXd normal = J.transpose() * J;
      const Eigen::VectorXd gradient = J.transpose() * r;
      bool improved = false;
      for (int attempt = 0; attempt < 8 && !improved; ++attempt) {
        Eigen::MatrixXd damped = normal;
        damped.diagonal().array() += damping * (normal.diagonal().array() + 1e-9);
        Eigen::VectorXd step = -damped.ldlt().solve(gradient);
        if (!step.allFinite()) break;
        step = step.cwiseMax(-2).cwiseMin(2);  // one that hardly matters must not shorten the rest
        Eigen::VectorXd next = x + step;
        point there = at;
        put(next, there);
        const Eigen::VectorXd r_there = weighted(there);
        if (r_there.squaredNorm() < r.squaredNorm()) {
          const double gain = 1 - r_there.squaredNorm() / r.squaredNorm();
          x = logarithms(there);
          at = there;
          r = r_there;
          damping = std::max(1e-9, damping * 0.2);
          improved = true;
          // Near a point that only comes nearest, steps gain next to nothing.
          slow = gain < 1e-3 ? slow + 1 : 0;
          if (gain < 1e-10 || slow > 4) return {at, of_.residuals(wishes_, at)};
        } else {
          damping *= 5;
        }
      }
      if (!improved) break;
    }
    return {at, of_.residuals(wishes_, at)};
  }

 private:
  const problem& of_;
  std::vector<contact_wish> wishes_;
  freedom free_;
  Eigen::VectorXd weights_;

  Eigen::VectorXd weighted(const point& at) const {
    return of_.residuals(wishes_, at).cwiseProduct(weights_);
  }
  Eigen::VectorXd logarithms(const point& at) const {
    Eigen::VectorXd x(free_.count());
    Eigen::Index i = 0;
    if (free_.scale) x[i++] = std::log(at.T);
    for (const std::size_t each : free_.shape)
      x[i++] = std::log(std::max(at.shape[each], of_.law().shape[each].least));
    return x;
  }
  void put(const Eigen::VectorXd& x, point& at) const {
    Eigen::Index i = 0;
    if (free_.scale) at.T = std::exp(std::clamp(x[i++], -60.0, 60.0));
    for (const std::size_t each : free_.shape) {
      const auto& range = of_.law().shape[each];
      at.shape[each] = std::exp(std::clamp(x[i++], std::log(range.least), std::log(range.most)));
    }
  }
  Eigen::MatrixXd jacobian(const point& at, const Eigen::VectorXd& x,
                           const Eigen::VectorXd& r) const {
    Eigen::MatrixXd J(r.size(), x.size());
    for (Eigen::Index j = 0; j < x.size(); ++j) {
      Eigen::VectorXd beside = x;
      beside[j] += 1e-5;
      point there = at;
      put(beside, there);
      double by = 1e-5;
      if (logarithms(there)[j] == x[j]) {  // at the end of its range
        beside[j] = x[j] - 1e-5;
        put(beside, there);
        by = -1e-5;
      }
      J.col(j) = (weighted(there) - r) / by;
    }
    return J;
  }
};

// ---- what is free -------------------------------------------------------------------------------

struct request {
  std::vector<contact_wish> wishes;
  std::vector<bool> is_loose = {};  // one that is only approached; empty where none is
  // Where no wish sets a scale it may be made stiffer: under weight a soft contact gives back less.
  bool may_stiffen = true;
};

Eigen::VectorXd weights_of(const request& wanted) {
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(wanted.wishes.size()));
  for (std::size_t i = 0; i < wanted.is_loose.size(); ++i)
    if (wanted.is_loose[i]) weights[static_cast<Eigen::Index>(i)] = 0.01;
  return weights;
}

std::size_t count_of(const std::vector<contact_wish>& wishes, bool scale) {
  return static_cast<std::size_t>(std::count_if(
      wishes.begin(), wishes.end(), [&](const auto& w) { return sets_scale(w.is) == scale; }));
}

// The numbers of the shape in the order in which wishes take them.
std::vector<std::size_t> order_of_shape(const impact_law& law, std::size_t restitutions) {
  if (law.shape.size() < 3)
    return law.shape.size() == 2 ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{0};
  // Restitutions at two speeds need the damping that grows with indentation.
  return restitutions > 1 ? std::vector<std::size_t>{0, 2, 1} : std::vector<std::size_t>{0, 1, 2};
}

freedom freedom_for(const impact_law& law, const std::vector<contact_wish>& wishes) {
  const std::size_t restitutions = count_of(wishes, false), scales = count_of(wishes, true);
  freedom result;
  result.scale = scales > 0;
  const auto order = order_of_shape(law, restitutions);
  const std::size_t wanted = restitutions + (scales > 0 ? scales - 1 : 0);
  result.shape.assign(order.begin(),
                      order.begin() + static_cast<long>(std::min(wanted, order.size())));
  return result;
}

bool is_free(const freedom& f, std::size_t which) {
  return std::find(f.shape.begin(), f.shape.end(), which) != f.shape.end();
}

// The scale that meets the first wish for one, without weight.
double guess_of_scale(const problem& of, const std::vector<contact_wish>& wishes, point at) {
  for (const auto& wish : wishes) {
    if (!sets_scale(wish.is)) continue;
    for (int i = 0; i < 4; ++i) {  // a power law without weight, so that one step would do
      const double now = of.value(wish, at);
      at.T *= 1.1;
      const double beside = of.value(wish, at);
      at.T /= 1.1;
      const double slope = std::log(beside / now) / std::log(1.1);
      const double by = std::log(wish.value / now) / slope;
      if (!std::isfinite(by)) break;
      at.T *= std::exp(std::clamp(by, -20.0, 20.0));
    }
    break;
  }
  return at.T;
}

// The best of several starts; the first that meets all wishes.
solution solve_with(const problem& of, const request& wanted, double T, const freedom& free) {
  const impact_law& law = of.law();
  const Eigen::VectorXd weights = weights_of(wanted);
  const solver by(of, wanted.wishes, free, weights);

  const bool elastic =
      std::all_of(wanted.wishes.begin(), wanted.wishes.end(),
                  [](const auto& w) { return w.is != kind::restitution || w.value == 1; }) &&
      count_of(wanted.wishes, false) > 0;
  // Under weight a contact that is damped too much holds the mass, and says nothing of how much.
  std::vector<double> dampings{0.3, 1, 0.05, 4, 20};
  if (law.shape.size() > 2) dampings = {0.3, 2, 12};
  if (of.is_under_weight()) dampings = {0.3, 0.06, 0.01, 2, 12};
  if (elastic && free.shape.size() == 1) dampings = {0};
  std::vector<double> lags{0}, growths{0};
  if (law.shape.size() > 1)
    lags = is_free(free, 1) ? std::vector<double>{0.4, 0.1, 0.03, 1.5}
                            : std::vector<double>(std::begin(usual_lags), std::end(usual_lags));
  if (law.shape.size() > 2 && is_free(free, 2)) growths = {0.1, 3};

  std::vector<double> shares{1};  // of the time scale
  if (!free.scale && of.is_under_weight() && wanted.may_stiffen) shares = {1, 0.1, 0.01, 1e-3};

  solution best;
  double best_norm = HUGE_VAL;
  for (const double share : shares)
    for (const double lag : lags)
      for (const double growth : growths)
        for (const double damping : dampings) {
          point start{share * T, {damping, lag, growth}};
          if (free.scale) start.T = guess_of_scale(of, wanted.wishes, start);
          solution found = elastic && free.shape.size() == 1
                               ? solution{start, of.residuals(wanted.wishes, start)}
                               : by.from(start);
          const double norm = found.residuals.cwiseProduct(weights).squaredNorm();
          if (norm < best_norm) {
            best_norm = norm;
            best = std::move(found);
          }
          if (best.worst() < 1e-6) return best;
        }
  return best;
}

// With as many numbers of the shape as there are wishes for them, so that the others can be chosen
// well; where that does not do, with all of them.
solution solve(const problem& of, const request& wanted, double T, freedom* used = nullptr) {
  freedom free = freedom_for(of.law(), wanted.wishes);
  solution found = solve_with(of, wanted, T, free);
  if (found.worst() > met && free.shape.size() < of.law().shape.size() && !free.shape.empty()) {
    freedom all = free;
    all.shape = order_of_shape(of.law(), count_of(wanted.wishes, false));
    solution other = solve_with(of, wanted, T, all);
    const auto strict = [&](const solution& each) {
      double worst = 0;
      for (std::size_t i = 0; i < wanted.wishes.size(); ++i)
        if (wanted.is_loose.empty() || !wanted.is_loose[i])
          worst = std::max(worst, std::abs(each.residuals[static_cast<Eigen::Index>(i)]));
      return worst;
    };
    if (other.worst() < found.worst() && (strict(other) <= met || strict(other) < strict(found))) {
      found = std::move(other);
      free = all;
    }
  }
  if (used != nullptr) *used = free;
  return found;
}

// ---- why not ------------------------------------------------------------------------------------

std::string with_value(const contact_wish& wish, double value) {
  return shown(value, unit_of(wish.is));
}

// The nearest value of one wish where the others are met; NaN where they cannot be.
double nearest(const problem& of, const std::vector<contact_wish>& wishes, std::size_t which,
               double T) {
  request wanted{wishes, std::vector<bool>(wishes.size(), false)};
  wanted.is_loose[which] = true;
  std::vector<solution> found{solve(of, wanted, T)};
  std::vector<contact_wish> others = wishes;
  others.erase(others.begin() + static_cast<long>(which));
  if (!others.empty()) {
    // From where the others are met, towards it.
    const point start = solve(of, {others}, T).at;
    freedom all = freedom_for(of.law(), wishes);
    all.shape = order_of_shape(of.law(), 1);
    found.push_back({start, of.residuals(wishes, start)});
    found.push_back(solver(of, wishes, all, weights_of(wanted)).from(start));
  }
  double best = nan;
  for (const solution& each : found) {
    bool others_are_met = true;
    for (std::size_t i = 0; i < wishes.size(); ++i)
      if (i != which)
        others_are_met =
            others_are_met && std::abs(each.residuals[static_cast<Eigen::Index>(i)]) <= met;
    const double r = each.residuals[static_cast<Eigen::Index>(which)];
    if (others_are_met && !(std::abs(best) <= std::abs(r))) best = r;
  }
  return sets_scale(wishes[which].is) ? wishes[which].value * std::exp(best)
                                      : wishes[which].value * (1 + best);
}

bool can_meet(const problem& of, const std::vector<contact_wish>& wishes, double T) {
  return solve(of, {wishes}, T).worst() <= met;
}

std::string why_not(const problem& of, const std::vector<contact_wish>& wishes, double T) {
  for (const auto& each : wishes) {
    if (can_meet(of, {each}, T)) continue;
    const double other = nearest(of, {each}, 0, T);
    return fmt::format("{} cannot be reached with {}: the nearest value is {}", to_string(each),
                       of.law().key, with_value(each, other));
  }
  for (std::size_t j = 1; j < wishes.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      const std::vector<contact_wish> pair{wishes[i], wishes[j]};
      if (can_meet(of, pair, T)) continue;
      const double second = nearest(of, pair, 1, T), first = nearest(of, pair, 0, T);
      std::string text = fmt::format("{} and {} exclude each other with {}", to_string(pair[0]),
                                     to_string(pair[1]), of.law().key);
      if (std::isfinite(second))
        text += fmt::format(": with the first, the nearest value of the second is {}",
                            with_value(pair[1], second));
      if (std::isfinite(first))
        text += fmt::format("{} with the second, that of the first is {}",
                            std::isfinite(second) ? ";" : ":", with_value(pair[0], first));
      return text;
    }
  for (std::size_t i = wishes.size(); i-- > 0;) {
    const double value = nearest(of, wishes, i, T);
    if (!std::isfinite(value)) continue;
    return fmt::format(
        "{} has too few parameters for all {} wishes: any two of them can be met; together with "
        "the others, the nearest value of {} is {}",
        of.law().key, wishes.size(), to_string(wishes[i]), with_value(wishes[i], value));
  }
  return fmt::format(
      "{} has too few parameters for all {} wishes: any two of them can be met, but all of them "
      "cannot, even without one of them; leave out one or more",
      of.law().key, wishes.size());
}

// ---- words --------------------------------------------------------------------------------------

void say_what_was_free(const problem& of, const contact_wishes& given, const freedom& free,
                       const point& at, contact_design& result) {
  const impact_law& law = of.law();
  auto& chosen = result.chosen;
  if (count_of(given.wishes, false) == 0 && count_of(given.wishes, true) < 2)
    chosen.push_back(fmt::format("restitution {:g}: no wish determines the damping",
                                 regularisation::default_restitution));
  if (law.has_exponent)
    chosen.push_back(fmt::format("lambda = {:g}: {}", of.lambda(),
                                 given.lambda ? "given" : "the default, for spheres"));
  if (law.shape.size() > 1 && !is_free(free, 1))
    chosen.push_back(
        fmt::format("{} = {:g}: no wish determines it; it is the largest of 0.4, 0.2, 0.1 ... that "
                    "reaches the restitution, which allows the longest steps",
                    law.shape[1].name, at.shape[1]));
  if (law.shape.size() > 2 && !is_free(free, 2))
    chosen.push_back(
        "beta_2 = 0: no wish determines it, and with 0 the contact never creates energy");
}

void check(const contact_wishes& given) {
  const auto need = [](const char* what, double value, unit in, bool may_vanish) {
    if (!(std::isfinite(value) && (value > 0 || (may_vanish && value == 0))))
      throw error(fmt::format("{} is {}: it must be {}", what, shown(value, in),
                              may_vanish ? "at least 0" : "above 0"));
  };
  need("the mass", given.mass, units::kilogram, false);
  need("gravity", given.gravity, units::metre / (units::second * units::second), true);
  need("the step", given.step, units::second, true);
  for (const auto& each : given.wishes) {
    need(name_of(each.is), each.value, unit_of(each.is), false);
    if (each.is == kind::resting_penetration) {
      need("gravity, which the indentation at rest needs,", given.gravity,
           units::metre / (units::second * units::second), false);
      continue;
    }
    need("the speed of impact", each.speed, metres_per_second, false);
    if (each.is == kind::restitution && each.value > 1)
      throw error(fmt::format("restitution is {:g}: it must be above 0 and at most 1", each.value));
  }
}

// ---- simulation ---------------------------------------------------------------------------------

// The force of a contact that has been held at a gap for long.
double settled_force(const any_model& model, double indentation, double lag) {
  double state[any_model::max_states] = {};
  model.initial(state);
  const drive<double> held{-indentation, 0, 1};
  double f = model.force(state, held);
  for (int i = 0; i < 400 && lag > 0; ++i) f = model.advance(state, held, held, 0.25 * lag);
  return f;
}

double simulated(const contact_wish& wish, const contact_wishes& given, const any_model& model,
                 double lag) {
  if (wish.is == kind::resting_penetration) {
    // The indentation that carries the weight, by halving.
    double low = 1e-3 * wish.value, high = 1e3 * wish.value;
    for (int i = 0; i < 60; ++i) {
      const double middle = std::sqrt(low * high);
      (settled_force(model, middle, lag) < given.mass * given.gravity ? low : high) = middle;
    }
    return std::sqrt(low * high);
  }
  impact_options options;
  options.mass = given.mass;
  options.force = given.under_weight ? -given.mass * given.gravity : 0;
  options.interrupt = given.interrupt;
  if (wish.is == kind::restitution && given.under_weight)
    options.ends_with = impact_options::end::gap;
  const impact found = find_impact(model, wish.speed, options);
  switch (wish.is) {
    case kind::time:
      return found.contact_time;
    case kind::penetration:
      return found.deepest;
    case kind::force:
      return found.peak_force;
    default:
      return found.restitution;
  }
}

// RK4 at the step of the user.
double restitution_at_step(const contact_wishes& given, const any_model& model, double speed) {
  if (given.step == 0) return nan;
  impact_options options;
  options.mass = given.mass;
  options.force = given.under_weight ? -given.mass * given.gravity : 0;
  if (given.under_weight) options.ends_with = impact_options::end::gap;
  options.step = given.step;
  options.max_steps = 1'000'000;
  options.interrupt = given.interrupt;
  return find_impact(model, speed, options).restitution;
}

void note_steps(const problem& of, const contact_wishes& given, const point& at,
                contact_design& result) {
  result.longest_euler = result.longest_rk4 = result.longest_step = HUGE_VAL;
  std::vector<double> speeds;
  for (const auto& each : given.wishes)
    if (each.is != kind::resting_penetration) speeds.push_back(each.speed);
  if (speeds.empty()) speeds.push_back(of.reference());
  for (const double speed : speeds) {
    const double T = of.time_scale(at, speed);
    const followed_impact found =
        of.law().follow(of.shape_at(at, speed), of.lambda(), of.weight(at, speed), true);
    result.longest_euler = std::min(result.longest_euler, found.euler * T);
    result.longest_rk4 = std::min(result.longest_rk4, found.rk4 * T);
    result.longest_step = std::min(result.longest_step, most_per_step / found.fastest * T);
  }
}

}  // namespace

// ---- in public ----------------------------------------------------------------------------------

unit unit_of(contact_wish::kind is) {
  switch (is) {
    case kind::restitution:
      return units::one;
    case kind::time:
      return units::second;
    case kind::force:
      return units::newton;
    default:
      return units::metre;
  }
}

std::string to_string(const contact_wish& wish) {
  const std::string value =
      fmt::format("{} {}", name_of(wish.is), shown(wish.value, unit_of(wish.is)));
  return wish.is == kind::resting_penetration ? value
                                              : fmt::format("{} at {:.4g} m/s", value, wish.speed);
}

std::vector<contact_wish> parse_wishes(contact_wish::kind is, const std::string& text) {
  std::vector<contact_wish> result;
  std::string_view rest = text;
  for (;;) {
    const auto comma = rest.find(',');
    const std::string_view one = trimmed(rest.substr(0, comma));
    const auto at = one.find('@');
    contact_wish wish{is, 0, 0};
    try {
      wish.value = in_si(trimmed(one.substr(0, at)), unit_of(is));
      if (at != std::string_view::npos) {
        if (is == kind::resting_penetration)
          throw error("a penetration at rest takes no speed of impact: leave out @");
        wish.speed = in_si(trimmed(one.substr(at + 1)), metres_per_second);
        if (!(wish.speed > 0)) throw error("the speed of impact must be above 0 m/s");
      }
      if (!(wish.value > 0)) throw error("it must be above 0");
      if (is == kind::restitution && wish.value > 1) throw error("it must be at most 1");
    } catch (const error& problem) {
      throw error(fmt::format("'{}': {}", shortened(one, 60), problem.what()));
    }
    result.push_back(wish);
    if (comma == std::string_view::npos) return result;
    rest.remove_prefix(comma + 1);
  }
}

double contact_design::worst_error() const {
  double worst = 0;
  for (const row& each : rows)
    if (each.is_wished && !(std::abs(each.error()) <= worst)) worst = std::abs(each.error());
  return worst;
}

std::vector<std::string> designed_laws() {
  std::vector<std::string> names;
  for (const auto& each : impact_laws()) names.emplace_back(each.key);
  return names;
}

contact_design design_contact(const std::string& key, const contact_wishes& given) {
  check(given);
  const impact_law* law = find_impact_law(key);
  if (law == nullptr)
    throw error(fmt::format("the impact map of '{}' is not known: choose one of {}",
                            shortened(key, 40), fmt::join(designed_laws(), ", ")));
  any_model model(find_entry(key));
  if (law->has_exponent && given.lambda) model.set("lambda", *given.lambda);
  const problem of(*law, given, law->lambda(model));

  contact_design result;
  result.key = key;
  request wanted{given.wishes};
  const std::size_t scales = count_of(given.wishes, true);
  if (count_of(given.wishes, false) == 0 && scales < 2)
    wanted.wishes.push_back(
        {kind::restitution, regularisation::default_restitution, of.reference()});
  freedom free;

  // Without a wish for a scale: as stiff as the step allows, or the rule of inclusions.
  point start{std::pow(std::pow(regularisation::default_deflection, of.lambda()) /
                           (usual_gravity * std::pow(of.reference(), of.lambda() - 1)),
                       1 / (of.lambda() + 1)),
              {}};
  solution found = solve(of, wanted, start.T, &free);
  if (scales == 0 && given.step > 0) {
    wanted.may_stiffen = false;
    for (int i = 0; i < (given.under_weight ? 6 : 2); ++i) {
      note_steps(of, given, found.at, result);
      // A little longer, so that rounding does not refuse what was made to fit.
      start.T = found.at.T * given.step / result.longest_step * (1 + 1e-9);
      found = solve(of, wanted, start.T, &free);
    }
  }
  if (!(found.worst() <= met)) {
    result.why = why_not(of, wanted.wishes, start.T);
    return result;
  }
  for (std::size_t i = 0; i < law->shape.size(); ++i)
    if (law->shape[i].may_vanish && found.at.shape[i] <= 1.001 * law->shape[i].least)
      found.at.shape[i] = 0;
  note_steps(of, given, found.at, result);
  if (given.step > result.longest_step * (1 + 1e-6)) {
    const auto scale = std::find_if(given.wishes.begin(), given.wishes.end(),
                                    [](const auto& w) { return sets_scale(w.is); });
    result.why = fmt::format(
        "the step of {:.4g} s is too long for {}: its fastest mode in contact allows steps up to "
        "{:.4g} s",
        given.step, key, result.longest_step);
    if (scale != given.wishes.end()) {
      // Forces fall, and all else grows, as the contact becomes slower.
      point slower = found.at;
      slower.T *= given.step / result.longest_step;
      result.why = fmt::format(
          "{} and the step of {:.4g} s exclude each other with {}: its fastest mode in contact "
          "allows steps up to {:.4g} s; with this step, the nearest value of the first is about {}",
          to_string(*scale), given.step, key, result.longest_step,
          with_value(*scale, of.value(*scale, slower)));
    }
    return result;
  }

  law->write(model, found.at.shape, given.mass, of.reference(), found.at.T);
  result.is_met = true;
  say_what_was_free(of, given, free, found.at, result);
  if (scales == 0)
    result.chosen.push_back(
        given.step > 0
            ? fmt::format(
                  "K: no wish determines a scale; it is as stiff as the step of {:.4g} s allows",
                  given.step)
            : fmt::format(
                  "K: no wish determines a scale; it is so stiff that a weight of m 9.81 m/s^2 "
                  "indents it by {:.3g} m",
                  std::pow(given.mass * usual_gravity / of.stiffness(found.at), 1 / of.lambda())));
  if (const std::string doubt = model.check(); !doubt.empty()) result.warnings.push_back(doubt);

  const double lag = law->shape.size() > 1 ? found.at.shape[1] * found.at.T : 0;
  for (const auto& wish : given.wishes)
    result.rows.push_back(
        {wish, true, of.value(wish, found.at), simulated(wish, given, model, lag)});
  // What was not wished for, at the first speed.
  for (const kind is :
       {kind::restitution, kind::time, kind::penetration, kind::force, kind::resting_penetration}) {
    if (std::any_of(given.wishes.begin(), given.wishes.end(),
                    [&](const auto& w) { return w.is == is; }))
      continue;
    if (is == kind::resting_penetration && given.gravity == 0) continue;
    contact_wish wish{is, 0, of.reference()};
    wish.value = of.value(wish, found.at);
    result.rows.push_back({wish, false, wish.value, simulated(wish, given, model, lag)});
  }
  result.restitution_at_step = restitution_at_step(given, model, of.reference());
  result.model = std::move(model);
  return result;
}

figure figure_of(const std::vector<contact_design>& designs, const contact_wishes& given) {
  figure drawn;
  drawn.title = "Restitution of the designed contacts";
  drawn.subtitle =
      fmt::format("mass {:g} kg{}", given.mass,
                  given.under_weight ? fmt::format(", under a weight of {:g} m/s^2", given.gravity)
                                     : std::string(", without weight"));
  double slowest = HUGE_VAL, fastest = 0;
  figure_series wishes{"wished", {}, {}, figure_series::style::points, 4};
  for (const auto& each : given.wishes) {
    if (each.is == kind::resting_penetration) continue;
    slowest = std::min(slowest, each.speed);
    fastest = std::max(fastest, each.speed);
    if (each.is != kind::restitution) continue;
    wishes.x.push_back(each.speed);
    wishes.y.push_back(each.value);
  }
  if (!(fastest > 0)) slowest = fastest = 1;
  figure_panel panel{"Restitution against the speed of impact",
                     {"speed of impact", metres_per_second},
                     {"restitution", units::one}};
  panel.x.log = true;
  panel.y.to = 1.02;
  constexpr int points = 60;
  for (const auto& design : designs) {
    if (!design.is_met) continue;
    const impact_law& law = *find_impact_law(design.key);
    figure_series line{design.key, {}, {}};
    for (int i = 0; i <= points; ++i) {
      if (is_set(given.interrupt)) throw interruption();
      const double v = slowest / 10 * std::pow(100 * fastest / slowest, i / double(points));
      const double T = law.time_scale(*design.model, given.mass, v);
      line.x.push_back(v);
      line.y.push_back(law.numbers(law.read(*design.model, given.mass, v, T),
                                   law.lambda(*design.model),
                                   given.under_weight ? given.gravity * T / v : 0)
                           .restitution);
    }
    panel.series.push_back(std::move(line));
  }
  if (!wishes.x.empty()) panel.series.push_back(std::move(wishes));
  drawn.panels.push_back(std::move(panel));
  return drawn;
}

std::string as_toml(const contact_design& design) {
  if (!design.model) return "";
  toml_value document;
  toml_value& table = document.at("contact");
  table.at("model") = toml_value::of(design.key);
  for (const auto& each : design.model->describe().parameters)
    table.at(each.name) = toml_value::of(design.model->get(each.name).front(), each.in);
  return to_toml(document);
}

}  // namespace asperity
