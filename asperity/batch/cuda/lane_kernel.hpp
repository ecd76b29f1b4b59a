// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of lane_device.hpp. Included only by generated translation units, one per law;
// nvcc compiles them for a GPU, any other compiler for the threads of this machine.
//
// A thread steps one system; a few states stay in registers. All numbers of a system lie in columns, one
// for each word: mechanics and inputs, the law as it lies in memory, bounds of the states, states.

#include <asperity/batch/cuda/batch.hpp>
#include <asperity/batch/cuda/lane_device.hpp>
#include <asperity/card.hpp>
#include <bit>

// An index that is known only at run time would move an array out of registers.
#if defined(__CUDACC__)
#define ASPERITY_UNROLL _Pragma("unroll")
#else
#define ASPERITY_UNROLL
#endif

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
  ASPERITY_FN Model next_law() {
    static_assert(std::is_trivially_copyable_v<Model> && sizeof(Model) % sizeof(double) == 0);
    constexpr int words = sizeof(Model) / sizeof(double);
    double all[words];
    ASPERITY_UNROLL
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
  std::uint64_t keeps_states = 0, keeps_outputs = 0;
  bool asks_for_outputs = false;
  input_kind inputs[most_lane_inputs] = {};
  const double* columns = nullptr;
  double *states = nullptr, *sure = nullptr;  // sure: 1, or 0 for one that is left to the processor
  double* rows = nullptr;
  std::size_t stride = 0;
  lane_reduction reductions[lane_job::most_reductions] = {};
  int reduced_columns = 0;
  const double* times = nullptr;  // of the rows
  double* reduced = nullptr;
};

template <class S, class Model, lane_body Body, batch_method Method>
struct lane_kernel : lane_launch {
  ASPERITY_FN void operator()(std::size_t i) const {
    kernel_source<S, Model> from{inputs, columns + i, stride};
    const auto system = lane_system_from<S, Body>(from);
    constexpr int N = decltype(system)::capacity;
    const double* const bounds = from.column;
    S y[N];
    ASPERITY_UNROLL
    for (int k = 0; k < N; ++k) y[k] = S(states[static_cast<std::size_t>(k) * stride + i]);
    bool is_sure = sure[i] != 0;
    row_place at{rows + i, i, begin == 0 ? 0 : begin / every + 1};

    if (begin == 0) look(system, 0.0, y, bounds, is_sure, at);
    double n = static_cast<double>(begin);  // counted in double: every step number is exact
    const int count = static_cast<int>(end - begin);
    const int beyond = steps - begin < count ? static_cast<int>(steps - begin) : count;
    int until_row = static_cast<int>(every - begin % every);
    for (int k = 0; k < count; ++k) {
      const bool is_beyond = k == beyond, is_last = k + 1 == beyond && end >= steps;
      const lanes_until<S, decltype(system)> seen{system, lit<S>(is_beyond ? last_seen : latest)};
      take_step(seen, lit<S>(n * step), lit<S>(is_last ? last_step : step), y);
      tidy(system, y);
      n += 1;
      if (is_beyond) {
        ASPERITY_UNROLL
        for (int j = 0; j < N; ++j) is_sure = is_sure && is_finite(plain_value(y[j]));
      } else if (--until_row == 0 || is_last) {
        look(system, math::min(n * step, latest), y, bounds, is_sure, at);
        until_row = static_cast<int>(every);
      }
    }

    ASPERITY_UNROLL
    for (int k = 0; k < N; ++k)
      states[static_cast<std::size_t>(k) * stride + i] = plain_value(y[k]);
    sure[i] = is_sure ? 1 : 0;
  }

 private:
  static ASPERITY_FN bool is_finite(double x) { return x - x == 0; }

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

  // Where the next number of a row goes, of which system, and which row it is.
  struct row_place {
    double* to;
    std::size_t system;
    long row;
  };

