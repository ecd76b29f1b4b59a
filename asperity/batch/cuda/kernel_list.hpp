// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which kernels there are of a law. Included only by generated translation units, one per law.

#include <asperity/batch/cuda/record_kernel.hpp>

namespace asperity::detail {

struct lane_kernel_entry {
  lane_kernel_name name;  // `elements`: how many it has room for; 0: as many as the law has
  lane_outcome (*run)(const on_device&, const lane_job&, std::vector<char>& is_sure);

  bool fits(const lane_kernel_name& wanted) const {
    return name.key == wanted.key && name.curve == wanted.curve &&
           name.is_on_belt == wanted.is_on_belt && name.method == wanted.method &&
           name.is_fast == wanted.is_fast &&
           (name.elements == 0 || wanted.elements <= name.elements);
  }
};

struct record_kernel_entry {
  lane_kernel_name name;
  lane_outcome (*run)(const on_device&, const record_job&, std::vector<double>& squares);
};

struct lane_kernel_list {
  std::vector<lane_kernel_entry> lanes;
  std::vector<record_kernel_entry> records;
};

// Laws of more states have kernels with their own curve alone, and no implicit ones: the compiler
// takes long for them.
inline constexpr int few_states = 4;

template <class Binding, class S>
concept is_in_kernels = requires(const typename Binding::template type<S>& model,
                                 const vec<S, Binding::template type<S>::states>& state,
                                 const drive<S>& in) {
  model(state, in);
};

// A law whose number of elements may be known to the compiler takes it as it is only along records, where
// there are too many states for registers anyway.
template <class Binding, int Room>
inline constexpr bool is_for_lanes = Room > 0 || !requires {
  typename kernel_law<double, Binding, 1>;
};

template <class Binding, class S, int Room>
void add_kernels_in(lane_kernel_name name, lane_kernel_list& to) {
  using model = kernel_law<S, Binding, Room>;
  using enum batch_method;
  name.elements = Room;
  const auto add = [&](bool on_belt, batch_method method, auto run) {
    name.is_on_belt = on_belt;
    name.method = method;
    to.lanes.push_back({name, run});
  };
  add(false, rk4, &run_lanes_on<S, Binding, Room, false, rk4>);
  add(false, euler, &run_lanes_on<S, Binding, Room, false, euler>);
  add(true, rk4, &run_lanes_on<S, Binding, Room, true, rk4>);
  add(true, euler, &run_lanes_on<S, Binding, Room, true, euler>);
  if constexpr (reacts<model, S> && !steps_itself<model, S> && model::states <= few_states)
    add(false, backward_euler, &run_lanes_on<S, Binding, Room, false, backward_euler>);
}

// As packs have it, a law that branches on its memory exists in plain numbers only.
template <class Binding, int... Rooms>
void add_kernels(const char* key, const char* curve, lane_kernel_list& to) {
  if constexpr (is_in_kernels<Binding, prepared<double>>) {
    if constexpr (((Rooms == 0) || ...) && Binding::template type<double>::states > 0)
      to.records.push_back({{key, curve}, &run_records_on<Binding>});
    const lane_kernel_name name{key, curve};
    lane_kernel_name fast = name;
    fast.is_fast = true;
    const auto add = [&]<int Room>(std::integral_constant<int, Room>) {
      if constexpr (is_for_lanes<Binding, Room>) {
        add_kernels_in<Binding, double, Room>(name, to);
        add_kernels_in<Binding, prepared<double>, Room>(fast, to);
      }
    };
    (add(std::integral_constant<int, Rooms>{}), ...);
  }
}

template <class Model, class Curve>
struct kernel_with_curve {
  template <class S>
  using type =
      typename Model::template type<S>::template with_curve<typename Curve::template type<S>>;
};

template <class Model, class Curve, int... Rooms>
void add_kernels_with_curve(const char* key, lane_kernel_list& to) {
  using own = typename Model::template type<double>;
  using other = typename kernel_with_curve<Model, Curve>::template type<double>;
  if constexpr (own::states <= few_states || std::is_same_v<own, other>)
    add_kernels<kernel_with_curve<Model, Curve>, Rooms...>(key, Curve::key, to);
}

// Rooms: for how many elements, so that loops over them unroll; 0: as many as the law counts at run
// time.
template <class Model, int... Rooms, class FirstCurve, class... OtherCurves>
void add_kernels_of(const char* key, lane_kernel_list& to, model_list<FirstCurve, OtherCurves...>) {
  if constexpr (requires {
                  typename Model::template type<double>::template with_curve<
                      typename FirstCurve::template type<double>>;
                }) {
    add_kernels_with_curve<Model, FirstCurve, Rooms...>(key, to);
    (add_kernels_with_curve<Model, OtherCurves, Rooms...>(key, to), ...);
  } else {
    add_kernels<Model, Rooms...>(key, "", to);
  }
}

}  // namespace asperity::detail
