// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rule for K, beta and alpha of a regularised contact (dai_contact) and a regularised Coulomb
// friction (dai) of one mass, which the source leaves to trial and error. docs/inclusions.md and
// docs/design.md derive it:
//
//   K     = load/deflection; for friction at least m w^2/0.001, w the highest input frequency
//   omega = sqrt(K/m), with omega h <= 0.5 (friction) and h <= 1.25 alpha (contact) under an
//           explicit method of step h
//   beta  = 2/omega for friction                                        stuck: critically damped
//   alpha, beta of a contact: such that a free mass rebounds with the wanted restitution
//                                                              (shape_for_restitution)

#include <asperity/mechanics/impact_map.hpp>

namespace asperity {

// Longest steps [s] that the explicit methods take without amplifying the modes of the closed,
// stuck system, or the relaxation of the open, sliding one.
struct step_limits {
  double euler = 0, rk4 = 0;
};

namespace regularisation {

inline constexpr double default_deflection = 1e-5;  // m, or rad
inline constexpr double default_restitution = 0.5;
inline constexpr double steps_of_stick = 0.5;    // omega h under an explicit method
inline constexpr double steps_per_alpha = 1.25;  // h/alpha
inline constexpr double damping_of_stick = 2.0;  // beta omega: critical
inline constexpr double excess_of_stick = 1e-3;  // of the transmission at the inputs' frequency
inline constexpr double most_excess = 1e-2;      // above which a warning is due

// The largest K that an explicit method of step h follows.
double stiffest_contact(const contact_shape&, double mass, double h);
double stiffest_stick(double mass, double h);
// The least K of friction under loads that swing with w.
inline double least_for_swings(double mass, double w) { return mass * w * w / excess_of_stick; }

// Of one mass: closed contact and its open surface; stuck friction and sliding.
step_limits stable_steps_of_contact(double mass, double K, double beta, double alpha);
step_limits stable_steps_of_stick(double mass, double K, double beta);

}  // namespace regularisation

// How much of a load on a stuck mass m its friction passes on, at worst up to the frequency w:
// |f/F|^2 = (1 + c^2 s)/((1 - s)^2 + c^2 s), s = w^2/omega^2, c = beta omega. Rigid friction: 1.
double transmission_of_stick(double beta_omega, double w_over_omega);

}  // namespace asperity
