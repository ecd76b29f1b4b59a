// SPDX-License-Identifier: Apache-2.0
#pragma once

// Computes the chunks of a sweep: on threads of this process and, where there are others, on other
// ranks. Chunks go to whoever is free; only the process with the store writes.

#include <asperity/sweep/ranks.hpp>
#include <asperity/sweep/store.hpp>
#include <functional>

namespace asperity {

struct work_options {
  int threads = 1;
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(long long finished)> progress;  // points so far, now and then
  bool in_packs = true;                 // step points side by side where that can be (packs.hpp)
  const pack_device* device = nullptr;  // on which packs are stepped that can be
};

// Until the table is complete, or an interrupt. Where another process has the last chunks, waits
// for it. Throws asperity::error if the file cannot be written; what was finished is kept. Returns
// whether the table is complete.
bool run_sweep(sweep_plan& plan, sweep_store& store, const work_options& options,
               ranks* others = nullptr);

// The part of ranks other than 0: computes what it is told until there is no more.
void serve_sweep(sweep_plan& plan, const work_options& options, ranks& others);

// Results as bytes, for messages.
std::string packed(const std::vector<point_result>& results);
std::vector<point_result> unpacked(std::string_view bytes);

}  // namespace asperity
