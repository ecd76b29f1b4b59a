// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/planar/contact_patch.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

namespace asperity {

namespace {

constexpr double pi = 3.14159265358979323846;

double cross(planar_point a, planar_point b) { return a.x * b.y - a.y * b.x; }
double dot(planar_point a, planar_point b) { return a.x * b.x + a.y * b.y; }

double checked(const char* what, double value) {
  if (!(value > 0) || !std::isfinite(value))
    throw error(fmt::format("{} = {} m: it must be above 0", what, value));
  return value;
}

// ---- adaptive Gauss-Kronrod quadrature of several functions at once -----------------------------

template <std::size_t N>
struct sum_and_error {
  std::array<double, N> value{};
  double error = 0;
};

template <std::size_t N, class F>
sum_and_error<N> kronrod(const F& f, double a, double b) {
  using rule = boost::math::quadrature::gauss_kronrod<double, 21>;
  using gauss_rule = boost::math::quadrature::gauss<double, 10>;
  const auto& nodes = rule::abscissa();
  const auto& weights = rule::weights();
  const auto& gauss_weights = gauss_rule::weights();
  const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
  std::array<double, N> fine{}, coarse{};
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const bool is_gauss = k % 2 == 1;  // the ten Gauss nodes are the odd ones
    for (const double sign : {1.0, -1.0}) {
      if (k == 0 && sign < 0) break;
      const auto y = f(middle + sign * half * nodes[k]);
      for (std::size_t i = 0; i < N; ++i) {
        fine[i] += weights[k] * y[i];
        if (is_gauss) coarse[i] += gauss_weights[(k - 1) / 2] * y[i];
      }
    }
  }
  sum_and_error<N> result;
  for (std::size_t i = 0; i < N; ++i) {
    result.value[i] = half * fine[i];
    result.error = std::max(result.error, std::abs(half * (fine[i] - coarse[i])));
  }
  return result;
}

template <std::size_t N, class F>
sum_and_error<N> adaptive(const F& f, double a, double b, double tolerance, int depth = 22) {
  auto whole = kronrod<N>(f, a, b);
  if (whole.error <= tolerance || depth == 0 || !(std::abs(b - a) > 1e-14)) {
    // A rule of twenty-one points that differs from one of ten by d is itself right to about d^1.5.
    return whole;
  }
  const double middle = 0.5 * (a + b);
  const auto left = adaptive<N>(f, a, middle, 0.5 * tolerance, depth - 1);
  const auto right = adaptive<N>(f, middle, b, 0.5 * tolerance, depth - 1);
  for (std::size_t i = 0; i < N; ++i) whole.value[i] = left.value[i] + right.value[i];
  whole.error = left.error + right.error;
  return whole;
}

// The same with x = middle + half sin(t): square roots at the ends become smooth.
template <std::size_t N, class F>
sum_and_error<N> rounded(const F& f, double a, double b, double tolerance) {
  const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
  return adaptive<N>(
      [&](double t) {
        auto y = f(middle + half * std::sin(t));
        for (auto& each : y) each *= half * std::cos(t);
        return y;
      },
      -pi / 2, pi / 2, tolerance);
}

// Gauss's rule with so many points along each side of a box.
template <int Points, std::size_t N, class F>
std::array<double, N> over_box(const F& f, planar_point lowest, planar_point highest) {
  using rule = boost::math::quadrature::gauss<double, Points>;
  const auto& nodes = rule::abscissa();  // those from 0 upwards
  const auto& weights = rule::weights();
  const double dx = 0.5 * (highest.x - lowest.x), dy = 0.5 * (highest.y - lowest.y);
  const double x = lowest.x + dx, y = lowest.y + dy;
  std::array<double, N> sum{};
  for (std::size_t l = 0; l < nodes.size(); ++l)
    for (std::size_t k = 0; k < nodes.size(); ++k)
      for (const double up : {1.0, -1.0})
        for (const double right : {1.0, -1.0}) {
          if ((nodes[l] == 0 && up < 0) || (nodes[k] == 0 && right < 0)) continue;
          const auto value = f(x + right * dx * nodes[k], y + up * dy * nodes[l]);
          for (std::size_t i = 0; i < N; ++i)
            sum[i] += dx * dy * weights[k] * weights[l] * value[i];
        }
  return sum;
}

double signed_area(const contact_patch::polygon& loop) {
  double sum = 0;
  for (std::size_t i = 0; i < loop.size(); ++i) sum += cross(loop[i], loop[(i + 1) % loop.size()]);
  return 0.5 * sum;
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
  for (std::size_t i = 0; i < edges.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const auto &e = edges[i], &f = edges[k];
      if (parts(e, f) && parts(f, e))
        throw error(
            fmt::format("the edge from ({:g}, {:g}) to ({:g}, {:g}) crosses the edge from "
                        "({:g}, {:g}) to ({:g}, {:g}): edges may not cross",
                        f.from.x, f.from.y, f.to.x, f.to.y, e.from.x, e.from.y, e.to.x, e.to.y));
    }
  for (std::size_t i = 1; i < loops.size(); ++i)
    for (std::size_t k = 1; k < loops.size(); ++k)
      if (i != k && inside({loops[k]}, loops[i].front().x, loops[i].front().y))
        throw error(fmt::format("the hole from ({:g}, {:g}) on lies in another hole",
                                loops[i].front().x, loops[i].front().y));
}

// Whether an edge passes through the inside of a box.
bool is_cut_by_edge(const std::vector<contact_patch::polygon>& loops, planar_point lowest,
                    planar_point highest) {
  const auto passes = [&](planar_point p, planar_point q) {
    double from = 0, to = 1;  // the part of the edge within the box
    const auto cut = [&](double start, double way, double low, double high) {
      if (way == 0) return low < start && start < high;
      const double one = (low - start) / way, other = (high - start) / way;
      from = std::max(from, std::min(one, other));
      to = std::min(to, std::max(one, other));
      return from < to;
    };
    return cut(p.x, q.x - p.x, lowest.x, highest.x) && cut(p.y, q.y - p.y, lowest.y, highest.y);
  };
  for (const auto& loop : loops)
    for (std::size_t i = 0, j = loop.size() - 1; i < loop.size(); j = i++)
      if (passes(loop[j], loop[i])) return true;
  return false;
}

// Step of a sorted list of coordinates, each of which must be a multiple of it away from the first.
double regular_step(std::vector<double> all, const char* name) {
  std::sort(all.begin(), all.end());
  const double width = all.back() - all.front();
  double step = width;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i] - all[i - 1] > 1e-6 * width) step = std::min(step, all[i] - all[i - 1]);
  if (!(step > 0)) throw error(fmt::format("column '{}': it needs at least two values", name));
  for (const double value : all) {
    const double index = (value - all.front()) / step;
    if (std::abs(index - std::round(index)) > 0.01)
      throw error(fmt::format("column '{}': {} is not on the regular grid from {} in steps of {}",
                              name, value, all.front(), step));
  }
  return step;
}

}  // namespace

