// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of lane_device.hpp. Included only by generated translation units, one per law;
// nvcc compiles them for a GPU, any other compiler for the threads of this machine.
//
// A thread steps one system; a few states stay in registers. All numbers of a system lie in columns, one
// for each word: mechanics and inputs, the law as it lies in memory, bounds of the states, states.

#include <asperity/batch/cuda/batch.hpp>
#include <asperity/batch/cuda/lane_device.hpp>
#include <asperity/batch/held_side.hpp>
#include <asperity/batch/side_steps.hpp>
#include <asperity/card.hpp>
#include <bit>

namespace asperity::detail {

template <class S>
inline constexpr bool is_in_float = std::is_same_v<typename value_type_of<S>::type, float>;

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

// A float would forget the time of a long run, and the angle of a sine with it. Here time is counted
// from the start of a step, and what has gone before is taken into the numbers, in double.
template <class S>
requires is_in_float<S>
struct kernel_input<S> {
  input_kind kind;
  input_numbers<double> whole;
  input_numbers<S> since = {};

  ASPERITY_FN void begin(double t) {
    since.offset = lit<S>(whole.offset);
    if (kind == input_kind::constant) return;
    since.slope_or_amplitude = lit<S>(whole.slope_or_amplitude);
    if (kind == input_kind::ramp) {
      since.offset = lit<S>(whole.on_ramp(t));
      since.start_or_omega = lit<S>(math::max(0.0, whole.start_or_omega - t));
    } else {
      constexpr double turn = 6.283185307179586477;
      const double angle = whole.angle(t);
      since.start_or_omega = lit<S>(whole.start_or_omega);
      since.phase = lit<S>(angle - turn * math::floor(angle / turn));
    }
  }
  ASPERITY_FN S value(const S& t) const {
    if (kind == input_kind::constant) return since.offset;
    if (kind == input_kind::ramp) return since.on_ramp(t);
    return since.with(math::sin(since.angle(t)));
  }
};

// From here on the times that a system is asked for count from t. Returns where they begin.
template <class S, class System>
ASPERITY_FN double begin_at([[maybe_unused]] System& system, [[maybe_unused]] double t) {
  if constexpr (is_in_float<S>) {
    if constexpr (requires { system.inputs; }) system.inputs.begin(t);
    return t;
  } else {
    return 0;
  }
}

inline constexpr int most_lane_inputs = 3;

// A law as it lies in memory.
template <class Model>
inline constexpr std::size_t words_of_law = (sizeof(Model) + sizeof(double) - 1) / sizeof(double);

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
  ASPERITY_FN S next() { return lit<S>(next_word()); }
  ASPERITY_FN input next_input() {
    input made{*kinds++, {}};
    if constexpr (is_in_float<S>) {
      words_of_input from{*this};
      made.whole.read(made.kind, from);
    } else {
      made.numbers.read(made.kind, *this);
    }
    return made;
  }
  ASPERITY_FN Model next_law() {
    static_assert(std::is_trivially_copyable_v<Model>);
    constexpr int words = words_of_law<Model>;
    double all[words];
    ASPERITY_UNROLL
    for (int k = 0; k < words; ++k) all[k] = next_word();
    Model made;
    __builtin_memcpy(static_cast<void*>(&made), all, sizeof made);
    return made;
  }

