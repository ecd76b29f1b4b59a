// SPDX-License-Identifier: Apache-2.0
#pragma once

// The input that gives a wanted output. In closed form for Prandtl-Ishlinskii operators, plain and
// generalised; by their own dynamics for multiplay and for models whose output is their only state;
// by finding roots, sample by sample, for any other rate-independent operator.

#include <asperity/catalogue/any_model.hpp>
#include <asperity/models/hysteresis/generalised_prandtl_ishlinskii.hpp>
#include <asperity/models/hysteresis/prandtl_ishlinskii.hpp>
#include <atomic>
#include <functional>
#include <optional>

namespace asperity {

// The inverse of a Prandtl-Ishlinskii operator is one, too (Kuhnen 2003): with thresholds in rising
// order and slopes s_i = q + p_1 + ... + p_i, all above 0,
//
//   q' = 1/q,   p'_i = -p_i/(s_i s_(i-1)),   r'_i = q r_i + sum_(j<i) p_j (r_i - r_j).
//
// Its states follow from those of the operator. Throws asperity::error where a slope is not above
// 0: there the output says nothing about the input, or falls.
struct inverted_operator {
  prandtl_ishlinskii<double> inverse;
  vec<double, 32> state;
};
inverted_operator inverse_of(const prandtl_ishlinskii<double>&, const vec<double, 32>& state = {});

// How far outputs may be from the wanted ones, as a share of the greatest of them. Where time counts,
// an output also depends on how its input goes from row to row.
constexpr double tolerance_by_rows = 1e-6, tolerance_by_dynamics = 1e-4;

struct inversion_options {
  double lower = -unbounded, upper = unbounded;  // the input stays between them
  std::vector<double> times = {};  // of the rows [s]: models that depend on the rate need them
  std::optional<double> tolerance = {};  // in place of those above
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(double fraction)> progress = {};
};

struct inversion {
  std::vector<double> x;      // the input
  std::vector<double> f;      // what the model gives with it
  double error = 0;           // largest |f - wanted|
  std::size_t worst = 0;      // ... and in which row
  std::size_t cut = 0;        // rows that no input within the bounds can give: the nearest is taken
  std::size_t first_cut = 0;  // ... and the first of them
  double reach_low = 0, reach_high = 0;  // what the output could be there
  enum class way { roots, closed_form, dynamics } found_by = way::roots;
  bool interrupted = false;
  // The first output needs the motion from x = 0 to the first input: from the initial state at that
  // input, where `eval` begins, the model gives another.
  bool needs_way_to_first = false;
  double at_first = 0;  // ... and this is it
  double tolerance = tolerance_by_rows;

  double allowed(const std::vector<double>& wanted) const;  // the error
  // Whether every row gets what it wants, to the error that is allowed.
  bool reaches_all(const std::vector<double>& wanted) const;
};

// From the model's initial state at x = 0. For multiplay, whose wanted output is joined by lines
// between the times of the rows; for rate-dependent models whose output is their only state
// (nonlinear_feedback), with a spline between the rows; and for rate-independent models along a line
// with a memory. A row that one way up or down cannot give gets the nearest that it can, and `error`
// tells. Zero-slope stretches have many inputs: the one next to the last is taken. Throws
// asperity::error with the reason for other models.
inversion invert(const any_model&, const std::vector<double>& wanted,
                 const inversion_options& = {});

}  // namespace asperity
