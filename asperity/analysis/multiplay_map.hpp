// SPDX-License-Identifier: Apache-2.0
#pragma once

// Multiplay from a hysteresis map and back (Drincic 2012, 2.4 to 2.7). A map with the symmetry of a
// half turn is given by its rising branch: points (u, y) with rising u, joined by lines.

#include <asperity/models/friction/maxwell_slip.hpp>
#include <asperity/models/friction/multiplay.hpp>
#include <vector>

namespace asperity {

struct branch {
  std::vector<double> u, y;
};

// Elements in the order in which they begin to slide. The map is that of `y_centre` plus a
// multiplay (or Maxwell-slip, or Prandtl-Ishlinskii) model with these k and Delta, about u_centre.
struct play_elements {
  std::vector<double> k, Delta;
  double u_centre = 0, y_centre = 0;
};

// (2.24) to (2.26). Where the last slope is not 0 an element with Delta = (u_max - u_min)/2 is
// added, without which they are not exact (erratum 24). Throws asperity::error unless there are at
// least two points with rising u.
play_elements elements_from_map(const branch& rising);

// (2.22): the rising branch for an input that swings between u_min and u_max, after it has swung.
branch map_from_elements(const play_elements&, double u_min, double u_max);

// How far a measured map is from the symmetry of a half turn: the largest difference of the falling
// branch from the rising one turned by 180 degrees about the middle, relative to the span of y.
double distance_from_symmetry(const branch& rising, const branch& falling);

// The inverse map as elements, (2.27) to (2.29): y is the input, u the output. A stretch of slope 0
// becomes a vertical one, which no multiplay has: it is left out, and its length along u returned
// in `lost`. Then the inverse differs by a shift of half of it on either branch. Throws
// asperity::error where a slope is negative: the map has no inverse.
struct inverse_map {
  play_elements elements;
  double lost = 0;
};
inverse_map inverse_elements(const branch& rising);

// The second inverse, (2.32) and (2.33): the multiplay itself, with its input computed from its
// output. Takes y at rising times, joined by lines, and integrates by Runge-Kutta steps so short that
// half of them move no state by more than 1e-10 of the largest input so far. A shift of all x_i by the
// same amount stays for ever (erratum 24): give the state the model has. Throws asperity::error where
// the sum of k is 0.
std::vector<double> dynamic_inverse(const multiplay<double>&, const std::vector<double>& times,
                                    const std::vector<double>& y,
                                    vec<double, multiplay<double>::states> state = {});

}  // namespace asperity
