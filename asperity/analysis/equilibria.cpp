// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/analysis/equilibria.hpp>
#include <asperity/error.hpp>
#include <asperity/quantity.hpp>
#include <cmath>
#include <numeric>
#include <optional>

namespace asperity {

namespace {

constexpr int capacity = any_model::max_states;

// Solves a x = b in place, n rows of `capacity` each, by elimination with pivots.
void solve_linear(int n, double (*a)[capacity], double* b) {
  for (int column = 0; column < n; ++column) {
    int pivot = column;
    for (int row = column + 1; row < n; ++row)
      if (std::abs(a[row][column]) > std::abs(a[pivot][column])) pivot = row;
    std::swap_ranges(a[column], a[column] + n, a[pivot]);
    std::swap(b[column], b[pivot]);
    for (int row = column + 1; row < n; ++row) {
      const double factor = a[row][column] / a[column][column];
      if (factor == 0) continue;
      for (int i = column; i < n; ++i) a[row][i] -= factor * a[column][i];
      b[row] -= factor * b[column];
    }
  }
  for (int row = n - 1; row >= 0; --row) {
    for (int i = row + 1; i < n; ++i) b[row] -= a[row][i] * b[i];
    b[row] /= a[row][row];
  }
}

// A model on its way, very slowly, to a position where it is to rest.
class slow_drag {
 public:
  explicit slow_drag(const any_model& model) : model_(model), count_(model.states()) {
    std::fill_n(scale_, capacity, 0.0);
    model.state_scale(scale_);
    steps_itself_ = model.functions().in_double.advance != nullptr || model.has_implicit_step();
    // A law of the catalogue: the force depends on the path alone, however few steps it is cut in.
    leaps_ = !model.is_ode() && (model.describe().claims & rate_independent) != 0;
    choose_length();
    choose_speed();
  }

  double length() const { return length_; }
  double force_scale() const { return force_; }

  // The force that lasts at x after a drag over `distance` towards `direction`. NaN if none does.
  double operator()(double x, double direction, double distance) const {
    double y[capacity];
    model_.initial(y);
    drive<double> now{x - direction * distance, direction * speed_, 1.0};
    step(y, now, now, 0.0);
    // Fine steps over the last lengths, e^-24 being nothing, the same for every distance; before
    // them ever longer ones.
    const double fine = 0.125 * length_;
    for (double left = distance; left > 0;) {
      const bool is_far = left > 24 * length_;
      left = leaps_   ? 0.0
             : is_far ? 0.8 * left
                      : fine * std::max(0.0, std::ceil(left / fine - 1e-6) - 1);
      const drive<double> next{x - direction * left, direction * speed_, 1.0};
      step(y, now, next, std::abs(next.x - now.x) / speed_);
      now = next;
    }
    const drive<double> rest{x, 0.0, 1.0};
    step(y, now, rest, 0.0);
    double before = model_.force(y, rest), h = 0.01 * length_ / speed_;
    for (int calm = 0, i = 0; i < 100; ++i, h *= 2) {
      step(y, rest, rest, h);
      const double f = model_.force(y, rest);
      calm = std::abs(f - before) <= 1e-9 * std::max(force_, std::abs(f)) ? calm + 1 : 0;
      if (calm == 3) return f;
      before = f;
    }
    return std::nan("");
  }

 private:
  // By the model's own step where it has one; otherwise by the linearly implicit Euler method: one
  // stage, stable for steps of any length, right in the limit of slow motion, which is all we want.
  void step(double* y, const drive<double>& from, const drive<double>& to, double h) const {
    if (steps_itself_) {
      model_.advance(y, from, to, h);
      return;
    }
    if (!(h > 0)) return;
    double rate[capacity] = {}, shifted[capacity] = {}, matrix[capacity][capacity] = {};
    model_.respond(y, to.x, to.v, to.load, rate);
    for (int j = 0; j < count_; ++j) {
      // Outwards, to where it slips: beside a corner of the equations that is the side that counts.
      const double kept = y[j], tiny = 1e-9 * std::max(std::abs(scale_[j]), std::abs(kept));
      const double width = std::copysign(tiny > 0 ? tiny : 1e-12, kept);
      y[j] = kept + width;
      model_.respond(y, to.x, to.v, to.load, shifted);
      for (int i = 0; i < count_; ++i)
        matrix[i][j] = (i == j ? 1.0 : 0.0) - h * (shifted[i] - rate[i]) / width;
      y[j] = kept;
    }
    for (int i = 0; i < count_; ++i) rate[i] *= h;
    solve_linear(count_, matrix, rate);
    for (int i = 0; i < count_; ++i) y[i] += rate[i];
  }

