// SPDX-License-Identifier: Apache-2.0
#pragma once

// Friction-force-based bristle model: one mean bristle whose steady force is a sawtooth in the
// position, as if the body caught on one asperity after another.
//
//   F(x, v) = F_min + (F_max - F_min) mod(sgn(v) x, Delta)/Delta     mod by floor        [N]
//   z_dot   = v - sigma_0 |v| z/(F(x, v) load)                                           [m/s]
//   f       = sigma_0 z                                                                  [N]
//
// The load must be above 0.

#include <asperity/bristle.hpp>

namespace asperity {

template <scalar S>
struct ffbm {
  S sigma_0 = lit<S>(1e5), F_min = lit<S>(1.0), F_max = lit<S>(1.5), Delta = lit<S>(0.05);

  static constexpr int states = 1;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Friction-force-based bristle model", "Drincic 2012 (3.66), (3.67)",
               odd | passive | bounded | rate_independent | continuous);
    card.parameter("sigma_0", sigma_0, newton / metre, positive, "bristle stiffness");
    card.parameter("F_min", F_min, newton, positive, "force just after a bristle is released");
    card.parameter("F_max", F_max, newton, positive, "force at which it is released");
    card.parameter("Delta", Delta, metre, positive, "distance between bristles");
    card.state("z", metre, "mean bristle deflection");
  }

  // The sawtooth at a distance covered in the direction of motion.
  ASPERITY_FN S level(const S& covered) const {
    const S teeth = covered / Delta;
    return F_min + (F_max - F_min) * (teeth - math::floor(teeth));
  }

  ASPERITY_FN response<S, 1> operator()(const vec<S, 1>& state, const drive<S>& in) const {
    const S z_ss = level(math::sgn(in.v) * in.x) * in.load / sigma_0;
    return {sigma_0 * state[0], {{bristle_rate(state[0], in.v, z_ss)}}};
  }

  // Exponential step with sawtooth and load at the middle of the path.
  ASPERITY_FN S advance(vec<S, 1>& state, const drive<S>& from, const drive<S>& to,
                        const S&) const {
    const S path = to.x - from.x, middle = lit<S>(0.5) * (from.x + to.x);
    const S load = lit<S>(0.5) * (from.load + to.load);
    const S z_ss = level(math::sgn(path) * middle) * load / sigma_0;
    state[0] = bristle_step(state[0], path, z_ss);
    return sigma_0 * state[0];
  }

  ASPERITY_FN vec<S, 1> state_scale() const { return {{F_max / sigma_0}}; }

  ASPERITY_FN S stored_energy(const vec<S, 1>& state, const drive<S>&) const {
    return sigma_0 * math::square(state[0]) * lit<S>(0.5);
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const { return F_max * in.load; }

  ASPERITY_FN validity valid() const requires std::floating_point<S> {
    return F_max < F_min ? validity{validity::refused, "F_max must be at least F_min"} : validity{};
  }
};

}  // namespace asperity
