// SPDX-License-Identifier: Apache-2.0
#pragma once

// The joint of a geared servo: a DC motor under saturated position control turns a load that hangs
// as a pendulum, through a gear whose friction limit depends on the torques of both sides
// (Duclusaud, Passault, Padois and Ly 2025).
//
//   duty  = cut(gain (goal - q), 1)                     or given; q is measured behind the gear
//   tau_m = tau_0 (duty supply - omega_m/omega_0)/(1 + r |duty|)       0 while the motor is off
//   tau_e = -m g l sin(q - q_0) + torque(t)
//   e     = exp(-|omega_m/omega_s|^alpha)
//   limit = K_c + |K_m tau_m - K_e tau_e| + e (K_cs + |K_ms tau_m - K_es tau_e| + Q)        (M6)
//   Q     = K_eq tau_e^2 where |tau_m| > |tau_e|, K_mq tau_m^2 otherwise
//
// M1 to M5 are M6 without some terms. tau_0 is the stall torque k_t V/R and omega_0 = V/k_t the
// speed without load, both at the nominal supply; r is the resistance of supply and bridge over that
// of the winding. Any friction model answers under the load limit/reference. The gear may hold
// stronger one way: b limit is a torque against the positive direction, so that Coulomb friction has
// the limits (1 + b) and (1 - b) times `limit`.
//
//   rigid gear   (J + I) omega' = tau_m + tau_e - K_v omega - b limit - f
//   with play    J omega' = tau_e + T,   I omega_m' = tau_m - T - K_v omega_m - b limit - f
//                T = k (d - cut(d, play/2)),   d = q_m - q
//
// J is m l^2 and what else turns behind the gear, I the rotor's inertia as the joint feels it.
// y = (q, omega, states of the friction), with play (q, omega, q_m, omega_m, states).

#include <algorithm>
#include <asperity/mechanics/memory_step.hpp>
#include <asperity/mechanics/signal.hpp>
#include <cmath>
#include <limits>

namespace asperity {

template <class Friction>
struct servo_joint {
  Friction friction;
  double gain = 1;                                // [1/rad]
  double tau_0 = 1, omega_0 = 10, r = 0;          // [N m], [rad/s], 1
  double m = 0, l = 0, g = 9.81, q_0 = 0, J = 0;  // J has m l^2 in it
  double I = 0, K_v = 0, b = 0;                   // [kg m^2], [N m s/rad], 1
  double K_c = 0, K_cs = 0, K_m = 0, K_e = 0, K_ms = 0, K_es = 0, K_mq = 0, K_eq = 0;
  double omega_s = 1, alpha = 1, reference = 1;
  double play = 0, k = 0;  // [rad], [N m/rad]
  bool has_goal = true;
  signal goal = {}, duty_given = {}, torque = {};
  signal supply = signal::constant(1), on = signal::constant(1);

  static constexpr int capacity = 4 + state_capacity<Friction>;
  bool has_play() const { return play > 0; }
  int friction_states() const { return has_play() ? 4 : 2; }
  int size() const { return friction_states() + state_count(friction); }
  const double* rotor(const double* y) const { return has_play() ? y + 2 : y; }  // angle, speed

