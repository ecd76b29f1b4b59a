// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inputs of a port as columns over time, read where they lie. Of a place and its rate one is enough:
// a rate that is not given is the difference quotient, a place the integral. The load is 1.

#include <asperity/run/stepped_model.hpp>
#include <functional>

namespace asperity {

class sampled_inputs {
 public:
  // One column per input of the port, null where it is not given, each as long as t. Throws
  // asperity::error where a rate cannot be told.
  sampled_inputs(const any_model& model, std::span<const double> t,
                 std::vector<const double*> columns);

  std::size_t rows() const { return t_.size(); }
  double time(std::size_t row) const { return t_[row]; }
  double step(std::size_t row) const { return row == 0 ? 0.0 : t_[row] - t_[row - 1]; }
  // The inputs at a sample, given those at the one before.
  void at(std::size_t row, const double* before, double* in) const;
  // Rates that are not given, by number: between two samples each is the slope of its place, so that
  // it adds up to what the place went.
  std::span<const std::size_t> slopes() const { return slopes_; }

 private:
  const port* port_;
  std::span<const double> t_;
  std::vector<const double*> columns_;
  std::vector<std::size_t> slopes_;
};

// Outputs at each sample, one row after another, from rest or from where the model is. `goes_on` is
// asked now and then.
struct sampling_end {
  outcome how;
  std::size_t row;  // where it failed
};
inline constexpr std::size_t rows_between_questions = 4096;
sampling_end sample(stepped_model&, const sampled_inputs&, bool resets, double* out,
                    const std::function<bool()>& goes_on);

}  // namespace asperity
