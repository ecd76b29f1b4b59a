// SPDX-License-Identifier: Apache-2.0
#pragma once

// Periodic inputs as sums of many harmonics, at the cost of one short polynomial each time.

#include <asperity/mechanics/signal.hpp>
#include <complex>
#include <vector>

namespace asperity {

inline constexpr std::size_t most_harmonics = std::size_t{1} << 18;  // their table has 150 MB

// The real part of the sum of harmonics[k] exp(2 pi i k (t - start)/period), to rounding.
signal periodic(const std::vector<std::complex<double>>& harmonics, double period, double start);

// The trigonometric polynomial of least degree through values of one period, equally spaced from
// `start` on: what a record holds that was sampled fast enough.
signal band_limited(const std::vector<double>& values, double period, double start);

}  // namespace asperity
