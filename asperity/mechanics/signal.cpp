// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/mechanics/signal.hpp>
#include <asperity/mechanics/spline.hpp>
#include <asperity/scalar/root.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace asperity {

namespace {

using std::numbers::pi;

// Slopes of the monotone cubic through the nodes (Fritsch and Butland's weighted harmonic mean).
std::vector<double> monotone_slopes(const std::vector<double>& t, const std::vector<double>& y) {
  const std::size_t n = t.size();
  std::vector<double> slopes(n, 0.0);
  if (n < 2) return slopes;
  const auto secant = [&](std::size_t i) { return (y[i + 1] - y[i]) / (t[i + 1] - t[i]); };
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double before = secant(i - 1), after = secant(i);
    if (before * after <= 0) continue;
    const double h0 = t[i] - t[i - 1], h1 = t[i + 1] - t[i];
    const double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
    slopes[i] = (w0 + w1) / (w0 / before + w1 / after);
  }
  // Parabolic ends, limited so that the first and last pieces stay monotone.
  const auto end_slope = [&](double near, double far, double h_near, double h_far) {
    double s = ((2 * h_near + h_far) * near - h_near * far) / (h_near + h_far);
    if (s * near <= 0) s = 0;
    if (near * far <= 0 && std::abs(s) > 3 * std::abs(near)) s = 3 * near;
    return s;
  };
  if (n == 2) {
    slopes[0] = slopes[1] = secant(0);
  } else {
    slopes[0] = end_slope(secant(0), secant(1), t[1] - t[0], t[2] - t[1]);
    slopes[n - 1] =
        end_slope(secant(n - 2), secant(n - 3), t[n - 1] - t[n - 2], t[n - 2] - t[n - 3]);
  }
  return slopes;
}

}  // namespace

signal signal::constant(double value) {
  signal s;
  s.offset_ = value;
  return s;
}

signal signal::ramp(double slope, double start, double offset) {
  signal s;
  s.kind_ = kind::ramp;
  s.slope_ = slope;
  s.start_ = start;
  s.offset_ = offset;
  return s;
}

signal signal::ramp_to(double slope, double limit, double start, double offset) {
  signal s = ramp(slope, start, offset);
  if (slope * (limit - offset) < 0)
    throw error(fmt::format("ramp from {:g} with slope {:g} never reaches its limit {:g}", offset,
                            slope, limit));
  s.limited_ = true;
  s.limit_ = limit;
  return s;
}

signal signal::sines(std::vector<tone> tones, double offset) {
  signal s;
  s.kind_ = kind::sines;
  s.tones_ = std::move(tones);
  s.offset_ = offset;
  return s;
}

signal signal::nodes(std::vector<double> times, std::vector<double> values, joint join) {
  if (times.empty() || times.size() != values.size())
    throw error(fmt::format(
        "nodes need as many values as times, and at least one: there are {} times and {} values",
        times.size(), values.size()));
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(times[i]) || !std::isfinite(values[i]))
      throw error(
          fmt::format("node {} is not finite: t = {:g}, value = {:g}", i + 1, times[i], values[i]));
    if (i > 0 && times[i] <= times[i - 1])
      throw error(fmt::format("times of nodes must increase: node {} at {:g} s follows {:g} s",
                              i + 1, times[i], times[i - 1]));
  }
  signal s;
  s.kind_ = kind::nodes;
  s.join_ = join;
  if (join == joint::cubic) s.slopes_ = monotone_slopes(times, values);
  if (join == joint::spline) s.slopes_ = spline_slopes(times, values, spline_end::natural);
  s.times_ = std::move(times);
  s.values_ = std::move(values);
  return s;
}

signal signal::pieces(std::vector<piece> list) {
  if (list.empty()) throw error("a piecewise signal needs at least one piece");
  for (std::size_t i = 1; i + 1 < list.size(); ++i)
    if (list[i].until <= list[i - 1].until)
      throw error(fmt::format("pieces must end one after another: {:g} s follows {:g} s",
                              list[i].until, list[i - 1].until));
  signal s;
  s.kind_ = kind::pieces;
  s.pieces_ = std::move(list);
  return s;
}

signal signal::of(std::shared_ptr<const form> shape) {
  signal s;
  s.kind_ = kind::other;
  s.form_ = std::move(shape);
  return s;
}

const signal& signal::piece_at(double t) const {
  std::size_t i = 0;
  while (i + 1 < pieces_.size() && t >= pieces_[i].until) ++i;
  return pieces_[i].shape;
}

// Index of the node at or before t, given times_.front() <= t < times_.back().
std::size_t signal::interval(double t) const {
  const auto after = std::upper_bound(times_.begin(), times_.end(), t);
  return static_cast<std::size_t>(after - times_.begin()) - 1;
}