  // What the inputs are at a time.
  struct inputs {
    double wanted, supply, torque;  // wanted: goal or duty
    bool is_on;
  };
  inputs inputs_at(double t) const {
    return {has_goal ? goal.value(t) : duty_given.value(t), supply.value(t), torque.value(t),
            on.value(t) > 0.5};
  }
  double duty(const inputs& now, double q) const {
    return std::clamp(has_goal ? gain * (now.wanted - q) : now.wanted, -1.0, 1.0);
  }
  // Of the motor, and what it changes by with duty and speed.
  struct drive_torque {
    double tau, by_duty, by_speed;
  };
  drive_torque motor(const inputs& now, double duty, double omega_m) const {
    if (!now.is_on) return {0, 0, 0};
    const double full = 1 + r * std::abs(duty), V = now.supply;
    const double tau = tau_0 * (duty * V - omega_m / omega_0) / full;
    return {tau, (tau_0 * V - tau * std::copysign(r, duty)) / full, -tau_0 / (omega_0 * full)};
  }
  double external(const inputs& now, double q) const {
    return now.torque - m * g * l * std::sin(q - q_0);
  }
  double limit(double tau_m, double tau_e, double omega_m) const {
    const double Q =
        std::abs(tau_m) > std::abs(tau_e) ? K_eq * tau_e * tau_e : K_mq * tau_m * tau_m;
    const double speed = std::abs(omega_m) / omega_s;
    const double e = std::exp(alpha == 1 ? -speed : -std::pow(speed, alpha));
    return K_c + std::abs(K_m * tau_m - K_e * tau_e) +
           e * (K_cs + std::abs(K_ms * tau_m - K_es * tau_e) + Q);
  }
  double gear_torque(const double* y) const {
    if (!has_play()) return 0;
    const double d = y[2] - y[0];
    return k * (d - std::clamp(d, -0.5 * play, 0.5 * play));
  }

  // All torques but friction.
  struct torques {
    double duty, motor, external, limit, gear;
  };
  torques torques_at(double t, const double* y) const {
    const inputs now = inputs_at(t);
    const double omega_m = rotor(y)[1], u = duty(now, y[0]);
    const double tau_m = motor(now, u, omega_m).tau, tau_e = external(now, y[0]);
    return {u, tau_m, tau_e, limit(tau_m, tau_e, omega_m), gear_torque(y)};
  }

  drive<double> rub_at(double t, const double* y) const {
    return {rotor(y)[0], rotor(y)[1], torques_at(t, y).limit / reference};
  }
  void rates(double t, const double* y, double* rate) const {
    const int n = friction_states();
    rates_under(t, y, respond(friction, y + n, rub_at(t, y), rate + n), rate);
  }
  void rates_under(double t, const double* y, double f, double* rate) const {
    const torques now = torques_at(t, y);
    const double resisted = now.motor - K_v * rotor(y)[1] - b * now.limit - f;
    rate[0] = y[1];
    if (!has_play()) {
      rate[1] = (resisted + now.external) / (J + I);
      return;
    }
    rate[1] = (now.external + now.gear) / J;
    rate[2] = y[3];
    rate[3] = (resisted - now.gear) / I;
  }
  loose_body loose(double t, const double* y) const {
    double rate[capacity];
    rates_under(t, y, 0, rate);
    return {slip_rate(rate), 1 / (has_play() ? I : J + I)};
  }

  // Friction that jumps where the rotor rests.
  void side_rates(double t, const double* y, double direction, double* rate) const
      requires(may_jump<Friction>) {
    const int n = friction_states();
    rates_under(t, y, side(friction, y + n, rub_at(t, y), direction, rate + n), rate);
  }
  double slip(const double* y) const { return rotor(y)[1]; }
  double slip_rate(const double* rate) const { return rotor(rate)[1]; }
  void add_slip(double* y, double more) const { y[has_play() ? 3 : 1] += more; }
  double slip_grip(double t, const double* y) const requires(may_jump<Friction>) {
    return grip_of(friction, y + friction_states(), rub_at(t, y).load) / (has_play() ? I : J + I);
  }

