// SPDX-License-Identifier: Apache-2.0
#pragma once

// One way to call a model from a system, whether its type is known (inlined) or it was chosen by
// name (one indirect call). States lie in the system's own array.

#include <asperity/catalogue/catalogue.hpp>
#include <cmath>

namespace asperity {

// A body held by friction alone: the acceleration of its slip without friction, and what each
// newton takes from it.
struct loose_body {
  double acceleration, mobility;
};

template <class Model>
inline constexpr int state_capacity = Model::states;
template <>
inline constexpr int state_capacity<any_model> = any_model::max_states;

template <class Model>
ASPERITY_FN int state_count(const Model& model) {
  if constexpr (requires { model.active_states(); }) {
    return model.active_states();
  } else {
    return Model::states;
  }
}
inline int state_count(const any_model& model) { return model.states(); }

template <class Model, class S>
ASPERITY_FN vec<S, Model::states> gather(const Model& model, const S* state) {
  vec<S, Model::states> result;
  for (int i = 0; i < state_count(model); ++i) result[i] = state[i];
  return result;
}

// The force; the rates of the model's states go to `rate`.
template <class Model, class S>
ASPERITY_FN S respond(const Model& model, const S* state, const drive<S>& in, S* rate) {
  const auto answer = model(gather(model, state), in);
  for (int i = 0; i < state_count(model); ++i) rate[i] = answer.rate[i];
  return answer.f;
}
inline double respond(const any_model& model, const double* state, const drive<double>& in,
                      double* rate) {
  return model.respond(state, in.x, in.v, in.load, rate);
}

// Friction in a contact that may open. Without load there is none, its viscous part included. Where
// a law needs a load (its states would move infinitely fast without one), it is asked for no less
// than `least`; below that its force falls with the load, and its states wait in flight.
template <class S>
ASPERITY_FN drive<S> loaded(drive<S> in, const S& least) {
  in.load = math::max<S>(in.load, least);
  return in;
}
template <class S>
ASPERITY_FN S under_load(const S& load, const S& least, const S& f, int states, S* rate) {
  const S zero = lit<S>(0.0);
  const auto waits = load < lit<S>(1e-12) * least;
  for (int i = 0; i < states; ++i) rate[i] = math::select(waits, zero, rate[i]);
  const S share = math::select(load < least, load / math::max<S>(load, least), lit<S>(1.0));
  return math::select(zero < load, share * f, zero);
}
template <class Model, class S>
ASPERITY_FN S respond_under_load(const Model& model, const S* state, const drive<S>& in,
                                 const S& least, S* rate) {
  const S f = respond(model, state, loaded(in, least), rate);
  return under_load(in.load, least, f, state_count(model), rate);
}
// A model chosen by name lives on the processor alone, which nvcc must be told.
inline double respond_under_load(const any_model& model, const double* state,
                                 const drive<double>& in, double least, double* rate) {
  const double f = respond(model, state, loaded(in, least), rate);
  return under_load(in.load, least, f, model.states(), rate);
}

// A law that jumps at v = 0 has a limit from either side of it.
template <class Model, class S>
concept discontinuous = requires(const Model& model, const vec<S, Model::states>& state,
                                 const drive<S>& in) {
  model.side(state, in, in.v);
};
template <class Model>
inline constexpr bool may_jump = discontinuous<Model, double>;
template <>
inline constexpr bool may_jump<any_model> = true;  // asked again at run time

template <class Model, class S>
ASPERITY_FN S side(const Model& model, const S* state, const drive<S>& in, const S& direction,
                   S* rate) {
  const auto answer = model.side(gather(model, state), in, direction);
  for (int i = 0; i < state_count(model); ++i) rate[i] = answer.rate[i];
  return answer.f;
}
inline double side(const any_model& model, const double* state, const drive<double>& in,
                   double direction, double* rate) {
  return model.side(state, in, direction, rate);
}

template <class Model, class S>
ASPERITY_FN S side_under_load(const Model& model, const S* state, const drive<S>& in,
                              const S& direction, const S& least, S* rate) {
  const S f = side(model, state, loaded(in, least), direction, rate);
  return under_load(in.load, least, f, state_count(model), rate);
}

// Some of its states are stick, others slip, and it can tell how far it is from the border.
template <class Model, class S>
concept has_slip_margin = requires(const Model& model, const vec<S, Model::states>& state,
                                   const drive<S>& in) {
  model.slip_margin(state, in);
};

template <class Model, class S>
concept reacts_from = requires(const Model& model, const vec<S, Model::states>& state, const S& h) {
  model.react(state, h, h, h);
};
template <class Model, class S>
concept reacts = reacts_from<Model, S> ||
    requires(const Model& model, const vec<S, Model::states>& state, const S& h) {
  model.react(state, h, h);
};
template <class Model, class S>
concept steps_itself = requires(const Model& model, const vec<S, Model::states>& state, const S& h,
                                const free_step<S>& body) {
  model.implicit_step(state, h, h, body);
};
template <class Model, class S = double>
inline constexpr bool may_react = reacts<Model, S> || steps_itself<Model, S>;
template <class S>
inline constexpr bool may_react<any_model, S> = true;  // asked again at run time

// `x` is the gap at the start of the step; laws of friction have no use for it.
template <class Model, class S>
ASPERITY_FN reaction<S> react(const Model& model, const S* state, const S& load, const S& h,
                              [[maybe_unused]] const S& x = lit<S>(0.0)) {
  if constexpr (reacts_from<Model, S>) {
    return model.react(gather(model, state), load, h, x);
  } else {
    return model.react(gather(model, state), load, h);
  }
}
inline reaction<double> react(const any_model& model, const double* state, double load, double h,
                              double x = 0) {
  return model.react(state, load, h, x);
}

// What a law that is rigid at rest holds there beyond its limits in motion.
template <class Model, class S>
ASPERITY_FN S grip_of(const Model& model, const S* state, const S& load) {
  if constexpr (reacts<Model, S>) {
    return react(model, state, load, lit<S>(1.0)).grip;
  } else {
    return lit<S>(0.0);
  }
}
inline double grip_of(const any_model& model, const double* state, double load) {
  return model.has_react() ? model.react(state, load, 1.0).grip : 0;
}

// A law such as Coulomb's, whose force at rest is any that holds the body.
inline bool is_set_valued(const any_model& model) {
  return model.has_react() && (model.describe().claims & continuous) == 0;
}
// Least load at which a law with bristles is asked, as a part of the load 1 of its parameters.
inline constexpr double least_load_of_bristles = 1e-3;
// The same for any law; 0 for laws that need none.
inline double least_load_of(const any_model& model) {
  double state[any_model::max_states] = {}, rate[any_model::max_states] = {};
  model.initial(state);
  if (!model.is_ode()) {
    const double f = model.advance(state, {0, 1, 0}, {1e-3, 1, 0}, 1e-3);
    return std::isfinite(f) ? 0 : least_load_of_bristles;
  }
  model.respond(state, 0.0, 1.0, 0.0, rate);
  for (int i = 0; i < model.states(); ++i)
    if (!std::isfinite(rate[i])) return least_load_of_bristles;
  return 0;
}
// Friction that is advanced step by step, in a contact that may open: as respond_under_load. With a
// least load of 0 it is the law itself, whose load may be below 0 where it is a weight.
struct friction_in_touch {
  const any_model& law;
  double least = 0;

