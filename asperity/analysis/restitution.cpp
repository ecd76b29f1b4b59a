// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/analysis/restitution.hpp>
#include <asperity/error.hpp>
#include <asperity/integrate/fixed_step.hpp>
#include <asperity/integrate/watch.hpp>
#include <asperity/scalar/root.hpp>
#include <asperity/systems/bouncing_mass.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <cmath>
#include <limits>

namespace asperity {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
// Slower than this share of the fastest motion there can be a mass counts as resting.
constexpr double rest = 1e-9;
// Of the work of the weight, over some thousand steps.
constexpr double rounding_error = 1e-14;

struct constant_force : no_inputs<double> {
  double push = 0;
  double force(double) const { return push; }
};
using ball = bouncing_mass<double, any_model, constant_force>;
using state = std::vector<double>;

impact without_numbers(impact::outcome how, const std::string& why) {
  return {how, why, nan, nan, nan, nan, nan, nan, nan};
}

// How deep the mass would go if the surface had no time to yield: the indentation over which the
// force of an untouched surface takes up the energy of the impact and the work of the force on the
// mass. It sets the scales. Infinite forces give 0, no force at all NaN.
double depth_scale(const any_model& model, double speed, const impact_options& options) {
  double start[any_model::max_states], rate[any_model::max_states];
  model.initial(start);
  const auto force = [&](double d) { return model.respond(start, -d, -speed, 1.0, rate); };
  double d = 1e-30, work = d * force(d);
  if (!std::isfinite(work)) return 0;
  while (work + options.force * d < 0.5 * options.mass * speed * speed) {
    work += d * 0.5 * (force(d) + force(2 * d));
    d *= 2;
    if (d > 1e12 || !std::isfinite(work)) return nan;
  }
  return d;
}

// One impact on its way: y = (gap, its rate, states).
class flight {
 public:
  flight(const any_model& model, double speed, const impact_options& options, double depth)
      : system_{model, options.mass, {}},
        in_dual_(model.functions().in_dual.make(model.self())),
        speed_(speed),
        options_(options),
        depth_(depth),
        // What the weight adds on the way down may be far more than the speed of impact.
        fastest_(
            std::sqrt(speed * speed + 2 * std::max(0.0, -options.force) * depth / options.mass)) {
    system_.inputs.push = options.force;
    // Both speeds there and back are what is left of the energy after the weight has done its work
    // and taken it back, so the error must be small beside that rest.
    const double left = speed / fastest_;
    tolerance_ = std::max(options.tolerance * left * left, std::min(options.tolerance, 1e-15));
    const auto n = static_cast<std::size_t>(system_.size());
    y_.assign(n, 0.0);
    y_[1] = -speed;
    model.initial(y_.data() + 2);
    next_ = error_ = rate_ = next_rate_ = y_;
    system_.rates(0.0, y_.data(), rate_.data());
    largest_.assign(n, 0.0);
    largest_[0] = 1e-3 * depth;
    largest_[1] = fastest_;
    const auto kinds = model.state_units();
    for (std::size_t i = 0; i < kinds.size(); ++i)
      largest_[i + 2] = 1e-3 * std::pow(options.mass, kinds[i].kilogram) *
                        std::pow(depth, kinds[i].metre) * std::pow(time_scale(), kinds[i].second);
  }

