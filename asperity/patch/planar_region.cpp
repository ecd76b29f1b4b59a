// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/patch/planar_region.hpp>
#include <asperity/patch/quadrature.hpp>
#include <cmath>
#include <complex>
#include <limits>

namespace asperity {

namespace {

using quadrature::sum_and_error;
using complex = std::complex<double>;

constexpr double pi = 3.14159265358979323846;
constexpr double rounding = std::numeric_limits<double>::epsilon();

double cross(planar_point a, planar_point b) { return a.x * b.y - a.y * b.x; }
double dot(planar_point a, planar_point b) { return a.x * b.x + a.y * b.y; }
planar_point operator-(planar_point a, planar_point b) { return {a.x - b.x, a.y - b.y}; }
planar_point operator+(planar_point a, planar_point b) { return {a.x + b.x, a.y + b.y}; }

planar_point on_ellipse(double a, double b, double angle) {
  return {a * std::cos(angle), b * std::sin(angle)};
}

// Angles, complex, at which the points (a cos, b sin) pass c: the roots w = exp(i angle) of
// a quadratic, and their conjugates, which matter as much.
std::array<complex, 2> angles_through(double a, double b, planar_point c) {
  const complex at(c.x, c.y), root = std::sqrt(at * at - (a * a - b * b));
  // The product of both roots is known: no cancellation.
  const complex sum = std::real(std::conj(at) * root) >= 0 ? at + root : at - root;
  const complex one = sum / (a + b);
  const complex other = sum == 0.0 ? 0.0 : (a - b) / sum;
  const auto angle = [](complex w) {
    return complex(std::arg(w), std::abs(std::log(std::abs(w))));
  };
  return {angle(one), angle(other)};
}

int degree_of(const bilinear_pressure& p) {
  return p.p_xy != 0 ? 2 : p.p_x != 0 || p.p_y != 0 ? 1 : 0;
}

// ---- what is integrated about the centre of rotation --------------------------------------------

// int p r/s dA, int p s dA.
struct polar_sums {
  double x = 0, y = 0, distance = 0;
};

// 1/(k + 2) for the parts of p of degree 0, 1 and 2, times r/s and times s.
constexpr std::array<double, 3> of_direction{1.0 / 2, 1.0 / 3, 1.0 / 4};
constexpr std::array<double, 3> of_distance{1.0 / 3, 1.0 / 4, 1.0 / 5};

// Those parts on r = d n + u t, with these weights, as a polynomial in u.
std::array<double, 3> along_edge(const bilinear_pressure& p, planar_point n, planar_point t,
                                 double d, const std::array<double, 3>& weights) {
  const auto& [constant, linear, quadratic] = weights;
  const planar_point slope{p.p_x, p.p_y};
  return {constant * p.p + linear * dot(slope, n) * d + quadratic * p.p_xy * n.x * n.y * d * d,
          linear * dot(slope, t) + quadratic * p.p_xy * (n.x * t.y + n.y * t.x) * d,
          quadratic * p.p_xy * t.x * t.y};
}

// No part of the pressure is greater within the distance s.
double bound_of(const bilinear_pressure& p, double s) {
  return std::abs(p.p) + s * (std::abs(p.p_x) + std::abs(p.p_y) + s * std::abs(p.p_xy));
}

// Adds an edge of this length from a point along t; the point and the pressure are given from the
// centre of rotation. Returns a bound of the terms summed, which rounding is relative to.
double add_edge(planar_point from, planar_point t, double length, const bilinear_pressure& p,
                polar_sums& sums) {
  const planar_point n{t.y, -t.x};
  const double d = cross(from, t), d_d = d * d, u_0 = dot(from, t), u_1 = u_0 + length;
  if (d_d == 0) return 0;  // no ray sweeps it
  const double s_0 = std::sqrt(u_0 * u_0 + d_d), s_1 = std::sqrt(u_1 * u_1 + d_d);
  // Integrals of u^n/s, differences taken so that little cancels.
  const double s_s = s_0 + s_1, I_1 = length * (u_0 + u_1) / s_s;  // s_1 - s_0
  const double I_0 = std::log1p(2 * length / std::max(s_s - length, rounding * rounding * s_s));
  const double I_2 = 0.5 * (length * s_1 + u_0 * I_1 - d_d * I_0);
  const double I_3 = (length * (u_0 + u_1) * s_1 + (u_0 * u_0 - 2 * d_d) * I_1) / 3;
  const double I_4 = 0.25 * (length * (u_0 * u_0 + u_0 * u_1 + u_1 * u_1) * s_1 +
                             u_0 * u_0 * u_0 * I_1 - 3 * d_d * I_2);
  const auto q = along_edge(p, n, t, d, of_direction);
  const auto k = along_edge(p, n, t, d, of_distance);
  const double across = d_d * (q[0] * I_0 + q[1] * I_1 + q[2] * I_2);
  const double along = d * (q[0] * I_1 + q[1] * I_2 + q[2] * I_3);
  sums.x += across * n.x + along * t.x;
  sums.y += across * n.y + along * t.y;
  sums.distance +=
      d * (k[0] * (d_d * I_0 + I_2) + k[1] * (d_d * I_1 + I_3) + k[2] * (d_d * I_2 + I_4));
  // Its terms are rounded, and so is its distance, by what the places of its ends are.
  const double s = std::max(s_0, s_1);
  const double there = std::max(std::abs(p(from.x, from.y)),
                                std::abs(p(from.x + length * t.x, from.y + length * t.y)));
  return length * (std::abs(d) * bound_of(p, s) + s * there);
}

// The same per angle along an arc; c is the centre of rotation, from which the pressure is given.
polar_sums at_arc(double a, double b, double angle, planar_point c, const bilinear_pressure& p) {
  const double cosine = std::cos(angle), sine = std::sin(angle);
  const planar_point r{a * cosine - c.x, b * sine - c.y};
  const double swept = cross(r, {-a * sine, b * cosine}), s = std::sqrt(dot(r, r));
  if (s == 0) return {};
  const auto weighted = [&](const std::array<double, 3>& weights) {
    return weights[0] * p.p + weights[1] * (p.p_x * r.x + p.p_y * r.y) +
           weights[2] * p.p_xy * r.x * r.y;
  };
  const double q = weighted(of_direction) * swept / s;
  return {q * r.x, q * r.y, weighted(of_distance) * swept * s};
}

// Per angle for the pressure of Hertz: about C in coordinates where the ellipse is the unit circle,
// in which its integrals along rays are elementary; rest is p^2 at C.
polar_sums at_ray_of_hertz(double a, double b, double angle, planar_point C, double rest) {
  const planar_point e{std::cos(angle), std::sin(angle)};
  // Along the ray p^2 = h^2 - (S - S_m)^2.
  const double S_m = -dot(C, e), distance = cross(C, e);
  const double h_h = std::max(0.0, 1 - distance * distance);
  double J_0 = 0.5 * pi * h_h, J_1 = 0, J_2 = 0.25 * h_h * J_0;  // of p (S - S_m)^n
  if (rest > 0) {  // C lies within, and the ray begins there
    const double p = std::sqrt(rest);
    J_0 = 0.5 * (h_h * (0.5 * pi + std::atan2(S_m, p)) + S_m * p);
    J_1 = rest * p / 3;
    J_2 = 0.25 * (h_h * J_0 - S_m * rest * p);
  }
  const double first = S_m * J_0 + J_1, second = S_m * S_m * J_0 + 2 * S_m * J_1 + J_2;
  const planar_point way{a * e.x, b * e.y};
  const double stretch = std::sqrt(dot(way, way));
  return {a * b * first * way.x / stretch, a * b * first * way.y / stretch,
          a * b * second * stretch};
}

// Beside the centre of rotation what is integrated is itself as small as its distance: what changes
// within less counts for no more than the square.
constexpr double least_width = 1e-8;

// The friction at the angle around c points along (-y, x); its torque about the origin.
std::array<double, 3> as_wrench(const polar_sums& sums, planar_point c, double reach) {
  return {-sums.y, sums.x, (sums.distance + dot(c, {sums.x, sums.y})) / reach};
}

sum_and_error<3> over_arc(const rim_piece& arc, const bilinear_pressure& p, planar_point c,
                          double tolerance, double reach) {
  const bool backwards = arc.angle_to < arc.angle_from;
  double from = backwards ? arc.angle_to : arc.angle_from;
  double to = backwards ? arc.angle_from : arc.angle_to;
  auto singular = angles_through(arc.a, arc.b, c);
  // A whole ellipse may begin anywhere: at the nearer singularity, which is then one of its ends.
  if (to - from >= 2 * pi) {
    from = singular[0].imag() < singular[1].imag() ? singular[0].real() : singular[1].real();
    to = from + 2 * pi;
  }
  std::array<complex, 6> all;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double turns = std::floor((0.5 * (from + to) - singular[i / 3].real()) / (2 * pi) + 0.5);
    all[i] = singular[i / 3] + 2 * pi * (turns + static_cast<double>(i % 3) - 1);
  }
  auto sum = quadrature::graded<3>(
      [&](double angle) { return as_wrench(at_arc(arc.a, arc.b, angle, c, p), c, reach); }, from,
      to, all, tolerance, least_width);
  if (backwards)
    for (double& each : sum.value) each = -each;
  return sum;
}

sum_and_error<3> over_hertz(double a, double b, planar_point c, double tolerance, double reach) {
  const planar_point C{c.x / a, c.y / b};
  const double rest = 1 - dot(C, C), d = std::sqrt(dot(C, C)), away = std::atan2(C.y, C.x);
  double from = away - pi / 2, to = from + 2 * pi;
  std::vector<complex> singular;
  if (rest > 0) {  // rays along the rim
    for (const double turns : {-0.5, 0.5, 1.5})
      singular.emplace_back(away + turns * pi, std::acosh(std::max(1.0, 1 / d)));
  } else {  // between the tangents
    const double half = std::asin(std::min(1.0, 1 / d));
    from = away + pi - half;
    to = away + pi + half;
  }
  // Rays along the longer axis of a flat ellipse.
  const double axis = a >= b ? pi / 2 : 0, flat = std::atanh(std::min(a, b) / std::max(a, b));
  for (int turns = -3; turns <= 3; ++turns) singular.emplace_back(axis + turns * pi, flat);
  return quadrature::graded<3>(
      [&](double angle) { return as_wrench(at_ray_of_hertz(a, b, angle, C, rest), c, reach); },
      from, to, singular, tolerance, least_width);
}

}  // namespace

