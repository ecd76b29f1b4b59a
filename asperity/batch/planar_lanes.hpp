// SPDX-License-Identifier: Apache-2.0
#pragma once

// Planar systems side by side (lanes.hpp): bodies and moved contacts on reduced laws, which have three
// bristle states. Laws of cells, and Coulomb laws, which hold a body at rest, stay alone.

#include <asperity/batch/lane_blocks.hpp>
#include <asperity/batch/lane_instantiate.hpp>
#include <asperity/mechanics/load.hpp>
#include <asperity/mechanics/planar_system.hpp>

namespace asperity::detail {

// A reduced law with its coupling, as planar_keys.cpp reads it.
template <template <class, class, class> class Law, template <class> class Coupling>
struct planar_binding {
  template <class S>
  using type = Law<S, Coupling<S>, stribeck_exponential<S>>;
};

// Numbers of a law, in the order of its card.
template <class Law>
std::vector<double> numbers_of_law(Law law) {
  value_places<double> places;
  law.describe(places);
  std::vector<double> numbers;
  for (const double* each : places.values) numbers.push_back(*each);
  return numbers;
}

// A law for all systems of a block: one indirect call, as lane_law, since a step asks for it four times.
template <class S>
struct planar_lane_law {
  void (*respond)(const void* self, const vec<S, 3>& z, const twist<S>&, const S& load,
                  planar_response<S>*);
  std::shared_ptr<void> self;
  struct {
    S R;
  } coupling;

  static constexpr int states = 3;
  planar_response<S> operator()(const vec<S, 3>& z, const twist<S>& t, const S& load) const {
    planar_response<S> answer;
    respond(self.get(), z, t, load, &answer);
    return answer;
  }
};

#define ASPERITY_PLANAR_LAW_IN(lanes, ...)                                                     \
  template <class Law>                                                                         \
  __VA_ARGS__ void respond_in(const void* self, const vec<lanes, 3>& z, const twist<lanes>& t, \
                              const lanes& load, planar_response<lanes>* to) {                 \
    *to = (*static_cast<const Law*>(self))(z, t, load);                                        \
  }
ASPERITY_PLANAR_LAW_IN(baseline_lanes, [[gnu::flatten, gnu::noinline]])
#if defined(__x86_64__)
ASPERITY_PLANAR_LAW_IN(avx2_lanes, [[gnu::target("avx2"), gnu::flatten, gnu::noinline]])
ASPERITY_PLANAR_LAW_IN(avx512_lanes,
                       [[gnu::target("avx512f,avx512dq,avx512vl"), gnu::flatten, gnu::noinline]])
#endif
#undef ASPERITY_PLANAR_LAW_IN

// What the systems of a block are made of (lane_systems.hpp).
template <class S, class Law>
class planar_source {
 public:
  using law = planar_lane_law<S>;
  using input = lane_input<S>;

  planar_source(std::vector<const signal*> inputs, lane_rows rows)
      : inputs_(std::move(inputs)), rows_(rows) {}
  S next() { return lanes_at<S>(rows_, place_++); }
  input next_input() { return input(*inputs_[input_++], true, *this); }
  law next_law() {
    const auto made = std::make_shared<Law>();
    value_places<S> places;
    made->describe(places);
    for (S* each : places.values) *each = next();
    return {&respond_in<Law>, made, {made->coupling.R}};
  }

 private:
  std::vector<const signal*> inputs_;
  lane_rows rows_;
  std::size_t place_ = 0, input_ = 0;
};

template <class Binding>
struct planar_parts {
  using law_type = typename Binding::template type<double>;
  const planar_setup& of;
  const law_type& law;
  std::string_view key, coupling;

  lane_body body() const { return of.is_moved ? lane_body::planar_moved : lane_body::planar; }
  std::vector<const signal*> inputs() const {
    const auto& given = of.is_moved ? of.motion : of.push;
    return {&given[0], &given[1], &given[2]};
  }
  // The load is the last of those that are there for every input.
  std::vector<double> numbers() const {
    std::vector<double> all;
    if (!of.is_moved) all = {of.m, of.I};
    all.push_back(of.load.offset());
    for (const signal* each : inputs()) add_numbers(*each, all);
    return all;
  }
  // Whether a system like this one may have such numbers.
  bool allows(const double* numbers) const {
    if (!(numbers[of.is_moved ? 0 : 2] > no_load)) return false;
    law_type other = law;
    value_places<double> places;
    other.describe(places);
    numbers += this->numbers().size();
    for (double* each : places.values) *each = *numbers++;
    return other.valid().verdict != validity::refused;
  }
  template <class S, lane_body Body>
  auto in_lanes(lane_rows rows) const {
    planar_source<S, typename Binding::template type<S>> from(inputs(), rows);
    return lane_system_from<S, Body>(from);
  }
};

// Calls visit(parts) for a planar system that can stand in a block, or returns `otherwise`.
template <class Answer, class Visit>
Answer with_planar_parts(const system& which, Answer otherwise, const Visit& visit) {
  const planar_setup* const setup = planar_setup_in(which);
  // Where a contact opens, an event sets its bristles back.
  if (setup == nullptr || !setup->load.is_constant() || !(setup->load.offset() > no_load))
    return otherwise;
  std::optional<Answer> found;
  const auto try_law = [&]<class Binding>(std::string_view key, std::string_view coupling) {
    using law = typename Binding::template type<double>;
    const auto* friction =
        dynamic_cast<const friction_of<bristle_friction<double, law>>*>(setup->friction.get());
    if (friction == nullptr || friction->policy().mount != planar_mount::carried) return;
    found = visit(planar_parts<Binding>{*setup, friction->policy().law, key, coupling});
  };
  try_law.template operator()<planar_binding<planar_lugre, ellipsoid_coupling>>("planar_lugre",
                                                                                "ellipsoid");
  try_law.template operator()<planar_binding<planar_lugre, disc_coupling>>("planar_lugre", "disc");
  try_law.template operator()<planar_binding<planar_elastoplastic, ellipsoid_coupling>>(
      "planar_elastoplastic", "ellipsoid");
  try_law.template operator()<planar_binding<planar_elastoplastic, disc_coupling>>(
      "planar_elastoplastic", "disc");
  return found ? std::move(*found) : std::move(otherwise);
}

// A block of systems like this one in S; null where it is no planar system for blocks.
template <class S>
std::unique_ptr<lane_block> planar_block_in(const system& like, lane_rows numbers,
                                            batch_method method) {
  const int outputs = static_cast<int>(like.card().outputs.size());
  using answer = std::unique_ptr<lane_block>;
  return with_planar_parts<answer>(like, nullptr, [&](const auto& parts) -> answer {
    const auto with = [&]<lane_body Body>() -> answer {
      auto system = parts.template in_lanes<S, Body>(numbers);
      // Its type is the same for all laws.
      return std::make_unique<block_of<S, decltype(system)>>(std::move(system), method, outputs);
    };
    return parts.of.is_moved ? with.template operator()<lane_body::planar_moved>()
                             : with.template operator()<lane_body::planar>();
  });
}

// Each in a source of its own, since they take long to compile.
extern template std::unique_ptr<lane_block> planar_block_in<baseline_lanes>(const system&,
                                                                            lane_rows,
                                                                            batch_method);
#if defined(__x86_64__)
extern template std::unique_ptr<lane_block> planar_block_in<avx2_lanes>(const system&, lane_rows,
                                                                        batch_method);
extern template std::unique_ptr<lane_block> planar_block_in<avx512_lanes>(const system&, lane_rows,
                                                                          batch_method);
#endif

}  // namespace asperity::detail
