// SPDX-License-Identifier: Apache-2.0
#pragma once

// All steps of one system of a batch in plain numbers: what each thread of a GPU does. The same text
// is compiled for the processor, so that tests can run it there.
//
// A GPU cannot follow the pointers of the user's description, whose arrays lie in the memory of the
// processor. So `at` is called twice with the same text: once on the processor with a reader that
// records which array is read first, second ..., and then by each thread with a reader that looks
// only at the number of the call. The arrays that were recorded lie on the device in that order.

#include <asperity/batch/plan.hpp>
#include <asperity/scalar/prepared.hpp>
#include <asperity/scalar/vector.hpp>
#include <cstring>
#include <limits>

namespace asperity {

// Plain numbers, also prepared ones.
template <class S>
concept plain_number = std::floating_point<S> ||
    (std::floating_point<typename S::value_type>&&
         std::same_as<S, prepared<typename S::value_type>>);

// The reader of one system. See the top.
template <plain_number S>
class lane_reader<S> {
 public:
  using real = typename detail::value_type_of<S>::type;
  struct record {
    const real* values;
    std::size_t size;  // as far as it is known
  };

  // Value `index` of the column of each call; columns lie `stride` apart.
  ASPERITY_FN lane_reader(const real* columns, std::size_t stride, std::size_t index)
      : columns_(columns), stride_(stride), index_(index) {}
  explicit lane_reader(std::vector<record>& records) : records_(&records) {}

  template <class Values>
  ASPERITY_FN S operator()([[maybe_unused]] const Values& values) const {
#if !defined(__CUDA_ARCH__)
    if (records_ != nullptr) {
      if constexpr (std::is_convertible_v<Values, const real*>) {
        records_->push_back({values, std::numeric_limits<std::size_t>::max()});
      } else {
        const std::span<const real> all(values);
        records_->push_back({all.data(), all.size()});
      }
      return S(records_->back().values[0]);
    }
#endif
    return S(columns_[calls_++ * stride_ + index_]);
  }

 private:
  const real* columns_ = nullptr;
  std::size_t stride_ = 0, index_ = 0;
  mutable std::size_t calls_ = 0;
  std::vector<record>* records_ = nullptr;
};

// What was seen of each system in its motion, at the ends of all steps after the first `skip`:
// maximum, minimum and mean of each quantity that `observe` of the systems answers, and the share of
// the steps that ended stuck, where the systems can tell.
template <class Real>
struct batch_measures {
  long skip = 0;
  std::vector<std::vector<Real>> maximum, minimum, mean;  // [quantity][system]
  std::vector<Real> stick_fraction;
  batch_measures(std::size_t systems, int quantities)
      : maximum(static_cast<std::size_t>(quantities), std::vector<Real>(systems)),
        minimum(maximum),
        mean(maximum),
        stick_fraction(systems) {}
  // Half the way between the extremes.
  Real amplitude(std::size_t quantity, std::size_t system) const {
    return (maximum[quantity][system] - minimum[quantity][system]) / 2;
  }
};

namespace detail {

// ---- what the systems can be asked for ----------------------------------------------------------

template <class Systems, class System, class S>
concept observes = requires(const Systems& systems, const System& system, const S& t, const S* y) {
  systems.observe(system, t, y);
};
template <class Systems, class System, class S>
concept tells_stick = requires(const Systems& systems, const System& system, const S& t,
                               const S* y) {
  systems.stick_margin(system, t, y);
};
template <class System, class S>
concept has_kink = requires(const System& system, const S& t, const S* y) {
  { system.kink(t, y) } -> std::convertible_to<S>;
};

template <class S, class Systems>
using system_of_batch =
    decltype(std::declval<const Systems&>().template at<S>(std::declval<const lane_reader<S>&>()));

template <class Systems, class System, class S>
constexpr int quantities_of() {
  if constexpr (observes<Systems, System, S>) {
    return decltype(std::declval<const Systems&>().observe(
        std::declval<const System&>(), std::declval<const S&>(), std::declval<const S*>()))::size();
  } else {
    return 0;
  }
}

// ---- one quantity ---------------------------------------------------------------------------------

// Its extremes, and its sum in double, so that the mean of a million floats is right to the last bits.
template <class Real>
struct quantity_watch {
  Real maximum = lit<Real>(-unbounded), minimum = lit<Real>(unbounded);
  double sum = 0;

