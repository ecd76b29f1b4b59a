// SPDX-License-Identifier: Apache-2.0
#pragma once

// What memory_stepper moves: a mass that slides on a model whose memory is not an ODE. The flows of
// an audit follow its states.

#include <asperity/integrate/impulse_response.hpp>
#include <asperity/mechanics/friction_step.hpp>
#include <asperity/mechanics/mass_energy.hpp>
#include <asperity/scalar/root.hpp>

namespace asperity {

// Between the ends of a step the inputs of the mass are straight lines; its motion under them,
// spring, damper and friction_line is exact, and so is the work that each of these does.
class mass_motion {
 public:
  using mass = sliding_mass<double, any_model, signal_inputs>;

  explicit mass_motion(const mass& system, int flows = 0)
      : system_(system), flows_(flows), by_velocity_(reads_velocity(system.friction)) {}

  static constexpr int capacity = mass::capacity + energy_terms::most_flows;
  int size() const { return system_.size() + flows_; }
  int flows() const { return flows_; }
  static int bodies() { return 2; }
  static bool is_prescribed() { return false; }
  double force(double t, const double* y) const {
    return system_.friction.force(y + 2, system_.drive_at(t, y));
  }

  double move(double t, double h, double* y, bool to_turn) const {
    const friction_step friction({system_.friction}, by_velocity_, false, y + 2,
                                 system_.drive_at(t, y));
    double state[any_model::max_states];
    path p = begin(t, y, friction.force());
    const double direction = p.a != 0 ? std::copysign(1.0, p.a) : 1.0;
    friction_line line;
    for (int trial = 0;; ++trial) {
      const auto slip = [&](const friction_line& under) {
        aim(t, h, under, p);
        const double way = p.way(), gain = p.gain();
        return slip_of_step{way, gain, {y[0] + way, y[1] + gain, system_.inputs.load(t + h)}};
      };
      if (!friction.solve(h, direction, slip, line, state)) return 0;
      if (!to_turn || trial == 4) break;
      // A way that is lost in rounding is none.
      const double turn = p.turn(4e-16 * std::abs(y[0]));
      if (!(turn < h * (1 - 1e-9)) || y[0] + p.after(turn).way() == y[0]) break;
      h = turn;
    }
    if (flows_ > 0) add_work(t, y, line, p);
    y[0] += p.way();
    y[1] += p.gain();
    std::copy_n(state, system_.friction.states(), y + 2);
    return h;
  }

  // Backward Euler, which damps what it does not follow.
  bool leap(double t, double h, double* y) const {
    const auto& in = system_.inputs;
    const drive<double> from = system_.drive_at(t, y);
    double state[any_model::max_states], f = 0;
    // What is left of the balance of forces at the end, over the velocity there: it rises.
    const auto surplus = [&](double v) {
      const drive<double> to{y[0] + h * v, v, in.load(t + h)};
      std::copy_n(y + 2, system_.friction.states(), state);
      f = take_along({system_.friction}, by_velocity_, state, from, to, h * v, h);
      return system_.m * (v - y[1]) / h + system_.c * v + system_.k * (to.x - in.anchor(t + h)) +
             f - in.force(t + h);
    };
    const double resistance = system_.m / h + system_.c + h * system_.k;
    const double guess = y[1] - surplus(y[1]) / resistance;
    double other = guess, width = std::abs(guess - y[1]);
    for (int trial = 0; surplus(other) * surplus(guess) > 0; ++trial, width *= 2) {
      if (trial == 60 || !(width > 0)) return false;
      other = guess - std::copysign(width, surplus(guess));
    }
    const double v = root_between(surplus, guess, other), way = h * v;
    if (!std::isfinite(surplus(v))) return false;
    if (flows_ > 0) {
      double* work = y + system_.size();
      const double damped = system_.c * v * way;
      work[0] += in.force(t + h) * way;
      work[1] += system_.k * (y[0] + way - in.anchor(t + h)) * (in.anchor(t) - in.anchor(t + h));
      work[2] += f * way;
      work[3] += damped;
      work[4] += damped;
    }
    y[0] += way;
    y[1] = v;
    std::copy_n(state, system_.friction.states(), y + 2);
    return true;
  }

 private:
  const mass& system_;
  int flows_;
  bool by_velocity_;

  // A motion that begins with the velocity v and the acceleration a.
  struct path {
    double v, a, b = 0, h = 0, damping = 0, stiffness = 0;
    impulse_response s{};

