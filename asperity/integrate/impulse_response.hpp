// SPDX-License-Identifier: Apache-2.0
#pragma once

// The exact motion of a damped oscillator under a force that is linear in time. With w(0) = w'(0) =
// 0 the solution of
//
//   w'' + damping w' + stiffness w = a + b t        is        w = a s_2(t) + b s_3(t)
//
// where s_1 is the answer to an impulse, s_0 its rate, and s_2, s_3, s_4 its integrals, one of the
// other. Damping [1/s] and stiffness [1/s^2] may be of any size and sign: with both 0 it is a free
// mass, s_k = t^k/k!.

#include <algorithm>
#include <array>
#include <cmath>

namespace asperity {

struct impulse_response {
  double s0, s1, s2, s3, s4;

  // By the power series over a short time, which is then doubled: the state at its end is the start
  // of the second half.
  static impulse_response after(double t, double damping, double stiffness) {
    const double fast = std::max(std::abs(damping), std::sqrt(std::abs(stiffness))) * t;
    // Finite for every finite time; where the motion grows beyond all bounds it ends as inf or NaN.
    const int doublings = fast > 0.25 ? std::min(std::ilogb(fast) + 3, 1000) : 0;
    double h = std::ldexp(t, -doublings);
    impulse_response r = series(h, damping, stiffness);
    for (int i = 0; i < doublings; ++i, h *= 2) r = r.twice(h, stiffness);
    return r;
  }

 private:
  // s_1 = sum of g_n t^n/n!, g_1 = 1, g_2 = -damping, g_(n+2) = -damping g_(n+1) - stiffness g_n.
  static impulse_response series(double h, double damping, double stiffness) {
    constexpr int terms = 14;
    constexpr auto factor = [] {  // 1/(n + 3)!
      std::array<double, terms + 1> result{};
      double factorial = 6;
      for (int n = 1; n <= terms; ++n)
        result[static_cast<std::size_t>(n)] = 1 / (factorial *= n + 3);
      return result;
    }();
    const double p = damping * h, q = stiffness * h * h, half = 0.5 * h;
    double g = 1, next = -p, sum3 = 0, sum4 = 0;
    for (int n = 1; n <= terms; ++n) {
      const double term = g * factor[static_cast<std::size_t>(n)];
      sum4 += term;
      sum3 += term * (n + 3);
      const double after = -p * next - q * g;
      g = next;
      next = after;
    }
    impulse_response r{};
    r.s3 = sum3 * h * h * h;
    r.s4 = sum4 * h * h * h * h;
    // What its equation, integrated, says of the others.
    r.s2 = h * half - damping * r.s3 - stiffness * r.s4;
    r.s1 = h - damping * r.s2 - stiffness * r.s3;
    r.s0 = 1 - damping * r.s1 - stiffness * r.s2;
    return r;
  }

  impulse_response twice(double h, double stiffness) const {
    const double rest = 1 - stiffness * s2;  // what is left of a displacement
    return {s0 * s0 - stiffness * s1 * s1, s1 * (rest + s0), s2 * (rest + 1) + s1 * s1,
            s3 * (rest + 1) + s2 * (s1 + h), s4 * (rest + 1) + s3 * (s1 + h) + 0.5 * h * h * s2};
  }
};

}  // namespace asperity
