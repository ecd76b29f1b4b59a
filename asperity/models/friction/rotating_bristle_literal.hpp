// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rotating bristle model with the contact sets of the printed tables, which know only the last
// reversal: at it, all bristles are taken to lean against the new direction. They give energy back
// that nobody put in, and so the quasi-stick of the source. To compare with; see rotating_bristle.
//
//   f, phi, u and d_0 as in rotating_bristle, with i >= p at the right corner, i <= q at the left
//
//   towards the right, r being the rightmost bristle below the body at the reversal (Table 3.1):
//     x + d/2 <= (r + 1) Delta                                        p = inf      q = inf
//     (r + 1) Delta <= x + d/2 < (r + 2) Delta                        p = r + 1    q = inf
//     (r + 2) Delta <= x + d/2,  x - d/2 <= r Delta - d_0             p = -inf     q = inf
//     r Delta - d_0 < x - d/2 <= r Delta                              p = -inf     q = r
//     r Delta < x - d/2                                               p = -inf     q = -inf
//   before the first reversal (Table 3.2), x_0 being the start:       (p - 1) Delta <= x_0 + d/2,
//                                                                     q = -inf
//   towards the left: in a mirror.

#include <asperity/models/friction/detail/bristle_row.hpp>

namespace asperity {

template <scalar S>
struct rotating_bristle_literal {
  detail::bristle_row<S> row = {lit<S>(0.1), lit<S>(0.098), lit<S>(0.1), lit<S>(0.002),
                                lit<S>(1.0)};

  static constexpr int states = 2;
  static constexpr const char* no_energy =
      "at a reversal the printed tables bend bristles over with energy from nowhere";

  template <class Card>
  void describe(Card& card) {
    card.about("Rotating bristle model as printed", "Drincic 2012 (3.1)-(3.9), Tables 3.1, 3.2",
               odd | bounded | rate_independent);
    card.part(row);
    card.state("phase", units::one, "direction: 1 since the start, 2 since a reversal, 0 unmoved",
               whole(-2, 2));
    card.state("r", units::one, "bristle that the tables refer to", whole(-unbounded, unbounded));
  }

  ASPERITY_FN S advance(vec<S, 2>& state, const drive<S>& from, const drive<S>& to,
                        const S&) const {
    const S zero = lit<S>(0.0), one = lit<S>(1.0), two = lit<S>(2.0), half = lit<S>(0.5);
    const S infinity = lit<S>(unbounded);
    const S s = math::sgn<S>(to.x - from.x), before = math::sgn(state[0]);

    // A start or a reversal happens where the motion begins.
    const auto moves = zero < math::abs(s);
    const auto has_begun = zero < math::abs(before);
    const S front = s * from.x + row.d * half;
    const S first = math::floor<S>(front / row.Delta) + one;              // never touched before
    const S rightmost = math::floor<S>((front + row.d_0()) / row.Delta);  // its tip below the body
    const S turned = math::select(has_begun, S(two * s), s);
    // NaN where r was, which a reversal must not hide.
    const S reference =
        math::select(has_begun, S(s * rightmost), S(s * first)) + (state[1] - state[1]);
    const auto turns = s * before < half;
    state[0] = math::select(moves, math::select(turns, turned, state[0]), state[0]);
    state[1] = math::select(moves, math::select(turns, reference, state[1]), state[1]);

    const S ahead = math::sgn(state[0]) + (state[1] - state[1]);  // NaN where a state is
    const S r = ahead * state[1], x = ahead * to.x;
    const S a = x + row.d * half, b = x - row.d * half;
    const S base = r * row.Delta;
    const S p_tables =
        math::select(a < base + row.Delta, infinity,
                     math::select(a < base + two * row.Delta, S(r + one), S(-infinity)));
    const S q_tables =
        math::select(base < b, S(-infinity), math::select(base - row.d_0() < b, r, infinity));
    const auto since_reversal = one + half < math::abs(state[0]);
    const S p = math::select(since_reversal, p_tables, r);
    const S q = math::select(since_reversal, q_tables, S(-infinity));
    const S f = row.touching_from(a, p).force - row.touching_from(-b, -q).force;
    return ahead * to.load * f;
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const { return row.largest_force() * in.load; }

  ASPERITY_FN validity valid() const requires std::floating_point<S> { return row.valid(); }
};

}  // namespace asperity
