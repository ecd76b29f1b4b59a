// SPDX-License-Identifier: Apache-2.0
#pragma once

// The limit surface of a contact patch beside the ellipsoids that stand for it.

#include <asperity/draw/figure.hpp>
#include <asperity/patch/limit_surface.hpp>
#include <atomic>

namespace asperity {

struct limit_surface_options {
  int around = 48, up = 25;  // directions of the twist: round the equator, from pole to pole
  double tolerance = 1e-8;   // of the quadrature, relative to mu f_n
  // Also judge the ellipsoid whose torque is `a` mu f_n times the reach of the patch; 0: none.
  double a = 0;
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(double fraction)> progress = {};
};

struct limit_surface_study {
  limit_surface surface;
  ellipsoid_error best;   // of the ellipsoid with the same extreme force and torque
  ellipsoid_error asked;  // of the one with `a`, or `best` again
  double asked_arm = 0;   // torque of that one for mu f_n = 1 [m]
};

// Throws asperity::interruption.
limit_surface_study study_limit_surface(const contact_patch&, const limit_surface_options& = {});

// The surface, with the ellipsoid that was asked for inside or around it.
figure figure_of(const limit_surface_study&, const contact_patch&);

}  // namespace asperity
