// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes the function table of one model type. Included only by the generated translation units,
// one per model, so that each model is compiled once per number type.

#include <asperity/catalogue/catalogue.hpp>

namespace asperity::detail {

template <class S, int N>
vec<S, N> load_state(const S* state, int count) {
  vec<S, N> result;
  for (int i = 0; i < (N < count ? N : count); ++i) result[i] = state[i];
  return result;
}

template <class Model>
int active_states(const Model& model) {
  if constexpr (requires { model.active_states(); }) {
    return model.active_states();
  } else {
    return Model::states;
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

template <class S, class Model, class DoubleModel>
typed_functions<S> make_typed() {
  typed_functions<S> functions{
      .make = [](const void* source) -> std::shared_ptr<void> {
        auto original = *static_cast<const DoubleModel*>(source);
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
      },
      .describe = [](void* self) { return card_of<S>(*static_cast<Model*>(self)); },
  };
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

  table.bytes = sizeof(model);
  table.make = []() -> std::shared_ptr<void> { return std::make_shared<model>(); };
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
  table.valid = [](const void* self) -> validity {
    if constexpr (requires { of(self).valid(); }) {
      return of(self).valid();
    } else {
      return {};
    }
  };

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

// The model with one more curve. Its usual one is that of the header's own template argument.
template <class Model, class Curve>
void add_variant(catalogue_entry& entry) {
  using bound = with_curve<Model, Curve>;
  entry.variants.push_back({Curve::key, make_functions<bound>()});
  if (std::is_same_v<typename bound::template type<double>, typename Model::template type<double>>)
    entry.usual_curve = Curve::key;
}

template <class Model, class FirstCurve, class... OtherCurves>
catalogue_entry make_entry(const char* key, const char* family, const char* page,
                           model_list<FirstCurve, OtherCurves...>) {
  catalogue_entry entry{key, family, page, {}, {}};
  // Spelt out: through the alias of with_curve, g++ 12 always says no.
  if constexpr (requires {
                  typename Model::template type<double>::template with_curve<
                      typename FirstCurve::template type<double>>;
                }) {
    add_variant<Model, FirstCurve>(entry);
    (add_variant<Model, OtherCurves>(entry), ...);
  } else {
    entry.variants.push_back({"", make_functions<Model>()});
  }
  return entry;
}

}  // namespace asperity::detail
