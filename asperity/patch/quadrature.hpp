// SPDX-License-Identifier: Apache-2.0
#pragma once

// Adaptive quadrature of several functions of one variable at once, and Gauss's rules.

#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <span>
#include <vector>

namespace asperity::quadrature {

template <std::size_t N>
struct sum_and_error {
  std::array<double, N> value{};
  double error = 0;  // estimate, of the greatest component

  void operator+=(const sum_and_error& other) {
    for (std::size_t i = 0; i < N; ++i) value[i] += other.value[i];
    error += other.error;
  }
};

// The 21-point rule of Kronrod; the estimate is how far the 10-point rule of Gauss is from it.
template <std::size_t N, class F>
sum_and_error<N> kronrod(const F& f, double a, double b, double& rounding) {
  using rule = boost::math::quadrature::gauss_kronrod<double, 21>;
  using gauss_rule = boost::math::quadrature::gauss<double, 10>;
  const auto& nodes = rule::abscissa();
  const auto& weights = rule::weights();
  const auto& gauss_weights = gauss_rule::weights();
  const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
  std::array<double, N> fine{}, coarse{}, size{};
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const bool is_gauss = k % 2 == 1;  // the ten Gauss nodes are the odd ones
    for (const double sign : {1.0, -1.0}) {
      if (k == 0 && sign < 0) break;
      const auto y = f(middle + sign * half * nodes[k]);
      for (std::size_t i = 0; i < N; ++i) {
        fine[i] += weights[k] * y[i];
        size[i] += weights[k] * std::abs(y[i]);
        if (is_gauss) coarse[i] += gauss_weights[(k - 1) / 2] * y[i];
      }
    }
  }
  sum_and_error<N> result;
  for (std::size_t i = 0; i < N; ++i) {
    result.value[i] = half * fine[i];
    result.error = std::max(result.error, std::abs(half * (fine[i] - coarse[i])));
    rounding = std::max(rounding, std::abs(half * size[i]));
  }
  rounding *= 8 * std::numeric_limits<double>::epsilon();
  return result;
}

// Halves where the estimate is above the tolerance, 22 times at most: enough for a place where the
// function is not smooth. A function that is rough everywhere, as one whose terms cancel, would be
// halved everywhere: each 256th of the interval may be cut into so many parts, and what is left
// is in the estimate.
inline constexpr int most_parts = 64;
template <std::size_t N, class F>
sum_and_error<N> adaptive(const F& f, double a, double b, double tolerance, int depth = 22,
                          int* parts_left = nullptr) {
  double rounding = 0;
  auto whole = kronrod<N>(f, a, b, rounding);
  int own = most_parts;
  if (depth == 22 - 8) parts_left = &own;
  // Below rounding no halving helps.
  if (whole.error <= std::max(tolerance, rounding) || depth == 0 ||
      (parts_left != nullptr && --*parts_left <= 0)) {
    whole.error += rounding;
    return whole;
  }
  const double middle = 0.5 * (a + b);
  whole = adaptive<N>(f, a, middle, 0.5 * tolerance, depth - 1, parts_left);
  whole += adaptive<N>(f, middle, b, 0.5 * tolerance, depth - 1, parts_left);
  return whole;
}

// Of a function whose continuation has singularities at complex places: near their real parts it
// changes within their imaginary parts, which samples might miss. There x = x_0 + width sinh(w)
// makes it a smooth function of w. What is within less than the least width of an end, as a share
// of the interval, counts as there: the function is smooth up to it.
template <std::size_t N, class F>
sum_and_error<N> graded(const F& f, double from, double to,
                        std::span<const std::complex<double>> singular, double tolerance,
                        double least_width) {
  const auto width_at = [&](double x) {
    double width = std::numeric_limits<double>::infinity();
    for (const auto& each : singular)
      if (std::abs(each - x) > least_width * (to - from))
        width = std::min(width, std::abs(each - x));
    return width;
  };
  const auto part = [&](double start, double end) {  // graded towards its start
    const double width = width_at(start), length = end - start;
    if (width > std::abs(length)) return adaptive<N>(f, start, end, tolerance);
    const double scale = length > 0 ? width : -width;
    return adaptive<N>(
        [&](double w) {
          const double e = std::exp(w), inverse = 1 / e;
          auto y = f(start + 0.5 * scale * (e - inverse));
          for (auto& each : y) each *= 0.5 * scale * (e + inverse);
          return y;
        },
        0, std::asinh(length / scale), tolerance);
  };
  std::vector<double> ends{from, to};
  for (const auto& each : singular)
    if (each.real() > from && each.real() < to) ends.push_back(each.real());
  std::sort(ends.begin(), ends.end());
  sum_and_error<N> result;
  const auto subtract = [&](sum_and_error<N> backwards) {
    for (auto& each : backwards.value) each = -each;
    result += backwards;
  };
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const double left = ends[i], right = ends[i + 1], length = right - left;
    if (!(length > 0)) continue;
    const bool smooth_left = width_at(left) > length, smooth_right = width_at(right) > length;
    const double middle = smooth_left ? left : smooth_right ? right : left + 0.5 * length;
    if (middle > left) result += part(left, middle);
    if (middle < right) subtract(part(right, middle));
  }
  return result;
}

struct weighted_node {
  double x, weight;
};

// Gauss's rule on [-1, 1].
std::span<const weighted_node> gauss_rule(int points);
inline constexpr int most_gauss_points = 20;

// How many points are about so accurate for a function with its nearest singularity at this place,
// the interval being [-1, 1], times a polynomial: they need rho^(-2 points) with the ellipse of
// Bernstein through it, and the polynomial takes half its degree. May be more than there are.
int gauss_points_for(std::complex<double> singular, int degree, double accuracy);

}  // namespace asperity::quadrature
