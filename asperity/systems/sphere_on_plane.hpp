// SPDX-License-Identifier: Apache-2.0
#pragma once

// A sphere over a plane in space: it falls, bounces, slips, spins and rolls. The plane is z = 0,
// which may be tilted so that it falls towards +x; its normal is +z.
//
//   m v' = m g + (-f_t, f_n)
//   I omega' = torque - omega x I omega,   torque = (0, 0, -R) x (-f_t, f_n)
//   q' = omega q/2 + |omega| (1 - |q|^2) q/2
//
// The last term is 0 for a unit quaternion and draws a rounded one back, by a factor e for each
// radian turned, so that any method keeps it unit to its accuracy; after steps of fixed length it
// is made unit. y = (x y z, v, omega, q, states of the contact), omega in axes that do not turn, q
// from the body's axes to them.

#include <asperity/mechanics/gravity.hpp>
#include <asperity/mechanics/touch_respond.hpp>

namespace asperity {

// A contact with a reaction in closed form. Its states are asked for first: one chosen by name, or for
// many systems at once, has no number of them here.
template <class Contact, class S>
concept reacts_to_touch = requires {
  Contact::states;
}
&&requires(const Contact& c, vec<S, Contact::states> s, touch_mechanics<S> in, S step) {
  c.react(s, in, step);
};

// Isotropic: the three moments of inertia are the same (any uniform sphere). Otherwise they are
// those of an unevenly filled sphere whose centre of mass is its centre.
template <class S, class Contact, bool Isotropic = true>
struct sphere_on_plane {
  Contact contact;
  S m = lit<S>(1.0), R = lit<S>(0.5);
  S g_x = lit<S>(0.0), g_z = lit<S>(usual_gravity);         // gravity down the plane and into it
  vec<S, 3> I = {{lit<S>(0.1), lit<S>(0.1), lit<S>(0.1)}};  // principal moments; 2/5 m R^2

  static constexpr int mechanical = 13;
  static constexpr int capacity = mechanical + state_capacity<Contact>;
  ASPERITY_FN int size() const { return mechanical + state_count(contact); }

  static ASPERITY_FN vec<S, 3> solid(const S& mass, const S& radius) {
    const S i = lit<S>(0.4) * mass * radius * radius;
    return {{i, i, i}};
  }

  ASPERITY_FN touch<S> touch_at(const S* y) const {
    return {y[2] - R, y[5], {{y[3] - R * y[7], y[4] + R * y[6]}}};
  }

  ASPERITY_FN void rates(const S&, const S* y, S* rate) const {
    const auto f = touch_respond(contact, y + mechanical, touch_at(y), rate + mechanical);
    for (int i = 0; i < 3; ++i) rate[i] = y[3 + i];
    const S per_mass = lit<S>(1.0) / m;
    rate[3] = g_x - f.f_t[0] * per_mass;
    rate[4] = -(f.f_t[1] * per_mass);
    rate[5] = f.f_n * per_mass - g_z;
    const vec<S, 3> torque{{-(R * f.f_t[1]), R * f.f_t[0], lit<S>(0.0)}};
    const vec<S, 3> turning = spin_rate(y, torque);
    for (int i = 0; i < 3; ++i) rate[6 + i] = turning[i];
    const vec<S, 3> omega{{y[6], y[7], y[8]}};
    const S half = lit<S>(0.5), size_2 = square_of(y + 9);
    const S back = half * math::sqrt<S>(dot(omega, omega)) * (lit<S>(1.0) - size_2);
    S turned[4];
    turn(omega, y + 9, turned);
    for (int i = 0; i < 4; ++i) rate[9 + i] = half * turned[i] + back * y[9 + i];
  }

  // Backward Euler in closed form: first the normal force, then the friction that it allows.
  ASPERITY_FN void solve_stage(const S&, const S& h, const S* start, S* y) const
      requires(Isotropic&& reacts_to_touch<Contact, S>) {
    const S per_mass = h / m, per_inertia = h * R / I[0];
    const S vx = start[3] + h * g_x, vy = start[4], vz = start[5] - h * g_z;
    const touch_mechanics<S> mechanics{start[2] + h * vz - R,
                                       {{vx - R * start[7], vy + R * start[6]}},
                                       h * per_mass,
                                       per_mass + R * per_inertia};
    const auto state = gather(contact, start + mechanical);
    const auto f = contact.react(state, mechanics, h);
    const auto settled = contact.settle(state, f, h);
    // A deflection that dies away while the sphere rolls ends at 0, and not among the denormal
    // numbers, over which processors take a hundred times as long.
    const S least = lit<S>(std::is_same_v<S, float> ? 1e-30 : 1e-300);
    for (int i = 0; i < Contact::states; ++i)
      y[mechanical + i] = math::select(math::abs<S>(settled[i]) < least, lit<S>(0.0), settled[i]);
    y[3] = vx - per_mass * f.f_t[0];
    y[4] = vy - per_mass * f.f_t[1];
    y[5] = vz + per_mass * f.f_n;
    for (int i = 0; i < 3; ++i) y[i] = start[i] + h * y[3 + i];
    y[6] = start[6] - per_inertia * f.f_t[1];
    y[7] = start[7] + per_inertia * f.f_t[0];
    y[8] = start[8];
    turn_implicitly({{y[6], y[7], y[8]}}, h, start + 9, y + 9);
  }