  // How far a model moves before it slides: from its states, its parameters, or by trying.
  void choose_length() {
    force_ = model_.has_bound() ? model_.force_bound(0, 0, 1) : 0.0;
    const auto in_units = model_.state_units();
    for (std::size_t i = 0; i < in_units.size(); ++i)
      if (in_units[i] == units::metre) length_ = std::max(length_, std::abs(scale_[i]));
    if (length_ > 0) return;
    for (const auto& p : model_.describe().parameters)
      if (p.in == units::metre)
        for (const double value : model_.get(p.name)) length_ = std::max(length_, value);
    if (length_ > 0) return;
    for (length_ = 1e-15; length_ < 1e3; length_ *= 4) {
      double y[capacity];
      model_.initial(y);
      const double f = model_.advance(y, {0, length_, 1}, {length_, length_, 1}, 1.0);
      if (std::abs(f) > 0.1 * force_) return;
    }
  }

  // Slow against every speed and time on the model's card.
  void choose_speed() {
    speed_ = length_;
    for (const auto& p : model_.describe().parameters) {
      if (p.count != nullptr) continue;
      for (const double value : model_.get(p.name)) {
        if (!(value > 0)) continue;
        if (p.in == units::metre / units::second) speed_ = std::min(speed_, value);
        if (p.in == units::second) speed_ = std::min(speed_, length_ / value);
        if (p.in == units::second / units::metre) speed_ = std::min(speed_, 1 / value);
        if (p.in == units::one / units::second) speed_ = std::min(speed_, length_ * value);
      }
    }
    speed_ *= 1e-12;
  }

  const any_model& model_;
  int count_;
  bool steps_itself_ = false, leaps_ = false;
  double length_ = 0, speed_ = 0, force_ = 0;
  double scale_[capacity];
};

// The force after a drag so long that a longer one changes nothing.
double lasting_force(const slow_drag& drag, double x, double direction) {
  double distance = 32 * drag.length(), before = drag(x, direction, distance);
  for (int doublings = 0; doublings < 100; ++doublings) {
    distance *= 2;
    const double f = drag(x, direction, distance);
    if (!std::isfinite(f)) return std::nan("");
    if (std::abs(f - before) <= 1e-8 * std::max(drag.force_scale(), std::abs(f))) return f;
    before = f;
  }
  return std::nan("");
}

// The limit from one side of v = 0, the states of the model being in balance there.
double balanced_side(const any_model& model, double x, double direction) {
  const int n = model.states();
  double y[capacity], rate[capacity] = {}, shifted[capacity] = {}, matrix[capacity][capacity] = {};
  double scale[capacity] = {};
  model.initial(y);
  model.state_scale(scale);
  const drive<double> rest{x, 0.0, 1.0};
  double f = model.side(y, rest, direction, rate);
  if (n == 0) return f;
  for (int i = 0; i < 100; ++i) {
    for (int j = 0; j < n; ++j) {
      const double kept = y[j], width = 1e-7 * (scale[j] > 0 ? scale[j] : 1.0);
      y[j] = kept + width;
      model.side(y, rest, direction, shifted);
      for (int row = 0; row < n; ++row) matrix[row][j] = (shifted[row] - rate[row]) / width;
      y[j] = kept;
    }
    solve_linear(n, matrix, rate);
    double moved = 0;
    for (int j = 0; j < n; ++j) {
      y[j] -= rate[j];
      moved = std::max(moved, std::abs(rate[j]) / (scale[j] > 0 ? scale[j] : 1.0));
    }
    f = model.side(y, rest, direction, rate);
    if (moved < 1e-12) return f;
  }
  return std::nan("");
}

rest_force ordered(double one, double other) {
  return {std::min(one, other), std::max(one, other), std::isfinite(one) && std::isfinite(other)};
}

// A model prepared to be asked at many positions.
class holder {
 public:
  explicit holder(const any_model& model) : model_(model) {
    double y[capacity];
    model.initial(y);
    if (model.states() == 0 && model.has_react()) {
      const auto law = model.react(y, 1.0, 1.0);
      rigid_ = law.softness == 0;
      static_ = !rigid_;
      held_ = ordered(law.lower - law.grip, law.upper + law.grip);
    } else if (model.has_side()) {
      jumps_ = true;
    } else if (model.states() == 0) {
      static_ = true;
    } else {
      drag_.emplace(model);
    }
  }

