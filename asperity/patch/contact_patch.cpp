// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/patch/contact_patch.hpp>
#include <asperity/patch/quadrature.hpp>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>

namespace asperity {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double cross(planar_point a, planar_point b) { return a.x * b.y - a.y * b.x; }

double checked(const char* what, double value) {
  if (!(value > 0) || !std::isfinite(value))
    throw error(fmt::format("{} = {} m: it must be above 0", what, value));
  return value;
}

bool inside(const std::vector<contact_patch::polygon>& loops, double x, double y) {
  bool in = false;  // by the number of edges that a ray crosses
  for (const auto& loop : loops)
    for (std::size_t i = 0, j = loop.size() - 1; i < loop.size(); j = i++)
      if ((loop[i].y > y) != (loop[j].y > y) &&
          x < (loop[j].x - loop[i].x) * (y - loop[i].y) / (loop[j].y - loop[i].y) + loop[i].x)
        in = !in;
  return in;
}

// No two edges may cross, and no hole may lie in another.
void check_edges(const std::vector<contact_patch::polygon>& loops) {
  struct edge {
    planar_point from, to;
  };
  std::vector<edge> edges;
  for (const auto& loop : loops)
    for (std::size_t i = 0; i < loop.size(); ++i)
      edges.push_back({loop[i], loop[(i + 1) % loop.size()]});
  const auto side = [](const edge& e, planar_point p) {
    return cross({e.to.x - e.from.x, e.to.y - e.from.y}, {p.x - e.from.x, p.y - e.from.y});
  };
  const auto parts = [&](const edge& e, const edge& f) {
    return side(e, f.from) * side(e, f.to) < 0;  // f has one end on either side of e
  };
  // On one line, in the same direction, and not only with their ends. (To and fro along a cut to a
  // hole is allowed.)
  const auto doubles = [&](const edge& e, const edge& f) {
    const planar_point way{e.to.x - e.from.x, e.to.y - e.from.y};
    const auto along = [&](planar_point p) {
      return way.x * (p.x - e.from.x) + way.y * (p.y - e.from.y);
    };
    const double first = along(f.from), last = along(f.to);
    return side(e, f.from) == 0 && side(e, f.to) == 0 && first < last && last > 0 &&
           first < along(e.to);
  };
  for (std::size_t i = 0; i < edges.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const auto &e = edges[i], &f = edges[k];
      if (parts(e, f) && parts(f, e))
        throw error(
            fmt::format("the edge from ({:g}, {:g}) to ({:g}, {:g}) crosses the edge from "
                        "({:g}, {:g}) to ({:g}, {:g}): edges may not cross",
                        f.from.x, f.from.y, f.to.x, f.to.y, e.from.x, e.from.y, e.to.x, e.to.y));
      if (doubles(e, f))
        throw error(fmt::format(
            "the edge from ({:g}, {:g}) to ({:g}, {:g}) lies on the edge from ({:g}, {:g}) to "
            "({:g}, {:g}): an outline may not go the same way twice",
            e.from.x, e.from.y, e.to.x, e.to.y, f.from.x, f.from.y, f.to.x, f.to.y));
    }
  for (std::size_t i = 1; i < loops.size(); ++i)
    for (std::size_t k = 1; k < loops.size(); ++k)
      if (i != k && inside({loops[k]}, loops[i].front().x, loops[i].front().y))
        throw error(fmt::format("the hole from ({:g}, {:g}) on lies in another hole",
                                loops[i].front().x, loops[i].front().y));
}

// Tells of a point that is wrong; does not return.
using failure = std::function<void(const char* column, std::size_t point, const std::string&)>;

// Step of coordinates, each of which must be a multiple of it away from the least.
double regular_step(const std::vector<double>& given, const char* name, const failure& fail) {
  std::vector<double> all = given;
  std::sort(all.begin(), all.end());
  const double width = all.back() - all.front();
  double step = width;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i] - all[i - 1] > 1e-6 * width) step = std::min(step, all[i] - all[i - 1]);
  if (!(step > 0))
    fail(name, 0,
         fmt::format("all values are {}: a grid needs at least two different values", all.front()));
  for (std::size_t i = 0; i < given.size(); ++i) {
    const double index = (given[i] - all.front()) / step;
    if (std::abs(index - std::round(index)) > 0.01)
      fail(name, i,
           fmt::format("it is not on the regular grid from {} in steps of {}, the smallest step",
                       all.front(), step));
  }
  return step;
}

}  // namespace

