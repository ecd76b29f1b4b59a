// SPDX-License-Identifier: Apache-2.0
#pragma once

// K, beta and alpha of a regularised rigid contact (dai_contact) and Coulomb friction (dai) for one
// mass, its load and the step of the simulator, so that the contact yields no more than a wanted
// penetration and the stuck body moves no more than a wanted creep. The rule is that of inclusions
// (asperity/mechanics/regularisation.hpp); the answer is simulated with RK4 at the step.

#include <asperity/mechanics/regularisation.hpp>
#include <atomic>
#include <string>
#include <vector>

namespace asperity {

struct regularisation_wishes {
  double mass = 1;            // [kg]
  double load = 0;            // that presses the mass on the surface [N]
  double friction_limit = 0;  // Coulomb's limit [N]; 0: no friction
  double step = 0;            // of an explicit method [s]; 0: an implicit one, which has no limit
  double penetration = regularisation::default_deflection;  // under the load, at rest [m]
  double creep = regularisation::default_deflection;        // of the stuck body, at the limit [m]
  double frequency = 0;  // highest of the loads on the stuck body [rad/s]
  double restitution = regularisation::default_restitution;
  const std::atomic<bool>* interrupt = nullptr;
};

struct regularisation_design {
  struct margin {
    std::string of;      // "omega h"
    double value, most;  // that the rule allows; both of one unit
  };
  // A contact, or friction, where alpha is 0.
  struct part {
    bool is_met = false;
    std::string why = {};  // where it is not
    double K = 0, beta = 0, alpha = 0;
    double omega = 0;  // sqrt(K/m) [rad/s]
    step_limits longest = {};
    std::vector<margin> margins = {};
    double wished = 0;       // penetration or creep [m]
    double simulated = 0;    // by RK4 at the step, or at a tenth of the longest one
    double drift = 0;        // [m]; how much further it is after as long again
    double restitution = 0;  // of a contact, without weight
    std::vector<std::string> notes = {};
  };
  part contact, friction;
  bool has_friction = false;
  bool is_met() const { return contact.is_met && (!has_friction || friction.is_met); }
};

// Throws asperity::error for wishes out of range, asperity::interruption.
regularisation_design design_regularisation(const regularisation_wishes&);

}  // namespace asperity
