// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parameters of a contact from what an impact on it shall be: wishes for the restitution at one
// speed or several, contact time, greatest indentation and force, indentation at rest under the
// weight, and the step of the simulator. The wishes are solved on the map of the law in pure numbers
// (asperity/mechanics/impact_map.hpp, docs/design.md) and the answer is simulated by find_impact,
// which knows nothing of the map. A law that cannot meet them says which exclude each other, and
// what the nearest possible value is.

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/draw/figure.hpp>
#include <asperity/mechanics/gravity.hpp>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace asperity {

struct contact_wish {
  enum class kind { restitution, time, penetration, force, resting_penetration } is;
  double value;  // in SI
  double speed;  // of impact [m/s]; not used at rest
};
// "restitution 0.7 at 2 m/s".
std::string to_string(const contact_wish&);
unit unit_of(contact_wish::kind);

// "0.7@2m/s, 0.8@0.5m/s"; where no speed is named it is 0, to be set. Throws asperity::error that
// names the text, the value and what is allowed.
std::vector<contact_wish> parse_wishes(contact_wish::kind, const std::string& text);

struct contact_wishes {
  std::vector<contact_wish> wishes;
  double mass = 1;                 // [kg]
  double gravity = usual_gravity;  // of the weight at rest, and in impacts where under_weight
  bool under_weight = false;
  double step = 0;  // of an explicit method that shall follow the contact [s]; 0: none
  // Exponent of laws that have one; their default where there is none.
  std::optional<double> lambda = {};
  const std::atomic<bool>* interrupt = nullptr;
};

struct contact_design {
  struct row {
    contact_wish wish;
    bool is_wished;    // otherwise it is shown for information
    double designed;   // by the map
    double simulated;  // by find_impact; NaN where it has no number
    double error() const { return simulated / wish.value - 1; }  // relative to the wish
  };

  std::string key;
  bool is_met = false;
  std::string why;                 // where it is not: whole sentences
  std::optional<any_model> model;  // where it is
  std::vector<row> rows = {};
  std::vector<std::string> chosen = {};       // what no wish determines, and how it was chosen
  std::vector<std::string> warnings = {};     // of the model itself
  double longest_euler = 0, longest_rk4 = 0;  // steps that amplify nothing [s]
  double longest_step = 0;                    // with the margin that `step` asks for [s]
  double restitution_at_step = 0;             // by RK4 at `step`; NaN where none is given

  double worst_error() const;  // of the wished rows
};

// Throws asperity::error for wishes out of range and a law without a map, asperity::interruption.
contact_design design_contact(const std::string& key, const contact_wishes&);
std::vector<std::string> designed_laws();

// Restitution against speed: the map as a line for each design, simulated points, and the wishes.
figure figure_of(const std::vector<contact_design>&, const contact_wishes&);

// "[contact]\nmodel = ..." to be pasted into a scenario.
std::string as_toml(const contact_design&);

}  // namespace asperity