// ---- tables -------------------------------------------------------------------------------------

planar_table planar_table::from_points(const std::vector<double>& x, const std::vector<double>& y,
                                       const std::vector<double>& value,
                                       const complaint& complain) {
  const failure fail = [&](const std::string& column, std::size_t point, const std::string& text) {
    if (complain) complain(column.c_str(), point, text);
    const double wrong = (column == "x" ? x : column == "y" ? y : value)[point];
    throw error(fmt::format("point {}: {} = {}: {}", point + 1, column, wrong, text));
  };
  if (x.empty()) throw error("a grid needs at least two points along x and along y");
  planar_table table;
  table.dx = regular_step(x, "x", fail);
  table.dy = regular_step(y, "y", fail);
  table.x_0 = *std::min_element(x.begin(), x.end());
  table.y_0 = *std::min_element(y.begin(), y.end());
  const auto index = [](double at, double from, double step) {
    return static_cast<int>(std::lround((at - from) / step));
  };
  table.columns = index(*std::max_element(x.begin(), x.end()), table.x_0, table.dx) + 1;
  table.rows = index(*std::max_element(y.begin(), y.end()), table.y_0, table.dy) + 1;
  constexpr double most = 1e7;
  if (static_cast<double>(table.columns) * table.rows > most)
    fail("x", 0,
         fmt::format("the grid has {} x {} points, in steps of {} and {}: at most {:g} are allowed",
                     table.columns, table.rows, table.dx, table.dy, most));
  table.values.assign(
      static_cast<std::size_t>(table.columns) * static_cast<std::size_t>(table.rows), 0.0);
  std::vector<std::size_t> given_by(table.values.size(), x.size());  // which point, if any
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(value[i] >= 0)) fail("pressure", i, "it must be at least 0");
    const int column = index(x[i], table.x_0, table.dx), row = index(y[i], table.y_0, table.dy);
    const auto place = static_cast<std::size_t>(column + table.columns * row);
    if (given_by[place] < i)
      fail("x", i,
           fmt::format("the point ({}, {}) appears twice, first as point {}", x[i], y[i],
                       given_by[place] + 1));
    given_by[place] = i;
    table.values[place] = value[i];
  }
  if (*std::max_element(value.begin(), value.end()) == 0)
    fail("pressure", 0, "all values are 0: at least one must be above 0");
  return table;
}

double planar_table::bilinear(double x, double y) const {
  const double u = (x - x_0) / dx, v = (y - y_0) / dy;
  constexpr double slack = 1e-9;  // a point of the edge may be computed as one outside
  if (!(u >= -slack && v >= -slack && u <= columns - 1 + slack && v <= rows - 1 + slack)) return 0;
  const int i = std::min(static_cast<int>(u), columns - 2),
            j = std::min(static_cast<int>(v), rows - 2);
  const double p = u - i, q = v - j;
  const auto at = [&](int column, int row) {
    return values[static_cast<std::size_t>(column + columns * row)];
  };
  return (1 - q) * ((1 - p) * at(i, j) + p * at(i + 1, j)) +
         q * ((1 - p) * at(i, j + 1) + p * at(i + 1, j + 1));
}

// ---- making patches -----------------------------------------------------------------------------

contact_patch contact_patch::disc(double R, const pressure_field& pressure) {
  contact_patch patch = ellipse(checked("radius", R), R, pressure);
  patch.description_ = fmt::format("disc of radius {:g} m", R);
  return patch;
}

