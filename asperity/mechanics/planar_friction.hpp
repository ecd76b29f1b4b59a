// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a rigid body on a plane feels by its friction: G' f(G u), where u are the velocities of its
// centre of mass q = (x, y, theta), and G maps them to the twist of the contact. Where the patch lies
// under the centre of mass and moves with it (`carried`), G is a rotation at most. Where the patch is
// a pair of pads that stands still at the origin while the object moves past it (`gripped`), its
// twist is that of the object at the origin.
//
// A friction is a policy with
//
//   int states() const
//   void initial(q, S* z) const
//   vec<S, 3> respond(q, u, z, load, rate) const        G' f; rates of z where `rate` is not null
//   bool stage(const planar_stage<S>&, z, z_end, u) const    optional: the end of an implicit step
//   double least_load() const           that its states need (respond.hpp); 0: none
//
// Those below wrap every planar law. A stage that was not solved answers false: the run ends there.
// Systems ask them by respond_under_load and stage_under_load: a contact without load is open.

#include <asperity/mechanics/coulomb_stage.hpp>
#include <asperity/mechanics/planar_rates.hpp>
#include <asperity/models/planar/planar_elastoplastic.hpp>
#include <asperity/nonsmooth/prox.hpp>
#include <asperity/patch/onset_of_sliding.hpp>
#include <asperity/patch/patch_dai.hpp>
#include <asperity/patch/patch_lugre.hpp>

namespace asperity {

enum class planar_mount { carried, gripped };

namespace detail {

template <class S>
struct planar_map {
  vec<S, 3> row[3];

  vec<S, 3> operator()(const vec<S, 3>& u) const {
    return {{dot(row[0], u), dot(row[1], u), dot(row[2], u)}};
  }
  vec<S, 3> transposed(const vec<S, 3>& f) const {
    return f[0] * row[0] + f[1] * row[1] + f[2] * row[2];
  }
};

// Twist of the contact in axes that do not turn (angle = 0), or turned by an angle.
template <class S>
planar_map<S> contact_map(planar_mount mount, const vec<S, 3>& q, const S& angle) {
  const S zero = lit<S>(0.0), one = lit<S>(1.0);
  const bool held = mount == planar_mount::gripped;
  const vec<S, 3> along_x{{one, zero, held ? q[1] : zero}},
      along_y{{zero, one, held ? -q[0] : zero}};
  const S c = math::cos<S>(angle), s = math::sin<S>(angle);
  return {{c * along_x + s * along_y, c * along_y - s * along_x, {{zero, zero, one}}}};
}

// The same for laws that know the place: anchors lie on the surface, or in the object that the pads
// hold. Seen from there, the pads move.
inline vec<double, 3> place_on_surface(planar_mount mount, const vec<double, 3>& q) {
  if (mount == planar_mount::carried) return q;
  const double c = std::cos(q[2]), s = std::sin(q[2]);
  return {{-(c * q[0] + s * q[1]), -(c * q[1] - s * q[0]), -q[2]}};
}
inline planar_map<double> map_to_surface(planar_mount mount, const vec<double, 3>& q) {
  if (mount == planar_mount::carried) return contact_map<double>(mount, q, 0.0);
  auto G = contact_map<double>(mount, q, q[2]);
  for (auto& row : G.row) row = -1.0 * row;
  return G;
}

}  // namespace detail

// ---- contacts that may open ---------------------------------------------------------------------

// In an open contact nothing is stretched: its states are those of one that is put down there.
template <class Friction>
bool stage_under_load(const Friction& friction, const planar_stage<double>& s, const double* z,
                      double* z_end, vec<double, 3>& u) {
  if (s.load > 0) return friction.stage(s, z, z_end, u);
  u = s.u_free;
  friction.initial(s.q + s.h * u, z_end);
  return true;
}

// ---- three bristle states: planar_lugre, planar_elastoplastic -----------------------------------

template <scalar S, class Law>
struct bristle_friction {
  Law law;
  planar_mount mount = planar_mount::carried;
  bool turns_with_body = false;  // for couplings that prefer a direction

