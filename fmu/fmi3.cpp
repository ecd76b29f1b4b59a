// SPDX-License-Identifier: Apache-2.0
// The C interface of FMI 3.0, co-simulation and model exchange. All variables are Float64.

#include <fmt/format.h>

#include <optional>

#include "fmu/component.hpp"

using namespace asperity::fmi;

#define ASPERITY_ENTRY extern "C" __attribute__((visibility("default")))

namespace {

component* of(void* c) { return static_cast<component*>(c); }

component::log_function logger_of(void* environment, fmi3_logger logger) {
  if (logger == nullptr) return nullptr;
  return [=](status how, const char* category, const char* message) {
    logger(environment, how, category, message);
  };
}

component* make(const char* function, const char* name, const char* token, const char* resources,
                bool is_solver_driven, bool logging, void* environment, fmi3_logger logger) {
  return instantiate(function, name, token, resources == nullptr ? "" : resources, is_solver_driven,
                     logging, logger_of(environment, logger));
}

void check_scalars(std::size_t references, std::size_t values) {
  if (references != values)
    throw asperity::error(
        fmt::format("{} values for {} variables: each is a single number", values, references));
}

}  // namespace

// What FMUs without other types, clocks, arrays and partitions have no use for. Of the arguments only
// the first is looked at, which every one of these functions has.
extern "C" int asperity_fmi3_unsupported(void* c) {
  if (c == nullptr) return failed;
  return of(c)->guarded("this function", any_life, [&]() -> status {
    throw asperity::error(
        "this FMU has neither variables of types other than Float64 nor clocks, arrays, "
        "serialised states or adjoint derivatives");
  });
}

#define ASPERITY_UNSUPPORTED(name) \
  ASPERITY_ENTRY int name(void*) __attribute__((alias("asperity_fmi3_unsupported")))

ASPERITY_UNSUPPORTED(fmi3GetFloat32);
ASPERITY_UNSUPPORTED(fmi3GetInt8);
ASPERITY_UNSUPPORTED(fmi3GetUInt8);
ASPERITY_UNSUPPORTED(fmi3GetInt16);
ASPERITY_UNSUPPORTED(fmi3GetUInt16);
ASPERITY_UNSUPPORTED(fmi3GetInt32);
ASPERITY_UNSUPPORTED(fmi3GetUInt32);
ASPERITY_UNSUPPORTED(fmi3GetInt64);
ASPERITY_UNSUPPORTED(fmi3GetUInt64);
ASPERITY_UNSUPPORTED(fmi3GetBoolean);
ASPERITY_UNSUPPORTED(fmi3GetString);
ASPERITY_UNSUPPORTED(fmi3GetBinary);
ASPERITY_UNSUPPORTED(fmi3GetClock);
ASPERITY_UNSUPPORTED(fmi3SetFloat32);
ASPERITY_UNSUPPORTED(fmi3SetInt8);
ASPERITY_UNSUPPORTED(fmi3SetUInt8);
ASPERITY_UNSUPPORTED(fmi3SetInt16);
ASPERITY_UNSUPPORTED(fmi3SetUInt16);
ASPERITY_UNSUPPORTED(fmi3SetInt32);
ASPERITY_UNSUPPORTED(fmi3SetUInt32);
ASPERITY_UNSUPPORTED(fmi3SetInt64);
ASPERITY_UNSUPPORTED(fmi3SetUInt64);
ASPERITY_UNSUPPORTED(fmi3SetBoolean);
ASPERITY_UNSUPPORTED(fmi3SetString);
ASPERITY_UNSUPPORTED(fmi3SetBinary);
ASPERITY_UNSUPPORTED(fmi3SetClock);
ASPERITY_UNSUPPORTED(fmi3GetNumberOfVariableDependencies);
ASPERITY_UNSUPPORTED(fmi3GetVariableDependencies);
ASPERITY_UNSUPPORTED(fmi3SerializedFMUStateSize);
ASPERITY_UNSUPPORTED(fmi3SerializeFMUState);
ASPERITY_UNSUPPORTED(fmi3DeserializeFMUState);
ASPERITY_UNSUPPORTED(fmi3GetAdjointDerivative);
ASPERITY_UNSUPPORTED(fmi3EnterConfigurationMode);
ASPERITY_UNSUPPORTED(fmi3ExitConfigurationMode);
ASPERITY_UNSUPPORTED(fmi3GetIntervalDecimal);
ASPERITY_UNSUPPORTED(fmi3GetIntervalFraction);
ASPERITY_UNSUPPORTED(fmi3GetShiftDecimal);
ASPERITY_UNSUPPORTED(fmi3GetShiftFraction);
ASPERITY_UNSUPPORTED(fmi3SetIntervalDecimal);
ASPERITY_UNSUPPORTED(fmi3SetIntervalFraction);
ASPERITY_UNSUPPORTED(fmi3SetShiftDecimal);
ASPERITY_UNSUPPORTED(fmi3SetShiftFraction);
ASPERITY_UNSUPPORTED(fmi3EvaluateDiscreteStates);
ASPERITY_UNSUPPORTED(fmi3EnterStepMode);
ASPERITY_UNSUPPORTED(fmi3GetOutputDerivatives);
ASPERITY_UNSUPPORTED(fmi3ActivateModelPartition);

