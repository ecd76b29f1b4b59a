// SPDX-License-Identifier: Apache-2.0
#pragma once

// One step of a system around friction whose memory is not an ODE, implicit in its force. Along the
// step the bodies feel
//
//   f(x, v, t) = f_0 + stiffness (x - x_0) + damping (v - v_0) + rest (t - t_0)/h
//
// where f_0 is the force at the start, stiffness and damping are those of friction along the motion
// of the step, and `rest` is such that the force at the end is the one that friction itself answers
// when it is taken along the motion. So bristles of any stiffness are followed at any step, and a
// law that is piecewise linear is followed exactly between its kinks. Elsewhere the order is 2.

#include <algorithm>
#include <array>
#include <asperity/mechanics/respond.hpp>
#include <cmath>
#include <utility>

namespace asperity {

// The force that bodies feel in a step.
struct friction_line {
  double f = 0, stiffness = 0, damping = 0, rest = 0;
  double at(double way, double gain, double share) const {
    return f + stiffness * way + damping * gain + rest * share;
  }
};

// How far the surface slips in a step, by how much its velocity grows, and what friction sees then.
// `way` is the difference of the positions, without their rounding.
struct slip_of_step {
  double way, gain;
  drive<double> to;
};

// A law that is rate independent and has an advance of its own goes by positions alone.
inline bool reads_velocity(const any_model& model) {
  return (model.describe().claims & rate_independent) == 0 ||
         model.functions().in_double.advance == nullptr;
}

// Takes a model along a step and returns its force. Some models integrate a velocity that is linear
// in time. Where the bodies move otherwise, two such pieces have the velocities of both ends and
// the way between them.
inline double take_along(const friction_in_touch& model, bool by_velocity, double* state,
                         const drive<double>& from, const drive<double>& to, double way, double h) {
  if (!by_velocity) return model.advance(state, from, to, h);
  const double v0 = from.v, v1 = to.v, mean = way / h;
  double share = 0.5, v = 2 * mean - 0.5 * (v0 + v1);
  if ((mean - v0) * (mean - v1) <= 0 && v0 != v1) {
    const bool early = std::abs(mean - v1) < std::abs(mean - v0);
    share = early ? 2 * (mean - v1) / (v0 - v1) : 1 - 2 * (mean - v0) / (v1 - v0);
    v = early ? v1 : v0;
  }
  const drive<double> knot{from.x + 0.5 * share * h * (v0 + v), v,
                           from.load + share * (to.load - from.load)};
  if (share > 0) model.advance(state, from, knot, share * h);
  return model.advance(state, knot, to, (1 - share) * h);
}

// Friction at the start of a step, which may be tried with several lengths.
class friction_step {
 public:
  // Without load there is no friction; in a contact that may open (`waits`) its memory then waits
  // for the next touch.
  friction_step(const friction_in_touch& friction, bool by_velocity, bool waits,
                const double* state, const drive<double>& from)
      : friction_(friction), by_velocity_(by_velocity), waits_(waits), from_(from) {
    std::copy_n(state, friction.law.states(), start_.begin());
    f_ = is_open(from) ? 0 : force_at(from.v);
    if (friction.law.has_bound())
      rounding_ = 1e-15 * friction.law.force_bound(from.x, from.v, from.load);
  }

  double force() const { return f_; }

