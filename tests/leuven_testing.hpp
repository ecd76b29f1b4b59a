// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tests that both Leuven models must pass: their steps are taken in parts in the same way.

#include <gtest/gtest.h>

#include <asperity/testing.hpp>

namespace asperity::testing {

// Far from the curve (with so large an n, anywhere but on it) the deflection is the way of the body,
// also in one step in which the speed changes: the area under its speed.
template <class Model>
void a_step_of_changing_speed_goes_the_whole_way(Model model) {
  constexpr double um = 1e-6;
  model.n = 60;
  for (const auto& [first, last] :
       {std::pair{0.0, 1e-3}, {1e-3, 0.0}, {2e-4, 8e-4}, {-3e-4, -7e-4}}) {
    companion body{model};
    body.at.v = first;
    const double way = std::copysign(5 * um, first + last);
    body.go({0, last, 1}, 2 * way / (first + last));
    EXPECT_NEAR(body.state[0], way, 1e-9 * um) << first << ' ' << last;
  }
}

// A step is taken in one part for each sixteenth of the presliding length `scale`, and 16 at most: as
// many steps of one part each are the same, also where speed and load change on the way.
template <class Model>
void a_step_is_its_parts(const Model& model, double scale) {
  const double v = 3e-4;
  for (const int parts : {1, 2, 5, 16}) {
    companion once{model}, often{model};
    const drive<double> ends[] = {{0, 0.99 * v, 0.7}, {0, 1.01 * v, 1.1}};
    once.at = often.at = ends[0];
    const double h = (parts - 0.5) / 16 * scale / v;
    for (int i = 0; i < 4; ++i) {
      const drive<double> from = ends[i % 2], to = ends[(i + 1) % 2];
      once.go(to, h);
      for (int k = 1; k <= parts; ++k) {
        const double share = static_cast<double>(k) / parts;
        often.go({0, from.v + share * (to.v - from.v), from.load + share * (to.load - from.load)},
                 h / parts);
      }
      EXPECT_NEAR(once.f, often.f, 1e-12) << parts;
    }
  }
}

}  // namespace asperity::testing
