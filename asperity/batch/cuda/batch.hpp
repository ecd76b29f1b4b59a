// SPDX-License-Identifier: Apache-2.0
#pragma once

// Many systems of one kind on a GPU: the description that batch.hpp runs in packs, with ASPERITY_FN
// before what the device calls, compiled by nvcc.
//
//   struct my_systems {
//     std::vector<double> masses;
//     std::size_t count() const;
//     template <class S>
//     ASPERITY_FN auto at(const lane_reader<S>& read) const {     as in batch.hpp
//       sliding_mass<S, lugre<S>> system;
//       system.m = read(masses);
//       return system;
//     }
//     template <class S>                                          where wanted, as in batch.hpp
//     static ASPERITY_FN S event(const S& t, const S* y);
//     template <class System, class S>                            where wanted: what is measured
//     static ASPERITY_FN vec<S, 2> observe(const System&, const S& t, const S* y);
//     template <class System, class S>                            below 0 where stuck; without it
//     static ASPERITY_FN S stick_margin(const System&, const S& t, const S* y);   the model's own
//   };
//   run_batch<float>(on_device{.where = device::cuda}, systems, plan, states, &events, &measures);
//
// run_batch<prepared<float>> multiplies by reciprocals in place of dividing (scalar/prepared.hpp).
//
// Arrays that are handed to `read` are copied to the device; `at` may read other members that are
// plain values, but must follow no other pointer. Systems go through the device in chunks that fit
// into its memory, steps in launches of about 50 ms; states stay in registers within a launch.
// Results do not depend on chunks and launches. They are not the bits of the processor: a GPU fuses
// multiplications and additions, and has its own exponential.

#include <algorithm>
#include <asperity/batch/cuda/kernel.hpp>
#include <chrono>
#include <cmath>
#include <functional>
#include <thread>
#include <type_traits>

namespace asperity {

// `automatic`: a GPU where there is one. `cpu` runs the kernel's own text on the threads of this
// machine; packs (batch.hpp) are faster there.
enum class device { automatic, cuda, cpu };

struct batch_progress {
  std::size_t finished, systems;  // the first `finished` systems have their results
  long steps_done, steps;         // of the systems that are under way
  double fraction() const {
    const double part =
        steps > 0 ? static_cast<double>(steps_done) / static_cast<double>(steps) : 1;
    const double all = static_cast<double>(systems);
    return std::min(1.0,
                    (static_cast<double>(finished) + part * static_cast<double>(under_way)) / all);
  }
  std::size_t under_way;  // systems that are being stepped
};

struct on_device {
  device where = device::automatic;
  int number = 0;          // which GPU
  std::size_t memory = 0;  // [byte] at most; 0: half of what is free there
  // Called after each launch; false stops. Systems that are not finished then keep their states.
  std::function<bool(const batch_progress&)> progress = {};
};

// Whether a GPU can be used; `why`, where given, gets the reason if not.
inline bool has_cuda_device(std::string* why = nullptr) {
#if defined(__CUDACC__)
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaSuccess && count > 0) return true;
  if (why != nullptr) *why = code == cudaSuccess ? "it has none" : cudaGetErrorString(code);
#else
  if (why != nullptr) *why = "this program was built without nvcc";
#endif
  return false;
}

namespace detail {

#if defined(__CUDACC__)
inline void check_cuda(cudaError_t code, const char* what) {
  if (code != cudaSuccess)
    throw error(std::string("cuda: ") + what + ": " + cudaGetErrorString(code));
}

template <class Kernel>
__global__ void launch_kernel(const __grid_constant__ Kernel kernel, std::size_t count) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) kernel(i);
}
#endif

// Where chunks are stepped: memory, copies and launches, on a GPU or on this machine.
template <class Real>
class batch_site {
 public:
  batch_site(const on_device& use, int threads) : on_gpu_(choose(use)), threads_(threads) {
#if defined(__CUDACC__)
    if (on_gpu_) check_cuda(cudaSetDevice(use.number), "choosing the device");
#endif
  }
  batch_site(const batch_site&) = delete;
  batch_site& operator=(const batch_site&) = delete;
  ~batch_site() {
#if defined(__CUDACC__)
    if (!on_gpu_) return;
    cudaFree(memory_);
    cudaFreeHost(here_);
#endif
  }

