// SPDX-License-Identifier: Apache-2.0
#pragma once

// --device of the commands that can compute on a GPU.

#include "cli/commands.hpp"

namespace asperity::cli {

inline void add_device(CLI::App& command, std::string& device, const std::string& description) {
  // `kernels` are those of the GPU on threads of the processor: for tests, since they are slow.
  const CLI::Validator told = CLI::IsMember({"cpu", "cuda", "auto"});
  add_option(command, "--device cpu|cuda|auto", device, description)
      ->check(
          [told](const std::string& given) {
            return given == "kernels" ? std::string() : told(given);
          },
          told.get_description());
}

}  // namespace asperity::cli
