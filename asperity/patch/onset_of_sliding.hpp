// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a disc starts to move when force and torque reach the static limit together: it slides and
// spins at once, and the ratio eps of the first velocities follows from the loads.
//
//   f/(mu_s f_n) = F(gamma),  tau/(mu_s f_n R) = T(gamma)       the ratio of microscopic creep
//   T(eps_1) = min(r T(gamma), T(0)),  F(eps_2) = min(r F(gamma), F(inf)),  r = mu_s/mu_d
//   eps = kappa (r F(gamma) - F(eps))/(r T(gamma) - T(eps)),  kappa = I/(m R^2)
//
// The root is unique between eps_1 and eps_2. Ratios run from 0 (spinning) to infinity (sliding);
// each is kept as the smaller over the larger of its two speeds, so that neither end is special.

#include <algorithm>
#include <asperity/models/planar/disc_coulomb.hpp>
#include <asperity/scalar/root.hpp>

namespace asperity {

namespace detail {

// The ratio eps = slide/spin; the larger of them is 1.
struct slide_ratio {
  double slide, spin;

  static slide_ratio of(double eps) {
    return eps > 1 ? slide_ratio{1, 1 / eps} : slide_ratio{eps, 1};
  }
  double eps() const { return spin > 0 ? slide / spin : unbounded; }
  bool slides_more() const { return spin < 1; }
  disc_shares<double> shares() const { return disc_shares_at<double>(slide, spin); }
};
inline constexpr slide_ratio pure_spin{0, 1}, pure_slide{1, 0}, even{1, 1};

// The root of f between two ratios, as exact near sliding as near spinning.
template <class Function>
slide_ratio root_between_ratios(const Function& f, const slide_ratio& low,
                                const slide_ratio& high) {
  const bool above = low.slides_more() || (high.slides_more() && (f(low) < 0) == (f(even) < 0));
  if (above)
    return {1, root_between(
                   [&](double spin) {
                     return f({1, spin});
                   },
                   high.spin, low.slides_more() ? low.spin : 1.0)};
  return {root_between(
              [&](double slide) {
                return f({slide, 1});
              },
              low.slide, high.slides_more() ? 1.0 : high.slide),
          1};
}

// The point of the limit curve in the direction of a wrench (f, tau/R), neither of them negative.
inline slide_ratio limit_ratio(double force, double torque) {
  if (force <= 0) return pure_spin;
  if (torque <= 0) return pure_slide;
  // By the larger of them, since wrenches may be large.
  const double size = std::max(force, torque), f = force / size, tau = torque / size;
  return root_between_ratios(
      [&](const slide_ratio& at) {
        const auto shares = at.shares();
        return shares.F * tau - shares.T * f;
      },
      pure_spin, pure_slide);
}

// How the disc moves after an impulse that leaves `force` and `torque` (in units of mu_d f_n and
// mu_d f_n R, neither negative) to accelerate it, friction included:
//   eps = kappa (force - F)/(torque - T)
// For a wrench outside the limit curve, which it passes at the ratio `at`, the root is unique.
struct moving_ratios {
  slide_ratio first, second;  // between them both accelerations are positive
  slide_ratio eps;
};
inline moving_ratios moving(double force, double torque, double kappa, const slide_ratio& at) {
  if (force <= 0) return {pure_spin, pure_spin, pure_spin};
  if (torque <= 0) return {pure_slide, pure_slide, pure_slide};
  const auto torque_left = [&](const slide_ratio& x) { return torque - x.shares().T; };
  const auto force_left = [&](const slide_ratio& x) { return force - x.shares().F; };
  const auto balance = [&](const slide_ratio& x) {
    const auto shares = x.shares();
    return x.spin * kappa * (force - shares.F) - x.slide * (torque - shares.T);
  };
  moving_ratios result{pure_spin, pure_slide, at};
  if (torque_left(pure_spin) < 0) result.first = root_between_ratios(torque_left, pure_spin, at);
  if (force_left(pure_slide) < 0) result.second = root_between_ratios(force_left, at, pure_slide);
  result.eps = root_between_ratios(balance, result.first, result.second);
  return result;
}

}  // namespace detail

// 0 for no load, 1 on the limit curve of the uniform disc; f in mu f_n, tau in mu f_n R.
inline double disc_gauge(double force, double torque, const detail::slide_ratio& at) {
  const auto shares = at.shares();
  return shares.F > shares.T ? force / shares.F : torque / shares.T;
}
inline double disc_gauge(double force, double torque) {
  return disc_gauge(force, torque, detail::limit_ratio(force, torque));
}

struct sliding_onset {
  double gamma;         // ratio of microscopic creep at break-away
  double eps_1, eps_2;  // bracket of eps
  double eps;           // |v|/(R |omega|) right after break-away
};

// From the ratio gamma >= 0, which may be infinite. NaN where there is no break-away: mu_s < mu_d.
inline sliding_onset onset_of_sliding(double gamma, double mu_s_over_mu_d, double kappa) {
  const double r = mu_s_over_mu_d, none = __builtin_nan("");
  if (!(gamma >= 0 && r >= 1 && kappa > 0)) return {gamma, none, none, none};
  const auto at = detail::slide_ratio::of(gamma);
  const auto held = at.shares();
  const auto found = detail::moving(r * held.F, r * held.T, kappa, at);
  return {gamma, found.first.eps(), found.second.eps(), found.eps.eps()};
}

// From the direction of the load: f and tau/R, whatever their size.
inline double creep_ratio(double force, double torque_over_R) {
  return detail::limit_ratio(force, torque_over_R).eps();
}

}  // namespace asperity
