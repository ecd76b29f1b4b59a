// SPDX-License-Identifier: Apache-2.0
#pragma once

// Coulomb friction regularised by a differential-algebraic inclusion: a spring-damper of deflection
// a in series with a rigid slider. Exactly Coulomb while sliding, no drift while stuck.
//
//   f = K (a + beta a_dot),   f in F load Sgn(v - a_dot)       the inclusion
//   y in Z Sgn(x - y)  <=>  y = sat(Z, x)                      Theorem 1 solves it:
//   f     = sat(F load, K (a + beta v))                                                  [N]
//   a_dot = (f/K - a)/beta                                                               [m/s]

#include <asperity/elements.hpp>
#include <asperity/model.hpp>
#include <asperity/nonsmooth/inclusion.hpp>

namespace asperity {

template <scalar S>
struct dai {
  S K = lit<S>(1e5), F = lit<S>(1.0), beta = lit<S>(1e-3);

  static constexpr int states = 1;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("DAI friction",
               "Xiong, Kikuuwe and Yamamoto 2013, doi:10.1155/2013/320276; Xiong 2013 (3.9)",
               odd | passive | bounded | continuous | no_drift);
    card.parameter("K", K, newton / metre, positive, "presliding stiffness");
    card.parameter("F", F, newton, positive, "Coulomb friction force");
    card.parameter("beta", beta, second, positive, "damping over stiffness");
    card.state("a", metre, "elastic deflection");
  }

  ASPERITY_FN response<S, 1> operator()(const vec<S, 1>& state, const drive<S>& in) const {
    const S a = state[0], limit = F * in.load;
    const S trial = K * (a + beta * in.v);
    const S f = math::sat(limit, trial);
    // Stuck, a_dot is v: chosen, not computed, so that rounding cannot make it drift.
    return {f, {{math::select(math::abs(trial) < limit, in.v, S((f / K - a) / beta))}}};
  }

  ASPERITY_FN vec<S, 1> state_scale() const { return {{F / K}}; }

  ASPERITY_FN S stored_energy(const vec<S, 1>& state, const drive<S>&) const {
    return K * math::square(state[0]) * lit<S>(0.5);
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const { return F * in.load; }

  ASPERITY_FN S slip_margin(const vec<S, 1>& state, const drive<S>& in) const {
    return math::abs<S>(K * (state[0] + beta * in.v)) - F * in.load;
  }

  // With a_dot = (a - a_0)/h the inclusion has the same solution, beta + h in place of beta.
  ASPERITY_FN reaction<S> react(const vec<S, 1>& state, const S& load, const S& h) const {
    const S limit = F * load;
    return {-limit, limit, K * state[0], K * (beta + h), lit<S>(1.0)};
  }

  ASPERITY_FN vec<S, 1> settle(const vec<S, 1>& state, const S& f, const S& h) const {
    return {{(beta * state[0] + h * f / K) / (beta + h)}};
  }

  element_list made_of() const requires std::floating_point<S> {
    element_list list;
    list.count = 1;
    list.of[0] = {K, K * beta, F};
    return list;
  }
};

// The same on a surface: a, v and f are vectors of r components, and sat projects on the ball, so
// that no direction is preferred. Theorem 1 holds in every dimension. Loops over many contacts take
// `quick_ball`.
template <scalar S, int r, template <class, int> class Ball = ball>
struct dai_vector {
  S K = lit<S>(1e5), F = lit<S>(1.0), beta = lit<S>(1e-3);

  struct answer {
    vec<S, r> f, a_dot;
  };

  ASPERITY_FN answer operator()(const vec<S, r>& a, const vec<S, r>& v, const S& load) const {
    const S limit = F * load;
    const vec<S, r> trial = K * (a + beta * v);
    answer out{Ball<S, r>{limit}.prox(trial), {}};
    const S pull = Ball<S, r>::length(trial);
    for (int i = 0; i < r; ++i)
      out.a_dot[i] = math::select(pull < limit, v[i], S((out.f[i] / K - a[i]) / beta));
    return out;
  }

  ASPERITY_FN S stored_energy(const vec<S, r>& a) const { return K * dot(a, a) * lit<S>(0.5); }

  // Force at the end of an implicit step after which the body has v = v_free - mobility f ...
  ASPERITY_FN vec<S, r> react(const vec<S, r>& a, const vec<S, r>& v_free, const S& mobility,
                              const S& load, const S& h) const {
    const S damping = K * (beta + h);
    return prox_with_feedback<Ball<S, r>, S, r>({F * load}, K * a + damping * v_free,
                                                damping * mobility);
  }
  // ... and the deflection there.
  ASPERITY_FN vec<S, r> settle(const vec<S, r>& a, const vec<S, r>& f, const S& h) const {
    return (lit<S>(1.0) / (beta + h)) * (beta * a + (h / K) * f);
  }

  // Both for a body whose velocity v is known: force and deflection at the end of a step. Stuck, the
  // deflection grows by h v: chosen, not computed, so that rounding cannot make it drift.
  struct step_answer {
    vec<S, r> f, a;
  };
  ASPERITY_FN step_answer step(const vec<S, r>& a, const vec<S, r>& v, const S& load,
                               const S& h) const {
    const S limit = F * load;
    const vec<S, r> trial = K * (a + (beta + h) * v), stuck = a + h * v;
    step_answer out{Ball<S, r>{limit}.prox(trial), {}};
    const S pull = Ball<S, r>::length(trial);
    const vec<S, r> slid = settle(a, out.f, h);
    for (int i = 0; i < r; ++i) out.a[i] = math::select(pull < limit, stuck[i], slid[i]);
    return out;
  }
};

}  // namespace asperity
