// SPDX-License-Identifier: Apache-2.0
#pragma once

// How an integration ended. Numerical failure is data, not an exception, and no method can run for
// ever: every loop ends by one of these.

#include <string>

namespace asperity {

enum class outcome {
  completed,         // reached the end time
  stopped_by_event,  // a terminal event
  interrupted,       // the caller asked to stop
  step_limit,        // more steps than allowed
  time_limit,        // more wall-clock time than allowed
  memory_limit,      // more memory for what is recorded than allowed
  step_too_small,    // an adaptive method cannot meet its tolerance
  not_finite,        // a state became NaN or infinite
  solver_failed      // a foreign solver gave up; `detail` has its words
};

constexpr const char* to_string(outcome how) {
  switch (how) {
    case outcome::completed:
      return "completed";
    case outcome::stopped_by_event:
      return "stopped by an event";
    case outcome::interrupted:
      return "interrupted";
    case outcome::step_limit:
      return "step limit reached";
    case outcome::time_limit:
      return "time limit reached";
    case outcome::memory_limit:
      return "memory limit reached";
    case outcome::step_too_small:
      return "step too small";
    case outcome::not_finite:
      return "state not finite";
    case outcome::solver_failed:
      return "solver failed";
  }
  return "unknown";
}

// What a run can keep: everything up to `t`.
constexpr bool is_failure(outcome how) {
  return how != outcome::completed && how != outcome::stopped_by_event &&
         how != outcome::interrupted;
}

struct [[nodiscard]] integration_result {
  outcome how = outcome::completed;
  double t = 0;  // reached [s]
  long steps = 0, rejected = 0, evaluations = 0;
  std::string detail;
};

}  // namespace asperity