  // [byte]
  std::size_t free_memory() const {
#if defined(__CUDACC__)
    if (on_gpu_) {
      std::size_t free = 0, total = 0;
      check_cuda(cudaMemGetInfo(&free, &total), "asking for its memory");
      return free / 2;
    }
#endif
    return std::size_t{1} << 30;
  }

  // Room on the device. It is kept, and given out again where it is large enough.
  Real* allocate(std::size_t numbers) {
#if defined(__CUDACC__)
    if (on_gpu_) {
      if (numbers <= room_) return memory_;
      check_cuda(cudaFree(memory_), "freeing memory");
      memory_ = nullptr;
      room_ = 0;
      check_cuda(cudaMalloc(&memory_, numbers * sizeof(Real)), "allocating memory");
      room_ = numbers;
      return memory_;
    }
#endif
    host_.resize(numbers);
    return host_.data();
  }
  // Room on this machine, in memory that copies are quick from.
  Real* allocate_here(std::size_t numbers) {
#if defined(__CUDACC__)
    if (on_gpu_) {
      if (numbers <= room_here_) return here_;
      check_cuda(cudaFreeHost(here_), "freeing memory");
      here_ = nullptr;
      room_here_ = 0;
      check_cuda(cudaMallocHost(&here_, numbers * sizeof(Real)), "allocating memory");
      room_here_ = numbers;
      return here_;
    }
#endif
    own_.resize(numbers);
    return own_.data();
  }

  void upload(Real* to, const Real* from, std::size_t count) {
#if defined(__CUDACC__)
    if (on_gpu_)
      return check_cuda(cudaMemcpy(to, from, count * sizeof(Real), cudaMemcpyHostToDevice),
                        "copying to the device");
#endif
    std::copy_n(from, count, to);
  }
  void download(Real* to, const Real* from, std::size_t count) {
#if defined(__CUDACC__)
    if (on_gpu_)
      return check_cuda(cudaMemcpy(to, from, count * sizeof(Real), cudaMemcpyDeviceToHost),
                        "copying from the device");
#endif
    std::copy_n(from, count, to);
  }

  template <class Kernel>
  void launch(const Kernel& kernel, std::size_t count) {
#if defined(__CUDACC__)
    if (on_gpu_) {
      static_assert(sizeof(Kernel) <= 3072, "the description of the systems is too large");
      constexpr unsigned together = 128;
      const auto blocks = static_cast<unsigned>((count + together - 1) / together);
      launch_kernel<<<blocks, together>>>(kernel, count);
      check_cuda(cudaGetLastError(), "launching");
      return check_cuda(cudaStreamSynchronize(nullptr), "stepping");
    }
#endif
    const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t threads =
        std::min(count / 64 + 1, threads_ > 0 ? static_cast<std::size_t>(threads_) : most);
    const auto part = [&](std::size_t k) {
      for (std::size_t i = count * k / threads; i < count * (k + 1) / threads; ++i) kernel(i);
    };
    std::vector<std::thread> others;
    for (std::size_t k = 1; k < threads; ++k) others.emplace_back(part, k);
    part(0);
    for (auto& each : others) each.join();
  }

 private:
  static bool choose(const on_device& use) {
    if (use.where == device::cpu) return false;
    std::string why;
    if (has_cuda_device(&why)) return true;
    if (use.where == device::automatic) return false;
    throw error("device 'cuda': no GPU can be used here (" + why + "): use 'cpu' or 'automatic'");
  }

  bool on_gpu_;
  int threads_;
  Real *memory_ = nullptr, *here_ = nullptr;
  std::size_t room_ = 0, room_here_ = 0;
  std::vector<Real> host_, own_;
};

