// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/text/differentiator.hpp>
#include <cmath>
#include <random>

namespace asperity {
namespace {

constexpr double pi = 3.14159265358979323846;

std::vector<double> uneven_times(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::exponential_distribution<double> step(1000.0);
  std::vector<double> t{0.3};
  while (t.size() < count) t.push_back(t.back() + 1e-5 + step(random));
  return t;
}

TEST(differentiator, TakesAParabolaExactlyWhereverItsSamplesLie) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto t = uneven_times(200, seed);
    std::vector<double> x;
    for (const double each : t) x.push_back(7 - 3 * each + 40 * each * each);
    for (const double h : {1e-4, 4e-3, 5e-2, 1.0}) {
      const auto v = differentiator{h}.slope(t, x);
      for (std::size_t i = 0; i < t.size(); ++i)
        EXPECT_NEAR(v[i], -3 + 80 * t[i], 1e-7) << "h = " << h << ", row " << i << " of " << seed;
    }
  }
}

// 105 j_3(s)/s^3, by the Bessel function of the standard library.
TEST(differentiator, HasTheGainOfItsFormulaAndNoDelay) {
  const double h = 0.02, step = 2e-5;
  for (const double s : {0.1, 1.0, 2.0, 3.0, 5.0, 8.0}) {
    const double omega = s / h, gain = 105 * std::sph_bessel(3, s) / (s * s * s);
    EXPECT_NEAR((differentiator{h}.gain(omega / (2 * pi), step)), gain, 1e-5);
    std::vector<double> t, x;
    for (int i = 0; i < 6000; ++i) {
      t.push_back(i * step);
      x.push_back(std::sin(omega * t.back() + 0.4));
    }
    const auto v = differentiator{h}.slope(t, x);
    for (std::size_t i = 1500; i < 4500; i += 50)
      EXPECT_NEAR(v[i], gain * omega * std::cos(omega * t[i] + 0.4), 1e-4 * omega) << s;
  }
  const double corner = differentiator_corner();
  EXPECT_NEAR(105 * std::sph_bessel(3, corner) / std::pow(corner, 3), std::sqrt(0.5), 1e-12);
}

TEST(differentiator, HasTheBandwidthThatIsAskedFor) {
  const double step = 5e-3;
  for (const double hertz : {0.5, 3.0, 10.0, 25.0, 40.0, 44.0}) {
    const auto found = differentiator::of_bandwidth(hertz, step);
    EXPECT_NEAR(found.gain(hertz, step), std::sqrt(0.5), 1e-6) << hertz;
    EXPECT_NEAR(found.bandwidth(step), hertz, 1e-6 * hertz);
    // Measured on a sine of that frequency: root mean square out over in.
    std::vector<double> t, x;
    for (int i = 0; i < 4000; ++i) {
      t.push_back(i * step);
      x.push_back(std::sin(2 * pi * hertz * t.back()));
    }
    const auto v = found.slope(t, x);
    double in = 0, out = 0;
    for (std::size_t i = 500; i < 3500; ++i) {
      in += std::pow(2 * pi * hertz * std::cos(2 * pi * hertz * t[i]), 2);
      out += v[i] * v[i];
    }
    EXPECT_NEAR(std::sqrt(out / in), std::sqrt(0.5), 1e-3) << hertz;
  }
}

// Two neighbours are a central difference, whose gain is sin(omega step)/(omega step).
TEST(differentiator, CannotHaveMoreThanACentralDifference) {
  const double step = 1e-3, most = differentiator{step}.bandwidth(step);
  EXPECT_NEAR(std::sin(2 * pi * most * step) / (2 * pi * most * step), std::sqrt(0.5), 1e-9);
  EXPECT_NO_THROW(differentiator::of_bandwidth(0.999 * most, step));
  EXPECT_THROW(differentiator::of_bandwidth(1.01 * most, step), error);
  EXPECT_THROW(differentiator::of_bandwidth(0, step), error);
  EXPECT_THROW(differentiator::of_bandwidth(std::nan(""), step), error);
}

TEST(differentiator, MakesOfWhiteNoiseWhatItSays) {
  const double step = 1e-3;
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 2e-6);
  std::vector<double> t, x;
  for (int i = 0; i < 200'000; ++i) {
    t.push_back(i * step);
    x.push_back(noise(random));
  }
  for (const double h : {1.5e-3, 5e-3, 2e-2}) {
    const differentiator of{h};
    const auto v = of.slope(t, x);
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 100; i + 100 < v.size(); ++i, ++count) sum += v[i] * v[i];
    EXPECT_NEAR(std::sqrt(sum / static_cast<double>(count)), 2e-6 * of.noise_gain(step),
                0.02 * 2e-6 * of.noise_gain(step));
  }
  // The integral in place of the sum.
  EXPECT_NEAR((differentiator{0.05}.noise_gain(1e-4)),
              std::sqrt(35.0 / 11.0 * 1e-4 / std::pow(0.05, 3)), 1e-3 * 4.8);
}

TEST(differentiator, TakesTwoSamplesAndOne) {
  const double t[] = {1, 3}, x[] = {5, 9};
  EXPECT_EQ(differentiator{0.1}.slope(t, x), (std::vector<double>{2, 2}));
  EXPECT_EQ(differentiator{0.1}.slope({t, 1}, {x, 1}), (std::vector<double>{0}));
  EXPECT_TRUE(differentiator{0.1}.slope({}, {}).empty());
  std::size_t widened = 0;
  const double s[] = {0, 1, 2, 3}, y[] = {0, 1, 4, 9};
  const auto v = differentiator{0.1}.slope(s, y, &widened);
  EXPECT_EQ(widened, 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(v[i], 2 * s[i], 1e-12);
}

}  // namespace
}  // namespace asperity
