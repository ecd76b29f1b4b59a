// SPDX-License-Identifier: Apache-2.0
#pragma once

// Many play operators over many samples, at the speed of the arithmetic: operators lie in
// registers, sixteen at a time, while the samples stream by. The processor's best instructions are
// chosen at run time (AVX2 or the baseline), and every choice gives the same bits.

#include <span>

namespace asperity {

// out[k] = q x[k] + sum p_i w_i(k),   w_i(k) = clamp(x[k] - r_i, x[k] + r_i, w_i(k - 1)).
//
// r, p and w have one element per operator; w is the state before the first sample and becomes that
// after the last. x and out have the same length and may be the same memory. Throws asperity::error
// where lengths differ.
void play_stream(double q, std::span<const double> r, std::span<const double> p,
                 std::span<double> w, std::span<const double> x, std::span<double> out);
void play_stream(float q, std::span<const float> r, std::span<const float> p, std::span<float> w,
                 std::span<const float> x, std::span<float> out);

// For tests and benchmarks: the same with the instructions named, "avx2" or "baseline"; false where
// this processor does not have them.
bool play_stream_with(const char* instructions, double q, std::span<const double> r,
                      std::span<const double> p, std::span<double> w, std::span<const double> x,
                      std::span<double> out);

}  // namespace asperity