// What is wrong with the sizes, in words.
template <class Real>
void check_sizes(const batch_plan& plan, std::size_t systems, int system_states,
                 std::span<Real* const> states, const batch_events<Real>* events,
                 const batch_measures<Real>* measures, int quantities) {
  const auto refuse = [](const std::string& text) { throw error("batch: " + text); };
  const auto number = [](auto n) { return std::to_string(n); };
  if (!std::isfinite(plan.from) || !std::isfinite(plan.step) || plan.step == 0)
    refuse("the step must be finite and other than 0, its start finite: step = " +
           number(plan.step) + " s, from = " + number(plan.from) + " s");
  if (plan.steps < 0) refuse("steps = " + number(plan.steps) + ": it must not be negative");
  if (static_cast<int>(states.size()) != system_states)
    refuse(number(states.size()) + " arrays of states for systems of " + number(system_states) +
           " states");
  if (events != nullptr && (events->count.size() != systems || events->first.size() != systems ||
                            events->last.size() != systems))
    refuse("the events have room for " + number(events->count.size()) + " systems, and there are " +
           number(systems));
  if (measures == nullptr) return;
  if (static_cast<int>(measures->mean.size()) != quantities)
    refuse("the measures have room for " + number(measures->mean.size()) +
           " quantities, and the systems observe " + number(quantities));
  if (measures->stick_fraction.size() != systems)
    refuse("the measures have room for " + number(measures->stick_fraction.size()) +
           " systems, and there are " + number(systems));
  if (measures->skip < 0 || measures->skip >= plan.steps)
    refuse("skip = " + number(measures->skip) + ": of " + number(plan.steps) +
           " steps some must be left to measure");
  if (std::is_same_v<Real, float> && plan.steps > (1L << 24))
    refuse(number(plan.steps) + " steps are more than float can count (16777216): use double");
}

template <class S, batch_method Method, bool Measured, class Systems, class Real>
std::size_t run_chunks(const on_device& use, const Systems& systems, const batch_plan& plan,
                       std::span<Real* const> states, batch_events<Real>* events,
                       batch_measures<Real>* measures) {
  using slots_of = kernel_slots<S, Systems>;
  const std::size_t total = systems.count();
  std::vector<typename lane_reader<S>::record> columns;
  const slots_of slot{systems.template at<S>(lane_reader<S>(columns)).size()};
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (columns[k].size < total)
      throw error("batch: the array that is read as number " + std::to_string(k + 1) + " has " +
                  std::to_string(columns[k].size) + " values for " + std::to_string(total) +
                  " systems");

  batch_site<Real> site(use, plan.threads);
  const std::size_t slots = static_cast<std::size_t>(slot.count(Measured));
  const std::size_t bytes = (columns.size() + slots) * sizeof(Real);
  const std::size_t memory = use.memory > 0 ? use.memory : site.free_memory();
  const std::size_t most = std::min(total, std::size_t{1} << 30);
  const std::size_t chunk = std::min(most, memory / bytes);
  if (chunk == 0)
    throw error("batch: " + std::to_string(memory) +
                " bytes are too few for one system, which needs " + std::to_string(bytes));
  Real* const block = site.allocate(chunk * (columns.size() + slots));
  kernel_launch<Real, Systems> kernel{copied_bytes<Systems>(systems), plan.from, plan.step};
  kernel.steps = plan.steps;
  if constexpr (Measured) kernel.skip = measures->skip;
  kernel.columns = block;
  kernel.slots = block + chunk * columns.size();
  kernel.stride = chunk;
  const auto place = [&](int k) { return kernel.slots + static_cast<std::size_t>(k) * chunk; };

  long length = 16;  // of a launch; found as it goes
  for (std::size_t first = 0; first < total; first += chunk) {
    const std::size_t count = std::min(chunk, total - first);
    for (std::size_t k = 0; k < columns.size(); ++k)
      site.upload(block + k * chunk, columns[k].values + first, count);
    for (int k = 0; k < slot.states; ++k)
      site.upload(place(k), states[static_cast<std::size_t>(k)] + first, count);

    for (kernel.begin = 0; kernel.begin < plan.steps; kernel.begin = kernel.end) {
      kernel.end = std::min(plan.steps, kernel.begin + length);
      const bool is_skipped = kernel.begin < kernel.skip;
      if (is_skipped) kernel.end = std::min(kernel.end, kernel.skip);
      const auto start = std::chrono::steady_clock::now();
      if (Measured && !is_skipped)
        site.launch(batch_kernel<S, Method, Measured, Systems>{kernel}, count);
      else
        site.launch(batch_kernel<S, Method, false, Systems>{kernel}, count);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      if (took.count() < 0.025) length = std::min(2 * length, 1L << 28);
      if (took.count() > 0.1) length = std::max(length / 2, 1L);
      const bool is_last = kernel.end == plan.steps;
      if (use.progress && !is_last && !use.progress({first, total, kernel.end, plan.steps, count}))
        return first;
    }

    for (int k = 0; k < slot.states; ++k)
      site.download(states[static_cast<std::size_t>(k)] + first, place(k), count);
    if constexpr (slots_of::counts_events) {
      if (events != nullptr && plan.steps > 0) {
        site.download(events->count.data() + first, place(slot.event()), count);
        site.download(events->first.data() + first, place(slot.event() + 1), count);
        site.download(events->last.data() + first, place(slot.event() + 2), count);
      }
    }
    if constexpr (Measured) {
      for (int k = 0; k < slots_of::quantities; ++k) {
        const auto q = static_cast<std::size_t>(k);
        site.download(measures->maximum[q].data() + first, place(slot.quantity(k)), count);
        site.download(measures->minimum[q].data() + first, place(slot.quantity(k) + 1), count);
        site.download(measures->mean[q].data() + first, place(slot.quantity(k) + 2), count);
      }
      Real* const stuck = measures->stick_fraction.data() + first;
      if constexpr (slots_of::tells) {
        site.download(stuck, place(slot.stick()), count);
      } else {
        std::fill_n(stuck, count, std::numeric_limits<Real>::quiet_NaN());
      }
    }
    if (use.progress && !use.progress({first + count, total, 0, plan.steps, 0}))
      return first + count;
  }
  return total;
}

}  // namespace detail