// ---- tables -------------------------------------------------------------------------------------

planar_table planar_table::from_points(const std::vector<double>& x, const std::vector<double>& y,
                                       const std::vector<double>& value) {
  if (x.empty()) throw error("a grid needs at least two points along x and along y");
  planar_table table;
  table.dx = regular_step(x, "x");
  table.dy = regular_step(y, "y");
  table.x_0 = *std::min_element(x.begin(), x.end());
  table.y_0 = *std::min_element(y.begin(), y.end());
  const auto index = [](double at, double from, double step) {
    return static_cast<int>(std::lround((at - from) / step));
  };
  table.columns = index(*std::max_element(x.begin(), x.end()), table.x_0, table.dx) + 1;
  table.rows = index(*std::max_element(y.begin(), y.end()), table.y_0, table.dy) + 1;
  if (static_cast<double>(table.columns) * table.rows > 1e7)
    throw error(fmt::format("a grid of {} x {} points is too fine", table.columns, table.rows));
  table.values.assign(
      static_cast<std::size_t>(table.columns) * static_cast<std::size_t>(table.rows), 0.0);
  std::vector<bool> is_given(table.values.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(value[i] >= 0))
      throw error(
          fmt::format("pressure {} at ({}, {}): it must be at least 0", value[i], x[i], y[i]));
    const int column = index(x[i], table.x_0, table.dx), row = index(y[i], table.y_0, table.dy);
    const auto place = static_cast<std::size_t>(column + table.columns * row);
    if (is_given[place])
      throw error(fmt::format("the point ({}, {}) is there twice: once is allowed", x[i], y[i]));
    is_given[place] = true;
    table.values[place] = value[i];
  }
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
      throw error(fmt::format("a polygon of {} points: it needs at least 3", loop.size()));
    for (const auto& point : loop)
      if (!std::isfinite(point.x) || !std::isfinite(point.y))
        throw error(fmt::format("polygon point ({}, {}): it must be finite", point.x, point.y));
    if (!(std::abs(signed_area(loop)) > 0)) throw error("a polygon without area");
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
  uniform_disc_ = axisymmetric_ && is_ == kind::ellipse && pressure_.is == p::uniform;
  for (const double x : {lowest_.x, highest_.x})
    for (const double y : {lowest_.y, highest_.y}) reach_ = std::max(reach_, std::hypot(x, y));
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
  if (is_ == kind::grid) {
    const double cell = grid_.dx * grid_.dy;
    for (int j = 0; j < grid_.rows; ++j)
      for (int i = 0; i < grid_.columns; ++i) {
        const double x = grid_.x_0 + i * grid_.dx, y = grid_.y_0 + j * grid_.dy;
        const double load = cell * grid_.values[static_cast<std::size_t>(i + grid_.columns * j)];
        const double own = (grid_.dx * grid_.dx + grid_.dy * grid_.dy) / 12;
        sums[0] += load;
        sums[1] += load * x;
        sums[2] += load * y;
        sums[3] += load * (x * x + y * y + own);
        if (load > 0) area_ += cell;
      }
  } else {
    const auto powers = [](double x, double y) { return std::array{1.0, x, y, x * x + y * y}; };
    const auto over_patch = [&] {
      const double tolerance = 1e-12 * std::pow(reach_, is_ == kind::line ? 1 : 2);
      if (is_ == kind::line) return integrate_line(powers, tolerance).value;
      std::array<double, 4> sum{};
      for (const auto& each : regions_) {
        const auto part = integrate(each, {1, 0}, powers, tolerance * each.radius / reach_).value;
        for (std::size_t i = 0; i < 4; ++i) sum[i] += part[i];
      }
      return sum;
    };
    const auto own = pressure_.is;
    pressure_.is = p::uniform;
    regions_ = {whole_shape()};
    sums = over_patch();
    area_ = sums[0];
    pressure_.is = own;
    if (own == p::table) split_by_table();
    if (own != p::uniform) sums = over_patch();
  }
  if (!(sums[0] > 0)) throw error("the pressure is 0 everywhere on the contact");
  scale_ = 1 / sums[0];
  centre_ = {sums[1] / sums[0], sums[2] / sums[0]};
  if (axisymmetric_) centre_ = {0, 0};
  gyration_ = std::sqrt(std::max(0.0, sums[3] / sums[0] - dot(centre_, centre_)));
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

