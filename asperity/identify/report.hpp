// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model fitted to records, and what can be said about it: values with intervals, what the records
// cannot tell and why, residuals, a part that was held out, and the experiment to make next.

#include <asperity/identify/fit_report.hpp>
#include <asperity/identify/model_fit.hpp>
#include <nlohmann/json_fwd.hpp>

namespace asperity {

struct model_report : fit_report {
  explicit model_report(any_model of) : model(of.key()), curve(of.curve()), fitted(std::move(of)) {}

  std::string model, curve;
  any_model fitted;
  double step_error = 0;  // rms error of the integration
  record_scales scales = {};
};

// Fits to the first part of each record, judges on the part held out, and fits to all of it. Where
// the steps of the integration are too long for the residuals that are left, they are halved. After an
// interrupt the best so far is the result, and `detail` says what was left out; where there is none
// yet it throws asperity::interruption.
model_report fit_model(const any_model&, const std::vector<record>&, const model_fit_options&,
                       const fit_options&);

std::string report_text(const model_report&);
nlohmann::ordered_json report_json(const model_report&);
// Why the record cannot be run again as a scenario; empty where it can.
std::string why_no_scenario(const any_model&, const record&);
// A scenario that moves the fitted model along `motion_file`, which has a column t and those of the
// record's inputs. Throws asperity::error where `why_no_scenario` has a reason.
std::string report_scenario(const model_report&, const std::string& motion_file, const record&,
                            const std::string& drive);

// The best of many: ranked by BIC with effective samples.
struct comparison {
  std::vector<model_report> ranking;
  struct failure {
    std::string model, why;
  };
  std::vector<failure> failures;
  std::string verdict;  // in words
};
struct compare_options {
  model_fit_options of_model;
  fit_options of_fit;
  std::function<void(double fraction, const std::string& model)> progress = nullptr;
};
comparison compare_models(const std::vector<any_model>&, const std::vector<record>&,
                          const compare_options&);
std::string comparison_text(const comparison&);
nlohmann::ordered_json comparison_json(const comparison&);

// How well strokes that should be alike repeat: rms of their differences over sqrt(2), at equal places
// and directions, and the same over the deviation of the force. No model of x and v without drift
// can be better than this.
struct repeatability {
  double rms = 0, share = 0;
  int strokes = 0;
};
repeatability repeatability_of(const record&, double deviation);

// The work that the force f takes from the motion x, or v [J], and the sum of its sizes: friction takes, and
// where the first is far below 0 the force is that on the body, of the other sign. Offsets of the force
// are left out.
struct work_of_record {
  double taken = 0, sizes = 0;
  bool drives() const { return taken < -0.2 * sizes; }
};
work_of_record work_of(const record&);

}  // namespace asperity