contact_patch contact_patch::ellipse(double a, double b, const pressure_field& pressure) {
  contact_patch patch;
  patch.is_ = kind::ellipse;
  patch.a_ = checked("semi-axis a", a);
  patch.b_ = checked("semi-axis b", b);
  patch.pressure_ = pressure;
  patch.lowest_ = {-a, -b};
  patch.highest_ = {a, b};
  patch.description_ = fmt::format("ellipse of semi-axes {:g} m and {:g} m", a, b);
  patch.complete();
  return patch;
}

contact_patch contact_patch::ring(double R_inner, double R, const pressure_field& pressure) {
  contact_patch patch;
  patch.is_ = kind::ring;
  patch.a_ = checked("inner radius", R_inner);
  patch.b_ = checked("radius", R);
  if (!(R_inner < R))
    throw error(fmt::format("inner radius = {} m: it must be below the radius, {} m", R_inner, R));
  patch.pressure_ = pressure;
  patch.lowest_ = {-R, -R};
  patch.highest_ = {R, R};
  patch.description_ = fmt::format("ring from radius {:g} m to {:g} m", R_inner, R);
  patch.complete();
  return patch;
}

contact_patch contact_patch::rectangle(double width, double height,
                                       const pressure_field& pressure) {
  const double x = 0.5 * checked("width", width), y = 0.5 * checked("height", height);
  contact_patch patch = with_holes({{-x, -y}, {x, -y}, {x, y}, {-x, y}}, {}, pressure);
  patch.description_ = fmt::format("rectangle of {:g} m x {:g} m", width, height);
  return patch;
}

contact_patch contact_patch::with_holes(const polygon& outline, const std::vector<polygon>& holes,
                                        const pressure_field& pressure) {
  contact_patch patch;
  patch.is_ = kind::polygon;
  patch.loops_.push_back(outline);
  patch.loops_.insert(patch.loops_.end(), holes.begin(), holes.end());
  for (const auto& loop : patch.loops_) {
    if (loop.size() < 3)
      throw error(fmt::format("the polygon has {} points, but it needs at least 3", loop.size()));
    for (const auto& point : loop)
      if (!std::isfinite(point.x) || !std::isfinite(point.y))
        throw error(fmt::format("polygon point ({}, {}): it must be finite", point.x, point.y));
    if (!(area_within(polygon_loop(loop, false)) > 0)) throw error("the polygon has no area");
  }
  for (const auto& hole : holes)
    for (const auto& point : hole)
      if (!inside({outline}, point.x, point.y))
        throw error(
            fmt::format("point ({:g}, {:g}) of a hole lies outside the outline", point.x, point.y));
  check_edges(patch.loops_);
  patch.lowest_ = patch.highest_ = outline.front();
  for (const auto& point : outline) {
    patch.lowest_ = {std::min(patch.lowest_.x, point.x), std::min(patch.lowest_.y, point.y)};
    patch.highest_ = {std::max(patch.highest_.x, point.x), std::max(patch.highest_.y, point.y)};
  }
  patch.pressure_ = pressure;
  patch.description_ =
      fmt::format("polygon of {} points with {} holes", outline.size(), holes.size());
  patch.complete();
  return patch;
}

contact_patch contact_patch::line(double length, double angle, const pressure_field& pressure) {
  contact_patch patch;
  patch.is_ = kind::line;
  patch.a_ = 0.5 * checked("length", length);
  patch.b_ = angle;
  patch.pressure_ = pressure;
  const double x = std::abs(patch.a_ * std::cos(angle)), y = std::abs(patch.a_ * std::sin(angle));
  patch.lowest_ = {-x, -y};
  patch.highest_ = {x, y};
  patch.description_ = fmt::format("line of length {:g} m", length);
  patch.complete();
  return patch;
}

