// SPDX-License-Identifier: Apache-2.0
#pragma once

// A contact patch of distributed DAI elements: every cell is a spring-damper of two components in
// series with a rigid slider whose limit follows a Stribeck curve with a lag, and carries its share
// of the load. In a cell at p with velocity v, deflection a = p - b and anchor b on the surface:
//
//   f = share (K a + K beta a_dot),  f in share Z Sgn(b_dot)        Theorem 1 solves it:
//   f = share sat(Z, K (a + beta v)) + share sigma_2 v                                        [N]
//   b_dot = v - a_dot:  0 while it sticks, K beta b_dot = pull - sat(Z, pull) while it slips
//   Z = gamma load,  tau_d gamma_dot = g(|v|) - gamma  (tau_d = 0: gamma = g(|v|))
//
// The state is the anchor, not the deflection: a cell that sticks keeps it bit by bit, however the
// body turns and swings, so nothing can drift.

#include <algorithm>
#include <array>
#include <asperity/models/curve/stribeck_exponential.hpp>
#include <asperity/patch/patch_kernels.hpp>
#include <asperity/patch/patch_shape.hpp>

namespace asperity {

class patch_dai {
 public:
  struct parameters {
    double K = 1e5, beta = 1e-3, tau_d = 0;
    stribeck_exponential<double> g{.F_c = 1, .F_s = 1};

    template <class Card>
    void describe(Card& card) {
      using namespace units;
      card.about("DAI friction distributed over a patch",
                 "ours; elements of Xiong, Kikuuwe and Yamamoto 2013",
                 odd | passive | bounded | continuous | no_drift);
      card.parameter("K", K, newton / metre, positive, "presliding stiffness of the whole patch");
      card.parameter("beta", beta, second, positive, "damping over stiffness");
      card.parameter("tau_d", tau_d, second, non_negative, "lag of the friction level; 0: none");
      card.part(g);
      card.state_list("b_x", metre, "anchors along x, one per cell");
      card.state_list("b_y", metre, "anchors along y, one per cell");
      if (tau_d > 0)
        card.state_list("gamma", newton, "friction levels, one per cell", non_negative);
    }
  };

  patch_dai(const contact_patch& patch, int cells_along, const parameters& with);

  int cells() const { return cells_; }
  // States: anchors along x, along y, and with a lag the levels gamma; `stride` of each, of which
  // the first cells() are in use.
  int stride() const { return stride_; }
  int states() const { return (with_.tau_d > 0 ? 3 : 2) * stride_; }
  const double* x() const { return x_.data(); }
  const double* y() const { return y_.data(); }
  const double* share() const { return share_.data(); }
  const parameters& with() const { return with_; }
  double cell_width() const { return cell_width_; }
  double cell_height() const { return cell_height_; }

  vec<double, 2> wrench_bound(const planar_drive<double>& in) const {
    const double speed = std::hypot(in.moving[0], in.moving[1]), spin = std::abs(in.moving[2]);
    const double off = std::hypot(centre_.x, centre_.y), most = with_.g.highest() * in.load;
    return {{most + with_.g.sigma_2 * (speed + off * spin),
             reach_ * most + with_.g.sigma_2 * (off * speed + square_ * spin)}};
  }

  // At rest and unloaded at the place (x, y, theta) of the patch on the surface.
  void initial(const vec<double, 3>& place, double* states) const;

  // The wrench about the patch's origin in the axes of the surface, and the rates of the states
  // where `rate` is not null.
  wrench<double> respond(const vec<double, 3>& place, const double* states, const twist<double>&,
                         double load, double* rate) const;

  // |pull|/Z of every cell: above 1 where it slips.
  void utilisation(const vec<double, 3>& place, const double* states, const twist<double>&,
                   double load, double* out) const;
  // Share of the load on cells that slip.
  double slipping(const vec<double, 3>& place, const double* states, const twist<double>&,
                  double load) const;
  // Energy in the springs [J].
  double stored_energy(const vec<double, 3>& place, const double* states) const;

  // One implicit step of a rigid body on the patch. Its velocities u (three of them, with inertias
  // M) move the patch with the twist G u; without friction they would end at u_free:
  //
  //   M (u - u_free) + h G' wrench(G u) = 0
  //
  // is the minimum of a strictly convex function of three variables: Newton's method with a line
  // search, and where friction nearly jumps the way over softer patches. Friction levels are those
  // of the speeds at the start of the step.
  struct body {
    vec<double, 3> inertia;                                           // M
    vec<double, 3> map[3] = {{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};  // rows of G
  };
  struct step_result {
    bool converged = false;
    int passes = 0;       // over all cells
    double residual = 0;  // of the force balance [N]
    double slipping = 0;  // share of the load on cells that slip
    vec<double, 3> u;     // velocities at the end
    wrench<double> f;     // on the patch
  };
  step_result step(const body&, const vec<double, 3>& place, const vec<double, 3>& u_start,
                   const vec<double, 3>& u_free, double load, double h, const double* start,
                   double* end) const;

  static constexpr int most_passes = 400;

 private:
  parameters with_;
  int cells_ = 0, stride_ = 0;
  double cell_width_ = 0, cell_height_ = 0, gyration_ = 0;
  planar_point centre_;
  kernels::cell_numbers x_, y_, share_;
  double square_ = 0;  // mean of x^2 + y^2
  double reach_ = 0;   // greatest distance of a cell from the origin

  kernels::dai_cells cells_at(const vec<double, 3>& place, const double* states,
                              double damping) const;
  std::array<vec<double, 3>, 3> drag_at(const kernels::dai_place&) const;
  wrench<double> evaluate(const vec<double, 3>& place, const double* states, const twist<double>&,
                          double load, double* rate, double& slipping) const;
};

// The law of the catalogue: keys, and what is built of them.
struct patch_dai_law : patch_dai::parameters {
  patch_shape on;

  template <class Card>
  void describe(Card& card) {
    patch_dai::parameters::describe(card);
    card.part(on);
  }
  validity valid() const { return g.valid(); }

  struct built {
    patch_dai law;
    int states() const { return law.states(); }
    int cells() const { return law.cells(); }
    void initial(const planar_drive<double>& in, double* anchors) const {
      law.initial(in.place, anchors);
    }
    wrench<double> respond(const planar_drive<double>& in, const double* anchors,
                           double* rate) const {
      return law.respond(in.place, anchors, in.moving, in.load, rate);
    }
    // Deflections at the limit of friction, and levels.
    void state_scale(double* scale) const {
      const double most = law.with().g.highest();
      std::fill_n(scale, 2 * law.stride(), most / law.with().K);
      std::fill(scale + 2 * law.stride(), scale + law.states(), most);
    }
    double stored_energy(const planar_drive<double>& in, const double* anchors) const {
      return law.stored_energy(in.place, anchors);
    }
    vec<double, 2> wrench_bound(const planar_drive<double>& in) const {
      return law.wrench_bound(in);
    }
    // An anchor behind its cell p goes before it: b becomes 2 p - b. Levels stay as they are.
    void mirror(const planar_drive<double>& in, double* anchors) const;
    // `mobility` is h over mass, mass and moment of inertia.
    bool step(const planar_drive<double>& in, const double* anchors, const double* free,
              const double* mobility, double h, double* out, double* end) const;
  };
  built build() const { return {patch_dai(on.build(), on.cells, *this)}; }
};

}  // namespace asperity