  // Keeps a row and looks whether it is one to be sure of.
  template <class System>
  ASPERITY_FN void look(const System& system, double t, const S* y, const double* bounds,
                        bool& is_sure, row_place& at) const {
    ASPERITY_UNROLL
    for (int k = 0; k < System::capacity; ++k) {
      const double x = plain_value(y[k]);
      is_sure = is_sure && math::abs(x) <= bounds[static_cast<std::size_t>(k) * stride];
      if ((keeps_states >> k & 1) != 0) keep(x, at);
    }
    for (int r = 0; r < reduced_columns; ++r)
      if (reductions[r].state >= 0) reduce(one_of<System::capacity>(y, reductions[r].state), r, at);
    if (asks_for_outputs) look_at_outputs(system, t, y, is_sure, at);
    ++at.row;
  }
  template <class System>
  ASPERITY_FN void look_at_outputs(const System& system, double t, const S* y, bool& is_sure,
                                   row_place& at) const {
    constexpr int outputs = lane_outputs<Body>;
    S out[outputs];
    show(system, lit<S>(math::min(t, last_seen)), y, out);
    for (int k = 0; k < outputs; ++k) {
      const double x = plain_value(out[k]);
      is_sure = is_sure && is_finite(x);
      if ((keeps_outputs >> k & 1) != 0) keep(x, at);
    }
    for (int r = 0; r < reduced_columns; ++r)
      if (reductions[r].output >= 0) reduce(one_of<outputs>(out, reductions[r].output), r, at);
  }
  template <int N>
  static ASPERITY_FN double one_of(const S* all, int which) {
    S found = all[0];
    ASPERITY_UNROLL
    for (int k = 1; k < N; ++k)
      if (k == which) found = all[k];
    return plain_value(found);
  }
  ASPERITY_FN void keep(double x, row_place& at) const {
    *at.to = x;
    at.to += stride;
  }
  // As the measures see rows one after the other (asperity/run/measures/values.cpp).
  ASPERITY_FN void reduce(double x, int r, const row_place& at) const {
    if (at.row < reductions[r].first || at.row > reductions[r].last) return;
    const auto number = [&](int which) -> double& {
      return reduced[static_cast<std::size_t>(r * lane_reduced_numbers + which) * stride +
                     at.system];
    };
    if (at.row == reductions[r].first) {
      number(at_first) = number(at_lowest) = number(at_highest) = x;
      number(as_integral) = 0;
    } else {
      if (x < number(at_lowest)) number(at_lowest) = x;
      if (number(at_highest) < x) number(at_highest) = x;
      number(as_integral) += (x + number(at_last)) / 2 * (times[at.row] - times[at.row - 1]);
    }
    number(at_last) = x;
  }
};

// ---- the processor's side -----------------------------------------------------------------------

// A law whose number of elements may be known to the compiler, with room for so many; 0: as it is.
template <class Model, int Room>
struct law_with_room;
template <class Model>
struct law_with_room<Model, 0> {
  using type = Model;
};
template <template <scalar, class, int, class> class Law, class S, class Curve, int Capacity,
          int Room>
requires(Room > 0) struct law_with_room<Law<S, Curve, Capacity, int>, Room> {
  using type = Law<S, Curve, Room, fixed_count<Room>>;
};
template <class S, class Binding, int Room>
using kernel_law = typename law_with_room<typename Binding::template type<S>, Room>::type;

// The card of a law whose number of elements may be known to the compiler.
template <class S>
struct kernel_card : card<S> {
  using card<S>::elements;
  template <int N>
  void elements(std::string_view, fixed_count<N>&, int, std::string_view) {}
};

// Where the numbers of a law go that has room for so many elements, which may be more than the job has:
// these carry nothing. The job gives the numbers of the law as the catalogue has it.
template <class S, class Binding, int Room>
class law_writer {
 public:
  using model = kernel_law<S, Binding, Room>;
  explicit law_writer(const lane_law_shape& job) {
    typename Binding::template type<double> full;
    const card<double> from = card_of<double>(full);
    kernel_card<S> to;
    made_.describe(to);
    std::size_t first = 0, counts = 0;
    auto next = to.parameters.begin();
    const auto elements = static_cast<std::size_t>(job.kernel.elements);
    for (const auto& each : from.parameters) {
      if (each.count != nullptr || each.whole != nullptr) ++counts;
      if (each.count != nullptr && is_fixed) continue;
      const auto& place = *next++;
      if (int* const whole = place.count != nullptr ? place.count : place.whole)
        if (counts <= job.counts.size()) *whole = job.counts[counts - 1];
      for (std::size_t k = 0; k < place.value.size(); ++k) {
        const bool is_beyond = is_fixed && each.is_list && k >= elements;
        if (is_beyond && each.is_share)
          *place.value[k] = S(0.0);
        else
          values_.push_back({place.value[k], first + (is_beyond ? elements - 1 : k)});
      }
      first += each.value.size();
    }
    if (first != job.law || counts != job.counts.size())
      throw error("the law '" + std::string(job.kernel.key) +
                  "' has other numbers than its kernel");
  }
  // The words of a law with these numbers.
  static constexpr std::size_t words = sizeof(model) / sizeof(double);
  void write(const double* numbers, double* word) {
    for (const auto& [place, from] : values_) *place = S(numbers[from]);
    std::memcpy(word, static_cast<const void*>(&made_), sizeof made_);
  }

