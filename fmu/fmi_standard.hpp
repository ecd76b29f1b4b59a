// SPDX-License-Identifier: Apache-2.0
#pragma once

// The types of the C interfaces of FMI 2.0.4 and 3.0.2 (https://fmi-standard.org) that our entry
// points use. Names, order and sizes are those of the standard.

#include <cstddef>
#include <cstdint>

extern "C" {

// ---- FMI 2.0 ------------------------------------------------------------------------------------
using fmi2_logger = void (*)(void* environment, const char* instance, int status,
                             const char* category, const char* message, ...);
struct fmi2_callbacks {
  fmi2_logger logger;
  void* (*allocate)(std::size_t count, std::size_t size);
  void (*release)(void*);
  void (*step_finished)(void* environment, int status);
  void* environment;
};
struct fmi2_event_info {
  int new_discrete_states_needed;
  int terminate_simulation;
  int nominals_changed;
  int states_changed;
  int next_event_time_defined;
  double next_event_time;
};

// ---- FMI 3.0 ------------------------------------------------------------------------------------
using fmi3_logger = void (*)(void* environment, int status, const char* category,
                             const char* message);

}  // extern "C"

namespace asperity::fmi {

// Of both standards.
enum status : int { ok = 0, warning = 1, discard = 2, failed = 3, fatal = 4 };

}  // namespace asperity::fmi
