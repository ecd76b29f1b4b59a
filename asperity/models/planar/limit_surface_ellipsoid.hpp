// SPDX-License-Identifier: Apache-2.0
#pragma once

// Coulomb friction bounded by an ellipsoid of force and torque, whatever the shape of the contact.
//
//   f_x^2/F_c^2 + f_y^2/F_c^2 + tau^2/(a R F_c)^2 <= 1                     the limit surface
//   wrench = F_c (v_x, v_y, (a R)^2 omega)/s,  s = sqrt(v_x^2 + v_y^2 + (a R omega)^2)
//
// The second line is the point of the surface whose normal is the twist. It takes most power of
// all.

#include <asperity/planar.hpp>

namespace asperity {

template <scalar S>
struct limit_surface_ellipsoid {
  S F_c = lit<S>(1.0), R = lit<S>(1.0), a = lit<S>(0.6);

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Ellipsoidal limit surface",
               "Howe and Cutkosky 1996; Shi et al. 2017; Rogner 2017 (4.1)-(4.3)",
               odd | passive | bounded | rate_independent);
    card.parameter("F_c", F_c, newton, positive, "Coulomb friction force, mu f_n");
    card.parameter("R", R, metre, positive, "radius of the contact");
    card.parameter("a", a, one, positive,
                   "torque of pure spinning over F_c R: 2/3 for a uniform disc");
  }

  // The length that turns an angle into a way, and a force into a torque.
  ASPERITY_FN S arm() const { return a * R; }

  ASPERITY_FN wrench<S> operator()(const twist<S>& t) const {
    const vec<S, 3> along = to_polar(vec<S, 3>{{t[0], t[1], arm() * t[2]}}).direction;
    return {{F_c * along[0], F_c * along[1], F_c * arm() * along[2]}};
  }

  ASPERITY_FN vec<S, 2> wrench_bound(const planar_drive<S>& in) const {
    return {{F_c * in.load, F_c * arm() * in.load}};
  }

  // sqrt(f' A f): below 1 inside, 1 on the surface.
  ASPERITY_FN S gauge(const wrench<S>& f) const {
    return norm(vec<S, 3>{{f[0] / F_c, f[1] / F_c, f[2] / (F_c * arm())}});
  }
};

}  // namespace asperity
