// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model fitted to records, and what can be said about it: values with intervals, what the records
// cannot tell and why, residuals, a part that was held out, and the experiment to make next.

#include <asperity/identify/model_fit.hpp>
#include <nlohmann/json_fwd.hpp>

namespace asperity {

// Residuals against a quantity: mean and deviation in bins of equal numbers.
struct residual_bins {
  std::string against;  // "speed", "position", "time"
  unit in;
  std::vector<double> centre, mean, deviation;
  double explained = 0;  // share of the variance of the residuals that the means explain
};

struct model_report {
  std::string model, curve;
  fit_result result;
  any_model fitted;
  unit in = units::newton;  // of the residuals
  std::size_t samples = 0;
  double deviation = 0;           // standard deviation of what was measured
  double held_out_rms = 0;        // of the part at the end that the first fit did not see
  double held_out_share = 0;      // of the rows
  double held_out_deviation = 0;  // standard deviation of what was measured there
  double step_error = 0;          // rms error of the integration
  double structure = 0;           // of the residuals; above `no_noise` they are no noise
  record_scales scales = {};
  std::vector<residual_bins> bins = {};
  std::vector<std::string> findings = {};  // what is worth knowing, in sentences
  std::vector<std::string> next = {};      // experiments to make
  std::vector<std::string> notes = {};     // about the fit itself

  double share() const { return deviation > 0 ? result.rms / deviation : 0; }
  // Of the whole record where the part held out does not vary.
  double held_out() const {
    const double beside = held_out_deviation > 1e-6 * deviation ? held_out_deviation : deviation;
    return beside > 0 ? held_out_rms / beside : 0;
  }
};

// Fits to the first part of each record, judges on the part held out, and fits to all of it. Where
// the steps of the integration are too long for the residuals that are left, they are halved. After an
// interrupt the best so far is the result, and `detail` says what was left out; where there is none
// yet it throws asperity::interruption.
model_report fit_model(const any_model&, const std::vector<record>&, const model_fit_options&,
                       const fit_options&);

// The table of unknowns, and the same as data: for every kind of fit.
std::string fit_table(const fit_result&);
std::string samples_text(const fit_result&);
nlohmann::ordered_json fit_json(const fit_result&);
std::string report_text(const model_report&);
nlohmann::ordered_json report_json(const model_report&);
// A scenario that moves the fitted model along `motion_file`, which has the columns t, x or v and
// perhaps load. Only for models along a line.
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
