// SPDX-License-Identifier: Apache-2.0
#pragma once

// A disc or sphere in the plane of its motion, over a ground that may be tilted, with any normal
// contact and any friction: x along the ground, z the height of the centre, theta its turn.
//
//   m x'' = m g sin(slope) - f_t,   m z'' = -m g cos(slope) + f_n,   I theta'' = R f_t
//
// Friction sees the displacement x - R theta, its rate, and the load f_n/reference_load.
// y = (x, z, theta, v_x, v_z, omega, states of the contact, states of the friction).

#include <asperity/integrate/energy_terms.hpp>
#include <asperity/mechanics/gravity.hpp>
#include <asperity/mechanics/memory_step.hpp>

namespace asperity {

template <class S, class Contact, class Friction>
struct rolling_disc {
  Contact contact;
  Friction friction;
  S m = lit<S>(1.0), R = lit<S>(0.5), I = lit<S>(0.1), g = lit<S>(usual_gravity),
    slope = lit<S>(0.0);
  S reference_load = lit<S>(1.0), least_load = lit<S>(0.0);  // the latter: respond_under_load

  static constexpr int mechanical = 6;
  static constexpr int capacity = mechanical + state_capacity<Contact> + state_capacity<Friction>;
  ASPERITY_FN int size() const { return friction_states() + state_count(friction); }
  ASPERITY_FN int friction_states() const { return mechanical + state_count(contact); }

  ASPERITY_FN drive<S> gap_at(const S* y) const { return {y[1] - R, y[4]}; }
  ASPERITY_FN drive<S> slip_at(const S* y, const S& f_n) const {
    return {y[0] - R * y[2], slip(y), math::max<S>(lit<S>(0.0), f_n) / reference_load};
  }

  struct forces {
    S f_n, f_t;
  };
  ASPERITY_FN S press(const S* y, S* rate) const {
    return respond(contact, y + mechanical, gap_at(y), rate + mechanical);
  }
  ASPERITY_FN forces respond_at(const S* y, S* rate) const {
    const int next = friction_states();
    const S f_n = press(y, rate);
    return {f_n, respond_under_load(friction, y + next, slip_at(y, f_n), least_load, rate + next)};
  }

  ASPERITY_FN void rates(const S&, const S* y, S* rate) const {
    balance(y, respond_at(y, rate), rate);
  }

  // Friction that jumps where the disc does not slip: a body that slips towards `direction`.
  ASPERITY_FN void side_rates(const S&, const S* y, const S& direction, S* rate) const
      requires(may_jump<Friction>) {
    balance(y, side_at(y, direction, rate), rate);
  }
  ASPERITY_FN S slip(const S* y) const { return y[3] - R * y[5]; }
  ASPERITY_FN S slip_rate(const S* rate) const { return slip(rate); }
  ASPERITY_FN void add_slip(S* y, const S& more) const { y[3] = y[3] + more; }
  ASPERITY_FN S slip_grip(const S&, const S* y) const requires(may_jump<Friction>) {
    S rate[capacity];
    const S load = slip_at(y, press(y, rate)).load;
    return grip_of(friction, y + friction_states(), load) * (lit<S>(1.0) / m + R * R / I);
  }

  // On a rigid contact: the force that the next step, h long, will need to keep the disc out.
  double hold_apart(const double* y, double h) const {
    const double gap = y[1] + h * (y[4] - h * g * std::cos(slope)) - R;
    return react(contact, y + mechanical, 1.0, h, y[1] - R).solve(gap, -(h * h / m));
  }

  // Friction whose memory is not an ODE (memory_step.hpp).
  drive<double> rub_at(double, const double* y) const {
    double rate[capacity];
    return slip_at(y, press(y, rate));
  }
  void rates_under(double, const double* y, double f_t, double* rate) const {
    balance(y, {press(y, rate), f_t}, rate);
  }
  void powers_under(double, const double* y, double f_t, double* out) const {
    double rate[capacity];
    take(y, {press(y, rate), f_t}, out);
  }
  // What the slip would do without friction, and what each newton of it adds.
  loose_body loose() const { return {g * std::sin(slope), 1 / m + R * R / I}; }

