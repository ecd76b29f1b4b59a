// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rigid unilateral contact regularised by a differential-algebraic inclusion: continuous at
// touchdown and never pulling. p is the gap, e the deflection of the surface.
//
//   f = K (e + beta e_dot),   f in dio(p + e + alpha e_dot)    the inclusion
//   y in dio(x + y)  <=>  y = max(0, -x)                       Theorem 2 solves it:
//   f     = K max(0, e - beta (p + e)/alpha)                                             [N]
//   e_dot = max(-e/beta, -(p + e)/alpha)                                                 [m/s]

#include <asperity/model.hpp>

namespace asperity {

template <scalar S>
struct dai_contact {
  S K = lit<S>(1e5), beta = lit<S>(0.01), alpha = lit<S>(0.007);

  static constexpr int states = 1;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("DAI contact",
               "Xiong, Kikuuwe and Yamamoto 2013, doi:10.1155/2013/320276; Xiong 2013 (3.14)",
               passive | continuous | never_pulls);
    card.parameter("K", K, newton / metre, positive, "stiffness");
    card.parameter("beta", beta, second, positive, "damping over stiffness");
    card.parameter("alpha", alpha, second, positive,
                   "filter time: beta for elastic rebound, smaller for more damping");
    card.state("e", metre, "deflection of the surface");
  }

  ASPERITY_FN response<S, 1> operator()(const vec<S, 1>& state, const drive<S>& in) const {
    const S e = state[0], zero = lit<S>(0.0);
    const S closing = -(in.x + e) / alpha;
    const S f = K * math::max<S>(zero, e + beta * closing);
    return {f, {{math::max<S>(-e / beta, closing)}}};
  }

  // Its rate falls short of the power taken, -f p_dot, by K (beta - alpha) e_dot^2.
  ASPERITY_FN S stored_energy(const vec<S, 1>& state, const drive<S>& in) const {
    const S e = state[0], e_dot = (*this)(state, in).rate[0], two = lit<S>(2.0);
    return K / two * (e * e + two * alpha * e * e_dot + alpha * beta * e_dot * e_dot);
  }

  // With e_dot = (e - e_0)/h the inclusion is f in dio(p + e_0 (beta - alpha)/(h + beta) + c f).
  ASPERITY_FN reaction<S> react(const vec<S, 1>& state, const S&, const S& h) const {
    const S c = (h + alpha) / (K * (h + beta));
    const S rest = state[0] * (beta - alpha) / (h + beta);
    return {lit<S>(0.0), lit<S>(unbounded), -rest, lit<S>(-1.0), c};
  }

  ASPERITY_FN vec<S, 1> settle(const vec<S, 1>& state, const S& f, const S& h) const {
    return {{(h * f / K + beta * state[0]) / (h + beta)}};
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> {
    return beta < alpha ? validity{validity::doubtful, "alpha above beta creates energy"}
                        : validity{};
  }
};

}  // namespace asperity
