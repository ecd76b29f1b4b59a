// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model of any port along measured records: its parameters, and those of the sensor, as unknowns
// of a fit. The motion is given, the force is compared. Between rows a velocity is joined by lines
// and a position by the monotone cubic, as `asperity eval` does; states are taken from row to row by
// an L-stable method of order 2 whose derivatives are exact (implicit differentiation of its stages in
// dual numbers). Models whose memory branches are advanced, and differentiated by differences.

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/identify/fit.hpp>
#include <asperity/text/record.hpp>
#include <memory>

namespace asperity {

class lane_device;  // batch/cuda/lane_device.hpp

struct model_fit_options {
  std::vector<std::string> free;  // parameters to find; empty: all that are numbers, but exponents
  std::vector<std::string> held;  // parameters that keep the value they have
  std::string drive;              // "x" or "v"; empty: v where the record has it, for sliding
  // What the sensor of the force does: measured = gain f(t - delay) + offset + stiffness x.
  bool offset = true, gain = false, delay = false, stiffness = false;
  double settle = 0;          // [s] at the start of each record that is simulated, but not compared
  double hold_out = 0;        // share of each record, its end, that is simulated, but not compared
  bool own_start = false;     // start from the parameters the model has, not from the record
  double prior_width = 1.5;   // of the elements of lists, in logarithms
  double smooth_width = 0.7;  // between neighbours in a list
  lane_device* device = nullptr;  // that tries starting points, where it can; null: the processor
  // Ends residuals within a few rows, without a value; what has none to show throws `interruption`.
  const std::atomic<bool>* interrupt = nullptr;
  // The same for whoever has no time left; a fit sets it for its own limit. Null: one of its own.
  std::shared_ptr<std::atomic<bool>> stop = nullptr;
};

// Why a device cannot try the starting points of such a fit; empty where it can.
std::string why_not_on_device(const lane_device&, const any_model&, const model_fit_options&);

// What a record shows before anything is fitted: sizes from which parameters start.
struct record_scales {
  double force = 1;      // [N] in sliding
  double highest = 1;    // [N] the greatest
  double stiffness = 1;  // [N/m] after reversals
  double length = 1;     // [m] force over stiffness
  double speed = 1;      // [m/s] while it moves
  double fastest = 1;    // [m/s]
  double slowest = 1;    // [m/s] of the speeds that last
  double step = 1;       // [s] between rows
  int reversals = 0;
};

class model_fit {
 public:
  // Throws asperity::error where a record lacks a column, or a name is not a parameter, and
  // asperity::interruption.
  model_fit(any_model model, std::vector<record> records, model_fit_options = {});

  fit_problem problem() const;  // refers to this
  // The model with the values of such a problem, shares normalised.
  any_model with(std::span<const double> values) const;
  // What the sensor of record number `which` would show, row by row.
  std::vector<double> predicted(std::span<const double> values, std::size_t which) const;
  // Residuals of the part that was held out; empty where none was.
  std::vector<double> held_out(std::span<const double> values) const;
  // Row of the record that a residual belongs to.
  struct place {
    std::size_t record, row;
    int output;
  };
  place place_of(std::size_t residual) const;
  const record& recorded(std::size_t which) const;
  const any_model& model() const;
  record_scales scales() const;
  bool has_exact_derivatives() const;
  double measured_deviation() const;  // standard deviation of what is compared
  // Rules between parameters that the fit does not keep, in words.
  const std::vector<std::string>& notes() const;

  // By how much the residuals change when every step is halved, so many times, rms: the error of
  // integration. It and `refine` throw asperity::interruption.
  double step_error(std::span<const double> values, int times = 1) const;
  // Whether the model takes steps of its own that are not exact: of order 1, or less where they are long,
  // and one halving tells too little of their error.
  bool has_rough_steps() const;
  void refine();  // halves every step from now on
  // Halves those steps, once or several times, that make the error at these values: the `error` that is
  // there is to become `wanted`, if it falls as that of smooth motions does.
  void refine(std::span<const double> values, double error, double wanted);
  void take_steps_of(const model_fit&);  // of the same records
  std::size_t steps() const;             // along all records

 private:
  struct parts;
  std::shared_ptr<parts> p_;
};

}  // namespace asperity
