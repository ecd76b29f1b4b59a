// SPDX-License-Identifier: Apache-2.0
#pragma once

// How force and torque share one bristle state: the part of the reduced laws (planar_lugre,
// planar_elastoplastic) that knows the contact. Spinning is measured as a way: with the arm
// rho = torque of pure spinning over force of pure sliding, the twist is w = (v_x, v_y, rho omega)
// [m/s] and a wrench (f_x, f_y, tau/rho) [N]. A coupling has
//
//   S arm() const                     rho                                                      [m]
//   vec steady(w) const               point d of the limit surface for F_c = 1 with normal w
//   coupled at(w, zeta) const         d and `slip`, what the bristles lose: w at zeta = d   [m/s]
//
// where zeta = sigma_0 z/g is the bristle force relative to the friction level.

#include <asperity/planar/disc_coulomb.hpp>
#include <asperity/planar/limit_surface_ellipsoid.hpp>

namespace asperity {

template <class S>
struct coupled {
  vec<S, 3> steady, slip;
};

// Rogner 2017 (4.13): the ellipsoid. slip = |w| zeta.
template <scalar S>
struct ellipsoid_coupling {
  S R = lit<S>(1.0), a = lit<S>(0.6);

  template <class Card>
  void describe(Card& card) {
    card.parameter("R", R, units::metre, positive, "radius of the contact");
    card.parameter("a", a, units::one, positive, "torque of pure spinning over F_c R");
  }
  ASPERITY_FN S arm() const { return a * R; }
  ASPERITY_FN vec<S, 3> steady(const vec<S, 3>& w) const { return to_polar(w).direction; }
  ASPERITY_FN coupled<S> at(const vec<S, 3>& w, const vec<S, 3>& zeta) const {
    const auto [speed, along] = to_polar(w);
    return {along, speed * zeta};
  }
};

// The uniform disc: each component relaxes to its own share, slip_i = (w_i/d_i) zeta_i, where the
// quotients |v|/F and R |omega|/T stay finite in pure sliding and pure spinning.
template <scalar S>
struct disc_coupling {
  S R = lit<S>(1.0);

  template <class Card>
  void describe(Card& card) {
    card.parameter("R", R, units::metre, positive, "radius of the disc");
  }
  ASPERITY_FN S arm() const { return lit<S>(2.0 / 3.0) * R; }
  ASPERITY_FN vec<S, 3> steady(const vec<S, 3>& w) const { return at(w, {}).steady; }
  ASPERITY_FN coupled<S> at(const vec<S, 3>& w, const vec<S, 3>& zeta) const {
    const auto [speed, along] = to_polar(vec<S, 2>{{w[0], w[1]}});
    const S rim = lit<S>(1.5) * math::abs<S>(w[2]);
    const auto shares = disc_shares_at<S>(speed, rim);
    const S larger = math::max<S>(speed, rim);
    const S sliding = larger * shares.speed_over_F;
    const S spinning = lit<S>(4.0 / 9.0) * larger * shares.spin_over_T;
    return {{{shares.F * along[0], shares.F * along[1], lit<S>(1.5) * shares.T * math::sgn(w[2])}},
            {{sliding * zeta[0], sliding * zeta[1], spinning * zeta[2]}}};
  }
};

}  // namespace asperity
