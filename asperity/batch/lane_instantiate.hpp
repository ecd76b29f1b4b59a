// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes the functions of one model in wide numbers. Included only by the generated translation
// units, one per model.

#include <asperity/batch/lanes.hpp>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/mechanics/respond.hpp>
#include <asperity/mechanics/touch_respond.hpp>

namespace asperity::detail {

// What a model calls where it describes itself (card.hpp); keeps the places of its numbers alone.
template <class S>
struct value_places {
  using text = std::string_view;
  std::vector<S*> values;
  std::vector<int*> counts;

  void about(text, text, unsigned) {}
  void parameter(text, S& value, unit, range, text) { values.push_back(&value); }
  void exponent(text, S& value, range, text) { values.push_back(&value); }
  template <int N>
  void list(text, vec<S, N>& all, unit, range, text) {
    for (int i = 0; i < N; ++i) values.push_back(&all[i]);
  }
  template <int N>
  void shares(text name, vec<S, N>& all, range allowed, text meaning) {
    list(name, all, units::one, allowed, meaning);
  }
  void elements(text, int& count, int, text) { counts.push_back(&count); }
  void whole_number(text, int& value, int, int, text) { counts.push_back(&value); }
  void choice(text, int& index, const std::vector<std::string>&, text) { counts.push_back(&index); }
  void state(text, unit, text, range = any_value) {}
  void even_state(text, unit, text, range = any_value) {}
  void state_list(text, unit, text, range = any_value) {}
  void output(text, unit, text) {}
  template <class Part>
  void part(Part& component) {
    component.describe(*this);
  }
};

template <class Plain>
void read_numbers(const any_model& model, std::vector<double>& to) {
  Plain own = *static_cast<const Plain*>(model.self());
  value_places<double> places;
  own.describe(places);
  for (const double* each : places.values) to.push_back(*each);
}

template <class Plain>
bool allows_numbers(const any_model& like, const double* numbers) {
  Plain own = *static_cast<const Plain*>(like.self());
  if constexpr (requires { own.valid(); }) {
    value_places<double> places;
    own.describe(places);
    for (double* each : places.values) *each = *numbers++;
    return own.valid().verdict != validity::refused;
  } else {
    return true;
  }
}

template <class Plain, class S, class Model>
std::shared_ptr<void> make_in_lanes(const any_model& like, lane_rows rows, std::size_t first) {
  Plain own = *static_cast<const Plain*>(like.self());
  const auto made = std::make_shared<Model>();
  value_places<double> from;
  value_places<S> to;
  own.describe(from);
  made->describe(to);
  for (std::size_t i = 0; i < from.counts.size(); ++i) *to.counts[i] = *from.counts[i];
  for (std::size_t i = 0; i < to.values.size(); ++i) *to.values[i] = lanes_at<S>(rows, first + i);
  return made;
}

template <class S, class Model>
inline void respond_in_lanes(const void* self, const S* state, const drive<S>& in, S* f, S* rate) {
  const auto& model = *static_cast<const Model*>(self);
  *f = respond(model, state, in, rate);
}

template <class S, class Model>
inline void touch_in_lanes(const void* self, const S* state, const touch<S>& in, touch_forces<S>* f,
                           S* rate) {
  *f = touch_respond(*static_cast<const Model*>(self), state, in, rate);
}

template <class S, class Model>
inline void step_in_lanes(const void* self, const S* from, const S& load, const S& h,
                          const free_step<S>& body, const S& x, S* to, step_end<S>* end) {
  const auto& model = *static_cast<const Model*>(self);
  *end = implicit_step(model, from, load, h, body, to, x);
}

// A contact with friction; not one that keeps a choice between branches in its state.
template <class Model, class S>
concept touches = requires(const Model& model, const vec<S, Model::states>& state,
                           const touch<S>& in) {
  model(state, in);
}
&&!requires(const Model& model, vec<S, Model::states>& state, const touch<S>& in) {
  model.remember(state, in);
};

// Laws that look for the speed at the end of a step themselves stay alone: in wide numbers they would
// take minutes to compile.
template <class Model, class S>
inline constexpr bool has_one_reaction = reacts<Model, S> && !steps_itself<Model, S>;

// Everything is inlined into these, so that it is compiled for the instructions named.
#define ASPERITY_LAW_IN(ending, lanes, ...)                                                       \
  template <class Model>                                                                          \
  __VA_ARGS__ void respond_##ending(const void* self, const lanes* state, const drive<lanes>& in, \
                                    lanes* f, lanes* rate) {                                      \
    respond_in_lanes<lanes, Model>(self, state, in, f, rate);                                     \
  }                                                                                               \
  template <class Model>                                                                          \
  __VA_ARGS__ void touch_##ending(const void* self, const lanes* state, const touch<lanes>& in,   \
                                  touch_forces<lanes>* f, lanes* rate) {                          \
    touch_in_lanes<lanes, Model>(self, state, in, f, rate);                                       \
  }                                                                                               \
  template <class Model>                                                                          \
  __VA_ARGS__ void step_##ending(const void* self, const lanes* from, const lanes& load,          \
                                 const lanes& h, const free_step<lanes>& body, const lanes& x,    \
                                 lanes* to, step_end<lanes>* end) {                               \
    step_in_lanes<lanes, Model>(self, from, load, h, body, x, to, end);                           \
  }                                                                                               \
  template <class Plain, class Model>                                                             \
  lane_functions<lanes> functions_##ending() {                                                    \
    lane_functions<lanes> made{&make_in_lanes<Plain, lanes, Model>};                              \
    if constexpr (touches<Model, lanes>) {                                                        \
      made.touch = &touch_##ending<Model>;                                                        \
    } else {                                                                                      \
      made.respond = &respond_##ending<Model>;                                                    \
      if constexpr (has_one_reaction<Model, lanes>) made.implicit_step = &step_##ending<Model>;   \
    }                                                                                             \
    return made;                                                                                  \
  }
