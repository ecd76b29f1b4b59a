// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cubic splines through nodes, by their slopes at the nodes: value, slope and second derivative are
// continuous.

#include <vector>

namespace asperity {

// What two more conditions say about the ends. `natural`: the second derivative is 0 there, so that
// nothing swings beyond what the nodes say. `not_a_knot`: the third derivative has no jump at the
// nodes beside the ends, so that every cubic is met and the ends are as exact as the middle.
enum class spline_end { natural, not_a_knot };

// Slopes at the nodes (t, y), whose times increase. Not-a-knot through two nodes is a line, through three a
// parabola.
std::vector<double> spline_slopes(const std::vector<double>& t, const std::vector<double>& y,
                                  spline_end);

}  // namespace asperity
