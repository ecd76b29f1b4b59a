// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two elastic spheres pressed together, d being the indentation (minus the gap):
//
//   f = K d^(3/2) where d > 0, otherwise 0,   K = 4/3 E sqrt(r)                         [N]
//   1/E = (1 - nu_1^2)/E_1 + (1 - nu_2^2)/E_2
//   1/r = 1/r_1 + 1/r_2
//
// The source prints E where 1/E must stand, and E_1 twice (erratum 48).

#include <asperity/model.hpp>

namespace asperity {

template <scalar S>
struct hertz {
  S E_1 = lit<S>(2.1e11), nu_1 = lit<S>(0.3), r_1 = lit<S>(0.01);
  S E_2 = lit<S>(2.1e11), nu_2 = lit<S>(0.3), r_2 = lit<S>(0.01);

  static constexpr int states = 0;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Hertzian contact", "Hertz 1881, doi:10.1515/crll.1882.92.156; Xia 2012 (2.1)-(2.6)",
               passive | rate_independent | continuous | never_pulls);
    const unit pascal = newton / (metre * metre);
    const range poisson{-1.0, 0.5, true};
    card.parameter("E_1", E_1, pascal, positive, "Young's modulus of the first body");
    card.parameter("nu_1", nu_1, one, poisson, "Poisson's ratio of the first body");
    card.parameter("r_1", r_1, metre, positive, "radius of the first body; 1e9 m is a plane");
    card.parameter("E_2", E_2, pascal, positive, "Young's modulus of the second body");
    card.parameter("nu_2", nu_2, one, poisson, "Poisson's ratio of the second body");
    card.parameter("r_2", r_2, metre, positive, "radius of the second body; 1e9 m is a plane");
  }

  ASPERITY_FN S stiffness() const {
    const S one = lit<S>(1.0);
    const S E = one / ((one - nu_1 * nu_1) / E_1 + (one - nu_2 * nu_2) / E_2);
    return lit<S>(4.0 / 3.0) * E * math::sqrt<S>(one / (one / r_1 + one / r_2));
  }

  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>&, const drive<S>& in) const {
    const S d = math::max<S>(lit<S>(0.0), -in.x);
    return {stiffness() * math::power<S>(d, lit<S>(1.5)), {}};
  }

  ASPERITY_FN S stored_energy(const vec<S, 0>&, const drive<S>& in) const {
    const S d = math::max<S>(lit<S>(0.0), -in.x);
    return stiffness() * d * math::power<S>(d, lit<S>(1.5)) / lit<S>(2.5);
  }
};

}  // namespace asperity
