// SPDX-License-Identifier: Apache-2.0
#pragma once

// Systems of one shape on a GPU, for sweeps. Kernels are compiled by nvcc into a library of their own,
// asperity_cuda.so, which is loaded where it is asked for: what a program and that library must have in
// common stands here. Both carry a text that says of which state they are (lane_device_build), and a
// library with another one is not started.

#include <array>
#include <asperity/batch/lane_systems.hpp>
#include <asperity/batch/plan.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace asperity {

// Which kernel: a law with its curve, what it stands in, and a method.
struct lane_kernel_name {
  std::string_view key, curve;
  lane_body body = lane_body::sliding;
  batch_method method = batch_method::rk4;
  bool is_fast = false;  // divisions by reciprocals (scalar/prepared.hpp)
  bool is_float = false;
  int elements = 0;  // of a law made of several; a kernel may have room for more
};

// What is wanted of a column in place of its rows: their ends, their extremes and the integral over
// time, of rows `first` to `last`.
struct lane_reduction {
  int state = -1, output = -1;  // the number of one of them
  long first = 0, last = 0;
  bool operator==(const lane_reduction&) const = default;
};
enum lane_reduced { at_first, at_last, at_lowest, at_highest, as_integral, lane_reduced_numbers };

// A law of the catalogue, without its numbers.
struct lane_law_shape {
  lane_kernel_name kernel;
  std::vector<int> counts;  // whole numbers of the law, as its card lists them: the same for all
  std::size_t law = 0;      // how many numbers it has, in the order of its card
};

// Runs of one shape that differ in numbers.
struct lane_job : lane_law_shape {
  std::vector<input_kind> inputs;
  std::size_t mechanics = 0;  // how many numbers; those of the law come last
  // Of each system, in the order of lane_numbers(), and its first state.
  std::vector<const double*> numbers, initial;

  double step = 0, last_step = 0;  // [s]; the last may be shorter
  long steps = 0;
  double latest = 0;     // nothing is asked for later than this
  double last_seen = 0;  // nor shown

  // Rows are kept at the start, after each `every` steps, and at the end: of states, then of outputs,
  // those whose bit is set. Where systems have times of their own (side_steps.hpp), `steps` are the
  // ways from row to row.
  long every = 1;
  std::uint64_t keeps_states = 0, keeps_outputs = 0;
  bool asks_for_outputs = false;  // they must be finite at every row
  // A state beyond this many times its own start, or of this, is left to the processor.
  double sure = 0;
  std::vector<double> scales;  // of the states

  // No more than this many, and then no rows are kept. The times are those of all rows, which systems
  // with times of their own need, too.
  static constexpr std::size_t most_reductions = 8;
  std::vector<lane_reduction> reductions;
  std::vector<double> times;

  // values[(reduction * lane_reduced_numbers + number) * systems + system], at the end.
  std::function<void(const double* values)> take_reduced;
  // Rows first, first + 1 ...: values[(row * kept + column) * systems + system].
  std::function<void(long first, long rows, const double* values)> take;
  // Now and then; false ends the run.
  std::function<bool()> goes_on;
};

// Which kernel systems like this one need, and of what they are made: the first part of a job. Nothing
// where they cannot stand side by side, or have an input without numbers of its own.
std::optional<lane_job> lane_job_for(const system& like);

// A law along measured records, with many sets of its numbers: of each the sum of the squares of what
// the model shows and what was measured.
struct record_job : lane_law_shape {
  // One step of all records, one after the other (integrate/record_step.hpp).
  struct step {
    double h;                       // below 0: a record begins here, at the inputs of its end
    double x, v, load;              // at the inner stage
    double end_x, end_v, end_load;  // at the end
    double row;                     // which row ends here that is compared; below 0: none
  };
  struct row {
    double measured, x;
  };
  std::vector<step> steps;
  std::vector<row> rows;
  // Of each set: numbers of the law, its states at the start of a record and their sizes, and offset,
  // gain and stiffness of the sensor.
  std::vector<std::vector<double>> numbers, initial, scales;
  std::vector<std::array<double, 3>> sensor;
};

enum class lane_outcome { completed, interrupted, failed };

class lane_device {
 public:
  virtual ~lane_device() = default;
  virtual std::string where() const = 0;  // in words, such as "GPU 0 of 2, NVIDIA H200"
  virtual bool has(const lane_kernel_name&) const = 0;
  // `is_sure` gets 1 for each system that stayed finite and small. Where it fails, `problem` says why.
  virtual lane_outcome run(const lane_job&, std::vector<char>& is_sure, std::string& problem) = 0;

  // Along records, where the name of a law and its elements say which kernel. A sum is NaN where the
  // steps of a set must be taken by other means.
  virtual bool has_for_records(const lane_kernel_name&) const = 0;
  virtual lane_outcome run(const record_job&, std::vector<double>& squares,
                           std::string& problem) = 0;
};

// What the library exports, by names of C: its text, and a function that answers null with the reason
// where no GPU can be used. `on_threads` runs the kernels on the processor, to test them. Processes of
// one machine that differ in their place take different GPUs.
using lane_device_build = const char* (*)();
using start_lane_device = lane_device* (*)(bool on_threads, int place, std::string& problem);
constexpr int gpu_for(int place, int gpus) { return place % gpus; }
inline constexpr const char* lane_device_build_name = "asperity_cuda_build";
inline constexpr const char* start_lane_device_name = "asperity_cuda_start";

}  // namespace asperity
