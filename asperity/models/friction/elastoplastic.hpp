// SPDX-License-Identifier: Apache-2.0
#pragma once

// Elastoplastic friction: LuGre with a purely elastic range, in which nothing creeps.
//
//   z_ss  = g(v) load/sigma_0                                 deflection in steady sliding    [m]
//   alpha = 0 for |z| <= z_ba load and for z v <= 0, 1 for |z| >= z_ss, and between them
//           1/2 + 1/2 sin(pi (|z| - (z_ss + z_ba load)/2)/(z_ss - z_ba load))
//   z_dot = v (1 - alpha |z|/z_ss)                            mean bristle deflection         [m/s]
//   f     = sigma_0 z + sigma_1 z_dot + sigma_2 v                                             [N]
//
// g and sigma_2 belong to the Stribeck curve. Where it falls so low that less than a tenth of z_ss
// would be left to the transition, the elastic range is 0.9 z_ss. The load must be above 0.

#include <asperity/models/curve/stribeck_exponential.hpp>

namespace asperity {

template <scalar S, class Curve = stribeck_exponential<S>>
struct elastoplastic {
  S sigma_0 = lit<S>(1e5), sigma_1 = lit<S>(1000.0), z_ba = lit<S>(8e-6);
  Curve g = curve_from<Curve, S>({.F_c = 1.0, .F_s = 1.5, .v_s = 1e-3, .sigma_2 = 0.4});

  static constexpr int states = 1;
  template <class Other>
  using with_curve = elastoplastic<S, Other>;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about(
        "Elastoplastic friction",
        "Dupont, Hayward, Armstrong and Altpeter 2002; Rogner 2017 (2.16), (2.17), corrected",
        odd | bounded | continuous);
    card.parameter("sigma_0", sigma_0, newton / metre, positive, "bristle stiffness");
    card.parameter("sigma_1", sigma_1, newton * second / metre, non_negative, "bristle damping");
    card.parameter("z_ba", z_ba, metre, positive, "elastic range: deflection that never creeps");
    card.part(g);
    card.state("z", metre, "mean bristle deflection");
  }

  ASPERITY_FN response<S, 1> operator()(const vec<S, 1>& state, const drive<S>& in) const {
    const S z = state[0], v = in.v, half = lit<S>(0.5), one = lit<S>(1.0);
    const S z_ss = steady_deflection(in), elastic = elastic_range(z_ss, in.load);

    const S ahead = z * math::sgn(v);  // |z|, with a minus where the motion unloads
    const S middle = half * (z_ss + elastic);
    const S blend = math::clamp<S>(-half, half, (ahead - middle) / (z_ss - elastic));
    const S alpha = half + half * math::sin<S>(lit<S>(3.14159265358979323846) * blend);
    // Elastic, z_dot is v: chosen, not computed, so that rounding cannot make it drift.
    const S z_dot = math::select(ahead < elastic, v, S(v * (one - alpha * ahead / z_ss)));

    return {sigma_0 * z + sigma_1 * z_dot + g.viscous(v), {{z_dot}}};
  }

  ASPERITY_FN vec<S, 1> state_scale() const { return {{g.highest() / sigma_0}}; }

  ASPERITY_FN S stored_energy(const vec<S, 1>& state, const drive<S>&) const {
    return sigma_0 * math::square(state[0]) * lit<S>(0.5);
  }

  // |z| <= F_s/sigma_0 is invariant, hence 1 - F_s/g(v) <= z_dot/v <= 1.
  ASPERITY_FN S force_bound(const drive<S>& in) const {
    return g.highest() * in.load + sigma_1 * math::abs(in.v) * g.highest() / g.level(in.v) +
           math::abs<S>(g.viscous(in.v));
  }

  // Above 0 while part of the motion is plastic.
  ASPERITY_FN S slip_margin(const vec<S, 1>& state, const drive<S>& in) const {
    return state[0] * math::sgn(in.v) - elastic_range(steady_deflection(in), in.load);
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> {
    return g.highest() < sigma_0 * z_ba
               ? validity{validity::refused, "sigma_0 z_ba must be below the stiction force"}
               : g.valid();
  }

 private:
  ASPERITY_FN S steady_deflection(const drive<S>& in) const {
    return g.level(in.v) * in.load / sigma_0;
  }
  ASPERITY_FN S elastic_range(const S& z_ss, const S& load) const {
    return math::min<S>(lit<S>(0.9) * z_ss, z_ba * load);
  }
};

}  // namespace asperity