contact_patch contact_patch::grid(const planar_table& pressure) {
  contact_patch patch;
  patch.is_ = kind::grid;
  patch.grid_ = pressure;
  const double dx = 0.5 * pressure.dx, dy = 0.5 * pressure.dy;
  patch.lowest_ = {pressure.x_0 - dx, pressure.y_0 - dy};
  patch.highest_ = {pressure.x_0 + (2 * pressure.columns - 1) * dx,
                    pressure.y_0 + (2 * pressure.rows - 1) * dy};
  patch.description_ = fmt::format("grid of {} x {} cells", pressure.columns, pressure.rows);
  patch.complete();
  return patch;
}

void contact_patch::complete() {
  using p = pressure_field::kind;
  const bool round = is_ == kind::ellipse || is_ == kind::line;
  if (pressure_.is == p::hertz && !round)
    throw error("pressure 'hertz' belongs to a disc, an ellipse or a line");
  axisymmetric_ = (is_ == kind::ring || (is_ == kind::ellipse && a_ == b_)) &&
                  (pressure_.is == p::uniform || pressure_.is == p::hertz);
  for (const double x : {lowest_.x, highest_.x})
    for (const double y : {lowest_.y, highest_.y}) reach_ = std::max(reach_, std::hypot(x, y));
  if (is_ == kind::polygon) {
    reach_ = 0;
    for (const auto& point : loops_.front())
      reach_ = std::max(reach_, std::hypot(point.x, point.y));
  }
  if (is_ == kind::ellipse) reach_ = std::max(a_, b_);
  if (is_ == kind::ring) reach_ = b_;
  if (is_ == kind::line) reach_ = a_;

  if (pressure_.is == p::linear) {
    // The pressure is least at a corner of the box, or on the ellipse where its gradient is normal.
    const double slope_x = pressure_.gradient_x, slope_y = pressure_.gradient_y;
    double lowest = 1;
    if (is_ == kind::ellipse) lowest = 1 - std::hypot(slope_x * a_, slope_y * b_);
    if (is_ == kind::ring) lowest = 1 - b_ * std::hypot(slope_x, slope_y);
    if (is_ == kind::line)
      lowest = 1 - a_ * std::abs(slope_x * std::cos(b_) + slope_y * std::sin(b_));
    for (const auto& loop : loops_)
      for (const auto& point : loop)
        lowest = std::min(lowest, 1 + slope_x * point.x + slope_y * point.y);
    if (lowest < 0)
      throw error(
          fmt::format("linear pressure falls to {:g} of its value at the origin: it must be "
                      "at least 0 everywhere",
                      lowest));
  }

  // Load, first and second moments.
  std::array<double, 4> sums{};
  if (is_ == kind::line) {
    area_ = 2 * a_;
    const auto powers = [](double x, double y) { return std::array{1.0, x, y, x * x + y * y}; };
    const auto sum = along_line<4>(powers, nullptr, 1e-14 * reach_);
    sums = sum.value;
    scale_error_ = sum.error;
  } else {
    if (is_ == kind::grid) {
      regions_ = cells_of_grid();
      area_ = grid_.dx * grid_.dy * static_cast<double>(regions_.size());
    } else {
      for (const auto& loop : rim()) area_ += area_within(loop);
      regions_ = pressure_.is == p::table ? cells_of_table() : std::vector{whole_shape()};
    }
    for (const auto& each : regions_) {
      const auto part = each.load();
      for (std::size_t i = 0; i < 4; ++i) sums[i] += part.value[i];
      scale_error_ += part.error;
    }
  }
  if (!(sums[0] > 0) && pressure_.is == p::table) {
    const planar_table& table = pressure_.table;
    throw error(fmt::format(
        "the pressure is 0 everywhere on the contact, which is within x = {:g} to {:g} m, y = {:g} "
        "to {:g} m; the table covers x = {:g} to {:g} m, y = {:g} to {:g} m",
        lowest_.x, highest_.x, lowest_.y, highest_.y, table.x_0,
        table.x_0 + (table.columns - 1) * table.dx, table.y_0,
        table.y_0 + (table.rows - 1) * table.dy));
  }
  if (!(sums[0] > 0 && sums[3] < unbounded))
    throw error(fmt::format("the pressure adds up to {}: it must be above 0 and finite", sums[0]));
  scale_ = 1 / sums[0];
  scale_error_ *= scale_;
  centre_ = {sums[1] / sums[0], sums[2] / sums[0]};
  if (axisymmetric_) centre_ = {0, 0};
  gyration_ =
      std::sqrt(std::max(0.0, sums[3] / sums[0] - centre_.x * centre_.x - centre_.y * centre_.y));
}

