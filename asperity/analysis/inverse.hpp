// SPDX-License-Identifier: Apache-2.0
#pragma once

// The input that gives a wanted output. In closed form for Prandtl-Ishlinskii operators, plain and
// generalised; by its own dynamics for multiplay; by finding roots, sample by sample, for any other
// operator that rises with its input.

#include <asperity/catalogue/any_model.hpp>
#include <asperity/models/hysteresis/generalised_prandtl_ishlinskii.hpp>
#include <asperity/models/hysteresis/prandtl_ishlinskii.hpp>
#include <atomic>
#include <functional>

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

struct inversion_options {
  double lower = -unbounded, upper = unbounded;  // the input stays between them
  std::vector<double> times = {};  // of the rows [s]: models that depend on the rate need them
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

  // Whether every row gets what it wants, to a millionth of the greatest of them; where the model
  // has dynamics, whether its input stays within the bounds: f then also depends on how it goes from
  // row to row.
  bool reaches_all(const std::vector<double>& wanted) const;
};

// From the model's initial state at x = 0. For multiplay, whose wanted output is joined by lines
// between the times of the rows; and for models of the families hysteresis and friction with an
// advance of their own, under which the output rises with the input: where it does not, the inversion
// finds an input all the same if one step can, and `error` tells. Zero-slope stretches have many
// inputs: the one next to the last is taken. Throws asperity::error for other models.
inversion invert(const any_model&, const std::vector<double>& wanted,
                 const inversion_options& = {});

}  // namespace asperity