patch_cells contact_patch::cells(int n) const {
  if (n < 1 || n > 2000)
    throw error(fmt::format("{} cells along the patch: 1 to 2000 are allowed", n));
  patch_cells result;
  double total = 0;
  const auto add = [&](double load, double x_load, double y_load) {
    if (!(load > 0)) return;
    result.share.push_back(load);
    result.x.push_back(x_load / load);
    result.y.push_back(y_load / load);
    total += load;
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
  if (result.share.empty())
    throw error(fmt::format("{} cells along the patch are too few to hit it", n));
  for (double& each : result.share) each /= total;
  return result;
}

// ---- chords -------------------------------------------------------------------------------------

// Pieces of the line origin + s along (a unit vector) that lie in the shape.
void contact_patch::chords(planar_point origin, planar_point along, std::vector<chord>& out) const {
  out.clear();
  // s of both crossings with an ellipse; false where there are none.
  const auto cut = [&](double a, double b, double& from, double& to) {
    const double A = along.x * along.x / (a * a) + along.y * along.y / (b * b);
    const double B = origin.x * along.x / (a * a) + origin.y * along.y / (b * b);
    // 1 - (distance of the line)^2 in the metric of the ellipse, without cancellation.
    const double distance = cross(origin, along) / (a * b);
    const double rest = A - distance * distance;
    if (!(rest > 0)) return false;
    const double root = std::sqrt(rest);
    from = (-B - root) / A;
    to = (-B + root) / A;
    return true;
  };
  double s0, s1, t0, t1;
  switch (is_) {
    case kind::ellipse:
      if (cut(a_, b_, s0, s1)) out.push_back({s0, s1});
      return;
    case kind::ring:
      if (!cut(b_, b_, s0, s1)) return;
      if (cut(a_, a_, t0, t1)) {
        out.push_back({s0, t0});
        out.push_back({t1, s1});
      } else {
        out.push_back({s0, s1});
      }
      return;
    case kind::polygon: {
      std::vector<double> crossings;
      for (const auto& loop : loops_)
        for (std::size_t i = 0; i < loop.size(); ++i) {
          const planar_point p{loop[i].x - origin.x, loop[i].y - origin.y};
          const auto& other = loop[(i + 1) % loop.size()];
          const planar_point q{other.x - origin.x, other.y - origin.y};
          const double side_p = cross(along, p), side_q = cross(along, q);
          if ((side_p > 0) == (side_q > 0)) continue;
          const double share = side_p / (side_p - side_q);
          crossings.push_back(dot(along, p) + share * (dot(along, q) - dot(along, p)));
        }
      std::sort(crossings.begin(), crossings.end());
      for (std::size_t i = 0; i + 1 < crossings.size(); i += 2)
        out.push_back({crossings[i], crossings[i + 1]});
      return;
    }
    case kind::line:
    case kind::grid:
      return;
  }
}

// The same in a region.
void contact_patch::chords(const region& in, planar_point origin, planar_point along,
                           std::vector<chord>& out) const {
  if (in.is_box) {
    out.assign(1, {-unbounded, unbounded});
  } else {
    chords(origin, along, out);
  }
  const auto cut = [](chord& piece, double lowest, double highest, double slope) {
    if (slope == 0) {
      if (lowest > 0 || highest < 0) piece.to = piece.from;
      return;
    }
    const double one = lowest / slope, other = highest / slope;
    piece.from = std::max(piece.from, std::min(one, other));
    piece.to = std::min(piece.to, std::max(one, other));
  };
  for (chord& piece : out) {
    cut(piece, in.lowest.x - origin.x, in.highest.x - origin.x, along.x);
    cut(piece, in.lowest.y - origin.y, in.highest.y - origin.y, along.y);
  }
  std::erase_if(out, [](const chord& piece) { return !(piece.from < piece.to); });
}

// Angles around a point at which the chords through it change their kind: corners and tangents.
std::vector<double> contact_patch::angles_to_split(const region& in, planar_point c) const {
  std::vector<double> angles;
  const auto tangents = [&](double a, double b) {
    // In coordinates where the ellipse is the unit circle.
    const double x = c.x / a, y = c.y / b, d = std::hypot(x, y);
    const double towards = std::atan2(-y, -x);
    std::vector<double> found{towards, towards + pi};
    if (d >= 1) {
      const double half = std::asin(std::min(1.0, 1 / d));
      found = {towards - half, towards + half, towards};
    }
    for (const double each : found)
      angles.push_back(std::atan2(b * std::sin(each), a * std::cos(each)));
  };
  if (!in.is_box && is_ == kind::ellipse) tangents(a_, b_);
  if (!in.is_box && is_ == kind::ring) {
    tangents(a_, a_);
    tangents(b_, b_);
  }
  for (const auto& point : in.corners)
    if (point.x != c.x || point.y != c.y)
      angles.push_back(std::atan2(point.y - c.y, point.x - c.x));
  for (double& each : angles)
    if (each < 0) each += 2 * pi;
  std::sort(angles.begin(), angles.end());
  angles.push_back(angles.front() + 2 * pi);
  return angles;
}

// Offsets across parallel chords at which they change their kind.
std::vector<double> contact_patch::offsets_to_split(const region& in, planar_point across) const {
  std::vector<double> offsets;
  const auto extremes = [&](double a, double b) {
    const double reach = std::hypot(a * across.x, b * across.y);
    offsets.push_back(-reach);
    offsets.push_back(reach);
  };
  if (is_ == kind::ellipse) extremes(a_, b_);
  if (is_ == kind::ring) {
    extremes(a_, a_);
    extremes(b_, b_);
  }
  for (const auto& point : in.corners) offsets.push_back(dot(across, point));
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

// ---- regions ------------------------------------------------------------------------------------

contact_patch::region contact_patch::whole_shape() const {
  region all{{-unbounded, -unbounded}, {unbounded, unbounded}, {0, 0}, reach_, false, {}};
  for (const auto& loop : loops_) all.corners.insert(all.corners.end(), loop.begin(), loop.end());
  return all;
}

contact_patch::overlap contact_patch::overlap_with(planar_point low, planar_point high) const {
  if (is_ == kind::polygon) {
    if (is_cut_by_edge(loops_, low, high)) return overlap::part;
    return inside(loops_, 0.5 * (low.x + high.x), 0.5 * (low.y + high.y)) ? overlap::all
                                                                          : overlap::none;
  }
  // Distances of the nearest and the furthest point of the box, an ellipse being the unit circle.
  const double a = is_ == kind::ellipse ? a_ : 1, b = is_ == kind::ellipse ? b_ : 1;
  const double least = std::hypot(std::clamp(0.0, low.x, high.x) / a,  //
                                  std::clamp(0.0, low.y, high.y) / b);
  const double most = std::hypot(std::max(std::abs(low.x), std::abs(high.x)) / a,
                                 std::max(std::abs(low.y), std::abs(high.y)) / b);
  const double inner = is_ == kind::ring ? a_ : 0, outer = is_ == kind::ring ? b_ : 1;
  if (least >= outer || most <= inner) return overlap::none;
  return most <= outer && least >= inner ? overlap::all : overlap::part;
}

// One region for every cell of the table that has load: at its lines the pressure has kinks, at its
// edge it jumps to 0.
void contact_patch::split_by_table() {
  const planar_table& table = pressure_.table;
  regions_.clear();
  std::vector<chord> pieces;
  const auto loaded = [&](int i, int j) {
    return table.values[static_cast<std::size_t>(i + table.columns * j)] > 0;
  };
  for (int j = 0; j + 1 < table.rows; ++j)
    for (int i = 0; i + 1 < table.columns; ++i) {
      if (!loaded(i, j) && !loaded(i + 1, j) && !loaded(i, j + 1) && !loaded(i + 1, j + 1))
        continue;
      const planar_point low{table.x_0 + i * table.dx, table.y_0 + j * table.dy};
      const planar_point high{table.x_0 + (i + 1) * table.dx, table.y_0 + (j + 1) * table.dy};
      region cell{low,
                  high,
                  {0.5 * (low.x + high.x), 0.5 * (low.y + high.y)},
                  0.5 * std::hypot(table.dx, table.dy),
                  false,
                  {low, {high.x, low.y}, high, {low.x, high.y}}};
      const overlap has = overlap_with(low, high);
      if (has == overlap::none) continue;
      cell.is_box = has == overlap::all;
      if (!cell.is_box) {
        // Where the rim comes in and goes out, and its own corners.
        for (const planar_point along : {planar_point{1, 0}, planar_point{0, 1}})
          for (const planar_point origin : {low, high}) {
            chords(origin, along, pieces);
            for (const auto& piece : pieces)
              for (const double s : {piece.from, piece.to}) {
                const planar_point at{origin.x + s * along.x, origin.y + s * along.y};
                if (at.x >= low.x && at.x <= high.x && at.y >= low.y && at.y <= high.y)
                  cell.corners.push_back(at);
              }
          }
        for (const auto& loop : loops_)
          for (const auto& point : loop)
            if (point.x > low.x && point.x < high.x && point.y > low.y && point.y < high.y)
              cell.corners.push_back(point);
      }
      regions_.push_back(std::move(cell));
    }
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

contact_patch::moments contact_patch::integrate_line(const integrand& f, double tolerance) const {
  const planar_point along{std::cos(b_), std::sin(b_)};
  auto ends = line_ends();
  std::sort(ends.begin(), ends.end());
  moments result;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const auto part = rounded<4>(
        [&](double s) {
          const double x = s * along.x, y = s * along.y, p = pressure(x, y);
          auto value = f(x, y);
          for (double& each : value) each *= p;
          return value;
        },
        ends[i], ends[i + 1], tolerance);
    for (std::size_t k = 0; k < 4; ++k) result.value[k] += part.value[k];
    result.error += part.error;
  }
  return result;
}

contact_patch::moments contact_patch::integrate(const region& in, planar_point along,
                                                const integrand& f, double tolerance) const {
  const auto weighted = [&](double x, double y) {
    auto value = f(x, y);
    const double p = pressure(x, y);
    for (double& each : value) each *= p;
    return value;
  };
  // Seven points are right to 1e-12 where a direction changes as slowly as far from the centre of
  // rotation.
  if (in.is_box) return {over_box<7, 4>(weighted, in.lowest, in.highest), 0};
  moments result;
  const planar_point across{-along.y, along.x};
  const double width = 2 * in.radius;
  double inner_error = 0;
  std::vector<chord> pieces;
  const auto across_at = [&](double u) {
    std::array<double, 4> sum{};
    const planar_point origin{u * across.x, u * across.y};
    chords(in, origin, along, pieces);
    for (const auto& piece : pieces) {
      const auto part = rounded<4>(
          [&](double s) { return weighted(origin.x + s * along.x, origin.y + s * along.y); },
          piece.from, piece.to, 0.1 * tolerance / width);
      for (std::size_t i = 0; i < 4; ++i) sum[i] += part.value[i];
      inner_error = std::max(inner_error, part.error);
    }
    return sum;
  };
  const auto offsets = offsets_to_split(in, across);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (!(offsets[i + 1] - offsets[i] > 1e-13 * width)) continue;
    // Between two of these offsets all chords meet the region or none does.
    const double middle = 0.5 * (offsets[i] + offsets[i + 1]);
    chords(in, {middle * across.x, middle * across.y}, along, pieces);
    if (pieces.empty()) continue;
    const auto part = rounded<4>(across_at, offsets[i], offsets[i + 1], tolerance);
    for (std::size_t k = 0; k < 4; ++k) result.value[k] += part.value[k];
    result.error += part.error;
  }
  result.error += inner_error * width;
  return result;
}

contact_patch::integral contact_patch::coulomb(const twist<double>& t,
                                               double relative_tolerance) const {
  if (t[0] == 0 && t[1] == 0 && t[2] == 0) return {};
  if (is_ == kind::grid) return over_grid(t);
  if (is_ == kind::line) return over_line(t, relative_tolerance);
  integral result;
  for (const auto& each : regions_) {
    // Polar coordinates about the centre of rotation know no singularity; when it is far away, it
    // does no harm, and polar coordinates would only lose digits.
    const auto v = velocity_at<double>(t, each.centre.x, each.centre.y);
    const double tolerance = relative_tolerance * each.radius / reach_;
    const auto part = std::hypot(v[0], v[1]) <= 4 * each.radius * std::abs(t[2])
                          ? near_centre_of_rotation(each, t, tolerance)
                          : far_from_centre_of_rotation(each, t, tolerance);
    result.value = result.value + part.value;
    result.error += part.error;
  }
  if (pressure_.is == pressure_field::kind::table) result.error += 1e-12;  // of Gauss's rule
  return result;
}

// At the angle phi around the centre of rotation c every point moves along (-sin, cos), to the side
// of omega; its torque about the origin is s + c.(cos, sin), s being its distance from c.
contact_patch::integral contact_patch::near_centre_of_rotation(const region& in,
                                                               const twist<double>& t,
                                                               double tolerance) const {
  const planar_point c{-t[1] / t[2], t[0] / t[2]};
  const double side = t[2] > 0 ? 1 : -1;
  const bool polynomial = pressure_.is != pressure_field::kind::hertz;
  const double fine = tolerance / scale_ / (2 * pi);  // of the radial integrals
  double inner_error = 0;
  std::vector<chord> pieces;
  const auto ray = [&](double phi) {
    const planar_point e{std::cos(phi), std::sin(phi)};
    chords(in, c, e, pieces);
    double first = 0, second = 0;  // integrals of p s ds and p s^2 ds
    for (auto piece : pieces) {
      piece.from = std::max(piece.from, 0.0);
      if (piece.to <= piece.from) continue;
      const auto at = [&](double s) {
        const double p = pressure(c.x + s * e.x, c.y + s * e.y);
        return std::array{p * s, p * s * s / reach_};
      };
      if (polynomial) {  // of degree 4 at most: three points of Gauss are exact
        const double middle = 0.5 * (piece.from + piece.to), half = 0.5 * (piece.to - piece.from);
        const double away = 0.77459666924148338 * half;  // sqrt(3/5)
        const auto left = at(middle - away), centre = at(middle), right = at(middle + away);
        first += half / 9 * (5 * left[0] + 8 * centre[0] + 5 * right[0]);
        second += half / 9 * (5 * left[1] + 8 * centre[1] + 5 * right[1]) * reach_;
        continue;
      }
      const auto part = rounded<2>(at, piece.from, piece.to, 0.1 * fine);
      first += part.value[0];
      second += part.value[1] * reach_;
      inner_error = std::max(inner_error, part.error);
    }
    return std::array{-e.y * first, e.x * first, (second + dot(c, e) * first) / reach_};
  };
  integral result;
  const auto angles = angles_to_split(in, c);
  for (std::size_t i = 0; i + 1 < angles.size(); ++i) {
    if (!(angles[i + 1] - angles[i] > 1e-14)) continue;
    // Between two of these angles all rays meet the region or none does.
    const double middle = 0.5 * (angles[i] + angles[i + 1]);
    chords(in, c, {std::cos(middle), std::sin(middle)}, pieces);
    if (pieces.empty()) continue;
    const auto part = rounded<3>(ray, angles[i], angles[i + 1], 0.1 * fine * (2 * pi));
    for (int k = 0; k < 3; ++k)
      result.value[k] += scale_ * side * part.value[static_cast<std::size_t>(k)];
    result.error += scale_ * part.error;
  }
  result.value[2] *= reach_;
  result.error += scale_ * 2 * pi * inner_error;
  return result;
}

contact_patch::integral contact_patch::far_from_centre_of_rotation(const region& in,
                                                                   const twist<double>& t,
                                                                   double tolerance) const {
  // Chords point to the centre of rotation: along them the direction hardly changes.
  const auto v_centre = velocity_at<double>(t, in.centre.x, in.centre.y);
  const double speed = std::hypot(v_centre[0], v_centre[1]);
  const planar_point along{-v_centre[1] / speed, v_centre[0] / speed};
  const auto sum = integrate(
      in, along,
      [&](double x, double y) {
        const auto v = velocity_at<double>(t, x, y);
        const double length = std::hypot(v[0], v[1]);
        return std::array{v[0] / length, v[1] / length, (x * v[1] - y * v[0]) / (length * reach_),
                          0.0};
      },
      0.1 * tolerance / scale_);
  return {{{scale_ * sum.value[0], scale_ * sum.value[1], scale_ * reach_ * sum.value[2]}},
          scale_ * sum.error};
}

contact_patch::integral contact_patch::over_line(const twist<double>& t, double tolerance) const {
  const planar_point along{std::cos(b_), std::sin(b_)};
  const auto at = [&](double s) {
    const double x = s * along.x, y = s * along.y;
    const auto v = velocity_at<double>(t, x, y);
    const double length = std::hypot(v[0], v[1]);
    const double share = length > 0 ? pressure(x, y) / length : 0;
    return std::array{share * v[0], share * v[1], share * (x * v[1] - y * v[0]) / reach_};
  };
  // The direction turns over where the line passes the centre of rotation.
  auto ends = line_ends();
  if (t[2] != 0) {
    const double nearest = dot(along, {-t[1] / t[2], t[0] / t[2]});
    if (std::abs(nearest) < a_) ends.push_back(nearest);
  }
  std::sort(ends.begin(), ends.end());
  integral result;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const auto part = rounded<3>(at, ends[i], ends[i + 1], 0.1 * tolerance / scale_);
    for (int k = 0; k < 3; ++k) result.value[k] += scale_ * part.value[static_cast<std::size_t>(k)];
    result.error += scale_ * part.error;
  }
  result.value[2] *= reach_;
  return result;
}