ASPERITY_LAW_IN(in_baseline, baseline_lanes, [[gnu::flatten]])
#if defined(__x86_64__)
ASPERITY_LAW_IN(in_avx2, avx2_lanes, [[gnu::target("avx2"), gnu::flatten]])
ASPERITY_LAW_IN(in_avx512, avx512_lanes, [[gnu::target("avx512f,avx512dq,avx512vl"), gnu::flatten]])
#endif
#undef ASPERITY_LAW_IN

// Models that branch on their memory exist in plain numbers only.
template <class Binding, class S>
concept is_in_lanes = requires(const typename Binding::template type<S>& model,
                               const vec<S, Binding::template type<S>::states>& state,
                               const drive<S>& in) {
  model(state, in);
}
|| touches<typename Binding::template type<S>, S>;

template <class Binding>
void add_lane_model(const char* key, const char* curve, std::vector<lane_model>& to) {
  if constexpr (is_in_lanes<Binding, baseline_lanes>) {
    using plain = typename Binding::template type<double>;
    lane_model made{key, curve, &read_numbers<plain>, &allows_numbers<plain>, {}, {}, {}};
    made.in_baseline =
        functions_in_baseline<plain, typename Binding::template type<baseline_lanes>>();
#if defined(__x86_64__)
    made.in_avx2 = functions_in_avx2<plain, typename Binding::template type<avx2_lanes>>();
    made.in_avx512 = functions_in_avx512<plain, typename Binding::template type<avx512_lanes>>();
#endif
    to.push_back(std::move(made));
  }
}

template <class Model, class Curve>
struct lanes_with_curve {
  template <class S>
  using type =
      typename Model::template type<S>::template with_curve<typename Curve::template type<S>>;
};

template <class Model, class FirstCurve, class... OtherCurves>
void add_lane_models(const char* key, std::vector<lane_model>& to,
                     model_list<FirstCurve, OtherCurves...>) {
  if constexpr (requires {
                  typename Model::template type<double>::template with_curve<
                      typename FirstCurve::template type<double>>;
                }) {
    add_lane_model<lanes_with_curve<Model, FirstCurve>>(key, FirstCurve::key, to);
    (add_lane_model<lanes_with_curve<Model, OtherCurves>>(key, OtherCurves::key, to), ...);
  } else {
    add_lane_model<Model>(key, "", to);
  }
}

}  // namespace asperity::detail