  impact run() {
    double h = options_.step > 0 ? options_.step : 1e-4 * time_scale();
    result_.peak_force = force(y_);
    bool pushes = result_.peak_force > 0, has_pushed = pushes;
    for (long steps = 0; steps < options_.max_steps; ++steps) {
      if (is_set(options_.interrupt)) throw interruption();
      const double error = advance(h);
      if (!all_finite()) {
        if (options_.step > 0 || h < 1e-12 * time_scale()) return fail("a state is not finite");
        h /= 10;
        continue;
      }
      if (error > 1) {
        h *= std::max(0.2, 0.9 * std::pow(error, -0.2));
        if (h < 1e-14 * time_scale()) return fail("the tolerance cannot be met");
        continue;
      }
      double length = h;
      if (pushes) {
        const auto lost = [this](const state& y) { return !(force(y) > 0); };
        length = first(h, lost, [this](const state& y) { return -force_rate(y); });
      }
      if (by_gap() && result_.time_to_deepest > 0) {
        const auto open = [](const state& y) { return y[0] >= 0; };
        length = std::min(length, first(h, open, [](const state& y) { return y[1]; }));
      }
      // What lies behind the end must not be felt before it: the last step there is a tiny one, or
      // one that rounding would not let be shorter.
      if (options_.step == 0 && length < h && length > 1e-9 * time_scale() &&
          after(0.9 * length) != y_)
        length *= 0.9;
      look_inside(length);

      step_to(length);
      accept();
      for (std::size_t i = 0; i < y_.size(); ++i)
        largest_[i] = std::max(largest_[i], std::abs(y_[i]));
      const double f = force(y_);
      note_force(f, t_);
      result_.deepest = std::max(result_.deepest, -y_[0]);
      if (has_pushed && !force_was_lost_ && !(f > 0)) {
        force_was_lost_ = true;
        result_.residual = std::max(0.0, -y_[0]);
        if (!by_gap()) return finish();
      }
      if (by_gap() && result_.time_to_deepest > 0 && y_[0] >= 0) return finish();
      if (cannot_be_told_) return fail(too_slow);
      if (is_at_rest() || swings_die_away()) return come_to_rest();
      pushes = f > 0;
      has_pushed = has_pushed || pushes;
      if (options_.step > 0) continue;
      if (length < h) {
        h = std::min(h - length, 0.2 * length);
      } else {
        h = std::min(h, 1e3 * time_scale()) *
            std::clamp(0.9 * std::pow(std::max(error, 1e-10), -0.2), 0.2, 4.0);
      }
    }
    return fail(fmt::format(
        "the contact does not end within {} steps, until t = {:g} s; the mass moves at {:g} m/s",
        options_.max_steps, t_, y_[1]));
  }

 private:
  static constexpr const char* too_slow =
      "the speed of impact is too small compared with the speed that the force adds: the rebound "
      "is lost in rounding errors";

  double time_scale() const { return depth_ / fastest_; }
  bool by_gap() const { return options_.ends_with == impact_options::end::gap; }
  double force(const state& y) const {
    double rate[any_model::max_states];
    return system_.contact.respond(y.data() + 2, y[0], y[1], 1.0, rate);
  }

  // The rate of the force along the motion, by dual numbers.
  double force_rate(const state& y) const {
    double rate[ball::capacity];
    system_.rates(0.0, y.data(), rate);
    model_dual states[any_model::max_states], ignored[any_model::max_states];
    const auto moving = [&](double value, double by) {
      model_dual result(value);
      result.derivative[0] = by;
      return result;
    };
    for (std::size_t i = 2; i < y.size(); ++i) states[i - 2] = moving(y[i], rate[i]);
    return system_.contact.functions()
        .in_dual
        .respond(in_dual_.get(), states, moving(y[0], rate[0]), moving(y[1], rate[1]),
                 model_dual(1.0), ignored)
        .derivative[0];
  }

  // A step of length h from y_ to next_; its error over what is tolerated: a share of what the
  // state is now or what the step adds to it, since the end of contact of a damped impact depends
  // on speeds and depths far below the largest; but not below what rounding leaves of the largest.
  double advance(double h) {
    step_to(h);
    if (options_.step > 0) return 0;
    double worst = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const double size = std::max({std::abs(y_[i]), std::abs(next_[i]), h * std::abs(rate_[i]),
                                    h * std::abs(next_rate_[i])});
      worst = std::max(worst, std::abs(error_[i]) / (tolerance_ * size + 1e-18 * largest_[i]));
    }
    return worst;
  }

  void step_to(double h) {
    if (h == length_of_next_) return;
    length_of_next_ = h;
    if (options_.step > 0) {
      next_ = y_;
      rk4_step(system_, 0.0, h, next_.data());
      return;
    }
    const auto rates = [this](const state& y, state& rate, double t) {
      system_.rates(t, y.data(), rate.data());
    };
    method_.do_step(rates, y_, rate_, 0.0, next_, next_rate_, h, error_);
  }
  void accept() {
    t_ += length_of_next_;
    std::swap(y_, next_);
    system_.rates(0.0, y_.data(), rate_.data());
    length_of_next_ = 0;
  }

  bool all_finite() const {
    return std::all_of(next_.begin(), next_.end(), [](double y) { return std::isfinite(y); });
  }

  const state& after(double h) {
    step_to(h);
    return next_;
  }