  int states() const { return 3; }
  static double least_load() { return least_load_of_bristles; }
  void initial(const vec<S, 3>&, S* z) const { z[0] = z[1] = z[2] = lit<S>(0.0); }
  vec<S, 3> respond(const vec<S, 3>& q, const vec<S, 3>& u, const S* z, const S& load,
                    S* rate) const {
    const auto G = detail::contact_map<S>(mount, q, turns_with_body ? q[2] : lit<S>(0.0));
    const auto answer = law({{z[0], z[1], z[2]}}, G(u), load);
    if (rate != nullptr)
      for (int i = 0; i < 3; ++i) rate[i] = answer.rate[i];
    return G.transposed(answer.f);
  }
  S stored(const vec<S, 3>&, const S* z) const { return law.stored_energy({{z[0], z[1], z[2]}}); }
};

// ---- Coulomb friction, exact in sticking and slipping -------------------------------------------

// A uniform disc under the centre of mass. At rest it holds up to F_s, in motion F_c acts.
struct disc_friction {
  disc_coulomb<double> law;
  double F_s = 1;

  int states() const { return 0; }
  static double least_load() { return 0; }
  void initial(const vec<double, 3>&, double*) const {}
  vec<double, 3> respond(const vec<double, 3>&, const vec<double, 3>& u, const double*, double load,
                         double*) const {
    return load * law(u);
  }
  bool stage(const planar_stage<double>& s, const double*, double*, vec<double, 3>& u) const {
    const double F = law.F_c * s.load, R = law.R;
    const auto [stop, along] = to_polar(
        vec<double, 2>{{s.inertia[0] * s.u_free[0] / s.h, s.inertia[1] * s.u_free[1] / s.h}});
    const double twist_stop = s.inertia[2] * s.u_free[2] / s.h;
    const bool at_rest = s.u[0] == 0 && s.u[1] == 0 && s.u[2] == 0;
    const double force = stop / F, torque = std::abs(twist_stop) / (F * R);
    u = {};
    const auto limit = detail::limit_ratio(force, torque);
    if (disc_gauge(force, torque, limit) <= (at_rest ? std::max(1.0, F_s / law.F_c) : 1.0))
      return true;
    const double kappa = s.inertia[2] / (s.inertia[0] * R * R);
    const auto shares = detail::moving(force, torque, kappa, limit).eps.shares();
    const double speed = s.h / s.inertia[0] * F * std::max(0.0, force - shares.F);
    const double spin = s.h / s.inertia[2] * F * R * std::max(0.0, torque - shares.T);
    u = {{speed * along[0], speed * along[1], twist_stop < 0 ? -spin : spin}};
    return true;
  }
};

// The same with an ellipsoidal limit surface: its projection, in the metric of the inertias.
struct ellipsoid_friction {
  limit_surface_ellipsoid<double> law;
  double F_s = 1;

  int states() const { return 0; }
  static double least_load() { return 0; }
  void initial(const vec<double, 3>&, double*) const {}
  vec<double, 3> respond(const vec<double, 3>&, const vec<double, 3>& u, const double*, double load,
                         double*) const {
    return load * law(u);
  }
  bool stage(const planar_stage<double>& s, const double*, double*, vec<double, 3>& u) const {
    const double F = law.F_c * s.load;
    wrench<double> stop;
    vec<double, 3> semi{{F, F, F * law.arm()}}, wanted, root;
    for (int i = 0; i < 3; ++i) {
      stop[i] = s.inertia[i] * s.u_free[i] / s.h;
      root[i] = std::sqrt(s.inertia[i]);
      semi[i] /= root[i];
      wanted[i] = stop[i] / root[i];
    }
    const bool at_rest = s.u[0] == 0 && s.u[1] == 0 && s.u[2] == 0;
    u = {};
    if (law.gauge((1 / s.load) * stop) <= (at_rest ? std::max(1.0, F_s / law.F_c) : 1.0))
      return true;
    const auto held = ellipsoid<double, 3>{semi}.prox(wanted);
    for (int i = 0; i < 3; ++i) u[i] = s.h / root[i] * (wanted[i] - held[i]);
    return true;
  }
};

// Coulomb friction of any contact, under the body or between pads, by what it does in motion.
struct support_friction {
  support_function law;     // at load 1; depends on the direction of the twist alone
  double F_s_over_F_c = 1;  // it holds that much more at rest
  planar_mount mount = planar_mount::carried;
  bool turns_with_body = false;  // for contacts that prefer a direction

