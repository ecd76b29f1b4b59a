// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rigid contact with Coulomb friction, both regularised by differential-algebraic inclusions: the
// normal force is that of `dai_contact`, and the friction that of `dai` in two dimensions, whose
// limit is mu times that normal force. p is the gap, w the slip velocity.
//
//   f_n = K_1 max(0, e - beta_1 (p + e)/alpha)                                           [N]
//   f_t = sat(mu f_n, K_2 (a + beta_2 w))                                                [N]
//   e_dot = max(-e/beta_1, -(p + e)/alpha),   a_dot = (f_t/K_2 - a)/beta_2               [m/s]

#include <asperity/models/contact/dai_contact.hpp>
#include <asperity/models/friction/dai.hpp>
#include <asperity/touch.hpp>

namespace asperity {

template <scalar S>
struct dai_frictional_contact {
  S K_1 = lit<S>(1e5), beta_1 = lit<S>(4e-3), alpha = lit<S>(2.8e-3);
  S K_2 = lit<S>(1e5), beta_2 = lit<S>(4e-3), mu = lit<S>(0.1);

  static constexpr int states = 3;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about(
        "DAI contact with friction",
        "Xiong, Kikuuwe and Yamamoto 2013, doi:10.1155/2013/320276; Xiong 2013 (3.18)-(3.20)",
        odd | passive | bounded | continuous | no_drift | never_pulls);
    card.parameter("K_1", K_1, newton / metre, positive, "normal stiffness");
    card.parameter("beta_1", beta_1, second, positive, "normal damping over stiffness");
    card.parameter("alpha", alpha, second, positive,
                   "filter time: beta_1 for elastic rebound, smaller for more damping");
    card.parameter("K_2", K_2, newton / metre, positive, "tangential stiffness");
    card.parameter("beta_2", beta_2, second, positive, "tangential damping over stiffness");
    card.parameter("mu", mu, one, non_negative, "coefficient of friction");
    card.even_state("e", metre, "deflection of the surface");
    card.state("a_x", metre, "tangential deflection");
    card.state("a_y", metre, "tangential deflection");
  }

  ASPERITY_FN vec<S, 3> state_scale() const {
    return {{alpha, alpha, alpha}};  // at a metre per second
  }

  ASPERITY_FN touch_response<S, 3> operator()(const vec<S, 3>& state, const touch<S>& in) const {
    const auto pressed = normal()({{state[0]}}, {in.gap, in.gap_rate});
    const auto dragged = tangential()({{state[1], state[2]}}, in.slip, pressed.f);
    return {pressed.f, dragged.f, {{pressed.rate[0], dragged.a_dot[0], dragged.a_dot[1]}}};
  }

  ASPERITY_FN touch_energy<S> energy(const vec<S, 3>& state, const touch<S>& in) const {
    const auto answer = (*this)(state, in);
    const vec<S, 2> a{{state[1], state[2]}}, a_dot{{answer.rate[1], answer.rate[2]}};
    touch_energy<S> all = losses(answer.rate[0], answer.f_t, a_dot, in.slip);
    all.stored_normal = normal().stored_energy({{state[0]}}, {in.gap, in.gap_rate});
    all.stored_tangential = tangential().stored_energy(a);
    return all;
  }

  // The normal part loses K_1 (beta_1 - alpha) e_dot^2; of the tangential work f_t w the damper
  // loses K_2 beta_2 a_dot^2 and the slider f_t (w - a_dot).
  template <int r>
  ASPERITY_FN touch_energy<S> losses(const S& e_dot, const vec<S, r>& f_t, const vec<S, r>& a_dot,
                                     const vec<S, r>& slip) const {
    touch_energy<S> lost;
    lost.normal_damper = K_1 * (beta_1 - alpha) * math::square<S>(e_dot);
    lost.tangential_damper = K_2 * beta_2 * dot(a_dot, a_dot);
    lost.slider = dot(f_t, slip - a_dot);
    return lost;
  }

  ASPERITY_FN S slip_margin(const vec<S, 3>& state, const touch<S>& in) const {
    const vec<S, 2> a{{state[1], state[2]}};
    return norm(K_2 * (a + beta_2 * in.slip)) -
           mu * normal()({{state[0]}}, {in.gap, in.gap_rate}).f;
  }

  // What friction may be under a normal force.
  ASPERITY_FN S cone(const S& f_n) const { return mu * f_n; }

  // The normal force does not depend on the friction, so one is solved after the other.
  ASPERITY_FN touch_reaction<S> react(const vec<S, 3>& state, const touch_mechanics<S>& m,
                                      const S& h) const {
    const S f_n = normal().react({{state[0]}}, lit<S>(1.0), h).solve(m.gap_free, -m.gap_mobility);
    return {f_n, tangential().react({{state[1], state[2]}}, m.slip_free, m.slip_mobility, f_n, h)};
  }

  ASPERITY_FN vec<S, 3> settle(const vec<S, 3>& state, const touch_reaction<S>& f,
                               const S& h) const {
    const auto e = normal().settle({{state[0]}}, f.f_n, h);
    const auto a = tangential().settle({{state[1], state[2]}}, f.f_t, h);
    return {{e[0], a[0], a[1]}};
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> { return normal().valid(); }

  // The two laws that it is made of. Loops over many contacts take the friction for vectors of
  // space that lie in the tangent plane.
  ASPERITY_FN dai_contact<S> normal() const { return {K_1, beta_1, alpha}; }
  template <int r = 2, template <class, int> class Ball = ball>
  ASPERITY_FN dai_vector<S, r, Ball> tangential() const {
    return {K_2, mu, beta_2};
  }
};

}  // namespace asperity
