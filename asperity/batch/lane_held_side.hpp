// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes the functions of a contact whose force jumps, in wide numbers: as it is, and as one that holds
// its side. Included only by the generated translation units of such contacts.

#include <asperity/batch/held_side.hpp>
#include <asperity/batch/lane_instantiate.hpp>

namespace asperity::detail {

template <class Binding, class Curves>
void add_lane_models_with_side(const char* key, std::vector<lane_model>& to, Curves curves) {
  add_lane_models<Binding>(key, to, curves);
  using plain = typename Binding::template type<double>;
  lane_model made{
      key, std::string(on_its_side), &read_numbers<plain>, &allows_numbers<plain>, {}, {}, {}};
  made.in_baseline = functions_in_baseline<
      plain, held_side<baseline_lanes, typename Binding::template type<baseline_lanes>>>();
#if defined(__x86_64__)
  made.in_avx2 =
      functions_in_avx2<plain,
                        held_side<avx2_lanes, typename Binding::template type<avx2_lanes>>>();
  made.in_avx512 =
      functions_in_avx512<plain,
                          held_side<avx512_lanes, typename Binding::template type<avx512_lanes>>>();
#endif
  to.push_back(std::move(made));
}

}  // namespace asperity::detail