// ---- rims ---------------------------------------------------------------------------------------

rim_loop polygon_loop(std::vector<planar_point> corners, bool is_hole) {
  rim_loop loop;
  for (std::size_t i = 0; i < corners.size(); ++i)
    loop.push_back({.from = corners[i], .to = corners[(i + 1) % corners.size()]});
  if ((area_within(loop) < 0) == is_hole) return loop;
  std::reverse(corners.begin(), corners.end());
  return polygon_loop(std::move(corners), is_hole);
}

rim_loop ellipse_loop(double a, double b, bool is_hole) {
  return {{{a, 0}, {a, 0}, a, b, 0, is_hole ? -2 * pi : 2 * pi}};
}

double area_within(const rim_loop& loop) {
  double twice = 0;
  const planar_point base = loop.empty() ? planar_point{} : loop.front().from;
  for (const auto& each : loop) {
    twice += cross(each.from - base, each.to - base);
    if (each.is_arc()) {  // what lies between it and its chord
      const double angle = each.angle_to - each.angle_from;
      twice += each.a * each.b * (angle - std::sin(angle));
    }
  }
  return 0.5 * twice;
}

namespace {

// What of a loop lies on the side of a line x = bound (or y) on which sign (x - bound) >= 0: pieces
// within, joined along the line.
rim_loop half_of(const rim_loop& loop, bool along_x, double bound, double sign) {
  rim_loop result;
  const auto across = [&](planar_point at) { return along_x ? at.x : at.y; };
  const auto add = [&](const rim_piece& piece) {
    if (!result.empty()) {
      const planar_point last = result.back().to;
      if (last.x != piece.from.x || last.y != piece.from.y)
        result.push_back({.from = last, .to = piece.from});
    }
    result.push_back(piece);
  };
  const auto on_line = [&](planar_point at) {
    (along_x ? at.x : at.y) = bound;
    return at;
  };
  for (const auto& piece : loop) {
    if (!piece.is_arc()) {
      const double one = sign * (across(piece.from) - bound),
                   other = sign * (across(piece.to) - bound);
      if (one < 0 && other < 0) continue;
      rim_piece kept = piece;
      if ((one < 0) != (other < 0)) {
        const double share = one / (one - other);
        const planar_point cut = on_line({piece.from.x + share * (piece.to.x - piece.from.x),
                                          piece.from.y + share * (piece.to.y - piece.from.y)});
        (one < 0 ? kept.from : kept.to) = cut;
      }
      add(kept);
      continue;
    }
    const double share = bound / (along_x ? piece.a : piece.b);
    if (std::abs(share) >= 1) {  // the whole ellipse is on the side of its centre
      if (sign * share < 0) add(piece);
      continue;
    }
    // Angles at which the ellipse crosses the line, in the order of the arc.
    std::vector<double> cuts{piece.angle_from, piece.angle_to};
    const double one = along_x ? std::acos(share) : std::asin(share);
    for (const double each : {one, along_x ? -one : pi - one})
      for (int turns = -2; turns <= 2; ++turns) {
        const double angle = each + 2 * pi * turns;
        if ((angle > piece.angle_from) != (angle > piece.angle_to)) cuts.push_back(angle);
      }
    std::sort(cuts.begin(), cuts.end());
    if (piece.angle_to < piece.angle_from) std::reverse(cuts.begin(), cuts.end());
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      const auto middle = on_ellipse(piece.a, piece.b, 0.5 * (cuts[i] + cuts[i + 1]));
      if (sign * (across(middle) - bound) < 0) continue;
      rim_piece kept = piece;
      kept.angle_from = cuts[i];
      kept.angle_to = cuts[i + 1];
      if (i > 0) kept.from = on_line(on_ellipse(piece.a, piece.b, cuts[i]));
      if (i + 2 < cuts.size()) kept.to = on_line(on_ellipse(piece.a, piece.b, cuts[i + 1]));
      add(kept);
    }
  }
  if (!result.empty()) {
    const planar_point last = result.back().to, first = result.front().from;
    if (last.x != first.x || last.y != first.y) result.push_back({.from = last, .to = first});
  }
  return result;
}

}  // namespace

