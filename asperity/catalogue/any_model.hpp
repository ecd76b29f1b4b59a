// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model without templates: chosen by name, its parameters set by name, one indirect call per
// evaluation. Made by the catalogue.

#include <asperity/card.hpp>
#include <asperity/port.hpp>
#include <asperity/scalar/dual.hpp>
#include <asperity/scalar/pack.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace asperity {

// Number types every model is compiled for, beside double.
using model_dual = dual<double, 8>;
using model_pack = pack<double>;

// The equations of one model in the number type S. `self` points to a model of that type. Models
// that move along a line are called in registers, those of other ports with inputs and outputs in
// the order of the port: a store and a load more, which a cheap friction law would feel.
template <class S>
struct typed_functions {
  std::shared_ptr<void> (*make)(const void* double_model) = nullptr;  // with its parameters
  card<S> (*describe)(void* self) = nullptr;
  S (*respond)(const void* self, const S* state, S x, S v, S load, S* rate) = nullptr;
  S (*side)(const void* self, const S* state, const drive<S>& in, S direction, S* rate) = nullptr;
  // The same called like `respond`: the direction is a further state, behind the others.
  S (*respond_on_side)(const void* self, const S* state, S x, S v, S load, S* rate) = nullptr;
  S (*advance)(const void* self, S* state, const drive<S>& from, const drive<S>& to, S h) = nullptr;
  void (*respond_at_port)(const void* self, const S* in, const S* state, S* out, S* rate) = nullptr;

  bool is_ode() const { return respond != nullptr || respond_at_port != nullptr; }
  // The call that all ports have.
  void operator()(const port& at, const void* self, const S* in, const S* state, S* out,
                  S* rate) const {
    if (respond == nullptr) return respond_at_port(self, in, state, out, rate);
    out[0] = respond(self, state, in[0], in[1], at.inputs.size() > 2 ? in[2] : lit<S>(1.0), rate);
  }
};

// What a model that sees more than one direction can be asked, with inputs and outputs in the order
// of its port.
struct port_functions {
  void (*initial)(const void*, const double* in, double* state) = nullptr;
  double (*stored_energy)(const void*, const double* in, const double* state) = nullptr;
  double (*slip_margin)(const void*, const double* in, const double* state) = nullptr;
  // What the vectors of the port may be at most, given the outputs.
  void (*bounds)(const void*, const double* in, const double* out, double* of_vectors) = nullptr;
  // The states of the mirrored motion, where it is not enough that odd ones change sign.
  void (*mirror)(const void*, const double* in, double* state) = nullptr;
  // The end of an implicit step of length h: forces and states together. For each output, what the
  // input it works on would be without it (the gap itself in a touch), and what a newton changes.
  bool (*step)(const void*, const double* in, const double* state, const double* free,
               const double* mobility, double h, double* out, double* end) = nullptr;
  // A choice between branches that is kept in the state: made between steps.
  void (*remember)(const void*, const double* in, double* state) = nullptr;
  int (*cells)(const void*) = nullptr;  // how many a list of states stands for, idle ones left out
};

// All that the library can ask of one model. Null where the model has no such member.
struct model_functions {
  typed_functions<double> in_double;
  typed_functions<float> in_float;
  typed_functions<model_dual> in_dual;
  typed_functions<model_pack> in_pack;

  port_functions at_port;  // empty for models that move along a line
  // Makes the law of its parameters, once, where they are not the law themselves: cells, tables.
  std::shared_ptr<const void> (*build)(const void* parameters) = nullptr;

  std::size_t bytes = 0;  // size of the model in double: what its card must account for
  std::shared_ptr<void> (*make)() = nullptr;  // with default parameters
  int (*active_states)(const void*) = nullptr;
  void (*initial)(const void*, double* state) = nullptr;
  void (*state_scale)(const void*, double* scale) = nullptr;
  validity (*valid)(const void*) = nullptr;
  double (*stored_energy)(const void*, const double* state, double x, double v,
                          double load) = nullptr;
  losses<double> (*lost)(const void*, const double* state, const drive<double>&, double f,
                         const double* rate) = nullptr;
  void (*observe)(const void*, const double* state, const drive<double>&, double* out) = nullptr;
  const char* no_energy = "";
  bool load_is_weight = false;
  double (*force_bound)(const void*, double x, double v, double load) = nullptr;
  double (*slip_margin)(const void*, const double* state, double x, double v,
                        double load) = nullptr;
  reaction<double> (*react)(const void*, const double* state, double load, double h,
                            double x) = nullptr;
  void (*settle)(const void*, double* state, double f, double h) = nullptr;
  step_end<double> (*implicit_step)(const void*, double* state, double load, double h,
                                    const free_step<double>&) = nullptr;
};

