// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a body touches the surface, and how its weight is spread there: a shape with a pressure
// field, normalised so that the whole load is 1. Friction laws scale it by mu f_n.
//
// Shapes: disc, ring, ellipse, rectangle, polygon with holes, line, and a grid of small rectangles.
// Pressures: uniform, Hertz (on disc, ellipse and line), linear, and a table on a regular grid.

#include <asperity/patch/planar_region.hpp>
#include <functional>
#include <string>
#include <vector>

namespace asperity {

// Numbers on a regular grid; the value [i + columns*j] belongs to (x_0 + i dx, y_0 + j dy).
struct planar_table {
  double x_0 = 0, y_0 = 0, dx = 1, dy = 1;
  int columns = 0, rows = 0;
  std::vector<double> values;

  // From lists of points in any order; points of the grid that are not listed count as 0. Where
  // they are no grid of pressures, `complain` is told the column and the point that is wrong; it
  // throws what it likes to, by default asperity::error.
  using complaint =
      std::function<void(const char* column, std::size_t point, const std::string& message)>;
  static planar_table from_points(const std::vector<double>& x, const std::vector<double>& y,
                                  const std::vector<double>& value, const complaint& complain = {});
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
  // Root mean square distance from (0, 0) of an even plate with this outline, whatever the pressure
  // [m]: its inertia over its mass is the square.
  double plate_gyration() const;
  bool is_line() const { return is_ == kind::line; }
  bool is_axisymmetric() const { return axisymmetric_; }
  const std::string& description() const { return description_; }

  // Those of an n x n grid over the patch that carry load; n along a line.
  patch_cells cells(int n) const;

  // For mu f_n = 1; the error of the greatest component with the torque over reach().
  using integral = planar_region::integral;
  // The integral of direction x pressure, R(3.2) and R(3.3).
  integral coulomb(const twist<double>&, double relative_tolerance) const;

 private:
  enum class kind { ellipse, ring, polygon, line, grid } is_ = kind::ellipse;
  double a_ = 0, b_ = 0;  // ellipse; ring: inner and outer radius; line: half length, angle
  std::vector<polygon> loops_;
  planar_table grid_;
  pressure_field pressure_;
  double scale_ = 1;        // density = scale x pressure
  double scale_error_ = 0;  // relative, by rounding
  double area_ = 0, gyration_ = 0, reach_ = 0;
  planar_point centre_, lowest_, highest_;
  bool axisymmetric_ = false;
  std::string description_;

  void complete();
  double pressure(double x, double y) const;
  // Where the pressure is one smooth function: the whole shape, or what lies in one cell of a table
  // or a grid of pressures.
  std::vector<planar_region> regions_;
  std::vector<rim_loop> rim() const;
  planar_region whole_shape() const;
  bilinear_pressure pressure_about_origin() const;
  std::vector<planar_region> boxes(planar_point lowest, double dx, double dy, int columns, int rows,
                                   const std::function<bilinear_pressure(int, int)>&) const;
  std::vector<planar_region> cells_of_table() const;
  std::vector<planar_region> cells_of_grid() const;
  std::vector<double> line_ends() const;
  integral over_line(const twist<double>&, double tolerance) const;
  template <std::size_t N, class F>
  quadrature::sum_and_error<N> along_line(const F&, const planar_point* c, double tolerance) const;
};

}  // namespace asperity
