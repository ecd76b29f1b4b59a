// SPDX-License-Identifier: Apache-2.0
#pragma once

// Coulomb friction of a contact patch of any shape under any pressure:
//
//   f   = mu f_n int p e dA,   tau = mu f_n int p (x e_y - y e_x) dA,   e = velocity/|velocity|
//
// with the pressure p of load 1 (contact_patch.hpp). In polar coordinates about the centre of
// rotation, around which the direction e depends on the angle alone: nothing is singular there,
// wherever it lies. Along rays in closed form, then along the rim (planar_region.hpp).

#include <asperity/patch/patch_shape.hpp>

namespace asperity {

struct patch_coulomb_parameters {
  double F_c = 1;

  template <class Card>
  void describe(Card& card) {
    card.about("Coulomb friction of any contact patch", "Rogner 2017 (3.2)-(3.3)",
               odd | passive | bounded | rate_independent);
    card.parameter("F_c", F_c, units::newton, positive, "Coulomb friction force, mu f_n");
  }
};

struct patch_coulomb {
  contact_patch patch;
  double F_c = 1;                     // mu f_n                                              [N]
  double relative_tolerance = 1e-10;  // wanted of each component, the torque over the reach

  struct answer {
    wrench<double> value;
    double error;  // estimate, of the greatest component with the torque over the reach        [N]
  };
  answer with_error(const twist<double>& t) const {
    const auto unit = patch.coulomb(t, relative_tolerance);
    return {F_c * unit.value, F_c * unit.error};
  }
  wrench<double> operator()(const twist<double>& t) const { return with_error(t).value; }

  vec<double, 2> wrench_bound(const planar_drive<double>& in) const {
    return {{F_c * in.load, F_c * in.load * patch.reach()}};
  }
};

// The law of the catalogue: keys, and what is built of them.
struct patch_coulomb_law : patch_coulomb_parameters {
  patch_shape on;

  template <class Card>
  void describe(Card& card) {
    patch_coulomb_parameters::describe(card);
    card.part(on);
  }

  struct built : patch_coulomb {
    static int states() { return 0; }
    static void initial(const planar_drive<double>&, double*) {}
    wrench<double> respond(const planar_drive<double>& in, const double*, double*) const {
      const patch_axes axes(in);
      return axes.out_of(in.load * (*this)(axes.into(in.moving)));
    }
  };
  built build() const { return {{on.build(), F_c}}; }
};

}  // namespace asperity
