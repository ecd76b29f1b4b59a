// SPDX-License-Identifier: Apache-2.0
#pragma once

// Results that appear complete or not at all. They are written under a hidden name beside their
// place that nobody can foresee, and are moved there in the end. Names that a user gives may be
// links: they remain, and the results go where they lead. What a killed process left is removed by
// the next one that writes to the same place.

#include <asperity/text/open_file.hpp>
#include <asperity/text/remove_tree.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace asperity {

// Whether a name from inside of a file may become the name of a file or folder: it has no folder of
// its own, is not hidden, holds no control characters, and leaves room for an ending.
bool is_plain_name(std::string_view name);
constexpr const char* plain_name_wanted =
    "it must be the name of a folder: not empty, at most 200 bytes, without / \\ and control "
    "characters, and not starting with a dot";

// A folder. One that exists is replaced by commit(), and only if it is one of ours (it holds the
// marker file .asperity) or empty.
class pending_folder {
 public:
  // Throws asperity::error where something exists that must not be replaced.
  explicit pending_folder(const std::string& target);
  ~pending_folder();  // removes what was not committed
  pending_folder(const pending_folder&) = delete;
  pending_folder& operator=(const pending_folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // A new file, by its path inside of the folder.
  void write(const std::string& file, std::string_view text) const;
  void commit();
  // Where somebody else's results came there meanwhile, they stay, and these get the next free name:
  // NAME.2 ... Returns the name.
  std::string commit_beside_others();

  // The check of the constructor alone: to be told before a long run, not after it.
  static void check(const std::string& target);

 private:
  std::string given_;
  std::filesystem::path target_, path_;
  open_file lock_;
  std::optional<unfinished_path> unfinished_;
  bool committed_ = false;
};

// One file that a user named. A device, a pipe or a descriptor (/dev/stdout) takes it as it comes.
void write_file(const std::string& file, std::string_view text);

// One file whose name we chose, such as a picture beside results: a link of that name is replaced,
// for the user did not ask to write where it leads.
void replace_file(const std::string& file, std::string_view text);

}  // namespace asperity
