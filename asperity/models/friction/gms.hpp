// SPDX-License-Identifier: Apache-2.0
#pragma once

// Generalised Maxwell slip: elements that stick or slip, with a Stribeck curve and frictional lag.
//
//   stick: a_i_dot = v                                              element i = 1 ... N    [m/s]
//   slip:  a_i_dot = d (C lambda_i/kappa_i)(1 - d kappa_i a_i/(lambda_i g(v) load)),  d = sgn(v)
//   f = sum(kappa_i a_i + sigma_i a_i_dot) + sigma_2 v                                     [N]
//
// An element begins to slip when d kappa_i a_i reaches lambda_i g(v) load, and sticks again when v
// comes to zero. Both instants are found inside a step, in which v and load are linear in time. The
// state is a_1 ... a_N, then s_1 ... s_N: 0 while an element sticks, d while it slips.

#include <asperity/lists.hpp>
#include <asperity/models/curve/stribeck_exponential.hpp>
#include <asperity/scalar/root.hpp>

namespace asperity {

template <std::floating_point S, class Curve = stribeck_exponential<S>, int Capacity = 20>
struct gms {
  int elements = 10;
  vec<S, Capacity> kappa = lists::harmonic<S, Capacity>(5e6);
  vec<S, Capacity> sigma = lists::all<S, Capacity>(1e3), lambda = lists::all<S, Capacity>(0.1);
  S C = S(62);
  Curve g = curve_from<Curve, S>({.F_c = 1.0, .F_s = 2.5, .v_s = 5e-6});

  static constexpr int states = 2 * Capacity;
  template <class Other>
  using with_curve = gms<S, Other, Capacity>;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about(
        "Generalised Maxwell-slip friction",
        "Al-Bender, Lampaert and Swevers 2005, doi:10.1109/TAC.2005.858676; Xiong 2013 (4.3)",
        odd | bounded | no_drift);
    card.elements("elements", elements, Capacity, "number of elements");
    card.list("kappa", kappa, newton / metre, positive, "stiffness of each element");
    card.list("sigma", sigma, newton * second / metre, non_negative, "damping of each element");
    card.shares("lambda", lambda, positive, "share of the friction limit; they sum to 1");
    card.parameter("C", C, newton / second, positive,
                   "rate at which a slipping element approaches g");
    card.part(g);
    card.state_list("a", metre, "elastic deflection");
    card.state_list("s", one, "direction of slip, 0 while the element sticks", whole(-1, 1));
  }

  ASPERITY_FN int active_states() const { return 2 * elements; }

  ASPERITY_FN S advance(vec<S, states>& state, const drive<S>& from, const drive<S>& to,
                        const S& h) const {
    lists::in_one_direction(from, to, h, [&](const auto&... piece) { glide(state, piece...); });
    return force(state, to);
  }

  // How many elements stick, and how many slip.
  ASPERITY_FN int sticking(const vec<S, states>& state) const {
    int count = 0;
    for (int i = 0; i < elements; ++i) count += state[elements + i] == S(0) ? 1 : 0;
    return count;
  }
  ASPERITY_FN int slipping(const vec<S, states>& state) const { return elements - sticking(state); }

  ASPERITY_FN vec<S, states> state_scale() const {
    vec<S, states> scale;
    for (int i = 0; i < elements; ++i) {
      scale[i] = lambda[i] * g.highest() / kappa[i];
      scale[elements + i] = S(1);
    }
    return scale;
  }

  ASPERITY_FN S stored_energy(const vec<S, states>& state, const drive<S>&) const {
    vec<S, Capacity> twice;
    for (int i = 0; i < elements; ++i) twice[i] = kappa[i] * math::square(state[i]);
    return lists::sum(twice, elements) / S(2);
  }

  // |kappa_i a_i| <= lambda_i F_s load is invariant; what remains is the damping of elements, none
  // of which slips at rest.
  ASPERITY_FN S force_bound(const drive<S>& in) const {
    const S speed = math::abs(in.v), pull = math::max(S(1), g.highest() / g.level(in.v) - S(1));
    vec<S, Capacity> damping;
    for (int i = 0; i < elements; ++i)
      damping[i] = sigma[i] * math::max(speed, C * lambda[i] / kappa[i] * pull);
    const S damped = in.v == S(0) ? S(0) : lists::sum(damping, elements);
    return g.highest() * in.load + damped + math::abs(g.viscous(in.v));
  }

