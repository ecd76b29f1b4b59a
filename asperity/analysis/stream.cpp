// SPDX-License-Identifier: Apache-2.0
#include <asperity/analysis/stream.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/error.hpp>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__)
#define ASPERITY_X86 1
#include <immintrin.h>
#endif

namespace asperity {

namespace {

// Operators go in blocks of four registers, the last block in as many as it needs. Lanes are added
// up over all blocks, each product fused with its sum, and at last to one another. Every
// instruction set does this in the same order and with the same lanes, so all give the same bits.
template <class S>
constexpr std::size_t lanes = 32 / sizeof(S);
constexpr std::size_t registers = 4;
template <class S>
constexpr std::size_t block_size = registers* lanes<S>;

// One block of `used` registers over some samples: `sums` has a register per sample.
template <class S>
using block_function = void (*)(std::size_t used, const S* r, const S* p, S* w, const S* x, S* sums,
                                std::size_t samples);

template <class S>
void baseline(std::size_t used, const S* r, const S* p, S* w, const S* x, S* sums,
              std::size_t samples) {
  for (std::size_t k = 0; k < samples; ++k)
    for (std::size_t which = 0; which < used * lanes<S>; ++which) {
      const S low = x[k] - r[which], high = x[k] + r[which];
      S y = w[which];
      y = y < high ? y : high;
      y = y > low ? y : low;
      w[which] = y;
      S& sum = sums[k * lanes<S> + which % lanes<S>];
      sum = std::fma(p[which], y, sum);
    }
}

#ifdef ASPERITY_X86
// min and max of these instructions are y < high ? y : high and y > low ? y : low, NaN included.
template <std::size_t Used>
__attribute__((target("avx2,fma"))) void avx2_block(const double* r, const double* p, double* w,
                                                    const double* x, double* sums,
                                                    std::size_t samples) {
  __m256d reach[Used], weight[Used], state[Used];
  for (std::size_t i = 0; i < Used; ++i) {
    reach[i] = _mm256_loadu_pd(r + 4 * i);
    weight[i] = _mm256_loadu_pd(p + 4 * i);
    state[i] = _mm256_loadu_pd(w + 4 * i);
  }
  for (std::size_t k = 0; k < samples; ++k) {
    const __m256d here = _mm256_broadcast_sd(x + k);
    __m256d sum = _mm256_loadu_pd(sums + 4 * k);
    for (std::size_t i = 0; i < Used; ++i) {
      const __m256d high = _mm256_add_pd(here, reach[i]), low = _mm256_sub_pd(here, reach[i]);
      state[i] = _mm256_max_pd(_mm256_min_pd(state[i], high), low);
      sum = _mm256_fmadd_pd(weight[i], state[i], sum);
    }
    _mm256_storeu_pd(sums + 4 * k, sum);
  }
  for (std::size_t i = 0; i < Used; ++i) _mm256_storeu_pd(w + 4 * i, state[i]);
}

template <std::size_t Used>
__attribute__((target("avx2,fma"))) void avx2_block(const float* r, const float* p, float* w,
                                                    const float* x, float* sums,
                                                    std::size_t samples) {
  __m256 reach[Used], weight[Used], state[Used];
  for (std::size_t i = 0; i < Used; ++i) {
    reach[i] = _mm256_loadu_ps(r + 8 * i);
    weight[i] = _mm256_loadu_ps(p + 8 * i);
    state[i] = _mm256_loadu_ps(w + 8 * i);
  }
  for (std::size_t k = 0; k < samples; ++k) {
    const __m256 here = _mm256_broadcast_ss(x + k);
    __m256 sum = _mm256_loadu_ps(sums + 8 * k);
    for (std::size_t i = 0; i < Used; ++i) {
      const __m256 high = _mm256_add_ps(here, reach[i]), low = _mm256_sub_ps(here, reach[i]);
      state[i] = _mm256_max_ps(_mm256_min_ps(state[i], high), low);
      sum = _mm256_fmadd_ps(weight[i], state[i], sum);
    }
    _mm256_storeu_ps(sums + 8 * k, sum);
  }
  for (std::size_t i = 0; i < Used; ++i) _mm256_storeu_ps(w + 8 * i, state[i]);
}

template <class S>
void avx2(std::size_t used, const S* r, const S* p, S* w, const S* x, S* sums,
          std::size_t samples) {
  if (used == 1) return avx2_block<1>(r, p, w, x, sums, samples);
  if (used == 2) return avx2_block<2>(r, p, w, x, sums, samples);
  if (used == 3) return avx2_block<3>(r, p, w, x, sums, samples);
  static_assert(registers == 4);
  avx2_block<4>(r, p, w, x, sums, samples);
}
#endif

bool has_avx2() {
#ifdef ASPERITY_X86
  static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return has;
#else
  return false;
#endif
}

template <class S>
block_function<S> best() {
#ifdef ASPERITY_X86
  if (has_avx2()) return avx2<S>;
#endif
  return baseline<S>;
}

template <class S>
void run_stream(block_function<S> one_block, S q, std::span<const S> r, std::span<const S> p,
                std::span<S> w, std::span<const S> x, std::span<S> out) {
  if (p.size() != r.size() || w.size() != r.size())
    throw error(
        fmt::format("play_stream: there are {} thresholds, {} weights and {} states, but their "
                    "numbers must be equal",
                    r.size(), p.size(), w.size()));
  if (out.size() != x.size())
    throw error(
        fmt::format("play_stream: {} input and {} output samples: their numbers must be equal",
                    x.size(), out.size()));
  // Samples in stretches that stay in the first-level cache while all blocks pass over them.
  constexpr std::size_t stretch = 512, width = lanes<S>, size = block_size<S>;
  const std::size_t blocks = (r.size() + size - 1) / size;
  std::vector<S> reach(blocks * size), weight(blocks * size), state(blocks * size);
  std::copy(r.begin(), r.end(), reach.begin());
  std::copy(p.begin(), p.end(), weight.begin());
  std::copy(w.begin(), w.end(), state.begin());
  alignas(64) std::array<S, stretch> input;  // x and out may be the same memory
  alignas(64) std::array<S, stretch * width> sums;
  for (std::size_t from = 0; from < x.size(); from += stretch) {
    const std::size_t count = std::min(stretch, x.size() - from);
    std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(from), count, input.begin());
    std::fill_n(sums.begin(), count * width, S(0));
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t left = (r.size() - b * size + width - 1) / width;
      one_block(std::min(left, registers), &reach[b * size], &weight[b * size], &state[b * size],
                input.data(), sums.data(), count);
    }
    for (std::size_t k = 0; k < count; ++k) {
      S* const total = &sums[k * width];
      for (std::size_t half = width / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i) total[i] = total[i] + total[i + half];
      out[from + k] = q * input[k] + total[0];
    }
  }
  std::copy_n(state.begin(), w.size(), w.begin());
}

}  // namespace

void play_stream(double q, std::span<const double> r, std::span<const double> p,
                 std::span<double> w, std::span<const double> x, std::span<double> out) {
  run_stream<double>(best<double>(), q, r, p, w, x, out);
}

void play_stream(float q, std::span<const float> r, std::span<const float> p, std::span<float> w,
                 std::span<const float> x, std::span<float> out) {
  run_stream<float>(best<float>(), q, r, p, w, x, out);
}

bool play_stream_with(const char* instructions, double q, std::span<const double> r,
                      std::span<const double> p, std::span<double> w, std::span<const double> x,
                      std::span<double> out) {
  const bool wants_avx2 = std::strcmp(instructions, "avx2") == 0;
  if (!wants_avx2 && std::strcmp(instructions, "baseline") != 0) return false;
  if (wants_avx2 && !has_avx2()) return false;
  run_stream<double>(wants_avx2 ? best<double>() : baseline<double>, q, r, p, w, x, out);
  return true;
}

}  // namespace asperity
