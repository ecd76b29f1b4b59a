// SPDX-License-Identifier: Apache-2.0
#pragma once

// Single steps of fixed length: no allocation, no indirect call, the whole system inlined. They
// work in every number type, so a batch steps packs with the same text.

#include <asperity/integrate/concepts.hpp>
#include <asperity/scalar/fixed_count.hpp>

namespace asperity {

namespace detail {

// The number of states, which is never 0: said so that no loop over them is thought to be empty.
template <class System>
ASPERITY_FN int size_of(const System& system) {
  const int n = system.size();
  if (n < 1) __builtin_unreachable();
  return n;
}

}  // namespace detail

// Explicit Euler: y += h rates(t, y).
template <class System, class S>
ASPERITY_FN void euler_step(const System& system, const S& t, const S& h, S* y) {
  S rate[System::capacity];
  system.rates(t, y, rate);
  for (int i = 0; i < system.size(); ++i) y[i] = y[i] + h * rate[i];
}

namespace detail {

// `count` is a fixed_count where the size is known, so that loops unroll, or an int.
template <class System, class S, class Count>
ASPERITY_FN void rk4_step(const System& system, const S& t, const S& h, S* y, Count count) {
  constexpr int N = System::capacity;
  const int n = count;
  const S half = h * lit<S>(0.5), two = lit<S>(2.0);
  S k1[N], k2[N], k3[N], k4[N], stage[N];

  system.rates(t, y, k1);
  for (int i = 0; i < n; ++i) stage[i] = y[i] + half * k1[i];
  system.rates(t + half, stage, k2);
  for (int i = 0; i < n; ++i) stage[i] = y[i] + half * k2[i];
  system.rates(t + half, stage, k3);
  for (int i = 0; i < n; ++i) stage[i] = y[i] + h * k3[i];
  system.rates(t + h, stage, k4);
  for (int i = 0; i < n; ++i)
    y[i] = y[i] + h / lit<S>(6.0) * (k1[i] + two * (k2[i] + k3[i]) + k4[i]);
}

}  // namespace detail

// The classical fourth-order method of Runge and Kutta. Systems sized at run time get unrolled
// loops too in the common case of one body and a model with up to two states.
template <class System, class S>
ASPERITY_FN void rk4_step(const System& system, const S& t, const S& h, S* y) {
  if constexpr (System::capacity > 8) {
    switch (system.size()) {
      case 2:
        return detail::rk4_step(system, t, h, y, fixed_count<2>{});
      case 3:
        return detail::rk4_step(system, t, h, y, fixed_count<3>{});
      case 4:
        return detail::rk4_step(system, t, h, y, fixed_count<4>{});
      default:
        break;
    }
  }
  detail::rk4_step(system, t, h, y, system.size());
}

// ---- closed-form implicit steps: stable for every h, no iteration, no Jacobian ------------------
// Each returns in `rate` the derivative at the end of the step as the method itself sees it; for a
// set-valued law that is the selection which holds the body, which no evaluation at rest could
// give.

// Backward Euler, order 1.
template <class System, class S>
ASPERITY_FN void backward_euler_step(const System& system, const S& t, const S& h, S* y, S* rate) {
  constexpr int N = System::capacity;
  const int n = detail::size_of(system);
  S next[N];
  system.solve_stage(t + h, h, y, next);
  for (int i = 0; i < n; ++i) {
    rate[i] = (next[i] - y[i]) / h;
    y[i] = next[i];
  }
}

// Alexander's SDIRK2: L-stable, stiffly accurate, order 2, two stages of gamma h.
template <class System, class S>
ASPERITY_FN void sdirk2_step(const System& system, const S& t, const S& h, S* y, S* rate) {
  constexpr int N = System::capacity;
  constexpr double gamma = 0.29289321881345247560;  // 1 - 1/sqrt(2)
  const int n = detail::size_of(system);
  const S H = lit<S>(gamma) * h, onward = lit<S>((1 - gamma) / gamma);
  S first[N], start[N];
  system.solve_stage(t + H, H, y, first);
  // y + (1 - gamma) h k1, with k1 = (first - y)/(gamma h).
  for (int i = 0; i < n; ++i) start[i] = y[i] + onward * (first[i] - y[i]);
  system.solve_stage(t + h, H, start, y);
  for (int i = 0; i < n; ++i) rate[i] = (y[i] - start[i]) / H;
}

// TR-BDF2 (Bank et al. 1985; Hosea and Shampine 1996): L-stable, order 2, with an error estimate of
// order 3. `rate` holds the derivative at the start on entry and at the end on return.
template <class System, class S>
ASPERITY_FN void trbdf2_step(const System& system, const S& t, const S& h, S* y, S* rate,
                             S* error) {
  constexpr int N = System::capacity;
  constexpr double root_2 = 1.41421356237309504880;
  constexpr double gamma = 2 - root_2, d = gamma / 2, w = root_2 / 4;
  constexpr double e1 = w - (1 - w) / 3, e2 = w - (3 * w + 1) / 3, e3 = d - d / 3;
  const int n = detail::size_of(system);
  const S H = lit<S>(d) * h;
  S start[N], middle[N], k2[N];

  for (int i = 0; i < n; ++i) start[i] = y[i] + H * rate[i];
  system.solve_stage(t + lit<S>(gamma) * h, H, start, middle);
  for (int i = 0; i < n; ++i) k2[i] = (middle[i] - start[i]) / H;

  const S wh = lit<S>(w) * h;
  for (int i = 0; i < n; ++i) start[i] = y[i] + wh * (rate[i] + k2[i]);
  system.solve_stage(t + h, H, start, y);
  for (int i = 0; i < n; ++i) {
    const S k3 = (y[i] - start[i]) / H;
    error[i] = h * (lit<S>(e1) * rate[i] + lit<S>(e2) * k2[i] + lit<S>(e3) * k3);
    rate[i] = k3;
  }
}

}  // namespace asperity
