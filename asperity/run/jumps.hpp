// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the inputs of a system jump.

#include <algorithm>
#include <asperity/integrate/system.hpp>
#include <asperity/mechanics/signal.hpp>
#include <cmath>
#include <vector>

namespace asperity {

// Times in (from, to) at which inputs jump, increasing.
inline std::vector<double> jumps_of(const system_card& card, double from, double to) {
  std::vector<double> jumps;
  for (const auto& each : card.inputs) {
    const auto its = each.shape->breakpoints(from, to);
    jumps.insert(jumps.end(), its.begin(), its.end());
  }
  std::sort(jumps.begin(), jumps.end());
  jumps.erase(std::unique(jumps.begin(), jumps.end()), jumps.end());
  return jumps;
}

// Where an input ends or jumps at the very end of a run, it is shown as it was just before.
inline double last_seen(const system_card& card, double end) {
  for (const double jump : jumps_of(card, 0, 2 * end))
    if (jump == end) return std::nextafter(end, 0.0);
  return end;
}

}  // namespace asperity
