// SPDX-License-Identifier: Apache-2.0
#pragma once

// Simplified compressed bristle model: one mean bristle whose steady force is the mean force of a
// row of compressed bristles under a body that rises with speed.
//
//   z_dot = v - sigma_0 |v| z/(g(v) load)                                                [m/s]
//   f     = sigma_0 z + sigma_2 v                                                        [N]
//
// g and sigma_2 belong to the Stribeck curve: stribeck_sech, or stribeck_exponential with
// F_c = k_tilde (h_0 - y_1) and F_s = F_c + k_tilde y_2. The load must be above 0.

#include <asperity/bristle.hpp>
#include <asperity/models/curve/stribeck_sech.hpp>

namespace asperity {

template <scalar S, class Curve = stribeck_sech<S>>
struct scbm {
  S sigma_0 = lit<S>(1e5);
  Curve g = curve_from<Curve, S>({.F_c = 1.0, .F_s = 1.5, .v_s = 0.1});

  static constexpr int states = 1;
  template <class Other>
  using with_curve = scbm<S, Other>;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Simplified compressed bristle model", "Drincic 2012 (4.73), corrected, and (4.76)",
               odd | passive | bounded | continuous);
    card.parameter("sigma_0", sigma_0, newton / metre, positive, "bristle stiffness");
    card.part(g);
    card.state("z", metre, "mean bristle deflection");
  }

  ASPERITY_FN response<S, 1> operator()(const vec<S, 1>& state, const drive<S>& in) const {
    const S z_ss = g.level(in.v) * in.load / sigma_0;
    return {sigma_0 * state[0] + g.viscous(in.v), {{bristle_rate(state[0], in.v, z_ss)}}};
  }

  // Exponential step, exact at constant velocity and load.
  ASPERITY_FN S advance(vec<S, 1>& state, const drive<S>& from, const drive<S>& to,
                        const S&) const {
    const S load = lit<S>(0.5) * (from.load + to.load);
    const S z_ss = g.level(lit<S>(0.5) * (from.v + to.v)) * load / sigma_0;
    state[0] = bristle_step<S>(state[0], to.x - from.x, z_ss);
    return sigma_0 * state[0] + g.viscous(to.v);
  }

  ASPERITY_FN vec<S, 1> state_scale() const { return {{g.highest() / sigma_0}}; }

  ASPERITY_FN S stored_energy(const vec<S, 1>& state, const drive<S>&) const {
    return sigma_0 * math::square(state[0]) * lit<S>(0.5);
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const {
    return g.highest() * in.load + math::abs<S>(g.viscous(in.v));
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> { return g.valid(); }
};

}  // namespace asperity