double contact_patch::pressure(double x, double y) const {
  switch (pressure_.is) {
    case pressure_field::kind::uniform:
      return 1;
    case pressure_field::kind::hertz: {
      const double q =
          is_ == kind::line ? (x * x + y * y) / (a_ * a_) : x * x / (a_ * a_) + y * y / (b_ * b_);
      return std::sqrt(std::max(0.0, 1 - q));
    }
    case pressure_field::kind::linear:
      return 1 + pressure_.gradient_x * x + pressure_.gradient_y * y;
    case pressure_field::kind::table:
      return pressure_.table.bilinear(x, y);
  }
  return 0;
}

double contact_patch::density(double x, double y) const {
  switch (is_) {
    case kind::ellipse:
      return x * x / (a_ * a_) + y * y / (b_ * b_) <= 1 ? scale_ * pressure(x, y) : 0;
    case kind::ring: {
      const double r = std::hypot(x, y);
      return r >= a_ && r <= b_ ? scale_ * pressure(x, y) : 0;
    }
    case kind::polygon:
      return inside(loops_, x, y) ? scale_ * pressure(x, y) : 0;
    case kind::line:
      return std::hypot(x, y) <= a_ ? scale_ * pressure(x, y) : 0;
    case kind::grid: {
      const double u = (x - grid_.x_0) / grid_.dx + 0.5, v = (y - grid_.y_0) / grid_.dy + 0.5;
      if (!(u >= 0 && v >= 0 && u < grid_.columns && v < grid_.rows)) return 0;
      return scale_ * grid_.values[static_cast<std::size_t>(static_cast<int>(u) +
                                                            grid_.columns * static_cast<int>(v))];
    }
  }
  return 0;
}

double contact_patch::plate_gyration() const {
  double square = 0;
  switch (is_) {
    case kind::ellipse:
      square = (a_ * a_ + b_ * b_) / 4;
      break;
    case kind::ring:
      square = (a_ * a_ + b_ * b_) / 2;
      break;
    case kind::line:
      square = a_ * a_ / 3;
      break;
    case kind::polygon: {
      // Triangles between the origin and each edge; holes count against the outline.
      double area = 0, second = 0;
      for (const polygon& loop : loops_) {
        double its_area = 0, its_second = 0;
        for (std::size_t i = 0; i < loop.size(); ++i) {
          const planar_point p = loop[i], q = loop[(i + 1) % loop.size()];
          const double cross = p.x * q.y - p.y * q.x;
          its_area += cross / 2;
          its_second +=
              cross / 12 * (p.x * p.x + p.x * q.x + q.x * q.x + p.y * p.y + p.y * q.y + q.y * q.y);
        }
        const double sign = (&loop == &loops_.front()) == (its_area > 0) ? 1 : -1;
        area += sign * its_area;
        second += sign * its_second;
      }
      square = second / area;
      break;
    }
    case kind::grid: {
      int count = 0;
      for (int j = 0; j < grid_.rows; ++j)
        for (int i = 0; i < grid_.columns; ++i) {
          if (!(grid_.values[static_cast<std::size_t>(i + grid_.columns * j)] > 0)) continue;
          const double x = grid_.x_0 + grid_.dx * i, y = grid_.y_0 + grid_.dy * j;
          square += x * x + y * y;
          ++count;
        }
      square = square / count + (grid_.dx * grid_.dx + grid_.dy * grid_.dy) / 12;
      break;
    }
  }
  return std::sqrt(square);
}