double signal::evaluate(double t) const {
  switch (kind_) {
    case kind::constant:
      return offset_;
    case kind::ramp: {
      const double straight = t <= start_ ? offset_ : offset_ + slope_ * (t - start_);
      if (!limited_) return straight;
      return slope_ > 0 ? std::min(straight, limit_) : std::max(straight, limit_);
    }
    case kind::sines: {
      double sum = offset_;
      for (const tone& s : tones_) sum += s.amplitude * std::sin(s.omega * t + s.phase);
      return sum;
    }
    case kind::nodes: {
      if (std::isnan(t)) return t;  // it lies in no interval
      if (t <= times_.front()) return values_.front();
      if (t >= times_.back()) return values_.back();
      const std::size_t i = interval(t);
      const double width = times_[i + 1] - times_[i], u = (t - times_[i]) / width;
      const double a = values_[i], b = values_[i + 1];
      switch (join_) {
        case joint::hold:
          return a;
        case joint::linear:
          return a + (b - a) * u;
        case joint::half_cosine:
          return a + (b - a) * 0.5 * (1 - std::cos(pi * u));
        case joint::cubic:
        case joint::spline: {
          const double m0 = slopes_[i] * width, m1 = slopes_[i + 1] * width;
          return a + u * (m0 + u * ((3 * (b - a) - 2 * m0 - m1) + u * (2 * (a - b) + m0 + m1)));
        }
      }
      return a;
    }
    case kind::pieces:
      return piece_at(t).value(t);
    case kind::other:
      return form_->value(t);
  }
  return offset_;
}

double signal::slope(double t) const {
  switch (kind_) {
    case kind::constant:
      return 0;
    case kind::ramp: {
      if (t < start_) return 0;
      const bool cut = limited_ && (slope_ > 0 ? offset_ + slope_ * (t - start_) >= limit_
                                               : offset_ + slope_ * (t - start_) <= limit_);
      return cut ? 0 : slope_;
    }
    case kind::sines: {
      double sum = 0;
      for (const tone& s : tones_) sum += s.amplitude * s.omega * std::cos(s.omega * t + s.phase);
      return sum;
    }
    case kind::nodes: {
      if (std::isnan(t)) return t;
      if (t < times_.front() || t >= times_.back()) return 0;
      const std::size_t i = interval(t);
      const double width = times_[i + 1] - times_[i], u = (t - times_[i]) / width;
      const double a = values_[i], b = values_[i + 1];
      switch (join_) {
        case joint::hold:
          return 0;
        case joint::linear:
          return (b - a) / width;
        case joint::half_cosine:
          return (b - a) * 0.5 * pi * std::sin(pi * u) / width;
        case joint::cubic:
        case joint::spline: {
          const double m0 = slopes_[i] * width, m1 = slopes_[i + 1] * width;
          return (m0 + u * (2 * (3 * (b - a) - 2 * m0 - m1) + u * 3 * (2 * (a - b) + m0 + m1))) /
                 width;
        }
      }
      return 0;
    }
    case kind::pieces:
      return piece_at(t).slope(t);
    case kind::other:
      return form_->slope(t);
  }
  return 0;
}

std::vector<double> signal::breakpoints(double from, double to) const {
  std::vector<double> result;
  switch (kind_) {
    case kind::constant:
    case kind::sines:
      break;
    case kind::ramp:
      result.push_back(start_);
      if (limited_ && slope_ != 0) result.push_back(start_ + (limit_ - offset_) / slope_);
      break;
    case kind::nodes:
      result = times_;
      break;
    case kind::other:
      result = form_->breakpoints();
      break;
    case kind::pieces:
      for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const bool last = i + 1 == pieces_.size();
        const double begin = i == 0 ? from : std::max(from, pieces_[i - 1].until);
        const double end = last ? to : std::min(to, pieces_[i].until);
        const auto inner = pieces_[i].shape.breakpoints(begin, end);
        result.insert(result.end(), inner.begin(), inner.end());
        if (!last) result.push_back(pieces_[i].until);
      }
      break;
  }
  std::erase_if(result, [&](double t) { return !(from < t && t < to); });
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

double signal::fastest() const {
  double result = form_ != nullptr ? form_->fastest() : 0;
  for (const tone& each : tones_) result = std::max(result, std::abs(each.omega));
  for (const piece& each : pieces_) result = std::max(result, each.shape.fastest());
  return result;
}

double signal::shortest_period() const {
  const double highest = fastest();
  return highest > 0 ? 2 * pi / highest : std::numeric_limits<double>::infinity();
}