 private:
  struct words_of_input {
    kernel_source& from;
    ASPERITY_FN double next() { return from.next_word(); }
  };
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
  double* own_time = nullptr;                 // three numbers of each (side_steps.hpp)
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
    if constexpr (holds_side<Model>)
      go_from_row_to_row(i);
    else
      go_step_by_step(i);
  }

 private:
  ASPERITY_FN void go_step_by_step(std::size_t i) const {
    kernel_source<S, Model> from{inputs, columns + i, stride};
    auto system = lane_system_from<S, Body>(from);
    constexpr int N = decltype(system)::capacity;
    const double* const bounds = from.column;
    S y[N];
    ASPERITY_UNROLL
    for (int k = 0; k < N; ++k) y[k] = lit<S>(states[static_cast<std::size_t>(k) * stride + i]);
    bool is_sure = sure[i] != 0;
    row_place at{rows + i, i, begin == 0 ? 0 : begin / every + 1};

    if (begin == 0) look(system, 0.0, y, bounds, is_sure, at);
    double n = static_cast<double>(begin);  // counted in double: every step number is exact
    const int count = static_cast<int>(end - begin);
    const int beyond = steps - begin < count ? static_cast<int>(steps - begin) : count;
    int until_row = static_cast<int>(every - begin % every);
    for (int k = 0; k < count; ++k) {
      const bool is_beyond = k == beyond, is_last = k + 1 == beyond && end >= steps;
      const double zero = begin_at<S>(system, n * step);
      const lanes_until<S, decltype(system)> seen{system,
                                                  lit<S>((is_beyond ? last_seen : latest) - zero)};
      take_step(seen, lit<S>(n * step - zero), lit<S>(is_last ? last_step : step), y);
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

  // A step of one system from its own time.
  template <class System>
  struct own_step {
    System* system;
    double latest;
    ASPERITY_FN void operator()(const double* t, const double* h, double* y) const {
      S state[System::capacity];
      ASPERITY_UNROLL
      for (int k = 0; k < System::capacity; ++k) state[k] = lit<S>(y[k]);
      const double zero = begin_at<S>(*system, *t);
      take_step(lanes_until<S, System>{*system, lit<S>(latest - zero)}, lit<S>(*t - zero),
                lit<S>(*h), state);
      ASPERITY_UNROLL
      for (int k = 0; k < System::capacity; ++k) y[k] = plain_value(state[k]);
    }
  };
  ASPERITY_FN void go_from_row_to_row(std::size_t i) const {
    kernel_source<S, Model> from{inputs, columns + i, stride};
    auto system = lane_system_from<S, Body>(from);
    constexpr int N = decltype(system)::capacity;
    const double* const bounds = from.column;
    // A float knows a gap to 6e-8 of itself, and times follow from gaps.
    constexpr double tolerance = is_in_float<S> ? 1e-7 : 1e-12;
    using one_step = own_step<decltype(system)>;
    side_steps<1, N, one_step> body(one_step{&system, latest}, N, step, latest, tolerance);
    double y[N];
    for (int k = 0; k < N; ++k) y[k] = states[static_cast<std::size_t>(k) * stride + i];
    bool is_sure = sure[i] != 0;
    row_place at{rows + i, i, begin == 0 ? 0 : begin + 1};
    const auto show_row = [&](double t, const double* row) {
      S seen[N];
      for (int k = 0; k < N; ++k) seen[k] = lit<S>(row[k]);
      look(system, t, seen, bounds, is_sure, at);
    };
    if (begin == 0) {
      body.start(y);
      show_row(0, body.y());
    } else {
      body.resume(0, own_time[i], own_time[stride + i], own_time[2 * stride + i], y);
    }
    const double slack = 1e-9 * (times[1] - times[0]);
    for (long n = begin; n < end; ++n) {
      if (n < steps) {
        body.reach(times[n + 1], slack, y);
        show_row(times[n + 1], y);
      } else {
        body.reach(latest, slack, y);
        one_step{&system, last_seen}(&latest, &step, y);
        for (int k = 0; k < N; ++k) is_sure = is_sure && is_finite(y[k]);
      }
    }
    for (int k = 0; k < N; ++k)
      states[static_cast<std::size_t>(k) * stride + i] = body.y_before()[k];
    own_time[i] = body.before(0);
    own_time[stride + i] = body.origin(0);
    own_time[2 * stride + i] = body.count(0);
    sure[i] = is_sure && !body.is_stuck(0) ? 1 : 0;
  }

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
  ASPERITY_FN void look(System& system, double t, const S* y, const double* bounds, bool& is_sure,
                        row_place& at) const {
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
  ASPERITY_FN void look_at_outputs(System& system, double t, const S* y, bool& is_sure,
                                   row_place& at) const {
    constexpr int outputs = lane_outputs<Body>;
    S out[outputs];
    const double seen = math::min(t, last_seen);
    show(system, lit<S>(seen - begin_at<S>(system, seen)), y, out);
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
          *place.value[k] = lit<S>(0.0);
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
  static constexpr std::size_t words = words_of_law<model>;
  void write(const double* numbers, double* word) {
    for (const auto& [place, from] : values_) *place = lit<S>(numbers[from]);
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
    double word[words] = {};
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
  constexpr std::size_t in_own_time = holds_side<model> ? 3 : 0;
  const std::size_t in_columns = columns.size(), in_states = (N + 1 + in_own_time) * systems;
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
  launch.own_time = launch.sure + systems;
  launch.rows = launch.own_time + in_own_time * systems;
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