// Each rectangle in closed form where the centre of rotation is near, by Gauss points elsewhere.
contact_patch::integral contact_patch::over_grid(const twist<double>& t) const {
  const double dx = 0.5 * grid_.dx, dy = 0.5 * grid_.dy, diagonal = std::hypot(grid_.dx, grid_.dy);
  const double side = t[2] > 0 ? 1 : -1;
  // Antiderivatives of x/r and r in both variables, r = sqrt(x^2 + y^2).
  const auto along_x = [](double x, double y) {
    return 0.5 * (y * std::hypot(x, y) + (x == 0 ? 0.0 : x * x * std::asinh(y / std::abs(x))));
  };
  const auto distance = [](double x, double y) {
    return (2 * x * y * std::hypot(x, y) +
            (x == 0 ? 0.0 : x * x * x * std::asinh(y / std::abs(x))) +
            (y == 0 ? 0.0 : y * y * y * std::asinh(x / std::abs(y)))) /
           6;
  };
  integral result;
  for (int j = 0; j < grid_.rows; ++j)
    for (int i = 0; i < grid_.columns; ++i) {
      const double p = scale_ * grid_.values[static_cast<std::size_t>(i + grid_.columns * j)];
      if (p == 0) continue;
      const double x = grid_.x_0 + i * grid_.dx, y = grid_.y_0 + j * grid_.dy;
      const auto v = velocity_at<double>(t, x, y);
      if (std::hypot(v[0], v[1]) < 10 * diagonal * std::abs(t[2])) {
        const planar_point c{-t[1] / t[2], t[0] / t[2]};
        const double x0 = x - dx - c.x, x1 = x + dx - c.x, y0 = y - dy - c.y, y1 = y + dy - c.y;
        const auto box = [&](const auto& f) {
          return f(x1, y1) - f(x0, y1) - f(x1, y0) + f(x0, y0);
        };
        const double X = box(along_x), Y = box([&](double u, double w) { return along_x(w, u); });
        result.value[0] -= side * p * Y;
        result.value[1] += side * p * X;
        result.value[2] += side * p * (box(distance) + c.x * X + c.y * Y);
        continue;
      }
      const auto part = over_box<5, 3>(
          [&](double at_x, double at_y) {
            const auto w = velocity_at<double>(t, at_x, at_y);
            const double share = p / std::hypot(w[0], w[1]);
            return std::array{share * w[0], share * w[1], share * (at_x * w[1] - at_y * w[0])};
          },
          {x - dx, y - dy}, {x + dx, y + dy});
      for (int k = 0; k < 3; ++k) result.value[k] += part[static_cast<std::size_t>(k)];
    }
  result.error = 1e-13;
  return result;
}

}  // namespace asperity
