// SPDX-License-Identifier: Apache-2.0
#pragma once

// Laws along measured records, for fits: a thread takes one set of numbers (record_job of
// lane_device.hpp).

#include <asperity/batch/cuda/lane_kernel.hpp>
#include <asperity/integrate/record_step.hpp>

namespace asperity::detail {

// One launch: steps begin ... end - 1 of all records. Of each set of numbers the columns have the law as
// it lies in memory, states at the start of a record, their sizes, and the sensor.
struct record_launch {
  long begin = 0, end = 0;
  const record_job::step* steps = nullptr;
  const record_job::row* rows = nullptr;
  const double* columns = nullptr;
  double *kept = nullptr, *squares = nullptr;  // kept: states and slopes between launches
  std::size_t stride = 0;
};

template <class Model>
struct record_kernel : record_launch {
  static constexpr int capacity = Model::states;
  static constexpr double left_over = std::numeric_limits<double>::quiet_NaN();

  ASPERITY_FN void operator()(std::size_t i) const {
    double sum = begin == 0 ? 0 : squares[i];
    if (!(sum - sum == 0)) return;  // left to the processor
    kernel_source<double, Model> from{nullptr, columns + i, stride};
    const Model law = from.next_law();
    const int n = state_count(law);
    const double* const initial = from.column;
    from.column += capacity * stride;
    record_stages<capacity> stages;
    double y[capacity], f = 0;
    for (int k = 0; k < capacity; ++k) stages.scale[k] = from.next();
    const double offset = from.next(), gain = from.next(), stiffness = from.next();
    const force_sensor sensor{offset, gain, stiffness};
    for (int k = 0; k < n; ++k) {
      y[k] = begin == 0 ? 0 : kept[static_cast<std::size_t>(k) * stride + i];
      stages.slope[k] = begin == 0 ? 0 : kept[static_cast<std::size_t>(capacity + k) * stride + i];
    }

    for (long s = begin; s < end; ++s) {
      const record_job::step step = steps[s];
      const drive<double> at_stage{step.x, step.v, step.load};
      const drive<double> at_end{step.end_x, step.end_v, step.end_load};
      const auto respond_at_stage = [&](const double* state, double* rate) {
        f = respond(law, state, at_stage, rate);
      };
      const auto respond_at_end = [&](const double* state, double* rate) {
        f = respond(law, state, at_end, rate);
      };
      if (step.h < 0) {
        for (int k = 0; k < n; ++k) {
          y[k] = initial[static_cast<std::size_t>(k) * stride];
          stages.slope[k] = 0;
        }
        respond_at_end(y, stages.rate);
      } else if (!stages.step(n, step.h, y, respond_at_stage, respond_at_end)) {
        squares[i] = left_over;
        return;
      }
      if (step.row < 0) continue;
      const record_job::row row = rows[static_cast<long>(step.row)];
      const double residual = sensor.shows(f, row.x) - row.measured;
      sum += residual * residual;
    }

    for (int k = 0; k < n; ++k) {
      kept[static_cast<std::size_t>(k) * stride + i] = y[k];
      kept[static_cast<std::size_t>(capacity + k) * stride + i] = stages.slope[k];
    }
    squares[i] = sum;
  }
};

template <class Binding>
lane_outcome run_records_on(const on_device& use, const record_job& job,
                            std::vector<double>& squares) {
  using model = kernel_law<double, Binding, 0>;
  law_writer<double, Binding, 0> law(job);
  constexpr std::size_t words = law_writer<double, Binding, 0>::words, N = model::states;
  const std::size_t sets = job.numbers.size();
  std::vector<double> columns((words + 2 * N + 3) * sets);
  for (std::size_t i = 0; i < sets; ++i) {
    double* to = columns.data() + i;
    const auto put = [&](double x) {
      *to = x;
      to += sets;
    };
    double word[words];
    law.write(job.numbers[i].data(), word);
    for (const double each : word) put(each);
    for (const auto* all : {&job.initial[i], &job.scales[i]})
      for (std::size_t k = 0; k < N; ++k) put(k < all->size() ? (*all)[k] : 0);
    for (const double each : job.sensor[i]) put(each);
  }

  batch_site<double>& site = site_of_thread(use);
  const std::size_t in_steps = job.steps.size() * (sizeof(record_job::step) / sizeof(double));
  const std::size_t in_rows = job.rows.size() * (sizeof(record_job::row) / sizeof(double));
  double* const block = site.allocate(columns.size() + (2 * N + 1) * sets + in_steps + in_rows);
  double* const kept = block + columns.size();
  double* const there = kept + 2 * N * sets;
  double* const steps = there + sets;
  double* const rows = steps + in_steps;
  site.upload(block, columns.data(), columns.size());
  site.upload(steps, reinterpret_cast<const double*>(job.steps.data()), in_steps);
  site.upload(rows, reinterpret_cast<const double*>(job.rows.data()), in_rows);
  record_launch launch;
  launch.steps = reinterpret_cast<const record_job::step*>(steps);
  launch.rows = reinterpret_cast<const record_job::row*>(rows);
  launch.columns = block;
  launch.kept = kept;
  launch.squares = there;
  launch.stride = sets;
  long length = 16;  // of a launch; found as it goes
  const long all = static_cast<long>(job.steps.size());
  for (launch.begin = 0; launch.begin < all; launch.begin = launch.end) {
    launch.end = std::min(all, launch.begin + length);
    const auto began = std::chrono::steady_clock::now();
    site.launch(record_kernel<model>{launch}, sets);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    if (took.count() < 0.025) length = std::min(2 * length, 1L << 28);
    if (took.count() > 0.1) length = std::max(length / 2, 1L);
  }
  squares.resize(sets);
  site.download(squares.data(), there, sets);
  return lane_outcome::completed;
}

}  // namespace asperity::detail
