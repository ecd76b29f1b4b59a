// SPDX-License-Identifier: Apache-2.0
#pragma once

// Smoothed generalised Maxwell slip: stick and slip of each element blended, so that force and
// rates can be differentiated by state, velocity and parameters.
//
//   q_i = kappa_i a_i/(lambda_i g(v) load)                  element i = 1 ... N
//   S = tanh(v/v_0), v_0 = eta C/(kappa_1 + ... + kappa_N)  smooth sign of the velocity
//   P_+ = S^2 (1 + S)/2,  P_- = S^2 (1 - S)/2               how surely it moves on, or back
//   B(q) = step((q - 1 + epsilon)/epsilon)                  0 sticks, 1 slips
//   step(t) = 3 t^2 - 2 t^3 for t in [0, 1]
//   O(q) = max(0, q - 1)^2/epsilon                          overload
//
//   stick_i = 1 - P_+ B(q_i) - P_- B(-q_i)
//   slip_i = P_+ B(q_i)(1 - q_i) - P_- B(-q_i)(1 + q_i) - (1 - S^2)(O(q_i) - O(-q_i))
//   a_i_dot = stick_i v + slip_i C lambda_i/kappa_i                                      [m/s]
//   f = sum(kappa_i a_i + sigma_i a_i_dot) + sigma_2 v                                   [N]
//
// What is left of 1 (1 - S^2, 1 - P, 1 - B) is computed as such, not as a difference: at full slip
// a difference would be all rounding, and it is multiplied by speeds and overloads that are not
// small.

#include <asperity/lists.hpp>
#include <asperity/models/curve/stribeck_exponential.hpp>

namespace asperity {

template <scalar S, class Curve = stribeck_exponential<S>, int Capacity = 32>
struct gms_smoothed {
  int elements = 10;
  vec<S, Capacity> kappa = lists::harmonic<S, Capacity>(5e6);
  vec<S, Capacity> sigma = lists::all<S, Capacity>(1e3), lambda = lists::all<S, Capacity>(0.1);
  S C = lit<S>(62.0), epsilon = lit<S>(0.05), eta = lit<S>(1e-3);
  Curve g = curve_from<Curve, S>({.F_c = 1.0, .F_s = 2.5, .v_s = 5e-6});

  static constexpr int states = Capacity;
  template <class Other>
  using with_curve = gms_smoothed<S, Other, Capacity>;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about(
        "Smoothed generalised Maxwell-slip friction",
        "after Boegli, De Laet, De Schutter and Swevers 2012, American Control Conference 2627",
        odd | bounded | continuous);
    card.elements("elements", elements, Capacity, "number of elements");
    card.list("kappa", kappa, newton / metre, positive, "stiffness of each element");
    card.list("sigma", sigma, newton * second / metre, non_negative, "damping of each element");
    card.shares("lambda", lambda, positive, "share of the friction limit; they sum to 1");
    card.parameter("C", C, newton / second, positive,
                   "rate at which a slipping element approaches g");
    card.parameter("epsilon", epsilon, one, {0.0, 1.0, true}, "share of the limit that blends");
    card.parameter("eta", eta, one, positive, "speed below which directions blend, times sum/C");
    card.part(g);
    card.state_list("a", metre, "elastic deflection");
  }

  ASPERITY_FN int active_states() const { return elements; }

  ASPERITY_FN response<S, states> operator()(const vec<S, states>& state,
                                             const drive<S>& in) const {
    response<S, states> out;
    const S one = lit<S>(1.0), limit = g.level(in.v) * in.load, d = math::sgn(in.v);
    const surety sure = of_motion(in.v);

    vec<S, Capacity> f;
    for (int i = 0; i < elements; ++i) {
      const S elastic = kappa[i] * state[i], q = elastic / (lambda[i] * limit), p = d * q;
      const blend ahead = blended(p), behind = blended(-p);  // one of them sticks wholly
      const S along = sure.along * ahead.slips, against = sure.against * behind.slips;
      const S stick = ahead.sticks * (one - against) + ahead.slips * sure.not_along;
      const S slip = d * (along * (one - p) - against * (one + p)) - sure.at_rest * overload(q);
      out.rate[i] = stick * in.v + slip * C * lambda[i] / kappa[i];
      f[i] = elastic + sigma[i] * out.rate[i];
    }
    out.f = lists::sum(f, elements) + g.viscous(in.v);
    return out;
  }

  ASPERITY_FN vec<S, states> state_scale() const {
    vec<S, states> scale;
    for (int i = 0; i < elements; ++i) scale[i] = lambda[i] * g.highest() / kappa[i];
    return scale;
  }

  ASPERITY_FN S stored_energy(const vec<S, states>& state, const drive<S>&) const {
    vec<S, Capacity> twice;
    for (int i = 0; i < elements; ++i) twice[i] = kappa[i] * math::square(state[i]);
    return lists::sum(twice, elements) * lit<S>(0.5);
  }

  // No element is overloaded by more than r + sqrt(epsilon r), r = eta (kappa_i/lambda_i)/sum
  // kappa: there the overload pushes back faster than any speed that blends can load.
  ASPERITY_FN S force_bound(const drive<S>& in) const {
    const S one = lit<S>(1.0), speed = math::abs(in.v), total = lists::sum(kappa, elements);
    const S at_rest = of_motion(in.v).at_rest;
    vec<S, Capacity> f;
    for (int i = 0; i < elements; ++i) {
      const S r = eta * kappa[i] / (lambda[i] * total), most = one + r + math::sqrt<S>(epsilon * r);
      const S q = most * g.highest() / g.level(in.v);
      const S slip = one + q + at_rest * overload(q);
      f[i] = lambda[i] * most * g.highest() * in.load +
             sigma[i] * (speed + slip * C * lambda[i] / kappa[i]);
    }
    return lists::sum(f, elements) + math::abs<S>(g.viscous(in.v));
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> {
    return lists::sum_to_one(lambda, elements)
               ? g.valid()
               : validity{validity::refused, "the shares lambda must sum to 1"};
  }

 private:
  // How surely it moves along its direction, or against it: with r = 1 - |S|,
  // 1 - S^2 = r (2 - r) and 1 - S^2 (1 + |S|)/2 = r (5/2 - 2 r + r^2/2).
  struct surety {
    S along, against, not_along, at_rest;
  };
  ASPERITY_FN surety of_motion(const S& v) const {
    const S one = lit<S>(1.0), two = lit<S>(2.0), half = lit<S>(0.5);
    const S x = math::abs(v) * lists::sum(kappa, elements) / (eta * C);
    const S moves = math::square<S>(math::tanh(x)), e = math::exp<S>(-two * x);
    const S r = two * e / (one + e);
    return {moves * (two - r) * half, moves * r * half, r * (lit<S>(2.5) - r * (two - r * half)),
            r * (two - r)};
  }

  struct blend {
    S slips, sticks;  // B and 1 - B
  };
  ASPERITY_FN blend blended(const S& q) const {
    const S one = lit<S>(1.0), two = lit<S>(2.0), three = lit<S>(3.0), first = one - epsilon;
    const S t = (math::clamp(first, one, q) - first) / epsilon, left = one - t;
    return {t * t * (three - two * t), left * left * (three - two * left)};
  }
  ASPERITY_FN S overload(const S& q) const {
    const S zero = lit<S>(0.0), one = lit<S>(1.0);
    const S beyond = math::max<S>(zero, q - one) + math::min<S>(zero, q + one);
    return beyond * math::abs(beyond) / epsilon;
  }
};

}  // namespace asperity
