// SPDX-License-Identifier: Apache-2.0
#pragma once

// A region of the plane whose rim is made of straight edges and arcs of ellipses, with a bilinear
// pressure p, and Coulomb friction of it.
//
// About the centre of rotation c, r = (x, y) - c, s = |r|, the direction r/s depends on the angle
// alone. What is homogeneous of degree k in r integrates along rays, and the rim remains:
//
//   int f dA = 1/(k + 2) int f (r x dr)     along the rim, the region on its left
//
// Taken of r p/s and s p, part by part of p: on an edge r = d n + u t, r x dr = d du, and all that
// is left are the integrals of u^n/s, which are elementary. Nothing is singular, wherever c lies.

#include <array>
#include <asperity/planar.hpp>
#include <vector>

namespace asperity {

namespace quadrature {
template <std::size_t N>
struct sum_and_error;
}

struct planar_point {
  double x = 0, y = 0;
};

// Where the velocity is zero; anything for a twist without spin.
inline planar_point centre_of_rotation(const twist<double>& t) {
  return t[2] == 0 ? planar_point{} : planar_point{-t[1] / t[2], t[0] / t[2]};
}

// p + p_x x + p_y y + p_xy x y
struct bilinear_pressure {
  double p = 1, p_x = 0, p_y = 0, p_xy = 0;

  double operator()(double x, double y) const { return p + p_x * x + (p_y + p_xy * x) * y; }
  bilinear_pressure about(planar_point at) const {  // in coordinates from there
    return {(*this)(at.x, at.y), p_x + p_xy * at.y, p_y + p_xy * at.x, p_xy};
  }
};

// From one point straight to another or, where a > 0, along (a cos, b sin) between two angles.
struct rim_piece {
  planar_point from, to;
  double a = 0, b = 0, angle_from = 0, angle_to = 0;

  bool is_arc() const { return a > 0; }
};

// Pieces that end where they began, counter-clockwise; clockwise around a hole.
using rim_loop = std::vector<rim_piece>;

rim_loop polygon_loop(std::vector<planar_point> corners, bool is_hole);
rim_loop ellipse_loop(double a, double b, bool is_hole);
double area_within(const rim_loop&);
// What of a loop lies between two lines x = lowest and x = highest, or y if not along x.
rim_loop strip_of(const rim_loop&, bool along_x, double lowest, double highest);

struct planar_region {
  planar_point centre;
  double radius = 0;           // of a circle about the centre that holds it
  bilinear_pressure pressure;  // of x and y from the centre; Hertz: unused
  bool is_hertz = false;       // p = sqrt(1 - (x/a)^2 - (y/b)^2) on the one ellipse of the rim
  rim_loop rim;                // of one or more loops; empty: a box
  planar_point half_box;       // half its width and height

  // Load, its first moments, and the second polar one, all about the origin.
  struct moments {
    std::array<double, 4> value;
    double error;  // of the load, by rounding
  };
  moments load() const;

  struct integral {
    wrench<double> value;
    double error = 0;  // estimate, of the greatest component with the torque over `reach`
  };
  // Of direction of motion x pressure; the tolerance is relative to the load of the whole patch.
  integral coulomb(const twist<double>&, double relative_tolerance, double whole_load,
                   double reach) const;

 private:
  integral near_centre_of_rotation(const twist<double>&, double tolerance, double reach) const;
  integral far_from_centre_of_rotation(const twist<double>&, double relative_tolerance) const;
  template <std::size_t N, class F>
  quadrature::sum_and_error<N> smooth(const F&, const planar_point* singular,
                                      double accuracy) const;
};

}  // namespace asperity