struct catalogue_entry;

class any_model {
 public:
  static constexpr int max_states = 40;

  explicit any_model(const catalogue_entry& entry, std::string_view curve = {});
  any_model(const any_model&);
  any_model& operator=(const any_model&);
  any_model(any_model&&) noexcept = default;
  any_model& operator=(any_model&&) noexcept = default;
  ~any_model() = default;

  const catalogue_entry& entry() const { return *entry_; }
  const std::string& key() const;
  const port& at() const { return *port_; }
  const std::string& curve() const { return curve_; }

  // The card, its pointers leading to this model's own parameters.
  card<double> describe() const { return functions_->in_double.describe(self_.get()); }

  // Sets parameters by name; throws asperity::error with name, value, unit and allowed range.
  void set(std::string_view name, double value);
  void set(std::string_view name, const std::vector<double>& values);
  void choose(std::string_view name, std::string_view word);
  // Values of a parameter as a list of length 1 or of the number of elements; of a choice the index.
  std::vector<double> get(std::string_view name) const;
  // Laws over cells are made of their parameters once, after all have been set; until then they
  // answer as before. Throws asperity::error where parameters do not fit together.
  void build();
  // Throws where rules between parameters are broken; returns the warning of a doubtful choice.
  std::string check(bool is_rotary = false) const;

  int states() const { return states_; }
  std::vector<std::string> state_names() const;
  std::vector<unit> state_units() const;
  // What each state may be at the start of a motion.
  std::vector<range> state_ranges() const;
  // Throws asperity::error with name, value and allowed range where a start is not allowed. The
  // equations take any state, and answer with NaN to one that is not a number.
  void check_state(const double* state) const;

  double respond(const double* state, double x, double v, double load, double* rate) const {
    return respond_(self_.get(), state, x, v, load, rate);
  }
  // False for a model whose memory is not an ODE: such a model can only be advanced.
  bool is_ode() const { return respond_ != nullptr || !port_->is_line(); }

  // ---- the same for every port: inputs and outputs in its order -----------------------------------

  void respond(const double* in, const double* state, double* out, double* rate) const {
    if (respond_ == nullptr)
      return functions_->in_double.respond_at_port(law(), in, state, out, rate);
    out[0] = respond_(self_.get(), state, in[0], in[1], load_of(in), rate);
  }
  // At rest and unloaded where it is.
  void initial(const double* in, double* state) const {
    if (functions_->at_port.initial != nullptr)
      return functions_->at_port.initial(law(), in, state);
    initial(state);
  }
  double stored_energy(const double* in, const double* state) const {
    if (port_->is_line()) return stored_energy(state, in[0], in[1], load_of(in));
    return functions_->at_port.stored_energy(law(), in, state);
  }
  // One number per vector of the port; infinite where nothing bounds it.
  void bounds(const double* in, const double* out, double* of_vectors) const {
    if (!port_->is_line()) return functions_->at_port.bounds(law(), in, out, of_vectors);
    of_vectors[0] = force_bound(in[0], in[1], load_of(in));
  }
  // Takes a state to that of the mirrored motion.
  void mirror(const double* in, double* state) const;
  bool has_step() const { return functions_->at_port.step != nullptr; }
  bool step(const double* in, const double* state, const double* free, const double* mobility,
            double h, double* out, double* end) const {
    return functions_->at_port.step(law(), in, state, free, mobility, h, out, end);
  }
  void remember(const double* in, double* state) const {
    if (functions_->at_port.remember != nullptr) functions_->at_port.remember(law(), in, state);
  }
  // What is called: the parameters themselves, or what was built of them.
  const void* law() const { return built_ != nullptr ? built_.get() : self_.get(); }

