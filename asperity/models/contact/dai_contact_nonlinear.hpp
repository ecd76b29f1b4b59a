// SPDX-License-Identifier: Apache-2.0
#pragma once

// Hertzian contact with viscoelastic memory from a differential-algebraic inclusion: continuous at
// touchdown, never pulling, leaving the body before the surface has recovered. p is the indentation
// (minus the gap), P = p |p|^(lambda-1), and a is P as the surface remembers it.
//
//   f/K = a + (1/gamma + beta) a_dot,   beta = beta_1 + beta_2 a
//   f/K in dio(a + a_dot/gamma - P)                        the inclusion; Theorem 2 solves it:
//   f     = K max(0, P + gamma beta (P - a))                                             [N]
//   a_dot = max(-gamma a/(1 + gamma beta), gamma (P - a))                                [m^1.5/s]

#include <asperity/model.hpp>

namespace asperity {

template <scalar S>
struct dai_contact_nonlinear {
  S K = lit<S>(1e4), lambda = lit<S>(1.5), gamma = lit<S>(2e3);
  S beta_1 = lit<S>(3e-3), beta_2 = lit<S>(0.1);

  static constexpr int states = 1;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Nonlinear DAI contact",
               "Xiong, Kikuuwe and Yamamoto 2014, doi:10.1115/1.4024403; Xiong 2013 (5.6)",
               continuous | never_pulls);
    card.parameter("K", K, newton / power(metre, 1.5), positive, "stiffness");
    card.exponent("lambda", lambda, {1.0, unbounded}, "exponent: 1.5 for spheres");
    card.parameter("gamma", gamma, one / second, positive, "rate at which the surface follows");
    card.parameter("beta_1", beta_1, second, non_negative, "damping over stiffness");
    card.parameter("beta_2", beta_2, second / power(metre, 1.5), non_negative,
                   "growth of the damping with indentation");
    card.state("a", power(metre, 1.5), "indentation to the power lambda, as the surface has it",
               non_negative);
  }

  ASPERITY_FN response<S, 1> operator()(const vec<S, 1>& state, const drive<S>& in) const {
    const S a = state[0], zero = lit<S>(0.0), one = lit<S>(1.0);
    const S size = math::power<S>(math::abs<S>(in.x), lambda);
    const S P = math::select(zero < in.x, S(-size), size);
    const S following = gamma * (P - a), beta = damping(a);
    return {K * math::max<S>(zero, P + beta * following),
            {{math::max<S>(-gamma * a / (one + gamma * beta), following)}}};
  }

  // With q^lambda = a and D(p) = (p^(lambda+1) + lambda q^(lambda+1))/(lambda+1) - a p >= 0:
  // K (p^(lambda+1)/(lambda+1) + gamma beta D(p)), at the indentation where contact is lost or
  // more. Its rate falls short of the power taken by K gamma a_dot (beta (p - q) - beta_2 D), which
  // is the only place where energy can come from.
  ASPERITY_FN S stored_energy(const vec<S, 1>& state, const drive<S>& in) const {
    const S a = state[0], one = lit<S>(1.0), zero = lit<S>(0.0);
    const S stiffened = gamma * damping(a);
    const S lost = math::power<S>(stiffened * a / (one + stiffened), one / lambda);
    const S p = math::max<S>(lost, -in.x), q = math::power<S>(math::max<S>(zero, a), one / lambda);
    const S hertz = p * math::power<S>(p, lambda) / (lambda + one);
    const S D = hertz + lambda * q * a / (lambda + one) - a * p;
    return K * (hertz + stiffened * D);
  }

  // No energy is created as long as bodies approach more slowly than this (lambda up to 2), or do
  // not go deeper than p^lambda = 2 beta_1/beta_2: the page has the proof.
  ASPERITY_FN S passive_speed() const {
    return gamma * math::power<S>(lit<S>(9.0) * beta_1 / beta_2, lit<S>(1.0) / lambda);
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> {
    if (beta_2 == S(0)) return {};
    if (S(2) < lambda) return {validity::doubtful, "beta_2 with lambda above 2 may create energy"};
    return passive_speed() < S(10)
               ? validity{validity::doubtful,
                          "it may create energy at approach speeds above gamma (9 "
                          "beta_1/beta_2)^(1/lambda), which is below 10 m/s"}
               : validity{};
  }

 private:
  ASPERITY_FN S damping(const S& a) const { return beta_1 + beta_2 * a; }
};

}  // namespace asperity
