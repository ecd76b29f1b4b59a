// SPDX-License-Identifier: Apache-2.0
#pragma once

// Leuven model: a hysteresis force that remembers its reversals, in an equation like LuGre's.
//
//   F_h = F_b + F_d(z - z_b)                      from the last reversal (z_b, F_b) on        [N]
//   F_d(z) = 2 F_v(z/2),  F_v(z) = 2 kappa z/(1 + sqrt(1 + |z|/z_0))     transition curve     [N]
//   q = (F_h - F_b)/(d g(v) load - F_b),  d = sgn(v)
//   z_dot = v (1 - sgn(q)|q|^n)                                                              [m/s]
//   f = F_h + sigma_1 z_dot + sigma_2 v                                                      [N]
//
// Before the first reversal F_h = F_v(z), F_b = 0. A velocity reversal adds (z, F_h) to the list; a
// loop that closes, z coming back to the reversal before the last, takes both off it. A full list
// takes no more: their number, and f with it, is then not a number. But a loop smaller than 1e-4 z_0,
// whose hysteresis is below 1e-8 kappa z_0, is followed back and forth without it, and so are the
// smallest loops where fewer reversals are asked for than there is room for. The state is z, the
// number of reversals in the list, and their z_1 ..., from which their F_h follow.
//
// By Masing's rule F_h is the force of Maxwell-slip elements of stiffness k(D) dD = -F_v''(D) dD,
// each of which slides at the deflection D. Their springs store
//
//   integral of k(D) delta(D)^2/2 dD                                                        [J]
//   delta = z - z_j + sgn(z_j - z_(j-1)) D     for |z_(j+1) - z_j| < 2 D < |z_j - z_(j-1)|
//   delta = z                                  for D > |z_1|: they never slid
//
// after n reversals, with z_(n+1) = z_(n+2) = z and z_0 = -z_1.

#include <asperity/lists.hpp>
#include <asperity/models/curve/stribeck_exponential.hpp>
#include <asperity/scalar/root.hpp>
#include <limits>

namespace asperity {

template <std::floating_point S, class Curve = stribeck_exponential<S>, int Capacity = 38>
struct leuven {
  int reversals = Capacity;
  S kappa = S(1e5), z_0 = S(1e-5), n = S(4), sigma_1 = S(300);
  Curve g = curve_from<Curve, S>({.F_c = 1.0, .F_s = 1.5, .v_s = 1e-3, .sigma_2 = 0.4});

  static constexpr int states = 2 + Capacity;
  template <class Other>
  using with_curve = leuven<S, Other, Capacity>;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about(
        "Leuven friction",
        "Swevers, Al-Bender, Ganseman and Prajogo 2000, IEEE Trans. Automatic Control 45:675",
        odd | bounded);
    card.elements("reversals", reversals, Capacity, "number of reversals remembered");
    card.parameter("kappa", kappa, newton / metre, positive, "stiffness after a reversal");
    card.parameter("z_0", z_0, metre, positive, "deflection over which the stiffness falls");
    card.parameter("n", n, one, {1.0, 50.0}, "exponent: how abruptly sliding begins");
    card.parameter("sigma_1", sigma_1, newton * second / metre, non_negative, "micro-damping");
    card.part(g);
    card.state("z", metre, "deflection");
    card.even_state("depth", one, "number of reversals in the list", whole(0, reversals));
    card.state_list("z", metre, "deflection at the reversal");
  }

  ASPERITY_FN int active_states() const { return 2 + reversals; }

  ASPERITY_FN S advance(vec<S, states>& state, const drive<S>& from, const drive<S>& to,
                        const S& h) const {
    lists::in_one_direction(from, to, h, [&](const auto&... piece) { glide(state, piece...); });
    const S z_dot =
        to.v * yielding(state, forces_at(state), state[0], curve_at(to), math::sgn(to.v));
    return hysteresis_force(state) + sigma_1 * z_dot + g.viscous(to.v);
  }

  ASPERITY_FN S hysteresis_force(const vec<S, states>& state) const {
    return height(state, depth_of(state), state[0]) + state[1] * S(0);  // a list that overflowed
  }

