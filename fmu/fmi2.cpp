// SPDX-License-Identifier: Apache-2.0
// The C interface of FMI 2.0, co-simulation and model exchange. All variables are reals.

#include <fmt/format.h>

#include <optional>

#include "fmu/component.hpp"

using namespace asperity::fmi;

#define ASPERITY_ENTRY extern "C" __attribute__((visibility("default")))

namespace {

component* of(void* c) { return static_cast<component*>(c); }

// The resources as a path: a file URI with %20 for a blank; a plain path is taken as it is.
std::string path_of(const char* location) {
  std::string_view uri = location == nullptr ? "" : location;
  const bool is_uri = uri.starts_with("file:");
  if (!is_uri) return std::string(uri);
  uri.remove_prefix(5);
  if (uri.starts_with("//")) {  // a host, which is empty or this one
    uri.remove_prefix(2);
    uri.remove_prefix(std::min(uri.size(), uri.find('/')));
  }
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    const bool is_code =
        uri[i] == '%' && i + 2 < uri.size() && digit(uri[i + 1]) >= 0 && digit(uri[i + 2]) >= 0;
    path += is_code ? static_cast<char>(16 * digit(uri[i + 1]) + digit(uri[i + 2])) : uri[i];
    if (is_code) i += 2;
  }
  return path;
}

int none_of_type(void* c, const char* function, const char* type, std::size_t count) {
  if (c == nullptr) return failed;
  return of(c)->guarded(function, any_life, [&] {
    if (count > 0) throw asperity::error(fmt::format("there are no variables of type {}", type));
    return ok;
  });
}

int not_offered(void* c, const char* function, const char* why) {
  if (c == nullptr) return failed;
  return of(c)->guarded(function, any_life, [&]() -> status { throw asperity::error(why); });
}

}  // namespace

ASPERITY_ENTRY const char* fmi2GetTypesPlatform() { return "default"; }
ASPERITY_ENTRY const char* fmi2GetVersion() { return "2.0"; }

ASPERITY_ENTRY int fmi2SetDebugLogging(void* c, int logging, std::size_t, const char* const*) {
  if (c == nullptr) return failed;
  of(c)->logging = logging != 0;
  return ok;
}

ASPERITY_ENTRY void* fmi2Instantiate(const char* name, int type, const char* guid,
                                     const char* resources, const fmi2_callbacks* callbacks, int,
                                     int logging) {
  component::log_function log;
  if (callbacks != nullptr && callbacks->logger != nullptr)
    log = [logger = callbacks->logger, environment = callbacks->environment,
           instance = std::string(name == nullptr ? "" : name)](status how, const char* category,
                                                                const char* message) {
      // The whole sentence is the format: importers that do not format show it, too.
      std::string format;
      for (const char* each = message; *each != '\0'; ++each)
        format.append(*each == '%' ? 2U : 1U, *each);
      logger(environment, instance.c_str(), how, category, format.c_str());
    };
  if (type != 0 && type != 1) {
    if (log)
      log(failed, "logStatusError",
          "fmi2Instantiate: the type is neither model exchange "
          "nor co-simulation");
    return nullptr;
  }
  return instantiate("fmi2Instantiate", name, guid, path_of(resources), type == 0, logging != 0,
                     std::move(log));
}
ASPERITY_ENTRY void fmi2FreeInstance(void* c) { delete of(c); }

ASPERITY_ENTRY int fmi2SetupExperiment(void* c, int has_tolerance, double tolerance, double start,
                                       int has_stop, double stop) {
  if (c == nullptr) return failed;
  return of(c)->guarded("fmi2SetupExperiment", instantiated, [&] {
    of(c)->core.set_experiment(start, has_stop != 0 ? std::optional(stop) : std::nullopt,
                               has_tolerance != 0 ? std::optional(tolerance) : std::nullopt);
    return ok;
  });
}
ASPERITY_ENTRY int fmi2EnterInitializationMode(void* c) {
  return c == nullptr ? failed : of(c)->enter_initialisation("fmi2EnterInitializationMode");
}
ASPERITY_ENTRY int fmi2ExitInitializationMode(void* c) {
  return c == nullptr ? failed : of(c)->exit_initialisation("fmi2ExitInitializationMode");
}
ASPERITY_ENTRY int fmi2Terminate(void* c) {
  return c == nullptr ? failed : of(c)->terminate("fmi2Terminate");
}
ASPERITY_ENTRY int fmi2Reset(void* c) { return c == nullptr ? failed : of(c)->reset("fmi2Reset"); }

