// SPDX-License-Identifier: Apache-2.0
#pragma once

// The states of a model of any port along given inputs, by Dormand and Prince's pair. Other steppers
// hold their states in arrays of fixed length; a patch has thousands. Memory is taken once.

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/integrate/sample_steps.hpp>

namespace asperity {

class port_steps {
 public:
  port_steps(const any_model& model, double relative_tolerance)
      : tolerance_(relative_tolerance),
        // An anchor is a place on the surface, however far that is: its error counts beside the
        // deflection, which is the scale.
        is_cell_(model.functions().at_port.cells != nullptr),
        pair_(static_cast<std::size_t>(model.states())),
        in_(model.at().inputs.size()),
        out_(model.at().outputs.size()),
        scale_(pair_.next.size(), 1.0) {
    model.state_scale(scale_.data());
  }

  // The length to begin with; later ones are those that went well.
  void begin_with(double h) { lengths_.begin_with(h); }
  double begins_with() const { return lengths_.begins_with(); }
  long steps() const { return steps_; }

  // Takes the state from t to the end. inputs(t, in) writes the inputs; `goes_on` is asked before
  // each step and answers with `completed` where it may be taken.
  template <class Inputs, class GoesOn>
  outcome follow(const any_model& model, const Inputs& inputs, const GoesOn& goes_on, double t,
                 double end, double* state) {
    if (pair_.next.empty()) return outcome::completed;
    const double start = t;
    const auto rates = [&](double at, const double* y, std::vector<double>& rate) {
      inputs(at, in_.data());
      model.respond(in_.data(), y, out_.data(), rate.data());
    };
    const auto allowed = [&](std::size_t i, double size) {
      return tolerance_ * (is_cell_ ? scale_[i] : 1e-3 * scale_[i] + size);
    };
    rates(t, state, pair_.first_rates());
    while (t < end) {
      if (const outcome how = goes_on(steps_); how != outcome::completed) return how;
      const double h = lengths_.length(end - t);
      const double worst = pair_.take(rates, allowed, t, h, state);
      ++steps_;
      if (lengths_.takes(worst, h)) {
        t = lengths_.is_last() ? end : t + h;
        std::copy(pair_.next.begin(), pair_.next.end(), state);
        std::swap(pair_.first_rates(), pair_.last_rates());
        if (model.functions().at_port.remember != nullptr) {
          inputs(t, in_.data());
          model.remember(in_.data(), state);
          rates(t, state, pair_.first_rates());
        }
      } else if (const outcome how = sample_step::gives_up(worst, h, std::abs(t) + end - start);
                 how != outcome::completed) {
        return how;
      }
    }
    return outcome::completed;
  }

 private:
  double tolerance_;
  bool is_cell_;
  pair_attempt<double> pair_;
  sample_step lengths_;
  long steps_ = 0;
  std::vector<double> in_, out_, scale_;
};

}  // namespace asperity