ASPERITY_ENTRY const char* fmi3GetVersion() { return "3.0"; }
ASPERITY_ENTRY int fmi3SetDebugLogging(void* c, bool logging, std::size_t, const char* const*) {
  if (c == nullptr) return failed;
  of(c)->logging = logging;
  return ok;
}

ASPERITY_ENTRY void* fmi3InstantiateModelExchange(const char* name, const char* token,
                                                  const char* resources, bool, bool logging,
                                                  void* environment, fmi3_logger logger) {
  return make("fmi3InstantiateModelExchange", name, token, resources, true, logging, environment,
              logger);
}
ASPERITY_ENTRY void* fmi3InstantiateCoSimulation(const char* name, const char* token,
                                                 const char* resources, bool, bool logging,
                                                 bool event_mode_used, bool, const reference*,
                                                 std::size_t, void* environment, fmi3_logger logger,
                                                 void (*)()) {
  if (event_mode_used) {
    if (logger != nullptr)
      logger(environment, failed, "logStatusError",
             "fmi3InstantiateCoSimulation: this FMU has no event mode in co-simulation");
    return nullptr;
  }
  return make("fmi3InstantiateCoSimulation", name, token, resources, false, logging, environment,
              logger);
}
ASPERITY_ENTRY void* fmi3InstantiateScheduledExecution(const char*, const char*, const char*, bool,
                                                       bool, void* environment, fmi3_logger logger,
                                                       void (*)(), void (*)(), void (*)()) {
  if (logger != nullptr)
    logger(environment, failed, "logStatusError",
           "fmi3InstantiateScheduledExecution: this FMU has no scheduled execution");
  return nullptr;
}
ASPERITY_ENTRY void fmi3FreeInstance(void* c) { delete of(c); }

ASPERITY_ENTRY int fmi3EnterInitializationMode(void* c, bool has_tolerance, double tolerance,
                                               double start, bool has_stop, double stop) {
  if (c == nullptr) return failed;
  const char* function = "fmi3EnterInitializationMode";
  const status how = of(c)->guarded(function, instantiated, [&] {
    of(c)->core.set_experiment(start, has_stop ? std::optional(stop) : std::nullopt,
                               has_tolerance ? std::optional(tolerance) : std::nullopt);
    return ok;
  });
  return how == ok ? of(c)->enter_initialisation(function) : how;
}
ASPERITY_ENTRY int fmi3ExitInitializationMode(void* c) {
  return c == nullptr ? failed : of(c)->exit_initialisation("fmi3ExitInitializationMode");
}
ASPERITY_ENTRY int fmi3Terminate(void* c) {
  return c == nullptr ? failed : of(c)->terminate("fmi3Terminate");
}
ASPERITY_ENTRY int fmi3Reset(void* c) { return c == nullptr ? failed : of(c)->reset("fmi3Reset"); }

// ---- variables ----------------------------------------------------------------------------------

ASPERITY_ENTRY int fmi3GetFloat64(void* c, const reference* which, std::size_t count,
                                  double* values, std::size_t size) {
  if (c == nullptr) return failed;
  const char* function = "fmi3GetFloat64";
  const status how = of(c)->guarded(function, any_life, [&] {
    check_scalars(count, size);
    return ok;
  });
  return how == ok ? of(c)->get(function, which, count, values) : how;
}
ASPERITY_ENTRY int fmi3SetFloat64(void* c, const reference* which, std::size_t count,
                                  const double* values, std::size_t size) {
  if (c == nullptr) return failed;
  const char* function = "fmi3SetFloat64";
  const status how = of(c)->guarded(function, any_life, [&] {
    check_scalars(count, size);
    return ok;
  });
  return how == ok ? of(c)->set(function, which, count, values) : how;
}

ASPERITY_ENTRY int fmi3GetFMUState(void* c, void** state) {
  return c == nullptr ? failed : of(c)->save("fmi3GetFMUState", state);
}
ASPERITY_ENTRY int fmi3SetFMUState(void* c, void* state) {
  return c == nullptr ? failed : of(c)->restore("fmi3SetFMUState", state);
}
ASPERITY_ENTRY int fmi3FreeFMUState(void* c, void** state) {
  if (c == nullptr) return failed;
  component::release(state);
  return ok;
}
ASPERITY_ENTRY int fmi3GetDirectionalDerivative(void* c, const reference* unknown,
                                                std::size_t unknowns, const reference* known,
                                                std::size_t knowns, const double* seed,
                                                std::size_t seeds, double* sensitivity,
                                                std::size_t sensitivities) {
  if (c == nullptr) return failed;
  const char* function = "fmi3GetDirectionalDerivative";
  const status how = of(c)->guarded(function, any_life, [&] {
    check_scalars(knowns, seeds);
    check_scalars(unknowns, sensitivities);
    return ok;
  });
  return how == ok
             ? of(c)->differentiate(function, unknown, unknowns, known, knowns, seed, sensitivity)
             : how;
}

