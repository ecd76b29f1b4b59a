// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rotating bristle model: a body tilts the bristles it meets, holds them down while it lies over
// them, and lets them rise again where it goes back. Each bristle remembers to which side it leans.
//
//   f = load (sum of phi(u) at the right corner - sum of phi(u) at the left corner)      [N]
//   phi(u) = (kappa/h) theta cos(theta)^2,  theta = atan(u/h)                            [N]
//   right: 0 <= u = x + d/2 - i Delta < d_0,  i >= p,   d_0 = sqrt(l_b^2 - h^2)          [m]
//   left:  0 <= u = i Delta - x + d/2 < d_0,  i <= q                                     [m]
//
// Bristles that the right corner pressed down lean right: p is the first of them. Those of the left
// corner lean left: q < p is the last of them. Between are those the body lay on at the start,
// which lean nowhere. A bristle is let go, and its energy lost, when the body has passed its tip.
// Mirrored, p becomes -q: the state is p + q (odd) and p - q (even; 0 before any motion).

#include <asperity/models/friction/detail/bristle_row.hpp>

namespace asperity {

template <scalar S>
struct rotating_bristle {
  detail::bristle_row<S> row = {lit<S>(0.1), lit<S>(0.098), lit<S>(0.1), lit<S>(0.002),
                                lit<S>(1.0)};

  static constexpr int states = 2;

  template <class Card>
  void describe(Card& card) {
    card.about("Rotating bristle model", "after Drincic 2012 (3.1)-(3.9), with tilt memory",
               odd | bounded | rate_independent);
    card.part(row);
    card.state("p_plus_q", units::one, "twice the bristle between those leaning left and right",
               whole(-unbounded, unbounded));
    card.even_state("p_minus_q", units::one, "one more than the bristles leaning nowhere",
                    whole(0, unbounded));
  }

  // Exact for a motion monotone in x, however long.
  ASPERITY_FN S advance(vec<S, 2>& state, const drive<S>& from, const drive<S>& to,
                        const S&) const {
    const S half = lit<S>(0.5);
    const S defined = state[0] - state[0] + (state[1] - state[1]);  // 0, or NaN where a state is
    const auto unmoved = state[1] < half;
    S p = math::select(unmoved, right_of(from.x + row.d * half), S(half * (state[0] + state[1])));
    S q = math::select(unmoved, left_of(from.x - row.d * half), S(half * (state[0] - state[1])));
    pass(to.x, p, q);
    S p_mirrored = -q, q_mirrored = -p;
    pass(-to.x, p_mirrored, q_mirrored);
    p = -q_mirrored + defined;
    q = -p_mirrored + defined;
    state = {{p + q, p - q}};
    return to.load * (right(to.x, p).force - right(-to.x, -q).force) + defined;
  }

  // With the bristles held down below the body, which rise again where it goes back.
  ASPERITY_FN S stored_energy(const vec<S, 2>& state, const drive<S>& in) const {
    const S half = lit<S>(0.5), zero = lit<S>(0.0), one = lit<S>(1.0);
    const S p = half * (state[0] + state[1]), q = half * (state[0] - state[1]);
    const auto r = right(in.x, p), l = right(-in.x, -q);
    const S held = math::max<S>(zero, r.below - p + one) + math::max<S>(zero, l.below + q + one);
    const S energy = r.energy + l.energy + held * row.full_energy();
    return math::select(half < state[1], S(in.load * energy), zero);
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const { return row.largest_force() * in.load; }

  ASPERITY_FN validity valid() const requires std::floating_point<S> { return row.valid(); }

 private:
  ASPERITY_FN typename detail::bristle_row<S>::corner right(const S& x, const S& p) const {
    return row.touching(x + row.d * lit<S>(0.5), p);
  }
  ASPERITY_FN S right_of(const S& a) const { return math::floor<S>(a / row.Delta) + lit<S>(1.0); }
  ASPERITY_FN S left_of(const S& a) const { return -right_of(-a); }

  // What the left end has passed stands upright and would next lean left: bristles that lean right
  // once the body is past their tips, those that lean nowhere once it is past their bases.
  ASPERITY_FN void pass(const S& x, S& p, S& q) const {
    const S one = lit<S>(1.0), end = x - row.d * lit<S>(0.5);
    const S released = right_of(end - row.d_0()) - one;
    q = math::max<S>(q, math::min<S>(p - one, left_of(end)));
    p = math::max<S>(p, released + one);
    q = math::max<S>(q, released);
  }
};

}  // namespace asperity
