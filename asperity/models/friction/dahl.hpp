// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dahl friction: the force itself is the state and bends over from a spring to Coulomb friction.
//
//   s     = 1 - f sgn(v)/(F_c load)             what is left to the limit ahead          [1]
//   f_dot = sigma_0 |s|^i sgn(s) v                                                       [N/s]
//
// Below i = 1 the right-hand side is not Lipschitz at s = 0, where the force arrives after a finite
// path. Any step that is not infinitely small jumps over that point, and the equation would throw
// it back and forth. There we let s end at 0, answer with the force cut to the limit, and take the
// excess e = |f|/(F_c load) - 1 back at the rate sigma_0 |v| min(e, 1), which every explicit method
// survives.

#include <asperity/model.hpp>

namespace asperity {

template <scalar S>
struct dahl {
  S sigma_0 = lit<S>(1e5), F_c = lit<S>(1.0), i = lit<S>(1.0);

  static constexpr int states = 1;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Dahl friction",
               "Dahl 1968; Drincic 2012 (1.23); Rogner 2017 (2.9), (2.10), corrected",
               odd | passive | bounded | rate_independent | continuous);
    card.parameter("sigma_0", sigma_0, newton / metre, positive, "stiffness at f = 0");
    card.parameter("F_c", F_c, newton, positive, "Coulomb friction force");
    card.parameter("i", i, one, non_negative, "shape: 0 elastic until it slides, 1 usual");
    card.state("f", newton, "friction force");
  }

  ASPERITY_FN response<S, 1> operator()(const vec<S, 1>& state, const drive<S>& in) const {
    const S f = state[0], F = F_c * in.load, zero = lit<S>(0.0), one = lit<S>(1.0);
    const S direction = math::sgn(in.v);

    const S s = one - f / F * direction;
    const S smooth = math::sgn(s) * math::power<S>(math::abs(s), i);

    const S cut = math::sat(F, f);
    const S left = one - cut / F * direction, excess = math::sat<S>(one, (f - cut) / F);
    const S steep = math::select(zero < left, math::power<S>(left, i), zero) - excess * direction;

    return {math::select(i < one, cut, f),
            {{sigma_0 * math::select(i < one, steep, smooth) * in.v}}};
  }

  // Exact while the load stays the same: along a path of length d the equation gives
  // |s|^(1-i) = |s_0|^(1-i) - (1-i) sigma_0 d/F, down to 0; for i = 1, s = s_0 exp(-sigma_0 d/F).
  ASPERITY_FN S advance(vec<S, 1>& state, const drive<S>& from, const drive<S>& to,
                        const S&) const {
    const S F = F_c * to.load, zero = lit<S>(0.0), one = lit<S>(1.0), tiny = lit<S>(1e-8);
    const S direction = math::sgn<S>(to.x - from.x);
    const S whole_path = sigma_0 * math::abs<S>(to.x - from.x) / F;
    const excess_way above = take_back(state[0], F, direction, whole_path);
    const S start = math::select(i < one, math::sat(F, state[0]), state[0]);
    const S path = math::select(i < one, above.path_left, whole_path);
    const S s_0 = one - start / F * direction, power = one - i;

    const S is_one = math::select(math::abs(power) < tiny, one, zero);
    const S p = power + is_one;  // never 0
    const S rest = math::max<S>(zero, math::power<S>(math::abs(s_0), p) - p * path);
    const S by_power = math::power<S>(rest, one / p);
    const S by_exponential = math::abs(s_0) * math::exp<S>(-path);
    const S s = math::sgn(s_0) * math::select(zero < is_one, by_exponential, by_power);
    // At rest nothing changes; a NaN in the path comes out as NaN.
    const S kept = state[0] + zero * whole_path;
    const S moved = math::select(zero < path, S(direction * F * (one - s)), start);
    const S over = math::select(i < one, S(above.excess * math::sgn(state[0]) * F), zero);
    state[0] = math::select(zero < whole_path, S(moved + over), kept);
    return math::select(i < one, math::sat(F, state[0]), state[0]);
  }

  ASPERITY_FN vec<S, 1> state_scale() const { return {{F_c}}; }

  ASPERITY_FN S stored_energy(const vec<S, 1>& state, const drive<S>&) const {
    return math::square(state[0]) / sigma_0 * lit<S>(0.5);
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const { return F_c * in.load; }

 private:
  // Below i = 1, what a fallen load has left above the limit: along the path, which counts in
  // F/sigma_0, e_dot = -(push + min(e, 1)), where push = 2^i if the motion is away from that limit
  // and 0 if it is towards it. Gives e at the end, and the path that is left when e has come to 0.
  struct excess_way {
    S excess, path_left;
  };
  ASPERITY_FN excess_way take_back(const S& f, const S& F, const S& direction,
                                   const S& path) const {
    const S zero = lit<S>(0.0), one = lit<S>(1.0);
    const S e_0 = math::max<S>(zero, math::abs(f) / F - one);
    const auto ahead = zero < f * direction;
    const S push = math::select(ahead, zero, math::power<S>(lit<S>(2.0), i));
    const S straight = math::min<S>(path, math::max<S>(zero, e_0 - one) / (push + one));
    const S e_1 = e_0 - (push + one) * straight, bent = path - straight;
    const S e_2 = (e_1 + push) * math::exp<S>(-bent) - push;
    const S until_none = math::log<S>((e_1 + push) / math::select(ahead, one, push));
    const S left = math::select(ahead, S(math::select(zero < e_0, zero, path)),
                                S(math::max<S>(zero, bent - until_none)));
    return {math::max<S>(zero, e_2), left};
  }
};

}  // namespace asperity
