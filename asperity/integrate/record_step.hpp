// SPDX-License-Identifier: Apache-2.0
#pragma once

// A step of a model's states along a record, in plain numbers: L-stable and of order 2, Alexander's
// two-stage SDIRK. The text is that of the processor (model_fit.cpp) and of a GPU
// (batch/cuda/record_kernel.hpp).

#include <asperity/scalar/math.hpp>

namespace asperity::detail {

inline constexpr double stage_share = 0.29289321881345254;  // 1 - 1/sqrt(2)
inline constexpr double stage_carry = (1 - stage_share) / stage_share;

// A stage, stage = base + a F(stage): each state by secants of its own, which is enough where states
// hardly depend on each other, as bristles do not. respond(stage, rate) gives F.
template <int Capacity>
struct record_stages {
  double scale[Capacity] = {};  // typical sizes of the states; 0 where unknown
  double slope[Capacity] = {};  // of each rate by its own state, found as it goes
  double rate[Capacity] = {};   // at the stage

  // False where the stage does not settle.
  template <class Respond>
  ASPERITY_FN bool settle(int n, double a, const double* base, double* stage,
                          const Respond& respond) {
    double before[Capacity], step[Capacity];
    respond(stage, rate);
    double last = unbounded;
    for (int k = 0; k < 30; ++k) {
      // About a kink secants can cycle: half a step leaves the cycle, a whole one ends on one side.
      const double share = k > 4 && k % 2 == 0 ? 0.5 : 1.0;
      double length = 0;
      bool is_rounding = true;
      for (int i = 0; i < n; ++i) {
        const double steepness = 1 - a * slope[i];
        const double whole = (stage[i] - base[i] - a * rate[i]) / math::max(steepness, 0.1);
        if (!is_finite(whole)) return false;
        step[i] = share * whole;
        const double size = math::abs(scale[i]) + math::abs(stage[i]);
        is_rounding = is_rounding && math::abs(whole) <= 1e-15 * math::abs(stage[i]);
        if (whole != 0) length = math::max(length, math::abs(whole) / size);
      }
      // To the rounding of the states, however rough their scales are.
      if (is_rounding || (length <= 1e-13 && length > 0.25 * last)) return true;
      last = length;
      for (int i = 0; i < n; ++i) {
        before[i] = rate[i];
        stage[i] -= step[i];
      }
      respond(stage, rate);
      // Steps of rounding tell no slope.
      for (int i = 0; i < n; ++i) {
        const double size = math::abs(scale[i]) + math::abs(stage[i]);
        const double found = (before[i] - rate[i]) / step[i];
        if (is_finite(found) && math::abs(step[i]) > 1e-12 * size) slope[i] = found;
      }
    }
    return false;
  }

  // A step of length h from y, in place. at_stage and at_end are F there.
  template <class AtStage, class AtEnd>
  ASPERITY_FN bool step(int n, double h, double* y, const AtStage& at_stage, const AtEnd& at_end) {
    const double a = stage_share * h;
    double stage[Capacity], base[Capacity];
    for (int i = 0; i < n; ++i) stage[i] = y[i];
    if (!settle(n, a, y, stage, at_stage)) return false;
    for (int i = 0; i < n; ++i) base[i] = y[i] + stage_carry * (stage[i] - y[i]);
    if (!settle(n, a, base, stage, at_end)) return false;
    for (int i = 0; i < n; ++i) y[i] = stage[i];
    return true;
  }

 private:
  static ASPERITY_FN bool is_finite(double x) { return x - x == 0; }
};

// What the sensor of a force shows: measured = gain f + offset + stiffness x.
struct force_sensor {
  double offset = 0, gain = 1, stiffness = 0;
  ASPERITY_FN double shows(double f, double x) const { return gain * f + offset + stiffness * x; }
};

}  // namespace asperity::detail
