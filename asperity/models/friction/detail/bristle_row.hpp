// SPDX-License-Identifier: Apache-2.0
#pragma once

// A row of rigid bristles of length l_b on torsional springs, their bases at i Delta, under a body
// of length d at the height h < l_b. What the bristle models of Drincic 2012, chapter 3, share.
//
//   theta = atan(u/h)                          pivot angle; u is how far a corner is past the base
//   phi   = (kappa/h) theta cos(theta)^2       horizontal force of a bristle             [N]
//   e     = kappa theta^2 / 2                  energy in its spring, de/du = phi         [J]
//   0 <= u < d_0 = sqrt(l_b^2 - h^2)           touches the corner; at d_0 it slips below the body
//
// A corner at `a` touches the bristles i = floor(a/Delta) - j with j = 0, 1 ... while u < d_0: an
// index range, whatever the distance travelled. The left corner is the right one in a mirror.

#include <asperity/model.hpp>

namespace asperity::detail {

// The bound of a loop as a plain integer: the largest among the lanes, and never above `most`.
template <class S>
ASPERITY_FN int loop_bound(const S& x, int most) {
  if constexpr (std::is_arithmetic_v<S>) {
    return x < static_cast<S>(most) ? static_cast<int>(x) : most;
  } else if constexpr (requires { x.derivative; }) {
    return loop_bound(x.value, most);
  } else if constexpr (wraps_number<S>) {
    return loop_bound(x.value(), most);
  } else {
    int bound = 0;
    const auto include = [&](auto lane) {
      const int here = loop_bound(lane, most);
      bound = bound < here ? here : bound;
    };
    if constexpr (requires { S::width; }) {  // ours
      for (int i = 0; i < S::width; ++i) include(x[i]);
    } else if constexpr (requires { x.get(0); }) {  // xsimd
      for (std::size_t i = 0; i < S::size; ++i) include(x.get(i));
    } else {  // std::experimental::simd
      for (std::size_t i = 0; i < S::size(); ++i) include(typename S::value_type(x[i]));
    }
    return bound;
  }
}

template <scalar S>
struct bristle_row {
  S kappa = lit<S>(0.1), h = lit<S>(0.0995), l_b = lit<S>(0.1);
  S Delta = lit<S>(0.005), d = lit<S>(0.5);

  static constexpr int most_at_a_corner = 1000;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.parameter("kappa", kappa, newton * metre, positive, "torsional stiffness of a bristle");
    card.parameter("h", h, metre, positive, "height of the body above the bases, below l_b");
    card.parameter("l_b", l_b, metre, positive, "length of a bristle");
    card.parameter("Delta", Delta, metre, positive, "distance between bristles");
    card.parameter("d", d, metre, positive, "length of the body");
  }

  ASPERITY_FN S d_0() const { return math::sqrt<S>((l_b - h) * (l_b + h)); }

  // Sums over the bristles that touch a corner at `a`; counted(i, value) is the value, or 0 where
  // bristle i leans the other way.
  struct corner {
    S force, energy, angle;
    S below;  // index of the first bristle that is too far behind the corner to touch it
  };
  template <class Counted>
  ASPERITY_FN corner touching(const S& a, const Counted& counted) const {
    const S zero = lit<S>(0.0), one = lit<S>(1.0), reach = d_0();
    const S front = math::floor<S>(a / Delta);
    corner sum{zero, zero, zero, front};
    S u = a - front * Delta, index = front;
    const int count = loop_bound(S(reach / Delta), most_at_a_corner) + 2;
    for (int j = 0; j < count; ++j) {
      const S z = u / h, theta = math::atan(z);
      // Outside the range a bristle counts 0; u - u is 0, or NaN where u is.
      const S phi = math::select(u < reach, S(kappa / h * theta / (one + z * z)), S(u - u));
      const S e = math::select(u < reach, S(kappa * theta * theta * lit<S>(0.5)), zero);
      sum.force = sum.force + counted(index, phi);
      sum.energy = sum.energy + counted(index, e);
      sum.angle = sum.angle + counted(index, S(math::select(u < reach, theta, zero)));
      sum.below = sum.below - math::select(u < reach, one, zero);
      u = u + Delta;
      index = index - one;
    }
    return sum;
  }
  ASPERITY_FN corner touching(const S& a) const {
    return touching(a, [](const S&, const S& value) { return value; });
  }
  // Those from `lowest` on.
  ASPERITY_FN corner touching_from(const S& a, const S& lowest) const {
    return touching(a, [&](const S& index, const S& value) {
      return S(math::select(index < lowest, lit<S>(0.0), value));
    });
  }

  // Energy of one bristle when it slips below the body.
  ASPERITY_FN S full_energy() const {
    return kappa * math::square<S>(math::atan<S>(d_0() / h)) * lit<S>(0.5);
  }

  // No corner's force is above it: each bristle at the worst place of its own spacing. phi rises
  // until u = 0.765 h, where 2 (u/h) atan(u/h) = 1.
  ASPERITY_FN S largest_force() const {
    const S zero = lit<S>(0.0), one = lit<S>(1.0), reach = d_0();
    const S worst = h * lit<S>(0.7653789266657889);
    S sum = zero, u = zero;
    const int count = loop_bound(S(reach / Delta), most_at_a_corner) + 2;
    for (int j = 0; j < count; ++j) {
      const S end = math::min<S>(reach, u + Delta);
      const S z = math::clamp<S>(u, end, worst) / h;
      sum = sum + math::select(u < reach, S(kappa / h * math::atan(z) / (one + z * z)), zero);
      u = u + Delta;
    }
    return sum;
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> {
    if (!(h < l_b)) return {validity::refused, "the height h must be below the length l_b"};
    if (!(d_0() / Delta < lit<S>(most_at_a_corner)))
      return {validity::refused, "more than 1000 bristles would touch a corner"};
    if (!(Delta < d_0()))
      return {validity::doubtful,
              "Delta is not below d_0 = sqrt(l_b^2 - h^2): at times no bristle touches the corner"};
    if (!(lit<S>(2.0) * d_0() < d))
      return {validity::doubtful, "the body is not longer than two bristles lying down"};
    return {};
  }
};

}  // namespace asperity::detail
