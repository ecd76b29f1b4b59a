// SPDX-License-Identifier: Apache-2.0
#pragma once

// Coulomb friction of a disc under uniform pressure that slides and spins at once.
//
//   eps = |v|/(R |omega|)
//   f   = F_c F(eps) v/|v|                                                                 [N]
//   tau = F_c R T(eps) sgn(omega)                                                          [N m]
//
// F and T by complete elliptic integrals of the parameter m = min(eps, 1/eps)^2:
//
//   F = eps G(m) for eps <= 1, G(m) for eps >= 1,       G = 4/(3 pi) (2 B + (1 - m) D)
//   T = 4/(9 pi) ((3 - m) B + (1 - m)(3 - 2 m) D)       for eps <= 1
//   T = H(m)/(4 eps) for eps >= 1,                      H = 16/(9 pi) (C + 3 B - D)
//
//   B = (E - (1 - m) K)/m,  D = (K - E)/m,  C = (D - B)/m
//
// With K and E, as these formulas are usually printed, they cancel for small m; with B, D and C no
// term is lost. The arithmetic-geometric mean gives all three at once, in every number type.

#include <asperity/planar.hpp>
#include <limits>

namespace asperity {

namespace detail {

template <class S>
struct elliptic_bdc {
  S B, D, C;
};

// Of the parameter m = 1 - m_c in [0, 1]. m_c is an argument of its own because near m = 1 it knows
// more than m does. With a_0 = 1, b_0 = sqrt(m_c), c_1 = m/(2 (1 + b_0)), c_(n+1) = c_n^2/(4
// a_(n+1)):
//   K = pi/(2 a),  D = K (1/2 + s),  B = K (1/2 - s),  C = 2 K s/m,  s = sum 2^(n-1) c_n^2/m
template <class S>
ASPERITY_FN elliptic_bdc<S> complete_elliptic(const S& m, const S& m_c) {
  const S one = lit<S>(1.0), half = lit<S>(0.5), quarter = lit<S>(0.25);
  // At m_c = 0 K and D are infinite, but what uses them is not: the difference is far below
  // rounding.
  S a = one, b = math::sqrt<S>(math::max<S>(lit<S>(1e-36), m_c));
  S c_over_m = half / (one + b), weight = one, s_over_m = lit<S>(0.0);
  for (int n = 0; n < 9; ++n) {
    const S c = c_over_m * m;
    s_over_m = s_over_m + weight * c_over_m * c_over_m;
    weight = weight * lit<S>(2.0);
    const S mean = half * (a + b);
    b = math::sqrt<S>(a * b);
    a = mean;
    c_over_m = c_over_m * c / (lit<S>(4.0) * (half * (a + b)));
    if constexpr (std::floating_point<S>) {
      if (c * c <= std::numeric_limits<S>::epsilon() * quarter * a * a) break;
    }
  }
  const S K = lit<S>(1.57079632679489661923) / (half * (a + b));
  const S s = s_over_m * m;
  return {K * (half - s), K * (half + s), lit<S>(2.0) * K * s_over_m};
}

}  // namespace detail

// F(eps) and T(eps).
template <class S>
struct disc_shares {
  S F, T;
};

// For |v| and R |omega|, neither negative. Both zero: F = 0 and T = 2/3, as for eps = 0.
template <class S>
ASPERITY_FN disc_shares<S> disc_shares_at(const S& speed, const S& rim_speed) {
  const S zero = lit<S>(0.0), one = lit<S>(1.0), pi = lit<S>(3.14159265358979323846);
  const auto slides_more = rim_speed < speed;
  const S larger = math::select(slides_more, speed, rim_speed);
  const S smaller = math::select(slides_more, rim_speed, speed);
  const S divisor = math::select(zero < larger, larger, one);
  const S k = smaller / divisor, m = k * k;
  const S m_c = (larger - smaller) / divisor * (one + k);
  const auto [B, D, C] = detail::complete_elliptic<S>(m, math::select(zero < larger, m_c, one));

  const S G = lit<S>(4.0) / (lit<S>(3.0) * pi) * (lit<S>(2.0) * B + m_c * D);
  const S H = lit<S>(16.0) / (lit<S>(9.0) * pi) * (C + lit<S>(3.0) * B - D);
  const S T_spin = lit<S>(4.0) / (lit<S>(9.0) * pi) *
                   ((lit<S>(3.0) - m) * B + m_c * (lit<S>(3.0) - lit<S>(2.0) * m) * D);
  return {math::select(slides_more, G, S(k * G)),
          math::select(slides_more, S(k * H / lit<S>(4.0)), T_spin)};
}

// The functions of the ratio alone; eps may be infinite.
template <std::floating_point S>
ASPERITY_FN S disc_force(S eps) {
  return eps < S(1) ? disc_shares_at<S>(eps, 1).F : disc_shares_at<S>(1, S(1) / eps).F;
}
template <std::floating_point S>
ASPERITY_FN S disc_torque(S eps) {
  return eps < S(1) ? disc_shares_at<S>(eps, 1).T : disc_shares_at<S>(1, S(1) / eps).T;
}

template <scalar S>
struct disc_coulomb {
  S F_c = lit<S>(1.0), R = lit<S>(1.0);

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about(
        "Coulomb friction of a sliding and spinning disc",
        "Farkas, Bartels, Unger and Wolf 2003, doi:10.1103/PhysRevLett.90.248302; Rogner 2017 "
        "(3.10)-(3.13), corrected",
        odd | passive | bounded | rate_independent);
    card.parameter("F_c", F_c, newton, positive, "Coulomb friction force, mu f_n");
    card.parameter("R", R, metre, positive, "radius of the disc");
  }

  ASPERITY_FN wrench<S> operator()(const twist<S>& t) const {
    const vec<S, 2> v{{t[0], t[1]}};
    const auto [speed, along] = to_polar(v);
    const auto shares = disc_shares_at<S>(speed, R * math::abs<S>(t[2]));
    const S f = F_c * shares.F;
    return {{f * along[0], f * along[1], F_c * R * shares.T * math::sgn(t[2])}};
  }

  // Pure sliding and pure spinning.
  ASPERITY_FN vec<S, 2> wrench_bound(const planar_drive<S>& in) const {
    return {{F_c * in.load, lit<S>(2.0 / 3.0) * R * F_c * in.load}};
  }
};

}  // namespace asperity
