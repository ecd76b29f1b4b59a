// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which kernels there are of a law. Included only by generated translation units, one per law.

#include <asperity/batch/cuda/record_kernel.hpp>
#include <asperity/models/planar/detail/coupling.hpp>

namespace asperity::detail {

struct lane_kernel_entry {
  lane_kernel_name name;  // `elements`: how many it has room for; 0: as many as the law has
  lane_outcome (*run)(const on_device&, const lane_job&, std::vector<char>& is_sure);

  bool fits(const lane_kernel_name& wanted) const {
    return name.key == wanted.key && name.curve == wanted.curve && name.body == wanted.body &&
           name.method == wanted.method && name.is_fast == wanted.is_fast &&
           name.is_float == wanted.is_float &&
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

// By the folder of a law: what it sees, and in what it stands.
enum class lane_family { friction, contact, frictional_contact, planar };

// Not one that keeps a choice between branches in its state, nor one without a number.
template <class Model, lane_family Family, class S>
concept is_in_kernels = !std::is_empty_v<Model> &&
                        requires(const Model& model, const vec<S, Model::states>& state,
                                 const std::conditional_t<Family == lane_family::frictional_contact,
                                                          touch<S>, drive<S>>& in) {
  model(state, in);
}
&&!requires(const Model& model, vec<S, Model::states>& state, const touch<S>& in) {
  model.remember(state, in);
}
|| (Family == lane_family::planar && requires(const Model& model, const vec<S, 3>& state,
                                              const S& load) { model(state, state, load); });

// A law whose number of elements may be known to the compiler takes it as it is only along records, where
// there are too many states for registers anyway.
template <class Binding, int Room>
inline constexpr bool is_for_lanes = Room > 0 || !requires {
  typename kernel_law<double, Binding, 1>;
};

template <lane_family Family, class Binding, class S, int Room>
void add_kernels_in(lane_kernel_name name, lane_kernel_list& to) {
  using model = kernel_law<S, Binding, Room>;
  name.elements = Room;
  const auto add = [&]<lane_body Body, batch_method Method>() {
    name.body = Body;
    name.method = Method;
    to.lanes.push_back({name, &run_lanes_on<S, Binding, Room, Body, Method>});
  };
  const auto add_in = [&]<lane_body Body>() {
    add.template operator()<Body, batch_method::rk4>();
    add.template operator()<Body, batch_method::euler>();
    // Where packs have it.
    constexpr bool has_reaction = reacts<model, S> && !steps_itself<model, S>;
    if constexpr ((Body == lane_body::sliding || Body == lane_body::bouncing) && has_reaction &&
                  model::states <= few_states)
      add.template operator()<Body, batch_method::backward_euler>();
  };
  using enum lane_body;
  if constexpr (Family == lane_family::friction) {
    add_in.template operator()<sliding>();
    add_in.template operator()<belt>();
  } else if constexpr (Family == lane_family::contact) {
    add_in.template operator()<bouncing>();
  } else if constexpr (Family == lane_family::planar) {
    add_in.template operator()<planar>();
    add_in.template operator()<planar_moved>();
  } else {
    add_in.template operator()<sphere>();
    add_in.template operator()<uneven_sphere>();
  }
}

// As packs have it, a law that branches on its memory exists in plain numbers only.
template <lane_family Family, class Binding, int... Rooms>
void add_kernels(const char* key, const char* curve, lane_kernel_list& to) {
  using fast = prepared<double>;
  if constexpr (is_in_kernels<typename Binding::template type<fast>, Family, fast>) {
    if constexpr (Family == lane_family::friction && ((Rooms == 0) || ...) &&
                  Binding::template type<double>::states > 0)
      to.records.push_back({{key, curve}, &run_records_on<Binding>});
    const auto name = [&](bool is_fast, bool is_float) {
      return lane_kernel_name{.key = key, .curve = curve, .is_fast = is_fast, .is_float = is_float};
    };
    const auto add = [&]<int Room>(std::integral_constant<int, Room>) {
      if constexpr (is_for_lanes<Binding, Room>) {
        add_kernels_in<Family, Binding, double, Room>(name(false, false), to);
        add_kernels_in<Family, Binding, fast, Room>(name(true, false), to);
        if constexpr (Family != lane_family::frictional_contact) {  // packs.cpp says why
          add_kernels_in<Family, Binding, float, Room>(name(false, true), to);
          add_kernels_in<Family, Binding, prepared<float>, Room>(name(true, true), to);
        }
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

template <lane_family Family, class Model, class Curve, int... Rooms>
void add_kernels_with_curve(const char* key, lane_kernel_list& to) {
  using own = typename Model::template type<double>;
  using other = typename kernel_with_curve<Model, Curve>::template type<double>;
  if constexpr (own::states <= few_states || std::is_same_v<own, other>)
    add_kernels<Family, kernel_with_curve<Model, Curve>, Rooms...>(key, Curve::key, to);
}

// Rooms: for how many elements, so that loops over them unroll; 0: as many as the law counts at run
// time.
template <lane_family Family, class Model, int... Rooms, class FirstCurve, class... OtherCurves>
void add_kernels_of(const char* key, lane_kernel_list& to, model_list<FirstCurve, OtherCurves...>) {
  if constexpr (requires {
                  typename Model::template type<double>::template with_curve<
                      typename FirstCurve::template type<double>>;
                }) {
    add_kernels_with_curve<Family, Model, FirstCurve, Rooms...>(key, to);
    (add_kernels_with_curve<Family, Model, OtherCurves, Rooms...>(key, to), ...);
  } else {
    add_kernels<Family, Model, Rooms...>(key, "", to);
  }
}

// A planar law of bristle states, with the couplings that need no patch.
template <class Law, class Coupling>
struct coupled_law;
template <template <scalar, class, class> class Law, class S, class Old, class Curve,
          class Coupling>
struct coupled_law<Law<S, Old, Curve>, Coupling> {
  using type = Law<S, Coupling, Curve>;
};
template <class Model, template <class> class Coupling>
struct kernel_with_coupling {
  template <class S>
  using type = typename coupled_law<typename Model::template type<S>, Coupling<S>>::type;
};
template <lane_family Family, class Model, int Room, class Curves>
void add_kernels_with_couplings(const char* key, lane_kernel_list& to, Curves) {
  add_kernels<Family, kernel_with_coupling<Model, ellipsoid_coupling>, Room>(key, "ellipsoid", to);
  add_kernels<Family, kernel_with_coupling<Model, disc_coupling>, Room>(key, "disc", to);
}

// A contact whose force jumps.
template <class Model>
struct kernel_with_side {
  template <class S>
  using type = held_side<S, typename Model::template type<S>>;
};
template <lane_family Family, class Model, int Room, class Curves>
void add_kernels_with_side(const char* key, lane_kernel_list& to, Curves) {
  add_kernels<Family, kernel_with_side<Model>, Room>(key, on_its_side.data(), to);
}

}  // namespace asperity::detail
