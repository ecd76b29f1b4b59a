// SPDX-License-Identifier: Apache-2.0
#pragma once

// A folder of results that appears complete or not at all. It is filled under a hidden name beside
// its place and moved there by commit(). A folder that is already there is replaced only then, and
// only if it is one of ours (it holds the marker file .asperity) or empty.

#include <filesystem>
#include <string>
#include <string_view>

namespace asperity {

class pending_folder {
 public:
  // Throws asperity::error where something stands that must not be replaced.
  explicit pending_folder(const std::string& target);
  ~pending_folder();  // removes what was not committed
  pending_folder(const pending_folder&) = delete;
  pending_folder& operator=(const pending_folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& file, std::string_view text) const;
  void commit();

  // The check of the constructor alone: to be told before a long run, not after it.
  static void check(const std::string& target);

 private:
  std::filesystem::path target_, path_;
  bool committed_ = false;
};

// One file, complete or not at all.
void write_file(const std::string& file, std::string_view text);

}  // namespace asperity
