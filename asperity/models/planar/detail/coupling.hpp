// SPDX-License-Identifier: Apache-2.0
#pragma once

// How force and torque share one bristle state: the part of the reduced laws (planar_lugre,
// planar_elastoplastic) that knows the contact. Spinning is measured as a way: with the arm
// rho = torque of pure spinning over force of pure sliding, the twist is w = (v_x, v_y, rho omega)
// [m/s] and a wrench (f_x, f_y, tau/rho) [N]. A coupling has
//
//   S arm() const                     rho                                                      [m]
//   planar_point centre               of pressure, where w and the wrench are taken; none: (0, 0)
//   coupled at(w) const               point d of the limit surface for F_c = 1 with normal w, the
//                                     speed `turn` of bristles across it and the square of the
//                                     speed that the friction level belongs to
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
// cells do not get round at all. The faster the centre moves, the larger is c, and the farther is
// zeta from alpha d: with delta = |zeta - alpha d|, the share that a disc of radius R has yet to
// turn,
//
//   turn = still + wake(delta^2) moving,
//
// where the wake stands for 2/ln(1 + (R/c)^2). On a spinning disc whose centre of rotation passes
// through the middle it depends on delta alone, whatever the speeds and the stiffness are (a test
// holds that); it grows from 0.19 to 0.3, and to 0.6 after reversals, when all cells turn.

#include <asperity/models/planar/detail/disc_fit.hpp>
#include <asperity/models/planar/limit_surface_ellipsoid.hpp>

namespace asperity {

// d as the multiple D = length d that a coupling finds first: what laws need are mostly ratios.
template <class S>
struct coupled {
  vec<S, 3> D;
  S length, power;  // of which power = w.D; 0 where w is
  S size;           // |d|
  S still, moving;  // turn = still + wake moving
  S square;         // of the speed for the friction level

  ASPERITY_FN vec<S, 3> steady() const { return per(length) * D; }
  // 1/x, and 1 at rest, where x is 0 or so small that 1/x would be no number in floats.
  static ASPERITY_FN S per(const S& x) {
    const S one = lit<S>(1.0);
    return one / math::select(lit<S>(1e-37) < x, x, one);
  }
};

// Chosen by trial along random motions, with both reduced laws (planar_lugre.md); smooth at 0.
template <class S>
ASPERITY_FN S wake(const S& delta_squared) {
  const S q = delta_squared, q2 = q * q;
  return (lit<S>(0.19) + lit<S>(1000.0) * q + lit<S>(12000.0) * q2) /
         (lit<S>(1.0) + lit<S>(3300.0) * q + lit<S>(20000.0) * q2);
}

// What bristles z lose; `push` is w.z and `scale` sigma_0/g.
template <class S>
ASPERITY_FN vec<S, 3> bristle_slip(const coupled<S>& c, const vec<S, 3>& w, const vec<S, 3>& z,
                                   const S& push, const S& scale) {
  const S along = push * (scale * coupled<S>::per(c.power));
  const vec<S, 3> across = scale * z - along * c.D;
  const S turn = c.still + wake<S>(dot(across, across)) * c.moving;
  return (along * c.length) * w + turn * across;
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
  ASPERITY_FN coupled<S> at(const vec<S, 3>& w) const {
    const S square = dot(w, w), speed = math::sqrt<S>(square);
    return {w, speed, square, lit<S>(1.0), speed, lit<S>(0.0), square};
  }
};

// The uniform disc. In pure spinning the friction level is that of the mean square speed of cells,
// weighted by their torque: 3/5 r^2. With v = |(w_x, w_y)|, r = R |omega| = 3/2 |w_theta|, and G,
// H, T of the smaller over the larger:
//
//   d = (G w_x, G w_y, X w_theta)/max(v, r),   X = 9/16 H for v > r, 9/4 T otherwise
//   still = sqrt(max(v^2 - r^2, 0)),  moving = max(r - still, 0)
template <scalar S>
struct disc_coupling {
  S R = lit<S>(1.0);

  template <class Card>
  void describe(Card& card) {
    card.parameter("R", R, units::metre, positive, "radius of the disc");
  }
  ASPERITY_FN S arm() const { return lit<S>(2.0 / 3.0) * R; }
  ASPERITY_FN coupled<S> at(const vec<S, 3>& w) const {
    // Squares only: the fit need not wait for a root.
    const S zero = lit<S>(0.0), spin = w[2] * w[2];
    const S sliding = w[0] * w[0] + w[1] * w[1], rim = lit<S>(2.25) * spin;
    const auto slides_more = rim < sliding;
    const S larger = math::select(slides_more, sliding, rim), excess = sliding - rim;
    const S per_larger = coupled<S>::per(larger);
    const auto fit = disc_fit_at<S>(math::abs<S>(excess) * per_larger, slides_more);
    const S G = fit.G;
    const S X = math::select(slides_more, lit<S>(9.0 / 16.0), lit<S>(9.0 / 4.0)) * fit.spin;
    const S still = math::sqrt<S>(math::select(slides_more, excess, zero));
    const S moving = math::max<S>(zero, lit<S>(1.5) * math::abs<S>(w[2]) - still);
    const S slide = G * sliding, twirl = X * spin;
    const S size = math::sqrt<S>((G * slide + X * twirl) * per_larger);
    return {
        {{G * w[0], G * w[1], X * w[2]}}, math::sqrt<S>(larger), slide + twirl, size, still, moving,
        sliding + lit<S>(0.6) * rim};
  }
};

}  // namespace asperity
