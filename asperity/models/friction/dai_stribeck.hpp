// SPDX-License-Identifier: Apache-2.0
#pragma once

// A spring-damper in series with a slider whose limit follows a Stribeck curve: presliding,
// Stribeck effect, no drift while stuck.
//
//   f = kappa a + sigma a_dot,   f in g(v) load Sgn(v - a_dot)    the inclusion; Theorem 1:
//   f     = sat(g(v) load, kappa a + sigma v) + sigma_2 v                                [N]
//   a_dot = (sat(...) - kappa a)/sigma                                                   [m/s]
//
// g and sigma_2 belong to the Stribeck curve.

#include <asperity/models/curve/stribeck_exponential.hpp>
#include <asperity/models/friction/detail/first_speed.hpp>

namespace asperity {

template <scalar S, class Curve = stribeck_exponential<S>>
struct dai_stribeck {
  S kappa = lit<S>(1e5), sigma = lit<S>(100.0);
  Curve g = curve_from<Curve, S>({.F_c = 1.0, .F_s = 1.5, .v_s = 1e-3});

  static constexpr int states = 1;
  template <class Other>
  using with_curve = dai_stribeck<S, Other>;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("DAI friction with a Stribeck curve",
               "Xiong, Kikuuwe and Yamamoto 2013, Tribology Letters 51:513; Xiong 2013 (4.7)",
               odd | passive | bounded | continuous | no_drift);
    card.parameter("kappa", kappa, newton / metre, positive, "presliding stiffness");
    card.parameter("sigma", sigma, newton * second / metre, positive, "presliding damping");
    card.part(g);
    card.state("a", metre, "elastic deflection");
  }

  ASPERITY_FN response<S, 1> operator()(const vec<S, 1>& state, const drive<S>& in) const {
    const S elastic = kappa * state[0], limit = g.level(in.v) * in.load;
    const S trial = elastic + sigma * in.v;
    const S carried = math::sat(limit, trial);
    // Stuck, a_dot is v: chosen, not computed, so that rounding cannot make it drift.
    const S a_dot = math::select(math::abs(trial) < limit, in.v, S((carried - elastic) / sigma));
    return {carried + g.viscous(in.v), {{a_dot}}};
  }

  ASPERITY_FN vec<S, 1> state_scale() const { return {{g.highest() / kappa}}; }

  ASPERITY_FN S stored_energy(const vec<S, 1>& state, const drive<S>&) const {
    return kappa * math::square(state[0]) * lit<S>(0.5);
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const {
    return g.highest() * in.load + math::abs<S>(g.viscous(in.v));
  }

  ASPERITY_FN S slip_margin(const vec<S, 1>& state, const drive<S>& in) const {
    return math::abs<S>(kappa * state[0] + sigma * in.v) - g.level(in.v) * in.load;
  }

  // With a_dot = (a - a_0)/h the inclusion has the same solution, sigma + kappa h in place of
  // sigma; its limit is that of the speed at the end.
  ASPERITY_FN implicit_end<S, 1> implicit_step(const vec<S, 1>& state, const S& load, const S& h,
                                               const free_step<S>& body) const {
    const S zero = lit<S>(0.0), elastic = kappa * state[0], damping = sigma + kappa * h;
    const auto at_limit = [&](const S& limit) {
      const reaction<S> law{-limit, limit, elastic, damping, lit<S>(1.0), g.viscous(lit<S>(1.0)),
                            zero};
      return law.end(body.u_free, body.mobility);
    };
    const S v = detail::first_speed<S>(
        body.u_start, [&](const S& guess) { return at_limit(g.level(guess) * load).u; });
    const S limit = g.level(v) * load, trial = elastic + damping * v;
    const S carried = math::sat(limit, trial);
    const S slipping = (sigma * state[0] + h * carried) / damping;
    return {carried + g.viscous(v),
            v,
            {{math::select(math::abs(trial) < limit, S(state[0] + h * v), slipping)}}};
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> { return g.valid(); }
};

}  // namespace asperity
