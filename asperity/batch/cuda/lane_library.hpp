// SPDX-License-Identifier: Apache-2.0
#pragma once

// The library of kernels as a lane_device. Included by one generated translation unit.

#include <asperity/batch/cuda/kernel_list.hpp>

namespace asperity::detail {

class lane_library final : public lane_device {
 public:
  lane_library(lane_kernel_list kernels, on_device use, std::string where)
      : kernels_(std::move(kernels)), use_(std::move(use)), where_(std::move(where)) {}

  std::string where() const override { return where_; }
  bool has(const lane_kernel_name& name) const override { return find(name) != nullptr; }

  lane_outcome run(const lane_job& job, std::vector<char>& is_sure, std::string& problem) override {
    return run_one(find(job.kernel), job, is_sure, problem);
  }

  bool has_for_records(const lane_kernel_name& name) const override {
    return find_for_records(name) != nullptr;
  }
  lane_outcome run(const record_job& job, std::vector<double>& squares,
                   std::string& problem) override {
    return run_one(find_for_records(job.kernel), job, squares, problem);
  }

 private:
  lane_kernel_list kernels_;
  on_device use_;
  std::string where_;

  // The first that has room, which is the smallest.
  const lane_kernel_entry* find(const lane_kernel_name& name) const {
    for (const auto& each : kernels_.lanes)
      if (each.fits(name)) return &each;
    return nullptr;
  }
  const record_kernel_entry* find_for_records(const lane_kernel_name& name) const {
    for (const auto& each : kernels_.records)
      if (each.name.key == name.key && each.name.curve == name.curve) return &each;
    return nullptr;
  }

  template <class Entry, class Job, class Result>
  lane_outcome run_one(const Entry* kernel, const Job& job, Result& result, std::string& problem) {
    try {
      if (kernel == nullptr)
        throw error("there is no kernel for '" + std::string(job.kernel.key) + "'");
      return kernel->run(use_, job, result);
    } catch (const std::exception& what) {
      problem = what.what();
      return lane_outcome::failed;
    }
  }
};

// Null with the reason where no GPU can be used.
inline lane_device* start_lane_library(lane_kernel_list kernels, bool on_threads,
                                       [[maybe_unused]] int place, std::string& problem) {
  if (on_threads)
    return new lane_library(std::move(kernels), {.where = device::cpu}, "threads of this machine");
  if (!has_cuda_device(&problem)) return nullptr;
  on_device use{.where = device::cuda};
  std::string where = "GPU";
#if defined(__CUDACC__)
  int gpus = 1;
  cudaDeviceProp about;
  if (cudaGetDeviceCount(&gpus) == cudaSuccess) use.number = gpu_for(place, gpus);
  where += " " + std::to_string(use.number) + " of " + std::to_string(gpus);
  if (cudaGetDeviceProperties(&about, use.number) == cudaSuccess)
    where += std::string(", ") + about.name;
#endif
  return new lane_library(std::move(kernels), std::move(use), std::move(where));
}

}  // namespace asperity::detail
