// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parameters from measurements, whatever is measured: residuals over a vector of unknowns, each with
// a unit, an allowed range and a typical size. model_fit.hpp makes such a problem of a model along
// records, scenario_fit.hpp of any system; programs may fill one in by themselves.
//
//   fit_problem p;
//   p.unknowns = {{.name = "F", .in = units::newton, .allowed = positive, .start = 1}, ...};
//   p.rows = {n};                                            one length per record
//   p.residual = [&](auto values, auto residual) { ...; return true; };
//   const fit_result found = fit(p);
//
// Unknowns are scaled by their range inside: a positive one moves in its logarithm, one with a finite
// end in the distance from it, so that no unknown starts on its bound and none leaves its range.

#include <asperity/model.hpp>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace asperity {

struct unknown {
  std::string name;
  unit in = units::one;
  range allowed = any_value;
  double start = 1;
  double scale = 0;  // typical size; 0: that of the start, or 1
  std::string meaning = {};
  int not_below = -1;  // number of another unknown that it must not fall below, such as F_c of F_s
  // A prior belief: the unknown stays within about so many steps of 1 (a factor e for a positive
  // one) of its start. 0: none. Keeps distributions of many elements from running apart.
  double prior_width = 0;
  // The same for its difference from the unknown before it: smooth distributions.
  double smooth_width = 0;
  // Elements that may change places without a change of the residuals: the number of their set, the list
  // of the unknown, and which element it belongs to. A result has the elements in the order of the
  // list with `order`: 1 rising, -1 falling.
  int set = -1, list = 0, element = 0, order = 0;
  bool is_share = false;  // of a list of which only the parts of its sum count
  // Residuals jump where it moves: slopes do not say where the best value lies, and it is combed for.
  bool jumps = false;
  // Their slopes jump: searches are held up, and begin again at other values of it.
  bool kinks = false;
};
inline constexpr std::size_t most_combed = 10;  // of more unknowns it would take too long
// Values with the elements of each set in their order.
std::vector<double> in_order(const std::vector<unknown>&, const std::vector<double>& values);

// A matrix with a row per residual and a column per unknown.
struct jacobian_view {
  double* values;
  std::size_t rows, columns;
  double& operator()(std::size_t row, std::size_t column) const {
    return values[row * columns + column];
  }
};

struct fit_problem {
  std::vector<unknown> unknowns;
  std::vector<std::size_t> rows;  // residuals of each record, one after the other
  // Model minus measurement at these values, in SI. False where the model cannot be run there.
  std::function<bool(std::span<const double> values, std::span<double> residual)> residual;
  // The same with exact derivatives. Empty: finite differences.
  std::function<bool(std::span<const double> values, std::span<double> residual, jacobian_view)>
      derivative;
  bool derivative_is_exact = true;  // false: `derivative` takes differences by itself
  // Sums of the squares of the residuals at up to `side_by_side` points, infinite where the model
  // cannot be run; may be called from several threads. Empty: points are tried one after the other.
  std::function<std::vector<double>(std::span<const std::vector<double>> points)> squares = nullptr;
  std::size_t side_by_side = 1;
  // With which unknowns residuals jump at these values. Where a start does not show it, the end of a search
  // may. Empty: what the unknowns say is all.
  std::function<std::vector<bool>(std::span<const double> values)> jumps_at = nullptr;
  // More points to try beside the hypercube. Empty: none.
  std::function<std::vector<std::vector<double>>()> more_starts = nullptr;
  // Forgets what an earlier fit left, so that the same fit gives the same bits. Empty: nothing is left.
  std::function<void()> begin = nullptr;
  // The noise that is in the residuals, rms, where repetitions of the record show it, and from how many
  // values more than there are residuals it is known. 0: unknown.
  double noise = 0, noise_samples = 0;
  // Set by a fit that is stopped, for residuals that take long: they may end at once, without a value.
  std::shared_ptr<std::atomic<bool>> stop = nullptr;

  std::size_t residuals() const;
  int find(std::string_view name) const;  // -1 where there is none
};

