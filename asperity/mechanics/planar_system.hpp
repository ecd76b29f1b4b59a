// SPDX-License-Identifier: Apache-2.0
#pragma once

// Planar systems put together at run time: a body on a surface, an object in a gripper, a contact
// that is moved.

#include <asperity/mechanics/composed_system.hpp>
#include <asperity/mechanics/planar_friction.hpp>
#include <asperity/mechanics/signal.hpp>
#include <asperity/mechanics/system_parts.hpp>
#include <functional>
#include <memory>
#include <optional>

namespace asperity {

// A friction policy of planar_body chosen at run time.
class planar_friction {
 public:
  virtual ~planar_friction() = default;
  virtual int states() const = 0;
  // Those that are shown as columns; the rest are the cells of a patch.
  virtual std::vector<system_quantity> shown_states() const = 0;
  virtual double least_load() const = 0;
  virtual void initial(const vec<double, 3>& q, double* z) const = 0;
  virtual vec<double, 3> respond(const vec<double, 3>& q, const vec<double, 3>& u, const double* z,
                                 double load, double* rate) const = 0;
  virtual bool has_stage() const = 0;
  virtual bool stage(const planar_stage<double>&, const double* z, double* z_end,
                     vec<double, 3>& u) const = 0;
  // Energy in its springs [J].
  virtual double stored(const vec<double, 3>& q, const double* z) const = 0;
  // Set-valued at rest: what it feels there is what holds it.
  virtual bool is_set_valued() const = 0;
  // Share of the load on cells that slip; below 0 where the law does not know.
  virtual double slipping(const vec<double, 3>& q, const vec<double, 3>& u, const double* z,
                          double load) const = 0;
  // |pull|/limit of every cell, for pictures; empty where there are no cells.
  virtual std::vector<double> utilisation(const vec<double, 3>& q, const vec<double, 3>& u,
                                          const double* z, double load) const = 0;
  virtual const patch_dai* cells() const = 0;
};

template <class Policy>
class friction_of final : public planar_friction {
  using v3 = vec<double, 3>;

 public:
  explicit friction_of(Policy policy) : policy_(std::move(policy)) {}
  int states() const override { return policy_.states(); }
  std::vector<system_quantity> shown_states() const override {
    if constexpr (requires { policy_.law.state_scale(); }) {
      const auto scale = policy_.law.state_scale();
      return {{"z_x", units::metre, scale[0]},
              {"z_y", units::metre, scale[1]},
              {"z_theta", units::metre, scale[2]}};
    }
    if constexpr (std::is_same_v<Policy, model_friction>)  // cells of a patch have no names
      if (policy_.law.functions().at_port.cells == nullptr)
        return states_of_model(policy_.law, "").states;
    return {};
  }
  double least_load() const override { return policy_.least_load(); }
  void initial(const v3& q, double* z) const override { policy_.initial(q, z); }
  v3 respond(const v3& q, const v3& u, const double* z, double load, double* rate) const override {
    return policy_.respond(q, u, z, load, rate);
  }
  bool has_stage() const override { return steps; }
  bool stage(const planar_stage<double>& s, const double* z, double* z_end, v3& u) const override {
    if constexpr (steps) return policy_.stage(s, z, z_end, u);
    return false;
  }
  double stored(const v3& q, const double* z) const override {
    if constexpr (requires { policy_.stored(q, z); }) return policy_.stored(q, z);
    return 0;
  }
  // Coulomb friction: it steps, and has nothing to remember.
  bool is_set_valued() const override { return steps && states() == 0; }
  double slipping(const v3& q, const v3& u, const double* z, double load) const override {
    if constexpr (has_cells) return policy_.slipping(q, u, z, load);
    return !is_set_valued() ? -1 : u[0] != 0 || u[1] != 0 || u[2] != 0 ? 1 : 0;
  }
  std::vector<double> utilisation(const v3& q, const v3& u, const double* z,
                                  double load) const override {
    if constexpr (has_cells) return policy_.utilisation(q, u, z, load);
    return {};
  }
  const patch_dai* cells() const override {
    if constexpr (has_cells) return &policy_.law;
    return nullptr;
  }
  const Policy& policy() const { return policy_; }

 private:
  static constexpr bool steps = requires(const Policy& p, planar_stage<double> s, double* z, v3 u) {
    p.stage(s, z, z, u);
  };
  static constexpr bool has_cells = std::is_same_v<Policy, patch_dai_friction>;
  Policy policy_;
};

template <class Policy>
std::unique_ptr<planar_friction> make_friction(Policy policy) {
  return std::make_unique<friction_of<Policy>>(std::move(policy));
}
template <class Law>
std::unique_ptr<planar_friction> make_bristle_friction(const Law& law, planar_mount mount,
                                                       bool turns_with_body) {
  return make_friction(bristle_friction<double, Law>{law, mount, turns_with_body});
}

struct planar_setup {
  const char* kind = "planar_body";
  planar_mount mount = planar_mount::carried;  // of its friction
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
  // Cells that hold a body without drift; nothing where it is moved, or has none.
  struct hold {
    double along, about;  // own frequencies of the body on them [rad/s]
    double deflection;    // of the cells, at most [m]
    double reach;         // of the farthest cell from the centre of mass [m]
    bool is_thrown;       // it starts faster than any swing that loads them by more than its push:
                          // those are below sqrt(2) times its own frequency
    // Of what they hold at rest, what the pushes take at most where it lies as at its start.
    std::function<double()> share;
  };
  virtual std::optional<hold> what_holds(const double* start, double duration) const = 0;
};
std::shared_ptr<planar_contact_system> make_planar_system(planar_setup);
// What it was made of; null where it is another system.
const planar_setup* planar_setup_in(const system&);

}  // namespace asperity
