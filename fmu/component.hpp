// SPDX-License-Identifier: Apache-2.0
#pragma once

// What stands behind the handle that an importer holds: an instance, how far its life has come, and
// the way to the importer's log. Nothing thrown leaves it.

#include <asperity/error.hpp>
#include <asperity/fmi/instance.hpp>
#include <asperity/fmi/package.hpp>
#include <functional>
#include <new>
#include <string>

#include "fmu/fmi_standard.hpp"

namespace asperity::fmi {

// The states that the standards draw, as bits: a function says in which it may be called.
enum life : unsigned {
  instantiated = 1U << 0U,
  initialising = 1U << 1U,
  stepping = 1U << 2U,    // co-simulation, between steps
  events = 1U << 3U,      // model exchange
  continuous = 1U << 4U,  // model exchange
  terminated = 1U << 5U,
  broken = 1U << 6U  // after a numerical failure
};
inline constexpr unsigned before_start = instantiated | initialising;
inline constexpr unsigned started = stepping | events | continuous;
inline constexpr unsigned any_life = before_start | started | terminated | broken;

inline const char* name_of(life now) {
  switch (now) {
    case instantiated:
      return "instantiated";
    case initialising:
      return "in initialization mode";
    case stepping:
      return "in step mode";
    case events:
      return "in event mode";
    case continuous:
      return "in continuous-time mode";
    case terminated:
      return "terminated";
    case broken:
      return "in its error state";
  }
  return "unknown";
}

struct component {
  using log_function = std::function<void(status, const char* category, const char* message)>;

  instance core;
  std::string name;
  log_function log;
  bool is_solver_driven;  // model exchange
  bool logging = true;
  life now = instantiated;

  void tell(status how, const std::string& text) const noexcept {
    if (!log || (how <= warning && !logging)) return;
    try {
      log(how, how <= warning ? "logStatusWarning" : "logStatusError", text.c_str());
    } catch (...) {
      // A logger of C does not throw.
    }
  }

  // Runs `body` where `allowed` has the present state, and says what went wrong. A body answers with
  // a status.
  template <class Body>
  status guarded(const char* function, unsigned allowed, const Body& body) noexcept {
    try {
      if ((allowed & now) == 0)
        throw error(std::string(function) + " cannot be called while the FMU is " + name_of(now));
      return body();
    } catch (const error& problem) {
      return complain(function, problem.what());
    } catch (const std::bad_alloc&) {
      tell(failed, "there is not enough memory");
    } catch (const std::exception& problem) {
      return complain(function, problem.what());
    } catch (...) {
      tell(failed, "an unknown failure");
    }
    return failed;
  }

  status complain(const char* function, const char* what) const noexcept {
    try {
      const std::string text = what;
      tell(failed, text.starts_with(function) ? text : std::string(function) + ": " + text);
    } catch (...) {
      tell(failed, "there is not enough memory");
    }
    return failed;
  }

  // ---- what both versions do alike ---------------------------------------------------------------
  status get(const char* function, const reference* which, std::size_t count, double* values);
  status set(const char* function, const reference* which, std::size_t count, const double* values);
  status enter_initialisation(const char* function);
  status exit_initialisation(const char* function);
  status step(const char* function, double from, double length);
  status terminate(const char* function);
  status reset(const char* function);
  status set_states(const char* function, const double* y, std::size_t count);
  status get_states(const char* function, double* y, std::size_t count);
  status get_rates(const char* function, double* out, std::size_t count);
  status get_indicators(const char* function, double* out, std::size_t count);
  status get_nominals(const char* function, double* out, std::size_t count);
  status differentiate(const char* function, const reference* unknown, std::size_t unknowns,
                       const reference* known, std::size_t knowns, const double* seed,
                       double* sensitivity);
  status save(const char* function, void** state);
  status restore(const char* function, void* state);
  static void release(void** state) noexcept;
};

// A new component, or null where the log says why. `resources` is a path.
component* instantiate(const char* function, const char* name, const char* token,
                       const std::string& resources, bool is_solver_driven, bool logging,
                       component::log_function log) noexcept;

}  // namespace asperity::fmi
