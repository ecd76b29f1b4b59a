// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes the tracers of model types. Included only by the generated translation units, one per
// family, which are compiled without optimisation: a trace is taken once per export.

#include <asperity/catalogue/instantiate.hpp>
#include <asperity/catalogue/traced.hpp>

namespace asperity::detail {

// A model of symbols with as many elements as the one in double has.
template <class Model, class DoubleModel>
Model symbolic(const void* self, model_trace& into) {
  auto original = *static_cast<const DoubleModel*>(self);
  int elements = 0;
  for (const auto& p : card_of<double>(original).parameters)
    if (p.count != nullptr) elements = *p.count;
  Model model;
  symbol_card symbols{into, elements};
  model.describe(symbols);
  into.states = active_states(model);
  if constexpr (requires { model.initial(); }) {
    const auto start = model.initial();
    into.keep(into.initial, &start[0], into.states);
  } else {
    into.initial.assign(static_cast<std::size_t>(into.states), into.graph.number(0));
  }
  return model;
}

template <int N>
vec<traced, N> symbolic_state(model_trace& into) {
  vec<traced, N> state;
  for (int i = 0; i < into.states; ++i) state[i] = into.given(traced_symbol::state, i);
  return state;
}

template <class Model, class DoubleModel>
void trace_line(const void* self, const port& at, model_trace& into) {
  using S = traced;
  using enum traced_symbol;
  constexpr int N = Model::states;
  const Model model = symbolic<Model, DoubleModel>(self, into);
  const auto y = symbolic_state<N>(into);
  const auto drive_of = [&](traced_symbol kind) {
    return drive<S>{into.given(kind, 0), into.given(kind, 1),
                    at.inputs.size() > 2 ? into.given(kind, 2) : S(1.0)};
  };
  const drive<S> in = drive_of(input);
  const S h = into.given(step, 0);
  const auto keep = [&](traced_call& call, const S& f, const vec<S, N>& states) {
    into.keep(call.out, &f, 1);
    into.keep(call.state, &states[0], into.states);
  };
  if constexpr (requires { model(y, in); }) {
    const auto answer = model(y, in);
    keep(into.respond, answer.f, answer.rate);
  }
  if constexpr (requires(vec<S, N> & moved) { model.advance(moved, in, in, h); }) {
    auto end = y;
    const S f = model.advance(end, drive_of(last_input), in, h);
    keep(into.advance, f, end);
    if (!into.respond.exists()) {
      end = y;
      const S held = model.advance(end, in, in, S(0.0));
      into.keep(into.hold.out, &held, 1);
    }
  }
  const free_step<S> body{into.given(start, 0), into.given(free, 0), into.given(mobility, 0)};
  if constexpr (requires { model.implicit_step(y, in.load, h, body); }) {
    const auto end = model.implicit_step(y, in.load, h, body);
    keep(into.coupled, end.f, end.state);
    into.keep(into.coupled.out, &end.u, 1);
  } else {
    const auto close = [&](const reaction<S>& of) {
      const step_end<S> end = of.end(body.u_free, body.mobility);
      if constexpr (requires { model.settle(y, end.f, h); }) {
        keep(into.coupled, end.f, model.settle(y, end.f, h));
        into.keep(into.coupled.out, &end.u, 1);
      }
    };
    if constexpr (requires { model.react(y, h, h, h); }) {
      close(model.react(y, in.load, h, into.given(last_input, 0)));
    } else if constexpr (requires { model.react(y, h, h); }) {
      close(model.react(y, in.load, h));
    }
  }
}

template <class Arrays, class Model, class DoubleModel>
void trace_at(const void* self, const port& at, model_trace& into) {
  using S = traced;
  using enum traced_symbol;
  constexpr int N = capacity_of<Model>();
  const Model model = symbolic<Model, DoubleModel>(self, into);
  const auto y = symbolic_state<N>(into);
  S in[8], out[4];
  for (std::size_t i = 0; i < at.inputs.size(); ++i) in[i] = into.given(input, static_cast<int>(i));
  const vec<S, N> rates = Arrays::ask(model, y, Arrays::read(&in[0]), out);
  const int outputs = static_cast<int>(at.outputs.size());
  into.keep(into.respond.out, out, outputs);
  into.keep(into.respond.state, &rates[0], into.states);
  if constexpr (requires(touch_mechanics<S> body, S h) { model.react(y, body, h); }) {
    const S h = into.given(step, 0);
    const auto f = model.react(y,
                               {into.given(free, 0),
                                {{into.given(free, 1), into.given(free, 2)}},
                                into.given(mobility, 0),
                                into.given(mobility, 1)},
                               h);
    const S forces[3] = {f.f_n, f.f_t[0], f.f_t[1]};
    const auto end = model.settle(y, f, h);
    into.keep(into.coupled.out, forces, 3);
    into.keep(into.coupled.state, &end[0], into.states);
  }
}

template <const port& At, class Binding>
void add_tracer(std::vector<model_tracer>& to, const char* key, const char* curve) {
  // Null for models that are restricted to plain numbers.
  void (*trace)(const void*, const port&, model_trace&) = nullptr;
  if constexpr (requires { typename Binding::template type<traced>; }) {
    using model = typename Binding::template type<traced>;
    using original = typename Binding::template type<double>;
    if constexpr (At.is_line()) {
      trace = &trace_line<model, original>;
    } else {
      using arrays = std::conditional_t<&At == &ports::touch, touch_arrays, twist_arrays>;
      trace = &trace_at<arrays, model, original>;
    }
  }
  if (trace != nullptr) to.push_back({key, curve, trace});
}

// As make_entry: a variant for each curve, where the model takes one.
template <const port& At, class Model, class FirstCurve, class... OtherCurves>
void add_tracers(std::vector<model_tracer>& to, const char* key,
                 model_list<FirstCurve, OtherCurves...>) {
  if constexpr (requires {
                  typename Model::template type<double>::template with_curve<
                      typename FirstCurve::template type<double>>;
                }) {
    add_tracer<At, with_curve<Model, FirstCurve>>(to, key, FirstCurve::key);
    (add_tracer<At, with_curve<Model, OtherCurves>>(to, key, OtherCurves::key), ...);
  } else {
    add_tracer<At, Model>(to, key, "");
  }
}

}  // namespace asperity::detail
