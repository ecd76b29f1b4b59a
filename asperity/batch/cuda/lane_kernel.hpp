// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of lane_device.hpp. Included only by generated translation units, one per friction law;
// nvcc compiles them for a GPU, any other compiler for the threads of this machine.
//
// A thread steps one system; its states stay in registers. All numbers of a system lie in columns, one
// for each word: mechanics and inputs, the law as it lies in memory, bounds of the states, states.

#include <asperity/batch/cuda/batch.hpp>
#include <asperity/batch/cuda/lane_device.hpp>
#include <asperity/card.hpp>
#include <bit>

namespace asperity::detail {

template <class S>
struct kernel_input {
  input_kind kind;
  input_numbers<S> numbers;
  ASPERITY_FN S value(const S& t) const {
    if (kind == input_kind::constant) return numbers.offset;
    if (kind == input_kind::ramp) return numbers.on_ramp(t);
    return numbers.with(math::sin(numbers.angle(t)));
  }
};

inline constexpr int most_lane_inputs = 3;

// What a thread makes its system of (lane_systems.hpp).
template <class S, class Model>
struct kernel_source {
  using law = Model;
  using input = kernel_input<S>;
  const input_kind* kinds;
  const double* column;  // of the next number
  std::size_t stride;

  ASPERITY_FN double next_word() {
    const double word = *column;
    column += stride;
    return word;
  }
  ASPERITY_FN S next() { return S(next_word()); }
  ASPERITY_FN input next_input() {
    input made{*kinds++, {}};
    made.numbers.read(made.kind, *this);
    return made;
  }
  ASPERITY_FN Model friction() {
    static_assert(std::is_trivially_copyable_v<Model> && sizeof(Model) % sizeof(double) == 0);
    constexpr int words = sizeof(Model) / sizeof(double);
    double all[words];
#if defined(__CUDACC__)
#pragma unroll
#endif
    for (int k = 0; k < words; ++k) all[k] = next_word();
    Model made;
    __builtin_memcpy(static_cast<void*>(&made), all, sizeof made);
    return made;
  }
};

// One launch: steps begin + 1 ... end. The one after the last step shows only whether the run would
// have gone on.
struct lane_launch {
  double step, last_step, latest, last_seen;
  long steps, every, begin = 0, end = 0;
  unsigned keeps_states = 0, keeps_outputs = 0;
  bool asks_for_outputs = false;
  input_kind inputs[most_lane_inputs] = {};
  const double* columns = nullptr;
  double *states = nullptr, *sure = nullptr;  // sure: 1, or 0 for one that is left to the processor
  double* rows = nullptr;
  std::size_t stride = 0;
};

template <class S, class Model, bool OnBelt, batch_method Method>
struct lane_kernel : lane_launch {
  ASPERITY_FN void operator()(std::size_t i) const {
    kernel_source<S, Model> from{inputs, columns + i, stride};
    const auto system = system_from(from);
    constexpr int N = decltype(system)::capacity;
    const double* const bounds = from.column;
    S y[N];
    for (int k = 0; k < N; ++k) y[k] = S(states[static_cast<std::size_t>(k) * stride + i]);
    bool is_sure = sure[i] != 0;
    double* row = rows + i;

    if (begin == 0) look(system, 0.0, y, bounds, is_sure, row);
    double n = static_cast<double>(begin);  // counted in double: every step number is exact
    const int count = static_cast<int>(end - begin);
    const int beyond = steps - begin < count ? static_cast<int>(steps - begin) : count;
    int until_row = static_cast<int>(every - begin % every);
    for (int k = 0; k < count; ++k) {
      const bool is_beyond = k == beyond, is_last = k + 1 == beyond && end >= steps;
      const lanes_until<S, decltype(system)> seen{system, lit<S>(is_beyond ? last_seen : latest)};
      take_step(seen, lit<S>(n * step), lit<S>(is_last ? last_step : step), y);
      n += 1;
      if (is_beyond) {
        for (int j = 0; j < N; ++j) is_sure = is_sure && is_finite(plain_value(y[j]));
      } else if (--until_row == 0 || is_last) {
        look(system, math::min(n * step, latest), y, bounds, is_sure, row);
        until_row = static_cast<int>(every);
      }
    }

    for (int k = 0; k < N; ++k)
      states[static_cast<std::size_t>(k) * stride + i] = plain_value(y[k]);
    sure[i] = is_sure ? 1 : 0;
  }

 private:
  static ASPERITY_FN bool is_finite(double x) { return x - x == 0; }

  static ASPERITY_FN auto system_from(kernel_source<S, Model>& from) {
    if constexpr (OnBelt) {
      return mass_on_belt_from<S>(from);
    } else {
      return sliding_mass_from<S>(from);
    }
  }

