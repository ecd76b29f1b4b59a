// SPDX-License-Identifier: Apache-2.0
#pragma once

// Processor time, and the least of several.

#include <algorithm>
#include <cmath>
#include <ctime>

namespace asperity {

inline double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
inline double processor_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }
inline double thread_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
inline double wall_seconds() { return seconds_of(CLOCK_MONOTONIC); }

template <class Clock, class Work>
double best_of(int repeats, const Clock& clock, const Work& work) {
  double best = HUGE_VAL;
  for (int i = 0; i < repeats; ++i) {
    const double start = clock();
    work();
    best = std::min(best, clock() - start);
  }
  return best;
}

}  // namespace asperity
