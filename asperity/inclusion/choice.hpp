// SPDX-License-Identifier: Apache-2.0
#pragma once

// The choice of K, beta and alpha for each term, which the source leaves to trial and error, and
// how long a step an explicit method may take with them. docs/inclusions.md derives the rule, and
// asperity/mechanics/regularisation.hpp has its numbers:
//
//   m     = 1 / (acceleration of the argument per unit of force)        at the initial state
//   K     = load / deflection            load: m times the acceleration that closes the gap, the
//                                        largest of the run, or the factor of the sgn; deflection:
//                                        10 um, or 10 urad; for friction at least m w^2/0.001, w the
//                                        highest input frequency; for a contact with a wanted
//                                        restitution so much that its weight does not spoil that
//   omega = sqrt(K/m), with omega h <= 0.5 under an explicit method of step h
//   beta  = 2 / omega for friction                                      stuck: critically damped
//   alpha = 0.4 / omega for contacts, shorter for restitution below 0.36, h <= 1.25 alpha; beta
//           such that a free mass rebounds with the wanted restitution

#include <asperity/inclusion/inclusion.hpp>
#include <asperity/mechanics/regularisation.hpp>

namespace asperity {

// Fills in K, beta and alpha of every term.
void choose_constants(regularised& system, double h, double duration = 0);
// Whether rates depend on time, by themselves or through an input: then loads do.
bool depends_on_time(const regularised& system);

// The highest frequency of the sines among the inputs [rad/s]; 0 where there is none.
double highest_frequency(const inclusion& source);
// A message for each friction term that passes on 1 % too much of what the inputs bring: it slips
// that much below its limit.
std::vector<std::string> warnings_of_transmission(const regularised& system);

// What a term means in numbers, at the initial state.
struct term_figures {
  double mass = 0;         // effective
  double load = 0;         // that closes the gap, or the friction limit
  double deflection = 0;   // load/K
  double omega = 0;        // sqrt(K/m) [rad/s]
  double restitution = 0;  // of a contact
};
// Of a system whose constants are chosen.
std::vector<term_figures> figures_of(const regularised& system);

step_limits stable_steps(const regularised& system);

}  // namespace asperity
