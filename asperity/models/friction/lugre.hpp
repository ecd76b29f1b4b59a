// SPDX-License-Identifier: Apache-2.0
#pragma once

// LuGre bristle friction: one state, Stribeck effect, presliding displacement.
//
//   z_dot = v - sigma_0 |v| z / (g(v) load)         mean bristle deflection              [m/s]
//   f     = sigma_0 z + sigma_1 z_dot + sigma_2 v   friction force                       [N]
//
// g and sigma_2 belong to the Stribeck curve. The load must be above 0.

#include <asperity/models/curve/stribeck_exponential.hpp>

namespace asperity {

template <scalar S, class Curve = stribeck_exponential<S>>
struct lugre {
  S sigma_0 = lit<S>(1e5), sigma_1 = lit<S>(316.2277660168379);
  Curve g = curve_from<Curve, S>({.F_c = 1.0, .F_s = 1.5, .v_s = 1e-3, .sigma_2 = 0.4});

  static constexpr int states = 1;
  template <class Other>
  using with_curve = lugre<S, Other>;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("LuGre bristle friction",
               "Canudas de Wit, Olsson, Astrom and Lischinsky 1995, doi:10.1109/9.376053",
               odd | bounded | continuous);
    card.parameter("sigma_0", sigma_0, newton / metre, positive, "bristle stiffness");
    card.parameter("sigma_1", sigma_1, newton * second / metre, non_negative, "bristle damping");
    card.part(g);
    card.state("z", metre, "mean bristle deflection");
  }

  ASPERITY_FN response<S, 1> operator()(const vec<S, 1>& state, const drive<S>& in) const {
    const S z = state[0], v = in.v;

    const S z_dot = v - sigma_0 * math::abs(v) / (g.level(v) * in.load) * z;
    const S f = sigma_0 * z + sigma_1 * z_dot + g.viscous(v);

    return {f, {{z_dot}}};
  }

  ASPERITY_FN vec<S, 1> state_scale() const { return {{g.highest() / sigma_0}}; }

  ASPERITY_FN S stored_energy(const vec<S, 1>& state, const drive<S>&) const {
    return sigma_0 * math::square(state[0]) * lit<S>(0.5);
  }

  // |z| <= F_s/sigma_0 is invariant, hence |z_dot| <= |v| (1 + F_s/g(v)).
  ASPERITY_FN S force_bound(const drive<S>& in) const {
    const S speed = math::abs(in.v), one = lit<S>(1.0);
    return g.highest() * in.load + sigma_1 * speed * (one + g.highest() / g.level(in.v)) +
           math::abs(g.viscous(in.v));
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> { return g.valid(); }
};

}  // namespace asperity
