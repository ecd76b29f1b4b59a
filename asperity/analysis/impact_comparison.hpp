// SPDX-License-Identifier: Apache-2.0
#pragma once

// Impacts of several contact models beside each other: the same speeds, the same mass, and settings
// that each model takes as far as they are its own.

#include <asperity/analysis/restitution.hpp>
#include <asperity/draw/figure.hpp>
#include <optional>

namespace asperity {

// A value of a parameter, of one model or of all that have it.
struct impact_setting {
  std::string model, parameter, value;  // model is empty where all are meant
};
// "K=5", "dai_contact.K=5 N/um" or "beta=lin(0, 0.01, 5)". Throws asperity::error.
impact_setting parse_impact_setting(const std::string& text);

struct impact_comparison {
  std::vector<std::string> models;  // all contact models where empty
  std::vector<impact_setting> settings;
  std::optional<impact_setting> over;  // a parameter, or "mass", that goes through several values
  std::vector<double> speeds = {1};    // [m/s]
  impact_options options = {};
};

// One model of the comparison with all its impacts.
struct impact_curve {
  impact_sweep sweep;
  std::vector<impact_row> rows = {};

  // "kelvin_voigt B = 100 N s/m" for a value of the parameter that varies.
  std::string label(double value) const;
  // What the model says of values that vary, once for each, with its label.
  std::vector<std::string> doubts() const;
};

// Checks everything before anything runs; what is doubtful but allowed goes to `warnings`. Throws
// asperity::error for models that are no contacts and for settings that no model here has.
std::vector<impact_curve> plan_impacts(const impact_comparison&,
                                       std::vector<std::string>& warnings);
// Fills the rows. Stops early where `interrupt` becomes true.
void find_impacts(std::vector<impact_curve>&, const std::atomic<bool>* interrupt = nullptr,
                  const std::function<void(double fraction)>& progress = {});

// A panel for each column of impact_columns() that is not derived, over the speed, or over the
// parameter where there is one speed only; none where there is but one impact. Over decades of speed,
// forces and times go over decades, too.
figure figure_of(const std::vector<impact_curve>&);

}  // namespace asperity
