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

#include <asperity/integrate/energy_terms.hpp>
#include <asperity/systems/respond.hpp>

namespace asperity {

template <class S, class Contact, class Friction>
struct two_bodies_wall_conveyor {
  Contact contact;
  Friction friction;
  S M_1 = lit<S>(0.5), M_2 = lit<S>(1.0), K_s = lit<S>(100.0), u = lit<S>(1.0), g = lit<S>(9.8);
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

  // ---- energy: kinetic, spring (with the weight of M_1), potential of M_2; the belt supplies ----

  void held(const double* y, double* out) const {
    out[0] = 0.5 * (M_1 * (y[4] * y[4] + y[5] * y[5]) + M_2 * (y[6] * y[6] + y[7] * y[7]));
    out[1] = 0.5 * K_s * y[1] * y[1];
    out[2] = M_2 * g * y[3];
  }
  // The conveyor pulls at M_2 with -theta_3 and runs with -u.
  void powers(double t, const double* y, double* out) const {
    double rate[capacity];
    const forces f = respond_at(t, y, rate);
    out[0] = f.theta[2] * u;
    for (int i = 0; i < 3; ++i) {
      out[1 + i] = -f.psi[i] * gap(y, i).v;
      out[4 + i] = f.theta[i] * slip(y, i);
    }
  }
};

}  // namespace asperity
