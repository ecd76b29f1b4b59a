// SPDX-License-Identifier: Apache-2.0
#pragma once

// A body with a slanted front that rides on a row of upright spring bristles and may rise: the
// friction falls while it rises. What compressed_bristle and compressed_bristle_literal share; they
// differ in the force of a bristle on the slope, which is `sin(alpha)` times smaller in the latter.
//
//   u_j = mod(s x + d/2, Delta) + j Delta  while below d_1 = w tan(alpha)    behind the edge  [m]
//   c_j = h_0 - (y + w/2 - u_j cot(alpha))                                   compression      [m]
//   C   = c_0 + c_1 + ...
//   f = s share k cot(alpha) C,  s = sgn(v)                                                [N]
//   m y_ddot = -m g load + share k C + N k (h_0 - y + w/2)                                 [N]
//   N = (d - d_1)/Delta + 1, the mean number below the body, unless it is given
//
//   consistent: share = 1, and a bristle only pushes: compressions count where they are above 0
//   literal:    share = sin(alpha), and what is not compressed pulls
//
// The energy is that of the springs of all bristles, of the rising mass and of its weight. As below
// the body, bristles on the slope count by their mean number per length, and not one by one:
//
//   E = (k/Delta) int c(u)^2/2 du + N k (h_0 - y + w/2)^2/2 + m g y + m y_dot^2/2           [J]
//
// less what it is without a slope and at rest; u goes from 0 to d_1. |v|/Delta bristles in a second
// are let go behind the body. What f v does not cover of the rest is nobody's: `unbalanced`.
//
// c_j is linear in j, so that C is a closed expression: the cost depends neither on the distance
// travelled nor on the number of bristles.

#include <asperity/model.hpp>

namespace asperity::detail {

template <scalar S, bool Consistent>
struct compressed_bristles {
  S k = lit<S>(0.01), h_0 = lit<S>(2.69), w = lit<S>(1.0), d = lit<S>(2.0);
  S alpha = lit<S>(0.2617993877991494), Delta = lit<S>(0.003471);
  S m = lit<S>(1.0), g = lit<S>(10.0), N = lit<S>(0.0);

  static constexpr int states = 2;
  static constexpr bool load_is_weight = true;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    if constexpr (Consistent) {
      card.about("Compressed bristle model", "after Drincic 2012 (4.1)-(4.22), energy consistent",
                 odd | passive);
    } else {
      card.about("Compressed bristle model as printed", "Drincic 2012 (4.1)-(4.22)", odd);
    }
    card.parameter("k", k, newton / metre, positive, "stiffness of a bristle");
    card.parameter("h_0", h_0, metre, positive, "length of a relaxed bristle");
    card.parameter("w", w, metre, positive, "thickness of the body");
    card.parameter("d", d, metre, positive, "length of the body");
    card.parameter("alpha", alpha, one, {0.01, 1.5}, "slant of the front from the vertical");
    card.parameter("Delta", Delta, metre, positive, "distance between bristles");
    card.parameter("m", m, kilogram, positive, "mass that rises: that of the body");
    card.parameter("g", g, metre / (second * second), non_negative, "gravity");
    card.parameter("N", N, one, non_negative, "bristles below the body; 0: (d - d_1)/Delta + 1");
    card.even_state("y", metre, "height of the body's middle");
    card.even_state("y_dot", metre / second, "its rate");
  }

  // At the height where the bristles below it carry the body.
  ASPERITY_FN vec<S, 2> initial() const {
    return {{h_0 + w * lit<S>(0.5) - m * g / (below() * k), lit<S>(0.0)}};
  }
  ASPERITY_FN vec<S, 2> state_scale() const {
    return {{h_0, math::sqrt<S>(k * below() / m) * h_0}};
  }

  // At rest the force is 0 here and the body is lifted by the mean of both sides.
  ASPERITY_FN response<S, 2> operator()(const vec<S, 2>& state, const drive<S>& in) const {
    const S zero = lit<S>(0.0), half = lit<S>(0.5);
    const S ahead = math::select(in.v < zero, lit<S>(-1.0), lit<S>(1.0));
    const S C = compression(state[0], ahead * in.x), other = compression(state[0], -ahead * in.x);
    const S lift = math::select(zero < math::abs(in.v), C, S(half * (C + other)));
    return {math::sgn(in.v) * share() * k * cot() * C, {{state[1], rise(state[0], lift, in.load)}}};
  }