patch_cells contact_patch::cells(int n) const {
  if (n < 1 || n > 2000)
    throw error(fmt::format("there are {} cells along the patch: 1 to 2000 are allowed", n));
  patch_cells result;
  double total = 0;
  const auto add = [&](double load, double x_load, double y_load) {
    if (!(load > 0)) return;
    result.share.push_back(load);
    result.x.push_back(x_load / load);
    result.y.push_back(y_load / load);
    total += load;
  };
  const auto shared = [&] {
    if (result.share.empty())
      throw error(
          fmt::format("with {} cells along the patch, none of them lies on it: take more", n));
    for (double& each : result.share) each /= total;
    return result;
  };
  // Load and its centre in each cell by midpoints of a finer grid.
  const int finer = std::max(4, 400 / n);
  if (is_ == kind::line) {
    result.width = result.height = 2 * a_ / n;
    for (int i = 0; i < n; ++i) {
      double load = 0, first = 0;
      for (int k = 0; k < finer; ++k) {
        const double s = a_ * (2 * (i + (k + 0.5) / finer) / n - 1);
        const double p = pressure(s * std::cos(b_), s * std::sin(b_));
        load += p;
        first += p * s;
      }
      add(load, first * std::cos(b_), first * std::sin(b_));
    }
  } else {
    const double width = (highest_.x - lowest_.x) / n, height = (highest_.y - lowest_.y) / n;
    result.width = width;
    result.height = height;
    if (is_ != kind::grid && (pressure_.is == pressure_field::kind::uniform ||
                              pressure_.is == pressure_field::kind::linear)) {
      // Exactly: shapes may be far thinner than their cells.
      const bilinear_pressure p = pressure_about_origin();
      const auto of_box = [&](int i, int j) {
        return p.about({lowest_.x + width * (i + 0.5), lowest_.y + height * (j + 0.5)});
      };
      for (const auto& cell : boxes(lowest_, width, height, n, n, of_box)) {
        const auto load = cell.load().value;
        add(load[0], load[1], load[2]);
      }
      return shared();
    }
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        double load = 0, x_load = 0, y_load = 0;
        for (int l = 0; l < finer; ++l)
          for (int k = 0; k < finer; ++k) {
            const double x = lowest_.x + width * (i + (k + 0.5) / finer);
            const double y = lowest_.y + height * (j + (l + 0.5) / finer);
            const double p = density(x, y);
            load += p;
            x_load += p * x;
            y_load += p * y;
          }
        add(load, x_load, y_load);
      }
  }
  return shared();
}

// ---- regions ------------------------------------------------------------------------------------

namespace {

// A table of pressures between four of its points: bilinear, seen from the middle.
bilinear_pressure between_points(const planar_table& table, int i, int j) {
  const auto at = [&](int column, int row) {
    return table.values[static_cast<std::size_t>(column + table.columns * row)];
  };
  const double p_00 = at(i, j), p_10 = at(i + 1, j), p_01 = at(i, j + 1), p_11 = at(i + 1, j + 1);
  return {0.25 * (p_00 + p_10 + p_01 + p_11), 0.5 * (p_10 + p_11 - p_00 - p_01) / table.dx,
          0.5 * (p_01 + p_11 - p_00 - p_10) / table.dy,
          (p_00 + p_11 - p_10 - p_01) / (table.dx * table.dy)};
}

planar_region box(planar_point centre, double width, double height, const bilinear_pressure& p) {
  planar_region cell;
  cell.centre = centre;
  cell.radius = 0.5 * std::hypot(width, height);
  cell.pressure = p;
  cell.half_box = {0.5 * width, 0.5 * height};
  return cell;
}

}  // namespace

