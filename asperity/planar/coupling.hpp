// SPDX-License-Identifier: Apache-2.0
#pragma once

// How force and torque share one bristle state: the part of the reduced laws (planar_lugre,
// planar_elastoplastic) that knows the contact. Spinning is measured as a way: with the arm
// rho = torque of pure spinning over force of pure sliding, the twist is w = (v_x, v_y, rho omega)
// [m/s] and a wrench (f_x, f_y, tau/rho) [N]. A coupling has
//
//   S arm() const                     rho                                                      [m]
//   vec steady(w) const               point d of the limit surface for F_c = 1 with normal w
//   coupled at(w) const               d, and the speed `turn` of bristles across it          [m/s]
//
// With zeta = sigma_0 z/g, the bristle force relative to the friction level, bristles lose
//
//   slip = alpha w + turn (zeta - alpha d),   alpha = dot(w, zeta)/dot(w, d) [m/s]
//
// Along d the bristles follow the motion: slip is 0 without deflection and w on the limit surface.
// Across it they turn towards d with the speed `turn`. For small changes of the motion this is what
// the sum over cells does, if
//
//   turn = mean (s/|v|)/mean (s/(|v|^2 + omega^2 c^2)),   s = 1 + (r.v/(rho |v|))^2,
//
// over the contact, v being the velocity at the arm r: cells near the centre of rotation turn
// slowly, so that a centre of rotation inside the contact leaves a wake behind it. Within c of it
// cells do not get round at all; c^2 = R F_c/sigma_0 is where a centre that moves with the speed of
// the rim overtakes them.

#include <asperity/planar/disc_fit.hpp>
#include <asperity/planar/limit_surface_ellipsoid.hpp>

namespace asperity {

template <class S>
struct coupled {
  vec<S, 3> steady;
  S turn;
};

// What bristles z lose; `push` is w.z and `scale` sigma_0/g.
template <class S>
ASPERITY_FN vec<S, 3> bristle_slip(const coupled<S>& c, const vec<S, 3>& w, const vec<S, 3>& z,
                                   const S& push, const S& scale) {
  // Divisions first: they need not wait for z.
  const S power = dot(w, c.steady), one = lit<S>(1.0);
  const S per_power = one / math::select(lit<S>(0.0) < power, power, one);
  const vec<S, 3> rest = per_power * (w - c.turn * c.steady);
  return scale * (push * rest + c.turn * z);
}

// Rogner 2017 (4.13): the ellipsoid with turn = |w|, for which slip = |w| zeta.
template <scalar S>
struct ellipsoid_coupling {
  S R = lit<S>(1.0), a = lit<S>(0.6);

  template <class Card>
  void describe(Card& card) {
    card.parameter("R", R, units::metre, positive, "radius of the contact");
    card.parameter("a", a, units::one, positive, "torque of pure spinning over F_c R");
  }
  ASPERITY_FN S arm() const { return a * R; }
  ASPERITY_FN vec<S, 3> steady(const vec<S, 3>& w) const { return at(w).steady; }
  ASPERITY_FN coupled<S> at(const vec<S, 3>& w) const {
    const S speed = math::sqrt<S>(dot(w, w)), one = lit<S>(1.0);
    return {(one / math::select(lit<S>(0.0) < speed, speed, one)) * w, speed};
  }
};

// The uniform disc. With v = |(w_x, w_y)|, r = R |omega| = 3/2 |w_theta|, and G, H, T of the
// smaller over the larger:
//
//   d = (G w_x, G w_y, X w_theta)/max(v, r),   X = 9/16 H for v > r, 9/4 T otherwise
//   turn^2 = (spinning r)^2 + max(v^2 - r^2, 0)
//
// which for spinning = 2/ln(1 + R sigma_0/F_c) is the mean above to a tenth.
template <scalar S>
struct disc_coupling {
  S R = lit<S>(1.0), spinning = lit<S>(0.3);

  template <class Card>
  void describe(Card& card) {
    card.parameter("R", R, units::metre, positive, "radius of the disc");
    card.parameter("spinning", spinning, units::one, positive,
                   "speed of turning bristles in pure spinning over that of the rim");
  }
  ASPERITY_FN S arm() const { return lit<S>(2.0 / 3.0) * R; }
  ASPERITY_FN vec<S, 3> steady(const vec<S, 3>& w) const { return at(w).steady; }
  ASPERITY_FN coupled<S> at(const vec<S, 3>& w) const {
    const S zero = lit<S>(0.0), one = lit<S>(1.0);
    const S square = w[0] * w[0] + w[1] * w[1], speed = math::sqrt<S>(square);
    const S rim = lit<S>(1.5) * math::abs<S>(w[2]);
    const auto slides_more = rim < speed;
    const S larger = math::select(slides_more, speed, rim);
    const S smaller = math::select(slides_more, rim, speed);
    const S per_larger = one / math::select(zero < larger, larger, one);
    const auto fit =
        disc_fit_at<S>((larger - smaller) * per_larger * (one + smaller * per_larger), slides_more);
    const S X = math::select(slides_more, lit<S>(9.0 / 16.0), lit<S>(9.0 / 4.0)) * fit.spin;
    const S along = fit.G * per_larger;
    const S turn =
        math::sqrt<S>(spinning * spinning * rim * rim + math::max<S>(zero, square - rim * rim));
    return {{{along * w[0], along * w[1], X * per_larger * w[2]}}, turn};
  }
};

}  // namespace asperity
