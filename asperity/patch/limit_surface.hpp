// SPDX-License-Identifier: Apache-2.0
#pragma once

// The exact limit surface of a contact patch: all wrenches of Coulomb friction in sliding, which
// bound what the contact can hold at rest. Everything here is about the centre of pressure and for
// mu f_n = 1.

#include <asperity/models/planar/limit_surface_ellipsoid.hpp>
#include <asperity/patch/contact_patch.hpp>
#include <functional>

namespace asperity {

// Coulomb friction of a patch about its centre of pressure.
contact_patch::integral coulomb_about_centre(const contact_patch&, const twist<double>&,
                                             double relative_tolerance);

struct limit_surface {
  struct point {
    double longitude, latitude;  // of the twist (v_x, v_y, arm omega) [rad]
    wrench<double> value;
  };
  double arm = 0;  // torque of spinning about the centre of pressure                          [m]
  int around = 0, up = 0;
  std::vector<point> points;  // [i + around*j]: longitudes from 0, latitudes from pole to pole
  double error = 0;           // estimate of the quadrature
};
// Told the share of the work that is done; where it answers false, what is there is given back.
using go_on = std::function<bool(double)>;
limit_surface sample_limit_surface(const contact_patch&, int around, int up,
                                   double relative_tolerance = 1e-8, const go_on& = {});

// How far the ellipsoid with the same extreme force and torque, or with `a_R` in place of the
// torque, is from the surface: the greatest |gauge - 1| on it, searched for from the worst of the
// points.
struct ellipsoid_error {
  double worst = 0;
  limit_surface::point at{};
};
ellipsoid_error compare_with_ellipsoid(const contact_patch&, const limit_surface&, double a_R = 0,
                                       double relative_tolerance = 1e-8, const go_on& = {});

}  // namespace asperity