  ASPERITY_FN void look(Real x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<Real, float>) {
      maximum = max_or_nan(maximum, x);
      minimum = min_or_nan(minimum, x);
    } else
#endif
    {
      maximum = math::max(maximum, x);
      minimum = math::min(minimum, x);
    }
    sum += static_cast<double>(x);
  }
};

// The bits of a double in two numbers, which may be floats.
template <class Real>
struct double_in_two {
  Real part[2] = {};
  double_in_two() = default;
  explicit ASPERITY_FN double_in_two(double x) { __builtin_memcpy(part, &x, sizeof x); }
  explicit ASPERITY_FN operator double() const {
    double x = 0;
    __builtin_memcpy(&x, part, sizeof x);
    return x;
  }
};

template <std::floating_point S>
ASPERITY_FN S plain_value(const S& x) {
  return x;
}
template <class T>
ASPERITY_FN T plain_value(const prepared<T>& x) {
  return x.value();
}

#if defined(__CUDA_ARCH__)
// One instruction, where compilers choose between two counts and copy the chosen one.
inline __device__ void count_if(bool is_so, int& count) {
  asm("{ .reg .pred so; setp.ne.s32 so, %1, 0; @so add.s32 %0, %0, 1; }"
      : "+r"(count)
      : "r"(static_cast<int>(is_so)));
}
#else
constexpr void count_if(bool is_so, int& count) { count += is_so ? 1 : 0; }
#endif

// Steps between two tests of whether all are done. Short ones are several in a row; divisions make
// them long, and the cache of instructions is small.
template <class S, int States>
inline constexpr int steps_in_a_row = !std::floating_point<S> && States <= 4 ? 6 : 1;

// ---- all steps of one system ----------------------------------------------------------------------

// What the kernel keeps of a system between two launches: one array ("slot") for each number.
template <class S, class Systems>
struct kernel_slots {
  using system = system_of_batch<S, Systems>;
  static constexpr int quantities = quantities_of<Systems, system, S>();
  static constexpr bool counts_events = has_event<Systems, S>;
  static constexpr bool tells = tells_stick<Systems, system, S> || has_kink<system, S>;

  int states;
  ASPERITY_FN int event() const { return states; }  // count, first, last, before
  ASPERITY_FN int quantity(int k) const { return states + (counts_events ? 4 : 0) + 4 * k; }
  ASPERITY_FN int stick() const { return quantity(quantities); }
  ASPERITY_FN int count(bool measured) const {
    return measured ? stick() + (tells ? 1 : 0) : quantity(0);
  }
};

// The user's description as bytes: pointers in it are never followed.
template <class Systems>
struct copied_bytes {
  static_assert(!std::is_polymorphic_v<Systems>,
                "a description of systems has no virtual functions");
  alignas(Systems) unsigned char bytes[sizeof(Systems)];
  explicit copied_bytes(const Systems& from) {
    std::memcpy(bytes, static_cast<const void*>(&from), sizeof(Systems));
  }
  ASPERITY_FN const Systems& get() const { return *reinterpret_cast<const Systems*>(bytes); }
};

// One launch: steps begin + 1 ... end of all systems of a chunk.
template <class Real, class Systems>
struct kernel_launch {
  copied_bytes<Systems> systems;
  double from, step;
  long begin = 0, end = 0, skip = 0;  // measures begin with the launch that begins at `skip`
  long steps = 0;                     // of all launches
  const Real* columns = nullptr;
  Real* slots = nullptr;
  std::size_t stride = 0;
};

template <class S, batch_method Method, bool Measured, class Systems>
struct batch_kernel : kernel_launch<typename lane_reader<S>::real, Systems> {
  using real = typename lane_reader<S>::real;
  using slots_of = kernel_slots<S, Systems>;
  using launch = kernel_launch<real, Systems>;
  using launch::begin, launch::columns, launch::end, launch::from, launch::skip, launch::slots,
      launch::step, launch::steps, launch::stride, launch::systems;

