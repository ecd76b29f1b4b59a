// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two bodies, a wall and a conveyor (Xiong 2013, Example II): M_1 hangs on a vertical spring beside
// a wall, M_2 stands on a conveyor of speed u that carries it against M_1. Three contacts, three
// frictions, all of them acting on each other.
//
//   M_1 p_1x'' = psi_1 - psi_2                 psi_1 at the gap p_1x, wall and M_1
//   M_1 p_1y'' = -K_s p_1y - theta_1 - theta_2 psi_2 at the gap p_2x - p_1x, M_1 and M_2
//   M_2 p_2x'' = psi_2 - theta_3               psi_3 at the gap p_2y, conveyor and M_2
//   M_2 p_2y'' = psi_3 + theta_2 - M_2 g       theta_i at the slip p_1y', p_1y' - p_2y', p_2x' + u
//
// (3.28), (3.35) with K_s for K_s1 and u in the last row. p_1y is measured from where the spring
// bears the weight. Friction sees the load psi_i/reference_load. y = (p_1x p_1y p_2x p_2y, their
// rates, states of three contacts, of three frictions).

#include <algorithm>
#include <asperity/integrate/energy_terms.hpp>
#include <asperity/mechanics/gravity.hpp>
#include <asperity/mechanics/respond.hpp>
#include <limits>

namespace asperity {

template <class S, class Contact, class Friction>
struct two_bodies_wall_conveyor {
  Contact contact;
  Friction friction;
  S M_1 = lit<S>(0.5), M_2 = lit<S>(1.0), K_s = lit<S>(100.0), u = lit<S>(1.0),
    g = lit<S>(usual_gravity);
  S reference_load = lit<S>(1.0), least_load = lit<S>(0.0);  // the latter: respond_under_load

  static constexpr int mechanical = 8;
  static constexpr int capacity =
      mechanical + 3 * state_capacity<Contact> + 3 * state_capacity<Friction>;
  ASPERITY_FN int contact_states(int i) const { return mechanical + i * state_count(contact); }
  ASPERITY_FN int friction_states(int i) const {
    return contact_states(3) + i * state_count(friction);
  }
  ASPERITY_FN int size() const { return friction_states(3); }

  ASPERITY_FN drive<S> gap(const S* y, int i) const {
    if (i == 0) return {y[0], y[4]};
    if (i == 1) return {y[2] - y[0], y[6] - y[4]};
    return {y[3], y[7]};
  }
  ASPERITY_FN S slip(const S* y, int i) const {
    return i == 0 ? y[5] : i == 1 ? y[5] - y[7] : y[6] + u;
  }
  ASPERITY_FN S slipped(const S& t, const S* y, int i) const {
    return i == 0 ? y[1] : i == 1 ? y[1] - y[3] : y[2] + u * t;
  }
  ASPERITY_FN drive<S> rub(const S& t, const S* y, int i, const S& psi) const {
    return {slipped(t, y, i), slip(y, i), math::max<S>(lit<S>(0.0), psi) / reference_load};
  }

  struct forces {
    S psi[3], theta[3];
  };
  ASPERITY_FN forces respond_at(const S& t, const S* y, S* rate) const {
    forces f;
    for (int i = 0; i < 3; ++i) {
      const int c = contact_states(i), a = friction_states(i);
      f.psi[i] = respond(contact, y + c, gap(y, i), rate + c);
      f.theta[i] =
          respond_under_load(friction, y + a, rub(t, y, i, f.psi[i]), least_load, rate + a);
    }
    return f;
  }

  ASPERITY_FN void rates(const S& t, const S* y, S* rate) const {
    const forces f = respond_at(t, y, rate);
    for (int i = 0; i < 4; ++i) rate[i] = y[4 + i];
    rate[4] = (f.psi[0] - f.psi[1]) / M_1;
    rate[5] = (-K_s * y[1] - f.theta[0] - f.theta[1]) / M_1;
    rate[6] = (f.psi[1] - f.theta[2]) / M_2;
    rate[7] = (f.psi[2] + f.theta[1]) / M_2 - g;
  }

  // Backward Euler: contact by contact in closed form, the others held, until no force changes. There
  // is no step where they do not come to an agreement.
  forces solve_stage(double, double h, const double* start, double* y) const {
    constexpr int most_sweeps = 1000;
    const double at_rest[2] = {1 / M_1, 1 / M_2};
    const double hung = 1 / (M_1 + h * h * K_s);  // M_1 along its spring
    const double gap_mobility[3] = {at_rest[0], at_rest[0] + at_rest[1], at_rest[1]};
    const double slip_mobility[3] = {hung, hung + at_rest[1], at_rest[1]};
    reaction<double> press[3];
    for (int i = 0; i < 3; ++i)
      press[i] = react(contact, start + contact_states(i), 1.0, h, gap(start, i).x);
    const auto move = [&](const forces& f) {
      y[4] = start[4] + h * (f.psi[0] - f.psi[1]) * at_rest[0];
      y[5] = hung * (M_1 * start[5] - h * (K_s * start[1] + f.theta[0] + f.theta[1]));
      y[6] = start[6] + h * (f.psi[1] - f.theta[2]) * at_rest[1];
      y[7] = start[7] + h * ((f.psi[2] + f.theta[1]) * at_rest[1] - g);
    };
    forces f{};
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      double change = 0, largest = 0;
      const auto take = [&](double& into, double value) {
        change = std::max(change, std::abs(value - into));
        largest = std::max(largest, std::abs(value));
        into = value;
      };
      for (int i = 0; i < 3; ++i) {
        move(f);
        const double way = h * h * gap_mobility[i];
        take(f.psi[i], press[i].solve(gap(start, i).x + h * gap(y, i).v - way * f.psi[i], -way));
        move(f);
        const double mobility = h * slip_mobility[i];
        const free_step<double> rub{slip(start, i), slip(y, i) + mobility * f.theta[i], mobility};
        take(f.theta[i],
             implicit_step(friction, start + friction_states(i),
                           std::max(0.0, f.psi[i]) / reference_load, h, rub, y + friction_states(i))
                 .f);
      }
      if (!(change <= 1e-14 * largest)) continue;
      move(f);
      for (int i = 0; i < 4; ++i) y[i] = start[i] + h * y[4 + i];
      for (int i = 0; i < 3; ++i)
        settle(contact, start + contact_states(i), f.psi[i], h, y + contact_states(i));
      return f;
    }
    std::fill_n(y, size(), std::numeric_limits<double>::quiet_NaN());
    return f;
  }
  void stage_powers(double t, double h, const double* start, const double* y, double* out) const {
    double end[capacity];
    take(y, solve_stage(t, h, start, end), out);
  }

  // ---- energy: kinetic, spring (with the weight of M_1), potential of M_2; the belt supplies ----

  void held(const double* y, double* out) const {
    out[0] = 0.5 * (M_1 * (y[4] * y[4] + y[5] * y[5]) + M_2 * (y[6] * y[6] + y[7] * y[7]));
    out[1] = 0.5 * K_s * y[1] * y[1];
    out[2] = M_2 * g * y[3];
  }
  // The conveyor pulls at M_2 with -theta_3 and runs with -u.
  void powers(double t, const double* y, double* out) const {
    double rate[capacity];
    take(y, respond_at(t, y, rate), out);
  }

 private:
  void take(const double* y, const forces& f, double* out) const {
    out[0] = f.theta[2] * u;
    for (int i = 0; i < 3; ++i) {
      out[1 + i] = -f.psi[i] * gap(y, i).v;
      out[4 + i] = f.theta[i] * slip(y, i);
    }
  }
};

}  // namespace asperity
