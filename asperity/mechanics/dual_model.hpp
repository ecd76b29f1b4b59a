// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model chosen by name, in dual numbers: systems that hold it have exact Jacobians.

#include <asperity/mechanics/respond.hpp>
#include <asperity/mechanics/signal.hpp>

namespace asperity {

struct any_dual_model {
  const typed_functions<model_dual>* functions;
  std::shared_ptr<void> self;  // with the parameters of the model it was made from
  int count;

  // Null functions where the model branches on its memory and exists in plain numbers only.
  static any_dual_model of(const any_model& model) {
    const auto& typed = model.functions().in_dual;
    if (typed.respond == nullptr) return {nullptr, nullptr, model.states()};
    return {&typed, typed.make(model.self()), model.states()};
  }
};

template <>
inline constexpr int state_capacity<any_dual_model> = any_model::max_states;
template <>
inline constexpr bool may_jump<any_dual_model> = false;
template <class S>
inline constexpr bool may_react<any_dual_model, S> = false;

inline int state_count(const any_dual_model& model) { return model.count; }

inline model_dual respond(const any_dual_model& model, const model_dual* state,
                          const drive<model_dual>& in, model_dual* rate) {
  return model.functions->respond(model.self.get(), state, in.x, in.v, in.load, rate);
}

struct dual_signal_inputs {
  signal_inputs plain;

  model_dual force(const model_dual& t) const { return along(plain.push, t); }
  model_dual anchor(const model_dual& t) const { return along(plain.end_of_spring, t); }
  model_dual load(const model_dual& t) const { return along(plain.relative_load, t); }

 private:
  static model_dual along(const signal& s, const model_dual& t) {
    model_dual result(s.value(t.value));
    if (s.is_constant()) return result;
    const double slope = s.slope(t.value);
    for (int i = 0; i < 8; ++i) result.derivative[i] = slope * t.derivative[i];
    return result;
  }
};

}  // namespace asperity