namespace {

// Where g changes sign first, looking at least every `stride`.
template <class G>
double first_change(const G& g, double from, double to, double stride) {
  const double least = 1e-9 * std::min(stride, to - from);
  double a = from, g_a = g(a);
  while (a < to) {
    const double b = std::min(to, a + stride), g_b = g(b);
    if (g_a * g_b < 0) {
      const double t = root_between(g, a, b);
      // What rounding leaves at the start is no change of sign.
      if (t > from + least) return t;
    }
    a = b;
    g_a = g_b;
  }
  return to;
}

}  // namespace

double signal::first_turn(double from, double to) const {
  if (kind_ == kind::pieces) return piece_at(from).first_turn(from, to);
  if (join_ == joint::spline) return turn_of_spline(from, to);
  if (!waves()) return to;  // monotone
  return first_change([this](double t) { return slope(t); }, from, to, 0.125 * pi / fastest());
}

double signal::turn_of_spline(double from, double to) const {
  if (!(from < to) || from < times_.front() || from >= times_.back()) return to;
  const std::size_t i = interval(from);
  const double width = times_[i + 1] - times_[i], rise = values_[i + 1] - values_[i];
  const double m0 = slopes_[i] * width, m1 = slopes_[i + 1] * width;
  // slope width = m0 - 2 b u + a u^2
  const double a = 3 * (m0 + m1 - 2 * rise), b = 2 * m0 + m1 - 3 * rise;
  const double root = b * b - a * m0;
  if (!(root > 0)) return to;
  const double q = b + std::copysign(std::sqrt(root), b);  // free of cancellation
  double first = to;
  for (const double u : {q / a, m0 / q}) {
    const double t = times_[i] + u * width;
    if (t > from + 1e-9 * (to - from) && t < first) first = t;
  }
  return first;
}

double signal::first_zero(double from, double to) const {
  if (kind_ == kind::pieces) return piece_at(from).first_zero(from, to);
  if (join_ == joint::spline) {  // it is monotone between its turns, of which there are two
    const auto value_at = [this](double t) { return value(t); };
    double a = from;
    while (a < to) {
      const double b = first_turn(a, to), t = first_change(value_at, a, b, b - a);
      if (t < b) return t;
      a = b;
    }
    return to;
  }
  const double stride = waves() ? 0.125 * pi / fastest() : to - from;
  return first_change([this](double t) { return value(t); }, from, to, stride);
}

signal::extreme signal::lowest(double from, double to) const {
  extreme result{from, value(from)};
  if (kind_ == kind::pieces) {
    double begin = from;
    for (std::size_t i = 0; i < pieces_.size() && begin < to; ++i) {
      const double end = i + 1 == pieces_.size() ? to : std::min(to, pieces_[i].until);
      if (!(begin < end)) continue;
      const extreme inner = pieces_[i].shape.lowest(begin, end);
      if (inner.value < result.value) result = inner;
      begin = end;
    }
    return result;
  }
  const double last = std::nextafter(to, from);
  // Far from 0 a time is rounded by more than a period: it stays inside all the same.
  const auto look = [&](double t) {
    t = std::clamp(t, from, last);
    if (const double at = value(t); at < result.value) result = {t, at};
  };
  // Between its breakpoints it is monotone, but for splines and what waves.
  double before = from;
  const auto turns_until = [&](double t) {
    while ((before = turn_of_spline(before, t)) < t) look(before);
  };
  for (const double t : breakpoints(from, to)) {
    if (join_ == joint::spline) turns_until(t);
    look(t);
  }
  if (join_ == joint::spline) turns_until(to);
  look(last);
  if (!waves()) return result;
  if (tones_.size() == 1 && tones_[0].omega != 0) {
    const auto& [amplitude, omega, phase] = tones_[0];
    const double period = 2 * pi / std::abs(omega);
    const double trough = ((amplitude > 0 ? -0.5 : 0.5) * pi - phase) / omega;
    const double t = trough + period * std::ceil((from - trough) / period);
    if (t < to) look(t);
    return result;
  }
  const double grid = std::clamp((to - from) * fastest(), 1e4, 1e6);  // six times in a period
  for (long i = 1; static_cast<double>(i) < grid; ++i)
    look(from + (to - from) * static_cast<double>(i) / grid);
  // The trough beside the lowest of these, by thirds.
  double a = std::max(from, result.t - (to - from) / grid);
  double b = std::min(last, result.t + (to - from) / grid);
  for (int i = 0; i < 60; ++i) {
    const double left = a + (b - a) / 3, right = b - (b - a) / 3;
    if (value(left) < value(right))
      b = right;
    else
      a = left;
  }
  look(a);
  return result;
}

}  // namespace asperity