  template <class System>
  static ASPERITY_FN void take_step(const System& system, const S& t, const S& h, S* y) {
    if constexpr (Method == batch_method::rk4) {
      rk4_step(system, t, h, y);
    } else if constexpr (Method == batch_method::euler) {
      euler_step(system, t, h, y);
    } else {
      S rate[System::capacity];
      backward_euler_step(system, t, h, y, rate);
    }
  }

  // Keeps a row and looks whether it is one to be sure of.
  template <class System>
  ASPERITY_FN void look(const System& system, double t, const S* y, const double* bounds,
                        bool& is_sure, double*& row) const {
    for (int k = 0; k < System::capacity; ++k) {
      const double x = plain_value(y[k]);
      is_sure = is_sure && math::abs(x) <= bounds[static_cast<std::size_t>(k) * stride];
      if ((keeps_states >> k & 1U) != 0) keep(x, row);
    }
    if (!asks_for_outputs) return;
    constexpr int outputs = OnBelt ? 2 : 1;
    S out[outputs];
    show(system, lit<S>(math::min(t, last_seen)), y, out);
    for (int k = 0; k < outputs; ++k) {
      const double x = plain_value(out[k]);
      is_sure = is_sure && is_finite(x);
      if ((keeps_outputs >> k & 1U) != 0) keep(x, row);
    }
  }
  ASPERITY_FN void keep(double x, double*& row) const {
    *row = x;
    row += stride;
  }
};

// ---- the processor's side -----------------------------------------------------------------------

// Columns of all systems: what kernel_source reads, then the bounds.
template <class S, class Model>
std::vector<double> columns_of(const lane_job& job, std::size_t states) {
  Model made;
  const card<S> places = card_of<S>(made);
  std::vector<S*> values;
  std::size_t counts = 0;
  for (const auto& each : places.parameters) {
    values.insert(values.end(), each.value.begin(), each.value.end());
    int* const whole = each.count != nullptr ? each.count : each.whole;
    if (whole != nullptr && counts++ < job.counts.size()) *whole = job.counts[counts - 1];
  }
  if (values.size() != job.law || counts != job.counts.size() || job.scales.size() != states)
    throw error("the law '" + std::string(job.kernel.key) + "' has other numbers than its kernel");
  constexpr std::size_t words = sizeof(Model) / sizeof(double);
  const std::size_t systems = job.numbers.size();
  std::vector<double> columns((job.mechanics + words + states) * systems);
  for (std::size_t i = 0; i < systems; ++i) {
    double* to = columns.data() + i;
    const auto put = [&](double x) {
      *to = x;
      to += systems;
    };
    const double* from = job.numbers[i];
    for (std::size_t k = 0; k < job.mechanics; ++k) put(*from++);
    for (S* each : values) *each = S(*from++);
    double word[words];
    std::memcpy(word, static_cast<const void*>(&made), sizeof made);
    for (const double each : word) put(each);
    for (std::size_t k = 0; k < states; ++k)
      put(job.sure * std::max(std::abs(job.initial[i][k]), job.scales[k]));
  }
  return columns;
}

// Rows go back in blocks of about this many bytes.
inline constexpr std::size_t bytes_of_rows = std::size_t{1} << 26;

// One for each thread of the program, so that kernels, copies and measures of several packs overlap.
inline batch_site<double>& site_of_thread(device where) {
  thread_local batch_site<double> site(on_device{.where = where}, 1);
  return site;
}

template <class S, class Model, bool OnBelt, batch_method Method>
lane_outcome run_lanes_on(device where, const lane_job& job, std::vector<char>& is_sure) {
  const std::size_t systems = job.numbers.size();
  constexpr std::size_t N = 2 + Model::states;
  batch_site<double>& site = site_of_thread(where);
  const std::vector<double> columns = columns_of<S, Model>(job, N);
  const std::size_t kept =
      static_cast<std::size_t>(std::popcount(job.keeps_states) + std::popcount(job.keeps_outputs));
  const std::size_t one_row = kept * systems;
  const long most_rows = std::max(
      2L, static_cast<long>(bytes_of_rows / sizeof(double) / std::max<std::size_t>(one_row, 1)));
  const std::size_t in_columns = columns.size(), in_states = (N + 1) * systems;
  // As many rows as there are may be fewer than fit.
  const long rows_ahead = std::min(most_rows, job.steps / job.every + 2);
  double* const block =
      site.allocate(in_columns + in_states + static_cast<std::size_t>(rows_ahead) * one_row);

  lane_launch launch{job.step, job.last_step, job.latest, job.last_seen, job.steps, job.every};
  for (std::size_t k = 0; k < job.inputs.size(); ++k) launch.inputs[k] = job.inputs[k];
  launch.keeps_states = job.keeps_states;
  launch.keeps_outputs = job.keeps_outputs;
  launch.asks_for_outputs = job.asks_for_outputs;
  launch.columns = block;
  launch.states = block + in_columns;
  launch.sure = launch.states + N * systems;
  launch.rows = launch.sure + systems;
  launch.stride = systems;
  site.upload(block, columns.data(), columns.size());
  std::vector<double> start(in_states, 1.0);
  for (std::size_t i = 0; i < systems; ++i)
    for (std::size_t k = 0; k < N; ++k) start[k * systems + i] = job.initial[i][k];
  site.upload(launch.states, start.data(), start.size());

  double* const rows = site.allocate_here(static_cast<std::size_t>(rows_ahead) * one_row);
  // Rows up to and with the end of step n, the start counted.
  const auto rows_until = [&](long n) {
    return 1 + n / job.every + (n == job.steps && n % job.every != 0 ? 1 : 0);
  };
  long length = 16, first_row = 0;  // of a launch; found as it goes
  const long beyond = job.steps + 1;
  for (launch.begin = 0; launch.begin < beyond; launch.begin = launch.end) {
    // No more rows than have room: the start is one, and the end may be one.
    const long room = (launch.begin / job.every + rows_ahead - 1) * job.every;
    launch.end = std::max(launch.begin + 1, std::min({beyond, launch.begin + length, room}));
    const auto began = std::chrono::steady_clock::now();
    site.launch(lane_kernel<S, Model, OnBelt, Method>{launch}, systems);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    if (took.count() < 0.025) length = std::min(2 * length, 1L << 28);
    if (took.count() > 0.1) length = std::max(length / 2, 1L);
    const long new_rows = rows_until(std::min(launch.end, job.steps)) - first_row;
    if (new_rows > 0 && kept > 0) {
      site.download(rows, launch.rows, static_cast<std::size_t>(new_rows) * one_row);
      job.take(first_row, new_rows, rows);
    }
    first_row += new_rows;
    if (!job.goes_on()) return lane_outcome::interrupted;
  }
  std::vector<double> sure(systems);
  site.download(sure.data(), launch.sure, systems);
  is_sure.assign(systems, 0);
  for (std::size_t i = 0; i < systems; ++i) is_sure[i] = sure[i] != 0 ? 1 : 0;
  return lane_outcome::completed;
}

// ---- which kernels there are --------------------------------------------------------------------

struct lane_kernel_entry {
  lane_kernel_name name;
  lane_outcome (*run)(device, const lane_job&, std::vector<char>& is_sure);
};

// Laws of more states would leave the registers of a thread.
inline constexpr int most_law_states = 4;

template <class Binding, class S>
concept is_in_kernels = requires(const typename Binding::template type<S>& model,
                                 const vec<S, Binding::template type<S>::states>& state,
                                 const drive<S>& in) {
  model(state, in);
  requires Binding::template type<S>::states <= most_law_states;
};

template <class Binding, class S>
void add_kernels_in(lane_kernel_name name, std::vector<lane_kernel_entry>& to) {
  using model = typename Binding::template type<S>;
  using enum batch_method;
  const auto add = [&](bool on_belt, batch_method method, auto run) {
    name.is_on_belt = on_belt;
    name.method = method;
    to.push_back({name, run});
  };
  add(false, rk4, &run_lanes_on<S, model, false, rk4>);
  add(false, euler, &run_lanes_on<S, model, false, euler>);
  add(true, rk4, &run_lanes_on<S, model, true, rk4>);
  add(true, euler, &run_lanes_on<S, model, true, euler>);
  if constexpr (reacts<model, S> && !steps_itself<model, S>)
    add(false, backward_euler, &run_lanes_on<S, model, false, backward_euler>);
}

// As packs have it, a law that branches on its memory exists in plain numbers only.
template <class Binding>
void add_kernels(const char* key, const char* curve, std::vector<lane_kernel_entry>& to) {
  if constexpr (is_in_kernels<Binding, prepared<double>>) {
    add_kernels_in<Binding, double>({key, curve}, to);
    add_kernels_in<Binding, prepared<double>>({.key = key, .curve = curve, .is_fast = true}, to);
  }
}

template <class Model, class Curve>
struct kernel_with_curve {
  template <class S>
  using type =
      typename Model::template type<S>::template with_curve<typename Curve::template type<S>>;
};

template <class Model, class FirstCurve, class... OtherCurves>
void add_kernels_of(const char* key, std::vector<lane_kernel_entry>& to,
                    model_list<FirstCurve, OtherCurves...>) {
  if constexpr (requires {
                  typename Model::template type<double>::template with_curve<
                      typename FirstCurve::template type<double>>;
                }) {
    add_kernels<kernel_with_curve<Model, FirstCurve>>(key, FirstCurve::key, to);
    (add_kernels<kernel_with_curve<Model, OtherCurves>>(key, OtherCurves::key, to), ...);
  } else {
    add_kernels<Model>(key, "", to);
  }
}

}  // namespace asperity::detail
