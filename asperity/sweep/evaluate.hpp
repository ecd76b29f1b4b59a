// SPDX-License-Identifier: Apache-2.0
#pragma once

// The work of a sweep: one chunk of neighbouring points. Whoever computes a chunk gets the same
// numbers, to the last bit.

#include <asperity/sweep/plan.hpp>
#include <optional>

namespace asperity {

struct pack_device;  // packs.hpp

struct point_result {
  std::string outcome;                     // of the run, or "refused"
  std::string detail;                      // why, where it failed
  std::vector<double> values;              // NaN where there is nothing to measure; 0 for a list
  std::vector<std::vector<double>> lists;  // one for each list among the measures
};

// The results of the points of a chunk, in their order; nothing where it was interrupted. A point
// that fails says so in its result and does not stop the others. Points that can be are stepped side
// by side (packs.hpp), unless that is not wanted, on a device where there is one.
std::optional<std::vector<point_result>> evaluate_chunk(const sweep_plan& plan, long long chunk,
                                                        const simulate_options& limits,
                                                        bool in_packs = true,
                                                        const pack_device* device = nullptr);

// How many points make a good chunk: runs the first for a moment, to see how long it takes. A
// transaction costs some milliseconds, and a chunk is what a kill loses: a quarter of a second.
// On a device, as many as keep it busy.
long long fitting_chunk(const sweep_plan& plan, const pack_device* device = nullptr);

}  // namespace asperity