  ASPERITY_FN void tidy(S* y) const {
    const S scale = lit<S>(1.0) / math::sqrt<S>(square_of(y + 9));
    for (int i = 9; i < 13; ++i) y[i] = scale * y[i];
  }

  // ---- energy -----------------------------------------------------------------------------------

  energy_terms energy_terms_of(const std::string& model) const {
    energy_terms result{{"kinetic", "rotational", "potential"}, {}, {}};
    touch_energy_terms(contact, model, result);
    return result;
  }
  void energies(double, const double* y, double* out) const {
    const vec<double, 3> v{{y[3], y[4], y[5]}}, omega{{y[6], y[7], y[8]}};
    out[0] = 0.5 * m * dot(v, v);
    out[1] = 0.5 * dot(omega, momentum(y, omega));
    out[2] = m * (g_z * (y[2] - R) - g_x * y[0]);
    touch_stores(contact, y + mechanical, touch_at(y), out + 3);
  }
  void powers(double, const double* y, double* out) const {
    touch_powers(contact, y + mechanical, touch_at(y), out);
  }

  // Angular momentum about the centre, in axes that do not turn.
  ASPERITY_FN vec<S, 3> momentum(const S* y, const vec<S, 3>& omega) const {
    if constexpr (Isotropic) return I[0] * omega;
    return rotated(y + 9, scaled(unrotated(y + 9, omega)));
  }

 private:
  static ASPERITY_FN S square_of(const S* q) {
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  }
  ASPERITY_FN vec<S, 3> scaled(const vec<S, 3>& w) const {
    return {{I[0] * w[0], I[1] * w[1], I[2] * w[2]}};
  }
  // Product of the quaternions (0, omega) and q.
  static ASPERITY_FN void turn(const vec<S, 3>& w, const S* q, S* out) {
    out[0] = -(w[0] * q[1] + w[1] * q[2] + w[2] * q[3]);
    out[1] = w[0] * q[0] + w[1] * q[3] - w[2] * q[2];
    out[2] = w[1] * q[0] + w[2] * q[1] - w[0] * q[3];
    out[3] = w[2] * q[0] + w[0] * q[2] - w[1] * q[1];
  }
  // The vector a turned by q/|q|, and back.
  static ASPERITY_FN vec<S, 3> rotated(const S* q, const vec<S, 3>& a) {
    const vec<S, 3> b{{q[1], q[2], q[3]}};
    const S two = lit<S>(2.0) / square_of(q);
    const vec<S, 3> t = cross(b, a);
    return a + two * (q[0] * t + cross(b, t));
  }
  static ASPERITY_FN vec<S, 3> unrotated(const S* q, const vec<S, 3>& a) {
    const S back[4] = {q[0], -q[1], -q[2], -q[3]};
    return rotated(back, a);
  }

  ASPERITY_FN vec<S, 3> spin_rate(const S* y, const vec<S, 3>& torque) const {
    if constexpr (Isotropic) {
      return (lit<S>(1.0) / I[0]) * torque;
    } else {
      const vec<S, 3> w = unrotated(y + 9, {{y[6], y[7], y[8]}});
      const vec<S, 3> driving = unrotated(y + 9, torque) - cross(w, scaled(w));
      return rotated(y + 9, {{driving[0] / I[0], driving[1] / I[1], driving[2] / I[2]}});
    }
  }

  // q = q_0 + h q'(q). With s = |q|^2 and A = 1 - h |omega| (1 - s)/2 the solution is a multiple of
  // (A + h omega/2) q_0, and s (A^2 + (h |omega|/2)^2) = |q_0|^2 says how long it is.
  static ASPERITY_FN void turn_implicitly(const vec<S, 3>& omega, const S& h, const S* from,
                                          S* to) {
    const S half = lit<S>(0.5), one = lit<S>(1.0), two = lit<S>(2.0);
    const S angle = half * h * math::sqrt<S>(dot(omega, omega)), length = square_of(from);
    S s = one;
    for (int i = 0; i < 4; ++i) {
      const S A = one - angle * (one - s), whole = A * A + angle * angle;
      s = s - (s * whole - length) / (whole + two * s * A * angle);
    }
    const S A = one - angle * (one - s);
    S turned[4];
    turn(omega, from, turned);
    const S scale = one / (A * A + angle * angle);
    for (int i = 0; i < 4; ++i) to[i] = scale * (A * from[i] + half * h * turned[i]);
  }
};

// The mechanics inside a system with a contact with friction of the catalogue, which makes no choice
// between branches; null where it is another one.
struct named_sphere {
  any_model contact;
  double m, R, g_x, g_z;
  vec<double, 3> I;
  bool is_isotropic;
};
class system;
const named_sphere* sphere_on_plane_in(const system&);

}  // namespace asperity