    double way() const { return v * h + a * s.s2 + b * s.s3; }
    double gain() const { return a * s.s1 + b * s.s2; }
    double acceleration() const { return a * s.s0 + b * s.s1; }
    double area() const { return 0.5 * v * h * h + a * s.s3 + b * s.s4; }  // of the way over time
    path after(double t) const {
      path p = *this;
      p.h = t;
      p.s = impulse_response::after(t, damping, stiffness);
      return p;
    }

    // The first time at which the velocity comes to zero or changes its sign; h if there is none. A
    // vibration wider than `least` that may bring it there is not stepped over.
    double turn(double least) const {
      constexpr double touch = 1e-7, most_of_half = 3.0;
      const double beta = std::sqrt(std::max(0.0, stiffness - 0.25 * damping * damping));
      if (h > most_of_half / beta) {  // the same quotient as below, so that this ends
        const double drift = v + b / stiffness, c = v - drift;
        const double swing = std::hypot(c, (a + 0.5 * damping * c) / beta);
        if (swing > beta * least && !(swing < std::abs(drift) * (1 - touch)))
          return after(most_of_half / beta).turn(least);
      }
      const double v1 = v + gain(), d = v != 0 ? v : a;
      double low = 0, high = h;
      if (v == 0 || !(v1 * d < 0)) {
        // It may turn twice, or come back to rest: between lies an extreme of the velocity.
        if (!(a * acceleration() < 0) || v * a > 0) return h;
        const double top = root_between([&](double t) { return after(t).acceleration(); }, 0.0, h);
        const double there = v + after(top).gain();
        if (v == 0) {
          if (!(v1 * d < 0)) return h;
          low = top;
        } else {
          if (std::abs(there) <= touch * std::max(std::abs(v), std::abs(v1))) return top;
          if (!(there * d < 0)) return h;
          high = top;
        }
      }
      return root_between([&](double t) { return v + after(t).gain(); }, low, high);
    }
  };

  path begin(double t, const double* y, double f) const {
    const double pull = system_.inputs.force(t) - system_.k * (y[0] - system_.inputs.anchor(t));
    return {y[1], (pull - system_.c * y[1] - f) / system_.m};
  }
  void aim(double t, double h, const friction_line& line, path& p) const {
    const auto& in = system_.inputs;
    const double m = system_.m, k = system_.k;
    const double damping = (system_.c + line.damping) / m, stiffness = (k + line.stiffness) / m;
    const double push = in.force(t + h) - in.force(t) + k * (in.anchor(t + h) - in.anchor(t));
    p.b = (push - line.rest) / (m * h) - stiffness * p.v;
    if (p.h == h && p.damping == damping && p.stiffness == stiffness) return;
    p.damping = damping;
    p.stiffness = stiffness;
    p.h = h;
    p.s = impulse_response::after(h, damping, stiffness);
  }

  // The same as powers of sliding_mass_energy, integrated.
  void add_work(double t, double* y, const friction_line& line, const path& p) const {
    const auto& in = system_.inputs;
    const double h = p.h, way = p.way(), later = h * way - p.area();  // of t v
    const double F0 = in.force(t), F1 = in.force(t + h), end0 = in.anchor(t),
                 end1 = in.anchor(t + h);
    const double force = F0 * way + (F1 - F0) / h * later;
    const double anchor =
        -system_.k * (end1 - end0) / h * (p.area() + h * (y[0] - 0.5 * (end0 + end1)));
    const double friction = line.f * way + 0.5 * line.stiffness * way * way +
                            line.rest / h * later - line.damping * p.v * way;
    // What the other forces do and neither mass nor spring keeps is the square of the velocity,
    // integrated, times all the damping there is.
    const double stretch0 = y[0] - end0, stretch1 = y[0] + way - end1;
    const double kept = 0.5 * system_.m * p.gain() * (2 * p.v + p.gain()) +
                        0.5 * system_.k * (stretch1 - stretch0) * (stretch1 + stretch0);
    const double damped = force + anchor - friction - kept;
    const double all = system_.c + line.damping, own = all > 0 ? system_.c / all : 0;
    double* work = y + system_.size();
    work[0] += force;
    work[1] += anchor;
    work[2] += friction + (1 - own) * damped;
    work[3] += own * damped;
    work[4] += own * damped;
  }
};

}  // namespace asperity
