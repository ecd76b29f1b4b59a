// SPDX-License-Identifier: Apache-2.0
#pragma once

// Systems chosen by name, many at once. batch.hpp inlines a model into the loop over the steps, for
// C++ users who name its type; here a block of systems that differ in their numbers is one system in
// wide numbers, and its model is one indirect call for the whole block. The equations are those of
// every other run.
//
// A block takes systems of one shape: one kind of system, one model with one curve and one number of
// elements, inputs of the same kinds. What differs are their numbers. Every system gets the same bits
// whatever the width of the block and the systems beside it (batch.hpp).

#include <algorithm>
#include <asperity/batch/batch.hpp>
#include <asperity/catalogue/any_model.hpp>
#include <asperity/integrate/system.hpp>
#include <asperity/mechanics/touch_respond.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace asperity {

// As many numbers as fit into some registers of an instruction set.
using baseline_lanes = wide<pack<double, 2>, detail::packs_in_flight>;
using avx2_lanes = wide<pack<double, 4>, detail::packs_in_flight>;
using avx512_lanes = wide<pack<double, 8>, detail::packs_in_flight>;

// ---- models -------------------------------------------------------------------------------------

// Numbers of every system of a block, in the order of lane_numbers(). The last system fills the
// lanes that are left.
using lane_rows = std::span<const double* const>;
// One number of each; the lanes beyond the last are copies of it.
template <class S>
S lanes_at(lane_rows rows, std::size_t place) {
  double lanes[S::width];
  for (std::size_t i = 0; i < static_cast<std::size_t>(S::width); ++i)
    lanes[i] = rows[std::min(i, rows.size() - 1)][place];
  return S::load(lanes);
}

template <class S>
struct lane_functions {
  // A model like this one, with its numbers taken from the rows, from `first` on.
  std::shared_ptr<void> (*make)(const any_model& like, lane_rows, std::size_t first) = nullptr;
  // The first for friction and contacts, the second for contacts with friction.
  void (*respond)(const void* self, const S* state, const drive<S>& in, S* f, S* rate) = nullptr;
  void (*touch)(const void* self, const S* state, const touch<S>& in, touch_forces<S>* f,
                S* rate) = nullptr;
  // Null where the law has no implicit step in closed form. `x` is the gap at its start.
  void (*implicit_step)(const void* self, const S* from, const S& load, const S& h,
                        const free_step<S>& body, const S& x, S* to, step_end<S>* end) = nullptr;
};

// Models that can be asked for many systems at once: those of friction, contact, and contact with
// friction that are an ODE and do not branch on their memory. The build lists them.
struct lane_model {
  std::string key, curve;
  // Appends the numbers of a model, and says whether a model like this one may have others.
  void (*read)(const any_model&, std::vector<double>& to);
  bool (*allows)(const any_model& like, const double* numbers);
  lane_functions<baseline_lanes> in_baseline;
  lane_functions<avx2_lanes> in_avx2;  // of the instructions that only some machines have
  lane_functions<avx512_lanes> in_avx512;
};
template <class S>
const lane_functions<S>& functions_in(const lane_model& model) {
  if constexpr (std::is_same_v<S, baseline_lanes>) {
    return model.in_baseline;
  } else if constexpr (std::is_same_v<S, avx2_lanes>) {
    return model.in_avx2;
  } else {
    return model.in_avx512;
  }
}
const lane_model* find_lane_model(const any_model&);  // null where there is none

namespace generated {
std::span<const lane_model> lane_models();
}  // namespace generated

// ---- systems ------------------------------------------------------------------------------------

// Systems of one shape side by side. States lie as y[state * width() + lane].
class lane_block {
 public:
  lane_block() = default;
  lane_block(const lane_block&) = delete;
  lane_block& operator=(const lane_block&) = delete;
  virtual ~lane_block() = default;
  virtual int width() const = 0;
  virtual int states() const = 0;
  // A step of length h of all of them. Nothing is asked for later than `latest`.
  virtual void step(double t, double h, double latest, double* y) const = 0;
  // The outputs of the systems' cards, in the same way, where `has_lane_outputs` says so.
  virtual void observe(double t, const double* y, double* out) const = 0;
};

// Systems whose shapes are the same text may stand in one block; nothing where a system can stand in
// none.
std::optional<std::string> lane_shape(const system&);
// All numbers that the motion of such a system depends on, but for its initial state.
std::vector<double> lane_numbers(const system&);
// Whether a system like this one may have these numbers, each of which is in its own range.
bool lane_numbers_are_allowed(const system& like, const double* numbers);
// Whether a block has the method for such systems.
bool has_lane_method(const system&, batch_method);
// Whether a block shows what such systems show: not where friction at rest is what holds the body.
bool has_lane_outputs(const system&);

// The widest block that is not mostly empty, of no more than `most_lanes()` systems like this one,
// which must outlive it, with these numbers.
std::unique_ptr<lane_block> make_lane_block(const system& like, lane_rows numbers, batch_method,
                                            instruction_set use = widest_instructions());
int most_lanes(instruction_set use = widest_instructions());

}  // namespace asperity