  // Backward Euler in closed form: first the normal force, then the friction that it allows.
  ASPERITY_FN void solve_stage(const S&, const S& h, const S* start, S* y) const
      requires(may_react<Contact, S>&& may_react<Friction, S>) {
    const int next = friction_states();
    const S vx = start[3] + h * g * math::sin<S>(slope);
    const S vz = start[4] - h * g * math::cos<S>(slope);
    const S f_n = react(contact, start + mechanical, lit<S>(1.0), h, S(start[1] - R))
                      .solve(start[1] + h * vz - R, -(h * h / m));
    const S load = math::max<S>(lit<S>(0.0), f_n) / reference_load;
    const free_step<S> rub{slip(start), vx - R * start[5], h / m + h * R * R / I};
    const S f_t = implicit_step(friction, start + next, load, h, rub, y + next).f;
    y[3] = vx - h * f_t / m;
    y[4] = vz + h * f_n / m;
    y[5] = start[5] + h * R * f_t / I;
    for (int i = 0; i < 3; ++i) y[i] = start[i] + h * y[3 + i];
    settle(contact, start + mechanical, f_n, h, y + mechanical);
  }

  void energies(double, const double* y,
                double* out) const requires std::same_as<Contact, any_model> {
    out[0] = 0.5 * m * (y[3] * y[3] + y[4] * y[4]);
    out[1] = 0.5 * I * y[5] * y[5];
    out[2] = m * g * ((y[1] - R) * std::cos(slope) - y[0] * std::sin(slope));
    double rate[capacity];
    const auto gap = gap_at(y);
    const auto rub = slip_at(y, press(y, rate));
    out[3] = contact.has_energy() ? contact.stored_energy(y + mechanical, gap.x, gap.v, 1.0) : 0.0;
    out[4] = friction.has_energy()
                 ? friction.stored_energy(y + friction_states(), rub.x, rub.v, rub.load)
                 : 0.0;
  }
  void powers(double, const double* y, double* out) const {
    double rate[capacity];
    take(y, respond_at(y, rate), out);
  }
  void side_powers(double, const double* y, double direction, double* out) const {
    double rate[capacity];
    take(y, side_at(y, direction, rate), out);
  }
  // A set-valued law has no force of its own at rest: it is what the step's momentum says. Impulses
  // (`impacts`) work on the mean of the velocities before and after them.
  void stage_powers(double, double h, const double* start, const double* y, bool impacts,
                    double* out) const {
    const double f_t = I * (y[5] - start[5]) / (h * R);
    const double f_n = m * ((y[4] - start[4]) / h + g * std::cos(slope));
    double at[mechanical];
    for (int i = 0; i < mechanical; ++i) at[i] = impacts ? 0.5 * (start[i] + y[i]) : y[i];
    take(at, {f_n, f_t}, out);
  }

 private:
  ASPERITY_FN void balance(const S* y, const forces& f, S* rate) const {
    for (int i = 0; i < 3; ++i) rate[i] = y[3 + i];
    rate[3] = g * math::sin<S>(slope) - f.f_t / m;
    rate[4] = f.f_n / m - g * math::cos<S>(slope);
    rate[5] = R * f.f_t / I;
  }
  ASPERITY_FN forces side_at(const S* y, const S& direction, S* rate) const {
    const int next = friction_states();
    const S f_n = press(y, rate);
    return {f_n, side_under_load(friction, y + next, slip_at(y, f_n), direction, least_load,
                                 rate + next)};
  }
  void take(const double* y, const forces& f, double* out) const {
    out[0] = -f.f_n * y[4];
    out[1] = f.f_t * slip(y);
  }
};

}  // namespace asperity
