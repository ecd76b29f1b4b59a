// SPDX-License-Identifier: Apache-2.0
#pragma once

// Systems of one shape on a GPU, for sweeps. Kernels are compiled by nvcc into a library of their own,
// asperity_cuda.so, which is loaded where it is asked for: what a program and that library must have in
// common stands here. Both carry a text that says of which state they are (lane_device_build), and a
// library with another one is not started.

#include <asperity/batch/lane_systems.hpp>
#include <asperity/batch/plan.hpp>
#include <functional>
#include <optional>
#include <string_view>

namespace asperity {

// Which kernel: a friction law with its curve, in a sliding mass or on a belt, and a method.
struct lane_kernel_name {
  std::string_view key, curve;
  bool is_on_belt = false;
  batch_method method = batch_method::rk4;
  bool is_fast = false;  // divisions by reciprocals (scalar/prepared.hpp)
  bool operator==(const lane_kernel_name&) const = default;
};

// Runs of one shape that differ in numbers.
struct lane_job {
  lane_kernel_name kernel;
  std::vector<int> counts;  // whole numbers of the law, as its card lists them: the same for all
  std::vector<input_kind> inputs;
  std::size_t mechanics = 0, law = 0;  // how many numbers; those of the law come last
  // Of each system, in the order of lane_numbers(), and its first state.
  std::vector<const double*> numbers, initial;

  double step = 0, last_step = 0;  // [s]; the last may be shorter
  long steps = 0;
  double latest = 0;     // nothing is asked for later than this
  double last_seen = 0;  // nor shown

  // Rows are kept at the start, after each `every` steps, and at the end: of states, then of outputs,
  // those whose bit is set.
  long every = 1;
  unsigned keeps_states = 0, keeps_outputs = 0;
  bool asks_for_outputs = false;  // they must be finite at every row
  // A state beyond this many times its own start, or of this, is left to the processor.
  double sure = 0;
  std::vector<double> scales;  // of the states

  // Rows first, first + 1 ...: values[(row * kept + column) * systems + system].
  std::function<void(long first, long rows, const double* values)> take;
  // Now and then; false ends the run.
  std::function<bool()> goes_on;
};

// Which kernel systems like this one need, and of what they are made: the first part of a job. Nothing
// where they cannot stand side by side, or have an input without numbers of its own.
std::optional<lane_job> lane_job_for(const system& like);

enum class lane_outcome { completed, interrupted, failed };

class lane_device {
 public:
  virtual ~lane_device() = default;
  virtual bool has(const lane_kernel_name&) const = 0;
  // `is_sure` gets 1 for each system that stayed finite and small. Where it fails, `problem` says why.
  virtual lane_outcome run(const lane_job&, std::vector<char>& is_sure, std::string& problem) = 0;
};

// What the library exports, by names of C: its text, and a function that answers null with the reason
// where no GPU can be used. `on_threads` runs the kernels on the processor, to test them.
using lane_device_build = const char* (*)();
using start_lane_device = lane_device* (*)(bool on_threads, std::string& problem);
inline constexpr const char* lane_device_build_name = "asperity_cuda_build";
inline constexpr const char* start_lane_device_name = "asperity_cuda_start";

}  // namespace asperity
