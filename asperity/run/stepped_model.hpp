// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model of any port with its state, stepped at the caller's rate: what controllers, foreign
// simulators, C and Python hold. Memory is taken when it is made; steps take none and do not throw.

#include <asperity/run/port_steps.hpp>
#include <span>

namespace asperity {

// A number that is not taken: an input that is not finite, a load below 0 (unless it is the weight of
// the law's own mass, which may be lifted), a length that is not above 0; and what it must be.
// Nothing is refused where there is no name.
struct refusal {
  const char* name = nullptr;
  double value = 0;
  const char* must_be = "";
  const char* unit = "";
};
refusal refused(const any_model&, const double* inputs) noexcept;
// What an input of the model's port may be.
range allowed_input(const any_model&, const channel&) noexcept;
std::string to_string(const refusal&);  // "load = -1: it must be at least 0"

class stepped_model {
 public:
  // Of the steps between two samples where there is no closed form; and as many are taken at most,
  // since a step has to end.
  static constexpr double relative_tolerance = 1e-6;
  static constexpr long most_steps_in_one = 100'000;

  // Checks the rules between parameters; throws asperity::error. It starts at rest where all inputs
  // are 0 and the load is 1.
  explicit stepped_model(any_model model);

  const any_model& model() const { return model_; }

  // What the two kinds of steps below do not take.
  refusal refused(const double* inputs, double h) const noexcept;
  refusal refused(const double* inputs, const double* free, const double* mobility,
                  double h) const noexcept;

  // Back to the start, at rest and unloaded where these inputs are. Throws asperity::error where they
  // are refused.
  void reset();
  void reset(std::span<const double> inputs);
  // Throws asperity::error where the state is not allowed.
  void set_state(std::span<const double> state);

  // All that is carried from one step to the next: inputs, outputs, states, work, the length of
  // steps. Another one of the same parameters that recalls it goes on with the same bits.
  std::vector<double> memory() const;
  void recall(std::span<const double> memory);

  // To inputs that are given at the end of a step of h seconds, in the order of the port: by the
  // model's own advance, its closed form, or short explicit steps between straight lines. Of rates
  // that are `slopes` of their places, by number, the line is that of the place: they are constant.
  // What is refused is answered with not_finite, and nothing has changed.
  outcome step(const double* inputs, double h, std::span<const std::size_t> slopes = {}) noexcept;

  // A step of the mechanics together with the law, so that a body at rest stays there: for each
  // output, what the input it works on (the gap itself across a contact) would be at the end without
  // the force, and by how much each newton changes it there. Loads are those of `inputs`, whose
  // places are those at the start. Only models with a closed form have it.
  bool can_couple() const { return model_.has_implicit_step(); }
  outcome step_coupled(const double* inputs, const double* free, const double* mobility,
                       double h) noexcept;

  std::span<const double> inputs() const { return in_; }
  std::span<const double> outputs() const { return out_; }
  std::span<const double> state() const { return state_; }
  // Stored in the model, 0 where it does not say; and the work done on it since the start [J].
  double stored_energy() const;
  double work() const { return work_; }

 private:
  void observe();
  void take_over(double h, double power_before);

  any_model model_;
  port_steps steps_;
  std::vector<double> in_, out_, state_, end_, rate_, last_in_, from_;
  double work_ = 0;
};

// How a step to these inputs ended that was not refused, and what can be done about it.
const char* advice(outcome, const any_model&, const double* inputs) noexcept;

}  // namespace asperity
