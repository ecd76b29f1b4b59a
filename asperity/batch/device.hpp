// SPDX-License-Identifier: Apache-2.0
#pragma once

// The GPU of sweeps and fits. Its kernels are a library of their own, so that the program needs no CUDA.

#include <asperity/batch/cuda/lane_device.hpp>
#include <filesystem>
#include <memory>
#include <vector>

namespace asperity {

inline constexpr const char* kernel_library = "asperity_cuda.so";

// `threads` runs the kernels on the processor, to test them.
enum class kernels_on { gpu, threads };

// Starts the library that lies in one of these folders; it stays loaded until the end. Processes of
// one machine that differ in `place` share its GPUs out. Throws asperity::error where there is no
// library, where it is of another build, and where there is no GPU.
std::unique_ptr<lane_device> open_lane_device(const std::vector<std::filesystem::path>& folders,
                                              kernels_on, int place = 0);

}  // namespace asperity
