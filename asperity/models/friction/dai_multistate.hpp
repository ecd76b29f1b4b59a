// SPDX-License-Identifier: Apache-2.0
#pragma once

// Many spring-dampers in parallel, each in series with its own slider: presliding hysteresis with
// nonlocal memory, Stribeck effect, frictional lag, no drift while stuck.
//
//   gamma_dot = (g(v) - gamma)/tau_d                      lagged limit; gamma = g(v) if tau_d = 0
//   f_i = kappa_i a_i + sigma_i a_i_dot                   element i = 1 ... N carries a share
//   f_i in lambda_i gamma load Sgn(v - a_i_dot)           lambda_i of the limit; Theorem 1:
//   f_i     = sat(lambda_i gamma load, kappa_i a_i + sigma_i v)                          [N]
//   a_i_dot = (f_i - kappa_i a_i)/sigma_i                                                [m/s]
//   f       = f_1 + ... + f_N + sigma_2 v                                                [N]
//
// g and sigma_2 belong to the Stribeck curve. The state is gamma, a_1 ... a_N.

#include <asperity/elements.hpp>
#include <asperity/lists.hpp>
#include <asperity/models/curve/stribeck_exponential.hpp>
#include <asperity/models/friction/detail/first_speed.hpp>
#include <asperity/scalar/fixed_count.hpp>

namespace asperity {

// Count is an int, or fixed_count<Capacity> where the number is known.
template <scalar S, class Curve = stribeck_exponential<S>, int Capacity = 32, class Count = int>
struct dai_multistate {
  Count elements = detail::count_from<Count>(10);
  vec<S, Capacity> kappa = lists::harmonic<S, Capacity>(5e6), sigma = lists::all<S, Capacity>(2e4),
                   lambda = lists::all<S, Capacity>(0.1);
  S tau_d = lit<S>(0.02);
  Curve g = curve_from<Curve, S>({.F_c = 1.0, .F_s = 2.5, .v_s = 5e-6});

