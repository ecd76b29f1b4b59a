// SPDX-License-Identifier: Apache-2.0
#pragma once

// Points of a sweep that are stepped side by side (asperity/batch/lanes.hpp): those of fixed step
// whose system, model and inputs exist in wide numbers, and whose measures look at columns of the
// run. Only these columns are kept, while the pack runs. A run that fails, or that may have failed, is
// left to simulate(), which says why.

#include <asperity/batch/cuda/lane_device.hpp>
#include <asperity/sweep/plan.hpp>
#include <functional>
#include <optional>

namespace asperity {

// Runs with the same text may be stepped together; nothing where a run stays alone, and `why`, where
// it is given, gets the reason.
std::optional<std::string> pack_of(const scenario&, std::span<const sweep_measure>,
                                   const simulate_options&, std::string* why = nullptr);
int widest_pack();

// A GPU that takes packs, much wider ones.
struct pack_device {
  lane_device* kernels = nullptr;
  bool is_fast = false;   // divisions by reciprocals
  bool is_float = false;  // in float; runs that it leaves to the processor are in double
};
// Why runs like this one, which may stand in a pack, cannot stand in one on the device; empty where
// they can.
std::string why_not_on_device(const pack_device&, const scenario&, std::span<const sweep_measure>);
// As many as keep it busy and whose rows fit into memory.
int widest_pack_on_device(const scenario&, std::span<const sweep_measure>, const simulate_options&);

// One run of a pack: a scenario with other numbers and another start.
struct pack_member {
  std::shared_ptr<const scenario> like;
  std::vector<double> numbers;  // lane_numbers() of its own system
  std::vector<double> initial;
};
pack_member as_pack_member(scenario);

// Runs members of one pack, at most `widest_pack()` of them, and tells of each what its measures need:
// the time and the columns that they look at. Null where the run is left to simulate(). Returns whether
// it was not interrupted.
using tell_of_run = std::function<void(std::size_t member, const run_data*)>;
bool simulate_pack(std::span<const pack_member>, std::span<const sweep_measure>,
                   const simulate_options&, const tell_of_run&);
// The same on a device. Where all measures are reducible (asperity/run/reduced.hpp), no rows come back
// from it, and the second is told their values. Throws asperity::error where the device fails.
using tell_of_values = std::function<void(std::size_t member, const std::vector<double>& values)>;
bool simulate_pack(const pack_device&, std::span<const pack_member>, std::span<const sweep_measure>,
                   const simulate_options&, const tell_of_run&, const tell_of_values&);

// Points whose scenarios need not be read: where a parameter is nothing but some numbers of the system
// or of its start, these are set. Which ones is found by reading the scenario with other values; where
// a value does anything else, every point is read.
class quick_points {
 public:
  // Null where points must be read.
  static std::shared_ptr<const quick_points> of(const sweep_plan&);

  const std::string& key() const { return key_; }  // of all of them
  // Nothing where this one must be read, to be refused in words.
  std::optional<pack_member> at(const sweep_plan&, long long point) const;

 private:
  std::string key_;
  std::shared_ptr<const scenario> like_;
  std::vector<double> numbers_, initial_;
  std::vector<std::vector<std::size_t>> places_;  // of each parameter, in numbers, then initial
};

}  // namespace asperity