// Steps all systems in the number type S: float, double, or prepared<> of one of them. Returns how
// many systems have their results: all of them, unless `progress` stopped the run. A stick fraction
// that the systems cannot tell is NaN.
// `Only` names the methods to compile, which saves time: run_batch<float, batch_method::rk4>. Without
// it, all that the system has.
template <class S, batch_method... Only, class Systems, class Real = typename lane_reader<S>::real>
std::size_t run_batch(const on_device& use, const Systems& systems, const batch_plan& plan,
                      std::type_identity_t<std::span<Real* const>> states,
                      std::type_identity_t<batch_events<Real>*> events = nullptr,
                      std::type_identity_t<batch_measures<Real>*> measures = nullptr) {
  using system = detail::system_of_batch<S, Systems>;
  static_assert(ode_system<system, S>, "`at` answers no system with rates in this number type");
  constexpr bool has_closed_form = closed_form_system<system, S>;
  using slots_of = detail::kernel_slots<S, Systems>;
  constexpr bool sees = slots_of::quantities > 0 || slots_of::tells;
  if (measures != nullptr && !sees)
    throw error("batch: these systems have nothing to measure: give them 'observe'");
  detail::check_method(plan.method, has_closed_form);
  if (systems.count() == 0) return 0;
  std::vector<typename lane_reader<S>::record> columns;
  const int size = systems.template at<S>(lane_reader<S>(columns)).size();
  detail::check_sizes<Real>(plan, systems.count(), size, states, events, measures,
                            slots_of::quantities);

  std::size_t finished = 0;
  bool is_compiled = false;
  const auto run_if_meant = [&](auto constant) {
    constexpr batch_method method = decltype(constant)::value;
    constexpr bool is_implicit =
        method == batch_method::backward_euler || method == batch_method::sdirk2;
    if constexpr (has_closed_form || !is_implicit) {
      if (plan.method != method) return;
      is_compiled = true;
      if constexpr (sees) {
        if (measures != nullptr) {
          finished = detail::run_chunks<S, method, true, Systems, Real>(use, systems, plan, states,
                                                                        events, measures);
          return;
        }
      }
      finished = detail::run_chunks<S, method, false, Systems, Real>(use, systems, plan, states,
                                                                     events, nullptr);
    }
  };
  if constexpr (sizeof...(Only) > 0) {
    (run_if_meant(std::integral_constant<batch_method, Only>{}), ...);
  } else {
    run_if_meant(std::integral_constant<batch_method, batch_method::euler>{});
    run_if_meant(std::integral_constant<batch_method, batch_method::rk4>{});
    run_if_meant(std::integral_constant<batch_method, batch_method::backward_euler>{});
    run_if_meant(std::integral_constant<batch_method, batch_method::sdirk2>{});
  }
  if (!is_compiled)
    throw error("batch: the method of the plan is not among those that were compiled");
  return finished;
}

}  // namespace asperity