  static constexpr int states = Capacity + 1;
  template <class Other>
  using with_curve = dai_multistate<S, Other, Capacity, Count>;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Multistate DAI friction",
               "Xiong, Kikuuwe and Yamamoto 2013, Tribology Letters 51:513; Xiong 2013 (4.13)",
               odd | passive | bounded | continuous | no_drift);
    card.elements("elements", elements, Capacity, "number of elements");
    card.list("kappa", kappa, newton / metre, positive, "stiffness of each element");
    card.list("sigma", sigma, newton * second / metre, positive, "damping of each element");
    card.shares("lambda", lambda, non_negative, "share of the friction limit; they sum to 1");
    card.parameter("tau_d", tau_d, second, non_negative, "frictional lag; 0 for none");
    card.part(g);
    card.even_state("gamma", newton, "lagged friction limit", non_negative);
    card.state_list("a", metre, "elastic deflection");
  }

  ASPERITY_FN int active_states() const { return elements + 1; }

  ASPERITY_FN vec<S, states> initial() const {
    vec<S, states> state;
    state[0] = g.highest();
    return state;
  }

  ASPERITY_FN response<S, states> operator()(const vec<S, states>& state,
                                             const drive<S>& in) const {
    response<S, states> out;
    const S v = in.v, level = g.level(v), zero = lit<S>(0.0);
    const S limit = math::select(zero < tau_d, state[0], level) * in.load;

    out.rate[0] = math::select(zero < tau_d, S((level - state[0]) / tau_d), zero);
    vec<S, Capacity> f, slipping;
    for (int i = 0; i < elements; ++i) {
      const S elastic = kappa[i] * state[i + 1];
      f[i] = math::sat<S>(lambda[i] * limit, elastic + sigma[i] * v);
      slipping[i] = (f[i] - elastic) / sigma[i];
    }
    // Stuck, a_i_dot is v: chosen, not computed, so that rounding cannot make it drift.
    for (int i = 0; i < elements; ++i) {
      const S trial = kappa[i] * state[i + 1] + sigma[i] * v, slips = slipping[i];
      out.rate[i + 1] = math::select(math::abs(trial) < lambda[i] * limit, v, slips);
    }
    out.f = lists::sum(f, elements) + g.viscous(in.v);
    return out;
  }

  ASPERITY_FN vec<S, states> state_scale() const {
    vec<S, states> scale;
    scale[0] = g.highest();
    for (int i = 0; i < elements; ++i) scale[i + 1] = g.highest() / kappa[i];
    return scale;
  }

  ASPERITY_FN S stored_energy(const vec<S, states>& state, const drive<S>&) const {
    vec<S, Capacity> twice;
    for (int i = 0; i < elements; ++i) twice[i] = kappa[i] * math::square(state[i + 1]);
    return lists::sum(twice, elements) * lit<S>(0.5);
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const {
    return g.highest() * in.load + math::abs<S>(g.viscous(in.v));
  }

  // Gross sliding begins when the last element slips.
  ASPERITY_FN S slip_margin(const vec<S, states>& state, const drive<S>& in) const {
    const S gamma = math::select(lit<S>(0.0) < tau_d, state[0], S(g.level(in.v)));
    S least = lit<S>(unbounded);
    for (int i = 0; i < elements; ++i) {
      const S pull = math::abs<S>(kappa[i] * state[i + 1] + sigma[i] * in.v);
      least = math::min<S>(least, pull - lambda[i] * gamma * in.load);
    }
    return least;
  }

  // With a_i_dot = (a_i - a_i0)/h every element has the same solution, sigma_i + kappa_i h in place
  // of sigma_i, and gamma is (tau_d gamma_0 + h g(v))/(tau_d + h).
  ASPERITY_FN implicit_end<S, states> implicit_step(const vec<S, states>& state, const S& load,
                                                    const S& h, const free_step<S>& body) const {
    const auto gamma_at = [&](const S& v) {
      const S level = g.level(v);
      // In this form a level that is reached stays to the last bit.
      return math::select(lit<S>(0.0) < tau_d, S(state[0] + (level - state[0]) * (h / (tau_d + h))),
                          level);
    };
    vec<S, Capacity> elastic, damping;
    for (int i = 0; i < elements; ++i) {
      elastic[i] = kappa[i] * state[i + 1];
      damping[i] = sigma[i] + kappa[i] * h;
    }
    const S v = detail::first_speed<S>(body.u_start, [&](const S& guess) {
      return speed_under(gamma_at(guess) * load, elastic, damping, body);
    });

    implicit_end<S, states> end;
    const S gamma = gamma_at(v), limit = gamma * load;
    vec<S, Capacity> f;
    for (int i = 0; i < elements; ++i) {
      const S trial = elastic[i] + damping[i] * v;
      f[i] = math::sat<S>(lambda[i] * limit, trial);
      const S slipping = (sigma[i] * state[i + 1] + h * f[i]) / damping[i];
      end.state[i + 1] =
          math::select(math::abs(trial) < lambda[i] * limit, S(state[i + 1] + h * v), slipping);
    }
    end.state[0] = math::select(lit<S>(0.0) < tau_d, gamma, state[0]);
    end.f = lists::sum(f, elements) + g.viscous(v);
    end.u = v;
    return end;
  }

  element_list made_of() const requires std::floating_point<S> {
    element_list list;
    list.count = elements;
    list.viscous = g.viscous(S(1));
    list.first_state = 1;
    for (int i = 0; i < elements; ++i) list.of[i] = {kappa[i], sigma[i], lambda[i] * g.highest()};
    if (g.level(S(0)) != g.level(S(1e9)))
      list.not_linear = "its limit depends on the velocity (the Stribeck curve is not level)";
    else if (tau_d > S(0))
      list.not_linear = "its limit lags behind the velocity (tau_d is above 0)";
    return list;
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> {
    return lists::sum_to_one(lambda, elements)
               ? g.valid()
               : validity{validity::refused, "the shares lambda must sum to 1"};
  }

 private:
  // The v with v + mobility (sum of sat(lambda_i limit, elastic_i + damping_i v) + sigma_2 v) =
  // u_free. The left side rises and is straight between the speeds at which an element begins to
  // slip: two of these, next to each other, enclose v, and there the line is solved.
  ASPERITY_FN S speed_under(const S& limit, const vec<S, Capacity>& elastic,
                            const vec<S, Capacity>& damping, const free_step<S>& body) const {
    const S one = lit<S>(1.0), zero = lit<S>(0.0), half = lit<S>(0.5);
    const S resisted = one + body.mobility * g.viscous(one);
    vec<S, Capacity> bound, f;
    for (int i = 0; i < elements; ++i) bound[i] = lambda[i] * limit;
    const auto carried_at = [&](const S& v) {
      for (int i = 0; i < elements; ++i) f[i] = math::sat<S>(bound[i], elastic[i] + damping[i] * v);
      return lists::sum(f, elements);
    };
    S below = lit<S>(-unbounded), above = lit<S>(unbounded);
    for (int i = 0; i < elements; ++i)
      for (int side = -1; side <= 1; side += 2) {
        const S v = (lit<S>(static_cast<double>(side)) * bound[i] - elastic[i]) / damping[i];
        // Outside of what is enclosed already it would change nothing; packs ask all the same.
        if constexpr (std::floating_point<S>)
          if (v <= below || above <= v) continue;
        const S excess = resisted * v + body.mobility * carried_at(v) - body.u_free;
        above = math::select(zero < excess, math::min<S>(above, v), above);
        below = math::select(zero < excess, below, math::max<S>(below, v));
      }
    // A speed between them, where every element is known to stick or to slip.
    const S left = above - one - math::abs(above), right = below + one + math::abs(below);
    const S enclosed = math::select(above < lit<S>(unbounded), half * (below + above), right);
    const S between = math::select(lit<S>(-unbounded) < below, enclosed, left);
    vec<S, Capacity> constant, slope;
    for (int i = 0; i < elements; ++i) {
      const S trial = elastic[i] + damping[i] * between;
      const auto sticks = math::abs(trial) < bound[i];
      constant[i] = math::select(sticks, elastic[i], math::sat<S>(bound[i], trial));
      slope[i] = math::select(sticks, damping[i], zero);
    }
    const S v = (body.u_free - body.mobility * lists::sum(constant, elements)) /
                (resisted + body.mobility * lists::sum(slope, elements));
    return math::clamp<S>(below, above, v);
  }
};

}  // namespace asperity
