// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rotating bristle model: a body tilts the bristles it meets, holds them down while it lies over
// them, and lets them rise again where it goes back. Each bristle remembers to which side it leans.
//
//   f = load (sum of phi(u) at the right corner - sum of phi(u) at the left corner)      [N]
//   phi(u) = (kappa/h) theta cos(theta)^2,  theta = atan(u/h)                            [N]
//   right: 0 <= u = x + d/2 - i Delta < d_0,  leaning right;  d_0 = sqrt(l_b^2 - h^2)    [m]
//   left:  0 <= u = i Delta - x + d/2 < d_0,  leaning left                               [m]
//
// Bristles that the right corner pressed down lean right: p is the first of them. Those of the left
// corner lean left: q < p is the last of them. Between are those that the body lay on at the start.
// They are longer than the gap and lean, too: the way the body first moves (2 i < c), as if it had
// come from there, but back where their tips would stand out before it and push (2 i > c). A
// bristle is let go, and its energy lost, when the body has passed its tip.
// Mirrored, p becomes -q, and c becomes -c: the state is p + q and c (odd), and p - q (even; 0
// before any motion).

#include <asperity/models/friction/detail/bristle_row.hpp>

namespace asperity {

template <scalar S>
struct rotating_bristle {
  detail::bristle_row<S> row = {lit<S>(0.1), lit<S>(0.098), lit<S>(0.1), lit<S>(0.002),
                                lit<S>(1.0)};

  static constexpr int states = 3;

  template <class Card>
  void describe(Card& card) {
    card.about("Rotating bristle model", "after Drincic 2012 (3.1)-(3.9), with tilt memory",
               odd | bounded | rate_independent);
    card.part(row);
    card.state("p_plus_q", units::one, "twice the bristle between those leaning left and right",
               whole(-unbounded, unbounded));
    card.even_state("p_minus_q", units::one, "one more than the bristles pressed since the start",
                    whole(0, unbounded));
    card.state("c", units::one, "of those, bristles below c/2 lean right, above it left",
               whole(-unbounded, unbounded));
  }

  // Exact for a motion monotone in x, however long.
  ASPERITY_FN S advance(vec<S, 3>& state, const drive<S>& from, const drive<S>& to,
                        const S&) const {
    const S zero = lit<S>(0.0), half = lit<S>(0.5), one = lit<S>(1.0), two = lit<S>(2.0);
    const S s = math::sgn<S>(to.x - from.x);
    // 0, or NaN where a state is, which no comparison would hand on.
    const S defined = state[0] - state[0] + (state[1] - state[1]) + (state[2] - state[2]);
    const auto unmoved = state[1] < half;
    S p = math::select(unmoved, right_of(from.x + row.d * half), S(half * (state[0] + state[1])));
    S q = math::select(unmoved, left_of(from.x - row.d * half), S(half * (state[0] - state[1])));
    const S tips_below = math::floor<S>((s * from.x + row.d * half - row.d_0()) / row.Delta);
    const S c = math::select(unmoved, S(s * (two * tips_below + one)), state[2]);
    pass(to.x, p, q);
    S p_mirrored = -q, q_mirrored = -p;
    pass(-to.x, p_mirrored, q_mirrored);
    p = -q_mirrored + defined;
    q = -p_mirrored;
    // Without a motion it stays open how they lean.
    const auto rests = state[1] + math::abs(s) < half;
    const vec<S, 3> moved = {{p + q, p - q, c}};
    for (int i = 0; i < 3; ++i) state[i] = math::select(rests, state[i], moved[i]);
    const S f = leaning_right(to.x, p, q, c).force - leaning_right(-to.x, -q, -p, -c).force;
    return to.load * (math::select(rests, zero, f) + defined);
  }

  // With the bristles held down below the body, which rise again where it goes back.
  ASPERITY_FN S stored_energy(const vec<S, 3>& state, const drive<S>& in) const {
    const S half = lit<S>(0.5), one = lit<S>(1.0);
    const S p = half * (state[0] + state[1]), q = half * (state[0] - state[1]), c = state[2];
    const S energy = leaning_right(in.x, p, q, c).energy + leaning_right(-in.x, -q, -p, -c).energy;
    const S below = right_of(in.x + row.d * half) - left_of(in.x - row.d * half) - one;
    return in.load * math::select(half < state[1], energy, S(below * row.full_energy()));
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const { return row.largest_force() * in.load; }

  ASPERITY_FN validity valid() const requires std::floating_point<S> { return row.valid(); }

 private:
  // Force of those that touch the right corner of a body at x, energy of all. The left corner is
  // the right one in a mirror.
  ASPERITY_FN typename detail::bristle_row<S>::corner leaning_right(const S& x, const S& p,
                                                                    const S& q, const S& c) const {
    const S zero = lit<S>(0.0), half = lit<S>(0.5), one = lit<S>(1.0), two = lit<S>(2.0);
    auto all = row.touching(x + row.d * half, [&](const S& i, const S& value) {
      const S since_start = math::select(two * i < c, value, zero);
      return S(math::select(i < p, math::select(q < i, since_start, zero), value));
    });
    const S last = math::clamp<S>(q, p - one, -math::floor<S>(-half * c) - one);
    const S held = math::max<S>(zero, all.below - p + one) +
                   math::max<S>(zero, math::min<S>(last, all.below) - q);
    all.energy = all.energy + held * row.full_energy();
    return all;
  }
  ASPERITY_FN S right_of(const S& a) const { return math::floor<S>(a / row.Delta) + lit<S>(1.0); }
  ASPERITY_FN S left_of(const S& a) const { return -right_of(-a); }

  // Bristles whose tips the left end has passed stand upright and would next lean left.
  ASPERITY_FN void pass(const S& x, S& p, S& q) const {
    const S next = right_of(x - row.d * lit<S>(0.5) - row.d_0());
    p = math::max<S>(p, next);
    q = math::max<S>(q, next - lit<S>(1.0));
  }
};

}  // namespace asperity
