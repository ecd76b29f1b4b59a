// SPDX-License-Identifier: Apache-2.0
#pragma once

// Modified Leuven model: Maxwell-slip elements carry the hysteresis, so that no list of reversals
// can overflow, and the force does not jump when a loop closes.
//
//   w_i = clamp(z - Delta_i load, z + Delta_i load, w_i)     slider i = 1 ... N
//   F_h = sum k_i (z - w_i)                                  hysteresis force              [N]
//   q = d F_h/(g(v) load),  d = sgn(v)
//   z_dot = v (1 - sgn(q)|q|^n)                              deflection                    [m/s]
//   f = F_h + sigma_1 z_dot + sigma_2 v                                                    [N]
//
// As an ODE, w_i_dot = z_dot where slider i is dragged along, 0 elsewhere. The elements
// must be able to carry g: sum k_i Delta_i >= F_s. The state is z, w_1 ... w_N.

#include <asperity/lists.hpp>
#include <asperity/models/curve/stribeck_exponential.hpp>
#include <asperity/scalar/root.hpp>

namespace asperity {

template <scalar S, class Curve = stribeck_exponential<S>, int Capacity = 32>
struct leuven_modified {
  int elements = 8;
  vec<S, Capacity> k = lists::all<S, Capacity>(1e4);
  vec<S, Capacity> Delta = lists::ladder<S, Capacity>(5e-6, 5e-6);
  S n = lit<S>(4.0), sigma_1 = lit<S>(300.0);
  Curve g = curve_from<Curve, S>({.F_c = 1.0, .F_s = 1.5, .v_s = 1e-3, .sigma_2 = 0.4});

  static constexpr int states = Capacity + 1;
  template <class Other>
  using with_curve = leuven_modified<S, Other, Capacity>;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Modified Leuven friction",
               "Lampaert, Swevers and Al-Bender 2002, IEEE Trans. Automatic Control 47:683",
               odd | bounded | continuous);
    card.elements("elements", elements, Capacity, "number of Maxwell-slip elements");
    card.list("k", k, newton / metre, positive, "stiffness of each element");
    card.list("Delta", Delta, metre, positive, "deflection at which each element slides");
    card.parameter("n", n, one, {1.0, 50.0}, "exponent: how abruptly sliding begins");
    card.parameter("sigma_1", sigma_1, newton * second / metre, non_negative, "micro-damping");
    card.part(g);
    card.state("z", metre, "deflection");
    card.state_list("w", metre, "position of the slider");
  }

  ASPERITY_FN int active_states() const { return elements + 1; }

  ASPERITY_FN response<S, states> operator()(const vec<S, states>& state,
                                             const drive<S>& in) const {
    response<S, states> out;
    const S z = state[0], F_h = hysteresis_force(state, z, in.load), zero = lit<S>(0.0);
    const S z_dot = in.v * yielding(F_h, g.level(in.v) * in.load, math::sgn(in.v));
    out.rate[0] = z_dot;
    for (int i = 0; i < elements; ++i) {
      const S stretch = state[i + 1] - z, reach = Delta[i] * in.load;
      const S behind = math::select(-reach < stretch, zero, math::max(zero, z_dot));
      const S ahead = math::select(stretch < reach, zero, math::min(zero, z_dot));
      out.rate[i + 1] = behind + ahead;
    }
    out.f = F_h + sigma_1 * z_dot + g.viscous(in.v);
    return out;
  }

  // Backward Euler over the travel: never beyond the curve, and stable at any step.
  ASPERITY_FN S advance(vec<S, states>& state, const drive<S>& from, const drive<S>& to,
                        const S& h) const requires std::floating_point<S> {
    lists::in_one_direction(from, to, h, [&](const auto&... piece) { glide(state, piece...); });
    return (*this)(state, to).f;
  }

  ASPERITY_FN vec<S, states> state_scale() const {
    vec<S, states> scale;
    scale[0] = g.highest() / lists::sum(k, elements);
    for (int i = 0; i < elements; ++i) scale[i + 1] = Delta[i];
    return scale;
  }

  ASPERITY_FN S stored_energy(const vec<S, states>& state, const drive<S>&) const {
    vec<S, Capacity> twice;
    for (int i = 0; i < elements; ++i) twice[i] = k[i] * math::square<S>(state[0] - state[i + 1]);
    return lists::sum(twice, elements) * lit<S>(0.5);
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const {
    const S most = math::power<S>(g.highest() / g.level(in.v), n);
    return g.highest() * in.load + sigma_1 * math::abs(in.v) * (lit<S>(1.0) + most) +
           math::abs<S>(g.viscous(in.v));
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> {
    S carried = S(0);
    for (int i = 0; i < elements; ++i) carried += k[i] * Delta[i];
    return carried < g.highest()
               ? validity{validity::refused, "the elements must carry the stiction force F_s"}
               : g.valid();
  }

 private:
  ASPERITY_FN S hysteresis_force(const vec<S, states>& state, const S& z, const S& load) const {
    vec<S, Capacity> f;
    for (int i = 0; i < elements; ++i)
      f[i] = k[i] * math::sat<S>(Delta[i] * load, z - state[i + 1]);
    return lists::sum(f, elements);
  }

  // z_dot/v at the hysteresis force F_h and the force `limit` of steady sliding.
  ASPERITY_FN S yielding(const S& F_h, const S& limit, const S& d) const {
    const S q = d * F_h / limit;
    return lit<S>(1.0) - math::sgn(q) * math::power<S>(math::abs(q), n);
  }

  ASPERITY_FN void glide(vec<S, states>& state, const drive<S>& from, const drive<S>& to,
                         const S& h) const requires std::floating_point<S> {
    const S d = math::sgn(from.v + to.v);
    const S stiffness = lists::sum(k, elements), scale = g.highest() / stiffness;
    const S travel = h * (from.v + to.v) / S(2);
    const S wanted = S(1) + S(16) * math::abs(travel) / scale;
    const int steps = wanted < S(16) ? static_cast<int>(wanted) : 16;
    for (int i = 1; i <= steps; ++i) {
      const S share = S(i) / S(steps), before = S(i - 1) / S(steps);
      const auto speed = [&](const S& part) { return from.v + part * (to.v - from.v); };
      const drive<S> now{to.x, speed(share), from.load + share * (to.load - from.load)};
      const S limit = g.level(now.v) * now.load, start = state[0];
      const S piece = h / S(steps) * (speed(before) + speed(share)) / S(2);
      const auto moved = [&](const S& z) {
        return piece * yielding(hysteresis_force(state, z, now.load), limit, d);
      };
      const auto surplus = [&](const S& z) { return z - start - moved(z); };
      // Near the curve z_dot falls by n sum(k)/limit per metre: a guess of where the step ends.
      const S steep = n * stiffness * math::abs(piece) / limit;
      const S z = state[0] =
          root_between(surplus, start, start + moved(start), S(1) / (S(1) + steep));
      for (int j = 1; j <= elements; ++j) {
        const S reach = Delta[j - 1] * now.load;
        state[j] = math::clamp<S>(z - reach, z + reach, state[j]);
      }
    }
  }
};

}  // namespace asperity