  ASPERITY_FN response<S, 2> side(const vec<S, 2>& state, const drive<S>& in,
                                  const S& direction) const {
    const S s = math::sgn(direction), C = compression(state[0], s * in.x);
    return {s * share() * k * cot() * C, {{state[1], rise(state[0], C, in.load)}}};
  }

  ASPERITY_FN S stored_energy(const vec<S, 2>& state, const drive<S>&) const {
    const S half = lit<S>(0.5), N_k = below() * k, lifted = state[0] - h_0 - w * half;
    const S top = at_edge(state[0]), end = at_end(state[0]);
    const S slope = k / (lit<S>(6.0) * Delta * cot()) * (end * end * end - top * top * top);
    const S weight = m * g * lifted + math::square<S>(m * g) * half / N_k;
    return slope + half * (N_k * end * end + m * state[1] * state[1]) + weight;
  }

  ASPERITY_FN losses<S> lost(const vec<S, 2>& state, const drive<S>& in,
                             const response<S, 2>& out) const {
    const S half = lit<S>(0.5), top = at_edge(state[0]), end = at_end(state[0]);
    const S mean_C = (end * end - top * top) * half / (Delta * cot());
    const S stored =
        state[1] * (m * (out.rate[1] + g) - k * mean_C - below() * k * end);  // rate of E
    const S let_go = math::abs<S>(in.v) / Delta * half * k * end * end;
    return {let_go, out.f * in.v - stored - let_go};
  }

  ASPERITY_FN S slip_margin(const vec<S, 2>&, const drive<S>& in) const { return math::abs(in.v); }

  ASPERITY_FN validity valid() const requires std::floating_point<S> {
    if (!(d_1() < d)) return {validity::refused, "the slanted front is longer than the body"};
    const S difference = math::abs<S>(below() - mean_below());
    if (!(difference <= lit<S>(0.1) * mean_below()))
      return {validity::refused,
              "N must be within a tenth of (d - d_1)/Delta + 1, d_1 = w tan(alpha), or 0 for just "
              "that: bristles below the body are as far apart as those before it"};
    if (!(difference <= lit<S>(0.5)))
      return {validity::doubtful,
              "N is not (d - d_1)/Delta + 1, d_1 = w tan(alpha): N counts below the body, Delta on "
              "the slope and for what is let go"};
    return {};
  }

  ASPERITY_FN S cot() const { return math::cos(alpha) / math::sin(alpha); }
  ASPERITY_FN S d_1() const { return w / cot(); }
  ASPERITY_FN S mean_below() const { return (d - d_1()) / Delta + lit<S>(1.0); }
  ASPERITY_FN S below() const { return math::select(lit<S>(0.0) < N, N, mean_below()); }
  ASPERITY_FN S share() const {
    if constexpr (Consistent) {
      return lit<S>(1.0);
    } else {
      return math::sin(alpha);
    }
  }

 private:
  // Compression at the upper edge of the slope, and at the lower one and below the body.
  ASPERITY_FN S at_edge(const S& y) const { return counted(h_0 - y - w * lit<S>(0.5)); }
  ASPERITY_FN S at_end(const S& y) const { return counted(h_0 - y + w * lit<S>(0.5)); }
  static ASPERITY_FN S counted(const S& c) {
    if constexpr (Consistent) {
      return math::max<S>(lit<S>(0.0), c);
    } else {
      return c;
    }
  }

  // C for a body that moves towards larger `ahead` = s x.
  ASPERITY_FN S compression(const S& y, const S& ahead) const {
    const S zero = lit<S>(0.0), one = lit<S>(1.0), half = lit<S>(0.5);
    const S edge = (ahead + d * half) / Delta;
    const S u_0 = (edge - math::floor(edge)) * Delta;
    const S c_edge = h_0 - y - w * half;  // of a bristle just met
    // Bristles first ... last - 1 count.
    const S last = math::max<S>(zero, ceiling(S((d_1() - u_0) / Delta)));
    S first = zero;
    if constexpr (Consistent)
      first = math::clamp<S>(zero, last, ceiling(S((-c_edge / cot() - u_0) / Delta)));
    const S n = last - first;
    const S middle = u_0 + half * (first + last - one) * Delta;
    return n * (c_edge + middle * cot());
  }

  ASPERITY_FN S rise(const S& y, const S& C, const S& load) const {
    return (share() * k * C + below() * k * at_end(y)) / m - g * load;
  }

  static ASPERITY_FN S ceiling(const S& x) { return -math::floor<S>(-x); }
};

}  // namespace asperity::detail
