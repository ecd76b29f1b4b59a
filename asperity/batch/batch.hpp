// SPDX-License-Identifier: Apache-2.0
#pragma once

// Many systems of one kind that differ in parameters, inputs or initial states, stepped together.
// Several packs of systems are in flight at a time, all states in registers over the whole run, and
// blocks of systems go to all threads. The equations are those of every other run: the same
// templates in another number type.
//
// The systems are described by
//
//   struct my_systems {
//     std::size_t count() const;
//     template <class S>
//     auto at(const lane_reader<S>& read) const {      some of them as one, in the number type S
//       sliding_mass<S, lugre<S>> system;
//       system.m = read(masses);                       one value per system
//       return system;
//     }
//     template <class S>                               where wanted: an event is a zero that it
//     static S event(const S& t, const S* y);          crosses rising
//   };
//
// and their states lie one array per state: states[k][i] is state k of system i.
//
// Every system gets the same bits whatever the number of threads, the width of the packs and the
// systems beside it. They are also those of a run in plain numbers, except where a function of the
// C library is involved: exp of a pack is a series of its own, which may differ in the last bit.

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <asperity/batch/plan.hpp>
#include <asperity/batch/wide.hpp>
#include <asperity/error.hpp>

namespace asperity {

// Which instructions steps use: the widest that this machine has, unless one is asked for.
enum class instruction_set { baseline, avx2, avx512 };
inline instruction_set widest_instructions() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    return instruction_set::avx512;
  if (__builtin_cpu_supports("avx2")) return instruction_set::avx2;
#endif
  return instruction_set::baseline;
}

namespace detail {

// All steps of the systems first, first + 1 ... that fit into S.
template <class S, class Systems>
inline void run_lanes(const Systems& systems, std::size_t first, const batch_plan& plan,
                      std::span<typename S::value_type* const> states,
                      batch_events<typename S::value_type>* events) {
  const lane_reader<S> read(first, systems.count());
  const auto system = systems.template at<S>(read);
  constexpr int N = decltype(system)::capacity;
  const int n = system.size();
  S y[N], rate[N];
  for (int k = 0; k < n; ++k) y[k] = read(states[static_cast<std::size_t>(k)]);

  const S h = lit<S>(plan.step);
  event_watch<S> watch;
  if constexpr (has_event<Systems, S>) watch.before = systems.event(lit<S>(plan.from), y);
  for (long i = 0; i < plan.steps; ++i) {
    const double start = plan.from + static_cast<double>(i) * plan.step;
    const S t = lit<S>(start);
    if (plan.method == batch_method::rk4) {
      rk4_step(system, t, h, y);
    } else if (plan.method == batch_method::euler) {
      euler_step(system, t, h, y);
    } else if constexpr (closed_form_system<decltype(system), S>) {
      if (plan.method == batch_method::sdirk2)
        sdirk2_step(system, t, h, y, rate);
      else
        backward_euler_step(system, t, h, y, rate);
    }
    tidy(system, y);
    if constexpr (has_event<Systems, S>) {
      const S end = lit<S>(plan.from + static_cast<double>(i + 1) * plan.step);
      watch.look(end, h, systems.event(end, y));
    }
  }

  for (int k = 0; k < n; ++k) read.store(y[k], states[static_cast<std::size_t>(k)]);
  if constexpr (has_event<Systems, S>) {
    if (events == nullptr) return;
    read.store(watch.count, events->count.data());
    read.store(watch.first, events->first.data());
    read.store(watch.last, events->last.data());
  }
}

inline constexpr int packs_in_flight = 4;

// Everything is inlined into these, so that it is compiled for the instructions named; which of
// them runs is decided when the program runs.
#define ASPERITY_RUN_LANES(name, bytes, ...)                                                 \
  template <class Real, class Systems>                                                       \
  __VA_ARGS__ void name(const Systems& systems, std::size_t first, const batch_plan& plan,   \
                        std::span<Real* const> states, batch_events<Real>* events) {         \
    using lanes = wide<pack<Real, bytes / static_cast<int>(sizeof(Real))>, packs_in_flight>; \
    run_lanes<lanes>(systems, first, plan, states, events);                                  \
  }
ASPERITY_RUN_LANES(run_baseline, 16, [[gnu::flatten]])
#if defined(__x86_64__)
ASPERITY_RUN_LANES(run_avx2, 32, [[gnu::target("avx2"), gnu::flatten]])
ASPERITY_RUN_LANES(run_avx512, 64, [[gnu::target("avx512f,avx512dq,avx512vl"), gnu::flatten]])
#endif
#undef ASPERITY_RUN_LANES

}  // namespace detail

// Steps all systems. An instruction set that the machine does not have must not be asked for.
template <class Real, class Systems>
void run_batch(const Systems& systems, const batch_plan& plan, std::span<Real* const> states,
               batch_events<Real>* events = nullptr, instruction_set use = widest_instructions()) {
  using any_lanes = wide<pack<Real, 16 / static_cast<int>(sizeof(Real))>, detail::packs_in_flight>;
  using system = decltype(systems.template at<any_lanes>(lane_reader<any_lanes>(0, 1)));
  detail::check_method(plan.method, closed_form_system<system, any_lanes>);
  auto* run = &detail::run_baseline<Real, Systems>;
  int bytes = 16;
#if defined(__x86_64__)
  if (use == instruction_set::avx2) {
    run = &detail::run_avx2<Real, Systems>;
    bytes = 32;
  } else if (use == instruction_set::avx512) {
    run = &detail::run_avx512<Real, Systems>;
    bytes = 64;
  }
#else
  static_cast<void>(use);
#endif
  const auto together = static_cast<std::size_t>(detail::packs_in_flight * bytes) / sizeof(Real);
  const std::size_t groups = (systems.count() + together - 1) / together;
  const auto all = [&](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t g = range.begin(); g < range.end(); ++g)
      run(systems, g * together, plan, states, events);
  };
  tbb::task_arena arena(plan.threads > 0 ? plan.threads : tbb::task_arena::automatic);
  arena.execute([&] { tbb::parallel_for(tbb::blocked_range<std::size_t>(0, groups), all); });
}

}  // namespace asperity