  // The transition curve from one reversal on, point symmetric about it.
  ASPERITY_FN S transition(const S& z) const { return S(2) * virgin(z / S(2)); }

  ASPERITY_FN vec<S, states> state_scale() const {
    const S force = g.highest(), soft = force / (S(4) * kappa * z_0);
    vec<S, states> scale;
    scale[0] = force / kappa * (S(1) + soft);
    scale[1] = S(1);
    for (int i = 0; i < reversals; ++i) scale[2 + i] = scale[0];
    return scale;
  }

  ASPERITY_FN S stored_energy(const vec<S, states>& state, const drive<S>&) const {
    const S z = state[0];
    const int depth = depth_of(state);
    // Elements that slid since the last reversal, then those that slid last before it, and so on.
    S from = S(0), last = z, twice = S(0);
    for (int j = depth; j >= 0; --j) {
      const S begin = j == 0 ? S(0) : turned_at(state, j);
      const S way = last - begin, to = math::abs(way) / (j == 0 ? S(1) : S(2));
      twice += elements_between(from, to, math::sgn(way), z - last);
      from = math::max(from, to);
      last = begin;
    }
    return (twice + stiffness_beyond(from) * z * z) / S(2);
  }

  // F_h follows g, which is never above F_s; |q| is kept below twice F_s/g.
  ASPERITY_FN S force_bound(const drive<S>& in) const {
    const S z_dot = math::abs(in.v) * (S(1) + math::power(curve_at(in).most, n));
    return g.highest() * in.load + sigma_1 * z_dot + math::abs(g.viscous(in.v));
  }

  ASPERITY_FN validity valid() const { return g.valid(); }

 private:
  ASPERITY_FN S virgin(const S& z) const {
    return S(2) * kappa * z / (S(1) + math::sqrt(S(1) + math::abs(z) / z_0));
  }

  // Stiffness of the elements that slide at deflections above D only.
  ASPERITY_FN S stiffness_beyond(const S& D) const { return kappa / math::sqrt(S(1) + D / z_0); }
  // Sum of k(D) (d D + offset)^2 dD, d being 1 or -1. With D = z_0 (s^2 - 1), k(D) dD is
  // kappa/s^2 ds: the moments of k about 0 are whole powers.
  ASPERITY_FN S elements_between(const S& from, const S& to, const S& d, const S& offset) const {
    if (!(from < to)) return S(0) * (from + to);
    const auto up_to = [&](const S& D) {
      const S s = math::sqrt(S(1) + D / z_0), above = D / z_0 / (s + S(1));  // s - 1
      const S first = z_0 * above * above, second = first * z_0 * above * (s + S(3)) / S(3);
      return kappa / s * (second + S(2) * d * offset * first + offset * offset * above);
    };
    return up_to(to) - up_to(from);
  }

  ASPERITY_FN int depth_of(const vec<S, states>& state) const {
    return lists::index(state[1], reversals);
  }
  // Deflection and force at the k-th reversal, k = 1 ... depth. The 0-th mirrors the first: beyond
  // both of them lies the virgin curve.
  ASPERITY_FN S turned_at(const vec<S, states>& state, int k) const {
    return k == 0 ? -state[2] : state[1 + k];
  }
  ASPERITY_FN S height(const vec<S, states>& state, int depth, const S& z) const {
    return height(state, depth, forces_at(state)[depth], z);
  }
  ASPERITY_FN S height(const vec<S, states>& state, int depth, const S& force, const S& z) const {
    if (depth == 0) return virgin(z);
    return force + transition(z - turned_at(state, depth));
  }
  // At all reversals at once: no motion without another reversal changes them.
  using reversal_forces = vec<S, Capacity + 1>;
  ASPERITY_FN reversal_forces forces_at(const vec<S, states>& state) const {
    reversal_forces forces;
    const int depth = depth_of(state);
    forces[0] = S(0);
    if (depth > 0) forces[1] = virgin(turned_at(state, 1));
    for (int j = 2; j <= depth; ++j)
      forces[j] = forces[j - 1] + transition(turned_at(state, j) - turned_at(state, j - 1));
    return forces;
  }
  // The direction in which the branch runs that `depth` reversals have led to.
  ASPERITY_FN S direction(const vec<S, states>& state, int depth) const {
    return math::sgn(depth == 0 ? state[0] : turned_at(state, depth - 1) - turned_at(state, depth));
  }
  // The reversals that are left when the deflection has come to z: those whose branch, from the
  // last reversal to the one before, contains it. A loop that closes leaves two branches at once,
  // of which the second begins where the first ends; F_h is the same on both.
  ASPERITY_FN int depth_at(const vec<S, states>& state, int depth, const S& z) const {
    for (; depth > 0; --depth) {
      const S d = direction(state, depth);
      const S way = d * (z - turned_at(state, depth)), left = d * (turned_at(state, depth - 1) - z);
      if (!(way < S(0)) && !(left <= S(0))) break;  // also where a reversal is not a number
    }
    return depth;
  }