rim_loop strip_of(const rim_loop& loop, bool along_x, double lowest, double highest) {
  return half_of(half_of(loop, along_x, lowest, 1), along_x, highest, -1);
}

// ---- regions ------------------------------------------------------------------------------------

// Of f(x, y) p over the region, where f is smooth, at most of the second degree besides what its
// singularity makes of it: Gauss's rules from the centre to the rim and along it, with as many
// points as are needed. The error is that of rounding, for f up to 1.
template <std::size_t N, class F>
sum_and_error<N> planar_region::smooth(const F& f, const planar_point* singular,
                                       double accuracy) const {
  const auto rule_for = [](int points) {
    return quadrature::gauss_rule(std::min(points, quadrature::most_gauss_points));
  };
  const auto points_for = [&](complex nearest, int degree) {
    return quadrature::gauss_points_for(nearest, degree, accuracy);
  };
  sum_and_error<N> sum;
  const auto add = [&](double x, double y, double weight) {
    const auto value = f(centre.x + x, centre.y + y);
    for (std::size_t i = 0; i < N; ++i) sum.value[i] += weight * value[i];
    sum.error += 4 * rounding * std::abs(weight);
  };
  const double far = singular == nullptr
                         ? std::numeric_limits<double>::infinity()
                         : std::hypot(singular->x - centre.x, singular->y - centre.y) / radius;
  if (rim.empty()) {
    const auto rule = rule_for(points_for(far, degree_of(pressure) == 0 ? 2 : 3));
    for (const auto [v, weight_v] : rule)
      for (const auto [u, weight_u] : rule) {
        const double x = u * half_box.x, y = v * half_box.y;
        add(x, y, half_box.x * half_box.y * weight_u * weight_v * pressure(x, y));
      }
    return sum;
  }
  const int degree = 2 + degree_of(pressure);
  // From the centre outwards; with q = sqrt(1 - share^2) the root of Hertz's pressure is gone.
  const auto outwards = rule_for(points_for(2 * far - 1, degree + (is_hertz ? 4 : 1)));
  const auto towards = [&](planar_point at, double weight) {
    for (const auto [node, half_weight] : outwards) {
      const double q = 0.5 * (1 + node), share = is_hertz ? std::sqrt(1 - q * q) : q;
      const double x = share * at.x, y = share * at.y;
      add(x, y, 0.5 * half_weight * weight * (is_hertz ? q * q : share * pressure(x, y)));
    }
  };
  const auto over_edge = [&](const rim_piece& edge) {
    const planar_point from = edge.from - centre, way = edge.to - edge.from;
    const double square = dot(way, way);
    if (square == 0) return;
    complex nearest = far;
    if (singular != nullptr) {
      const planar_point to_it = *singular - edge.from;
      nearest = complex(2 * dot(to_it, way) - square, 2 * cross(way, to_it)) / square;
    }
    for (const auto [node, weight] : rule_for(points_for(nearest, degree))) {
      const double share = 0.5 * (1 + node);
      towards({from.x + share * way.x, from.y + share * way.y}, 0.5 * weight * cross(from, way));
    }
  };
  const auto over_part = [&](const auto& self, const rim_piece& arc, double from,
                             double to) -> void {
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    int points = 10;  // for sine and cosine
    if (singular != nullptr)
      for (const complex& root : angles_through(arc.a, arc.b, *singular)) {
        const double turn = std::remainder(root.real() - middle, 2 * pi);
        points = std::max(points, points_for(complex(turn, root.imag()) / half, 2 * degree));
      }
    if (std::abs(half) > pi / 7 || points > quadrature::most_gauss_points) {
      self(self, arc, from, middle);
      self(self, arc, middle, to);
      return;
    }
    for (const auto [node, weight] : rule_for(points)) {
      const double angle = middle + half * node;
      const planar_point at = on_ellipse(arc.a, arc.b, angle) - centre;
      const planar_point way{-arc.a * std::sin(angle), arc.b * std::cos(angle)};
      towards(at, half * weight * cross(at, way));
    }
  };
  for (const auto& each : rim)
    if (each.is_arc()) {
      over_part(over_part, each, each.angle_from, each.angle_to);
    } else {
      over_edge(each);
    }
  return sum;
}

