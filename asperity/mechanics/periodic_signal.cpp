// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/mechanics/periodic_signal.hpp>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace asperity {

namespace {

using complex = std::complex<double>;
using std::numbers::pi;

// In place, sum of a[k] exp(2 pi i k n/N) for all n; N is a power of two.
void transform(std::vector<complex>& a) {
  const std::size_t n = a.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {  // in the order of reversed bits
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j |= bit;
    if (i < j) std::swap(a[i], a[j]);
  }
  std::vector<complex> turn(n / 2);
  for (std::size_t k = 0; k < n / 2; ++k)
    turn[k] = std::polar(1.0, 2 * pi * static_cast<double>(k) / static_cast<double>(n));
  for (std::size_t half = 1; half < n; half *= 2)
    for (std::size_t begin = 0; begin < n; begin += 2 * half)
      for (std::size_t k = 0; k < half; ++k) {
        complex &low = a[begin + k], &high = a[begin + k + half];
        const complex other = high * turn[k * (n / (2 * half))];
        high = low - other;
        low += other;
      }
}

// sum of values[n] exp(-2 pi i k n/N) for any N (Bluestein): as a convolution with a chirp, since
// 2 k n = k^2 + n^2 - (k - n)^2.
std::vector<complex> spectrum_of(const std::vector<double>& values) {
  const std::size_t n = values.size(), m = std::bit_ceil(2 * n);
  std::vector<complex> chirp(n), a(m), b(m);
  for (std::size_t k = 0; k < n; ++k) {
    const auto square = static_cast<double>(std::uint64_t{k} * k % (2 * n));
    chirp[k] = std::polar(1.0, pi * square / static_cast<double>(n));
    a[k] = values[k] * std::conj(chirp[k]);
    b[k] = chirp[k];
    if (k > 0) b[m - k] = chirp[k];
  }
  transform(a);
  transform(b);
  for (std::size_t k = 0; k < m; ++k) a[k] = std::conj(a[k] * b[k]);
  transform(a);
  for (std::size_t k = 0; k < n; ++k)
    chirp[k] = std::conj(a[k]) / static_cast<double>(m) * std::conj(chirp[k]);
  return chirp;
}

// Taylor polynomials about the points of a grid fine enough for the fastest harmonic.
struct sum_of_harmonics final : signal::form {
  double period, start, band = 0;
  std::size_t grid, terms = 2;
  std::vector<double> table;  // coefficients of the powers of a grid step, point by point

  sum_of_harmonics(const std::vector<complex>& harmonics, double the_period, double the_start)
      : period(the_period), start(the_start), grid(std::bit_ceil(2 * harmonics.size())) {
    const double step = 2 * pi / static_cast<double>(grid);  // of the first harmonic
    const double fastest_angle = 0.5 * step * static_cast<double>(harmonics.size() - 1);
    for (double term = fastest_angle; term > 1e-17; ++terms)
      term *= fastest_angle / static_cast<double>(terms);
    table.resize(grid * terms);
    std::vector<complex> derivative = harmonics, values;
    for (std::size_t power = 0; power < terms; ++power) {
      values = derivative;
      values.resize(grid);
      transform(values);
      for (std::size_t i = 0; i < grid; ++i) table[i * terms + power] = values[i].real();
      for (std::size_t k = 0; k < derivative.size(); ++k)
        derivative[k] *= complex(0, step * static_cast<double>(k) / static_cast<double>(power + 1));
    }
    // Above its band nothing is left but the rounding of a record.
    double all = 0, above = 0;
    for (const complex& each : harmonics) all += std::norm(each);
    std::size_t k = harmonics.size() - 1;
    for (; k > 1 && above + std::norm(harmonics[k]) <= 1e-18 * all; --k)
      above += std::norm(harmonics[k]);
    band = 2 * pi * static_cast<double>(k) / period;
  }

  // The polynomial about the nearest point, and how far that is in grid steps.
  std::pair<const double*, double> near(double t) const {
    double phase = std::fmod(t - start, period);
    if (phase < 0) phase += period;
    const double steps = phase / period * static_cast<double>(grid),
                 nearest = std::floor(steps + 0.5);
    return {&table[static_cast<std::size_t>(nearest) % grid * terms], steps - nearest};
  }
  double value(double t) const override {
    if (!std::isfinite(t)) return std::nan("");
    const auto [of, u] = near(t);
    double sum = 0;
    for (std::size_t k = terms; k-- > 0;) sum = sum * u + of[k];
    return sum;
  }
  double slope(double t) const override {
    if (!std::isfinite(t)) return std::nan("");
    const auto [of, u] = near(t);
    double sum = 0;
    for (std::size_t k = terms; k-- > 1;) sum = sum * u + static_cast<double>(k) * of[k];
    return sum * static_cast<double>(grid) / period;
  }
  double fastest() const override { return band; }
};

}  // namespace

signal periodic(const std::vector<complex>& harmonics, double period, double start) {
  if (harmonics.size() < 2) return signal::constant(harmonics.empty() ? 0 : harmonics[0].real());
  if (harmonics.size() > most_harmonics + 1)
    throw error(fmt::format("a periodic input has at most {} harmonics, but this one has {}",
                            most_harmonics, harmonics.size() - 1));
  return signal::of(std::make_shared<sum_of_harmonics>(harmonics, period, start));
}

signal band_limited(const std::vector<double>& values, double period, double start) {
  const std::size_t n = values.size();
  if (n > 2 * most_harmonics)
    throw error(fmt::format(
        "one period has at most {} values, but this one has {}: give the period, or fewer rows",
        2 * most_harmonics, n));
  std::vector<complex> harmonics = spectrum_of(values);
  harmonics.resize(n / 2 + 1);
  for (std::size_t k = 0; k < harmonics.size(); ++k)
    harmonics[k] *= (k == 0 || 2 * k == n ? 1.0 : 2.0) / static_cast<double>(n);
  // The values say nothing about a sine of half the rate of samples.
  if (n % 2 == 0) harmonics.back() = harmonics.back().real();
  return periodic(harmonics, period, start);
}

}  // namespace asperity
