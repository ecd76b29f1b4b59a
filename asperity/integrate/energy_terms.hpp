// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the energy of a system is made of, for its audit. A system with an energy balance (system.hpp)
// has these names, and two functions:
//
//   energies    what the bodies hold, then what each element stores [J]
//   powers      what each input supplies, then of each element the power it takes from the bodies
//               and its losses [W]
//
// The powers are integrated with the trajectory as further states (method.hpp, system_view), by the
// same method and at its order, and do not steer its steps. Two balances must then close:
//
//   bodies     change of what they hold = supplied - taken by the elements
//   element    taken = change of what it stores + its losses
//
// The second is checked where an element names its losses. Where it does not, taken less stored is
// what it dissipates, and that must never fall.

#include <asperity/integrate/concepts.hpp>
#include <string>
#include <vector>

namespace asperity {

struct energy_terms {
  struct loss {
    std::string name;
    // Work that a printed law takes or gives beyond its own account: it may have either sign.
    bool is_unbalanced = false;
  };
  struct element {
    std::string name;               // "contact"
    std::string model;              // "dai_contact"
    bool has_store = true;          // false: only its work is counted
    std::vector<loss> losses = {};  // empty: what is taken and not stored is dissipated
    std::string why_no_store = "its stored energy is not known";
  };

  std::vector<std::string> held;      // energies of the bodies: kinetic, potential ...
  std::vector<std::string> supplies;  // inputs: force, belt ...
  std::vector<element> elements;
  std::string refusal = {};                     // why there is no balance
  std::vector<std::size_t> idle_supplies = {};  // of them, those that nothing moves: they stay 0

  static constexpr int most_flows = 40;
  int energies() const { return static_cast<int>(held.size() + elements.size()); }
  int powers() const {
    std::size_t count = supplies.size();
    for (const auto& each : elements) count += 1 + each.losses.size();
    return static_cast<int>(count);
  }
  bool empty() const { return elements.empty(); }
};

// The losses of every model of contact with friction, in the order of touch_energy.
inline std::vector<energy_terms::loss> losses_of_touch() {
  return {{"normal damper"}, {"tangential damper"}, {"slider"}, {"viscous"}, {"unbalanced", true}};
}

}  // namespace asperity
