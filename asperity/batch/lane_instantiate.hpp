// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes the functions of one model in wide numbers. Included only by the generated translation
// units, one per model.

#include <asperity/batch/lanes.hpp>
#include <asperity/catalogue/catalogue.hpp>

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
  void shares(text, vec<S, N>& all, range, text) {
    for (int i = 0; i < N; ++i) values.push_back(&all[i]);
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
    for (std::size_t i = 0; i < places.values.size(); ++i) *places.values[i] = numbers[i];
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
  for (std::size_t i = 0; i < to.values.size(); ++i) {
    double lanes[S::width];
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(S::width); ++lane)
      lanes[lane] = rows[std::min(lane, rows.size() - 1)][first + i];
    *to.values[i] = S::load(lanes);
  }
  return made;
}

template <class S, class Model>
inline void respond_in_lanes(const void* self, const S* state, const drive<S>& in, S* f, S* rate) {
  const auto& model = *static_cast<const Model*>(self);
  int count = Model::states;
  if constexpr (requires { model.active_states(); }) count = model.active_states();
  vec<S, Model::states> own;
  for (int i = 0; i < count; ++i) own[i] = state[i];
  const auto answer = model(own, in);
  for (int i = 0; i < count; ++i) rate[i] = answer.rate[i];
  *f = answer.f;
}

// Everything is inlined into these, so that it is compiled for the instructions named.
#define ASPERITY_RESPOND_IN(name, lanes, ...)                                                   \
  template <class Model>                                                                        \
  __VA_ARGS__ void name(const void* self, const lanes* state, const drive<lanes>& in, lanes* f, \
                        lanes* rate) {                                                          \
    respond_in_lanes<lanes, Model>(self, state, in, f, rate);                                   \
  }
ASPERITY_RESPOND_IN(respond_in_baseline, baseline_lanes, [[gnu::flatten]])
#if defined(__x86_64__)
ASPERITY_RESPOND_IN(respond_in_avx2, avx2_lanes, [[gnu::target("avx2"), gnu::flatten]])
ASPERITY_RESPOND_IN(respond_in_avx512, avx512_lanes,
                    [[gnu::target("avx512f,avx512dq,avx512vl"), gnu::flatten]])
#endif
#undef ASPERITY_RESPOND_IN

// Models that branch on their memory exist in plain numbers only.
template <class Binding, class S>
concept is_in_lanes = requires(const typename Binding::template type<S>& model,
                               const vec<S, Binding::template type<S>::states>& state,
                               const drive<S>& in) {
  model(state, in);
};

template <class Binding>
void add_lane_model(const char* key, const char* curve, std::vector<lane_model>& to) {
  if constexpr (is_in_lanes<Binding, baseline_lanes>) {
    using plain = typename Binding::template type<double>;
    const auto functions = []<class S>(auto respond) {
      return lane_functions<S>{&make_in_lanes<plain, S, typename Binding::template type<S>>,
                               respond};
    };
    lane_model made{key, curve, &read_numbers<plain>, &allows_numbers<plain>, {}, {}, {}};
    made.in_baseline = functions.template operator()<baseline_lanes>(
        &respond_in_baseline<typename Binding::template type<baseline_lanes>>);
#if defined(__x86_64__)
    made.in_avx2 = functions.template operator()<avx2_lanes>(
        &respond_in_avx2<typename Binding::template type<avx2_lanes>>);
    made.in_avx512 = functions.template operator()<avx512_lanes>(
        &respond_in_avx512<typename Binding::template type<avx512_lanes>>);
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
