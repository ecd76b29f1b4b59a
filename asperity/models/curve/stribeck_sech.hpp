// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stribeck curve of compressed bristles: the body rides higher the faster it slides, and presses
// them less.
//
//   y(v) = y_1 - y_2 sech(v/v_s)            mean height of the body                   [m]
//   g(v) = k_tilde (h_0 - y(v))             bristles of length h_0, compressed to y   [N]
//   f    = sgn(v) g(v) load + sigma_2 v                                               [N]

#include <asperity/curve.hpp>

namespace asperity {

template <scalar S>
struct stribeck_sech {
  S k_tilde = lit<S>(1.0), h_0 = lit<S>(2.0), y_1 = lit<S>(1.0), y_2 = lit<S>(0.5);
  S v_s = lit<S>(0.1), sigma_2 = lit<S>(0.0);

  static constexpr int states = 0;

  // k_tilde = 1 N/m, and the proportions of Drincic 2012, figure 4.12.
  static ASPERITY_FN stribeck_sech from(const curve_values& values) {
    const double drop = values.F_s - values.F_c;
    return {lit<S>(1.0),        lit<S>(values.F_c + 2 * drop), lit<S>(2 * drop), lit<S>(drop),
            lit<S>(values.v_s), lit<S>(values.sigma_2)};
  }

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Stribeck curve of compressed bristles", "Drincic 2012 (4.69)",
               odd | passive | bounded);
    card.parameter("k_tilde", k_tilde, newton / metre, positive, "friction per compression");
    card.parameter("h_0", h_0, metre, positive, "length of a free bristle, above y_1");
    card.parameter("y_1", y_1, metre, non_negative, "mean height in fast sliding");
    card.parameter("y_2", y_2, metre, non_negative, "depth by which the body sinks at rest");
    card.parameter("v_s", v_s, metre / second, positive, "velocity scale of the rise");
    card.parameter("sigma_2", sigma_2, newton * second / metre, non_negative, "viscous friction");
  }

  ASPERITY_FN S level(const S& v) const {
    const S one = lit<S>(1.0), two = lit<S>(2.0);
    const S e = math::exp<S>(-math::abs<S>(v / v_s));  // sech(u) without overflow
    return k_tilde * (h_0 - y_1 + y_2 * (two * e / (one + e * e)));
  }

  ASPERITY_FN S viscous(const S& v) const { return sigma_2 * v; }
  ASPERITY_FN S highest() const { return k_tilde * (h_0 - y_1 + y_2); }

  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>& state, const drive<S>& in) const {
    return side(state, in, in.v);
  }
  ASPERITY_FN response<S, 0> side(const vec<S, 0>&, const drive<S>& in, const S& direction) const {
    return {steady_friction(*this, in, direction), {}};
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const {
    return highest() * in.load + math::abs(viscous(in.v));
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> {
    if (!(y_1 < h_0)) return {validity::refused, "y_1 must be below h_0"};
    return y_1 < y_2 ? validity{validity::doubtful, "y_2 above y_1 is a body below the ground"}
                     : validity{};
  }
};

}  // namespace asperity
