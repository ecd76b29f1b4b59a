// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/text/differentiator.hpp>
#include <cmath>
#include <cstddef>

namespace asperity {

namespace {

constexpr double pi = 3.14159265358979323846;

double weight(double u) {
  const double rest = 1 - u * u;
  return rest > 0 ? rest * rest : 0;
}

// Where a falling function comes down to a value.
template <class F>
double where(const F& f, double value, double low, double high) {
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (f(middle) > value ? low : high) = middle;
  }
  return low;
}

double gain_of_dense(double s) {
  if (s < 0.3) return 1 - s * s / 18 * (1 - s * s / 44);
  const double j3 =
      (15 / (s * s * s) - 6 / s) * std::sin(s) / s - (15 / (s * s) - 1) * std::cos(s) / s;
  return 105 * j3 / (s * s * s);
}

}  // namespace

double differentiator_corner() {
  static const double corner = where(gain_of_dense, std::sqrt(0.5), 0, 4);
  return corner;
}

double differentiator::gain(double hertz, double step) const {
  const double omega = 2 * pi * hertz;
  if (omega == 0) return 1;
  const double reach = std::max(half_width / step, 1 + 1e-9);
  double above = 0, below = 0;
  for (double k = 1; k < reach; ++k) {
    const double w = weight(k / reach);
    above += w * k * std::sin(omega * k * step);
    below += w * k * k;
  }
  return above / (omega * step * below);
}

double differentiator::bandwidth(double step) const {
  const double guess = differentiator_corner() / (2 * pi * half_width);
  return where([&](double hertz) { return gain(hertz, step); }, std::sqrt(0.5), 0,
               std::min(2 * guess, 0.5 / step));
}

double differentiator::noise_gain(double step) const {
  const double reach = std::max(half_width / step, 1 + 1e-9);
  double above = 0, below = 0;
  for (double k = 1; k < reach; ++k) {
    const double w = weight(k / reach);
    above += 2 * w * w * k * k;
    below += 2 * w * k * k;
  }
  return std::sqrt(above) / (below * step);
}

differentiator differentiator::of_bandwidth(double hertz, double step) {
  // Two neighbours are the central difference: sin(omega step)/(omega step) = 1/sqrt 2.
  const double most = differentiator{step}.bandwidth(step);
  if (!(hertz > 0) || !(hertz <= most))
    throw error(fmt::format(
        "a bandwidth of {:g} Hz is not possible: samples {:g} s apart allow up to {:.4g} Hz", hertz,
        step, most));
  // The bandwidth falls as the window widens, from that of dense samples on the one side.
  const double dense = differentiator_corner() / (2 * pi * hertz);
  double low = step, high = std::max(2 * dense, 2 * step);
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (differentiator{middle}.bandwidth(step) > hertz ? low : high) = middle;
  }
  return {high};
}

std::vector<double> differentiator::slope(std::span<const double> t, std::span<const double> x,
                                          std::size_t* widened) const {
  const std::size_t n = t.size();
  std::vector<double> result(n, 0.0);
  if (n < 2) return result;
  if (n == 2) {
    result[0] = result[1] = (x[1] - x[0]) / (t[1] - t[0]);
    return result;
  }
  std::size_t first = 0, last = 0;  // the samples inside the window
  for (std::size_t i = 0; i < n; ++i) {
    while (t[first] <= t[i] - half_width) ++first;
    while (last < n && t[last] < t[i] + half_width) ++last;
    std::size_t from = first, to = last;
    double h = half_width;
    if (to - from < 3) {
      if (widened != nullptr) ++*widened;
      from = std::min(i > 0 ? i - 1 : 0, n - 3);
      to = from + 3;
      // So that the farthest still has a weight.
      h = 1.5 * std::max(t[i] - t[from], t[to - 1] - t[i]);
    }
    // Orthogonal polynomials 1, u - a, (u - b)(u - a) - c over these samples: the sums stay well
    // apart also at the ends, where all neighbours lie on one side.
    const auto at = [&](std::size_t k) { return (t[k] - t[i]) / h; };
    double w0 = 0, w1 = 0;
    for (std::size_t k = from; k < to; ++k) {
      const double u = at(k), w = weight(u);
      w0 += w;
      w1 += w * u;
    }
    const double a = w1 / w0;
    double p1 = 0, p1u = 0;
    for (std::size_t k = from; k < to; ++k) {
      const double u = at(k), w = weight(u);
      p1 += w * (u - a) * (u - a);
      p1u += w * (u - a) * (u - a) * u;
    }
    const double b = p1u / p1, c = p1 / w0;
    double x1 = 0, x2 = 0, p2 = 0;
    for (std::size_t k = from; k < to; ++k) {
      const double u = at(k), w = weight(u), y = x[k] - x[i];
      const double q = (u - b) * (u - a) - c;
      x1 += w * (u - a) * y;
      x2 += w * q * y;
      p2 += w * q * q;
    }
    // At u = 0 the slopes of the polynomials are 0, 1 and -(a + b).
    result[i] = (x1 / p1 - (p2 > 0 ? x2 / p2 * (a + b) : 0.0)) / h;
  }
  return result;
}

}  // namespace asperity
