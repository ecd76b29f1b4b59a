// SPDX-License-Identifier: Apache-2.0
#include "fmu/component.hpp"

#include <fmt/format.h>

namespace asperity::fmi {

namespace {

// A state that the importer keeps.
struct kept {
  instance::saved core;
  life now;
};

void check_pointer(const void* pointer, std::size_t count, const char* what) {
  if (pointer == nullptr && count > 0) throw error(fmt::format("{} is a null pointer", what));
}

void check_count(std::size_t given, std::size_t wanted, const char* what) {
  if (given != wanted)
    throw error(fmt::format("{} {} were asked for, but there are {}", given, what, wanted));
}

}  // namespace

component* instantiate(const char* function, const char* name, const char* token,
                       const std::string& resources, bool is_solver_driven, bool logging,
                       component::log_function log) noexcept {
  const auto refuse = [&](const char* why) -> component* {
    if (log) log(failed, "logStatusError", why);
    return nullptr;
  };
  try {
    unpacked here = load(resources);
    if (token == nullptr || here.token != token)
      throw error(
          fmt::format("{}: the token {} of modelDescription.xml does not belong to the "
                      "scenario in {}, which has {}: the FMU was changed",
                      function, token == nullptr ? "(none)" : token, resources, here.token));
    if (is_solver_driven && !here.about.no_model_exchange.empty())
      throw error(fmt::format("{}: there is no model exchange: {}", function,
                              here.about.no_model_exchange));
    return new component{instance(std::make_shared<const description>(std::move(here.about))),
                         name == nullptr ? "" : name, std::move(log), is_solver_driven, logging};
  } catch (const std::exception& problem) {
    return refuse(problem.what());
  } catch (...) {
    return refuse("an unknown failure");
  }
}

status component::get(const char* function, const reference* which, std::size_t count,
                      double* values) {
  return guarded(function, any_life, [&] {
    check_pointer(which, count, "the list of value references");
    check_pointer(values, count, "the list of values");
    for (std::size_t i = 0; i < count; ++i) values[i] = core.get(which[i]);
    return ok;
  });
}

status component::set(const char* function, const reference* which, std::size_t count,
                      const double* values) {
  return guarded(function, before_start | started, [&] {
    check_pointer(which, count, "the list of value references");
    check_pointer(values, count, "the list of values");
    const auto phase =
        (now & before_start) != 0 ? instance::phase::before : instance::phase::running;
    for (std::size_t i = 0; i < count; ++i) core.set(which[i], values[i], phase);
    return ok;
  });
}

status component::enter_initialisation(const char* function) {
  return guarded(function, instantiated, [&] {
    now = initialising;
    return ok;
  });
}

status component::exit_initialisation(const char* function) {
  return guarded(function, initialising, [&] {
    const auto warnings = core.build();
    for (const auto& each : warnings) tell(warning, each);
    if (is_solver_driven) core.start_solver();
    now = is_solver_driven ? events : stepping;
    return ok;
  });
}

status component::step(const char* function, double from, double length) {
  return guarded(function, stepping, [&] {
    core.check_step(from, length);
    now = broken;  // if it fails
    core.step(from, length);
    now = stepping;
    return ok;
  });
}

status component::terminate(const char* function) {
  return guarded(function, initialising | started | broken, [&] {
    now = terminated;
    return ok;
  });
}

status component::reset(const char* function) {
  return guarded(function, any_life, [&] {
    core.reset();
    now = instantiated;
    return ok;
  });
}

status component::set_states(const char* function, const double* y, std::size_t count) {
  return guarded(function, continuous | events, [&] {
    check_count(count, core.states().size(), "states");
    check_pointer(y, count, "the list of states");
    core.set_states(y);
    return ok;
  });
}

status component::get_states(const char* function, double* y, std::size_t count) {
  return guarded(function, started | initialising | terminated, [&] {
    check_count(count, core.about().states, "states");
    check_pointer(y, count, "the list of states");
    core.ensure_built();
    std::copy(core.states().begin(), core.states().end(), y);
    return ok;
  });
}

status component::get_rates(const char* function, double* out, std::size_t count) {
  return guarded(function, started | initialising | terminated, [&] {
    check_count(count, core.about().states, "derivatives");
    check_pointer(out, count, "the list of derivatives");
    core.ensure_built();
    if (core.rates(out)) return ok;
    tell(discard,
         fmt::format("{}: a derivative is not finite at t = {:g} s", function, core.time()));
    return discard;
  });
}

status component::get_indicators(const char* function, double* out, std::size_t count) {
  return guarded(function, started | initialising | terminated, [&] {
    check_count(count, core.about().indicators.size(), "event indicators");
    check_pointer(out, count, "the list of event indicators");
    core.ensure_built();
    core.indicators(out);
    return ok;
  });
}

status component::get_nominals(const char* function, double* out, std::size_t count) {
  return guarded(function, any_life, [&] {
    check_count(count, core.about().states, "states");
    check_pointer(out, count, "the list of nominal values");
    core.ensure_built();
    core.nominals(out);
    return ok;
  });
}

status component::differentiate(const char* function, const reference* unknown,
                                std::size_t unknowns, const reference* known, std::size_t knowns,
                                const double* seed, double* sensitivity) {
  return guarded(function, started | initialising | terminated, [&] {
    if (!is_solver_driven) throw error("directional derivatives belong to model exchange");
    check_pointer(unknown, unknowns, "the list of unknowns");
    check_pointer(known, knowns, "the list of knowns");
    check_pointer(seed, knowns, "the seed");
    check_pointer(sensitivity, unknowns, "the list of sensitivities");
    core.differentiate(unknown, unknowns, known, knowns, seed, sensitivity);
    return ok;
  });
}

status component::save(const char* function, void** state) {
  return guarded(function, any_life, [&] {
    check_pointer(state, 1, "FMUState");
    auto fresh = std::make_unique<kept>(kept{core.save(), now});
    release(state);
    *state = fresh.release();
    return ok;
  });
}

status component::restore(const char* function, void* state) {
  return guarded(function, any_life, [&] {
    check_pointer(state, 1, "FMUState");
    const kept& then = *static_cast<const kept*>(state);
    core.restore(then.core);
    now = then.now;
    return ok;
  });
}

void component::release(void** state) noexcept {
  if (state == nullptr) return;
  delete static_cast<kept*>(*state);
  *state = nullptr;
}

}  // namespace asperity::fmi
