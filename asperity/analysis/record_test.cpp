// SPDX-License-Identifier: Apache-2.0
// The published Bouc-Wen benchmark (Noel and Schoukens 2016): its system, simulated, against its
// record. The record is not part of the project: $ASPERITY_DATA names its folder, or it lies in
// ../shared/data beside the checkout or one level up. The test skips where it is not there.

#include <gtest/gtest.h>

#include <asperity/analysis/loops.hpp>
#include <asperity/models/hysteresis/bouc_wen.hpp>
#include <asperity/testing.hpp>
#include <asperity/text/csv.hpp>
#include <complex>
#include <cstdlib>
#include <filesystem>
#include <numbers>

namespace asperity {
namespace {

std::string find_record() {
  std::vector<std::filesystem::path> places;
  if (const char* named = std::getenv("ASPERITY_DATA")) places.emplace_back(named);
  const std::filesystem::path source(ASPERITY_SOURCE_DIR);
  places.push_back(source / "../shared/data");
  places.push_back(source / "../../shared/data");
  for (const auto& place : places)
    if (std::filesystem::exists(place / "boucwen_train.csv"))
      return (place / "boucwen_train.csv").string();
  return "";
}

// Fourier transform of a length that is a power of two; the inverse is not scaled.
void transform(std::vector<std::complex<double>>& a, double sign) {
  const std::size_t n = a.size();
  for (std::size_t i = 1, k = 0; i < n; ++i) {
    std::size_t bit = n / 2;
    for (; (k & bit) != 0; bit /= 2) k ^= bit;
    k ^= bit;
    if (i < k) std::swap(a[i], a[k]);
  }
  for (std::size_t length = 2; length <= n; length *= 2)
    for (std::size_t i = 0; i < n; i += length)
      for (std::size_t k = 0; k < length / 2; ++k) {
        const auto turn = std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k) /
                                              static_cast<double>(length));
        const auto even = a[i + k], odd = a[i + k + length / 2] * turn;
        a[i + k] = even + odd;
        a[i + k + length / 2] = even - odd;
      }
}

// The band-limited signal through one period of samples, `finer` values for each.
std::vector<double> between(const std::vector<double>& samples, std::size_t finer) {
  const std::size_t n = samples.size();
  std::vector<std::complex<double>> coarse(samples.begin(), samples.end()), fine(n * finer);
  transform(coarse, -1);
  for (std::size_t i = 0; i < n / 2; ++i) fine[i] = coarse[i];
  for (std::size_t i = n / 2 + 1; i < n; ++i) fine[n * finer - n + i] = coarse[i];
  transform(fine, 1);
  std::vector<double> result;
  result.reserve(fine.size());
  for (const auto& each : fine) result.push_back(each.real() / static_cast<double>(n));
  return result;
}

double rms(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

TEST(bouc_wen_record, ThePublishedSystemReproducesItDownToItsNoise) {
  const std::string file = find_record();
  if (file.empty())
    GTEST_SKIP() << "boucwen_train.csv is not here; $ASPERITY_DATA can name its folder";
  const csv_table table = csv_table::read(file);
  const auto force = table.column("force_N"), measured = table.column("displacement_m");
  constexpr std::size_t period = 8192, periods = 5, finer = 32;
  ASSERT_EQ(force.size(), period * periods);

  // Five equal periods of the input; those of the output differ by noise alone.
  double noise = 0;
  std::vector<double> mean(period);
  for (std::size_t i = 0; i < period; ++i) {
    for (std::size_t p = 0; p < periods; ++p) {
      ASSERT_NEAR(force[p * period + i], force[i], 1e-6 * 200);
      mean[i] += measured[p * period + i] / periods;
    }
    for (std::size_t p = 0; p < periods; ++p)
      noise += std::pow(measured[p * period + i] - mean[i], 2) / ((periods - 1.0) * period);
  }
  noise = std::sqrt(noise);
  EXPECT_NEAR(noise, 7e-6, 1e-6);

  const auto input = between({force.begin(), force.begin() + period}, finer);
  const bouc_wen<double> hysteresis{
      .alpha = 5e4, .beta = 1e3, .gamma = 0.8, .delta = -1.1, .nu = 1};
  constexpr double m = 2, c = 10, k = 5e4, h = 2.0 / (750 * finer);
  vec<double, 3> y;  // x, v, z
  std::vector<double> simulated;
  const auto run_period = [&](std::vector<double>* out) {
    for (std::size_t i = 0; i < input.size(); i += 2) {
      if (out != nullptr && i % finer == 0) out->push_back(y[0]);
      const double forces[] = {input[i], input[i + 1], input[(i + 2) % input.size()]};
      y = testing::runge_kutta_step(
          [&](double t, const vec<double, 3>& at) {
            const auto answer = hysteresis({{at[2]}}, {at[0], at[1], 1});
            const double u = forces[static_cast<int>(std::lround(2 * t / h))];
            return vec<double, 3>{
                {at[1], (u - c * at[1] - k * at[0] - answer.f) / m, answer.rate[0]}};
          },
          0.0, y, h);
    }
  };
  run_period(nullptr);  // into the steady state, in which the record was taken
  std::vector<double> before;
  run_period(&before);
  run_period(&simulated);
  EXPECT_LT(rms(simulated, before), 0.01 * noise);

  // The mean of five periods has less noise by the root of five; nothing but noise is left.
  double signal = 0;
  for (const double x : mean) signal += x * x / period;
  EXPECT_GT(std::sqrt(signal), 50 * noise);
  const double left = rms(simulated, mean);
  EXPECT_LT(left, 1.1 * noise / std::sqrt(5.0)) << "noise of one period " << noise;
  RecordProperty("rms_error_um", std::to_string(1e6 * left));

  // The guess, from one record alone, agrees with what five periods tell.
  EXPECT_NEAR(guess_noise(measured), 8 * noise, 0.2 * 8 * noise);
  EXPECT_EQ(guess_noise(force), 0);

  // ... and through the loops: energy is taken in every period, as much as the input gives.
  const auto found = analyse_loops(measured, force, {.noise = 8 * noise, .find_crossings = false});
  EXPECT_GT(found.loops.size(), 100U);
  double given = 0;
  for (std::size_t i = 0; i < period; ++i) {
    const std::size_t next = (i + 1) % period;
    given += (force[i] + force[next]) / 2 * (simulated[next] - simulated[i]);
  }
  EXPECT_NEAR(found.work / periods, given, 0.02 * given);
}

}  // namespace
}  // namespace asperity
