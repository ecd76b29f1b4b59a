// SPDX-License-Identifier: Apache-2.0
#pragma once

// One contact of two grains, or of a grain and a wall, over one step of LAMMPS. n points from the
// first body to the second, p is the gap, w the slip velocity of the second over the first, spin the
// difference of their angular velocities, R = R_1 R_2/(R_1 + R_2) or the radius of the grain at a
// wall, and f_n the force of the model of contact:
//
//   sliding     f_t = DAI friction of w,             at most mu f_n
//   rolling     f_r = DAI friction of R spin x n,    at most mu f_n,   torque -R n x f_r
//   twisting    f_s = DAI friction of R spin.n,      at most mu f_n,   torque -R f_s n
//
// The second body feels f_n n - f_t and both torques, the first the opposite, in the point half of
// the gap from either surface. Each law is a model of asperity/models; states go through its
// closed-form implicit step where it has one, and through Euler's otherwise.

#include <asperity/models/contact/dai_contact.hpp>
#include <asperity/models/contact/dai_contact_nonlinear.hpp>
#include <asperity/models/contact/hertz.hpp>
#include <asperity/models/contact/hunt_crossley.hpp>
#include <asperity/models/friction/dai.hpp>
#include <cmath>
#include <cstring>

namespace asperity::lammps {

using vector = vec<double, 3>;

// All that a contact remembers: the state of the normal model, and the deflections.
struct contact_memory {
  double e = 0;
  vector slid = {}, rolled = {};
  double twisted = 0;
};

// As plain numbers, for messages between ranks and for files.
inline constexpr int memory_numbers = 8;
static_assert(sizeof(contact_memory) == memory_numbers * sizeof(double));
inline void write_memory(const contact_memory& m, double* to) { std::memcpy(to, &m, sizeof m); }
inline contact_memory read_memory(const double* from) {
  contact_memory m;
  std::memcpy(static_cast<void*>(&m), from, sizeof m);
  return m;
}

// The same contact, seen from the other body. The slip changes its sign; spin x n and spin.n do not.
inline contact_memory mirrored(const contact_memory& m) {
  return {m.e, -1.0 * m.slid, m.rolled, m.twisted};
}

// DAI friction with a limit of mu times the normal force. K = 0: there is none.
struct resistance {
  double K = 0, beta = 0, mu = 0;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.parameter("K", K, newton / metre, positive, "presliding stiffness");
    card.parameter("beta", beta, second, positive, "damping over stiffness");
    card.parameter("mu", mu, one, non_negative, "limit over normal force");
  }
  bool acts() const { return K > 0; }
  dai_vector<double, 3, quick_ball> in_plane() const { return {K, mu, beta}; }
  dai<double> about_normal() const { return {K, mu, beta}; }
};

struct contact_motion {
  vector n;
  double gap = 0, gap_rate = 0;
  vector slip, spin;
  double R = 1;
};

// On the second body.
struct contact_effect {
  vector f = {}, torque = {};
};

// A deflection in the tangent plane goes along when the plane turns, and keeps its length.
inline vector carried(const vector& a, const vector& n) {
  const double off = dot(a, n), squared = dot(a, a);
  const vector flat = a - off * n;
  if (off * off <= 1e-24 * squared) return flat;
  const double left = dot(flat, flat);
  return left > 0 ? std::sqrt(squared / left) * flat : flat;
}

template <class Normal>
struct contact_law {
  Normal normal;
  resistance sliding, rolling, twisting;

  // Over a step of length h that ended with this motion. With h = 0 nothing is remembered: forces
  // as they are.
  contact_effect advance(contact_memory& m, const contact_motion& in, double h) const {
    const double f_n = press(m.e, in, h);
    const double load = math::max<double>(0.0, f_n);  // some laws pull while they part
    contact_effect out{f_n * in.n, {}};
    if (sliding.acts()) {
      const auto end = sliding.in_plane().step(carried(m.slid, in.n), in.slip, load, h);
      m.slid = end.a;
      out.f = out.f - end.f;
    }
    if (rolling.acts()) {
      const auto end =
          rolling.in_plane().step(carried(m.rolled, in.n), in.R * cross(in.spin, in.n), load, h);
      m.rolled = end.a;
      out.torque = -in.R * cross(in.n, end.f);
    }
    if (twisting.acts()) {
      const dai<double> law = twisting.about_normal();
      const double f = law.react({{m.twisted}}, load, h).solve(in.R * dot(in.spin, in.n), 0.0);
      m.twisted = law.settle({{m.twisted}}, f, h)[0];
      out.torque = out.torque - (in.R * f) * in.n;
    }
    return out;
  }

  double stored(const contact_memory& m, const contact_motion& in) const {
    double sum = normal.stored_energy(state_of(m.e), {in.gap, in.gap_rate});
    if (sliding.acts()) sum += sliding.in_plane().stored_energy(m.slid);
    if (rolling.acts()) sum += rolling.in_plane().stored_energy(m.rolled);
    if (twisting.acts()) sum += twisting.about_normal().stored_energy({{m.twisted}}, {});
    return sum;
  }

  // What is left of it after the bodies parted is too little to matter. `length` is a radius.
  bool has_faded(const contact_memory& m, double length) const {
    const double least = 1e-12 * length, squared = least * least;
    double normal_least = least;
    if constexpr (requires { normal.lambda; })
      normal_least = 1e-12 * math::power<double>(length, normal.lambda);
    return std::abs(m.e) <= normal_least && dot(m.slid, m.slid) <= squared &&
           dot(m.rolled, m.rolled) <= squared && std::abs(m.twisted) <= least;
  }

 private:
  static constexpr int states = Normal::states;
  static_assert(states <= 1);
  static vec<double, states> state_of(double e) {
    vec<double, states> state;
    if constexpr (states == 1) state[0] = e;
    return state;
  }

  double press(double& e, const contact_motion& in, double h) const {
    if constexpr (requires { normal.react(state_of(e), 1.0, h); }) {
      const double f = normal.react({{e}}, 1.0, h).solve(in.gap, 0.0);
      e = normal.settle({{e}}, f, h)[0];
      return f;
    } else {
      const auto answer = normal(state_of(e), {in.gap, in.gap_rate});
      if constexpr (states == 1) e += h * answer.rate[0];
      return answer.f;
    }
  }
};

}  // namespace asperity::lammps