  // Gross sliding begins when the last element slips.
  ASPERITY_FN S slip_margin(const vec<S, states>& state, const drive<S>& in) const {
    const S limit = g.level(in.v) * in.load;
    S least = S(unbounded);
    for (int i = 0; i < elements; ++i) {
      const S pull = math::abs(kappa[i] * state[i]);
      least = math::min(least, state[elements + i] == S(0) ? pull - lambda[i] * limit : pull);
    }
    return least;
  }

  ASPERITY_FN validity valid() const {
    return lists::sum_to_one(lambda, elements)
               ? g.valid()
               : validity{validity::refused, "the shares lambda must sum to 1"};
  }

 private:
  // A motion in which v keeps its sign.
  ASPERITY_FN void glide(vec<S, states>& state, const drive<S>& from, const drive<S>& to,
                         const S& h) const {
    const S d = math::sgn(from.v + to.v);
    const S travel = h * (from.v + to.v) / S(2);
    const relaxation slip = relax(from, to, h);
    const S limit = g.level(to.v) * to.load;
    vec<S, Capacity> start, beyond;
    for (int i = 0; i < elements; ++i) {
      const S a = start[i] = state[i], s = state[elements + i];
      const S goal = d * lambda[i] * slip.limit / kappa[i];
      const S relaxed = goal + (a - goal) * slip.remains, moved = a + travel;
      const S slips = (s * d + math::abs(s * d)) / S(2), sticks = S(1) - slips;  // 0 or 1
      state[i] = sticks * moved + slips * relaxed;
      state[elements + i] = s * slips;
      beyond[i] = sticks * (d * kappa[i] * moved - lambda[i] * limit) - slips;
    }
    for (int i = 0; i < elements; ++i) {
      if (!(S(0) <= beyond[i]) || d == S(0)) continue;
      state[i] = break_away(i, start[i], from, to, h);
      state[elements + i] = d;
    }
    if (to.v == S(0))
      for (int i = 0; i < elements; ++i) state[elements + i] *= S(0);
  }

  // With g and load as in the middle of the motion, what is left of a distance from the goal.
  struct relaxation {
    S limit, remains;
  };
  ASPERITY_FN relaxation relax(const drive<S>& from, const drive<S>& to, const S& h) const {
    const S limit = g.level((from.v + to.v) / S(2)) * (from.load + to.load) / S(2);
    return {limit, math::exp<S>(-C * h / limit)};
  }

  // Where element i ends that sticks at first and slips from some instant on.
  ASPERITY_FN S break_away(int i, const S& start, const drive<S>& from, const drive<S>& to,
                           const S& h) const {
    const S d = math::sgn(from.v + to.v);
    const auto at = [&](const S& share) {
      return drive<S>{to.x, from.v + share * (to.v - from.v),
                      from.load + share * (to.load - from.load)};
    };
    const auto stuck = [&](const S& share) {
      return start + share * h * (from.v + at(share).v) / S(2);
    };
    const auto excess = [&](const S& share) {
      const drive<S> now = at(share);
      return d * kappa[i] * stuck(share) - lambda[i] * g.level(now.v) * now.load;
    };
    const S share = S(0) <= excess(S(0)) ? S(0) : root_between(excess, S(0), S(1));
    const relaxation slip = relax(at(share), to, (S(1) - share) * h);
    const S goal = d * lambda[i] * slip.limit / kappa[i];
    return goal + (stuck(share) - goal) * slip.remains;
  }

  ASPERITY_FN S force(const vec<S, states>& state, const drive<S>& in) const {
    const S limit = g.level(in.v) * in.load;
    vec<S, Capacity> f;
    for (int i = 0; i < elements; ++i) {
      const S elastic = kappa[i] * state[i], d = state[elements + i];
      const S slip = C / kappa[i] * (d * lambda[i] - d * d * elastic / limit);
      f[i] = elastic + sigma[i] * ((S(1) - d * d) * in.v + slip);
    }
    return lists::sum(f, elements) + g.viscous(in.v);
  }
};

}  // namespace asperity
