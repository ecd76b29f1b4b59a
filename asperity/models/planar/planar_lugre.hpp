// SPDX-License-Identifier: Apache-2.0
#pragma once

// LuGre friction of a body that slides and spins, reduced to three bristle states on a limit
// surface. With w = (v_x, v_y, rho omega), rho the arm of the coupling (coupling.hpp):
//
//   zeta  = sigma_0 z/(g(u) load)                  u: the coupling's mean speed, |w| or near
//   z_dot = w - slip(w, zeta)                      mean bristle deflection                  [m/s]
//   f     = sigma_0 z + sigma_1 z_dot + sigma_2 w  force, and torque over rho                [N]
//
//   energy sigma_0 |z|^2/2                         in the bristles                           [J]
//
// In steady sliding f = g load d(w) + sigma_2 w, d being the limit surface. The viscous torque is
// sigma_2 rho_2^2 omega, where rho_2 = rho unless given.

#include <asperity/models/curve/stribeck_exponential.hpp>
#include <asperity/models/planar/detail/coupling.hpp>

namespace asperity {

namespace detail {

// What planar_lugre and planar_elastoplastic share: their states, the friction level, and forces
// from z and z_dot. A coupling whose centre of pressure is not at (0, 0) takes both there.
template <class S, class Coupling>
ASPERITY_FN twist<S> twist_of_contact(const Coupling& coupling, const twist<S>& t) {
  if constexpr (requires { coupling.centre; })
    return twist_about<S>(t, coupling.centre.x, coupling.centre.y);
  else
    return t;
}
template <class Card>
void describe_bristles(Card& card) {
  card.state("z_x", units::metre, "mean bristle deflection along x");
  card.state("z_y", units::metre, "mean bristle deflection along y");
  card.state("z_theta", units::metre, "mean bristle deflection of spinning, over the arm");
}
template <class S, class Curve>
ASPERITY_FN S level_at_square(const Curve& g, const S& square) {
  if constexpr (std::is_same_v<Curve, stribeck_exponential<S>>) {
    // With half the exponent it is the same curve over the square, which needs no root.
    Curve over_square = g;
    over_square.v_s = lit<S>(1.0);
    over_square.delta = lit<S>(0.5) * g.delta;
    const S ratio = square * (lit<S>(1.0) / (g.v_s * g.v_s));
    // Libraries are slow where exp underflows: below exp(-700) nothing is asked for; and one number
    // alone need not ask for exp(-60), which no sum would show.
    if constexpr (std::floating_point<S>) {
      if (2 <= g.delta && 60 < ratio && g.F_s < 1e6f * g.F_c) return g.F_c;
    }
    const S most = math::select(g.delta < lit<S>(2.0), lit<S>(unbounded), lit<S>(700.0));
    return over_square.level(math::min<S>(most, ratio));
  } else {
    return g.level(math::sqrt<S>(square));
  }
}
template <class S, class Law>
ASPERITY_FN planar_response<S> bristle_wrench(const Law& law, const vec<S, 3>& z, const twist<S>& t,
                                              const vec<S, 3>& z_dot) {
  const S rho = law.coupling.arm();
  const S rho_2 = math::select(lit<S>(0.0) < law.rho_2, law.rho_2, rho);
  wrench<S> f;
  for (int i = 0; i < 3; ++i) f[i] = law.sigma_0 * z[i] + law.sigma_1 * z_dot[i];
  const wrench<S> at_contact{{f[0] + law.g.viscous(t[0]), f[1] + law.g.viscous(t[1]),
                              rho * f[2] + rho_2 * law.g.viscous(rho_2 * t[2])}};
  if constexpr (requires { law.coupling.centre; })
    return {wrench_about<S>(at_contact, -law.coupling.centre.x, -law.coupling.centre.y), z_dot};
  else
    return {at_contact, z_dot};
}

// Deflections at the limit of friction.
template <class S, class Law>
ASPERITY_FN vec<S, 3> bristle_scale(const Law& law) {
  const S most = law.g.highest() / law.sigma_0;
  return {{most, most, most}};
}

// Energy in their springs [J]: its derivatives by z are the forces sigma_0 z, and w is the rate of
// z where nothing slips.
template <class S, class Law>
ASPERITY_FN S bristle_energy(const Law& law, const vec<S, 3>& z) {
  return lit<S>(0.5) * law.sigma_0 * dot(z, z);
}

}  // namespace detail

template <scalar S, class Coupling = ellipsoid_coupling<S>, class Curve = stribeck_exponential<S>>
struct planar_lugre {
  S sigma_0 = lit<S>(1e5), sigma_1 = lit<S>(316.2277660168379), rho_2 = lit<S>(0.0);
  Coupling coupling = {};
  Curve g = curve_from<Curve, S>({.F_c = 1.0, .F_s = 1.5, .v_s = 1e-3, .sigma_2 = 0.4});

  static constexpr int states = 3;
  template <class Other>
  using with_curve = planar_lugre<S, Coupling, Other>;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("LuGre friction, sliding and spinning",
               "Canudas de Wit et al. 1995; Waltersson and Karayiannidis 2023, arXiv:2308.01123",
               odd);
    card.parameter("sigma_0", sigma_0, newton / metre, positive, "bristle stiffness");
    card.parameter("sigma_1", sigma_1, newton * second / metre, non_negative, "bristle damping");
    card.parameter("rho_2", rho_2, metre, non_negative,
                   "arm of the viscous torque; 0: that of the coupling");
    coupling.describe(card);
    card.part(g);
    detail::describe_bristles(card);
  }

  ASPERITY_FN planar_response<S> operator()(const vec<S, 3>& z, const twist<S>& of_origin,
                                            const S& load) const {
    const twist<S> t = detail::twist_of_contact(coupling, of_origin);
    const vec<S, 3> w{{t[0], t[1], coupling.arm() * t[2]}};
    const coupled<S> at = coupling.at(w);
    const S level = detail::level_at_square<S>(g, at.square) * load;
    const vec<S, 3> z_dot = w - bristle_slip<S>(at, w, z, dot(w, z), sigma_0 / level);
    return detail::bristle_wrench(*this, z, t, z_dot);
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> { return g.valid(); }
  ASPERITY_FN vec<S, 3> state_scale() const { return detail::bristle_scale<S>(*this); }
  ASPERITY_FN S stored_energy(const vec<S, 3>& z) const { return detail::bristle_energy(*this, z); }
};

}  // namespace asperity