  // Backward Euler: friction in closed form, under tangents of the torques that settle within a few,
  // and under the limit at the end of the step. Returns the friction torque; where a step is so long
  // that nothing settles there is none.
  double solve_stage(double t, double h, const double* start, double* y) const {
    const int n = friction_states();
    const inputs now = inputs_at(t);
    double omega = start[1], omega_m = rotor(start)[1];
    for (int trial = 0; trial < 60; ++trial) {
      const double q = start[0] + h * omega, u = duty(now, q);
      const drive_torque drives = motor(now, u, omega_m);
      const double tau_e = external(now, q), bound = limit(drives.tau, tau_e, omega_m);
      const double pulls_back = -h * m * g * l * std::cos(q - q_0);  // tau_e by omega
      const double steers = has_goal && std::abs(u) < 1 ? -h * gain * drives.by_duty : 0;
      const double held = drives.tau - b * bound - drives.by_speed * omega_m;
      const double stiff = I / h + K_v - drives.by_speed;  // of the rotor alone
      const auto rub = [&](double free, double inertia) {
        return implicit_step(friction, start + n, bound / reference, h,
                             free_step<double>{rotor(start)[1], free / inertia, 1 / inertia},
                             y + n);
      };
      double next, next_m, f;
      const double inertia = J / h - pulls_back;
      const double moved = J * start[1] / h + tau_e - pulls_back * omega;
      if (!has_play()) {
        const double whole = inertia + stiff - steers;
        if (!(whole > 0)) break;
        const auto end = rub(moved + I * start[1] / h + held - steers * omega, whole);
        next = next_m = end.u;
        f = end.f;
      } else {
        if (!(inertia > 0)) break;
        // The gear pulls by A + B (omega_m - omega): not at all in its play, or on one of its sides.
        const auto solve = [&](double A, double B) {
          const double share = B / (inertia + B);
          const auto end =
              rub(I * start[3] / h + held - A + share * (moved + A), stiff + share * inertia);
          next_m = end.u;
          next = (moved + A + B * next_m) / (inertia + B);
          f = end.f;
        };
        solve(0, 0);
        const double d = start[2] - start[0], ahead = d + h * (next_m - next);
        if (std::abs(ahead) > 0.5 * play) solve(k * (d - std::copysign(0.5 * play, ahead)), h * k);
      }
      const double change = std::max(std::abs(next - omega), std::abs(next_m - omega_m));
      const double size = std::max({std::abs(next), std::abs(next_m), std::abs(start[1])});
      omega = next;
      omega_m = next_m;
      if (!(change <= 1e-14 * size) && !(trial > 30 && change <= 1e-9 * size)) continue;
      y[0] = start[0] + h * omega;
      y[1] = omega;
      if (has_play()) {
        y[2] = start[2] + h * omega_m;
        y[3] = omega_m;
      }
      return f;
    }
    std::fill_n(y, size(), std::numeric_limits<double>::quiet_NaN());
    return y[0];
  }

  // What the bodies hold: kinetic, potential, in the teeth of the gear.
  void held(const double* y, double* out) const {
    const double T = gear_torque(y);
    out[0] = has_play() ? 0.5 * (J * y[1] * y[1] + I * y[3] * y[3]) : 0.5 * (J + I) * y[1] * y[1];
    out[1] = m * g * l * (1 - std::cos(y[0] - q_0));
    out[2] = has_play() ? 0.5 * T * T / k : 0;
  }
  static constexpr int flows = 5;  // motor, torque, resistance twice, friction
  void powers(double t, const double* y, double* out) const {
    double rate[capacity];
    const int n = friction_states();
    powers_under(t, y, respond(friction, y + n, rub_at(t, y), rate + n), out);
  }
  void side_powers(double t, const double* y, double direction, double* out) const {
    double rate[capacity];
    const int n = friction_states();
    powers_under(t, y, side(friction, y + n, rub_at(t, y), direction, rate + n), out);
  }
  void stage_powers(double t, double h, const double* start, const double* y, double* out) const {
    double end[capacity];
    powers_under(t, y, solve_stage(t, h, start, end), out);
  }
  void powers_under(double t, const double* y, double f, double* out) const {
    const torques now = torques_at(t, y);
    const double omega_m = rotor(y)[1];
    out[0] = now.motor * omega_m;
    out[1] = torque.value(t) * y[1];
    out[2] = out[3] = (K_v * omega_m + b * now.limit) * omega_m;
    out[4] = f * omega_m;
  }
};

}  // namespace asperity
