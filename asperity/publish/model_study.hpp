// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model as its page shows it: standard plots with its default parameters, at its own scales, and a
// scenario that can be run as it stands. Which plots there are follows from the port.
//
//   drive     force over velocity; presliding loops; a pulled mass that sticks and slips
//   press     force over indentation in an impact; restitution over speed; bouncing
//   operator  nested loops; loops at three rates; input and output in time
//   touch     pressing; slipping to and fro; friction over slip speed
//   twist     force and torque from sliding to spinning; limit curve; a body that slides and spins

#include <asperity/analysis/properties.hpp>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/draw/figure.hpp>

namespace asperity {

struct model_plot {
  figure_panel shown;
  std::string below;  // how it was made, in a sentence
};

struct model_study {
  std::optional<model_properties> properties;  // of friction and curves
  std::string scenario;                        // TOML, complete
  std::vector<model_plot> plots;               // their looks are chosen
  std::size_t telling = 0;                     // the plot that tells most, if there is one
  std::vector<std::string> problems;           // plots that could not be made, and why
};

// Throws asperity::interruption.
model_study study_of(const catalogue_entry&, const std::atomic<bool>* interrupt = nullptr);

// The first cycle or two of the scenario on the page of a system, as its own plot shows them.
struct system_row;
model_study study_of(const system_row&, const std::atomic<bool>* interrupt = nullptr);

// Number of two digits, as people choose them.
double rounded(double value);

}  // namespace asperity
