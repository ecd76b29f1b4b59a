// SPDX-License-Identifier: Apache-2.0
#pragma once

// A Preisach operator with a mesh and memory of any size. The equations are those of
// asperity/models/hysteresis/preisach.hpp.

#include <asperity/models/hysteresis/detail/everett.hpp>
#include <functional>
#include <span>
#include <vector>

namespace asperity {

class preisach_operator {
 public:
  // E at the nodes x_i = x_low + i (x_high - x_low)/n in the order E_10, E_20, E_21, E_30 ...
  // Throws asperity::error unless there are n (n + 1)/2 finite values and x_low < x_high.
  preisach_operator(double x_low, double x_high, std::vector<double> everett);
  // From a density of relays, taken in the middle of each of n cells a side.
  static preisach_operator with_density(double x_low, double x_high, int n,
                                        const std::function<double(double a, double b)>& density);

  double to(double x);          // takes the input there, and returns the output
  double peek(double x) const;  // the output there, without going
  double output() const { return peek(input_); }
  double input() const { return input_; }
  int depth() const { return static_cast<int>(extrema_.size()); }  // extrema in memory
  double saturation() const { return node(n_, 0); }                // weight of all relays
  // No cell has a negative weight: the output rises with the input and has an inverse.
  bool is_monotone() const;

  // The input next to the present one that gives `y`; beyond saturation the end of the mesh. The
  // memory stays as it is. Needs is_monotone().
  double inverse(double y) const;

  // out[k] = to(x[k]).
  void stream(std::span<const double> x, std::span<double> out);

 private:
  int n_;
  double x_low_, x_high_, input_;
  std::vector<double> everett_;
  std::vector<double> extrema_;          // in cells from x_low; the last is the input
  mutable std::vector<double> scratch_;  // no allocation while samples stream

  double node(int i, int j) const {
    return i > j ? everett_[static_cast<std::size_t>(detail::everett_index(i, j))] : 0.0;
  }
  double position(double x) const;
};

}  // namespace asperity