  rest_force operator()(double x) const {
    if (jumps_) return ordered(balanced_side(model_, x, -1), balanced_side(model_, x, 1));
    if (rigid_) return held_;
    if (static_) {
      // Either the limit from that side of rest, or so close to nothing that nothing is held.
      double none[capacity] = {};
      constexpr double creep = 1e-200, nothing = 1e-100;
      const auto limit = [&](double v) {
        const double f = model_.respond(none, x, v, 1.0, none);
        return std::abs(f) < nothing ? 0.0 : f;
      };
      return ordered(limit(-creep), limit(creep));
    }
    return ordered(lasting_force(*drag_, x, -1), lasting_force(*drag_, x, 1));
  }

 private:
  const any_model& model_;
  bool jumps_ = false, static_ = false, rigid_ = false;
  rest_force held_;
  std::optional<slow_drag> drag_;
};

bool alike(const rest_force& a, const rest_force& b) {
  const double size = std::max({std::abs(a.lower), std::abs(a.upper), std::abs(b.upper)});
  return std::abs(a.lower - b.lower) <= 1e-6 * size && std::abs(a.upper - b.upper) <= 1e-6 * size;
}

void check(const any_model& model, const equilibria_options& options) {
  if (const auto& family = model.entry().family; !model.at().is_sliding())
    throw error(fmt::format(
        "model '{}' is of the family {}, not friction, so it cannot hold a mass on a spring",
        model.key(), family));
  if (!std::isfinite(options.stiffness) || !(options.stiffness > 0))
    throw error(fmt::format("stiffness = {:g} N/m must be above 0", options.stiffness));
  if (!std::isfinite(options.from) || !std::isfinite(options.to) || !(options.from <= options.to))
    throw error(fmt::format("the inputs {:g} N to {:g} N must be finite and in this order",
                            options.from, options.to));
  const double widest = (options.to - options.from) * options.points;
  if (!std::isfinite(widest) || !std::isfinite(options.from / options.stiffness) ||
      !std::isfinite(options.to / options.stiffness) || !std::isfinite(widest / options.stiffness))
    throw error(
        fmt::format("the inputs {:g} N to {:g} N over the stiffness {:g} N/m give positions that "
                    "overflow: take a greater stiffness, or smaller forces",
                    options.from, options.to, options.stiffness));
  if (options.points < 1 || options.points > 1'000'000)
    throw error(fmt::format("points = {} must be 1 to 1000000", options.points));
  if (options.samples < 2 || options.samples > 100'000'000)
    throw error(fmt::format("samples = {} must be 2 to 100000000", options.samples));
}

std::vector<double> spread(double from, double to, int points) {
  std::vector<double> result;
  result.reserve(static_cast<std::size_t>(points));
  for (int i = 0; i < points; ++i)
    result.push_back(i == 0 ? from : from + (to - from) * i / (points - 1));
  return result;
}

class search {
 public:
  search(const any_model& model, const equilibria_options& options)
      : hold_(model), options_(options) {}

