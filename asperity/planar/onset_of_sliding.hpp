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
// each is found as an angle, eps = tan(angle), so that neither end is special.

#include <asperity/planar/disc_coulomb.hpp>
#include <asperity/scalar/root.hpp>

namespace asperity {

namespace detail {

// The ratio tan(angle) as sliding and rim speed.
inline disc_shares<double> disc_shares_of(double angle) {
  return disc_shares_at<double>(std::sin(angle), std::cos(angle));
}
inline constexpr double right_angle = 1.57079632679489661923;
inline double as_ratio(double angle) { return angle >= right_angle ? unbounded : std::tan(angle); }
inline double as_angle(double ratio) { return std::atan(ratio); }

// The angle at which the disc moves after an impulse that leaves `force` and `torque` (in units of
// mu_d f_n and mu_d f_n R, neither negative) to accelerate it, friction included:
//   tan(angle) = kappa (force - F)/(torque - T)
// For a wrench outside the limit curve the root is unique.
inline double moving_angle(double force, double torque, double kappa) {
  if (force <= 0) return 0;
  if (torque <= 0) return right_angle;
  const auto balance = [&](double angle) {
    const auto shares = disc_shares_of(angle);
    return std::cos(angle) * kappa * (force - shares.F) - std::sin(angle) * (torque - shares.T);
  };
  // Between these angles both accelerations are positive.
  const auto torque_left = [&](double angle) { return torque - disc_shares_of(angle).T; };
  const auto force_left = [&](double angle) { return force - disc_shares_of(angle).F; };
  const double lowest = torque_left(0) >= 0 ? 0 : root_between(torque_left, 0.0, right_angle);
  const double highest =
      force_left(right_angle) >= 0 ? right_angle : root_between(force_left, 0.0, right_angle);
  return root_between(balance, lowest, highest);
}

// The angle of the point of the limit curve in the direction of a wrench (f, tau/R).
inline double limit_angle(double force, double torque) {
  if (force <= 0) return 0;
  if (torque <= 0) return right_angle;
  const auto turn = [&](double angle) {
    const auto shares = disc_shares_of(angle);
    return shares.F * torque - shares.T * force;
  };
  return root_between(turn, 0.0, right_angle);
}

}  // namespace detail

// 0 for no load, 1 on the limit curve of the uniform disc; f in mu f_n, tau in mu f_n R.
inline double disc_gauge(double force, double torque) {
  if (force <= 0) return 1.5 * torque;
  if (torque <= 0) return force;
  const auto shares = detail::disc_shares_of(detail::limit_angle(force, torque));
  return shares.F > shares.T ? force / shares.F : torque / shares.T;
}

struct onset_of_sliding_parameters {
  double static_over_dynamic = 1, kappa = 0.5, gamma = 0;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("How a disc breaks away", "Rogner 2017 (3.14)-(3.22), corrected", 0);
    card.parameter("static_over_dynamic", static_over_dynamic, one, {1, unbounded}, "mu_s/mu_d");
    card.parameter("kappa", kappa, one, positive, "I/(m R^2): 1/2 for a disc of even thickness");
    card.parameter("gamma", gamma, one, non_negative, "ratio of microscopic creep at break-away");
  }
};

struct sliding_onset {
  double gamma;         // ratio of microscopic creep at break-away
  double eps_1, eps_2;  // bracket of eps
  double eps;           // |v|/(R |omega|) right after break-away
};

// From the ratio gamma >= 0, which may be infinite.
inline sliding_onset onset_of_sliding(double gamma, double mu_s_over_mu_d, double kappa) {
  const double at = detail::as_angle(gamma), r = mu_s_over_mu_d;
  if (at <= 0) return {0, 0, 0, 0};
  if (at >= detail::right_angle) return {unbounded, unbounded, unbounded, unbounded};
  const auto held = detail::disc_shares_of(at);
  const double force = r * held.F, torque = r * held.T;
  const auto torque_left = [&](double angle) { return torque - detail::disc_shares_of(angle).T; };
  const auto force_left = [&](double angle) { return force - detail::disc_shares_of(angle).F; };
  const double first = torque_left(0) >= 0 ? 0 : root_between(torque_left, 0.0, at);
  const double second = force_left(detail::right_angle) >= 0
                            ? detail::right_angle
                            : root_between(force_left, at, detail::right_angle);
  return {gamma, detail::as_ratio(first), detail::as_ratio(second),
          detail::as_ratio(detail::moving_angle(force, torque, kappa))};
}

// From the direction of the load: f and tau/R, whatever their size.
inline double creep_ratio(double force, double torque_over_R) {
  return detail::as_ratio(detail::limit_angle(force, torque_over_R));
}

}  // namespace asperity
