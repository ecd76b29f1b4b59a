// SPDX-License-Identifier: Apache-2.0
#pragma once

// A sphere on compliant ground: a nonlinear spring and damper along the normal, another pair in the
// surface whose strength grows with the depth z (minus the gap), and a clutch that slips when the
// tangential force leaves the friction cone. u is the tangential displacement of the ground, V the
// slip velocity, V_clutch = V - u_dot.
//
//   f_n = max(0, K_n z^(3/2) + D_n z^(1/2) z_dot)                                        [N]
//   f_stick = K_t z^(1/2) u + D_t z^(1/2) V                                              [N]
//   stuck, |f_stick| <= mu f_n:  f_t = f_stick,  u_dot = V
//   slipping:  f_t = mu f_n f_stick/|f_stick| + C_v V_clutch = K_t z^(1/2) u + D_t z^(1/2) u_dot
//   no force but z > 0, the ground recovers:  u_dot = u z_dot/z
//
// The slip law is linear in V_clutch, so it is solved: |V_clutch| = (|f_stick| - mu f_n)/(D_t
// z^(1/2)
// + C_v), along f_stick.
//
// The tangential spring stores K_t z^(1/2) u^2/2. Pressed deeper it stiffens, and in the printed
// law nobody pays for that. With coupling = 1 the normal force gets the derivative of that energy
// by z, K_t u^2/(4 z^(1/2)), and nothing is left over.

#include <asperity/model.hpp>
#include <asperity/touch.hpp>

namespace asperity {

// What both clutches share.
template <class S>
struct azad_featherstone_ground {
  S K_n = lit<S>(8.5e6), D_n = lit<S>(3.1e3), K_t = lit<S>(12.75e6), D_t = lit<S>(3.1e3);
  S coupling = lit<S>(0.0);

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.parameter("K_n", K_n, newton / power(metre, 1.5), positive, "normal stiffness");
    card.parameter("D_n", D_n, newton * second / power(metre, 1.5), non_negative, "normal damping");
    card.parameter("K_t", K_t, newton / power(metre, 1.5), positive, "tangential stiffness");
    card.parameter("D_t", D_t, newton * second / power(metre, 1.5), positive, "tangential damping");
    card.parameter(
        "coupling", coupling, one, {0.0, 1.0},
        "0: the printed law; 1: deeper ground is paid for, so that the energy balance closes");
  }

  struct state_of_ground {
    S z, z_dot, root;      // depth, its rate, z^(1/2), all 0 above the ground
    S elastic, damped, f;  // normal force: spring (with the coupling), damper, both
    S stiffening;          // K_t u^2/(4 z^(1/2))
    vec<S, 2> stick;       // f_stick
  };

  ASPERITY_FN state_of_ground look(const vec<S, 2>& u, const touch<S>& in) const {
    const S zero = lit<S>(0.0), z = math::max<S>(zero, -in.gap);
    const S root = math::sqrt(z), z_dot = -in.gap_rate;
    // u falls with z while the ground recovers, so this goes to 0 with z.
    const S stiffening = math::select(
        zero < z, S(K_t * dot(u, u) / (lit<S>(4.0) * math::max<S>(tiny(), root))), zero);
    const S elastic = K_n * z * root + coupling * stiffening;
    const S damped = math::max<S>(-elastic, D_n * root * z_dot);
    return {z,          z_dot,
            root,       elastic,
            damped,     elastic + damped,
            stiffening, (K_t * root) * u + (D_t * root) * in.slip};
  }

  // The ground under no force shrinks back with the depth of the body that leaves it.
  ASPERITY_FN vec<S, 2> recovery(const vec<S, 2>& u, const state_of_ground& at) const {
    return (math::select(lit<S>(0.0) < at.z, S(at.z_dot / math::max<S>(tiny(), at.z)),
                         lit<S>(0.0))) *
           u;
  }

