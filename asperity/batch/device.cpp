// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fmt/format.h>

#include <asperity/batch/device.hpp>
#include <asperity/error.hpp>
#include <asperity/generated/kernel_build.hpp>
#include <asperity/text.hpp>

namespace asperity {

namespace fs = std::filesystem;

std::unique_ptr<lane_device> open_lane_device(const std::vector<fs::path>& folders,
                                              kernels_on where, int place) {
  std::error_code ignored;
  for (const auto& folder : folders) {
    const fs::path file = folder / kernel_library;
    if (!file.is_absolute() || !fs::exists(file, ignored)) continue;
    const auto refuse = [&](const std::string& why) {
      throw error(fmt::format("device 'cuda': '{}' {}", file.string(), why));
    };
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* why = dlerror();
      refuse(fmt::format("cannot be loaded: {}", why != nullptr ? printable(why) : "no reason"));
    }
    void* const build = dlsym(library, lane_device_build_name);
    void* const start = dlsym(library, start_lane_device_name);
    if (build == nullptr || start == nullptr)
      refuse("is not a kernel library of asperity: build it with -DASPERITY_CUDA_LIBRARY=ON");
    const std::string theirs = printable(reinterpret_cast<lane_device_build>(build)());
    if (theirs != generated::kernel_build)
      refuse(
          fmt::format("was built for another version of asperity: build both together, with "
                      "-DASPERITY_CUDA_LIBRARY=ON. It has '{}', this one has '{}'",
                      theirs, generated::kernel_build));
    std::string problem;
    lane_device* const device =
        reinterpret_cast<start_lane_device>(start)(where == kernels_on::threads, place, problem);
    if (device == nullptr)
      throw error(
          fmt::format("device 'cuda': no GPU can be used here ({}): use --device cpu, or auto, "
                      "which takes a GPU if there is one",
                      printable(problem)));
    return std::unique_ptr<lane_device>(device);
  }
  std::vector<std::string> places;
  places.reserve(folders.size());
  for (const auto& folder : folders) places.push_back(folder.lexically_normal().string());
  throw error(
      fmt::format("device 'cuda': there is no {} in {}: build asperity with "
                  "-DASPERITY_CUDA_LIBRARY=ON, which needs nvcc, or use --device cpu",
                  kernel_library, fmt::join(places, " or ")));
}

}  // namespace asperity