 private:
  static constexpr bool is_fixed = Room > 0;
  model made_;
  std::vector<std::pair<S*, std::size_t>> values_;
};

// Columns of all systems: what kernel_source reads, then the bounds.
template <class S, class Binding, int Room>
std::vector<double> columns_of(const lane_job& job, std::size_t states) {
  law_writer<S, Binding, Room> law(job);
  constexpr std::size_t words = law_writer<S, Binding, Room>::words;
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
    double word[words];
    law.write(from, word);
    for (const double each : word) put(each);
    for (std::size_t k = 0; k < states; ++k)
      put(k < job.scales.size() ? job.sure * std::max(std::abs(job.initial[i][k]), job.scales[k])
                                : unbounded);
  }
  return columns;
}

// Rows go back in blocks of about this many bytes.
inline constexpr std::size_t bytes_of_rows = std::size_t{1} << 26;

// One for each thread of the program, so that kernels, copies and measures of several packs overlap.
inline batch_site<double>& site_of_thread(const on_device& use) {
  thread_local batch_site<double> site(use, 1);
  return site;
}

template <class S, class Binding, int Room, lane_body Body, batch_method Method>
lane_outcome run_lanes_on(const on_device& use, const lane_job& job, std::vector<char>& is_sure) {
  using model = kernel_law<S, Binding, Room>;
  const std::size_t systems = job.numbers.size();
  constexpr std::size_t N = lane_mechanical_states<Body> + model::states;
  batch_site<double>& site = site_of_thread(use);
  const std::vector<double> columns = columns_of<S, Binding, Room>(job, N);
  const std::size_t kept =
      static_cast<std::size_t>(std::popcount(job.keeps_states) + std::popcount(job.keeps_outputs));
  const std::size_t one_row = kept * systems;
  const long most_rows = std::max(
      2L, static_cast<long>(bytes_of_rows / sizeof(double) / std::max<std::size_t>(one_row, 1)));
  const std::size_t in_columns = columns.size(), in_states = (N + 1) * systems;
  // As many rows as there are may be fewer than fit.
  const long rows_ahead = std::min(most_rows, job.steps / job.every + 2);
  const std::size_t in_rows = static_cast<std::size_t>(rows_ahead) * one_row;
  const std::size_t in_reduced = job.reductions.size() * lane_reduced_numbers * systems;
  if (job.reductions.size() > lane_job::most_reductions || (in_reduced > 0 && kept > 0))
    throw error("rows are kept, or reduced to a few numbers, not both");
  double* const block =
      site.allocate(in_columns + in_states + in_rows + in_reduced + job.times.size());

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
  for (const lane_reduction& each : job.reductions)
    launch.reductions[launch.reduced_columns++] = each;
  launch.reduced = launch.rows + in_rows;
  double* const times = launch.reduced + in_reduced;
  launch.times = times;
  site.upload(times, job.times.data(), job.times.size());
  site.upload(block, columns.data(), columns.size());
  std::vector<double> start(in_states, 1.0);
  for (std::size_t i = 0; i < systems; ++i)
    for (std::size_t k = 0; k < N; ++k)
      start[k * systems + i] = k < job.scales.size() ? job.initial[i][k] : 0;
  site.upload(launch.states, start.data(), start.size());

  double* const rows = site.allocate_here(std::max(in_rows, in_reduced));
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
    site.launch(lane_kernel<S, model, Body, Method>{launch}, systems);
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
  if (in_reduced > 0) {
    site.download(rows, launch.reduced, in_reduced);
    job.take_reduced(rows);
  }
  std::vector<double> sure(systems);
  site.download(sure.data(), launch.sure, systems);
  is_sure.assign(systems, 0);
  for (std::size_t i = 0; i < systems; ++i) is_sure[i] = sure[i] != 0 ? 1 : 0;
  return lane_outcome::completed;
}

}  // namespace asperity::detail