std::vector<rim_loop> contact_patch::rim() const {
  std::vector<rim_loop> rim;
  if (is_ == kind::ellipse) rim.push_back(ellipse_loop(a_, b_, false));
  if (is_ == kind::ring) {
    rim.push_back(ellipse_loop(b_, b_, false));
    rim.push_back(ellipse_loop(a_, a_, true));
  }
  for (std::size_t i = 0; i < loops_.size(); ++i) rim.push_back(polygon_loop(loops_[i], i > 0));
  return rim;
}

planar_region contact_patch::whole_shape() const {
  planar_region all;
  all.centre = {0.5 * (lowest_.x + highest_.x), 0.5 * (lowest_.y + highest_.y)};
  for (const auto& loop : rim()) all.rim.insert(all.rim.end(), loop.begin(), loop.end());
  all.radius = is_ == kind::polygon ? 0 : reach_;
  for (const auto& loop : loops_)
    for (const auto& point : loop)
      all.radius = std::max(all.radius, std::hypot(point.x - all.centre.x, point.y - all.centre.y));
  all.is_hertz = pressure_.is == pressure_field::kind::hertz;
  all.pressure = pressure_about_origin().about(all.centre);
  return all;
}

// Of a uniform or linear pressure.
bilinear_pressure contact_patch::pressure_about_origin() const {
  if (pressure_.is != pressure_field::kind::linear) return {};
  return {1, pressure_.gradient_x, pressure_.gradient_y, 0};
}

// What of the shape lies in the boxes of a regular grid from `lowest` on, each with a pressure of
// its own. Boxes without any are left out.
std::vector<planar_region> contact_patch::boxes(
    planar_point lowest, double dx, double dy, int columns, int rows,
    const std::function<bilinear_pressure(int, int)>& pressure) const {
  const auto loops = rim();
  const double whole = dx * dy;
  std::vector<planar_region> all;
  for (int i = 0; i < columns; ++i) {
    const double x = lowest.x + i * dx;
    std::vector<rim_loop> strip;
    strip.reserve(loops.size());
    for (const auto& loop : loops) strip.push_back(strip_of(loop, true, x, x + dx));
    for (int j = 0; j < rows; ++j) {
      const double y = lowest.y + j * dy;
      planar_region cell = box({x + 0.5 * dx, y + 0.5 * dy}, dx, dy, pressure(i, j));
      if (cell.pressure.p == 0) continue;
      double area = 0;
      for (const auto& loop : strip) {
        const auto within = strip_of(loop, false, y, y + dy);
        area += area_within(within);
        cell.rim.insert(cell.rim.end(), within.begin(), within.end());
      }
      if (area < 1e-15 * whole) continue;
      if (area > (1 - 1e-13) * whole) cell.rim.clear();  // the rim passes by
      all.push_back(std::move(cell));
    }
  }
  return all;
}

// At the lines of the table the pressure has kinks, at its edge it jumps to 0.
std::vector<planar_region> contact_patch::cells_of_table() const {
  const planar_table& table = pressure_.table;
  return boxes({table.x_0, table.y_0}, table.dx, table.dy, table.columns - 1, table.rows - 1,
               [&](int i, int j) { return between_points(table, i, j); });
}

std::vector<planar_region> contact_patch::cells_of_grid() const {
  std::vector<planar_region> cells;
  for (int j = 0; j < grid_.rows; ++j)
    for (int i = 0; i < grid_.columns; ++i) {
      const double p = grid_.values[static_cast<std::size_t>(i + grid_.columns * j)];
      if (p > 0)
        cells.push_back(box({grid_.x_0 + i * grid_.dx, grid_.y_0 + j * grid_.dy}, grid_.dx,
                            grid_.dy, {p, 0, 0, 0}));
    }
  return cells;
}

