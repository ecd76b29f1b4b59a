// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tidying up, also where memory has run out and in the handler of a signal.

#include <atomic>

namespace asperity {

// Removes a file, or a folder with all that is in it; links are removed, never followed. Whether
// nothing is left.
bool remove_tree(const char* path) noexcept;

// Something unfinished that must not be left behind when the program is ended in the middle. The
// path is not copied.
class unfinished_path {
 public:
  explicit unfinished_path(const char* path) noexcept;
  ~unfinished_path();
  unfinished_path(const unfinished_path&) = delete;
  unfinished_path& operator=(const unfinished_path&) = delete;

 private:
  std::atomic<const char*>* place_ = nullptr;
};

// Removes all of them; for a program that ends at once.
void remove_unfinished() noexcept;

}  // namespace asperity
