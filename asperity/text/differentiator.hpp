// SPDX-License-Identifier: Apache-2.0
#pragma once

// The slope of samples that lie unevenly in time: at each of them the slope of the parabola that
// fits its neighbours best, those within h of it, with weights w = (1 - u^2)^2, u = (t_i - t)/h
// (Savitzky and Golay's differentiator for any samples). A parabola is differentiated exactly,
// wherever the samples lie, and nothing is delayed.
//
// For dense even samples the gain over that of d/dt at the angular frequency omega is, s = omega h,
//   G(s) = integral w u sin(s u) du / (s integral w u^2 du) = 105 j_3(s)/s^3
// with the spherical Bessel function j_3, and white noise sigma of samples a step apart becomes
//   sigma_v = sigma sqrt(35/11 step/h^3).
// For samples few to a window both are sums, taken over even samples.

#include <span>
#include <vector>

namespace asperity {

// h times the angular frequency at which G = 1/sqrt 2.
double differentiator_corner();

struct differentiator {
  double half_width = 0;  // h [s]

  // The one that has this bandwidth [Hz] at -3 dB where samples are `step` [s] apart. Throws
  // asperity::error where that is more than two neighbours can give.
  static differentiator of_bandwidth(double hertz, double step);

  // Of even samples: slope of a sine over its own, frequency [Hz] of -3 dB, and standard deviation
  // [1/s] of the slope of white noise of standard deviation 1.
  double gain(double hertz, double step) const;
  double bandwidth(double step) const;
  double noise_gain(double step) const;

  // The slope at each sample; times rise. Where fewer than three samples lie within h, the window
  // is widened to hold three; `widened` counts these.
  std::vector<double> slope(std::span<const double> t, std::span<const double> x,
                            std::size_t* widened = nullptr) const;
};

}  // namespace asperity