// ---- variables ----------------------------------------------------------------------------------

ASPERITY_ENTRY int fmi2GetReal(void* c, const reference* which, std::size_t count, double* values) {
  return c == nullptr ? failed : of(c)->get("fmi2GetReal", which, count, values);
}
ASPERITY_ENTRY int fmi2SetReal(void* c, const reference* which, std::size_t count,
                               const double* values) {
  return c == nullptr ? failed : of(c)->set("fmi2SetReal", which, count, values);
}
ASPERITY_ENTRY int fmi2GetInteger(void* c, const reference*, std::size_t count, int*) {
  return none_of_type(c, "fmi2GetInteger", "Integer", count);
}
ASPERITY_ENTRY int fmi2SetInteger(void* c, const reference*, std::size_t count, const int*) {
  return none_of_type(c, "fmi2SetInteger", "Integer", count);
}
ASPERITY_ENTRY int fmi2GetBoolean(void* c, const reference*, std::size_t count, int*) {
  return none_of_type(c, "fmi2GetBoolean", "Boolean", count);
}
ASPERITY_ENTRY int fmi2SetBoolean(void* c, const reference*, std::size_t count, const int*) {
  return none_of_type(c, "fmi2SetBoolean", "Boolean", count);
}
ASPERITY_ENTRY int fmi2GetString(void* c, const reference*, std::size_t count, const char**) {
  return none_of_type(c, "fmi2GetString", "String", count);
}
ASPERITY_ENTRY int fmi2SetString(void* c, const reference*, std::size_t count, const char* const*) {
  return none_of_type(c, "fmi2SetString", "String", count);
}

ASPERITY_ENTRY int fmi2GetFMUstate(void* c, void** state) {
  return c == nullptr ? failed : of(c)->save("fmi2GetFMUstate", state);
}
ASPERITY_ENTRY int fmi2SetFMUstate(void* c, void* state) {
  return c == nullptr ? failed : of(c)->restore("fmi2SetFMUstate", state);
}
ASPERITY_ENTRY int fmi2FreeFMUstate(void* c, void** state) {
  if (c == nullptr) return failed;
  component::release(state);
  return ok;
}
ASPERITY_ENTRY int fmi2SerializedFMUstateSize(void* c, void*, std::size_t*) {
  return not_offered(c, "fmi2SerializedFMUstateSize", "states are not serialised");
}
ASPERITY_ENTRY int fmi2SerializeFMUstate(void* c, void*, char*, std::size_t) {
  return not_offered(c, "fmi2SerializeFMUstate", "states are not serialised");
}
ASPERITY_ENTRY int fmi2DeSerializeFMUstate(void* c, const char*, std::size_t, void**) {
  return not_offered(c, "fmi2DeSerializeFMUstate", "states are not serialised");
}
ASPERITY_ENTRY int fmi2GetDirectionalDerivative(void* c, const reference* unknown,
                                                std::size_t unknowns, const reference* known,
                                                std::size_t knowns, const double* seed,
                                                double* sensitivity) {
  return c == nullptr ? failed
                      : of(c)->differentiate("fmi2GetDirectionalDerivative", unknown, unknowns,
                                             known, knowns, seed, sensitivity);
}

// ---- model exchange -----------------------------------------------------------------------------

