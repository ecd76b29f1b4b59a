// SPDX-License-Identifier: Apache-2.0
#pragma once

// The library of kernels as a lane_device. Included by one generated translation unit.

#include <asperity/batch/cuda/lane_kernel.hpp>

namespace asperity::detail {

class lane_library final : public lane_device {
 public:
  lane_library(std::vector<lane_kernel_entry> kernels, device where)
      : kernels_(std::move(kernels)), where_(where) {}

  bool has(const lane_kernel_name& name) const override { return find(name) != nullptr; }

  lane_outcome run(const lane_job& job, std::vector<char>& is_sure, std::string& problem) override {
    try {
      const lane_kernel_entry* const kernel = find(job.kernel);
      if (kernel == nullptr)
        throw error("there is no kernel for '" + std::string(job.kernel.key) + "'");
      return kernel->run(where_, job, is_sure);
    } catch (const std::exception& what) {
      problem = what.what();
      return lane_outcome::failed;
    }
  }

 private:
  std::vector<lane_kernel_entry> kernels_;
  device where_;

  const lane_kernel_entry* find(const lane_kernel_name& name) const {
    for (const auto& each : kernels_)
      if (each.name == name) return &each;
    return nullptr;
  }
};

// Null with the reason where no GPU can be used.
inline lane_device* start_lane_library(std::vector<lane_kernel_entry> kernels, bool on_threads,
                                       std::string& problem) {
  if (!on_threads && !has_cuda_device(&problem)) return nullptr;
  return new lane_library(std::move(kernels), on_threads ? device::cpu : device::cuda);
}

}  // namespace asperity::detail
