// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes the function table of one model type. Included only by the generated translation units,
// one per model, so that each model is compiled once per number type.

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/planar.hpp>
#include <asperity/touch.hpp>

namespace asperity::detail {

template <class S, int N>
vec<S, N> load_state(const S* state, int count) {
  vec<S, N> result;
  for (int i = 0; i < (N < count ? N : count); ++i) result[i] = state[i];
  return result;
}

// Length of the state; laws without memory need not say so.
template <class Model>
constexpr int capacity_of() {
  if constexpr (requires { Model::states; }) {
    return Model::states;
  } else {
    return 0;
  }
}

template <class Model>
int active_states(const Model& model) {
  if constexpr (requires { model.active_states(); }) {
    return model.active_states();
  } else {
    return capacity_of<Model>();
  }
}

template <class Model, class S>
S respond(const void* self, const S* state, S x, S v, S load, S* rate) {
  const auto& model = *static_cast<const Model*>(self);
  const int count = active_states(model);
  const auto result = model(load_state<S, Model::states>(state, count), {x, v, load});
  for (int i = 0; i < count; ++i) rate[i] = result.rate[i];
  return result.f;
}

// Those of every port.
template <class S, class Model, class DoubleModel>
typed_functions<S> make_typed_of_any_port() {
  return {
      .make = [](const void* source) -> std::shared_ptr<void> {
        auto original = *static_cast<const DoubleModel*>(source);
        if constexpr (std::is_same_v<Model, DoubleModel>) {
          return std::make_shared<Model>(original);
        } else {
          auto copy = std::make_shared<Model>();
          const auto from = card_of<double>(original);
          const auto to = card_of<S>(*copy);
          for (std::size_t i = 0; i < from.parameters.size(); ++i) {
            const auto& a = from.parameters[i];
            const auto& b = to.parameters[i];
            for (std::size_t k = 0; k < a.value.size(); ++k) *b.value[k] = lit<S>(*a.value[k]);
            if (a.count != nullptr) *b.count = *a.count;
          }
          return copy;
        }
      },
      .describe = [](void* self) { return card_of<S>(*static_cast<Model*>(self)); },
  };
}

template <class S, class Model, class DoubleModel>
typed_functions<S> make_typed() {
  auto functions = make_typed_of_any_port<S, Model, DoubleModel>();
  if constexpr (requires(const Model& m, const vec<S, Model::states>& y, const drive<S>& in) {
                  m(y, in);
                })
    functions.respond = &respond<Model, S>;
  if constexpr (requires(const Model& m, const vec<S, Model::states>& y, const drive<S>& in) {
                  m.side(y, in, in.v);
                }) {
    functions.side = [](const void* self, const S* state, const drive<S>& in, S direction,
                        S* rate) {
      const auto& model = *static_cast<const Model*>(self);
      const int count = active_states(model);
      const auto result = model.side(load_state<S, Model::states>(state, count), in, direction);
      for (int i = 0; i < count; ++i) rate[i] = result.rate[i];
      return result.f;
    };
    functions.respond_on_side = [](const void* self, const S* state, S x, S v, S load, S* rate) {
      const auto& model = *static_cast<const Model*>(self);
      const int count = active_states(model);
      const auto result =
          model.side(load_state<S, Model::states>(state, count), {x, v, load}, state[count]);
      for (int i = 0; i < count; ++i) rate[i] = result.rate[i];
      rate[count] = lit<S>(0.0);
      return result.f;
    };
  }
  if constexpr (requires(const Model& m, vec<S, Model::states>& y, const drive<S>& in, S h) {
                  m.advance(y, in, in, h);
                })
    functions.advance = [](const void* self, S* state, const drive<S>& from, const drive<S>& to,
                           S h) {
      const auto& model = *static_cast<const Model*>(self);
      const int count = active_states(model);
      auto y = load_state<S, Model::states>(state, count);
      const S f = model.advance(y, from, to, h);
      for (int i = 0; i < count; ++i) state[i] = y[i];
      return f;
    };
  return functions;
}

// ---- ports of more than one direction -----------------------------------------------------------

// How the typed form of a port lies in the arrays of the port.
struct touch_arrays {
  template <class S>
  static touch<S> read(const S* in) {
    return {in[0], in[1], {{in[2], in[3]}}};
  }
  // Writes forces and returns rates.
  template <class S, class Model, int N>
  static auto ask(const Model& model, const vec<S, N>& state, const touch<S>& in, S* out) {
    const auto answer = model(state, in);
    out[0] = answer.f_n;
    out[1] = answer.f_t[0];
    out[2] = answer.f_t[1];
    return answer.rate;
  }
};

struct twist_arrays {
  template <class S>
  static planar_drive<S> read(const S* in) {
    return {{{in[0], in[1], in[2]}}, {{in[3], in[4], in[5]}}, in[6]};
  }
  template <class S, class Model, int N>
  static vec<S, N> ask(const Model& model, const vec<S, N>& state, const planar_drive<S>& in,
                       S* out) {
    planar_response<S> answer;
    if constexpr (N > 0) {
      answer = model(state, in.moving, in.load);
    } else {
      answer.f = in.load * model(in.moving);
    }
    for (int i = 0; i < 3; ++i) out[i] = answer.f[i];
    vec<S, N> rate;
    for (int i = 0; i < N; ++i) rate[i] = answer.rate[i];
    return rate;
  }
};

template <class Arrays, class S, class Model, class DoubleModel>
typed_functions<S> make_typed_at() {
  auto functions = make_typed_of_any_port<S, Model, DoubleModel>();
  functions.respond_at_port = [](const void* self, const S* in, const S* state, S* out, S* rate) {
    constexpr int N = capacity_of<Model>();
    const auto& model = *static_cast<const Model*>(self);
    const auto rates = Arrays::ask(model, load_state<S, N>(state, N), Arrays::read(in), out);
    for (int i = 0; i < N; ++i) rate[i] = rates[i];
  };
  return functions;
}

// What does not depend on the port.
template <class Model>
void add_common(model_functions& table) {
  table.bytes = sizeof(Model);
  table.make = []() -> std::shared_ptr<void> { return std::make_shared<Model>(); };
  table.valid = [](const void* self) -> validity {
    const auto& model = *static_cast<const Model*>(self);
    if constexpr (requires { model.valid(); }) {
      return model.valid();
    } else {
      return {};
    }
  };
}

// A law whose parameters are the law: Binding::type<S> is the model in number type S.
template <class Arrays, class Binding>
model_functions make_functions_at() {
  using model = typename Binding::template type<double>;
  constexpr int N = capacity_of<model>();
  model_functions table;
  table.in_double = make_typed_at<Arrays, double, model, model>();
  table.in_float = make_typed_at<Arrays, float, typename Binding::template type<float>, model>();
  if constexpr (requires { typename Binding::template type<model_dual>; })
    table.in_dual =
        make_typed_at<Arrays, model_dual, typename Binding::template type<model_dual>, model>();
  if constexpr (requires { typename Binding::template type<model_pack>; })
    table.in_pack =
        make_typed_at<Arrays, model_pack, typename Binding::template type<model_pack>, model>();
  add_common<model>(table);

  [[maybe_unused]] static constexpr auto of = [](const void* self) -> const model& {
    return *static_cast<const model*>(self);
  };
  [[maybe_unused]] static constexpr auto read = [](const double* in) { return Arrays::read(in); };
  [[maybe_unused]] static constexpr auto state_of = [](const double* state) {
    return load_state<double, N>(state, N);
  };
  using state_t = vec<double, N>;
  using input_t = decltype(Arrays::template read<double>(nullptr));

  table.active_states = [](const void*) { return N; };
  table.initial = [](const void*, double* state) { std::fill_n(state, N, 0.0); };
  if constexpr (requires(const model& m) { m.state_scale(); }) {
    table.state_scale = [](const void* self, double* scale) {
      const auto sizes = of(self).state_scale();
      for (int i = 0; i < N; ++i) scale[i] = sizes[i];
    };
  }
  auto& at = table.at_port;
  if constexpr (requires(const model& m, state_t s, input_t in) { m.energy(s, in); }) {
    at.stored_energy = [](const void* self, const double* in, const double* state) {
      const auto energy = of(self).energy(state_of(state), read(in));
      return energy.stored_normal + energy.stored_tangential;
    };
  } else if constexpr (requires(const model& m, state_t s) { m.stored_energy(s); }) {
    at.stored_energy = [](const void* self, const double*, const double* state) {
      return of(self).stored_energy(state_of(state));
    };
  }
  if constexpr (requires(const model& m, state_t s, input_t in) { m.slip_margin(s, in); }) {
    at.slip_margin = [](const void* self, const double* in, const double* state) {
      return of(self).slip_margin(state_of(state), read(in));
    };
  }
  if constexpr (requires(const model& m, input_t in) { m.wrench_bound(in); }) {
    at.bounds = [](const void* self, const double* in, const double*, double* of_vectors) {
      const auto most = of(self).wrench_bound(read(in));
      of_vectors[0] = most[0];
      of_vectors[1] = most[1];
    };
  }
  if constexpr (requires(const model& m, double f_n) { m.cone(f_n); }) {
    at.bounds = [](const void* self, const double*, const double* out, double* of_vectors) {
      of_vectors[0] = unbounded;
      of_vectors[1] = of(self).cone(out[0]);
    };
  }
  if constexpr (requires(const model& m, state_t s, input_t in) { m.remember(s, in); }) {
    at.remember = [](const void* self, const double* in, double* state) {
      auto s = state_of(state);
      of(self).remember(s, read(in));
      for (int i = 0; i < N; ++i) state[i] = s[i];
    };
  }
  if constexpr (requires(const model& m, state_t s, touch_mechanics<double> body, double h) {
                  m.react(s, body, h);
                }) {
    at.step = [](const void* self, const double*, const double* state, const double* free,
                 const double* mobility, double h, double* out, double* end) {
      const auto f = of(self).react(state_of(state),
                                    {free[0], {{free[1], free[2]}}, mobility[0], mobility[1]}, h);
      const auto settled = of(self).settle(state_of(state), f, h);
      out[0] = f.f_n;
      out[1] = f.f_t[0];
      out[2] = f.f_t[1];
      for (int i = 0; i < N; ++i) end[i] = settled[i];
      return true;
    };
  }
  return table;
}

// A law that is built of its parameters; its members take the arrays of states as they are.
template <class Arrays, class Parameters>
model_functions make_built_functions() {
  using law = decltype(Parameters{}.build());
  static constexpr auto of = [](const void* self) -> const law& {
    return *static_cast<const law*>(self);
  };
  static constexpr auto read = [](const double* in) { return Arrays::read(in); };
  model_functions table;
  table.in_double = make_typed_of_any_port<double, Parameters, Parameters>();
  add_common<Parameters>(table);
  table.build = [](const void* parameters) -> std::shared_ptr<const void> {
    return std::make_shared<const law>(static_cast<const Parameters*>(parameters)->build());
  };
  table.in_double.respond_at_port = [](const void* self, const double* in, const double* state,
                                       double* out, double* rate) {
    const wrench<double> f = of(self).respond(read(in), state, rate);
    for (int i = 0; i < 3; ++i) out[i] = f[i];
  };
  table.active_states = [](const void* self) { return of(self).states(); };
  auto& at = table.at_port;
  at.initial = [](const void* self, const double* in, double* state) {
    of(self).initial(read(in), state);
  };
  table.initial = [](const void* self, double* state) {
    of(self).initial(planar_drive<double>{}, state);
  };
  if constexpr (requires(const law& m, double* scale) { m.state_scale(scale); })
    table.state_scale = [](const void* self, double* scale) { of(self).state_scale(scale); };
  if constexpr (requires(const law& m) { m.cells(); })
    at.cells = [](const void* self) { return of(self).cells(); };
  if constexpr (requires(const law& m, planar_drive<double> in, double* y) {
                  m.stored_energy(in, y);
                })
    at.stored_energy = [](const void* self, const double* in, const double* state) {
      return of(self).stored_energy(read(in), state);
    };
  if constexpr (requires(const law& m, planar_drive<double> in) { m.wrench_bound(in); })
    at.bounds = [](const void* self, const double* in, const double*, double* of_vectors) {
      const auto most = of(self).wrench_bound(read(in));
      of_vectors[0] = most[0];
      of_vectors[1] = most[1];
    };
  if constexpr (requires(const law& m, planar_drive<double> in, double* y) { m.mirror(in, y); })
    at.mirror = [](const void* self, const double* in, double* state) {
      of(self).mirror(read(in), state);
    };
  if constexpr (requires(const law& m, planar_drive<double> in, double* y) {
                  m.step(in, y, y, y, 0.0, y, y);
                })
    at.step = [](const void* self, const double* in, const double* state, const double* free,
                 const double* mobility, double h, double* out, double* end) {
      return of(self).step(read(in), state, free, mobility, h, out, end);
    };
  return table;
}

// ---- ports of one direction ---------------------------------------------------------------------

// Binding::type<S> is the model in number type S.
template <class Binding>
model_functions make_functions() {
  using model = typename Binding::template type<double>;
  constexpr int N = model::states;
  static_assert(N <= any_model::max_states);

  model_functions table;
  table.in_double = make_typed<double, model, model>();
  table.in_float = make_typed<float, typename Binding::template type<float>, model>();
  if constexpr (requires { typename Binding::template type<model_dual>; })
    table.in_dual = make_typed<model_dual, typename Binding::template type<model_dual>, model>();
  if constexpr (requires { typename Binding::template type<model_pack>; })
    table.in_pack = make_typed<model_pack, typename Binding::template type<model_pack>, model>();

  static constexpr auto of = [](const void* self) -> const model& {
    return *static_cast<const model*>(self);
  };
  [[maybe_unused]] static constexpr auto state_of = [](const void* self, const double* state) {
    return load_state<double, N>(state, active_states(of(self)));
  };

  add_common<model>(table);
  table.active_states = [](const void* self) { return active_states(of(self)); };
  table.initial = [](const void* self, double* state) {
    const int count = active_states(of(self));
    for (int i = 0; i < count; ++i) state[i] = 0.0;
    if constexpr (requires { of(self).initial(); }) {
      const auto start = of(self).initial();
      for (int i = 0; i < count; ++i) state[i] = start[i];
    }
  };
  if constexpr (requires(const model& m) { m.state_scale(); }) {
    table.state_scale = [](const void* self, double* scale) {
      const auto sizes = of(self).state_scale();
      for (int i = 0; i < active_states(of(self)); ++i) scale[i] = sizes[i];
    };
  }

  using state_t = vec<double, N>;
  using drive_t = drive<double>;
  if constexpr (requires(const model& m, state_t s, drive_t d) { m.stored_energy(s, d); }) {
    table.stored_energy = [](const void* self, const double* state, double x, double v,
                             double load) -> double {
      return of(self).stored_energy(state_of(self, state), {x, v, load});
    };
  }
  if constexpr (requires(const model& m, state_t s, drive_t d, response<double, N> r) {
                  m.lost(s, d, r);
                }) {
    table.lost = [](const void* self, const double* state, const drive_t& in, double f,
                    const double* rate) -> losses<double> {
      const response<double, N> answer{f, state_of(self, rate)};
      return of(self).lost(state_of(self, state), in, answer);
    };
  }
  if constexpr (requires(const model& m, state_t s, drive_t d) { m.observe(s, d); }) {
    table.observe = [](const void* self, const double* state, const drive_t& in, double* out) {
      const auto seen = of(self).observe(state_of(self, state), in);
      for (int i = 0; i < seen.size(); ++i) out[i] = seen[i];
    };
  }
  if constexpr (requires { model::no_energy; }) table.no_energy = model::no_energy;
  if constexpr (requires { model::load_is_weight; }) table.load_is_weight = model::load_is_weight;
  if constexpr (requires(const model& m, drive_t d) { m.force_bound(d); }) {
    table.force_bound = [](const void* self, double x, double v, double load) -> double {
      return of(self).force_bound({x, v, load});
    };
  }
  if constexpr (requires(const model& m, state_t s, drive_t d) { m.slip_margin(s, d); }) {
    table.slip_margin = [](const void* self, const double* state, double x, double v,
                           double load) -> double {
      return of(self).slip_margin(state_of(self, state), {x, v, load});
    };
  }
  constexpr bool reacts = requires(const model& m, state_t s, double h) { m.react(s, h, h); };
  constexpr bool reacts_from = requires(const model& m, state_t s, double h) {
    m.react(s, h, h, h);
  };
  if constexpr (reacts || reacts_from) {
    table.react = [](const void* self, const double* state, double load, double h,
                     [[maybe_unused]] double x) {
      if constexpr (reacts_from) {
        return of(self).react(state_of(self, state), load, h, x);
      } else {
        return of(self).react(state_of(self, state), load, h);
      }
    };
    table.settle = [](const void* self, double* state, double f, double h) {
      const auto settled = of(self).settle(state_of(self, state), f, h);
      for (int i = 0; i < active_states(of(self)); ++i) state[i] = settled[i];
    };
  }
  if constexpr (requires(const model& m, state_t s, double h, free_step<double> body) {
                  m.implicit_step(s, h, h, body);
                }) {
    table.implicit_step = [](const void* self, double* state, double load, double h,
                             const free_step<double>& body) {
      const auto end = of(self).implicit_step(state_of(self, state), load, h, body);
      for (int i = 0; i < active_states(of(self)); ++i) state[i] = end.state[i];
      return step_end<double>{end.f, end.u};
    };
  }
  return table;
}

template <class Model, class Curve>
struct with_curve {
  template <class S>
  using type =
      typename Model::template type<S>::template with_curve<typename Curve::template type<S>>;
};

// The functions of a model at its port, which its folder says.
template <const port& At, class Binding>
model_functions functions_of() {
  using arrays = std::conditional_t<&At == &ports::touch, touch_arrays, twist_arrays>;
  if constexpr (At.is_line()) {
    return make_functions<Binding>();
  } else if constexpr (requires { typename Binding::parameters; }) {
    return make_built_functions<arrays, typename Binding::parameters>();
  } else {
    return make_functions_at<arrays, Binding>();
  }
}

// The model with one more curve. Its usual one is that of the header's own template argument.
template <const port& At, class Model, class Curve>
void add_variant(catalogue_entry& entry) {
  using bound = with_curve<Model, Curve>;
  entry.variants.push_back({Curve::key, functions_of<At, bound>()});
  if (std::is_same_v<typename bound::template type<double>, typename Model::template type<double>>)
    entry.usual_curve = Curve::key;
}

template <const port& At, class Model, class FirstCurve, class... OtherCurves>
catalogue_entry make_entry(const char* key, const char* family, const char* page,
                           model_list<FirstCurve, OtherCurves...>) {
  catalogue_entry entry{key, family, &At, page, {}, {}};
  // Spelt out: through the alias of with_curve, g++ 12 always says no.
  if constexpr (requires {
                  typename Model::template type<double>::template with_curve<
                      typename FirstCurve::template type<double>>;
                }) {
    add_variant<At, Model, FirstCurve>(entry);
    (add_variant<At, Model, OtherCurves>(entry), ...);
  } else {
    entry.variants.push_back({"", functions_of<At, Model>()});
  }
  return entry;
}

}  // namespace asperity::detail