// The ends of a line and where it crosses the lines of its table.
std::vector<double> contact_patch::line_ends() const {
  std::vector<double> ends{-a_, a_};
  if (pressure_.is == pressure_field::kind::table) {
    const planar_table& table = pressure_.table;
    const auto cross_all = [&](double first, double step, int count, double slope) {
      for (int i = 0; i < count; ++i) {
        const double s = (first + i * step) / slope;
        if (std::abs(s) < a_) ends.push_back(s);
      }
    };
    cross_all(table.x_0, table.dx, table.columns, std::cos(b_));
    cross_all(table.y_0, table.dy, table.rows, std::sin(b_));
  }
  return ends;
}

// ---- integrals ----------------------------------------------------------------------------------

contact_patch::integral contact_patch::coulomb(const twist<double>& given,
                                               double relative_tolerance) const {
  for (int k = 0; k < 3; ++k)
    if (!std::isfinite(given[k])) return {{{nan, nan, nan}}, nan};
  const double size =
      std::max({std::abs(given[0]), std::abs(given[1]), std::abs(given[2]) * reach_});
  if (size == 0) return {};
  // Only the direction counts: a power of 2 keeps squares within range and digits as they are.
  twist<double> t;
  for (int k = 0; k < 3; ++k) t[k] = std::ldexp(given[k], -std::ilogb(size));
  if (is_ == kind::line) return over_line(t, relative_tolerance);
  integral result;
  for (const auto& each : regions_) {
    const auto part = each.coulomb(t, relative_tolerance, 1 / scale_, reach_);
    result.value = result.value + scale_ * part.value;
    result.error += scale_ * part.error;
  }
  result.error += scale_error_;
  return result;
}

// Sum of f(x, y) p over a line. Where c is given, f has a singularity there.
template <std::size_t N, class F>
quadrature::sum_and_error<N> contact_patch::along_line(const F& f, const planar_point* c,
                                                       double tolerance) const {
  // Along a line under the pressure of Hertz an angle makes its root smooth.
  const bool is_hertz = pressure_.is == pressure_field::kind::hertz;
  const planar_point along{std::cos(b_), std::sin(b_)};
  std::vector<std::complex<double>> singular;
  if (c != nullptr) {
    const std::complex<double> at(c->x * along.x + c->y * along.y, std::abs(cross(along, *c)));
    singular.push_back(is_hertz ? std::asin(at / a_) : at);
  }
  const auto at = [&](double angle_or_s) {
    const double s = is_hertz ? a_ * std::sin(angle_or_s) : angle_or_s;
    const double x = s * along.x, y = s * along.y;
    const double p = is_hertz ? a_ * std::pow(std::cos(angle_or_s), 2) : pressure(x, y);
    auto value = f(x, y);
    for (double& each : value) each *= p;
    return value;
  };
  constexpr double least_width = 1e-14;  // a direction that turns over counts as much as its width
  if (is_hertz) return quadrature::graded<N>(at, -pi / 2, pi / 2, singular, tolerance, least_width);
  auto ends = line_ends();
  std::sort(ends.begin(), ends.end());
  quadrature::sum_and_error<N> result;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i)
    result += quadrature::graded<N>(at, ends[i], ends[i + 1], singular, tolerance, least_width);
  return result;
}

contact_patch::integral contact_patch::over_line(const twist<double>& t, double tolerance) const {
  const planar_point c = centre_of_rotation(t);
  const auto sum = along_line<3>(
      [&](double x, double y) {
        const auto v = velocity_at<double>(t, x, y);
        const double length = std::sqrt(v[0] * v[0] + v[1] * v[1]);
        const double inverse = length > 0 ? 1 / length : 0;
        return std::array{v[0] * inverse, v[1] * inverse, (x * v[1] - y * v[0]) * inverse / reach_};
      },
      t[2] == 0 ? nullptr : &c, 0.25 * tolerance / scale_);
  return {{{scale_ * sum.value[0], scale_ * sum.value[1], scale_ * reach_ * sum.value[2]}},
          scale_ * sum.error + scale_error_};
}

}  // namespace asperity
