// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a contact model makes of an impact: a mass meets the surface at a given speed, and the
// motion is followed until contact ends. Peak, deepest point and end of contact are located by
// shortening the step until it ends there, so they are as exact as the steps themselves.

#include <asperity/catalogue/catalogue.hpp>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace asperity {

struct impact_options {
  double mass = 1;   // [kg]
  double force = 0;  // on the mass, away from the surface; -m g where the mass falls [N]
  // Contact ends when the contact force returns to 0, or when the gap does.
  enum class end { force, gap } ends_with = end::force;
  double step = 0;  // of the classical Runge-Kutta method [s]; 0: steps are chosen by their error
  double tolerance = 1e-12;  // of every step, relative to the state and what the step adds to it
  long max_steps = 2'000'000;
  const std::atomic<bool>* interrupt = nullptr;
};

struct impact {
  enum class outcome {
    separated,
    no_separation,  // it comes to rest in contact: restitution 0
    undetermined,   // the law does not say: no force is finite (rigid contact)
    failed          // numerically
  } how = outcome::separated;
  std::string why;  // empty where it separated

  double restitution = 0;      // speed at the end of contact over speed of impact
  double contact_time = 0;     // [s]; NaN where it does not end
  double time_to_peak = 0;     // [s]; from touchdown to the highest contact force
  double peak_force = 0;       // [N]
  double time_to_deepest = 0;  // [s]; how long the compression lasts
  double deepest = 0;          // indentation [m]
  double residual = 0;         // indentation when the contact force first returns to 0 [m]
};

// Throws asperity::error for a model that is not one of contact, and for options out of range. All
// numbers are NaN where the outcome is undetermined or failed; without separation those of what
// does not happen are. Throws asperity::interruption.
impact find_impact(const any_model&, double speed, const impact_options& = {});

// Impacts over speeds and, where `parameter` is named, over values of it ("mass" is one, too).
struct impact_sweep {
  any_model model;
  std::vector<double> speeds;
  std::string parameter;
  std::vector<double> values;  // of the parameter; one value, not used, where there is none
  impact_options options;
};

struct impact_row {
  double speed, value;
  impact what;
  std::string doubt = {};  // what the model says of its parameters; empty where they are fine
};

// By value, then speed. Stops early where `interrupt` becomes true; `progress` is told the share
// that is done. Throws asperity::error for values the model does not allow.
std::vector<impact_row> find_impacts(const impact_sweep&,
                                     const std::atomic<bool>* interrupt = nullptr,
                                     const std::function<void(double)>& progress = {});

// Columns of a table of impacts, each a number of one row.
struct impact_column {
  const char* name;   // "contact_time"
  const char* title;  // "Contact time"
  unit in;
  double (*value)(const impact&);
  bool is_derived = false;  // follows from other columns: for files, not for the eye
};
const std::vector<impact_column>& impact_columns();

// The unit of a parameter of a sweep ("mass" included). Throws asperity::error for unknown names.
unit unit_of_parameter(const any_model&, const std::string& name);
range range_of_parameter(const any_model&, const std::string& name);

const char* to_string(impact::outcome);

}  // namespace asperity