struct fit_options {
  enum class loss { squares, huber, cauchy } robust = loss::squares;
  double loss_width = 3;  // of the robust loss, in standard deviations of the residuals
  static constexpr int most_starts = 10000;
  int starts = 24;       // points of the Latin hypercube that are tried; 0: the start alone
  int polished = 3;      // the best of them that are solved
  double spread = 30;    // the hypercube reaches a start times and over this factor
  int nearby = 3;        // searches from a few standard errors away, where intervals are made
  int searches_on = 12;  // the most that follow where the residuals are no noise; 0: none
  unsigned seed = 1;
  int threads = 0;  // that try them; 0: one per core. The result does not depend on it
  std::vector<double> begin = {};  // where to begin; empty: at the starts of the unknowns, which
                                   // stay the centre of what is believed and tried
  bool begin_on_bounds = false;    // what begins on a bound stays there, if that is better than to
                                   // be moved off it: the result is no worse than `begin`
  int max_iterations = 100;
  bool intervals = true;  // profile likelihood where the quadratic interval is wrong
  double confidence = 0.95;
  double difference = 1e-6;       // step of finite differences, in the scaled unknowns
  double time_limit = unbounded;  // [s] of wall-clock time; the best so far is the result
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(double fraction)> progress = nullptr;
};

struct estimate {
  enum class verdict {
    determined,    // by the record, within its interval
    vague,         // its interval spans more than a factor of ten, or is open on a side
    no_influence,  // no residual depends on it
    at_bound,      // on the end of its allowed range
    runs_off,      // larger or smaller is ever better: the data wants the limit
    ambiguous,     // a search from elsewhere ended at another value, at which the data fits as well
    misfit,        // the residuals are no noise: its interval holds for this model alone, if at all
    held           // was not free
  };
  double value = 0, lower = 0, upper = 0;
  double standard_error = 0;
  bool is_profile = false;  // the interval is that of the profile likelihood
  verdict is = verdict::determined;
  std::string words = {};  // the verdict in a sentence; empty where it is determined
};
const char* to_string(estimate::verdict);

struct fit_result {
  std::vector<unknown> unknowns;
  std::vector<estimate> estimates;  // one per unknown
  std::vector<double> values;       // the same as numbers
  std::vector<double> residual;     // model minus measurement
  std::vector<std::vector<double>> correlation;
  // Combinations that the residuals hardly depend on: shares of the unknowns in each.
  struct flat_direction {
    double standard_error;  // along it, in the scaled unknowns: 1 is about a factor e
    std::vector<std::pair<int, double>> parts;
    std::string words;
  };
  std::vector<flat_direction> flat;

  double rms = 0;                // of the residuals
  double effective_samples = 0;  // residuals that are correlated count less; 0: not found out
  double whiteness = 0;          // correlation of neighbouring residuals
  double bic = 0;                // with effective samples, where there are; lower is better
  int iterations = 0;
  long evaluations = 0;
  double seconds = 0;
  double confidence = 0.95;  // of the intervals
  bool has_exact_derivatives = false;
  // Where residuals jump: whether two searches on their own ended at the best place, and no place far away
  // is nearly as good. Otherwise the best of all places may be another one.
  std::optional<bool> came_back = {};
  enum class ending { converged, iteration_limit, interrupted, time_limit, failed };
  ending how = ending::failed;
  std::string detail = {};

  const estimate* find(std::string_view name) const;
};
const char* to_string(fit_result::ending);

// Throws asperity::error where the problem itself is wrong: no residuals, a start outside its range.
// What goes wrong on the way is in the result.
fit_result fit(const fit_problem&, const fit_options& = {});

// What a search makes as small as possible: the robust loss of residuals whose noise is `noise`, or half
// the sum of their squares.
double loss_of(std::span<const double> residual, const fit_options&, double noise);
// The size of residuals without those that stand out: 1.48 times the median of their sizes.
double robust_noise(std::span<const double> residual);

// How far residuals are from white noise: by how many standard deviations means over blocks of rows are
// larger than those of such noise, at the length of blocks where it is most.
double structure_of(std::span<const double> residual, std::span<const std::size_t> rows);
// The same, or, where the noise is known, by how many the mean of their squares is above that of the noise.
double structure_of(const fit_problem&, std::span<const double> residual);
inline constexpr double no_noise = 6;  // of it: then residuals are no noise

// Residuals that are correlated tell less: their number over 1 + 2 (sum of autocorrelations). 0 where it
// was interrupted: of long records it looks at thousands of lags.
double effective_samples(std::span<const double> residual, std::span<const std::size_t> rows,
                         const std::atomic<bool>* interrupt = nullptr);

}  // namespace asperity