ASPERITY_ENTRY int fmi2EnterEventMode(void* c) {
  if (c == nullptr) return failed;
  return of(c)->guarded("fmi2EnterEventMode", continuous | events, [&] {
    of(c)->now = events;
    return ok;
  });
}
ASPERITY_ENTRY int fmi2NewDiscreteStates(void* c, fmi2_event_info* info) {
  if (c == nullptr || info == nullptr) return failed;
  return of(c)->guarded("fmi2NewDiscreteStates", events, [&] {
    const auto found = of(c)->core.handle_events();
    *info = {0, 0, 0, found.is_changed ? 1 : 0, found.next ? 1 : 0, found.next.value_or(0.0)};
    return ok;
  });
}
ASPERITY_ENTRY int fmi2EnterContinuousTimeMode(void* c) {
  if (c == nullptr) return failed;
  return of(c)->guarded("fmi2EnterContinuousTimeMode", events, [&] {
    of(c)->now = continuous;
    return ok;
  });
}
ASPERITY_ENTRY int fmi2CompletedIntegratorStep(void* c, int, int* enter_event_mode,
                                               int* terminate_simulation) {
  if (c == nullptr || enter_event_mode == nullptr || terminate_simulation == nullptr) return failed;
  return of(c)->guarded("fmi2CompletedIntegratorStep", continuous, [&] {
    *enter_event_mode = 0;
    *terminate_simulation = 0;
    return ok;
  });
}
ASPERITY_ENTRY int fmi2SetTime(void* c, double t) {
  if (c == nullptr) return failed;
  return of(c)->guarded("fmi2SetTime", continuous | events, [&] {
    of(c)->core.set_time(t);
    return ok;
  });
}
ASPERITY_ENTRY int fmi2SetContinuousStates(void* c, const double* y, std::size_t count) {
  return c == nullptr ? failed : of(c)->set_states("fmi2SetContinuousStates", y, count);
}
ASPERITY_ENTRY int fmi2GetDerivatives(void* c, double* out, std::size_t count) {
  return c == nullptr ? failed : of(c)->get_rates("fmi2GetDerivatives", out, count);
}
ASPERITY_ENTRY int fmi2GetEventIndicators(void* c, double* out, std::size_t count) {
  return c == nullptr ? failed : of(c)->get_indicators("fmi2GetEventIndicators", out, count);
}
ASPERITY_ENTRY int fmi2GetContinuousStates(void* c, double* y, std::size_t count) {
  return c == nullptr ? failed : of(c)->get_states("fmi2GetContinuousStates", y, count);
}
ASPERITY_ENTRY int fmi2GetNominalsOfContinuousStates(void* c, double* out, std::size_t count) {
  return c == nullptr ? failed
                      : of(c)->get_nominals("fmi2GetNominalsOfContinuousStates", out, count);
}

// ---- co-simulation ------------------------------------------------------------------------------

ASPERITY_ENTRY int fmi2DoStep(void* c, double from, double length, int) {
  return c == nullptr ? failed : of(c)->step("fmi2DoStep", from, length);
}
ASPERITY_ENTRY int fmi2SetRealInputDerivatives(void* c, const reference*, std::size_t, const int*,
                                               const double*) {
  return not_offered(c, "fmi2SetRealInputDerivatives", "inputs are held over a step");
}
ASPERITY_ENTRY int fmi2GetRealOutputDerivatives(void* c, const reference*, std::size_t, const int*,
                                                double*) {
  return not_offered(c, "fmi2GetRealOutputDerivatives", "outputs have no derivatives here");
}
ASPERITY_ENTRY int fmi2CancelStep(void* c) {
  return not_offered(c, "fmi2CancelStep", "steps are done when fmi2DoStep returns");
}
ASPERITY_ENTRY int fmi2GetStatus(void* c, int, int*) {
  return not_offered(c, "fmi2GetStatus", "steps are done when fmi2DoStep returns");
}
ASPERITY_ENTRY int fmi2GetRealStatus(void* c, int kind, double* value) {
  if (c == nullptr || value == nullptr) return failed;
  return of(c)->guarded("fmi2GetRealStatus", any_life, [&] {
    if (kind != 2) throw asperity::error("only fmi2LastSuccessfulTime is known");
    *value = of(c)->core.time();
    return ok;
  });
}
ASPERITY_ENTRY int fmi2GetIntegerStatus(void* c, int, int*) {
  return not_offered(c, "fmi2GetIntegerStatus", "there is no such status");
}
ASPERITY_ENTRY int fmi2GetBooleanStatus(void* c, int kind, int* value) {
  if (c == nullptr || value == nullptr) return failed;
  return of(c)->guarded("fmi2GetBooleanStatus", any_life, [&] {
    if (kind != 3) throw asperity::error("only fmi2Terminated is known");
    *value = of(c)->now == terminated ? 1 : 0;
    return ok;
  });
}
ASPERITY_ENTRY int fmi2GetStringStatus(void* c, int, const char**) {
  return not_offered(c, "fmi2GetStringStatus", "there is no such status");
}