  // The energies and losses, given the force and the ground's velocity.
  ASPERITY_FN touch_energy<S> energy(const vec<S, 2>& u, const vec<S, 2>& u_dot,
                                     const vec<S, 2>& slip, const vec<S, 2>& f_t,
                                     const S& viscous_force, const state_of_ground& at) const {
    const S zero = lit<S>(0.0), half = lit<S>(0.5);
    const S in_spring = K_t * at.root * dot(u, u_dot), damper = D_t * at.root * dot(u_dot, u_dot);
    const S deeper = at.stiffening * at.z_dot;  // rate of the stored energy at constant u
    const vec<S, 2> clutch = slip - u_dot;
    const S viscous = viscous_force * norm(clutch);
    touch_energy<S> result;
    result.stored_normal = lit<S>(0.4) * K_n * math::square(at.z) * at.root;
    result.stored_tangential = half * K_t * at.root * dot(u, u);
    result.normal_damper = at.damped * at.z_dot;
    // Without force the ground gives up what it has stored, all of it to its own damper.
    const S unpaid = (lit<S>(1.0) - coupling) * deeper;
    result.tangential_damper = math::select(zero < at.f, damper, S(-in_spring - unpaid));
    result.slider = math::select(zero < at.f, S(dot(f_t, clutch) - viscous), zero);
    result.viscous = math::select(zero < at.f, viscous, zero);
    result.unbalanced = math::select(zero < at.f, S(-unpaid), zero);
    return result;
  }

  static ASPERITY_FN S tiny() { return lit<S>(1e-30); }
};

template <scalar S>
struct azad_featherstone_clutch : azad_featherstone_ground<S> {
  S mu = lit<S>(0.2), C_v = lit<S>(0.1);
  using ground = azad_featherstone_ground<S>;

  static constexpr int states = 2;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Azad-Featherstone contact with clutch",
               "Azad and Featherstone 2010; Xia 2012 (2.11)-(2.17), corrected", odd | never_pulls);
    ground::describe(card);
    card.parameter("mu", mu, one, non_negative, "coefficient of friction");
    card.parameter("C_v", C_v, newton * second / metre, non_negative, "viscous part of the clutch");
    card.state("u_x", metre, "tangential displacement of the ground");
    card.state("u_y", metre, "tangential displacement of the ground");
  }

  ASPERITY_FN vec<S, 2> state_scale() const { return {{lit<S>(1e-4), lit<S>(1e-4)}}; }

  ASPERITY_FN touch_response<S, 2> operator()(const vec<S, 2>& u, const touch<S>& in) const {
    const auto at = ground::look(u, in);
    return respond(u, in, at);
  }

  ASPERITY_FN touch_energy<S> energy(const vec<S, 2>& u, const touch<S>& in) const {
    const auto at = ground::look(u, in);
    const auto answer = respond(u, in, at);
    const S viscous = C_v * norm(in.slip - answer.rate);
    return ground::energy(u, answer.rate, in.slip, answer.f_t, viscous, at);
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> { return {}; }

  ASPERITY_FN S slip_margin(const vec<S, 2>& u, const touch<S>& in) const {
    const auto at = ground::look(u, in);
    return norm(at.stick) - mu * at.f;
  }

 private:
  ASPERITY_FN touch_response<S, 2> respond(const vec<S, 2>& u, const touch<S>& in,
                                           const typename ground::state_of_ground& at) const {
    const S zero = lit<S>(0.0);
    const auto [pull, direction] = to_polar(at.stick);
    const S excess = pull - mu * at.f;
    const S damping = math::max<S>(ground::tiny(), ground::D_t * at.root + C_v);
    const S clutch = math::select(zero < excess, S(excess / damping), zero);
    touch_response<S, 2> out;
    out.f_n = at.f;
    const vec<S, 2> recovering = ground::recovery(u, at);
    for (int i = 0; i < 2; ++i) {
      const S f = at.stick[i] - ground::D_t * at.root * clutch * direction[i];
      out.f_t[i] = math::select(zero < at.f, f, zero);
      out.rate[i] = math::select(zero < at.f, S(in.slip[i] - clutch * direction[i]), recovering[i]);
    }
    return out;
  }
};

}  // namespace asperity
