// SPDX-License-Identifier: Apache-2.0
#pragma once

// A sawtooth in position, mirrored at reversals: what the discontinuous rotating bristle model
// looks like from afar.
//
//   f = s load (F_min + (F_max - F_min) mod(s x, Delta)/Delta),  s = sgn(v)              [N]
//
// mod is never negative. At v = 0 this function says 0 and `side` gives both limits.

#include <asperity/model.hpp>

namespace asperity {

template <scalar S>
struct drbm_sawtooth {
  S F_min = lit<S>(0.5), F_max = lit<S>(1.0), Delta = lit<S>(0.1);

  static constexpr int states = 0;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Sawtooth bristle friction", "Drincic 2012 (3.50)",
               odd | passive | bounded | rate_independent);
    card.parameter("F_min", F_min, newton, non_negative, "force just after a bristle let go");
    card.parameter("F_max", F_max, newton, positive, "force just before; at least F_min");
    card.parameter("Delta", Delta, metre, positive, "distance between bristles");
  }

  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>& state, const drive<S>& in) const {
    return side(state, in, in.v);
  }

  ASPERITY_FN response<S, 0> side(const vec<S, 0>&, const drive<S>& in, const S& direction) const {
    const S s = math::sgn(direction);
    const S teeth = s * in.x / Delta;
    return {s * in.load * (F_min + (F_max - F_min) * (teeth - math::floor(teeth))), {}};
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const { return F_max * in.load; }

  ASPERITY_FN S slip_margin(const vec<S, 0>&, const drive<S>& in) const { return math::abs(in.v); }

  ASPERITY_FN validity valid() const requires std::floating_point<S> {
    return F_min <= F_max ? validity{}
                          : validity{validity::refused, "F_min must not be above F_max"};
  }
};

}  // namespace asperity