// ---- model exchange -----------------------------------------------------------------------------

ASPERITY_ENTRY int fmi3EnterEventMode(void* c) {
  if (c == nullptr) return failed;
  return of(c)->guarded("fmi3EnterEventMode", continuous | events, [&] {
    of(c)->now = events;
    return ok;
  });
}
ASPERITY_ENTRY int fmi3UpdateDiscreteStates(void* c, bool* needs_update, bool* terminate,
                                            bool* nominals_changed, bool* states_changed,
                                            bool* has_next, double* next) {
  if (c == nullptr || needs_update == nullptr || terminate == nullptr ||
      nominals_changed == nullptr || states_changed == nullptr || has_next == nullptr ||
      next == nullptr)
    return failed;
  return of(c)->guarded("fmi3UpdateDiscreteStates", events, [&] {
    const auto found = of(c)->core.handle_events();
    *needs_update = *terminate = *nominals_changed = false;
    *states_changed = found.is_changed;
    *has_next = found.next.has_value();
    *next = found.next.value_or(0.0);
    return ok;
  });
}
ASPERITY_ENTRY int fmi3EnterContinuousTimeMode(void* c) {
  if (c == nullptr) return failed;
  return of(c)->guarded("fmi3EnterContinuousTimeMode", events, [&] {
    of(c)->now = continuous;
    return ok;
  });
}
ASPERITY_ENTRY int fmi3CompletedIntegratorStep(void* c, bool, bool* enter_event_mode,
                                               bool* terminate_simulation) {
  if (c == nullptr || enter_event_mode == nullptr || terminate_simulation == nullptr) return failed;
  return of(c)->guarded("fmi3CompletedIntegratorStep", continuous, [&] {
    *enter_event_mode = *terminate_simulation = false;
    return ok;
  });
}
ASPERITY_ENTRY int fmi3SetTime(void* c, double t) {
  if (c == nullptr) return failed;
  return of(c)->guarded("fmi3SetTime", continuous | events, [&] {
    of(c)->core.set_time(t);
    return ok;
  });
}
ASPERITY_ENTRY int fmi3SetContinuousStates(void* c, const double* y, std::size_t count) {
  return c == nullptr ? failed : of(c)->set_states("fmi3SetContinuousStates", y, count);
}
ASPERITY_ENTRY int fmi3GetContinuousStateDerivatives(void* c, double* out, std::size_t count) {
  return c == nullptr ? failed : of(c)->get_rates("fmi3GetContinuousStateDerivatives", out, count);
}
ASPERITY_ENTRY int fmi3GetEventIndicators(void* c, double* out, std::size_t count) {
  return c == nullptr ? failed : of(c)->get_indicators("fmi3GetEventIndicators", out, count);
}
ASPERITY_ENTRY int fmi3GetContinuousStates(void* c, double* y, std::size_t count) {
  return c == nullptr ? failed : of(c)->get_states("fmi3GetContinuousStates", y, count);
}
ASPERITY_ENTRY int fmi3GetNominalsOfContinuousStates(void* c, double* out, std::size_t count) {
  return c == nullptr ? failed
                      : of(c)->get_nominals("fmi3GetNominalsOfContinuousStates", out, count);
}
ASPERITY_ENTRY int fmi3GetNumberOfEventIndicators(void* c, std::size_t* count) {
  if (c == nullptr || count == nullptr) return failed;
  *count = of(c)->core.about().indicators.size();
  return ok;
}
ASPERITY_ENTRY int fmi3GetNumberOfContinuousStates(void* c, std::size_t* count) {
  if (c == nullptr || count == nullptr) return failed;
  *count = of(c)->core.about().states;
  return ok;
}

// ---- co-simulation ------------------------------------------------------------------------------

ASPERITY_ENTRY int fmi3DoStep(void* c, double from, double length, bool, bool* needs_events,
                              bool* terminate, bool* early_return, double* last_time) {
  if (c == nullptr || needs_events == nullptr || terminate == nullptr || early_return == nullptr ||
      last_time == nullptr)
    return failed;
  const int how = of(c)->step("fmi3DoStep", from, length);
  *needs_events = *terminate = *early_return = false;
  *last_time = of(c)->core.time();
  return how;
}
