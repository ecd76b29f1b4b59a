// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/catalogue/all_entries.hpp>
#include <atomic>
#include <mutex>
#include <tuple>

namespace asperity {

namespace {

// A list never changes, since others may be reading it: a longer one takes its place. The old ones
// stay, and nothing is destroyed at the end of the program, when models may still be in use.
struct extended {
  std::vector<const catalogue_entry*> entries;
  std::vector<model_tracer> tracers;
  const extended* before = nullptr;
};
std::atomic<const extended*> with_plugins{nullptr};
std::mutex adding;

}  // namespace

std::span<const catalogue_entry* const> catalogue() {
  const extended* all = with_plugins.load(std::memory_order_acquire);
  return all != nullptr ? std::span<const catalogue_entry* const>(all->entries)
                        : detail::built_in_entries();
}

const model_tracer* find_tracer(std::string_view key, std::string_view curve) {
  const extended* added = with_plugins.load(std::memory_order_acquire);
  const auto& all = added != nullptr ? added->tracers : detail::built_in_tracers();
  const auto found = std::find_if(all.begin(), all.end(), [&](const model_tracer& each) {
    return each.key == key && each.curve == curve;
  });
  return found == all.end() ? nullptr : &*found;
}

void detail::add_entries(const std::vector<const catalogue_entry*>& entries,
                         const std::vector<model_tracer>& tracers) {
  const std::lock_guard lock(adding);
  const auto now = catalogue();
  const extended* before = with_plugins.load(std::memory_order_acquire);
  auto* next = new extended{
      {now.begin(), now.end()}, before != nullptr ? before->tracers : built_in_tracers(), before};
  next->entries.insert(next->entries.end(), entries.begin(), entries.end());
  std::sort(next->entries.begin(), next->entries.end(), [](const auto* a, const auto* b) {
    return std::tie(a->family, a->key) < std::tie(b->family, b->key);
  });
  next->tracers.insert(next->tracers.end(), tracers.begin(), tracers.end());
  with_plugins.store(next, std::memory_order_release);
}

}  // namespace asperity
