// SPDX-License-Identifier: Apache-2.0
#pragma once

// Hertzian spring with a damper that grows with it, d being the indentation (minus the gap):
//
//   f = K d^lambda (1 + b d_dot) where d > 0, otherwise 0                                [N]
//
// As printed: separated faster than 1/b, the surfaces pull at each other.

#include <asperity/model.hpp>

namespace asperity {

template <scalar S>
struct hunt_crossley {
  S K = lit<S>(1e4), lambda = lit<S>(1.5), b = lit<S>(0.2);

  static constexpr int states = 0;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Hunt-Crossley contact",
               "Hunt and Crossley 1975, doi:10.1115/1.3423596; Xiong 2013 (5.2)",
               passive | continuous);
    card.parameter("K", K, newton / power(metre, 1.5), positive, "stiffness");
    card.exponent("lambda", lambda, {1.0, unbounded}, "exponent: 1.5 for spheres");
    card.parameter("b", b, second / metre, non_negative, "damping over elastic force");
  }

  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>&, const drive<S>& in) const {
    const S d = math::max<S>(lit<S>(0.0), -in.x), d_dot = -in.v;
    return {K * math::power<S>(d, lambda) * (lit<S>(1.0) + b * d_dot), {}};
  }

  ASPERITY_FN S stored_energy(const vec<S, 0>&, const drive<S>& in) const {
    const S d = math::max<S>(lit<S>(0.0), -in.x);
    return K * d * math::power<S>(d, lambda) / (lambda + lit<S>(1.0));
  }
};

}  // namespace asperity