  int states() const { return 0; }
  static double least_load() { return 0; }
  void initial(const vec<double, 3>&, double*) const {}
  vec<double, 3> respond(const vec<double, 3>& q, const vec<double, 3>& u, const double*,
                         double load, double*) const {
    const auto G = map(q);
    return load * G.transposed(law(G(u)));
  }
  bool stage(const planar_stage<double>& s, const double*, double*, vec<double, 3>& u) const {
    const auto G = map(s.q);
    const bool at_rest = s.u[0] == 0 && s.u[1] == 0 && s.u[2] == 0;
    return solve_coulomb_stage({s.inertia,
                                {G.row[0], G.row[1], G.row[2]},
                                s.u_free,
                                s.h,
                                at_rest ? s.load * std::max(1.0, F_s_over_F_c) : s.load,
                                s.load},
                               law, u);
  }
  detail::planar_map<double> map(const vec<double, 3>& q) const {
    return detail::contact_map<double>(mount, q, turns_with_body ? q[2] : 0.0);
  }
};

// ---- distributed laws ---------------------------------------------------------------------------

struct patch_lugre_friction {
  patch_lugre law;
  planar_mount mount = planar_mount::carried;

  int states() const { return law.states(); }
  static double least_load() { return least_load_of_bristles; }
  void initial(const vec<double, 3>&, double* z) const { std::fill_n(z, law.states(), 0.0); }
  vec<double, 3> respond(const vec<double, 3>& q, const vec<double, 3>& u, const double* z,
                         double load, double* rate) const {
    const auto G =
        detail::contact_map<double>(mount, q, mount == planar_mount::carried ? q[2] : 0.0);
    return G.transposed(law.respond(z, G(u), load, rate));
  }
  double stored(const vec<double, 3>&, const double* z) const { return law.stored_energy(z); }
};

struct patch_dai_friction {
  patch_dai law;
  planar_mount mount = planar_mount::carried;

  int states() const { return law.states(); }
  static double least_load() { return 0; }
  void initial(const vec<double, 3>& q, double* z) const { law.initial(place(q), z); }
  vec<double, 3> respond(const vec<double, 3>& q, const vec<double, 3>& u, const double* z,
                         double load, double* rate) const {
    const auto G = map(q);
    return G.transposed(law.respond(place(q), z, G(u), load, rate));
  }
  bool stage(const planar_stage<double>& s, const double* z, double* z_end,
             vec<double, 3>& u) const {
    const auto G = map(s.q);
    const auto result = law.step({s.inertia, {G.row[0], G.row[1], G.row[2]}}, place(s.q), s.u,
                                 s.u_free, s.load, s.h, z, z_end);
    u = result.u;
    return result.converged;
  }
  double slipping(const vec<double, 3>& q, const vec<double, 3>& u, const double* z,
                  double load) const {
    return law.slipping(place(q), z, map(q)(u), load);
  }
  double stored(const vec<double, 3>& q, const double* z) const {
    return law.stored_energy(place(q), z);
  }
  std::vector<double> utilisation(const vec<double, 3>& q, const vec<double, 3>& u, const double* z,
                                  double load) const {
    std::vector<double> result(static_cast<std::size_t>(law.cells()));
    law.utilisation(place(q), z, map(q)(u), load, result.data());
    return result;
  }

  vec<double, 3> place(const vec<double, 3>& q) const { return detail::place_on_surface(mount, q); }
  detail::planar_map<double> map(const vec<double, 3>& q) const {
    return detail::map_to_surface(mount, q);
  }
};

// ---- any law of the catalogue -------------------------------------------------------------------

struct model_friction {
  any_model law;
  planar_mount mount = planar_mount::carried;

  int states() const { return law.states(); }
  double least_load() const { return law.states() > 0 ? least_load_of_bristles : 0; }
  void initial(const vec<double, 3>& q, double* z) const { law.initial(port_at(q, {}, 1).in, z); }
  vec<double, 3> respond(const vec<double, 3>& q, const vec<double, 3>& u, const double* z,
                         double load, double* rate) const {
    std::vector<double> unused(rate == nullptr ? static_cast<std::size_t>(states()) : 0);
    const auto G = detail::map_to_surface(mount, q);
    vec<double, 3> f;
    law.respond(port_at(q, G(u), load).in, z, &f[0], rate == nullptr ? unused.data() : rate);
    return G.transposed(f);
  }
  double stored(const vec<double, 3>& q, const double* z) const {
    return law.has_energy() ? law.stored_energy(port_at(q, {}, 1).in, z) : 0;
  }

 private:
  struct inputs {
    double in[7];
  };
  inputs port_at(const vec<double, 3>& q, const twist<double>& t, double load) const {
    const auto at = detail::place_on_surface(mount, q);
    return {{at[0], at[1], at[2], t[0], t[1], t[2], load}};
  }
};

}  // namespace asperity