  // ---- along a line -------------------------------------------------------------------------------

  // Takes the state to the drive `to`, h later, and returns the force there: by the model's own
  // advance, its closed-form implicit step, or one Runge-Kutta step.
  double advance(double* state, const drive<double>& from, const drive<double>& to, double h) const;
  // The force at an instant; the state stays as it is.
  double force(const double* state, const drive<double>& in) const;
  void initial(double* state) const {
    functions_->initial(law(), state);
    if (holds_side_) state[states_ - 1] = 0;
  }
  // Typical sizes of the states; false where the model does not say.
  bool state_scale(double* scale) const {
    if (functions_->state_scale == nullptr) return false;
    functions_->state_scale(law(), scale);
    if (holds_side_) scale[states_ - 1] = 1;
    return true;
  }
  const model_functions& functions() const { return *functions_; }
  const void* self() const { return self_.get(); }

  // Only laws that jump at v = 0 have sides.
  bool has_side() const { return functions_->in_double.side != nullptr; }
  double side(const double* state, const drive<double>& in, double direction, double* rate) const {
    return functions_->in_double.side(self_.get(), state, in, direction, rate);
  }
  // From now on the side is a further state, the last one, called `side`: it stays as it is between
  // events that change it, so that no step of a method sees both sides of a jump.
  void hold_side();
  bool holds_side() const { return holds_side_; }
  bool has_react() const { return functions_->react != nullptr; }
  // `x` is the gap at the start of the step; only laws of contact that depend on its rate read it.
  reaction<double> react(const double* state, double load, double h, double x = 0) const {
    return functions_->react(self_.get(), state, load, h, x);
  }
  void settle(double* state, double f, double h) const {
    functions_->settle(self_.get(), state, f, h);
  }
  // Takes the state to the end of an implicit step of the mechanics: by the law's own, or by its
  // reaction.
  bool has_implicit_step() const {
    return functions_->implicit_step != nullptr || has_react() || has_step();
  }
  step_end<double> implicit_step(double* state, double load, double h,
                                 const free_step<double>& body, double x = 0) const {
    if (functions_->implicit_step != nullptr)
      return functions_->implicit_step(self_.get(), state, load, h, body);
    const step_end<double> end = react(state, load, h, x).end(body.u_free, body.mobility);
    settle(state, end.f, h);
    return end;
  }
  bool has_energy() const {
    return functions_->stored_energy != nullptr || functions_->at_port.stored_energy != nullptr;
  }
  double stored_energy(const double* state, double x, double v, double load) const {
    return functions_->stored_energy(self_.get(), state, x, v, load);
  }
  // The outputs on its card, if any.
  void observe(const double* state, const drive<double>& in, double* out) const {
    if (functions_->observe != nullptr) functions_->observe(self_.get(), state, in, out);
  }
  bool has_losses() const { return functions_->lost != nullptr; }
  // Where the model answered with the force f and these rates.
  losses<double> lost(const double* state, const drive<double>& in, double f,
                      const double* rate) const {
    return functions_->lost(self_.get(), state, in, f, rate);
  }
  // Why the law has no energy to state; empty where it does not say.
  const char* no_energy() const { return functions_->no_energy; }
  bool load_is_weight() const { return functions_->load_is_weight; }
  bool has_bound() const {
    return functions_->force_bound != nullptr || functions_->at_port.bounds != nullptr;
  }
  double force_bound(double x, double v, double load) const {
    return functions_->force_bound(self_.get(), x, v, load);
  }
  bool has_slip_margin() const { return functions_->slip_margin != nullptr; }
  double slip_margin(const double* state, double x, double v, double load) const {
    return functions_->slip_margin(self_.get(), state, x, v, load);
  }

 private:
  double load_of(const double* in) const { return port_->inputs.size() > 2 ? in[2] : 1.0; }

  const catalogue_entry* entry_;
  const port* port_;
  const model_functions* functions_;
  std::string curve_;
  std::shared_ptr<void> self_;  // never shared: copies are deep
  std::shared_ptr<const void> built_;
  bool is_built_ = true;
  double (*respond_)(const void*, const double*, double, double, double, double*);
  int states_ = 0;
  bool holds_side_ = false;
};

}  // namespace asperity
