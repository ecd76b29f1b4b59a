// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every batch engine shares: the plan of a run, how values are read, what is counted. batch.hpp
// runs it in packs on the processor, cuda/batch.hpp on a GPU.

#include <asperity/error.hpp>
#include <asperity/integrate/fixed_step.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace asperity {

// The last two are closed-form implicit steps.
enum class batch_method { euler, rk4, backward_euler, sdirk2 };

struct batch_plan {
  double from = 0, step = 1e-3;  // [s]
  long steps = 1;
  batch_method method = batch_method::rk4;
  int threads = 0;  // 0: all there are
};

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

// An implicit method asks for a step that not every system has.
inline void check_method(batch_method method, bool has_closed_form) {
  const bool is_implicit = method == batch_method::backward_euler || method == batch_method::sdirk2;
  if (is_implicit && !has_closed_form)
    throw error(std::string("batch: this system has no closed-form step for ") +
                (method == batch_method::sdirk2 ? "sdirk2" : "backward_euler") +
                ": use rk4 or euler");
}

// Brings states together again that are bound to each other, where a system has such.
template <class System, class S>
ASPERITY_FN void tidy([[maybe_unused]] const System& system, [[maybe_unused]] S* y) {
  if constexpr (requires { system.tidy(y); }) system.tidy(y);
}

// Counts the times at which a number rises through zero.
template <class S>
struct event_watch {
  S count = lit<S>(0.0), first = lit<S>(0.0), last = lit<S>(0.0), before = lit<S>(0.0);

  // `now` is the number at the end of a step of length h.
  ASPERITY_FN void look(const S& end, const S& h, const S& now) {
    const S zero = lit<S>(0.0), one = lit<S>(1.0);
    // Where a comparison is a bool, the division waits for an event.
    if constexpr (std::is_same_v<decltype(now < zero), bool>) {
      if (!(before < zero) || now < zero) {
        before = now;
        return;
      }
    }
    // On the line between the values at both ends of the step.
    const S when = end - h * now / (now - before);
    const S rises = math::select(before < zero, math::select(now < zero, zero, one), zero);
    first = math::select(zero < rises, math::select(zero < count, first, when), first);
    last = math::select(zero < rises, when, last);
    count = count + rises;
    before = now;
  }
};

}  // namespace detail

}  // namespace asperity