  // The length of the shortest step, up to h, after which `happened`; h where it does not happen.
  // It may have happened and be over before the step ends: then it has at the turn, where the rate
  // `towards` it falls through 0. Halving alone, since a force that is cut at 0 has no slope there
  // to go by.
  template <class Happened, class Towards>
  double first(double h, const Happened& happened, const Towards& towards) {
    double before = 0, by_then = h;
    if (!happened(after(h))) {
      if (!(towards(y_) > 0 && towards(next_) < 0)) return h;
      by_then = root_between([&](double when) { return towards(after(when)); }, 0.0, h);
      if (!happened(after(by_then))) return h;
    }
    for (int i = 0; i < 60 && by_then - before > 1e-15 * by_then; ++i) {
      const double middle = 0.5 * (before + by_then);
      (happened(after(middle)) ? by_then : before) = middle;
    }
    return by_then;
  }

  // The motion turned back in contact, this deep.
  void note_turn(double indentation) {
    if (indentation < rounding_error * depth_) cannot_be_told_ = true;
    shorter_swings_ = indentation > last_turn_ ? shorter_swings_ + 1 : 0;
    last_turn_ = indentation;
  }
  // Twice the mass turned back deeper than before. Swings of a contact without memory are nested in
  // the phase plane, so none of them will end contact; one with memory may sink on meanwhile.
  bool swings_die_away() const { return system_.size() == 2 && shorter_swings_ >= 2; }

  // The highest force and the turns of the motion inside the step.
  void look_inside(double h) {
    step_to(h);
    if (result_.time_to_deepest == 0 && next_[1] >= 0) {
      const double s = root_between([&](double when) { return after(when)[1]; }, 0.0, h);
      result_.time_to_deepest = t_ + s;
      result_.deepest = std::max(result_.deepest, -after(s)[0]);
      step_to(h);
    }
    if (y_[1] > 0 && next_[1] <= 0 && next_[0] < 0) {
      const double s = root_between([&](double when) { return after(when)[1]; }, 0.0, h);
      note_turn(-after(s)[0]);
      step_to(h);
    }
    // At touchdown the rate may not exist; then the force is still to rise.
    const bool rises = t_ > 0 ? force_rate(y_) > 0 : !(force_rate(y_) < 0);
    if (rises && force_rate(next_) < 0 && force(next_) > 0) {
      const double low = t_ > 0 ? 0.0 : 1e-6 * h;
      const double s = root_between([&](double when) { return force_rate(after(when)); }, low, h);
      note_force(force(after(s)), t_ + s);
    }
  }

  void note_force(double f, double when) {
    if (f <= result_.peak_force) return;
    result_.peak_force = f;
    result_.time_to_peak = when;
  }

  // A mass that nothing presses rests in contact only where the contact pulls it back.
  bool is_at_rest() const {
    if (!(options_.force < 0 || (by_gap() && force(y_) < 0))) return false;
    const double v = std::abs(y_[1]), a = std::abs(rate_[1]);
    // While it still sinks, v^2/a is the way that is left to go.
    return v < rest * fastest_ && a * time_scale() < rest * fastest_ &&
           (result_.time_to_deepest > 0 || v * v < rest * a * result_.deepest);
  }

  // Whether rounding of the work of the weight reaches the sixth digit of a speed.
  bool is_lost(double v) const { return v * v < 1e5 * rounding_error * fastest_ * fastest_; }

  impact finish() {
    if (is_lost(speed_) && is_lost(y_[1])) return fail(too_slow);
    result_.contact_time = t_;
    result_.restitution = std::max(0.0, y_[1] / speed_);
    return result_;
  }
  // What never happens has no time.
  impact come_to_rest() {
    result_.contact_time = nan;
    if (!force_was_lost_) result_.residual = nan;
    if (result_.time_to_deepest == 0) result_.time_to_deepest = nan;
    const double scale = options_.mass * fastest_ / time_scale();
    if (result_.peak_force - force(y_) < 10 * rest * scale) result_.time_to_peak = nan;
    result_.how = impact::outcome::no_separation;
    result_.why =
        options_.force < 0
            ? "no separation: the mass comes to rest in contact"
            : "no separation: overdamped, the gap is still closed when 1e-9 of the speed is left";
    return result_;
  }
  impact fail(const std::string& why) const {
    return without_numbers(impact::outcome::failed, why);
  }

  ball system_;
  std::shared_ptr<void> in_dual_;  // the same model in dual numbers
  double speed_;
  impact_options options_;
  double depth_, fastest_, tolerance_ = 0, t_ = 0, length_of_next_ = 0;
  bool force_was_lost_ = false, cannot_be_told_ = false;
  int shorter_swings_ = 0;
  double last_turn_ = std::numeric_limits<double>::infinity();
  state y_, next_, error_, largest_;
  state rate_, next_rate_;
  boost::numeric::odeint::runge_kutta_dopri5<state> method_;
  impact result_;
};

