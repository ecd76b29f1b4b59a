// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a body touches the surface, and how its weight is spread there: a shape with a pressure
// field, normalised so that the whole load is 1. Friction laws scale it by mu f_n.
//
// Shapes: disc, ring, ellipse, rectangle, polygon with holes, line, and a grid of small rectangles.
// Pressures: uniform, Hertz (on disc, ellipse and line), linear, and a table on a regular grid.

#include <array>
#include <asperity/planar/planar.hpp>
#include <functional>
#include <string>
#include <vector>

namespace asperity {

struct planar_point {
  double x = 0, y = 0;
};

// Numbers on a regular grid; the value [i + columns*j] belongs to (x_0 + i dx, y_0 + j dy).
struct planar_table {
  double x_0 = 0, y_0 = 0, dx = 1, dy = 1;
  int columns = 0, rows = 0;
  std::vector<double> values;

  // From lists of points in any order; points of the grid that are not listed count as 0. Throws
  // asperity::error where the points lie on no regular grid.
  static planar_table from_points(const std::vector<double>& x, const std::vector<double>& y,
                                  const std::vector<double>& value);
  double bilinear(double x, double y) const;  // 0 outside
};

struct pressure_field {
  enum class kind { uniform, hertz, linear, table } is = kind::uniform;
  double gradient_x = 0, gradient_y = 0;  // linear: p ~ 1 + gradient_x x + gradient_y y       [1/m]
  planar_table table;                     // p ~ its bilinear interpolation
};

// Cells that share the load: what distributed laws are made of.
struct patch_cells {
  std::vector<double> x, y, share;  // centre of the load in the cell [m]; shares sum to 1
  double width = 0, height = 0;     // of a cell [m]
};

class contact_patch {
 public:
  using polygon = std::vector<planar_point>;

  // All throw asperity::error that names what is wrong, its value and what is allowed.
  static contact_patch disc(double R, const pressure_field& = {});
  static contact_patch ring(double R_inner, double R, const pressure_field& = {});
  static contact_patch ellipse(double a, double b, const pressure_field& = {});
  static contact_patch rectangle(double width, double height, const pressure_field& = {});
  static contact_patch with_holes(const polygon& outline, const std::vector<polygon>& holes = {},
                                  const pressure_field& = {});
  // From -length/2 to length/2 along the direction `angle`.
  static contact_patch line(double length, double angle = 0, const pressure_field& = {});
  // Small rectangles around the points of a grid, each with a pressure of its own.
  static contact_patch grid(const planar_table& pressure);

  // Load per area [1/m^2] (per length [1/m] on a line); 0 outside.
  double density(double x, double y) const;
  double area() const { return area_; }            // [m^2]; [m] of a line
  planar_point centre() const { return centre_; }  // of pressure
  double gyration() const { return gyration_; }    // root mean square distance from it [m]
  double reach() const { return reach_; }          // greatest distance from (0, 0) [m]
  bool is_axisymmetric() const { return axisymmetric_; }
  bool is_uniform_disc() const { return uniform_disc_; }
  const std::string& description() const { return description_; }

  // Those of an n x n grid over the patch that carry load; n along a line.
  patch_cells cells(int n) const;

  struct integral {
    wrench<double> value;  // for mu f_n = 1
    double error = 0;      // estimate, of the greatest component with the torque over reach()
  };
  // The integral of direction x pressure, R(3.2) and R(3.3).
  integral coulomb(const twist<double>&, double relative_tolerance) const;

 private:
  enum class kind { ellipse, ring, polygon, line, grid } is_ = kind::ellipse;
  double a_ = 0, b_ = 0;  // ellipse; ring: inner and outer radius; line: half length, angle
  std::vector<polygon> loops_;
  planar_table grid_;
  pressure_field pressure_;
  double scale_ = 1;  // density = scale x pressure
  double area_ = 0, gyration_ = 0, reach_ = 0;
  planar_point centre_, lowest_, highest_;
  bool axisymmetric_ = false, uniform_disc_ = false;
  std::string description_;

  void complete();
  double pressure(double x, double y) const;
  struct chord {
    double from, to;
  };
  // Where the pressure is one smooth function: the whole shape, or what lies in one cell of a table
  // of pressures. Integrals are taken region by region.
  struct region {
    planar_point lowest, highest;  // infinite for the whole shape
    planar_point centre;
    double radius;                      // of a circle about the centre that holds it
    bool is_box;                        // no rim of the shape passes through
    std::vector<planar_point> corners;  // where chords change their kind
  };
  std::vector<region> regions_;
  region whole_shape() const;
  void split_by_table();
  enum class overlap { none, part, all };
  overlap overlap_with(planar_point lowest, planar_point highest) const;
  void chords(planar_point origin, planar_point along, std::vector<chord>& out) const;
  void chords(const region&, planar_point origin, planar_point along,
              std::vector<chord>& out) const;
  std::vector<double> angles_to_split(const region&, planar_point centre) const;
  std::vector<double> offsets_to_split(const region&, planar_point across) const;
  std::vector<double> line_ends() const;
  integral near_centre_of_rotation(const region&, const twist<double>&, double tolerance) const;
  integral far_from_centre_of_rotation(const region&, const twist<double>&, double tolerance) const;
  integral over_line(const twist<double>&, double tolerance) const;
  integral over_grid(const twist<double>&) const;
  // Integral over a region of a smooth vector times the pressure, by chords along `along`.
  struct moments {
    std::array<double, 4> value{};
    double error = 0;
  };
  using integrand = std::function<std::array<double, 4>(double x, double y)>;
  moments integrate(const region&, planar_point along, const integrand&, double tolerance) const;
  moments integrate_line(const integrand&, double tolerance) const;
};

}  // namespace asperity
