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

#include <asperity/batch/wide.hpp>
#include <asperity/error.hpp>
#include <asperity/integrate/fixed_step.hpp>
#include <span>
#include <vector>

namespace asperity {

enum class batch_method { euler, rk4, backward_euler };

struct batch_plan {
  double from = 0, step = 1e-3;  // [s]
  long steps = 1;
  batch_method method = batch_method::rk4;
  int threads = 0;  // 0: all there are
};

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

// What happened to each system: how often its event, and when first and last [s].
template <class Real>
struct batch_events {
  std::vector<Real> count, first, last;
  explicit batch_events(std::size_t systems) : count(systems), first(systems), last(systems) {}
};

// Takes the values of some neighbouring systems out of an array with one value per system. Lanes
// beyond the last system repeat it.
template <class S>
class lane_reader {
 public:
  using real = typename S::value_type;
  lane_reader(std::size_t first, std::size_t count) : first_(first), count_(count) {}

  S operator()(std::span<const real> values) const { return (*this)(values.data()); }
  S operator()(const real* values) const {
    real lanes[S::width];
    for (int i = 0; i < S::width; ++i) lanes[i] = values[index(i)];
    return S::load(lanes);
  }
  // Puts lanes back where they belong.
  void store(const S& from, real* values) const {
    real lanes[S::width];
    from.store(lanes);
    for (int i = 0; i < S::width && first_ + static_cast<std::size_t>(i) < count_; ++i)
      values[first_ + static_cast<std::size_t>(i)] = lanes[i];
  }

 private:
  std::size_t index(int lane) const {
    const std::size_t i = first_ + static_cast<std::size_t>(lane);
    return i < count_ ? i : count_ - 1;
  }
  std::size_t first_, count_;
};

namespace detail {

template <class Systems, class S>
concept has_event = requires(const Systems& systems, const S& t, const S* y) {
  systems.event(t, y);
};

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

  const S h = lit<S>(plan.step), zero = lit<S>(0.0), one = lit<S>(1.0);
  S count = zero, first_time = zero, last_time = zero, before = zero;
  if constexpr (has_event<Systems, S>) before = systems.event(lit<S>(plan.from), y);
  for (long i = 0; i < plan.steps; ++i) {
    const double start = plan.from + static_cast<double>(i) * plan.step;
    const S t = lit<S>(start);
    if (plan.method == batch_method::rk4) {
      rk4_step(system, t, h, y);
    } else if (plan.method == batch_method::euler) {
      euler_step(system, t, h, y);
    } else if constexpr (closed_form_system<decltype(system), S>) {
      backward_euler_step(system, t, h, y, rate);
    }
    if constexpr (has_event<Systems, S>) {
      const S end = lit<S>(plan.from + static_cast<double>(i + 1) * plan.step);
      const S now = systems.event(end, y);
      // On the line between the values at both ends of the step.
      const S when = end - h * now / (now - before);
      const S rises = math::select(before < zero, math::select(now < zero, zero, one), zero);
      first_time =
          math::select(zero < rises, math::select(zero < count, first_time, when), first_time);
      last_time = math::select(zero < rises, when, last_time);
      count = count + rises;
      before = now;
    }
  }

  for (int k = 0; k < n; ++k) read.store(y[k], states[static_cast<std::size_t>(k)]);
  if constexpr (has_event<Systems, S>) {
    if (events == nullptr) return;
    read.store(count, events->count.data());
    read.store(first_time, events->first.data());
    read.store(last_time, events->last.data());
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
  if (plan.method == batch_method::backward_euler && !closed_form_system<system, any_lanes>)
    throw error("batch: this system has no closed-form step for backward_euler: use rk4 or euler");
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
