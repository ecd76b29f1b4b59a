// SPDX-License-Identifier: Apache-2.0
#pragma once

// Planar systems put together at run time: a body on a surface, an object in a gripper, a contact
// that is moved.

#include <asperity/mechanics/composed_system.hpp>
#include <asperity/mechanics/planar_friction.hpp>
#include <asperity/mechanics/signal.hpp>
#include <memory>

namespace asperity {

// A friction policy of planar_body chosen at run time.
class planar_friction {
 public:
  virtual ~planar_friction() = default;
  virtual int states() const = 0;
  // Those that are shown as columns; the rest are the cells of a patch.
  virtual std::vector<system_quantity> shown_states() const { return {}; }
  virtual double least_load() const = 0;
  virtual void initial(const vec<double, 3>& q, double* z) const = 0;
  virtual vec<double, 3> respond(const vec<double, 3>& q, const vec<double, 3>& u, const double* z,
                                 double load, double* rate) const = 0;
  virtual bool has_stage() const { return false; }
  virtual bool stage(const planar_stage<double>&, const double* /*z*/, double* /*z_end*/,
                     vec<double, 3>& /*u*/) const {
    return false;
  }
  // Energy in its springs [J].
  virtual double stored(const vec<double, 3>& q, const double* z) const = 0;
  // Set-valued at rest: what it feels there is what holds it.
  virtual bool is_set_valued() const { return false; }
  // Share of the load on cells that slip; below 0 where the law does not know.
  virtual double slipping(const vec<double, 3>&, const vec<double, 3>&, const double*,
                          double) const {
    return -1;
  }
  // |pull|/limit of every cell, for pictures; empty where there are no cells.
  virtual std::vector<double> utilisation(const vec<double, 3>&, const vec<double, 3>&,
                                          const double*, double) const {
    return {};
  }
  virtual const patch_dai* cells() const { return nullptr; }
};

std::unique_ptr<planar_friction> make_friction(disc_friction);
std::unique_ptr<planar_friction> make_friction(ellipsoid_friction);
std::unique_ptr<planar_friction> make_friction(support_friction);
std::unique_ptr<planar_friction> make_friction(patch_lugre_friction);
std::unique_ptr<planar_friction> make_friction(patch_dai_friction);
std::unique_ptr<planar_friction> make_friction(model_friction);
template <class Law>
std::unique_ptr<planar_friction> make_bristle_friction(const Law& law, planar_mount mount,
                                                       bool turns_with_body);
struct planar_setup {
  const char* kind = "planar_body";
  std::shared_ptr<const planar_friction> friction;
  double m = 1, I = 1;  // [kg], [kg m^2]
  double R = 1;         // radius by which eps = |v|/(R |omega|) is formed [m]
  double gravity = 0;   // along -y [m/s^2]
  signal push[3];       // force [N], torque [N m]
  signal motion[3];     // of a contact that is moved: velocities
  bool is_moved = false;
  signal load = signal::constant(1);
  vec<double, 3> q{}, u{};  // initial
};

// A planar system lets one look into its cells.
class planar_contact_system : public composed_system {
 public:
  virtual const patch_dai* cells() const = 0;  // nullptr where it has none
  // |pull|/limit of every cell in a state.
  virtual std::vector<double> utilisation(double t, const double* y, workspace&) const = 0;
};
std::shared_ptr<planar_contact_system> make_planar_system(planar_setup);

// ---- bristles -----------------------------------------------------------------------------------

template <class Law>
class named_bristle_friction : public planar_friction {
 public:
  explicit named_bristle_friction(bristle_friction<double, Law> policy)
      : policy_(std::move(policy)) {}
  int states() const override { return 3; }
  std::vector<system_quantity> shown_states() const override {
    const double scale = policy_.law.g.highest() / policy_.law.sigma_0;
    return {{"z_x", units::metre, scale},
            {"z_y", units::metre, scale},
            {"z_theta", units::metre, scale}};
  }
  double least_load() const override { return policy_.least_load(); }
  void initial(const vec<double, 3>& q, double* z) const override { policy_.initial(q, z); }
  vec<double, 3> respond(const vec<double, 3>& q, const vec<double, 3>& u, const double* z,
                         double load, double* rate) const override {
    return policy_.respond(q, u, z, load, rate);
  }
  double stored(const vec<double, 3>&, const double* z) const override {
    return policy_.law.stored_energy({{z[0], z[1], z[2]}});
  }

 private:
  bristle_friction<double, Law> policy_;
};

template <class Law>
std::unique_ptr<planar_friction> make_bristle_friction(const Law& law, planar_mount mount,
                                                       bool turns_with_body) {
  return std::make_unique<named_bristle_friction<Law>>(
      bristle_friction<double, Law>{law, mount, turns_with_body});
}

}  // namespace asperity
