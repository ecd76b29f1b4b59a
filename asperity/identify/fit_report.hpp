// SPDX-License-Identifier: Apache-2.0
#pragma once

// What can be said of every fit, whether of a model (report.hpp) or of a system (scenario_report.hpp):
// values with intervals, residuals against what they may depend on, findings in sentences, and the rank
// of one fit among others to the same records.

#include <asperity/identify/fit.hpp>
#include <nlohmann/json_fwd.hpp>

namespace asperity {

// Residuals against a quantity: mean and deviation in bins of equal numbers.
struct residual_bins {
  std::string against;  // "speed", "position", "time", or the channel that was measured
  unit in;
  std::vector<double> centre, mean, deviation;
  double explained = 0;  // share of the variance of the residuals that the means explain
  std::string of = {};   // the column whose residuals these are; empty where there is one
  unit of_unit = in;     // of the residuals
  double by_chance = 0;  // the most that means of so few rows explain of white residuals
};
residual_bins bins_against(const std::string& name, unit in, const std::vector<double>& at,
                           const std::vector<double>& residual);

struct fit_report {
  fit_result result = {};
  unit in = units::newton;  // of the residuals
  std::size_t samples = 0;
  double deviation = 0;           // standard deviation of what was measured
  double held_out_rms = 0;        // of the part at the end that the first fit did not see
  double held_out_share = 0;      // of the rows
  double held_out_deviation = 0;  // standard deviation of what was measured there
  double structure = 0;           // of the residuals; above `no_noise` they are no noise
  double noise = 0;               // that repetitions of the record show; 0: unknown
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

double rms_of(std::span<const double> values);
// Without values that are missing (NaN).
double deviation_of(std::span<const double> values);
std::string number_with_unit(double x, unit in);
void add_once(std::vector<std::string>& list, std::string text);

// Residuals that are no noise: nothing is determined then, since intervals promise too much.
void mark_misfit(fit_report&);
// The findings that need no more than the result, before and after those about single unknowns. `richer`
// says how a richer one is tried: "compare richer models (--compare all)".
bool was_stopped(const fit_result&);
void say_whether_it_is_whole(fit_report&);
void say_what_goes_together(fit_report&);
void say_of_residuals(fit_report&, const std::string& richer);

// The table of unknowns, and the same as data: for every kind of fit.
std::string fit_table(const fit_result&);
std::string samples_text(const fit_result&);
std::string findings_text(const fit_report&);
nlohmann::ordered_json fit_json(const fit_result&);
nlohmann::ordered_json bins_json(const fit_report&);

// ---- one among others -----------------------------------------------------------------------------

// BIC with so many samples in place of the fit's own.
double bic_with(const fit_result&, double samples);
// One noise for all that are compared, that which the closest one leaves. Residuals of a poor one are
// correlated because it is poor: they must not make the others look as if they had fewer samples to
// explain. Sets the BIC of each, and returns the samples that all of them count with.
double set_common_bic(const std::vector<fit_result*>&);

struct ranked_fit {
  std::string name;
  const fit_report* report;
  double validated = 0;  // residual on records that were not fitted, over their deviation; 0: none
};
// Which is the best, by how much, and what the part held out and other records say; best first. `kind`
// is what they are: "model", "candidate".
std::string ranking_verdict(const std::vector<ranked_fit>&, const std::string& kind);
bool is_unfinished(const fit_result&);
// Names of the unknowns that are not determined, at most four; where the residuals are no noise, all are
// not, which is said once.
std::string undetermined_text(const fit_result&);
std::string lined_up_text(const std::vector<std::vector<std::string>>& rows);

}  // namespace asperity