  drive<double> seen(const drive<double>& in) const { return least > 0 ? loaded(in, least) : in; }
  double force(const double* state, const drive<double>& in) const {
    return share(in) * law.force(state, seen(in));
  }
  double advance(double* state, const drive<double>& from, const drive<double>& to,
                 double h) const {
    return share(to) * law.advance(state, seen(from), seen(to), h);
  }

 private:
  double share(const drive<double>& in) const {
    return least > 0 && in.load < least ? std::max(0.0, in.load) / least : 1;
  }
};
// A rigid contact: its impacts take no time, and it has nothing to store in.
inline bool is_rigid(const any_model& model) {
  const double state[any_model::max_states] = {};
  return model.at().is_contact() && model.has_react() &&
         model.react(state, 1.0, 1e-3).softness == 0;
}

template <class Model, class S>
ASPERITY_FN void settle(const Model& model, const S* from, const S& f, const S& h, S* to) {
  const auto settled = model.settle(gather(model, from), f, h);
  for (int i = 0; i < state_count(model); ++i) to[i] = settled[i];
}
inline void settle(const any_model& model, const double* from, double f, double h, double* to) {
  for (int i = 0; i < model.states(); ++i) to[i] = from[i];
  model.settle(to, f, h);
}

// The force, u and the states (`to`) at the end of an implicit step of the mechanics. `x` is the
// gap at its start; laws of friction have no use for it.
template <class Model, class S>
ASPERITY_FN step_end<S> implicit_step(const Model& model, const S* from, const S& load, const S& h,
                                      const free_step<S>& body, S* to, const S& x = lit<S>(0.0)) {
  if constexpr (steps_itself<Model, S>) {
    const auto end = model.implicit_step(gather(model, from), load, h, body);
    for (int i = 0; i < state_count(model); ++i) to[i] = end.state[i];
    return {end.f, end.u};
  } else {
    const step_end<S> end = react(model, from, load, h, x).end(body.u_free, body.mobility);
    settle(model, from, end.f, h, to);
    return end;
  }
}
inline step_end<double> implicit_step(const any_model& model, const double* from, double load,
                                      double h, const free_step<double>& body, double* to,
                                      double x = 0) {
  for (int i = 0; i < model.states(); ++i) to[i] = from[i];
  return model.implicit_step(to, load, h, body, x);
}

}  // namespace asperity
