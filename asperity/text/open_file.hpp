// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files by their descriptors: what was checked is what is read, whatever happens to the name.

#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace asperity {

// A descriptor that is closed in the end; below 0: none.
class open_file {
 public:
  explicit open_file(int descriptor = -1) : descriptor_(descriptor) {}
  ~open_file() { close(); }
  open_file(open_file&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  open_file& operator=(open_file&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;

  int descriptor() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  // Returns errno, or 0.
  int close();

 private:
  int descriptor_;
};

// Writes everything. Returns errno, or 0.
int write_all(int descriptor, std::string_view text);

// All that a file holds, from its start.
std::string read_all(int descriptor);

// ---- files of a user ----------------------------------------------------------------------------

// Sizes that are still read [bytes].
constexpr std::uintmax_t largest_scenario = 16'000'000;      // TOML
constexpr std::uintmax_t largest_table = 2'000'000'000;      // CSV
constexpr std::uintmax_t largest_report = 256'000'000;       // JSON to compare with
constexpr std::uintmax_t largest_sweep = 1'000'000'000'000;  // SQLite

// Opens a regular file for reading. Throws asperity::error where there is none, where it is a
// folder, a device, a pipe or a socket (none of which is waited for), or larger than `limit`.
open_file open_input_file(const std::string& file, std::uintmax_t limit);

// All of it, under the same conditions.
std::string read_input_file(const std::string& file, std::uintmax_t limit);

// What read_input_file gives for this name from now on, whatever files there are: standard input has
// no file, and is read once.
void read_instead_of_file(const std::string& name, std::string text);

}  // namespace asperity