  // What the Stribeck curve has to say: the force in steady sliding, and the most that |q| may be.
  struct curve_point {
    S limit, most;
  };
  ASPERITY_FN curve_point curve_at(const drive<S>& in) const {
    const S level = g.level(in.v);
    return {level * in.load, S(2) * g.highest() / level};
  }

  // z_dot/v at deflection z. 1 - q is the distance left to the Stribeck curve over that from the
  // reversal; read so, q also makes sense where the reversal lies beyond the curve.
  ASPERITY_FN S yielding(const vec<S, states>& state, const reversal_forces& forces, const S& z,
                         const curve_point& curve, const S& d) const {
    const int depth = depth_at(state, depth_of(state), z);
    const S whole = math::abs(curve.limit - d * forces[depth]);
    const S left = curve.limit - d * height(state, depth, forces[depth], z);
    const S q = S(1) - left / math::max(rounding<S> * curve.limit, whole);
    const S kept = math::sat(curve.most, q);
    return S(1) - math::sgn(kept) * math::power(math::abs(kept), n);
  }

  // A motion in which v keeps its sign, by backward Euler over its travel: never beyond the curve.
  ASPERITY_FN void glide(vec<S, states>& state, const drive<S>& from, const drive<S>& to,
                         const S& h) const {
    const S d = math::sgn(from.v + to.v);
    reverse(state, d);
    const reversal_forces forces = forces_at(state);
    const S travel = h * (from.v + to.v) / S(2), scale = g.highest() / kappa;
    const S wanted = S(1) + S(16) * math::abs(travel) / scale;
    const int steps = wanted < S(16) ? static_cast<int>(wanted) : 16;
    for (int i = 1; i <= steps; ++i) {
      const S share = S(i) / S(steps), before = S(i - 1) / S(steps);
      const auto speed = [&](const S& part) { return from.v + part * (to.v - from.v); };
      const drive<S> now{to.x, speed(share), from.load + share * (to.load - from.load)};
      const curve_point curve = curve_at(now);
      const S piece = h / S(steps) * (speed(before) + speed(share)) / S(2), start = state[0];
      const auto moved = [&](const S& z) { return piece * yielding(state, forces, z, curve, d); };
      const auto surplus = [&](const S& z) { return z - start - moved(z); };
      // Near the curve z_dot falls by n kappa/limit per metre: a guess of where the step ends.
      const S steep = n * kappa * math::abs(piece) / curve.limit;
      const S z = root_between(surplus, start, start + moved(start), S(1) / (S(1) + steep));
      state[1] = S(depth_at(state, depth_of(state), z)) + state[1] * S(0);
      state[0] = z;
    }
  }

  // A depth that is not a number stays so.
  ASPERITY_FN void reverse(vec<S, states>& state, const S& d) const {
    const int depth = depth_of(state);
    const S along = direction(state, depth);
    if (!(d * along < S(0))) return;
    if (depth > 0 && state[0] == turned_at(state, depth)) return;
    if (depth >= reversals) {
      const S swing = math::abs(state[0] - turned_at(state, depth));
      if (reversals == Capacity && lit<S>(1e-4) * z_0 < swing) state[1] = lit<S>(__builtin_nan(""));
      return;
    }
    state[2 + depth] = state[0];
    state[1] = S(depth + 1) + state[1] * S(0);
  }
};

}  // namespace asperity