  ASPERITY_FN void operator()(std::size_t i) const {
    const Systems& all = systems.get();
    const auto system = all.template at<S>(lane_reader<S>(columns, stride, i));
    constexpr int N = decltype(system)::capacity;
    const slots_of slot{system.size()};
    S y[N];
    for (int k = 0; k < slot.states; ++k) y[k] = S(at(k, i));

    event_watch<S> events;
    quantity_watch<real> quantity[slots_of::quantities + 1];
    int stuck = 0;  // in this launch
    if constexpr (slots_of::counts_events) {
      if (begin == 0)
        events.before = all.event(lit<S>(from), y);
      else
        load_events(slot, i, events);
    }
    if constexpr (Measured) {
      if (begin > skip) load_quantities(slot, i, quantity);
    }

    const S h = lit<S>(step);
    double n = static_cast<double>(begin);  // counted in double: every step number is exact
    S t = lit<S>(from + n * step);
    const int here = static_cast<int>(end - begin);
#if defined(__CUDA_ARCH__)
#pragma unroll(steps_in_a_row <S, N>)
#endif
    for (int k = 0; k < here; ++k) {
      take_step(system, t, h, y);
      tidy(system, y);
      n += 1;
      t = lit<S>(from + n * step);
      if constexpr (slots_of::counts_events) events.look(t, h, all.event(t, y));
      if constexpr (Measured) measure(all, system, t, y, quantity, stuck);
    }

    for (int k = 0; k < slot.states; ++k) at(k, i) = plain_value(y[k]);
    store(slot, i, events, quantity, stuck);
  }

 private:
  ASPERITY_FN real& at(int slot, std::size_t i) const {
    return slots[static_cast<std::size_t>(slot) * stride + i];
  }

  template <class System>
  static ASPERITY_FN void take_step(const System& system, const S& t, const S& h, S* y) {
    if constexpr (Method == batch_method::rk4) {
      rk4_step(system, t, h, y);
    } else if constexpr (Method == batch_method::euler) {
      euler_step(system, t, h, y);
    } else {
      S rate[System::capacity];
      if constexpr (Method == batch_method::sdirk2)
        sdirk2_step(system, t, h, y, rate);
      else
        backward_euler_step(system, t, h, y, rate);
    }
  }

  template <class System>
  static ASPERITY_FN void measure(const Systems& all, const System& system, const S& t, const S* y,
                                  quantity_watch<real>* quantity, int& stuck) {
    if constexpr (slots_of::quantities > 0) {
      const auto seen = all.observe(system, t, y);
      for (int k = 0; k < slots_of::quantities; ++k) quantity[k].look(plain_value(seen[k]));
    }
    if constexpr (slots_of::tells) {
      S margin;
      if constexpr (tells_stick<Systems, System, S>)
        margin = all.stick_margin(system, t, y);
      else
        margin = system.kink(t, y);
      count_if(margin < lit<S>(0.0), stuck);
    }
  }

  ASPERITY_FN void load_events(const slots_of& slot, std::size_t i, event_watch<S>& events) const {
    const int e = slot.event();
    events.count = S(at(e, i));
    events.first = S(at(e + 1, i));
    events.last = S(at(e + 2, i));
    events.before = S(at(e + 3, i));
  }

  ASPERITY_FN void load_quantities(const slots_of& slot, std::size_t i,
                                   quantity_watch<real>* quantity) const {
    for (int k = 0; k < slots_of::quantities; ++k) {
      const int q = slot.quantity(k);
      quantity[k].maximum = at(q, i);
      quantity[k].minimum = at(q + 1, i);
      double_in_two<real> sum;
      sum.part[0] = at(q + 2, i);
      sum.part[1] = at(q + 3, i);
      quantity[k].sum = static_cast<double>(sum);
    }
  }

  ASPERITY_FN void store(const slots_of& slot, std::size_t i, const event_watch<S>& events,
                         const quantity_watch<real>* quantity, int stuck) const {
    if constexpr (slots_of::counts_events) {
      const int e = slot.event();
      at(e, i) = plain_value(events.count);
      at(e + 1, i) = plain_value(events.first);
      at(e + 2, i) = plain_value(events.last);
      at(e + 3, i) = plain_value(events.before);
    }
    if constexpr (Measured) {
      const bool is_last = end == steps;  // sums become means
      const double samples = static_cast<double>(steps - skip);
      for (int k = 0; k < slots_of::quantities; ++k) {
        const int q = slot.quantity(k);
        at(q, i) = quantity[k].maximum;
        at(q + 1, i) = quantity[k].minimum;
        const double_in_two<real> sum(quantity[k].sum);
        at(q + 2, i) = is_last ? static_cast<real>(quantity[k].sum / samples) : sum.part[0];
        at(q + 3, i) = sum.part[1];
      }
      if constexpr (slots_of::tells) {
        real& all = at(slot.stick(), i);
        const real so_far = (begin == skip ? real(0) : all) + static_cast<real>(stuck);
        all = is_last ? static_cast<real>(static_cast<double>(so_far) / samples) : so_far;
      }
    }
  }
};

}  // namespace detail

}  // namespace asperity
