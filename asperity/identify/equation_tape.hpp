// SPDX-License-Identifier: Apache-2.0
#pragma once

// The equations of a model along a line as the list of operations that they leave when traced,
// evaluated at many points at once with exact derivatives: of the force and of each rate by those
// states and free parameters it depends on at all. Dual numbers carry every derivative through every
// operation; here each result is followed back through the operations it is made of, so that
// elements side by side do not pay for each other's parameters.

#include <asperity/catalogue/any_model.hpp>
#include <asperity/catalogue/traced.hpp>
#include <optional>
#include <span>
#include <vector>

namespace asperity {

class equation_tape {
 public:
  static constexpr int points = 32;  // of one evaluation

  struct free_parameter {
    std::size_t entry, element;  // of the card
  };
  // A derivative that is not 0 everywhere: by which variable, and where it stands among the slopes.
  struct partial {
    int variable, slope;
  };
  struct result {
    int node;
    std::vector<partial> by_state, by_parameter;
  };

  // Nothing where the model leaves no such list: it branches on its memory, is not an ODE, or is
  // built; or where states depend on each other in a circle.
  static std::optional<equation_tape> of(const any_model&, std::span<const free_parameter>);

  const result& force() const { return results_[0]; }
  const result& rate(int state) const { return results_[static_cast<std::size_t>(state) + 1]; }
  // By parameters alone: the state at the start.
  const result& start(int state) const {
    return results_[static_cast<std::size_t>(states_ + state) + 1];
  }
  int states() const { return states_; }
  // Each state stands behind those that its rate depends on.
  const std::vector<int>& order() const { return order_; }

  // What an evaluation writes; one per thread.
  class workspace {
   public:
    // With the parameters of this model, which must be of the kind the tape was made of.
    workspace(const equation_tape&, const any_model&);

    void put(int point, const double* in, const double* state);
    // Force, rates and their slopes at all points; those that were not put hold old values.
    void evaluate();
    double value(const result& of, int point) const { return values_[at(of.node) + as(point)]; }
    double slope(const partial& by, int point) const { return slopes_[at(by.slope) + as(point)]; }
    double slope_of_start(const partial& by) const { return slopes_[at(by.slope)]; }

   private:
    static std::size_t as(int i) { return static_cast<std::size_t>(i); }
    static std::size_t at(int i) { return as(i) * as(points); }
    void compute(int node);
    void follow_back(std::size_t result);

    const equation_tape& of_;
    std::vector<double> values_, adjoints_, slopes_;  // [node or slope][point]
  };

 private:
  struct operation {
    traced_operation what = traced_operation::number;
    int argument[3] = {-1, -1, -1};
    double value = 0;
    traced_symbol kind = traced_symbol::parameter;
    int slot = 0, element = 0, variable = -1;
    bool is_fixed = true;  // made of parameters alone
    bool varies = false;   // depends on a variable
  };
  struct way_back {
    std::vector<int> nodes;                    // from the result down
    std::vector<std::pair<int, int>> gathers;  // node of a variable, place of its slope
  };

  std::vector<operation> operations_;
  std::vector<int> given_;   // symbols of states and inputs
  std::vector<int> moving_;  // operations to be done at every point
  std::vector<result> results_;
  std::vector<way_back> ways_;
  std::vector<int> order_;
  int states_ = 0, slopes_ = 0;
};

}  // namespace asperity
