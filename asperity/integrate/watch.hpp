// SPDX-License-Identifier: Apache-2.0
#pragma once

// What may end a long computation before its time: an interrupt, the clock, or full memory. Every
// loop that may last asks a watch.

#include <algorithm>
#include <asperity/integrate/outcome.hpp>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <limits>

namespace asperity {

// Whether the caller asked to stop. There may be no such flag.
inline bool is_set(const std::atomic<bool>* interrupt) {
  return interrupt != nullptr && interrupt->load(std::memory_order_relaxed);
}

// Thrown by what has nothing to show before its end. Not an asperity::error: nobody may take it for
// a bad input and go on.
struct interruption : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

struct run_limits {
  const std::atomic<bool>* interrupt = nullptr;
  double seconds = std::numeric_limits<double>::infinity();  // of wall-clock time
  std::function<bool()> memory_is_full = nullptr;
};

// Looks every few milliseconds, whatever a step costs: after many steps that cost next to nothing,
// after each that takes long.
class run_watch {
 public:
  explicit run_watch(run_limits limits) : limits_(std::move(limits)), start_(clock::now()) {}

  // To be asked before every step; at once the first time.
  bool is_due() { return --steps_left_ <= 0; }

  // What ends the run here; outcome::completed: nothing does.
  outcome look() {
    const auto now = clock::now();
    const auto since = now - last_;
    if (since < shortest) interval_ = std::min(2 * interval_, most_steps);
    if (since > longest)
      interval_ = std::max(1L, interval_ / static_cast<long>(1 + since / longest));
    last_ = now;
    steps_left_ = interval_;
    if (is_set(limits_.interrupt)) return outcome::interrupted;
    if (std::chrono::duration<double>(now - start_).count() >= limits_.seconds)
      return outcome::time_limit;
    if (limits_.memory_is_full && limits_.memory_is_full()) return outcome::memory_limit;
    return outcome::completed;
  }

  outcome ask() { return is_due() ? look() : outcome::completed; }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds shortest{2}, longest{8};
  static constexpr long most_steps = 4096;

  run_limits limits_;
  clock::time_point start_, last_ = start_;
  long interval_ = 1, steps_left_ = 0;
};

}  // namespace asperity
