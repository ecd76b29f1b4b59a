// SPDX-License-Identifier: Apache-2.0
#pragma once

// A Stribeck curve as a part of a model.

#include <asperity/model.hpp>

namespace asperity {

template <class Curve, class S>
concept stribeck_curve = requires(const Curve& g, const S& v) {
  { g.level(v) } -> std::convertible_to<S>;    // friction in steady sliding, even and above 0   [N]
  { g.highest() } -> std::convertible_to<S>;   // no level is above it                           [N]
  { g.viscous(v) } -> std::convertible_to<S>;  // what comes on top, whatever the load           [N]
};

// Friction of a body that slides steadily towards `direction`. It jumps at v = 0, where the limits
// from either side differ.
template <class Curve, class S>
ASPERITY_FN S steady_friction(const Curve& g, const drive<S>& in, const S& direction) {
  return math::sgn(direction) * g.level(in.v) * in.load + g.viscous(in.v);
}

struct curve_values {
  double F_c = 1.0, F_s = 1.5, v_s = 1e-3, sigma_2 = 0.0;
};

// A curve that starts from the values of a model's paper: F_s at rest, falling to F_c on the scale
// v_s. A curve whose fields have other names or meanings says in `from` what becomes of the values.
template <class Curve, class S>
ASPERITY_FN Curve curve_from(const curve_values& values) {
  if constexpr (requires { Curve::from(values); }) {
    return Curve::from(values);
  } else {
    Curve g = {};
    g.F_c = lit<S>(values.F_c);
    g.F_s = lit<S>(values.F_s);
    g.v_s = lit<S>(values.v_s);
    g.sigma_2 = lit<S>(values.sigma_2);
    return g;
  }
}

}  // namespace asperity
