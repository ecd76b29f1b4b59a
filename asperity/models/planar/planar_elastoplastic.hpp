// SPDX-License-Identifier: Apache-2.0
#pragma once

// Elastoplastic friction of a body that slides and spins: planar_lugre with a purely elastic range,
// in which nothing creeps. With w = (v_x, v_y, rho omega):
//
//   z_ss  = g(u) load d(w)/sigma_0                                bristles in steady sliding  [m]
//   alpha = 0 for |z| <= z_ba load and for z.w <= 0, 1 for |z| >= |z_ss|, and between them
//           1/2 + 1/2 sin(pi (|z| - (|z_ss| + z_ba load)/2)/(|z_ss| - z_ba load))
//   z_dot = w - alpha slip(w, zeta)                                                         [m/s]
//   f     = sigma_0 z + sigma_1 z_dot + sigma_2 w                                             [N]
//
// One alpha for the whole state: one per component would chatter. As in the law of one direction,
// the elastic range is at most 0.9 |z_ss|.

#include <asperity/models/planar/detail/elastoplastic_alpha.hpp>
#include <asperity/models/planar/planar_lugre.hpp>

namespace asperity {

template <scalar S, class Coupling = ellipsoid_coupling<S>, class Curve = stribeck_exponential<S>>
struct planar_elastoplastic {
  S sigma_0 = lit<S>(1e5), sigma_1 = lit<S>(1000.0), z_ba = lit<S>(8e-6), rho_2 = lit<S>(0.0);
  Coupling coupling = {};
  Curve g = curve_from<Curve, S>({.F_c = 1.0, .F_s = 1.5, .v_s = 1e-3, .sigma_2 = 0.4});

  static constexpr int states = 3;
  template <class Other>
  using with_curve = planar_elastoplastic<S, Coupling, Other>;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Elastoplastic friction, sliding and spinning", "Rogner 2017, chapter 4, corrected",
               odd);
    card.parameter("sigma_0", sigma_0, newton / metre, positive, "bristle stiffness");
    card.parameter("sigma_1", sigma_1, newton * second / metre, non_negative, "bristle damping");
    card.parameter("z_ba", z_ba, metre, positive, "elastic range: deflection that never creeps");
    card.parameter("rho_2", rho_2, metre, non_negative,
                   "arm of the viscous torque; 0: that of the coupling");
    coupling.describe(card);
    card.part(g);
    detail::describe_bristles(card);
  }

  ASPERITY_FN planar_response<S> operator()(const vec<S, 3>& z, const twist<S>& of_origin,
                                            const S& load) const {
    const S zero = lit<S>(0.0);
    const twist<S> t = detail::twist_of_contact(coupling, of_origin);
    const vec<S, 3> w{{t[0], t[1], coupling.arm() * t[2]}};
    const coupled<S> at = coupling.at(w);
    const S level = detail::level_at_square<S>(g, at.square) * load;
    // As forces: sigma_0 times |z_ss|, z_ba load and |z|.
    const S sliding = level * at.size;
    const S elastic = math::min<S>(lit<S>(0.9) * sliding, sigma_0 * z_ba * load);
    const S held = sigma_0 * math::sqrt<S>(dot(z, z));
    const S partly = elastoplastic_alpha<S>(held, sliding, elastic);
    // Elastic, alpha is 0: chosen, not computed, so that rounding cannot make bristles drift.
    const S beyond = math::select(held < elastic, zero, partly);
    const S push = dot(w, z), alpha = math::select(zero < push, beyond, zero);
    const vec<S, 3> z_dot = w - alpha * bristle_slip<S>(at, w, z, push, sigma_0 / level);
    return detail::bristle_wrench(*this, z, t, z_dot);
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> { return g.valid(); }
  ASPERITY_FN vec<S, 3> state_scale() const { return detail::bristle_scale<S>(*this); }
  ASPERITY_FN S stored_energy(const vec<S, 3>& z) const { return detail::bristle_energy(*this, z); }
};

}  // namespace asperity