planar_region::moments planar_region::load() const {
  const auto sum = smooth<4>(
      [](double x, double y) {
        return std::array{1.0, x, y, x * x + y * y};
      },
      nullptr, rounding);
  return {sum.value, sum.error};
}

planar_region::integral planar_region::coulomb(const twist<double>& t, double relative_tolerance,
                                               double whole_load, double reach) const {
  // The sums about the centre of rotation lose digits to each other when it is far away, the more
  // the higher the degree of the pressure, but then the direction is smooth.
  const double limit = degree_of(pressure) == 0 ? 15 : degree_of(pressure) == 1 ? 10 : 6;
  const auto v = velocity_at<double>(t, centre.x, centre.y);
  return v[0] * v[0] + v[1] * v[1] <= std::pow(limit * radius * t[2], 2)
             ? near_centre_of_rotation(t, relative_tolerance * whole_load * radius / reach, reach)
             : far_from_centre_of_rotation(t, relative_tolerance);
}

planar_region::integral planar_region::near_centre_of_rotation(const twist<double>& t,
                                                               double tolerance,
                                                               double reach) const {
  const planar_point c = centre_of_rotation(t);
  const auto p = pressure.about(c - centre);
  polar_sums edges;
  double size = 0;  // of the terms, which rounding is relative to
  const planar_point to_centre = centre - c;
  const double furthest = std::sqrt(dot(to_centre, to_centre)) + radius;
  sum_and_error<3> sum;
  const auto size_of = [&](const rim_piece& arc) {
    const double length = std::max(arc.a, arc.b) * std::abs(arc.angle_to - arc.angle_from);
    return furthest * length * bound_of(p, furthest);
  };
  if (rim.empty()) {
    const planar_point low = to_centre - half_box, high = to_centre + half_box;
    const double width = 2 * half_box.x, height = 2 * half_box.y;
    size += add_edge(low, {1, 0}, width, p, edges);
    size += add_edge({high.x, low.y}, {0, 1}, height, p, edges);
    size += add_edge(high, {-1, 0}, width, p, edges);
    size += add_edge({low.x, high.y}, {0, -1}, height, p, edges);
  } else if (is_hertz) {
    sum = over_hertz(rim.front().a, rim.front().b, c, 0.25 * tolerance, reach);
    size = size_of(rim.front());
  } else {
    for (const auto& each : rim) {
      if (each.is_arc()) {
        sum += over_arc(each, p, c, 0.25 * tolerance, reach);
        size += size_of(each);
        continue;
      }
      const planar_point way = each.to - each.from;
      const double length = std::sqrt(dot(way, way));
      if (length > 0)
        size += add_edge(each.from - c, {way.x / length, way.y / length}, length, p, edges);
    }
  }
  const auto straight = as_wrench(edges, c, reach);
  const double side = t[2] > 0 ? 1 : -1;
  integral result{{}, sum.error};
  for (std::size_t k = 0; k < 3; ++k)
    result.value[static_cast<int>(k)] = side * (sum.value[k] + straight[k]);
  result.value[2] *= reach;
  result.error += 2 * rounding * size * (1 + (std::sqrt(dot(c, c)) + furthest) / reach);
  return result;
}

planar_region::integral planar_region::far_from_centre_of_rotation(
    const twist<double>& t, double relative_tolerance) const {
  const planar_point c = centre_of_rotation(t);
  const double accuracy = std::clamp(0.01 * relative_tolerance, 1e-14, 1e-6);
  const auto sum = smooth<4>(
      [&](double x, double y) {
        const auto v = velocity_at<double>(t, x, y);
        const double inverse = 1 / std::sqrt(v[0] * v[0] + v[1] * v[1]);
        return std::array{v[0] * inverse, v[1] * inverse, (x * v[1] - y * v[0]) * inverse, 1.0};
      },
      t[2] == 0 ? nullptr : &c, accuracy);
  return {{{sum.value[0], sum.value[1], sum.value[2]}}, sum.error + 20 * accuracy * sum.value[3]};
}

}  // namespace asperity