  equilibria_map run() {
    const double k = options_.stiffness;
    const auto inputs = spread(options_.from, options_.to, options_.points);
    const rest_force first = ask(0);
    // Positions that no regular pattern can all hit at the same phase.
    constexpr double golden = 0.6180339887498949;
    const double middle = 0.5 * (options_.from + options_.to) / k;
    const double reach = 0.5 * (options_.to - options_.from) / k +
                         std::max(std::abs(first.lower), std::abs(first.upper)) / k;
    double largest = std::max(std::abs(first.lower), std::abs(first.upper));
    for (int i = 1; i <= 12 && !stopped(); ++i) {
      const rest_force here = ask(middle + reach * (2 * std::fmod(i * golden, 1.0) - 1));
      map_.depends_on_position |= !alike(first, here);
      largest = std::max({largest, std::abs(here.lower), std::abs(here.upper)});
    }
    if (stopped()) return map_;
    if (!map_.depends_on_position) {
      for (const double u : inputs) add({u, (u - first.upper) / k, (u - first.lower) / k});
      return map_;
    }

    // 1.5: the largest of a few need not be the largest of all.
    const double margin = 1.5 * largest / k;
    const auto places =
        spread(options_.from / k - margin, options_.to / k + margin, options_.samples);
    std::vector<rest_force> held;
    for (const double x : places) {
      held.push_back(ask(x));
      if (stopped()) return map_;
      tell(0.9 * static_cast<double>(held.size()) / options_.samples);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      add_intervals(inputs[i], places, held);
      if (stopped()) return map_;
      tell(0.9 + 0.1 * static_cast<double>(i + 1) / options_.points);
    }
    return map_;
  }

 private:
  bool stopped() {
    if (options_.interrupt != nullptr && *options_.interrupt) map_.interrupted = true;
    return map_.interrupted || !map_.failure.empty();
  }

  // What is not a number is not a place to rest.
  void add(const equilibrium& found) {
    if (std::isfinite(found.x_low) && std::isfinite(found.x_high)) {
      map_.intervals.push_back(found);
    } else if (map_.failure.empty()) {
      map_.failure =
          fmt::format("at u = {:g} N it would rest from {:g} m to {:g} m, which overflows", found.u,
                      found.x_low, found.x_high);
    }
  }

  void tell(double share) const {
    if (options_.progress) options_.progress(share);
  }

  rest_force ask(double x) {
    const rest_force result = hold_(x);
    if (!result.found && map_.failure.empty())
      map_.failure = fmt::format("the force of the model does not settle at x = {:g} m", x);
    return result;
  }

  bool holds(const rest_force& held, double u, double x) const {
    const double needed = u - options_.stiffness * x;
    return held.lower <= needed && needed <= held.upper;
  }

  // The end of an interval, between a place inside and one outside.
  double edge(double u, double inside, double outside) {
    for (int i = 0; i < 100 && !stopped(); ++i) {
      const double x = std::midpoint(inside, outside);
      if (x == inside || x == outside || std::abs(outside - inside) < 1e-12 * std::abs(x)) break;
      (holds(ask(x), u, x) ? inside : outside) = x;
    }
    return inside;
  }

  void add_intervals(double u, const std::vector<double>& places,
                     const std::vector<rest_force>& held) {
    std::vector<double> x;
    std::vector<bool> rests;
    const double relaxed = u / options_.stiffness;  // where nothing needs to be held
    bool placed = false;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!placed && relaxed <= places[i]) {
        placed = true;
        x.push_back(relaxed);
        rests.push_back(holds(ask(relaxed), u, relaxed));
      }
      x.push_back(places[i]);
      rests.push_back(holds(held[i], u, places[i]));
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!rests[i]) continue;
      std::size_t last = i;
      while (last + 1 < x.size() && rests[last + 1]) ++last;
      const double low = i > 0 ? edge(u, x[i], x[i - 1]) : x[i];
      const double high = last + 1 < x.size() ? edge(u, x[last], x[last + 1]) : x[last];
      add({u, low, high});
      i = last;
    }
  }

  holder hold_;
  equilibria_options options_;
  equilibria_map map_;
};

}  // namespace

rest_force force_at_rest(const any_model& model, double x) { return holder(model)(x); }

equilibria_map find_equilibria(const any_model& model, const equilibria_options& options) {
  check(model, options);
  return search(model, options).run();
}

}  // namespace asperity