void check(const any_model& model, double speed, const impact_options& options) {
  if (&model.at() != &ports::press)
    throw error(fmt::format("'{}' is a model of {}: restitution needs one of contact", model.key(),
                            model.entry().family));
  if (!(speed > 0 && std::isfinite(speed)))
    throw error(fmt::format("the speed of impact is {:g} m/s: it must be above 0", speed));
  if (!(options.mass > 0 && std::isfinite(options.mass)))
    throw error(fmt::format("the mass is {:g} kg: it must be above 0", options.mass));
  if (!std::isfinite(options.force))
    throw error(fmt::format("the force is {:g} N: it must be finite", options.force));
}

}  // namespace

impact find_impact(const any_model& model, double speed, const impact_options& options) {
  check(model, speed, options);
  const double depth = depth_scale(model, speed, options);
  if (depth > 0) return flight(model, speed, options, depth).run();
  if (depth == 0)
    return without_numbers(
        impact::outcome::undetermined,
        "the law does not say how bodies separate: no force is finite where they overlap");
  return without_numbers(impact::outcome::failed, "the contact force does not stop the mass");
}

std::vector<impact_row> find_impacts(const impact_sweep& sweep, const std::atomic<bool>* interrupt,
                                     const std::function<void(double)>& progress) {
  std::vector<impact_row> rows;
  const bool varies = !sweep.parameter.empty();
  const std::vector<double> values = varies ? sweep.values : std::vector<double>{nan};
  const double total = static_cast<double>(values.size() * sweep.speeds.size());
  for (const double value : values) {
    any_model model = sweep.model;
    impact_options options = sweep.options;
    if (varies && sweep.parameter == "mass") options.mass = value;
    if (varies && sweep.parameter != "mass") model.set(sweep.parameter, value);
    const std::string doubt = model.check();
    options.interrupt = interrupt;
    for (const double speed : sweep.speeds) {
      if (is_set(interrupt)) return rows;
      try {
        rows.push_back({speed, value, find_impact(model, speed, options), doubt});
      } catch (const interruption&) {
        return rows;
      }
      if (progress) progress(static_cast<double>(rows.size()) / total);
    }
  }
  return rows;
}

const std::vector<impact_column>& impact_columns() {
  using namespace units;
  static const std::vector<impact_column> columns{
      {"restitution", "Coefficient of restitution", one,
       [](const impact& i) { return i.restitution; }},
      {"loss", "Share of the speed that is lost", one,
       [](const impact& i) { return 1 - i.restitution; }, true},
      {"contact_time", "Contact time", second, [](const impact& i) { return i.contact_time; }},
      {"time_to_peak", "Time to the highest force", second,
       [](const impact& i) { return i.time_to_peak; }},
      {"peak_force", "Highest force", newton, [](const impact& i) { return i.peak_force; }},
      {"time_to_deepest", "Time of compression", second,
       [](const impact& i) { return i.time_to_deepest; }},
      {"deepest", "Deepest indentation", metre, [](const impact& i) { return i.deepest; }},
      {"lead", "From the highest force to the deepest point", second,
       [](const impact& i) { return i.time_to_deepest - i.time_to_peak; }, true},
      {"residual", "Indentation when the force vanishes", metre,
       [](const impact& i) { return i.residual; }},
  };
  return columns;
}

namespace {

card<double>::parameter_entry find_parameter(const any_model& model, const std::string& name) {
  std::string known = "mass";
  for (const auto& p : model.describe().parameters) {
    if (p.name == name) return p;
    known += ", " + p.name;
  }
  throw error(fmt::format("'{}' has no parameter '{}': {}", model.key(), name, known));
}

}  // namespace

unit unit_of_parameter(const any_model& model, const std::string& name) {
  return name == "mass" ? units::kilogram : find_parameter(model, name).in;
}

range range_of_parameter(const any_model& model, const std::string& name) {
  return name == "mass" ? positive : find_parameter(model, name).allowed;
}

const char* to_string(impact::outcome how) {
  switch (how) {
    case impact::outcome::separated:
      return "separated";
    case impact::outcome::no_separation:
      return "no separation";
    case impact::outcome::undetermined:
      return "undetermined";
    case impact::outcome::failed:
      return "failed";
  }
  return "";
}

}  // namespace asperity
