// SPDX-License-Identifier: Apache-2.0
#pragma once

// LuGre or elastoplastic friction distributed over a contact patch: every cell has its own
// velocity, its own bristle of two components and its own place on the Stribeck curve, and carries
// its share of the load. In a cell with velocity v:
//
//   z_dot = v - alpha sigma_0 |v|/(g(|v|) load) z                                           [m/s]
//   f     = share (sigma_0 z + sigma_1 z_dot + sigma_2 v)                                     [N]
//
// alpha = 1 is LuGre (z_ba = 0); with z_ba > 0 alpha blends from 0 to 1 as in planar_elastoplastic.
// A step at constant twist takes the slip at its end: z = (z_0 + h v)/(1 + h alpha sigma_0 |v|/g),
// which is stable for every h.

#include <algorithm>
#include <asperity/models/curve/stribeck_exponential.hpp>
#include <asperity/models/planar/detail/elastoplastic_alpha.hpp>
#include <asperity/patch/patch_shape.hpp>

namespace asperity {

// The bristle of one cell with friction level g(|v|) load relaxes at the rate pull/level, where
// pull = alpha sigma_0 |v| [N/s].
template <class S>
ASPERITY_FN S cell_pull(const S& level, const S& sigma_0, const S& elastic_range, const S& z_x,
                        const S& z_y, const S& v_x, const S& v_y, const S& speed) {
  const S zero = lit<S>(0.0);
  const S elastic = math::min<S>(lit<S>(0.9) * level, sigma_0 * elastic_range);
  const S held = sigma_0 * math::sqrt<S>(z_x * z_x + z_y * z_y);
  const S partly = elastoplastic_alpha<S>(held, level, elastic);
  // The comparison with `elastic` is not left to the sine: rounding must not make bristles creep.
  const S loading = math::select(zero < z_x * v_x + z_y * v_y, partly, zero);
  const S beyond = math::select(elastic < held, loading, zero);
  const S alpha = math::select(zero < elastic_range, beyond, lit<S>(1.0));
  return alpha * sigma_0 * speed;
}

class patch_lugre {
 public:
  struct parameters {
    double sigma_0 = 1e5, sigma_1 = 316.2277660168379, z_ba = 0;
    stribeck_exponential<double> g{.sigma_2 = 0.4};

    template <class Card>
    void describe(Card& card) {
      using namespace units;
      card.about("LuGre friction distributed over a patch",
                 "Velenis, Tsiotras and Canudas-de-Wit 2002; Waltersson and Karayiannidis 2023, "
                 "arXiv:2308.01123",
                 odd);
      card.parameter("sigma_0", sigma_0, newton / metre, positive,
                     "bristle stiffness of the whole patch");
      card.parameter("sigma_1", sigma_1, newton * second / metre, non_negative, "bristle damping");
      card.parameter("z_ba", z_ba, metre, non_negative, "elastic range; 0: plain LuGre");
      card.part(g);
      card.state_list("z_x", metre, "bristles along x, one per cell");
      card.state_list("z_y", metre, "bristles along y, one per cell");
    }
  };

  patch_lugre(const contact_patch& patch, int cells_along, const parameters& with);

  int cells() const { return cells_; }
  // States: the x components of all bristles, then the y components; `stride` of each, of which the
  // first cells() are in use.
  int stride() const { return stride_; }
  int states() const { return 2 * stride_; }
  const double* x() const { return x_.data(); }
  const double* y() const { return y_.data(); }
  const double* share() const { return share_.data(); }
  const parameters& with() const { return with_; }

  // The wrench about the patch's origin; the rates of the states where `rate` is not null.
  wrench<double> respond(const double* z, const twist<double>& t, double load, double* rate) const;
  // The same at the end of a step of length h at constant twist, with the states taken there.
  wrench<double> advance(double* z, const twist<double>& t, double load, double h) const;
  // Energy in the bristles, the sum of share sigma_0 |z|^2/2 [J].
  double stored_energy(const double* z) const;

 private:
  parameters with_;
  int cells_ = 0, stride_ = 0;
  std::vector<double> x_, y_, share_;
};

// The law of the catalogue: keys, and what is built of them.
struct patch_lugre_law : patch_lugre::parameters {
  patch_shape on;

  template <class Card>
  void describe(Card& card) {
    patch_lugre::parameters::describe(card);
    card.part(on);
  }
  validity valid() const { return g.valid(); }

  struct built {
    patch_lugre law;
    int states() const { return law.states(); }
    int cells() const { return law.cells(); }
    void initial(const planar_drive<double>&, double* z) const {
      std::fill_n(z, law.states(), 0.0);
    }
    wrench<double> respond(const planar_drive<double>& in, const double* z, double* rate) const {
      const patch_axes axes(in);
      return axes.out_of(law.respond(z, axes.into(in.moving), in.load, rate));
    }
    void state_scale(double* scale) const {
      std::fill_n(scale, law.states(), law.with().g.highest() / law.with().sigma_0);
    }
    double stored_energy(const planar_drive<double>&, const double* z) const {
      return law.stored_energy(z);
    }
  };
  built build() const { return {patch_lugre(on.build(), on.cells, *this)}; }
};

}  // namespace asperity