  // slip(line) moves the bodies under the line and tells where they go. Returns whether a force was
  // found that both sides agree on; `line` is then that of the step, and `state` the memory at its
  // end. `direction` is that of a motion that begins at rest.
  template <class Slip>
  bool solve(double h, double direction, const Slip& slip, friction_line& line,
             double* state) const {
    line = {f_};
    if (!is_open(from_)) {
      look_ahead(h, direction, line);
      // The stiffness along the whole way is better than that of its beginning.
      const slip_of_step guess = slip(line);
      if (!std::isfinite(guess.way) || !std::isfinite(guess.gain)) return false;
      look_along(h, guess, line);
    }

    // What friction answers at the end of the step, less what the bodies felt there.
    const auto surplus = [&](double rest) {
      line.rest = rest;
      const slip_of_step end = slip(line);
      std::copy_n(start_.begin(), friction_.law.states(), state);
      const double answer =
          is_open(end.to) ? 0
                          : take_along(friction_, by_velocity_, state, from_, end.to, end.way, h);
      const double off = answer - line.at(end.way, end.gain, 1);
      const bool agrees =
          std::abs(off) <= std::max(rounding_, 1e-12 * std::max(std::abs(answer), std::abs(f_)));
      return ending{off, end.to.v, agrees};
    };
    // By secants. Friction grows with the way, which falls with the rest: the slope is below 0.
    double r = 0, last_r = 0, last_off = 0, low = -unbounded, high = unbounded;
    for (int trial = 0; trial < 8; ++trial) {
      const ending now = surplus(r);
      if (now.agrees) return true;
      if (!std::isfinite(now.off)) return false;
      if (now.off > 0) low = std::max(low, r);
      if (now.off < 0) high = std::min(high, r);
      const double slope = trial == 0 ? -1 : (now.off - last_off) / (r - last_r);
      last_r = std::exchange(r, r - now.off / (slope < -1e-6 ? slope : -1.0));
      last_off = now.off;
    }
    if (!(low < high) || !std::isfinite(high - low)) return false;
    // By bisection. It ends at a root or, where friction jumps as the motion turns, there: at rest
    // any force between both sides holds the body for an instant.
    while (low < (r = low + 0.5 * (high - low)) && r < high) {
      const ending now = surplus(r);
      if (now.agrees) return true;
      (now.off > 0 ? low : high) = r;
    }
    return from_.v != 0 && surplus(from_.v > 0 ? high : low).v * from_.v <= 0;
  }

 private:
  struct ending {
    double off, v;
    bool agrees;
  };
  // [m], [m/s]: far below what a bristle deflects or a curve changes in, far above rounding.
  static constexpr double nudge = 1e-12;

  friction_in_touch friction_;
  bool by_velocity_, waits_;
  drive<double> from_;
  std::array<double, any_model::max_states> start_;
  double f_;
  double rounding_ = 0;  // of elements that pull against each other while their sum is near 0

  bool is_open(const drive<double>& in) const { return waits_ && !(in.load > 0); }
  double least_way() const { return nudge * std::max(1.0, std::abs(from_.x)); }
  double force_at(double v) const {
    return friction_.force(start_.data(), {from_.x, v, from_.load});
  }
  // By how much the force grows along a way at constant velocity, for each metre. Below 0 it is
  // left to the rest: no motion of bodies grows by it within a step.
  double stiffness_along(double way, double v, double h) const {
    const double before = by_velocity_ ? force_at(v) : f_;
    std::array<double, any_model::max_states> state = start_;
    const double after = friction_.advance(state.data(), {from_.x, v, from_.load},
                                           {from_.x + way, v, from_.load}, h);
    return std::max(0.0, (after - before) / way);
  }
  double damping_over(double gain) const {
    return std::max(0.0, (force_at(from_.v + gain) - f_) / gain);
  }

  // Where the motion begins.
  void look_ahead(double h, double direction, friction_line& line) const {
    const double d = from_.v != 0 ? std::copysign(1.0, from_.v) : direction;
    const double gain = d * std::max(nudge, 1e-6 * std::abs(from_.v)), v = from_.v + gain;
    if (by_velocity_) line.damping = damping_over(gain);
    const double way = from_.x + v * std::min(h, least_way() / std::abs(v)) - from_.x;
    if (way != 0) line.stiffness = stiffness_along(way, v, way / v);
  }
  // Over the whole of it, where that is more. Friction may jump where the motion turns.
  void look_along(double h, const slip_of_step& guess, friction_line& line) const {
    const bool turns = (from_.v + guess.gain) * from_.v < 0;
    if (by_velocity_ && std::abs(guess.gain) > nudge && !turns)
      line.damping = damping_over(guess.gain);
    if (std::abs(guess.way) > least_way())
      line.stiffness = stiffness_along(guess.way, guess.way / h, h);
  }
};

}  // namespace asperity
