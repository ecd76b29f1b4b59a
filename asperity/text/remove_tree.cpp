// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <asperity/text/remove_tree.hpp>
#include <cerrno>
#include <cstring>

namespace asperity {

namespace {

bool remove_in(int parent, const char* name) noexcept;

// One pass over a folder. Says whether an entry was removed, since then there may be more of them.
bool remove_entries(int folder) noexcept {
  // Not opendir: it takes memory.
  alignas(dirent64) char entries[8192];
  bool removed = false;
  lseek(folder, 0, SEEK_SET);
  for (ssize_t size = 0;
       (size = getdents64(folder, reinterpret_cast<dirent64*>(entries), sizeof entries)) > 0;)
    for (ssize_t at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      at += entry->d_reclen;
      if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
      removed = remove_in(folder, entry->d_name) || removed;
    }
  return removed;
}

bool remove_in(int parent, const char* name) noexcept {
  if (unlinkat(parent, name, 0) == 0 || errno == ENOENT) return true;
  const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0) {
    while (remove_entries(folder)) {
    }
    close(folder);
  }
  return unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

}  // namespace

bool remove_tree(const char* path) noexcept { return remove_in(AT_FDCWD, path); }

namespace {

// More than are ever written at once; what finds no place is left to the next run.
std::atomic<const char*> unfinished_paths[64];
static_assert(std::atomic<const char*>::is_always_lock_free);

}  // namespace

unfinished_path::unfinished_path(const char* path) noexcept {
  for (auto& place : unfinished_paths) {
    const char* none = nullptr;
    if (!place.compare_exchange_strong(none, path)) continue;
    place_ = &place;
    return;
  }
}

unfinished_path::~unfinished_path() {
  if (place_ != nullptr) *place_ = nullptr;
}

void remove_unfinished() noexcept {
  for (auto& place : unfinished_paths)
    if (const char* path = place.exchange(nullptr); path != nullptr) remove_tree(path);
}

}  // namespace asperity
