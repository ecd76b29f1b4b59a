// SPDX-License-Identifier: Apache-2.0
#pragma once

// Systems with every law that they take, for tests of what all of them must do.

#include <fmt/format.h>

#include <asperity/error.hpp>
#include <asperity/run/simulate.hpp>

namespace asperity::testing {

struct setting {
  std::string kind, system, contact;
};
inline const std::vector<setting> settings{
    {"mass_on_belt", "mass = 1, k_1 = 2, k_2 = 3, speed = 0.4", ""},
    {"mass_between_walls", "mass = 0.7, left = -0.05, right = 0.05", "needed"},
    {"two_bodies_wall_conveyor", "mass_1 = 0.5, mass_2 = 1, stiffness = 100, speed = 0.5",
     "needed"},
    {"rolling_disc", "mass = 1, radius = 0.5", "needed"},
    {"mass_under_force", "mass = 1", ""},
    {"bouncing_mass", "mass = 1", "alone"},
};

inline scenario read(const setting& of, const std::string& contact, const std::string& friction,
                     const std::string& more) {
  std::string text = fmt::format("system = {{ kind = '{}', {} }}\n", of.kind, of.system);
  if (!contact.empty()) text += fmt::format("contact = {{ model = '{}' }}\n", contact);
  if (!friction.empty()) text += fmt::format("friction = {{ model = '{}' }}\n", friction);
  if (of.kind == "mass_under_force") text += "force = 0.3\n";
  if (of.kind == "bouncing_mass") text += "force = -9.81\n";
  return read_scenario(parse_toml(text + more, "stages"), "stages", ".");
}

// Calls visit(scenario, what, are_continuous) for every setting with every law that it takes, and
// returns how many there are.
template <class Visit>
int for_each_system(const std::string& more, const Visit& visit) {
  int count = 0;
  for (const setting& of : settings)
    for (const catalogue_entry* contact : catalogue()) {
      if (contact->family != (of.contact.empty() ? "curve" : "contact")) continue;
      for (const catalogue_entry* friction : catalogue()) {
        if (friction->family != (of.contact == "alone" ? "curve" : "friction")) continue;
        const std::string press = of.contact.empty() ? "" : contact->key;
        const std::string rub = of.contact == "alone" ? "" : friction->key;
        const std::string what = of.kind + " " + press + " " + rub;
        bool continuous_laws = true;
        for (const auto* entry :
             {of.contact.empty() ? nullptr : contact, of.contact == "alone" ? nullptr : friction})
          if (entry != nullptr)
            continuous_laws &= (any_model(*entry).describe().claims & continuous) != 0;
        try {
          const scenario s = read(of, press, rub, more);
          ++count;
          visit(s, what, continuous_laws);
        } catch (const error&) {
          // A rigid contact, say, that the system refuses.
        }
        if (of.contact == "alone") break;
      }
      if (of.contact.empty()) break;
    }
  return count;
}

}  // namespace asperity::testing
