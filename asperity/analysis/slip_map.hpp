// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a contact patch sticks and slips at chosen times of a run.

#include <asperity/draw/figure.hpp>
#include <asperity/run/simulate.hpp>

namespace asperity {

struct slip_map_options {
  std::vector<double> times = {};  // [s], inside the run; `count` evenly spaced ones where empty
  int count = 6;
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(double fraction)> progress = {};
};

struct slip_picture {
  double t = 0;         // [s]
  double slipping = 0;  // share of the load that lies on cells which slip
  // How much of its friction limit each cell would need to stick: above 1 it slips.
  std::vector<double> share_of_limit;
};

struct slip_map {
  std::vector<double> x, y;                // centres of the cells [m]
  double cell_width = 0, cell_height = 0;  // [m]
  std::size_t wanted = 0;                  // times asked for
  std::vector<slip_picture> pictures;      // of those that the run reached, in time
  integration_result result;               // how the run ended
  std::string hint;                        // after a failure: what to try
};

// Throws asperity::error where the system is not a planar one with cells (friction model patch_dai),
// and for times outside the run.
slip_map find_slip_map(const scenario&, const slip_map_options& = {});

// The patch at each time: cells that slip are red.
figure figure_of(const slip_map&, const std::string& title);

}  // namespace asperity
