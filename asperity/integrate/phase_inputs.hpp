// SPDX-License-Identifier: Apache-2.0
#pragma once

// The inputs of a linear_mass as they are from the start of a phase on (exact_flow.hpp,
// contact_flow.hpp):
//
//   u(tau) = steady + slope tau + the sum of cosine_j cos(omega_j tau) + sine_j sin(omega_j tau)

#include <algorithm>
#include <asperity/integrate/linear_mass.hpp>
#include <cmath>

namespace asperity::detail {

template <class R>
struct phase_inputs {
  static constexpr int most_tones = 64;

  explicit phase_inputs(const linear_mass& of) : mass(&of) {}

  const linear_mass* mass;
  int number = -1;  // of the piece that holds
  R steady = 0, slope = 0;
  int tones = 0;
  R omega[most_tones], cosine[most_tones], sine[most_tones];
  R fastest = 0;                // of the tones
  R now[3] = {}, size[3] = {};  // u, u', u'' at the start; sizes of the terms that they are sums of

  int pieces() const { return static_cast<int>(mass->pieces.size()); }
  const linear_mass::piece& piece() const {
    return mass->pieces[static_cast<std::size_t>(std::max(number, 0))];
  }
  bool is_last() const { return number + 1 >= pieces(); }
  R until() const { return R(mass->pieces[static_cast<std::size_t>(number + 1)].from); }

  // The piece that holds from t on.
  void take_piece(R t) {
    number = std::max(number, 0);
    while (!is_last() && until() <= t) ++number;
  }

  // For a phase that starts at t + t_low.
  void set(R t, R t_low) {
    const auto& p = piece();
    slope = R(p.slope);
    steady = R(p.offset) + slope * ((t - R(p.from)) + t_low);
    now[0] = steady;
    now[1] = slope;
    now[2] = 0;
    size[0] = std::abs(R(p.offset)) + std::abs(steady - R(p.offset));
    size[1] = std::abs(slope);
    size[2] = 0;
    tones = p.tones;
    fastest = 0;
    for (int j = 0; j < tones; ++j) {
      const auto& tone = mass->tones[static_cast<std::size_t>(p.first_tone + j)];
      const R w = R(tone.omega), A = R(tone.amplitude);
      // The product of a large time has its lower digits in a second number, so that the angle is
      // right however long the run is.
      const R angle = w * t, low = std::fma(w, t, -angle) + (w * t_low + R(tone.phase));
      const R s0 = std::sin(angle), c0 = std::cos(angle);
      const bool is_small = std::abs(low) < R(1e-10);
      const R s1 = is_small ? low : std::sin(low), c1 = is_small ? R(1) : std::cos(low);
      omega[j] = w;
      cosine[j] = A * (s0 * c1 + c0 * s1);
      sine[j] = A * (c0 * c1 - s0 * s1);
      fastest = std::max(fastest, std::abs(w));
      now[0] += cosine[j];
      now[1] += w * sine[j];
      now[2] -= w * w * cosine[j];
      const R most = std::abs(A), rate = std::abs(w);
      size[0] += most;
      size[1] += most * rate;
      size[2] += most * rate * rate;
    }
  }
};

}  // namespace asperity::detail
